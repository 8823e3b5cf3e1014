"""A force at a point of a frame, in world or body axes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bough
from support.forces import SEEDS, assert_force_derivatives, assert_work_balance, tree
from support.random_trees import random_state

POINT = (0.3, -0.2, 0.5)
FORCE = {"fx": 1.0, "fy": "side", "fz": 0.4}
U, NUMBERS = {"side": 0.7}, np.array([1.0, 0.7, 0.4])


def place(point: tuple[float, float, float]) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives(seed: int, axes: str) -> None:
    system, frames = tree(seed)
    system.add(bough.PointForce(frames[0], **FORCE, point=POINT, axes=axes))
    system.add(bough.PointForce(frames[1], fx="side", axes=axes))
    assert_force_derivatives(system, seed, U)


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("seed", SEEDS)
def test_is_the_wrench_of_a_frame_at_the_point(seed: int, axes: str) -> None:
    system, frames = tree(seed)
    system.add(bough.PointForce(frames[0], **FORCE, point=POINT, axes=axes))
    model = system.build()
    other, _ = tree(seed)
    wrench = bough.HybridWrench if axes == "world" else bough.BodyWrench
    other.add(wrench(other.frame(frames[0]).fixed(place(POINT), name="point"), **FORCE))
    expected = other.build()
    q, v, _ = random_state(model.nq, seed)
    for quantity in ("generalized_force", "generalized_force_dq", "generalized_force_dv"):
        np.testing.assert_allclose(
            getattr(model, quantity)(q, v, U), getattr(expected, quantity)(q, v, U), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("axes", ["world", "body"])
def test_work(axes: str) -> None:
    system, frames = tree(1, kinematic=False, joints=4)
    system.add(bough.PointForce(frames[0], **FORCE, point=POINT, axes=axes))

    def power(model: bough.Model, q: np.ndarray, v: np.ndarray) -> float:
        twist = model.body_velocity(frames[0], q, v)
        velocity = twist[3:] + np.cross(twist[:3], POINT)
        rotation = model.pose(frames[0], q)[:3, :3]
        return float(velocity @ (NUMBERS if axes == "body" else rotation.T @ NUMBERS))

    assert_work_balance(system, power, 1, U)


def door(**options: object) -> bough.Model:
    system = bough.System("door")
    frame = system.world.rz("angle", name="door", mass=20.0, inertia=(4.0, 5.0, 1.0), com=(0.4, 0.0, 1.0))
    system.add(bough.PointForce(frame, fy="push", point=(0.8, 0.0, 1.0), **options))  # type: ignore[arg-type]
    return system.build()


MOMENT = 1.0 + 20.0 * 0.4**2  # of inertia, about the hinge


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_a_push_square_to_a_door_turns_it_evenly(integrator: str) -> None:
    run = bough.simulate(door(axes="body"), u=[2.0], duration=2.0, dt=0.01, integrator=integrator)
    np.testing.assert_allclose(run["angle"], 0.8 * 2.0 / MOMENT * run.t**2 / 2.0, rtol=0, atol=1e-10)


@pytest.mark.parametrize("integrator", ["dop853", "midpoint", "trapezoidal"])
def test_a_push_along_the_world(integrator: str) -> None:
    model = door()
    run = bough.simulate(model, {"angle": 0.3}, u=[2.0], duration=4.0, dt=0.005, integrator=integrator)
    expected = solve_ivp(
        lambda t, y: [y[1], 0.8 * 2.0 * np.cos(y[0]) / MOMENT],
        (0.0, 4.0),
        [0.3, 0.0],
        "DOP853",
        run.t,
        rtol=1e-12,
        atol=1e-12,
    )
    error = 1e-8 if integrator == "dop853" else 1e-4
    np.testing.assert_allclose(run["angle"], expected.y[0], rtol=0, atol=error)


def test_plain_data_and_text() -> None:
    system, frames = tree(0)
    force = system.add(bough.PointForce(frames[0], fz="lift", point=np.array([0, 0, 1]), axes="body"))
    assert force.inputs() == ("lift",)
    assert force.point == (0.0, 0.0, 1.0)
    assert bough.System.from_dict(system.to_dict()).elements == system.elements
    last = str(system).splitlines()[-1]
    assert last == f"PointForce  {frames[0]}  fx 0, fy 0, fz 'lift', point (0, 0, 1), axes 'body'"
