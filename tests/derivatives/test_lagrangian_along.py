"""The derivative of the Hessian of L along one direction, against differences of the Hessian."""

from __future__ import annotations

import numpy as np
import pytest

from bough._core import core
from support.finite_difference import assert_derivative
from support.product import SHAPES, Case, tree


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("kinematic", [False, True])
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "floating"])  # q is a vector
def test_along_one_direction(shape: str, kinematic: bool, shared: bool) -> None:
    case = Case("Damping", shape, 8, rows=False, kinematic=kinematic, shared=shared)
    model = tree(case)[0].build()
    n = model.nq
    q, v, sigma, tau = np.random.default_rng(n).normal(size=(4, 1, n))
    qv, vv = np.empty((n, n)), np.empty((n, n))
    core.lagrangian_along(model._core, q, v, sigma, tau, qv, vv)
    for found, quantity in ((qv, model.L_dqdv), (vv, model.L_dvdv)):
        assert_derivative(
            lambda e, quantity=quantity: quantity(q[0] + e[0] * sigma[0], v[0] + e[0] * tau[0]),
            found[None],
            [0.0],
            step=0.05,
            what=f"{quantity.__name__} along a direction",
        )
