"""Motions that are prescribed, where they pass zero, at the ends of steps and at the start; what does not follow them.

Truths: the prescribed motion itself; `simulate`, and its run of order 8 with short steps.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import bough
from bough import ConvergenceError
from support.messages import check_message

ORDERS = (4, 6, 8)


@cache
def followers() -> dict[str, bough.Model]:
    """Variables that follow 0.6 sin 2 pi t by a gear, and by a point on a moving line."""
    sine = bough.Sinusoid(amplitude=0.6, frequency=2.0 * np.pi)
    gear, slide = bough.System("gear"), bough.System("slide")
    gear.world.ry("x").tz(-0.5, mass=2.0)
    gear.add(bough.GearConstraint({"x": 1.0}, offset=sine))
    slide.world.tx("x").ty("y", name="mass", mass=1.0)
    slide.add(bough.PointConstraint("mass", "world", axis=(1, 0, 0), offset=sine))
    return {"gear": gear.build(), "point": slide.build()}


@pytest.mark.parametrize("kind", ["gear", "point"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dt", [0.01, 0.05, 0.125, 0.5])
def test_a_prescribed_motion_through_zero(order: int, dt: float, kind: str) -> None:
    """Nodes are at its zeros, where every term of the row is round-off; with dt = 0.5 at both ends of all steps."""
    run = bough.simulate(followers()[kind], duration=4.0, dt=dt, order=order)
    assert np.abs(run["x"] - 0.6 * np.sin(2.0 * np.pi * run.t)).max() < 1e-15
    assert np.abs(run.v[:, 0] - 1.2 * np.pi * np.cos(2.0 * np.pi * run.t)).max() < 1e-14
    assert run.statistics["halvings"] == 0


@pytest.mark.parametrize("kind", ["gear", "point"])
@pytest.mark.parametrize("order", ORDERS)
def test_side_steps_and_last_steps_to_a_zero(order: int, kind: str) -> None:
    model, options = followers()[kind], {"dt": 0.013, "order": order}
    run = bough.simulate(model, duration=3.1, events=["x"], **options)
    assert [event.t for event in run.events] == pytest.approx(np.arange(1, 7) / 2, abs=2e-15)
    chosen = bough.simulate(model, duration=1.5, t_eval=[0.5, 1.0, 1.5], **options)
    assert np.abs(chosen["x"]).max() < 1e-15
    assert abs(bough.simulate(model, duration=2.5, **options)["x"][-1]) < 1e-15


@pytest.mark.parametrize("order", [2, *ORDERS])
def test_a_mechanism_that_cannot_follow_is_named(order: int) -> None:
    """A crank of 1 m on a rod of 1 m, whose other end is pulled beyond 2 m."""
    system = bough.System("crank")
    system.world.tx(bough.kinematic("pull"), name="end")
    system.world.ry("angle").tz(-1.0, name="pin", mass=1.0)
    system.add(bough.DistanceConstraint("pin", "end", length=1.0))
    model = system.build()
    start = model.assemble(q={"pull": 0.9, "angle": -0.8}).q
    with pytest.raises(ConvergenceError) as caught:
        bough.simulate(model, start, duration=2.0, dt=0.01, order=order, k={"pull": lambda t: 0.9 + t})
    assert caught.value.trajectory is not None
    assert caught.value.trajectory.t[-1] == pytest.approx(1.1, abs=0.02)
    if order > 2:  # of order 2 the last step ends a node earlier, where a configuration still exists
        assert "the mechanism locks: no configuration is found that meets the constraints" in str(
            caught.value
        )


@cache
def cart() -> bough.Model:
    system = bough.System("cart")
    system.world.tx(bough.kinematic("x")).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    return system.build()


DRIVE: dict[str, Any] = {
    "u": {"torque": lambda t: np.cos(2.0 * t)},
    "k": {"x": lambda t: 0.1 * np.sin(3.0 * t)},
}


@pytest.mark.parametrize("order", [2, *ORDERS])
def test_states_of_single_steps_are_those_of_a_run(order: int) -> None:
    """Also their velocities, whose kinematic part is of the order of the method; functions are given by name."""
    vi = bough.MidpointVI(cart(), 0.05, order=order)
    run = bough.simulate(cart(), {"angle": 0.3}, duration=2.0, dt=0.05, order=order, **DRIVE)
    state = vi.start(run.q[0], p=run.p[0])
    for row in range(1, len(run) - 1):
        state = vi.step(state, **DRIVE)
        # The times of single steps add up, those of a run are products.
        assert np.abs(state.q - run.q[row]).max() < 2e-14
        assert np.abs(state.p - run.p[row]).max() < 2e-14
        assert np.abs(state.v - run.v[row]).max() < 1e-13


@pytest.mark.parametrize("order", ORDERS)
def test_velocities_of_single_steps_have_the_order_of_the_method(order: int) -> None:
    truth = bough.simulate(cart(), {"angle": 0.3}, duration=2.0, dt=0.01, order=8, **DRIVE)
    errors = []
    for dt in (0.2, 0.1):
        vi = bough.MidpointVI(cart(), dt, order=order)
        state = vi.start(truth.q[0], p=truth.p[0])
        for _ in range(round(2.0 / dt)):
            state = vi.step(state, **DRIVE)
        errors.append(np.abs(state.v - truth.v[-1]).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.4


def test_numbers_and_functions_by_name() -> None:
    """A number is the value at the end of the step, with a straight line to it, beside a function of t too."""
    system = bough.System("table")
    system.world.tx(bough.kinematic("x")).ty(bough.kinematic("y")).ry("angle").tz(-1.0, mass=1.0)
    vi = bough.MidpointVI(system.build(), 0.1, order=4)
    both = vi.step(vi.start({"angle": 0.1}), k={"x": lambda t: t**2, "y": 0.3})
    assert [both.q["x"], both.q["y"]] == pytest.approx([0.01, 0.3])
    assert [both.v["x"], both.v["y"]] == pytest.approx([0.2, 3.0])
    line = vi.step(vi.start({"angle": 0.1}), k={"x": lambda t: t**2, "y": lambda t: 3.0 * t})
    assert both.v == pytest.approx(line.v)
    check_message(
        lambda: vi.step(vi.start({"angle": 0.1}), k={"z": lambda t: 0.0}),
        "kinematic variable 'z' in k of MidpointVI of model 'table'",
        "no kinematic variable has this name; the names are 'x', 'y'",
        "use one of these names",
    )


@pytest.mark.parametrize(
    "options", [{}, {"order": 4}, {"integrator": "trapezoidal"}, {"integrator": "rk4"}], ids=str
)
@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_velocities_of_the_start_are_those_given(options: dict[str, Any], rate: float) -> None:
    """Of the dynamic variables exactly, whether the rate of the kinematic one is given too or left to its motion."""
    run = bough.simulate(cart(), q=[0.3, 0.0], v=[0.5, rate], duration=1.0, dt=0.1, k=DRIVE["k"], **options)
    assert run.v["angle"][0] == pytest.approx(0.5, abs=1e-15)
    assert run.v["x"][0] == pytest.approx(0.3, rel=0.03)
    if rate:
        assert run.v["x"][0] == pytest.approx(rate, rel=1e-2 if "rk4" in options.values() else 1e-15)
    assert run.rerun() == run
