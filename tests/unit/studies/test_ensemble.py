"""Ensembles: every run is that of `Problem.run` bit for bit; failed runs are rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from support.balls import floating_arm
from support.studies import AB, ARM, CASES, LOOP


@pytest.mark.parametrize("name", CASES)
def test_runs_are_those_of_the_problem(name: str) -> None:
    make, axes = CASES[name]
    problem = make()
    study = bough.ensemble(problem, axes, workers=2)
    assert study.failed == []
    assert study.shape == tuple(len(values) for values in axes.values())
    for index in np.ndindex(study.shape):
        run = study.rerun(index)
        assert (study.q[index] == run.q).all()
        assert (study.p[index] == run.p).all()
        assert (study.v[index] == run.v).all()
        assert (study.t == run.t).all()
    alone = bough.ensemble(problem, axes, workers=1)
    assert (alone.q == study.q).all()
    assert (alone.p == study.p).all()


def test_a_state_is_a_start_of_which_single_values_vary() -> None:
    """The other values, velocities and the time among them, are those of the state."""
    state = bough.simulate(ARM, {"shoulder": 0.5}, {"forearm": 1.0}, duration=0.4, dt=0.01)[-1]
    problem = bough.Problem(ARM, state, duration=0.2, dt=0.01)
    for axes in ({"q.forearm": [0.1, 0.2]}, {"v.forearm": [0.1, 0.2]}):
        study = bough.ensemble(problem, axes)
        ((name, values),) = axes.items()
        for i, value in enumerate(values):
            start = {"q": state.q.copy(), "v": state.v.copy()}
            start[name[0]][1] = value
            run = bough.simulate(ARM, start["q"], start["v"], t0=state.t, duration=0.2, dt=0.01)
            assert abs(study.q[i] - run.q).max() < 1e-12  # in lanes, to the tolerance of the steps
    assert study.t[0] == state.t


def lowest(t: float, state: bough.State) -> float:
    return float(state.q[0])


def test_events_end_runs() -> None:
    """An event ends each run of an ensemble as it ends the run alone."""
    lowest.terminal = True  # type: ignore[attr-defined]
    problem = bough.Problem(ARM, duration=2.0, dt=0.01, events=[lowest])
    study = bough.ensemble(problem, {"q.shoulder": [0.2, 0.6]}, keep=lambda run: {"end": run.t[-1]})
    assert study.failed == []
    for index in range(2):
        assert study["end"][index] == study.rerun(index).t[-1] < 1.0
    with pytest.raises(bough.ModelError, match="instants of their own"):
        bough.ensemble(problem, {"q.shoulder": [0.2, 0.6]})


def test_samples() -> None:
    problem = bough.Problem(ARM, duration=0.1)
    rows = [{"q.shoulder": 0.1, "parameter.length": 1.0}, {"q.shoulder": 0.7, "parameter.length": 1.4}]
    study = bough.ensemble(problem, samples=rows)
    columns = bough.ensemble(problem, samples={name: [row[name] for row in rows] for name in rows[0]})
    assert study.dims == ("run",)
    assert (study.q == columns.q).all()
    assert (study.q[1] == study.rerun(1).q).all()
    assert study.problem_at(1).model.parameters["length"] == 1.4


def fails_above(run: bough.Trajectory) -> dict[str, Any]:
    if run.q[0, 0] > 0.5:
        raise ZeroDivisionError("too high")
    return {"end": run.q[-1, 0]}


def test_failed_runs_are_rows() -> None:
    problem = bough.Problem(ARM, duration=0.1)
    study = bough.ensemble(
        problem, {"parameter.load": [1.0, -1.0, 2.0], "q.shoulder": [0.1, 0.9]}, keep=fails_above
    )
    assert study.failed == [(0, 1), (1, 0), (1, 1), (2, 1)]
    assert study.messages[0, 1] == "ZeroDivisionError: too high"
    assert study.messages[1, 0] == study.messages[1, 1]
    assert "mass is negative" in study.messages[1, 1]
    assert study.status.tolist() == [["finished", "failed"], ["failed", "failed"], ["finished", "failed"]]
    assert np.isnan(study["end"]).tolist() == [[False, True], [True, True], [False, True]]
    assert study.summary("end")["max"] == np.nanmax(study["end"])
    with pytest.raises(bough.ModelError, match="mass is negative"):
        study.rerun((1, 0))


def test_a_model_that_cannot_be_is_told_in_each_of_its_rows() -> None:
    """Its values come again after those of another one."""
    system = bough.System("rod")
    system.world.ry("angle").tz(-1.0, mass=system.parameter("load", 1.0))
    problem = bough.Problem(system.build(), duration=0.1)
    study = bough.ensemble(problem, {"q.angle": [0.1, 0.2], "parameter.load": [-1.0, -2.0, 1.0]})
    for row in range(2):
        assert [f"mass={load}" in study.messages[row, i] for i, load in enumerate((-1.0, -2.0))] == [
            True,
            True,
        ]


def test_a_start_off_the_constraints_is_a_row() -> None:
    study = bough.ensemble(bough.Problem(LOOP, AB[0], duration=0.1), {"q": [AB[0], [0.4, 0.4, 0.0]]})
    assert study.failed == [(1,)]
    assert "does not meet constraint" in study.messages[1,]
    assert np.isnan(study.q[1]).all()


def test_a_step_that_fails_keeps_the_rows_before() -> None:
    system = bough.System("kepler", gravity=None)
    body = system.world.tx("x").ty("y", name="body", mass=1.0)
    system.add(bough.CentralGravity("world", body, mu=1.0))
    problem = bough.Problem(system.build(), {"x": 1.0}, duration=3.0, dt=0.01, max_halvings=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        study = bough.ensemble(problem, {"v.y": [1.0, 0.0]})  # a circle, and a fall into the centre
    run = study.rerun(1, on_failure="stop")
    assert study.failed == [(1,)]
    assert study.messages[1,].startswith(f"step {run.statistics['steps'] + 1} of 300, from t = ")
    rows = len(run.t)
    assert (study.q[1, :rows] == run.q).all()
    assert np.isnan(study.q[1, rows:]).all()


def test_long_steps_are_told_once() -> None:
    problem = bough.Problem(bough.gallery.pendulum(5).build(), duration=10.0, dt=0.05)
    with pytest.warns(bough.CoarseStepWarning, match="of 1 of 2 runs of 'pendulum") as told:
        study = bough.ensemble(problem, {"q": [[1.5, -2.0, 1.0, 3.0, -2.0], [0.01] * 5]})
    assert len(told) == 1
    assert study.statistics["coarse"] == 1
    with pytest.warns(bough.CoarseStepWarning):
        study.rerun(0)
    study.rerun(1)


@pytest.mark.parametrize("form", ["quaternions", "vectors", "matrices", "rotations", "a stack", "mixed"])
def test_rotations_of_a_ball_vary(form: str) -> None:
    """By the name of the ball, in every form; each run is the one that starts there."""
    model = floating_arm().build()
    stack = Rotation.from_rotvec([[0.1, 0.2, 0.3], [-1.0, 0.5, 2.0]])
    given: Any = {
        "quaternions": stack.as_quat(scalar_first=True),
        "vectors": stack.as_rotvec(),
        "matrices": stack.as_matrix(),
        "rotations": list(stack),
        "a stack": stack,
        "mixed": [stack[0], stack[1].as_rotvec()],
    }[form]
    rates = [(0.0, 0.0, 0.0), (1.0, -2.0, 0.5), (0.1, 0.1, 0.1)]
    problem = bough.Problem(model, {"elbow": 0.2}, {"elbow": 1.0}, duration=0.2, dt=0.05)
    study = bough.ensemble(problem, {"q.shoulder": given, "v.base": rates})
    assert study.shape == (2, 3)
    assert study.failed == []
    for i, j in np.ndindex(2, 3):
        run = bough.simulate(
            model,
            {"elbow": 0.2, "shoulder": stack[i]},
            {"elbow": 1.0, "base": rates[j]},
            duration=0.2,
            dt=0.05,
        )
        assert np.abs(study.q[i, j] - run.q).max() < 1e-13
    assert study.axes["q.shoulder"].shape == (2, 4)
    assert "shoulder" in repr(study)
    assert study._repr_html_()
    table = bough.ensemble(problem, samples={"q.shoulder": given, "v.elbow": [0.1, 0.2]})
    assert table.shape == (2,)


def test_numbers_of_a_summary_are_plain() -> None:
    """One number of each run is summed up by floats of Python, an array by arrays."""
    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    study = bough.ensemble(problem, {"q.shoulder": [0.1, 0.2]}, keep=lambda run: {"end": run.q[-1, 0]})
    found = study.summary("end")
    assert {type(value) for value in found.values()} == {float}
    assert "float64" not in repr(found)
    motion = bough.ensemble(problem, {"q.shoulder": [0.1, 0.2]}).summary("q")
    assert motion["mean"].shape == (11, 2)
