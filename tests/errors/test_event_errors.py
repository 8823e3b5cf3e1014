"""Messages about events, chosen instants and dense runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from support.messages import check_message

WHERE = "a simulation of model 'pendulum'"


def pendulum() -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def run(**options: Any) -> bough.Trajectory:
    return bough.simulate(pendulum(), q=[1.0], **{"duration": 1.0, "dt": 0.1, **options})


def marked(**marks: Any) -> Callable[..., float]:
    def g(t: float, state: bough.State) -> float:
        return 1.0

    g.__dict__.update(marks)
    return g


TIMES = "give times in s that ascend, such as np.linspace(0, 1, 11)"
FUNCTIONS = (
    "give functions g(t, state) that return a number, or expressions such as 'pose tip z = 0.1': events=[g]"
)
MESSAGES: dict[str, tuple[Callable[[], object], str, str, str]] = {
    "number": (lambda: run(events=3), f"events=3 in {WHERE}", "not a function", FUNCTIONS),
    "numbers": (lambda: run(events=[3]), f"events[0]=3 in {WHERE}", "not a function", FUNCTIONS),
    "terminal": (
        lambda: run(events=[marked(terminal=-1)]),
        f"terminal=-1 of events[0] in {WHERE}",
        "neither True nor False nor the number of events after which the run ends",
        "set g.terminal = True",
    ),
    "direction": (
        lambda: run(events=[marked(direction="up")]),
        f"direction='up' of events[0] in {WHERE}",
        "not a number",
        "set g.direction = 1 for zeros where g rises, -1 where it falls, 0 for both",
    ),
    "variable": (
        lambda: run(events="angel"),
        f"variable 'angel' in 'angel' as events[0] of {WHERE}",
        "no variable has this name; the nearest is 'angle'",
        "correct the spelling",
    ),
    "frame": (
        lambda: run(events=["pose bobb z"]),
        f"frame 'bobb' in 'pose bobb z' as events[0] of {WHERE}",
        "no frame has this name; the nearest is 'bob'",
        "correct the spelling",
    ),
    "expression": (
        lambda: run(events=["pose bob"]),
        f"'pose bob' as events[0] of {WHERE}",
        "no quantity of a state",
        "write a variable, v.NAME, p.NAME, pose FRAME x, y or z, speed FRAME, energy or t, then '= NUMBER' if"
        " it is not zero, then rising or falling, and terminal, if wanted: 'pose tip z = 0.1 falling'",
    ),
    "value": (
        lambda: run(events=["angle = up"]),
        f"'angle = up' as events[0] of {WHERE}",
        "'up' after '=', which is not a number",
        "write a number there, such as 'pose tip z = 0.1'",
    ),
    "instants": (
        lambda: run(t_eval=[0.2, 0.1]),
        f"t_eval=[0.2, 0.1] in {WHERE}",
        "not a row of times, each later than the one before",
        TIMES,
    ),
    "late": (
        lambda: run(t_eval=[0.2, 1.1]),
        f"t_eval with 1.1 in {WHERE}",
        "a run from t = 0 to 1 s",
        "give times between these, or another duration",
    ),
    "late by little": (
        lambda: run(t_eval=[0.2, 1.0 + 1e-12]),
        f"t_eval with 1.000000000001 in {WHERE}",
        "a run from t = 0 to 1 s",
        "give times between these, or another duration",
    ),
    "back in time": (
        lambda: run().at([0.2, 0.1]),
        "at([0.2, 0.1]) of a run of model 'pendulum'",
        "times that do not follow each other as those of the run do",
        "sort them: a trajectory of several times is a motion; one state is run.at(t) of one time",
    ),
    "every": (
        lambda: run(t_eval=[0.2], every=2),
        f"t_eval and every=2 in {WHERE}",
        "two choices of the instants that are recorded",
        "give one of them",
    ),
    "both": (
        lambda: run(t_eval=[0.2], dense=True),
        f"dense=True and t_eval in {WHERE}",
        "chosen instants are no nodes, from which steps to other instants could start",
        "leave one of them out",
    ),
    "dense": (
        lambda: run(dense=1),
        f"dense=1 in {WHERE}",
        "neither True nor False",
        "give dense=True, so that run.at(t) makes steps",
    ),
    "maximal": (
        lambda: run(events=["angle"], integrator="velocity"),
        f"events in {WHERE} with integrator 'velocity'",
        "bodies in maximal coordinates, of which no state is known within a step",
        "leave events out, or use an integrator in generalised coordinates, such as 'midpoint'",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_message(name: str) -> None:
    check_message(*MESSAGES[name])


def fails(t: float, state: bough.State) -> float:
    if t > 0.55:
        raise ZeroDivisionError("of mine")
    return 1.0


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (fails, "it raised ZeroDivisionError: of mine"),
        (lambda t, state: np.inf if t > 0.55 else 1.0, "it returned inf, which is infinite"),
        (lambda t, state: np.nan if t > 0.55 else 1.0, "it returned nan, which is not a number"),
        (lambda t, state: state.q * 1.0 if t > 0.55 else 1.0, "which is not a number"),
        (lambda t, state: None if t > 0.55 else 1.0, "it returned None, which is not a number"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"order": 6}, {"integrator": "rk4"}, {"integrator": "rk45"}])
def test_bad_values_keep_the_motion(function: Any, found: str, options: dict[str, Any]) -> None:
    with pytest.raises(bough.EventError, match=found) as caught:
        run(events=[function], **options)
    assert caught.value.trajectory is not None
    assert 0.5 <= caught.value.trajectory.t[-1] <= 0.61


def test_instants_that_round_off_puts_beyond_the_end() -> None:
    """Ten times 0.1, added up, are less than 1, and a thousand times 0.001 more: both are the end."""
    for count in (10, 1000):
        times = np.cumsum(np.full(count, 1.0 / count))
        assert times[-1] != 1.0
        assert run(t_eval=times).t[-1] == pytest.approx(1.0, abs=1e-13)
    assert run(t_eval=[0.5, 1.0 + 5e-14]).t[-1] == 1.0


def test_the_cubic_in_place_of_a_dense_state_is_told(tmp_path: Path) -> None:
    run(dense=True)[2:8].save(tmp_path / "part.npz")
    part = bough.load_trajectory(tmp_path / "part.npz")
    with pytest.warns(
        bough.BoughWarning, match="is a cubic through the instants around it, although dense=True"
    ):
        part.at(0.35)
