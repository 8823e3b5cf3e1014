"""A wrench in world axes at the origin of a frame."""

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
    system.add(bough.HybridWrench(frames[0], **WRENCH))
    system.add(bough.HybridWrench(frames[1], fx="side", ty=3.0))
    assert_force_derivatives(system, seed, U)


@pytest.mark.parametrize("seed", SEEDS)
def test_is_paired_with_the_hybrid_velocity(seed: int) -> None:
    system, frames = tree(seed)
    system.add(bough.HybridWrench(frames[0], **WRENCH))
    model = system.build()
    q, v, _ = random_state(model.nq, seed)
    expected = model.jacobian(frames[0], q, kind="hybrid").T @ NUMBERS
    np.testing.assert_allclose(model.generalized_force(q, v, U), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_work(seed: int) -> None:
    system, frames = tree(seed, kinematic=False, joints=4)
    system.add(bough.HybridWrench(frames[0], **WRENCH))

    def power(model: bough.Model, q: np.ndarray, v: np.ndarray) -> float:
        return float(model.jacobian(frames[0], q, kind="hybrid") @ v @ NUMBERS)

    assert_work_balance(system, power, seed, U)


def pendulum(gravity: tuple[float, float, float]) -> bough.System:
    system = bough.System("pendulum", gravity=gravity)
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=2.0)
    return system


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_constant_forces_on_all_masses_are_gravity(integrator: str) -> None:
    forced = pendulum((0.0, 0.0, -4.0))
    forced.add(bough.HybridWrench("elbow", fx=1.0 * 3.0, fz=1.0 * -5.0))
    forced.add(bough.HybridWrench("tip", fx=2.0 * 3.0, fz=2.0 * -5.0))
    q = {"shoulder": 0.6, "forearm": -0.2}
    options = {"duration": 2.0, "dt": 0.002, "integrator": integrator}
    run = bough.simulate(forced.build(), q, **options)
    expected = bough.simulate(pendulum((3.0, 0.0, -9.0)).build(), q, **options)
    # the variational integrators take forces at other weights than potentials, to the same order
    error = 1e-8 if integrator == "dop853" else 1e-4
    np.testing.assert_allclose(run.q, expected.q, rtol=0, atol=error)


def test_a_moment_about_a_joint_is_a_force_on_its_variable() -> None:
    system = pendulum((0.0, 0.0, -9.81))
    system.add(bough.HybridWrench("tip", ty=0.3))
    model = system.build()
    np.testing.assert_allclose(model.generalized_force([0.4, 0.2], [0.0, 0.0]), [0.3, 0.3], rtol=1e-14)
