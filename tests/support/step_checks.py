"""Steps of the product of elements, and comparisons, for tests of the derivatives of a step."""

from __future__ import annotations

from typing import Any

import numpy as np

import bough
from bough.control import Step
from support.finite_difference import slope
from support.product import Case, motion
from support.product_elements import U
from support.transforms import Array

DT = 0.02
METHODS: dict[str, dict[str, Any]] = {
    "midpoint": {},
    "alpha=0.3": {"alpha": 0.3},
    "trapezoidal": {"integrator": "trapezoidal"},
    "order=4": {"integrator": "trapezoidal", "order": 4},
    "order=6": {"integrator": "trapezoidal", "order": 6},
    "stages": {"order": 4},
}


def stepped(case: Case, parametric: bool = False, **options: Any) -> tuple[Step, Array, Array]:
    """A step of a case, its state and its control."""
    moving = motion(case, parametric)
    model = moving.model
    step = Step(model, DT, **options)
    x = step.state(moving.arguments["q"], moving.arguments["v"])
    k1 = x[model.nd : model.nq] + DT * 0.3
    return step, x, np.concatenate([np.full(model.nu, U), k1])


def loop(rows: int) -> tuple[bough.Model, Array]:
    """A chain whose end is held by so many rows, of which two are independent."""
    system = bough.System("loop")
    frame = system.world
    for k in range(4):
        frame = frame.ry(f"a{k}").tz(-0.5, name=f"link{k}", mass=1.0, inertia=(0.1, 0.2, 0.3))
    q = np.array([0.4, 0.3, -0.2, 0.5])
    anchor = system.world.fixed(system.build().pose("link3", q), name="anchor")
    for axis in [(1, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, -2)][:rows]:
        system.add(bough.PointConstraint(frame, anchor, axis=axis))
    system.add(bough.ConfigurationForce("a1", "motor"))
    return system.build(), q


def tangent(step: Step, x: Array) -> Array:
    """Moves of (x, c), by rows: all, or those along the constraints if these depend on each other."""
    model, nx, nc = step.model, len(step.states), len(step.controls)
    Dh = model.constraint_dq(x[: model.nq]) if model.nc else np.zeros((0, model.nq))
    if np.linalg.matrix_rank(Dh[:, : model.nd], tol=1e-9) == model.nc:
        return np.eye(nx + nc)
    along = np.linalg.svd(Dh)[2][np.linalg.matrix_rank(Dh, tol=1e-9) :]
    moves = np.zeros((len(along) + nx + nc - model.nq, nx + nc))
    moves[: len(along), : model.nq] = along
    moves[len(along) :, model.nq :] = np.eye(nx + nc - model.nq)
    return moves


def assert_close(given: Array, expected: Array, tolerance: float, what: str) -> None:
    size = np.max(np.abs(expected), initial=0.0)
    off = np.max(np.abs(given - expected), initial=0.0)
    assert off <= tolerance * max(size, 1e-3), f"{what}: {off:.1e} of {size:.1e}"


def assert_hessian(step: Step, x: Array, c: Array, tolerance: float = 1e-6) -> None:
    """Symmetric, the derivative of vjp, and what hvp multiplies with."""
    nx = len(x)
    w = np.random.default_rng(3).normal(size=nx)
    H = step.hessian(x, c, w)
    moves, h = tangent(step, x), 1e-4
    along = moves @ H @ moves.T
    assert_close(along, along.T, 1e-12, "symmetry")

    def gradients(size: float) -> Array:
        s = np.concatenate([x, c]) + size * moves
        return np.concatenate(step.vjp(s[:, :nx], s[:, nx:], w), axis=-1)

    assert_close(along, slope(gradients, h) @ moves.T, tolerance, "hessian")
    ds = moves[0] + 0.5 * moves[-1]
    assert_close(np.concatenate(step.hvp(x, c, w, ds[:nx], ds[nx:])), H @ ds, 1e-12, "hvp")
