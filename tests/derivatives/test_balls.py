"""Derivatives by balls: along their own axes, in the order that they are taken."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough._core import core
from support.balls import branched, derivative, state_of
from support.finite_difference import slope

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


def test_elements() -> None:
    """Every derivative of every element, by `bough.check`."""
    system = branched()
    anchor = system.world.frame("anchor")
    for element in (
        bough.LinearSpring("palm", "crown", stiffness=7.0, rest_length=0.2),
        bough.TorsionSpring("arm", "palm", stiffness=2.0, axis=(0.0, 0.0, 1.0)),
        bough.CentralGravity("palm", "crown", 1.0),
        bough.LinearDamper("palm", "crown", 0.6),
        bough.BodyWrench("palm", fx=0.4, ty=-0.3),
        bough.HybridWrench("palm", fx=0.4, ty=-0.3),
        bough.SpatialWrench("palm", fx=0.4, ty=-0.3),
        bough.PointForce("palm", fx=0.4, fz=0.2),
        bough.Drag("palm", 0.3),
        bough.Damping({"trunk": 0.2, "elbow": 0.1, "hand_wy": 0.3}),
        bough.ConfigurationForce("hand_wz", 0.7),
        bough.PointConstraint("palm", anchor, axis=(1.0, 0.0, 0.0)),
        bough.DistanceConstraint("palm", anchor, length=0.7),
        bough.WeldConstraint("palm", "crown"),
    ):
        system.add(element)
    found = bough.check(system.build(), states=3, show=False)
    assert found.ok, found.wrong


def test_constraints_along_a_motion() -> None:
    """d2h/dt2 = 0 with the accelerations of the constrained motion, by differences of h."""
    system = branched()
    system.world.frame("anchor")
    system.add(bough.DistanceConstraint("palm", "anchor", length=0.7))
    system.add(bough.ParallelConstraint("crown", "anchor", axis=(0.0, 0.0, 1.0)))
    model = system.build()
    q, v = state_of(model, 4)
    a = model.acceleration(q, v)
    h = 2e-4
    ahead, here, back = (model.constraint(model.integrate(q, s * v + 0.5 * s * s * a)) for s in (h, 0.0, -h))
    np.testing.assert_allclose((ahead - 2.0 * here + back) / h**2, 0.0, atol=2e-5)


def values(parts: core.StepParts, n: int) -> tuple[np.ndarray, np.ndarray]:
    D1, D2 = np.empty(n), np.empty(n)
    parts.values(D1, D2)
    return D1, D2


@pytest.mark.parametrize("turn", [1e-9, 0.3, 0.99, 1.01, 2.9])
def test_step(model: bough.Model, turn: float) -> None:
    """D1, D2 of (BJ7) against differences of Ld, and K of (BJ8) against differences of D1."""
    q0, v = state_of(model, 5)
    move = (
        turn
        * v
        / max(np.linalg.norm(v[place]) for place in (model._names.variables.places[b] for b in model.balls))
    )
    dt = 0.1
    parts = core.StepParts(model._core, 0, 0.5)
    n = model.nv

    def core_layout(q: np.ndarray, phi: np.ndarray) -> np.ndarray:
        out = np.zeros(n + 4 * len(model.balls))
        out[:n] = phi
        single, places = model._single
        out[single] += q[places]
        for number, name in enumerate(model.balls):
            out[n + 4 * number : n + 4 * number + 4] = q[model._names.coordinates.places[name]]
        return out

    def evaluated(q0: np.ndarray, q1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        displacement = model.difference(q0, q1)
        parts.evaluate(0.0, dt, core_layout(q0, np.zeros(n)), core_layout(q0, displacement), np.zeros(0))
        return values(parts, n)

    def Ld(q0: np.ndarray, q1: np.ndarray) -> float:
        x = model.difference(q0, q1)
        return dt * float(model.lagrangian(model.integrate(q0, 0.5 * x), x / dt))

    q1 = model.integrate(q0, move)
    D1, D2 = evaluated(q0, q1)
    np.testing.assert_allclose(D1, derivative(model, lambda x: Ld(x, q1), q0), atol=1e-7)
    np.testing.assert_allclose(D2, derivative(model, lambda x: Ld(q0, x), q1), atol=1e-7)


def right_jacobian(phi: np.ndarray) -> np.ndarray:
    """The turn of R exp(phi) in its own axes by phi."""
    angle, F = float(np.linalg.norm(phi)), np.cross(np.eye(3), phi)
    return np.eye(3) - (1.0 - np.cos(angle)) / angle**2 * F + (angle - np.sin(angle)) / angle**3 * F @ F


def test_newton_step(model: bough.Model) -> None:
    """A solve along the tree (BJ10), (BJ11) against differences of D1 by phi."""
    q0, v = state_of(model, 6)
    n, dt = model.nv, 0.2
    parts = core.StepParts(model._core, 0, 0.5)
    q = np.concatenate([np.zeros(n), *(q0[model._names.coordinates.places[name]] for name in model.balls)])
    q[model._single[0]] = q0[model._single[1]]

    def D1(move: np.ndarray) -> np.ndarray:
        end = q.copy()
        end[:n] += move
        parts.evaluate(0.0, dt, q, end, np.zeros(0))
        return values(parts, n)[0]

    h, move = 1e-5, 0.8 * dt * v
    K = np.stack([slope(lambda s, e=e: D1(move + s * e), h) for e in np.eye(n)], axis=1)
    dense = np.empty((4, n, n))
    D1(move)
    parts.derivatives(*dense)
    turns = np.eye(n)  # of the end by phi: (BJ4)
    for place, _ in model._balls.values():
        part = slice(place, place + 3)
        turns[part, part] = right_jacobian(move[part])
    np.testing.assert_allclose(dense[1] @ turns, K, atol=1e-8 * np.abs(K).max())  # (BD1)
    none = np.zeros((0, n))
    for transposed, matrix in ((False, K), (True, K.T)):
        x = np.random.default_rng(0).normal(size=(2, n))
        solved = x.copy()
        assert parts.solve(none, none, solved, np.zeros((2, 0)), transposed)
        np.testing.assert_allclose(solved @ matrix.T, x, atol=1e-7)
