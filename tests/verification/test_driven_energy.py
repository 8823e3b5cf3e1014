"""Driven motions: the energy rises by what drives them, and a step too long for that is not believed.

The equations of a long step have roots at which an arm whips round with any energy. A step whose energy rises
by more than motors, moved variables and moved constraints gave is halved, and if that does not help refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import bough

Case = tuple[bough.Model, dict[str, Any]]
SLANT = float(np.hypot(3.0, 2.0))


def two_links(frame: bough.Frame) -> None:
    frame.ry("shoulder").tz(-1.0, mass=1.0).ry("elbow").tz(-1.0, mass=0.3)


def motor() -> Case:
    system = bough.System("motor")
    two_links(system.world)
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    return system.build(), {"q": {"shoulder": 1.0}, "u": {"torque": 15.0}}


def constant_force() -> Case:
    system = bough.System("constant force")
    two_links(system.world)
    system.add(bough.ConfigurationForce("shoulder", 15.0))
    return system.build(), {"q": {"shoulder": 1.0}}


def hand() -> Case:
    system = bough.System("hand")
    two_links(system.world.tx(bough.kinematic("hand")))
    return system.build(), {"k": {"hand": lambda t: 1.5 * np.sin(9.0 * t)}}


def boom(length: Any) -> bough.System:
    """The links hang from the end of a boom, which a wire of changing length pulls to and fro."""
    system = bough.System("boom")
    end = system.world.ry("boom").tz(-2.0, name="end", mass=0.2)
    two_links(end)
    system.add(bough.DistanceConstraint(end, system.world.tx(3.0, name="hook"), length))
    return system


def wire() -> Case:
    """Moved by a kinematic variable."""
    start = {"q": {"wire": SLANT}, "k": {"wire": lambda t: SLANT + 0.8 * np.sin(7.0 * t)}}
    return boom(bough.kinematic("wire")).build(), start


def moving_constraint() -> Case:
    """The same by a function of time."""
    return boom(bough.Sinusoid(0.8, 7.0, mean=SLANT)).build(), {}


CASES = [motor, constant_force, hand, wire, moving_constraint]
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
methods = pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])


@cases
@methods
def test_energy_that_a_drive_gives_is_believed(case: Callable[[], Case], method: str) -> None:
    """No step is halved in steps that resolve the motion, though its energy changes all the time."""
    model, start = case()
    run = bough.simulate(model, **start, duration=3.0, dt=0.005, integrator=method)
    exact = bough.simulate(model, **start, duration=3.0, dt=0.005, integrator="dop853", rtol=1e-11)
    assert run.statistics["halvings"] == 0
    swing = np.ptp(exact.energy())
    assert swing > 20.0
    early = run.t < 1.0  # later the motion amplifies the error of any method
    np.testing.assert_allclose(run.energy()[early], exact.energy()[early], rtol=0, atol=0.01 * swing)


def kick() -> Case:
    """A torque that begins and ends in a moment."""
    model, start = motor()
    torque = np.where((np.arange(200) >= 100) & (np.arange(200) < 104), 500.0, 0.0)
    return model, {**start, "u": torque[:, None]}


def jerk() -> Case:
    """A hand that moves off and stops in a moment."""
    model, _ = hand()
    start = {"shoulder": 1.0, "elbow": 0.5}
    return model, {"q": start, "k": {"hand": lambda t: 8.0 * np.clip(t - 1.0, 0.0, 0.1)}}


def tug() -> Case:
    """A wire that shortens at once."""
    model, _ = wire()
    start = {"wire": SLANT}
    return model, {"q": start, "k": {"wire": lambda t: SLANT - 6.0 * np.clip(t - 1.0, 0.0, 0.1)}}


def constraint_tug() -> Case:
    """The same by a function of time."""
    breaks = (0.0, 1.0, 1.01, 1.1, 1.11, 9.0)
    pieces = ((0.0,), (0.0, 0.0, -300.0), (-0.03, -6.0), (-0.57, -6.0, 300.0), (-0.6,))
    length = bough.PiecewisePolynomial(breaks, [(SLANT + first, *rest) for first, *rest in pieces])
    return boom(length).build(), {}


@methods
@pytest.mark.parametrize("case", [kick, jerk, tug, constraint_tug], ids=lambda case: case.__name__)
def test_what_begins_and_ends_at_once_is_believed(case: Callable[[], Case], method: str) -> None:
    """The motion turns in one step; nothing but the drive tells where its energy is from."""
    model, start = case()
    run = bough.simulate(model, **start, duration=2.0, dt=0.01, integrator=method)
    assert run.statistics["halvings"] == 0
    assert run.energy().max() > run.energy()[0] + 5.0


@cache
def largest_energy(case: Callable[[], Case]) -> float:
    model, start = case()
    return float(bough.simulate(model, **start, duration=10.0, dt=0.01, integrator="dop853").energy().max())


@cases
@methods
@pytest.mark.parametrize("dt", [0.02, 0.05, 0.1])
@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # of steps that are too long on purpose
def test_energy_that_nothing_gives_is_not(case: Callable[[], Case], method: str, dt: float) -> None:
    """In longer steps the run has the energy of the motion, or ends where it would not have it."""
    model, start = case()
    run = bough.simulate(model, **start, duration=10.0, dt=dt, integrator=method, on_failure="stop")
    assert run.energy().max() < 3.0 * largest_energy(case)


@pytest.mark.parametrize("case", [motor, hand, wire, moving_constraint], ids=lambda case: case.__name__)
def test_steps_by_hand_are_believed_and_doubted_alike(case: Callable[[], Case]) -> None:
    """What a step knows of the one before is part of its state."""
    model, start = case()
    vi = bough.MidpointVI(model, 0.02)
    drive = start.get("k", {})
    k = [{name: f(0.02 * (n + 1)) for name, f in drive.items()} for n in range(500)]
    state = vi.start(start.get("q"))
    largest = 0.0
    for values in k:
        try:
            state = vi.step(state, u=start.get("u"), k=values or None)
        except bough.ConvergenceError:
            break
        largest = max(largest, float(model.energy(state.q, state.v)))
    assert state.t > 5.0
    assert largest < 3.0 * largest_energy(case)


def test_a_spring_on_a_length_that_is_prescribed_changes_nothing() -> None:
    """It drives no variable that moves, nor may it heap up in what decides about a step."""
    model, start = wire()
    sprung = boom(bough.kinematic("wire"))
    sprung.add(bough.ConfigurationSpring("wire", 1e-3))
    runs = [bough.simulate(m, **start, duration=10.0, dt=0.05) for m in (model, sprung.build())]
    assert runs[0].statistics["halvings"] == runs[1].statistics["halvings"] > 0
    np.testing.assert_allclose(runs[1].q, runs[0].q, rtol=0, atol=1e-9)


def test_a_push_of_one_step_that_turns_a_motion_round(recwarn: pytest.WarningsRecorder) -> None:
    """A slider at 5 m/s that a pulse sends back: the rule is exact, and nothing is to be doubted."""
    system = bough.System("slider", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationForce("x", "push"))
    pulse = np.zeros((20, 1))
    pulse[9] = -100.0
    run = bough.simulate(system.build(), v={"x": 5.0}, u=pulse, duration=2.0, dt=0.1)
    assert run.v[-1, 0] == pytest.approx(-5.0, abs=1e-12)
    assert (run.statistics["halvings"], run.statistics["coarse"]) == (0, 0)
    assert not recwarn.list


def test_a_refused_run_is_repeated_bit_for_bit() -> None:
    """Also its last row, whose kinematic velocities are those of the whole prescribed motion."""
    model, start = hand()
    run = bough.simulate(model, **start, duration=10.0, dt=0.1, on_failure="stop")
    assert run.status == "failed"
    assert run.rerun() == run
