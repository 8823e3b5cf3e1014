"""The Jacobian that SciPy's implicit methods get, mechanisms with cyclic angles, and singular positions."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.integrators.rate_jacobian import rate_jacobian
from support.finite_difference import derivative


def governor() -> bough.Model:
    """A spindle that carries hinged arms, as a flyball governor does: no force depends on its angle."""
    system = bough.System("governor")
    spindle = system.world.rz("spindle", mass=1.0, inertia=(0.01, 0.01, 0.01))
    spindle.ry("arm").tz(-0.5, mass=1.0).ry("ball").tz(-0.5, mass=1.0)
    return system.build()


def test_radau_turns_a_governor_through_many_revolutions() -> None:
    """SciPy's own differences take a step ten times as long in each Jacobian, until it overflows."""
    model = governor()
    run = bough.simulate(
        model,
        {"arm": 2.0, "ball": 0.5},
        {"spindle": 3.0},
        duration=25.0,
        dt=0.5,
        integrator="radau",
        rtol=1e-3,
        atol=1e-5,
    )
    assert run.status == "finished"
    assert np.ptp(run["spindle"]) > 20.0
    about_axis = model.momentum(run.q, run.v)[:, 0]
    assert (
        np.abs(about_axis / about_axis[0] - 1.0).max() < 0.05
    )  # of a rough run, and kept by the exact motion


@pytest.mark.parametrize("method", ["radau", "bdf", "lsoda"])
def test_implicit_methods_agree_with_an_explicit_one(method: str) -> None:
    options = {"q": {"arm": 2.0, "ball": 0.5}, "v": {"spindle": 3.0}, "duration": 0.5, "dt": 0.05}
    expected = bough.simulate(governor(), integrator="dop853", **options)
    run = bough.simulate(governor(), integrator=method, rtol=1e-7, atol=1e-9, **options)
    assert np.abs(run.q - expected.q).max() < 1e-4


def test_the_jacobian_is_that_of_the_right_hand_side() -> None:
    """Also far from zero, where a step relative to the variable would be a turn or nothing at all."""
    system = bough.System("arm")
    tip = system.world.tx("x", mass=1.0).ry("a").tz(-1.0, mass=1.0).rx("b").tz(-0.7, name="tip", mass=0.5)
    system.add(bough.Drag(tip, 0.3))
    system.add(bough.LinearSpring("world", tip, 20.0, 0.3))
    system.add(bough.Servo("b", 40.0, 3.0, target="r"))
    model = system.build()
    u, nothing = np.array([0.3]), np.zeros(0)
    for offset in (0.0, 1e-9, 2e4 * np.pi):
        q, v = np.array([0.3, 0.4 + offset, -0.6]), np.array([1.0, -2.0, 0.5])

        def rate(y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[3:], model.acceleration(y[:3], y[3:], u)])

        expected = derivative(rate, np.concatenate([q, v]))[0].T
        found = rate_jacobian(model, q, v, u, nothing, 0.0, (0.0, 0.0))
        assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()


def four_bar_chain(loops: int) -> bough.Model:
    """Upright bars side by side, their tops joined by couplers, of 1 m and 1 kg: singular where all lie."""
    system = bough.System("four-bar chain")
    for i in range(loops + 1):
        bar = system.world.tx(float(i)).ry(f"bar{i}")
        bar.tz(0.5, mass=1.0, inertia=(1 / 12, 1 / 12, 0.0))
        top = bar.tz(1.0, name=f"top{i}")
        if i < loops:
            coupler = top.ry(f"coupler{i}")
            coupler.tx(0.5, mass=1.0, inertia=(0.0, 1 / 12, 1 / 12))
            coupler.tx(1.0, name=f"end{i}")
    for i in range(loops):
        system.add(bough.PointConstraint(f"end{i}", f"top{i + 1}", axes=((1, 0, 0), (0, 0, 1))))
    return system.build()


def moving_bars(loops: int) -> tuple[bough.Model, dict[str, float]]:
    """The chain, and rates that turn it towards its singular position."""
    rates = {f"bar{i}": 1.0 for i in range(loops + 1)} | {f"coupler{i}": -1.0 for i in range(loops)}
    return four_bar_chain(loops), rates


def test_a_singular_position_is_named() -> None:
    model, v = moving_bars(5)
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(model, v=v, duration=1.0, dt=0.01, integrator="radau")
    assert caught.value.found.startswith("the mechanism is at a singular position at t = 0.71")
    assert "integrator='midpoint'" in caught.value.do
    assert caught.value.trajectory is not None
    assert np.abs(caught.value.trajectory["bar0"][-1] - np.pi / 2) < 0.1  # nearly flat


def passed_or_told(model: bough.Model, v: dict[str, float], integrator: str) -> bough.Trajectory | None:
    """The run of a method that passes the singular position on the branch of the motion; if it does not, it says so.

    The chain moves as one variable, so that the midpoint rule with short steps tells where it must be.
    """
    message = ""
    try:
        run = bough.simulate(model, v=v, duration=1.0, dt=0.01, integrator=integrator)
    except (bough.ConvergenceError, bough.CoarseStepWarning) as told:
        message = str(told)
    if message:
        assert "singular position" in message
        return None
    truth = bough.simulate(model, v=v, duration=1.0, dt=0.001)
    assert np.abs(run.q[-1] - truth.q[-1]).max() < 1e-4
    return run


def test_singular_positions_are_passed_on_the_branch_of_the_motion() -> None:
    """Where all bars lie, round-off decides a branch for each loop: from most starts the right ones."""
    model, v = moving_bars(5)
    starts = [{name: rate * each for name, each in v.items()} for rate in np.linspace(1.0, 1.03, 20)]
    passed = [run for start in starts if (run := passed_or_told(model, start, "dop853")) is not None]
    assert len(passed) > 10
    for run in passed:
        assert np.ptp(run.energy()) < 1e-6 * run.kinetic_energy().max()


def test_a_branch_that_is_lost_at_a_singular_position_is_not_silent() -> None:
    """SciPy's steps end there, lose energy, or pass, as round-off has it: an error, a warning, or the right motion."""
    passed_or_told(*moving_bars(5), "scipy-dop853")
