"""Leading axes: a batch gives exactly what a loop over its members gives."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import SEEDS, Case, case
from support.quantities import QUANTITIES, Quantity, core_value
from support.random_trees import random_state

AXES = (2, 3)


def batch(c: Case) -> tuple[np.ndarray, np.ndarray]:
    members = [random_state(c.nq, 100 + n)[:2] for n in range(6)]
    q, v = (np.array([m[part] for m in members]).reshape(*AXES, c.nq) for part in (0, 1))
    return q, v


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.name)
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_batch_equals_loop_bit_for_bit(seed: int, quantity: Quantity) -> None:
    c = case(seed)
    q, v = batch(c)
    frame = c.frames[-1][1]
    together = core_value(quantity, c, frame, q, v)
    single = core_value(quantity, c, frame, q[0, 0], v[0, 0])
    assert together.shape == AXES + single.shape
    for index in np.ndindex(*AXES):
        assert np.array_equal(together[index], core_value(quantity, c, frame, q[index], v[index])), index


def test_axes_broadcast_against_each_other() -> None:
    """One configuration with many velocities, and forces or accelerations of their own."""
    c = case(1)
    q, v = batch(c)
    a = np.arange(float(c.nq))
    M = c.model
    together = M.momentum(c.q, v)
    assert together.shape == (*AXES, c.nq)
    assert np.array_equal(together[1, 2], M.momentum(c.q, v[1, 2]))
    together = M.inverse_dynamics(q[:, :1], v[:1], a)
    assert together.shape == (*AXES, c.nq)
    assert np.array_equal(together[1, 2], M.inverse_dynamics(q[1, 0], v[0, 2], a))
    force = np.linspace(-1.0, 1.0, 3 * c.nq).reshape(3, c.nq)
    ak = np.linspace(-1.0, 1.0, 2 * (c.nq - c.nd)).reshape(2, 1, -1) if c.nd < c.nq else None
    assert ak is not None
    together = M.acceleration(c.q, c.v, force=force, ak=ak)
    assert together.shape == (2, 3, c.nq)
    assert np.array_equal(together[1, 2], M.acceleration(c.q, c.v, force=force[2], ak=ak[1, 0]))


def test_empty_batch() -> None:
    c = case(0)
    nothing = np.zeros((0, c.nq))
    assert c.model.mass_matrix(nothing).shape == (0, c.nq, c.nq)
    assert c.model.acceleration(nothing, nothing).shape == (0, c.nq)


def test_strided_and_integer_input() -> None:
    """Views that are not contiguous and arrays of integers give the same numbers."""
    c = case(2)
    wide = np.zeros((c.nq, 2))
    wide[:, 0] = c.q
    assert np.array_equal(c.model.mass_matrix(wide[:, 0]), c.model.mass_matrix(c.q))
    ones = np.ones(c.nq, dtype=int)
    assert np.array_equal(c.model.mass_matrix(ones), c.model.mass_matrix(ones.astype(float)))
    assert np.array_equal(c.model.mass_matrix(list(c.q)), c.model.mass_matrix(c.q))


def test_arguments_are_not_changed() -> None:
    c = case(3)
    q, v, u = c.q.copy(), c.v.copy(), c.u.copy()
    c.model.acceleration(q, v, force=u)
    c.model.L_dqdq(q, v)
    assert np.array_equal(q, c.q)
    assert np.array_equal(v, c.v)
    assert np.array_equal(u, c.u)
