"""A damper along the line between two frames."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bough
from support.forces import SEEDS, assert_force_derivatives, assert_work_balance, tree
from support.random_trees import random_state


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives(seed: int) -> None:
    system, frames = tree(seed)
    system.add(bough.LinearDamper(frames[0], frames[-1], 1.3))
    system.add(bough.LinearDamper("world", frames[1], 0.4))
    assert_force_derivatives(system, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_is_the_damped_rate_of_the_length(seed: int) -> None:
    # f = -c l' dl/dq, with the length l of a distance constraint
    system, frames = tree(seed)
    system.add(bough.LinearDamper(frames[0], frames[-1], 1.3))
    system.add(bough.DistanceConstraint(frames[0], frames[-1], length=1.0))
    model = system.build()
    q, v, _ = random_state(model.nq, seed)
    gradient, H = model.constraint_dq(q)[0], model.constraint_dqdq(q)[0]
    rate = gradient @ v
    close = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(model.generalized_force(q, v), -1.3 * rate * gradient, **close)
    np.testing.assert_allclose(model.generalized_force_dv(q, v), -1.3 * np.outer(gradient, gradient), **close)
    expected = -1.3 * (rate * H + np.outer(gradient, H @ v))
    np.testing.assert_allclose(model.generalized_force_dq(q, v), expected, **close)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_work(seed: int) -> None:
    system, frames = tree(seed, kinematic=False, joints=4)
    system.add(bough.LinearDamper(frames[0], "world", 1.3))

    def power(model: bough.Model, q: np.ndarray, v: np.ndarray) -> float:
        x = model.pose(frames[0], q)[:3, 3]
        rate = x @ (model.jacobian(frames[0], q, kind="hybrid") @ v)[3:] / np.linalg.norm(x)
        return float(-1.3 * rate**2)

    assert_work_balance(system, power, seed)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_damped_oscillator(integrator: str) -> None:
    mass, stiffness, coefficient = 2.0, 50.0, 3.0
    system = bough.System("oscillator", gravity=None)
    body = system.world.tx(3.0).tx("x", name="body", mass=mass)
    system.add(bough.ConfigurationSpring("x", stiffness))
    system.add(bough.LinearDamper("world", body, coefficient))
    run = bough.simulate(system.build(), {"x": 0.3}, duration=2.0, dt=0.002, integrator=integrator)
    decay = coefficient / (2.0 * mass)
    w = np.sqrt(stiffness / mass - decay**2)
    expected = 0.3 * np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    error = 1e-9 if integrator == "dop853" else 1e-4
    np.testing.assert_allclose(run["x"], expected, rtol=0, atol=error)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_through_the_point_where_both_ends_meet(integrator: str) -> None:
    system = bough.System("slider", gravity=None)
    body = system.world.tx("x", name="body", mass=2.0)
    system.add(bough.LinearDamper(body, "world", 3.0))
    run = bough.simulate(
        system.build(), {"x": -0.5}, {"x": 1.5}, duration=1.0, dt=0.002, integrator=integrator
    )
    expected = -0.5 + 1.5 * 2.0 / 3.0 * (1.0 - np.exp(-3.0 / 2.0 * run.t))
    assert expected[-1] > 0.2
    np.testing.assert_allclose(run["x"], expected, rtol=0, atol=1e-8 if integrator == "dop853" else 1e-5)


def test_where_both_ends_meet() -> None:
    # the force is the limit along the motion, with its derivatives by v
    system = bough.System("plane", gravity=None)
    body = system.world.tx("x").ty("y", name="body", mass=2.0)
    system.add(bough.LinearDamper(body, "world", 3.0))
    model = system.build()
    v = np.array([0.7, -0.4])
    np.testing.assert_array_equal(model.generalized_force(np.zeros(2), v), -3.0 * v)
    near = model.generalized_force(1e-9 * v, v)
    np.testing.assert_allclose(near, -3.0 * v, rtol=1e-14)
    np.testing.assert_array_equal(model.generalized_force_dv(np.zeros(2), v), -3.0 * np.eye(2))
    assert np.isfinite(model.generalized_force_dq(np.zeros(2), v)).all()


def test_across_the_line_nothing_is_damped() -> None:
    system = bough.System("plane", gravity=None)
    body = system.world.tx("x").ty("y", name="body", mass=2.0)
    system.add(bough.LinearDamper(body, "world", 3.0))
    model = system.build()
    np.testing.assert_allclose(model.generalized_force([2.0, 1.0], [-1.0, 2.0]), 0.0, atol=1e-15)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_pendulum_with_a_damper_to_a_wall(integrator: str) -> None:
    system = bough.System("pendulum")
    bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    hook = system.world.tx(1.5).tz(-0.5, name="hook")
    system.add(bough.LinearDamper(bob, hook, 0.8))
    run = bough.simulate(system.build(), {"angle": 0.9}, duration=3.0, dt=0.002, integrator=integrator)

    def rate(t: float, y: np.ndarray) -> list[float]:
        x = np.array([-np.sin(y[0]), -np.cos(y[0])])
        tangent = np.array([-np.cos(y[0]), np.sin(y[0])])
        n = x - [1.5, -0.5]
        n /= np.linalg.norm(n)
        return [y[1], -9.81 * np.sin(y[0]) - 0.8 * (n @ tangent) ** 2 * y[1]]

    expected = solve_ivp(rate, (0.0, 3.0), [0.9, 0.0], "DOP853", run.t, rtol=1e-12, atol=1e-12)
    error = 1e-8 if integrator == "dop853" else 1e-4
    np.testing.assert_allclose(run["angle"], expected.y[0], rtol=0, atol=error)


def test_plain_data_and_text() -> None:
    system, frames = tree(0)
    damper = system.add(bough.LinearDamper(system.world, frames[0], 2, name="strut"))
    assert damper.to_dict() == {
        "type": "LinearDamper",
        "name": "strut",
        "a": "world",
        "b": frames[0],
        "coefficient": 2.0,
    }
    assert bough.System.from_dict(system.to_dict()).elements == system.elements
    assert str(system).splitlines()[-1] == f"LinearDamper 'strut'  world, {frames[0]}  coefficient 2"
