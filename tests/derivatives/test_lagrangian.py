"""Derivatives of the Lagrangian and what follows from it, against finite differences of the core."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import SEEDS, Case, case
from support.finite_difference import assert_derivative


@pytest.fixture(params=SEEDS)
def c(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


def test_L_dq(c: Case) -> None:
    assert_derivative(lambda q: c.model.lagrangian(q, c.v), c.model.L_dq(c.q, c.v), c.q, what="L_dq")


def test_L_dv(c: Case) -> None:
    assert_derivative(lambda v: c.model.lagrangian(c.q, v), c.model.L_dv(c.q, c.v), c.v, what="L_dv")


def test_L_dqdq(c: Case) -> None:
    assert_derivative(lambda q: c.model.L_dq(q, c.v), c.model.L_dqdq(c.q, c.v), c.q, what="L_dqdq")


def test_L_dqdv(c: Case) -> None:
    """First index q, second v, whichever is differentiated last."""
    given = c.model.L_dqdv(c.q, c.v)
    assert_derivative(lambda q: c.model.L_dv(q, c.v), given, c.q, what="d(L_dv)/dq")
    assert_derivative(lambda q: c.model.momentum(q, c.v), given, c.q, what="d(momentum)/dq")
    assert_derivative(lambda v: c.model.L_dq(c.q, v), given.T, c.v, what="d(L_dq)/dv")


def test_L_dvdv(c: Case) -> None:
    assert_derivative(lambda v: c.model.L_dv(c.q, v), c.model.L_dvdv(c.q, c.v), c.v, what="L_dvdv")


def test_potential_energy(c: Case) -> None:
    at_rest = np.zeros(c.nq)
    assert_derivative(lambda q: c.model.potential_energy(q), -c.model.L_dq(c.q, at_rest), c.q, what="-dV/dq")


def test_inverse_dynamics_by_acceleration(c: Case) -> None:
    """dtau/da = M."""
    assert_derivative(
        lambda a: c.model.inverse_dynamics(c.q, c.v, a), c.model.mass_matrix(c.q), c.a, what="dtau/da"
    )
