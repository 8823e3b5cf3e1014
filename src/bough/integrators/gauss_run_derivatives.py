"""Derivatives of a row of steps of order 4, 6 or 8: what the core has for order 2, in the same calls.

(RD1) backwards and (RD2) forwards, with A, B and the derivatives by parameters of each step by (GD8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError
from bough.motion.stages import gauss_times

if TYPE_CHECKING:
    from bough.integrators.gauss_derivatives import GaussLinearization
    from bough.model.variation import Variation

LINE = 1e-12  # of kinematic values within steps, relative: they are on a line
NONE = np.zeros((0, 0))


def check_held(plan: Any, order: int, where: str) -> None:
    """Raise unless inputs hold for whole steps and kinematic variables go in lines."""
    stages = plan.stages
    if stages is None:
        return
    moved = ""
    if stages.inputs.size:
        moved = "inputs that are functions of time"
    elif stages.nodes.size:
        d = gauss_times(order)[1][None, :, None]
        k = plan.prescribed
        line = k[:-1, None] + d * (k[1:, None] - k[:-1, None])
        if np.abs(stages.nodes - line).max() > LINE * max(1.0, float(np.abs(k).max())):
            moved = "kinematic variables that are functions of time"
    if moved:
        raise ModelError(
            asked=where,
            found=f"order {order} of the midpoint rule with {moved} within a step",
            do="give them as arrays, which hold for a step or are linear in it, or use order=2",
        )


def roll_steps(kernel: GaussLinearization, dt: Array, t: Array, x: Array, control: Array) -> tuple[int, int]:
    """The states after each step, into x."""
    lam = np.zeros((1, kernel.rows))
    for k in range(len(dt)):
        status, _ = kernel.steps(
            float(dt[k]), t[k : k + 1], x[k : k + 1], control[k : k + 1], x[k + 1 : k + 2], lam
        )
        if status:
            return status, k
    return core.StepStatus.fine, -1


def run_forward(
    kernel: GaussLinearization, by: Variation, dt: Array, t: Array, x: Array, control: Array, S: Array
) -> tuple[int, int]:
    """S after the steps, in place."""
    nx, nc = x.shape[1], control.shape[1]
    for k in range(len(dt)):
        status, (A, B, P) = _blocks(kernel, by, float(dt[k]), t[k : k + 1], x[k : k + 1], control[k : k + 1])
        if status:
            return status, k
        S[...] = A @ S
        S[:, nx : nx + nc] += B
        S[:, nx + nc :] += P
    return core.StepStatus.fine, -1


def run_backward(
    kernel: GaussLinearization,
    by: Variation,
    dt: Array,
    t: Array,
    x: Array,
    control: Array,
    weights: Array,
    lam: Array,
    by_control: Array,
    by_parameters: Array,
) -> tuple[int, int]:
    """The covector of the start into lam, and what is collected by controls and by parameters."""
    for k in reversed(range(len(dt))):
        status, (A, B, P) = _blocks(kernel, by, float(dt[k]), t[k : k + 1], x[k : k + 1], control[k : k + 1])
        if status:
            return status, k
        lam += weights[k + 1]
        by_control[k] = lam @ B
        by_parameters += lam @ P
        lam[...] = lam @ A
    return core.StepStatus.fine, -1


def _blocks(
    kernel: GaussLinearization, by: Variation, dt: float, t: Array, x: Array, control: Array
) -> tuple[int, tuple[Array, Array, Array]]:
    """A, B and the derivatives by parameters of one step."""
    nx = x.shape[1]
    A, B = np.empty((1, nx, nx)), np.empty((1, nx, control.shape[1]))
    P = np.zeros((1, nx + kernel.rows, len(by.names)))
    status, _ = kernel.jacobians(dt, t, x, control, NONE, A, B, np.empty((0, 0, 0)))
    if not status and by.names:
        status, _ = kernel.parameter_jacobian(dt, t, x, control, NONE, by, P)
    return status, (A[0], B[0], P[0, :nx])
