"""A warning where the Euler angles of a free base make false energies."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import bough


def tumbler(*elements: Any) -> bough.Model:
    system = bough.System("tumbler", gravity=None)
    system.world.free("b", name="b", mass=1.0, inertia=(0.1, 0.2, 0.25))
    for element in elements:
        system.add(element)
    return system.build()


@pytest.mark.parametrize("speed", [0.0, 1000.0])
def test_passing_close_by_is_told_once(speed: float) -> None:
    start = {"b_tx": speed, "b_ry": 2.0, "b_rz": 0.05}
    with pytest.warns(bough.GimbalLockWarning) as caught:
        run = bough.simulate(tumbler(), v=start, duration=5.0, dt=0.01)
    (warning,) = caught
    said = re.fullmatch(
        r"the Euler angles of 'tumbler' pass gimbal lock, and at t = (.*) s the energy is off by (.*)% of the"
        r" kinetic energy about the centre of mass: use floating\(name\) in place of free\(name\), which has no"
        r" such angles, integrator='reduced', or a smaller dt",
        str(warning.message),
    )
    assert said is not None
    row = round(float(said[1]) / 0.01)
    assert abs(np.cos(run["b_ry"][row])) < 0.1
    energy = run.energy() - 0.5 * speed**2
    assert abs(energy[row] - energy[0]) / energy[0] == pytest.approx(float(said[2]) / 100.0, abs=0.02)
    assert warning.filename == __file__


@pytest.mark.parametrize(
    ("integrator", "v", "dt"),
    [
        ("reduced", {"b_ry": 2.0, "b_rz": 0.05}, 0.01),
        ("velocity", {"b_ry": 2.0, "b_rz": 0.05}, 0.01),
        ("dop853", {"b_ry": 2.0, "b_rz": 0.05}, 0.01),
        ("midpoint", {"b_ry": 2.0, "b_rz": 0.2}, 0.003),  # further away, with finer steps: energy is kept
        ("midpoint", {"b_ry": 2.0}, 0.01),  # straight through it, about one axis
        ("midpoint", {"b_rx": 2.0, "b_rz": 0.05}, 0.01),  # never near
    ],
)
def test_nothing_is_said_where_nothing_is_wrong(integrator: str, v: dict[str, float], dt: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bough.simulate(tumbler(), v=v, duration=2.0, dt=dt, integrator=integrator)


def test_an_instant_of_rest_before_lock_is_no_measure() -> None:
    """A body swings through lock from rest: its energy is off by what the step costs."""
    model = tumbler(bough.ConfigurationSpring("b_ry", stiffness=20.0, rest=np.pi / 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = bough.simulate(model, {"b_ry": 1.4703}, duration=0.5, dt=0.01)
    assert np.cos(run["b_ry"][0]) > 0.1 > np.cos(run["b_ry"][1])


def test_energy_of_the_flight_is_not_held_against_the_angles() -> None:
    """In an orbit the energy is off by more than there is in a slow turn."""
    model = tumbler(bough.CentralGravity("world", "b", mu=1e7))
    start = {"b_ty": 110.0, "b_tz": 40.0, "b_ry": 0.1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = bough.simulate(model, {"b_tx": 1000.0}, start, duration=20.0, dt=0.1)
    assert np.abs(np.cos(run["b_ry"])).min() < 0.1
    assert np.ptp(run.energy()) > 0.5 * 0.2 * 0.1**2


def test_lock_itself_is_no_reason_to_lose_a_run() -> None:
    """Exactly at lock, at one of the instants at which forces are looked at, there is no velocity."""
    model = tumbler(bough.BodyWrench("b", ty="motor"))
    run = bough.simulate(model, v={"b_ry": np.pi / 2}, duration=7.0, dt=0.01)
    assert abs(np.cos(run["b_ry"][100])) < 1e-14
    with pytest.raises(bough.ModelError):
        run.energy()


def test_energy_that_forces_change_is_not_held_against_the_angles() -> None:
    """At lock the energy jumps by 0.05 J: what is told is that the work of the motor does not explain it."""
    motorised = tumbler(bough.BodyWrench("b", ty="motor"))
    with pytest.warns(bough.CoarseStepWarning, match="is off by 6% of its largest kinetic energy") as told:
        bough.simulate(motorised, v={"b_ry": 2.0, "b_rz": 0.05}, u={"motor": 0.1}, duration=2.0, dt=0.01)
    assert [warning.category for warning in told] == [bough.CoarseStepWarning]


def test_a_comparison_silences_this_warning_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    run = bough.Problem.run

    def simulated(problem: bough.Problem, **options: Any) -> bough.Trajectory:
        warnings.warn("of something else", bough.BoughWarning, stacklevel=1)
        return run(problem, **options)

    monkeypatch.setattr(bough.Problem, "run", simulated)
    with pytest.warns(bough.BoughWarning) as caught:
        bough.compare(tumbler(), v={"b_ry": 2.0, "b_rz": 0.05}, duration=1.0, integrators="midpoint")
    assert {str(warning.message) for warning in caught} == {"of something else"}
