"""Contracted second derivatives of a step, against differences of its gradients."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bough
from bough.control import Step
from support.product import Case, motion
from support.product_elements import FORCES, HOLONOMIC, POTENTIALS, U
from support.step_checks import METHODS, assert_hessian, stepped, tangent
from support.transforms import Array


@pytest.mark.parametrize("method", ["midpoint", "alpha=0.3", "trapezoidal", "order=4", "stages"])
@pytest.mark.parametrize("kinematic", [False, True])
@pytest.mark.parametrize("kind", HOLONOMIC)
def test_constraints(kind: str, kinematic: bool, method: str) -> None:
    size = 11 if kind == "WeldConstraint" else 6
    case = Case(kind, "branched", size, rows=False, kinematic=kinematic, shared=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        assert_hessian(*stepped(case, **METHODS[method]))


@pytest.mark.parametrize("kind", [*POTENTIALS, *FORCES])
def test_elements(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        assert_hessian(*stepped(Case(kind, "chain", 4, rows=False, kinematic=True, shared=False)))


def sharp(step: Step, x: Array, c: Array) -> float:
    """How far a Hessian is from differences of sixth order of gradients, whose own error is some 1e-10."""
    nx, h = len(x), 1e-3
    w, moves = np.random.default_rng(3).normal(size=nx), tangent(step, x)

    def gradients(size: float) -> Array:
        s = np.concatenate([x, c]) + size * moves
        return np.concatenate(step.vjp(s[:, :nx], s[:, nx:], w), axis=-1)

    one, two, three = (gradients(a * h) - gradients(-a * h) for a in (1.0, 2.0, 3.0))
    expected = (45.0 * one - 9.0 * two + three) / (60.0 * h) @ moves.T
    return float(np.abs(moves @ step.hessian(x, c, w) @ moves.T - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("kind", ["TorsionSpring", "BeamElement", "WeldConstraint", "LinearSpring"])
def test_third_derivatives_along_a_direction_are_exact(kind: str) -> None:
    """(EA3), (EA6), (WD5)"""
    size = 11 if kind == "WeldConstraint" else 4
    assert sharp(*stepped(Case(kind, "chain", size, rows=False, kinematic=False, shared=False))) < 1e-9


@pytest.mark.parametrize("angle", [0.0, 0.03, 0.099, 0.101, 0.7, 2.5])
def test_torsion_in_space_at_any_angle(angle: float) -> None:
    """(TS3) and its series."""
    system = bough.System("body on a torsion spring")
    system.world.spherical("r", name="body", mass=1.0, inertia=(0.02, 0.03, 0.04))
    system.add(bough.TorsionSpring("world", "body", stiffness=9.0))
    step = Step(system.build(), 0.02)
    x = step.state(angle * np.array([0.6, -0.5, 0.62]), [1.0, 2.0, -1.0])
    assert sharp(step, x, np.zeros(0)) < 1e-9


def test_free_flight_and_harmonic_motion_have_none() -> None:
    """Linear equations of motion: the end is linear in the start, and so all second derivatives are zero."""
    system = bough.System("oscillator")
    system.world.tx("x", name="mass", mass=2.0)
    system.add(bough.ConfigurationSpring("x", 30.0))
    step = Step(system.build(), 0.1)
    x = step.state([0.7], [1.3])
    assert np.max(np.abs(step.hessian(x, None, [1.0, 0.5]))) < 1e-11
    assert np.max(np.abs(step.jacobians(x)[0])) > 0.5


def test_batch() -> None:
    moving = motion(Case("BodyWrench", "chain", 3, rows=False, kinematic=False, shared=False))
    step = Step(moving.model, 0.02)
    x = np.array([step.state(moving.arguments["q"] + a) for a in (0.0, 0.1)])
    c, w = np.full(moving.model.nu, U), np.ones(len(step.states))
    both = step.hessian(x, c, w)
    assert np.array_equal(both[1], step.hessian(x[1], c, w))
