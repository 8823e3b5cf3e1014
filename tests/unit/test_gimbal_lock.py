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


def test_passing_close_by_is_told_once() -> None:
    with pytest.warns(bough.BoughWarning) as caught:
        run = bough.simulate(tumbler(), v={"b_ry": 2.0, "b_rz": 0.05}, duration=5.0, dt=0.01)
    (warning,) = caught
    said = re.fullmatch(
        r"the Euler angles of 'tumbler' pass gimbal lock, and at t = (.*) s the energy is off by (.*)% of the"
        r" kinetic energy: use integrator='reduced', which has no such angles, or a smaller dt",
        str(warning.message),
    )
    assert said is not None
    row = round(float(said[1]) / 0.01)
    assert abs(np.cos(run["b_ry"][row])) < 0.1
    energy = run.energy()
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


def test_energy_that_forces_change_is_not_held_against_the_angles() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", bough.BoughWarning)
        damped = tumbler(bough.BodyWrench("b", ty="motor"))
        bough.simulate(damped, v={"b_ry": 2.0, "b_rz": 0.05}, u={"motor": 0.1}, duration=2.0, dt=0.01)
