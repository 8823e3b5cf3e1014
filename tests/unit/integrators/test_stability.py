"""The largest stable step of explicit methods, against closed forms of linear systems."""

from __future__ import annotations

from math import factorial, sqrt

import numpy as np
import pytest

import bough
from bough.integrators.stability import largest_stable_dt

LIMITS = {"semi-implicit-euler": 2.0, "rk4": 2.0 * sqrt(2.0)}


@pytest.mark.parametrize("method", LIMITS)
def test_largest_stable_step(method: str) -> None:
    """Of two springs apart, that of the stiffer one; slower ones and a falling mass do not count."""
    system = bough.System("two")
    system.world.tx("soft", mass=1.0)
    system.world.ty("stiff", mass=2.0)
    system.world.tz("falling", mass=1.0)
    system.add(bough.ConfigurationSpring("soft", 9.0))
    system.add(bough.ConfigurationSpring("stiff", 2.0 * 50.0**2))
    model = system.build()
    q, v, u = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0]), np.zeros(0)
    found = largest_stable_dt(model, method, q, v, u, 0.0, 1.0)
    assert found == pytest.approx(LIMITS[method] / 50.0, rel=1e-4)
    assert largest_stable_dt(model, method, q, v, u, 0.0, 0.9 * LIMITS[method] / 50.0) is None


@pytest.mark.parametrize("method", LIMITS)
def test_largest_stable_step_with_damping(method: str) -> None:
    """x'' = -2 d w x' - w² x: the limit of RK4 is where |R(z)| = 1 on the ray of its eigenvalues, that of
    semi-implicit Euler where an eigenvalue of its matrix is -1: z² + 4 d z - 4 = 0."""
    w, d = 30.0, 0.4
    system = bough.System("damped", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", w * w))
    system.add(bough.Damping(2.0 * d * w))
    found = largest_stable_dt(system.build(), method, np.array([0.3]), np.zeros(1), np.zeros(0), 0.0, 1.0)
    if method == "semi-implicit-euler":
        expected = 2.0 * (sqrt(d * d + 1.0) - d)
    else:
        ray = complex(-d, sqrt(1.0 - d * d))
        x = np.linspace(1.0, 4.0, 300_001)
        grows = np.abs(sum((x * ray) ** k / factorial(k) for k in range(5))) > 1.0
        expected = x[np.argmax(grows)]
    assert found == pytest.approx(expected / w, rel=1e-4)


def test_an_instability_of_the_motion_itself_is_none_of_the_method() -> None:
    """A pendulum upside down falls at any dt."""
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    found = largest_stable_dt(system.build(), "rk4", np.array([np.pi]), np.zeros(1), np.zeros(0), 0.0, 0.1)
    assert found is None
