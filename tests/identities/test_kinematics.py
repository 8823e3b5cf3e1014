"""Poses, Jacobians and body velocities agree with each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from support.cases import SEEDS, Case, case
from support.compare import compare
from support.quantities import third_variables
from support.transforms import adjoint, hat

ROUNDING = 1e-13


@pytest.fixture(params=SEEDS)
def c(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


def test_poses_are_rigid(c: Case) -> None:
    for _, f in c.frames:
        g = c.model.pose(f, c.q)
        compare(g[:3, :3] @ g[:3, :3].T, np.eye(3), rtol=ROUNDING, what=f)
        assert np.linalg.det(g[:3, :3]) > 0.0
        assert np.array_equal(g[3], [0.0, 0.0, 0.0, 1.0])


def test_poses_at_once_are_those_one_by_one(c: Case) -> None:
    names = [f for _, f in c.frames]
    many = np.stack((c.q, -c.q, 0.3 * c.q))
    together = c.model.poses(names[::-1], many)
    assert together.shape == (3, len(names), 4, 4)
    for i, f in enumerate(names[::-1]):
        assert np.array_equal(together[:, i], c.model.pose(f, many))
    assert c.model.poses((), c.q).shape == (0, 4, 4)


def test_world_stays(c: Case) -> None:
    assert np.array_equal(c.model.pose("world", c.q), np.eye(4))
    assert not np.any(c.model.pose_dq("world", c.q))
    assert not np.any(c.model.jacobian("world", c.q, kind="spatial"))
    assert not np.any(c.model.body_velocity("world", c.q, c.v))


def test_jacobians_are_the_logarithmic_derivatives_of_the_pose(c: Case) -> None:
    """hat(spatial column) = dg g^-1 and hat(body column) = g^-1 dg."""
    for _, f in c.frames:
        g, dg = c.model.pose(f, c.q), c.model.pose_dq(f, c.q)
        inverse = np.linalg.inv(g)
        body, spatial = (c.model.jacobian(f, c.q, kind=kind) for kind in ("body", "spatial"))
        for i in range(c.nq):
            compare(inverse @ dg[i], hat(body[:, i]), rtol=ROUNDING, scale=4.0 * c.length, what=f"body {f}")
            compare(
                dg[i] @ inverse, hat(spatial[:, i]), rtol=ROUNDING, scale=4.0 * c.length, what=f"spatial {f}"
            )


def test_kinds_of_jacobian(c: Case) -> None:
    """Hybrid: the velocity of the frame's origin, in world axes."""
    for _, f in c.frames:
        g = c.model.pose(f, c.q)
        turn = g.copy()
        turn[:3, 3] = 0.0
        body, spatial, hybrid = (
            c.model.jacobian(f, c.q, kind=kind) for kind in ("body", "spatial", "hybrid")
        )
        compare(adjoint(g) @ body, spatial, rtol=ROUNDING, scale=4.0 * c.length, what=f"spatial {f}")
        compare(adjoint(turn) @ body, hybrid, rtol=ROUNDING, scale=4.0 * c.length, what=f"hybrid {f}")
        origin = c.model.pose_dq(f, c.q)[:, :3, 3].T
        compare(
            hybrid[3:], origin, rtol=ROUNDING, scale=4.0 * c.length, what=f"velocity of the origin of {f}"
        )
        assert np.array_equal(c.model.jacobian(f, c.q), body)  # body is the default


def test_body_velocity_is_jacobian_times_v(c: Case) -> None:
    for _, f in c.frames:
        J = c.model.jacobian(f, c.q, kind="body")
        compare(J @ c.v, c.model.body_velocity(f, c.q, c.v), rtol=ROUNDING, scale=c.speed * c.nq, what=f)
        compare(c.model.body_velocity_dv(f, c.q, c.v), J.T, rtol=ROUNDING, scale=4.0 * c.length, what=f)


def test_body_velocity_is_linear_in_v(c: Case) -> None:
    """Euler: what is linear in v equals its gradient times v, and so do its q-derivatives."""
    for _, f in c.frames:
        dqdv = c.model.body_velocity_dqdv(f, c.q, c.v)
        dq = c.model.body_velocity_dq(f, c.q, c.v)
        compare(np.einsum("ijk,j->ik", dqdv, c.v), dq, rtol=ROUNDING, scale=c.speed * c.nq, what=f)


def test_second_derivatives_are_symmetric(c: Case) -> None:
    for _, f in c.frames:
        H = c.model.pose_dqdq(f, c.q)
        compare(H, np.swapaxes(H, 0, 1), rtol=ROUNDING, scale=4.0 * c.length, what=f)
        H = c.model.body_velocity_dqdq(f, c.q, c.v)
        compare(H, np.swapaxes(H, 0, 1), rtol=ROUNDING, scale=c.speed, what=f)


def test_pose_derivative_of_low_order(c: Case) -> None:
    f = c.frames[-1][1]
    derivative = c.model.pose_derivative
    compare(derivative(f, c.q, variables=()), c.model.pose(f, c.q), rtol=ROUNDING, scale=c.length)
    first, second = c.model.pose_dq(f, c.q), c.model.pose_dqdq(f, c.q)
    for i, a in enumerate(c.variables):
        compare(derivative(f, c.q, variables=(a,)), first[i], rtol=ROUNDING, scale=4.0 * c.length)
        for j, b in enumerate(c.variables):
            compare(derivative(f, c.q, variables=(a, b)), second[i, j], rtol=ROUNDING, scale=4.0 * c.length)


def test_order_of_differentiation_is_free(c: Case) -> None:
    f = c.frames[-1][1]
    names = tuple(c.variables[a] for a in third_variables(c))
    values = [c.model.pose_derivative(f, c.q, variables=p) for p in itertools.permutations(names)]
    for value in values[1:]:
        compare(value, values[0], rtol=ROUNDING, scale=4.0 * c.length)
