"""Wrenches on frames, in the axes of the frame or of the world, at its origin or at that of the world."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.forces import SEEDS, assert_force_derivatives, assert_work_balance, tree
from support.random_trees import random_state
from support.transforms import adjoint

# in the order of a wrench (angular, linear)
WRENCH: dict[str, Any] = {"tx": "roll", "ty": -0.5, "tz": 2.0, "fx": 1.0, "fy": "side", "fz": 0.4}
U = {"side": 0.7, "roll": -1.3}
NUMBERS = np.array([-1.3, -0.5, 2.0, 1.0, 0.7, 0.4])

KINDS = {"body": bough.BodyWrench, "hybrid": bough.HybridWrench, "spatial": bough.SpatialWrench}
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives(seed: int, kind: str) -> None:
    system, frames = tree(seed)
    system.add(KINDS[kind](frames[0], **WRENCH))
    system.add(KINDS[kind](frames[1], fx="side", ty=3.0))
    assert_force_derivatives(system, seed, U)


@every_kind
@pytest.mark.parametrize("seed", SEEDS)
def test_is_paired_with_the_velocity_of_its_kind(seed: int, kind: str) -> None:
    system, frames = tree(seed)
    system.add(KINDS[kind](frames[0], **WRENCH))
    model = system.build()
    q, v, _ = random_state(model.nq, seed)
    expected = model.jacobian(frames[0], q, kind=kind).T @ NUMBERS
    np.testing.assert_allclose(model.generalized_force(q, v, U), expected, rtol=1e-12, atol=1e-12)


def velocity(model: bough.Model, frame: str, q: np.ndarray, v: np.ndarray, kind: str) -> np.ndarray:
    """The velocity of a frame that a wrench of some kind acts on, found without the Jacobian."""
    twist, pose = model.body_velocity(frame, q, v), model.pose(frame, q)
    if kind == "body":
        return twist
    if kind == "hybrid":
        pose[:3, 3] = 0.0
    return adjoint(pose) @ twist


@every_kind
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_work(seed: int, kind: str) -> None:
    system, frames = tree(seed, kinematic=False, joints=4)
    system.add(KINDS[kind](frames[0], **WRENCH))

    def power(model: bough.Model, q: np.ndarray, v: np.ndarray) -> float:
        return float(velocity(model, frames[0], q, v, kind) @ NUMBERS)

    assert_work_balance(system, power, seed, U)


# --- of a body ---


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_thrust_on_a_spinning_body(integrator: str) -> None:
    # m x'' = f cos(w t), m y'' = f sin(w t)
    mass, force, spin, dt = 2.0, 3.0, 4.0, 0.002
    system = bough.System("puck", gravity=None)
    body = system.world.planar("puck", name="puck", mass=mass, inertia=(0.1, 0.1, 0.1))
    system.add(bough.BodyWrench(body, fx="thrust"))
    model = system.build()
    x, y, angle = model.variables
    run = bough.simulate(model, v={angle: spin}, u=[force], duration=2.0, dt=dt, integrator=integrator)
    size, turned = force / (mass * spin**2), spin * run.t
    error = 1e-8 if integrator == "dop853" else size * turned[-1] * (spin * dt) ** 2
    np.testing.assert_allclose(run[x], size * (1.0 - np.cos(turned)), rtol=0, atol=error)
    np.testing.assert_allclose(run[y], size * (turned - np.sin(turned)), rtol=0, atol=error)
    np.testing.assert_allclose(run[angle], turned, rtol=1e-9)


def test_plain_data_and_text() -> None:
    system, frames = tree(0)
    wrench = system.add(bough.BodyWrench(system.frame(frames[0]), fx="thrust", tz=np.float64(2), name="jet"))
    assert wrench.inputs() == ("thrust",)
    assert wrench.to_dict() == {
        "type": "BodyWrench",
        "name": "jet",
        "frame": frames[0],
        "fx": "thrust",
        "fy": 0.0,
        "fz": 0.0,
        "tx": 0.0,
        "ty": 0.0,
        "tz": 2.0,
    }
    assert bough.System.from_dict(system.to_dict()).elements == system.elements
    last = str(system).splitlines()[-1]
    assert last == f"BodyWrench 'jet'  {frames[0]}  fx 'thrust', fy 0, fz 0, tx 0, ty 0, tz 2"


def test_inputs_of_all_forces_are_shared_by_name() -> None:
    system, frames = tree(0)
    system.add(bough.HybridWrench(frames[0], fz="lift", tx="roll"))
    system.add(bough.BodyWrench(frames[0], fx="thrust", fy="lift"))
    assert system.build().inputs == ("lift", "roll", "thrust")


# --- in the axes of the world ---


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


# --- at the origin of the world ---


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
