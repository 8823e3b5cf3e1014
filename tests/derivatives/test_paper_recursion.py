"""The oracle is right by itself: its derivatives are those of its own values, cached or not."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import Case
from support.finite_difference import assert_derivative
from support.paper_recursion import PaperRecursion
from support.random_trees import random_tree


@pytest.fixture(scope="module", params=range(3))
def c(request: pytest.FixtureRequest) -> Case:
    return Case(random_tree(200 + request.param, joints=4), seed=request.param)


def test_positions(c: Case) -> None:
    k, at, v = c.frames[-1][0], PaperRecursion(c.flat).at, c.v
    assert_derivative(lambda q: at(q).pose(k), at(c.q).pose_dq(k), c.q, what="(3)")
    assert_derivative(lambda q: at(q).pose_dq(k), at(c.q).pose_dqdq(k), c.q, what="(4)")
    third = np.array([at(c.q, v).pose_derivative(k, (0, c.nq - 1, b)) for b in range(c.nq)])
    assert_derivative(lambda q: at(q).pose_derivative(k, (0, c.nq - 1)), third, c.q, what="third order")


def test_body_velocities(c: Case) -> None:
    k, at, q, v = c.frames[-1][0], PaperRecursion(c.flat).at, c.q, c.v
    # (5): the body velocity is g^-1 dg/dt
    g = at(q, v).pose(k)
    from_pose = np.linalg.inv(g) @ np.tensordot(v, at(q, v).pose_dq(k), axes=1)
    expected = [from_pose[2, 1], from_pose[0, 2], from_pose[1, 0], *from_pose[:3, 3]]
    np.testing.assert_allclose(at(q, v).body_velocity(k), expected, rtol=0.0, atol=1e-13 * c.speed)
    assert_derivative(lambda x: at(x, v).body_velocity(k), at(q, v).body_velocity_dq(k), q, what="(6)")
    assert_derivative(lambda x: at(x, v).body_velocity_dq(k), at(q, v).body_velocity_dqdq(k), q, what="(7)")
    assert_derivative(lambda x: at(q, x).body_velocity(k), at(q, v).body_velocity_dv(k), v, what="(8)")
    assert_derivative(lambda x: at(x, v).body_velocity_dv(k), at(q, v).body_velocity_dqdv(k), q, what="(10)")


def test_lagrangian(c: Case) -> None:
    at, q, v = PaperRecursion(c.flat).at, c.q, c.v
    assert_derivative(lambda x: at(x, v).lagrangian(), at(q, v).L_dq(), q, what="(23)")
    assert_derivative(lambda x: at(x, v).L_dq(), at(q, v).L_dqdq(), q, what="(24)")
    assert_derivative(lambda x: at(q, x).lagrangian(), at(q, v).L_dv(), v, what="(25)")
    assert_derivative(lambda x: at(x, v).L_dv(), at(q, v).L_dqdv(), q, what="(26)")
    assert_derivative(lambda x: at(q, x).L_dv(), at(q, v).L_dvdv(), v, what="(27)")
    assert_derivative(lambda x: at(x).potential_energy(), at(q).potential_energy_dq(), q, what="(31)")
    assert_derivative(lambda x: at(x).potential_energy_dq(), at(q).potential_energy_dqdq(), q, what="(32)")


def test_caching_changes_nothing() -> None:
    c = Case(random_tree(5, joints=2))
    literal = PaperRecursion(c.flat, cache=False).at(c.q, c.v)
    assert np.array_equal(literal.L_dqdq(), c.paper.L_dqdq())
    assert np.array_equal(literal.L_dqdv(), c.paper.L_dqdv())
    assert literal.kept is None
