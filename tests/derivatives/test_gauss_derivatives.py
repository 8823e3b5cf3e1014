"""First derivatives of steps of order 4, 6 and 8 of the midpoint rule."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bough
from bough.control import Step
from support.product import FORCES, POTENTIALS, Case, U, motion
from support.step_checks import assert_close
from support.transforms import Array


@pytest.mark.parametrize("order", [4, 6, 8])
def test_the_end_is_that_of_the_integrator(order: int) -> None:
    moving = motion(Case("BodyWrench", "branched", 4, rows=False, kinematic=False, shared=True))
    q, v, u = (moving.arguments[name] for name in "qvu")
    step, vi = (kind(moving.model, 0.01, order=order) for kind in (Step, bough.MidpointVI))
    after = vi.step(vi.start(q, v), u=u)
    x1 = step(step.state(q, v), u)
    assert_close(x1, np.concatenate([after.q, after.p]), 1e-12, "x1")


@pytest.mark.parametrize("order", [4, 8])
@pytest.mark.parametrize("kind", [*POTENTIALS, *FORCES])
def test_elements(kind: str, order: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        moving = motion(Case(kind, "chain", 3, rows=False, kinematic=False, shared=order == 4))
        step = Step(moving.model, 0.02, order=order)
        x, u = step.state(moving.arguments["q"], moving.arguments["v"]), np.full(moving.model.nu, U)
        A, B = step.jacobians(x, u)
        s, h, nx = np.concatenate([x, u]), 1e-4, len(x)
        moves = h * np.eye(len(s))

        def end(size: float) -> Array:
            moved = s + size * moves
            return step(moved[:, :nx], moved[:, nx:])

        one, two = (end(a) - end(-a) for a in (1.0, 2.0))
        expected = ((8.0 * one - two) / (12.0 * h)).T
        assert_close(np.concatenate([A, B], axis=1), expected, 1e-7, kind)
    w, ds = np.random.default_rng(3).normal(size=(2, len(s)))
    assert_close(
        np.concatenate(step.vjp(x, u, w[:nx])), w[:nx] @ np.concatenate([A, B], axis=1), 1e-12, "vjp"
    )
    assert_close(step.jvp(x, u, ds[:nx], ds[nx:]), A @ ds[:nx] + B @ ds[nx:], 1e-12, "jvp")


@pytest.mark.parametrize("order", [4, 6, 8])
def test_symplectic(order: int) -> None:
    step = Step(bough.gallery.pendulum(3).build(), 0.05, order=order)
    A, _ = step.jacobians(step.state([0.4, -0.3, 0.9], [1.0, 2.0, -1.0]))
    omega = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    assert_close(A.T @ omega @ A, omega, 1e-11, "symplecticity")
