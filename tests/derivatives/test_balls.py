"""Derivatives by balls: along their own axes, in the order that they are taken."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.balls import branched, derivative, state_of

TIGHT = 1e-8


@pytest.fixture(scope="module")
def model() -> bough.Model:
    return branched().build()


def test_kinematics(model: bough.Model) -> None:
    q, v = state_of(model)
    pose_dq = np.moveaxis(model.pose_dq("palm", q), 0, -1)
    np.testing.assert_allclose(pose_dq, derivative(model, lambda x: model.pose("palm", x), q), atol=TIGHT)
    second = derivative(model, lambda x: model.pose_dq("palm", x), q)
    np.testing.assert_allclose(np.moveaxis(model.pose_dqdq("palm", q), 1, -1), second, atol=TIGHT)
    names = ("trunk_wy", "trunk_wx")  # by wy first, then by wx
    i, j = (model.index(name) for name in names)
    np.testing.assert_allclose(model.pose_derivative("palm", q, names), second[i][..., j], atol=TIGHT)
    by_q = derivative(model, lambda x: model.body_velocity("palm", x, v), q)
    np.testing.assert_allclose(model.body_velocity_dq("palm", q, v).T, by_q, atol=TIGHT)
    by_q = derivative(model, lambda x: model.body_velocity_dq("palm", x, v), q)
    np.testing.assert_allclose(np.moveaxis(model.body_velocity_dqdq("palm", q, v), 1, -1), by_q, atol=TIGHT)
    by_q = derivative(model, lambda x: model.body_velocity_dv("palm", x, v), q)
    np.testing.assert_allclose(np.moveaxis(model.body_velocity_dqdv("palm", q, v), 0, -1), by_q, atol=TIGHT)


def test_velocity_is_the_rate_of_the_pose(model: bough.Model) -> None:
    q, v = state_of(model, 1)
    h = 1e-6
    ahead, back = (model.pose("palm", model.integrate(q, s * h * v)) for s in (1.0, -1.0))
    hat = np.linalg.solve(model.pose("palm", q), (ahead - back) / (2.0 * h))
    twist = np.array([hat[2, 1], hat[0, 2], hat[1, 0], *hat[:3, 3]])
    np.testing.assert_allclose(model.body_velocity("palm", q, v), twist, atol=1e-8)


def test_lagrangian(model: bough.Model) -> None:
    q, v = state_of(model, 2)
    L = model.lagrangian_derivatives(q, v)
    np.testing.assert_allclose(L.dq, derivative(model, lambda x: model.lagrangian(x, v), q), atol=TIGHT)
    np.testing.assert_allclose(L.dqdq, derivative(model, lambda x: model.L_dq(x, v), q), atol=TIGHT)
    np.testing.assert_allclose(L.dqdv.T, derivative(model, lambda x: model.L_dv(x, v), q), atol=TIGHT)
    assert np.abs(L.dqdq - L.dqdq.T).max() > 0.1  # the axes of a ball do not commute


def test_equations_of_motion(model: bough.Model) -> None:
    """d(L_w)/dt = L_R + L_w x w along a motion with accelerations a."""
    q, v = state_of(model, 3)
    a = model.acceleration(q, v)
    np.testing.assert_allclose(model.inverse_dynamics(q, v, a), 0.0, atol=1e-11)
    h = 1e-5

    def momentum(s: float) -> np.ndarray:
        return model.momentum(model.integrate(q, s * v + 0.5 * s * s * a), v + s * a)

    force = (momentum(h) - momentum(-h)) / (2.0 * h) - model.L_dq(q, v)
    P = model.momentum(q, v)
    for name in model.balls:
        place = model._names.variables.places[name]
        force[place] -= np.cross(P[place], v[place])
    np.testing.assert_allclose(force, 0.0, atol=1e-7)


def elements(system: bough.System) -> list[bough.Element]:
    """One of each kind that balls know, without constraints that cannot hold together."""
    anchor = system.world.fixed(np.eye(4), name="anchor")
    return [
        bough.LinearSpring("palm", "crown", stiffness=7.0, rest_length=0.2),
        bough.NonlinearSpring("palm", anchor, energy=lambda x: x**3)
        if False
        else bough.LinearSpring("palm", anchor, stiffness=3.0),
        bough.TorsionSpring("arm", "palm", stiffness=2.0, axis=(0.0, 0.0, 1.0)),
        bough.CentralGravity("palm", "crown", strength=0.7),
        bough.LinearDamper("palm", "crown", coefficient=0.6),
        bough.BodyWrench("palm", fx=0.4, ty=-0.3),
        bough.HybridWrench("palm", fx=0.4, ty=-0.3),
        bough.SpatialWrench("palm", fx=0.4, ty=-0.3),
        bough.PointForce("palm", fx=0.4, fz=0.2),
        bough.Drag("palm", coefficient=0.3),
        bough.Damping({"trunk": 0.2, "elbow": 0.1, "hand_wy": 0.3}),
        bough.ConfigurationForce("hand_wz", 0.7),
        bough.PointConstraint("palm", "anchor", axis=(1, 0, 0)),
        bough.DistanceConstraint("palm", "anchor", length=0.7),
        bough.WeldConstraint("palm", "crown"),
    ]
