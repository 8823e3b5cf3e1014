"""A potential of a user whose energy becomes infinite in a run although its gradient stays finite."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bough


class Wall(bough.Potential):
    """Infinite below zero, with a gradient that knows nothing of it."""

    def energy(self, at: bough.Instant) -> Any:
        return np.inf if at.q[0] < 0.0 else 0.0

    def gradient(self, at: bough.Instant) -> Any:
        return np.zeros(len(at.q))

    def hessian(self, at: bough.Instant) -> Any:
        return np.zeros((len(at.q), len(at.q)))


def falling() -> bough.Model:
    system = bough.System("falling")
    system.world.tz("z", mass=1.0)
    system.add(bough.ConfigurationForce("z", "push"))
    system.add(Wall(name="floor"))
    return system.build()


@pytest.mark.parametrize("push", [0.0, 1.0])
@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "rk4", "dop853", "velocity"])
def test_the_time_and_the_potential_are_told(integrator: str, push: float) -> None:
    with pytest.warns(bough.BoughWarning) as caught:
        bough.simulate(
            falling(), {"z": 1.0}, u={"push": push}, duration=0.6, dt=0.01, every=2, integrator=integrator
        )
    text = str(caught[0].message)
    assert len(caught) == 1
    fall = np.sqrt(2.0 / (9.81 - push))  # 0.452 s, 0.476 s
    seen = 0.02 * np.ceil(fall / 0.02)
    assert text.startswith(f"energy(at) of Wall 'floor' is inf at t = {seen:.4g} s of a run of 'falling'")


def test_a_motion_that_does_not_reach_it_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bough.simulate(falling(), {"z": 1.0}, duration=0.4, dt=0.01)
