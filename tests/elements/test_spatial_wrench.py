"""A wrench in world axes at the world's origin."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.forces import SEEDS, assert_force_derivatives, assert_work_balance, tree
from support.random_trees import random_state

WRENCH = {"tx": "roll", "ty": -0.5, "tz": 2.0, "fx": 1.0, "fy": "side", "fz": 0.4}
U = {"side": 0.7, "roll": -1.3}
NUMBERS = np.array([-1.3, -0.5, 2.0, 1.0, 0.7, 0.4])


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives(seed: int) -> None:
    system, frames = tree(seed)
    system.add(bough.SpatialWrench(frames[0], **WRENCH))
    system.add(bough.SpatialWrench(frames[1], fx="side", ty=3.0))
    assert_force_derivatives(system, seed, U)


@pytest.mark.parametrize("seed", SEEDS)
def test_is_paired_with_the_spatial_velocity(seed: int) -> None:
    system, frames = tree(seed)
    system.add(bough.SpatialWrench(frames[0], **WRENCH))
    model = system.build()
    q, v, _ = random_state(model.nq, seed)
    expected = model.jacobian(frames[0], q, kind="spatial").T @ NUMBERS
    np.testing.assert_allclose(model.generalized_force(q, v, U), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_work(seed: int) -> None:
    system, frames = tree(seed, kinematic=False, joints=4)
    system.add(bough.SpatialWrench(frames[0], **WRENCH))

    def power(model: bough.Model, q: np.ndarray, v: np.ndarray) -> float:
        return float(model.jacobian(frames[0], q, kind="spatial") @ v @ NUMBERS)

    assert_work_balance(system, power, seed, U)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_the_force_acts_at_the_origin(integrator: str) -> None:
    # its moment about the centre of mass (x, y) is y fx - x fy, constant while the force moves the body
    mass, moment, fx, fy, x0, y0 = 2.0, 0.5, 1.5, -0.8, 0.4, -0.7
    system = bough.System("puck", gravity=None)
    body = system.world.planar("puck", name="puck", mass=mass, inertia=(moment, moment, moment))
    system.add(bough.SpatialWrench(body, fx=fx, fy=fy))
    model = system.build()
    x, y, angle = model.variables
    run = bough.simulate(model, {x: x0, y: y0}, duration=2.0, dt=0.01, integrator=integrator)
    error = 1e-9 if integrator == "dop853" else 1e-4
    half = run.t**2 / 2.0
    np.testing.assert_allclose(run[x], x0 + fx / mass * half, rtol=0, atol=error)
    np.testing.assert_allclose(run[y], y0 + fy / mass * half, rtol=0, atol=error)
    np.testing.assert_allclose(run[angle], (y0 * fx - x0 * fy) / moment * half, rtol=0, atol=error)
    # no moment about the origin: what turns the body is taken from its path
    np.testing.assert_allclose([run.model.angular_momentum(run.q, run.v)], 0.0, atol=error)
