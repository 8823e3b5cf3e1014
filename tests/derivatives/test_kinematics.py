"""Derivatives of poses and body velocities against finite differences of the core's own values."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import SEEDS, Case, case
from support.finite_difference import assert_derivative
from support.quantities import third_variables

KINDS = ("body", "spatial", "hybrid")


@pytest.fixture(params=SEEDS)
def c(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


def some_frames(c: Case) -> list[str]:
    """The last frame and two more: all depths over the seeds."""
    return [c.frames[n][1] for n in (-1, len(c.frames) // 2, len(c.frames) // 3)]


def test_pose(c: Case) -> None:
    for f in some_frames(c):
        assert_derivative(
            lambda q, f=f: c.model.pose(f, q), c.model.pose_dq(f, c.q), c.q, what=f"pose_dq {f}"
        )


def test_pose_dq(c: Case) -> None:
    for f in some_frames(c):
        assert_derivative(
            lambda q, f=f: c.model.pose_dq(f, q), c.model.pose_dqdq(f, c.q), c.q, what=f"pose_dqdq {f}"
        )


def test_pose_derivative_of_order_three_and_four(c: Case) -> None:
    names = tuple(c.variables[a] for a in third_variables(c))
    f = c.frames[-1][1]
    for order in (2, 3):
        first = names[:order]
        given = np.array(
            [c.model.pose_derivative(f, c.q, variables=(*first, extra)) for extra in c.variables]
        )
        assert_derivative(
            lambda q, first=first: c.model.pose_derivative(f, q, variables=first),
            given,
            c.q,
            what=f"order {order + 1}",
        )


def test_body_velocity(c: Case) -> None:
    model, q, v = c.model, c.q, c.v
    for f in some_frames(c):
        assert_derivative(
            lambda x, f=f: model.body_velocity(f, x, v), model.body_velocity_dq(f, q, v), q, what="dq"
        )
        assert_derivative(
            lambda x, f=f: model.body_velocity(f, q, x), model.body_velocity_dv(f, q, v), v, what="dv"
        )


def test_body_velocity_second(c: Case) -> None:
    model, q, v = c.model, c.q, c.v
    for f in some_frames(c):
        assert_derivative(
            lambda x, f=f: model.body_velocity_dq(f, x, v), model.body_velocity_dqdq(f, q, v), q, what="dqdq"
        )
        # axis 0 of dqdv is q: d(dv)/dq as it stands, d(dq)/dv with the two axes exchanged
        dqdv = model.body_velocity_dqdv(f, q, v)
        assert_derivative(lambda x, f=f: model.body_velocity_dv(f, x, v), dqdv, q, what="d(dv)/dq")
        assert_derivative(
            lambda x, f=f: model.body_velocity_dq(f, q, x), np.swapaxes(dqdv, 0, 1), v, what="d(dq)/dv"
        )


def test_body_jacobian(c: Case) -> None:
    f = c.frames[-1][1]
    dqdv = c.model.body_velocity_dqdv(f, c.q, c.v)
    assert_derivative(lambda x, f=f: c.model.jacobian(f, x, kind="body"), np.swapaxes(dqdv, 1, 2), c.q)
