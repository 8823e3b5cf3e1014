"""Quadratic drag."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bough
from support.forces import SEEDS, assert_force_derivatives, assert_work_balance, tree


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives(seed: int) -> None:
    system, frames = tree(seed)
    system.add(bough.Drag(frames[0], 0.7, wind=(0.1, "gust", 0.0)))
    system.add(bough.Drag(frames[1], 0.2, wind=("gust", 0.0, 1.0)))
    assert_force_derivatives(system, seed, [4.0])


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_work(seed: int) -> None:
    system, frames = tree(seed, kinematic=False, joints=4)
    wind = np.array([0.5, -0.3, 0.2])
    system.add(bough.Drag(frames[0], 0.7, wind=wind))

    def power(model: bough.Model, q: np.ndarray, v: np.ndarray) -> float:
        velocity = (model.jacobian(frames[0], q, kind="hybrid") @ v)[3:]
        relative = velocity - wind
        return float(-0.7 * np.linalg.norm(relative) * relative @ velocity)

    assert_work_balance(system, power, seed)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_fall_to_terminal_velocity(integrator: str) -> None:
    system = bough.System("ball", gravity=(0, 0, -9.81))
    ball = system.world.tz("z", name="ball", mass=0.5)
    system.add(bough.Drag(ball, 0.05))
    run = bough.simulate(system.build(), duration=3.0, dt=0.002, integrator=integrator)
    terminal = np.sqrt(0.5 * 9.81 / 0.05)
    expected = -(terminal**2) / 9.81 * np.log(np.cosh(9.81 * run.t / terminal))
    error = 1e-8 if integrator == "dop853" else 1e-4
    np.testing.assert_allclose(run["z"], expected, rtol=0, atol=error)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_blown_from_rest(integrator: str) -> None:
    # relative to the wind r = -w / (1 + c w t / m)
    system = bough.System("leaf", gravity=None)
    leaf = system.world.tx("x").ty("y", name="leaf", mass=0.1)
    system.add(bough.Drag(leaf, 0.02, wind=(3.0, "gust", 0.0)))
    run = bough.simulate(system.build(), u=[4.0], duration=3.0, dt=0.002, integrator=integrator)
    k = 0.02 * 5.0 / 0.1
    moved = run.t - np.log1p(k * run.t) / k
    error = 1e-8 if integrator == "dop853" else 1e-5
    np.testing.assert_allclose(run["x"], 3.0 * moved, rtol=0, atol=error)
    np.testing.assert_allclose(run["y"], 4.0 * moved, rtol=0, atol=error)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_double_pendulum_in_air(integrator: str) -> None:
    # against Lagrange's equations in the angles a and b + a from the vertical, written by hand
    system = bough.System("double")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    system.add(bough.Drag("tip", 0.4, wind=(1.0, 0.0, 0.0)))
    run = bough.simulate(system.build(), {"a": 0.7, "b": -0.3}, duration=2.0, dt=0.001, integrator=integrator)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        a, b, va, vb = y[0], y[0] + y[1], y[2], y[2] + y[3]
        tangent = [np.array([-np.cos(x), np.sin(x)]) for x in (a, b)]
        velocity = va * tangent[0] + vb * tangent[1]
        relative = velocity - [1.0, 0.0]
        drag = -0.4 * np.linalg.norm(relative) * relative
        M = np.array([[2.0, np.cos(a - b)], [np.cos(a - b), 1.0]])
        s = np.sin(a - b)
        force = [
            -(vb**2) * s - 2.0 * 9.81 * np.sin(a) + drag @ tangent[0],
            va**2 * s - 9.81 * np.sin(b) + drag @ tangent[1],
        ]
        acceleration = np.linalg.solve(M, force)
        return np.array([y[2], y[3], acceleration[0], acceleration[1] - acceleration[0]])

    expected = solve_ivp(rate, (0.0, 2.0), [0.7, -0.3, 0.0, 0.0], "DOP853", run.t, rtol=1e-12, atol=1e-12)
    error = 1e-8 if integrator == "dop853" else 1e-4
    np.testing.assert_allclose(run.q, expected.y[:2].T, rtol=0, atol=error)


def test_is_smooth_at_rest() -> None:
    system = bough.System("ball", gravity=None)
    ball = system.world.tx("x").ty("y", name="ball", mass=0.5)
    system.add(bough.Drag(ball, 0.05))
    model = system.build()
    assert not model.generalized_force([0.0, 0.0], [0.0, 0.0]).any()
    assert not model.generalized_force_dv([0.0, 0.0], [0.0, 0.0]).any()
    assert np.abs(model.generalized_force_dv([0.0, 0.0], [1e-200, 1e-9])).max() < 1e-9


def test_plain_data_and_text() -> None:
    system, frames = tree(0)
    drag = system.add(bough.Drag(frames[0], 2, wind=[1, "gust", np.float64(0)]))
    assert drag.wind == (1.0, "gust", 0.0)
    assert drag.inputs() == ("gust",)
    assert bough.System.from_dict(system.to_dict()).elements == system.elements
    assert str(system).splitlines()[-1] == f"Drag  {frames[0]}  coefficient 2, wind (1, 'gust', 0)"
