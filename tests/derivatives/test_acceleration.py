"""Derivatives of accelerations and constraint forces against differences of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bough
from support.finite_difference import assert_derivative
from support.product import Case, motion
from support.product_elements import CONSTRAINTS, FORCES, POTENTIALS, U
from support.step_checks import assert_close


def assert_acceleration(case: Case, resolution: float = 1e-6, **given: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        moving = motion(case)
        model = moving.model
        q, v, u = moving.arguments["q"], moving.arguments["v"], np.full(model.nu, U)
        given = {**given, "ak": np.full(model.nk, 0.7), "t": 0.3}
        if model.nc:  # at time 0.3 constraints of time hold elsewhere: off them, all formulas hold as well
            q = q + 0.01 * np.sin(np.arange(model.nq))
        found = model.acceleration_derivatives(q, v, u, **given)
        x = np.concatenate([q, v, u])
        blocks = np.concatenate([np.concatenate([found.dq, found.dv, found.du], axis=1),
                                 np.concatenate([found.lam_dq, found.lam_dv, found.lam_du], axis=1)])  # fmt: skip

        def value(x: Any) -> Any:
            parts = np.split(x, [model.nq, 2 * model.nq])
            return np.concatenate(model.acceleration_and_multipliers(*parts, **given))

        size = float(np.abs(blocks).max())
        error = 1e-8 * size if model.nc else 1e-9 * size
        assert_derivative(
            value, blocks.T, x, step=0.01, resolution=resolution, df_error=error, what=str(case)
        )


@pytest.mark.parametrize("kind", [*POTENTIALS, *(kind for kind in FORCES if kind != "Servo")])
def test_elements(kind: str) -> None:
    assert_acceleration(Case(kind, "chain", 3, rows=False, kinematic=True, shared=False))


@pytest.mark.parametrize("kind", [kind for kind in CONSTRAINTS if kind != "WeldConstraint"])
def test_constraints(kind: str) -> None:
    assert_acceleration(Case(kind, "chain", 6, rows=False, kinematic=False, shared=False))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("shape", ["branched", "free"])
def test_trees_with_stabilised_rows(shape: str, shared: bool) -> None:
    case = Case("BodyWrench", shape, 6, rows=True, kinematic=True, shared=shared)
    assert_acceleration(case, baumgarte=(3.0, 5.0))


def test_pendulum_in_closed_form() -> None:
    """a = -g/l sin(q) - c v/(m l^2) + u/(m l^2)."""
    system = bough.System("pendulum", gravity=(0, 0, -9.81))
    system.world.ry("angle").tz(-2.0, name="bob", mass=1.5)
    system.add(bough.Damping(0.3))
    system.add(bough.ConfigurationForce("angle", "torque"))
    model = system.build()
    q = np.array([[0.4], [-1.1]])
    found = model.acceleration_derivatives(q, [0.7], [0.2])
    assert np.allclose(found.dq[:, 0, 0], -9.81 / 2.0 * np.cos(q[:, 0]), rtol=1e-13)
    assert np.allclose(found.dv, -0.3 / 6.0, rtol=1e-13)
    assert np.allclose(found.du, 1.0 / 6.0, rtol=1e-13)


def test_single_blocks() -> None:
    moving = motion(Case("DistanceConstraint", "chain", 4, rows=False, kinematic=False, shared=False))
    model, q, v = moving.model, moving.arguments["q"], moving.arguments["v"]
    found = model.acceleration_derivatives(q, v)
    for name, block in (
        ("acceleration", ("dq", "dv", "du")),
        ("multipliers", ("lam_dq", "lam_dv", "lam_du")),
    ):
        for of in block:
            assert_close(getattr(model, f"{name}_{of[-2:]}")(q, v), getattr(found, of), 1e-14, of)
