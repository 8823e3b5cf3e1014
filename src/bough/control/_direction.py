"""Derivatives at an iterate of Newton's method over steps, and the direction that they give."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.control._costs import Expansion
from bough.control._stages import Derivatives, Slopes

if TYPE_CHECKING:
    from bough.control._newton import Newton, Point

BOUNDARY = 0.995  # largest part of the way to the nearest limit in one step


@dataclass
class Direction:
    """A step: gains and changes of controls, changes of slacks and multipliers; slope and curvature along it."""

    d: Array
    G: Array | None
    s: Array
    z: Array
    nu: Array
    slope: float
    curvature: float
    linear: tuple[Array, Array] | None  # states and controls along the step, for the projection operator
    parts: tuple[Array, Array, Array]  # changes of controls by column, matrix of the end, its prediction
    start: Array  # change of the variables whose start is found
    moved: float  # the largest change of a variable along it, relative to the largest of them

    def corrected(self, e: Array, reached: Array, length: float) -> Direction:
        """The step corrected for what the end misses beyond (1 - length) e  (CG4)."""
        columns, G, predicted = self.parts
        nu = solve_semidefinite(G, e + (reached - (1.0 - length) * e) / length + predicted)
        return replace(self, d=columns[..., 0] + columns[..., 1:] @ nu, linear=None)

    def roll(self, newton: Newton, now: Point, length: float) -> tuple[Array, Array, Array]:
        """The motion after a part of the step."""
        start = None
        if len(self.start):
            start = newton.task.moved_start(now.x[0], length * self.start)
        if self.linear is None:
            return newton.task.roll(now.x, now.c, self.d, self.G, length, start)
        dx, dc = self.linear
        x, c = now.x + length * dx, now.c + length * dc
        return newton.task.roll(x, c, None, self.G, 0.0, start)


class Local:
    """The derivatives at a point; without `second` those that tell whether it is a solution."""

    def __init__(self, newton: Newton, now: Point, second: bool = True) -> None:
        self.newton, self.task = newton, newton.task
        task = self.task
        motion = self.motion = task.motion(now.x, now.c, now.lam)
        self.cost = Expansion(len(now.c), task.bounds.nq, task.bounds.nu)
        for one in task.costs:
            one.add(motion, self.cost, task.method != "gauss-newton")
        self.force_weight = np.zeros(0)
        if len(task.bounds):
            diagonal = task.dt * task.bounds.curvature(now.z / now.s)
            task.bounds.add_curvature(diagonal, self.cost)
            if task.bounds.forces:
                self.force_weight = task.bounds.of_forces(diagonal)
        self.stages = task.stages(newton, now)
        self._set(now, second)

    def _set(self, now: Point, second: bool) -> None:
        """The derivatives, and the sizes that residuals are relative to."""
        task, newton = self.task, self.newton
        self.nx, self.nc = self.stages.size, now.c.shape[1]
        rows = task.ends.jacobian(now.x[-1]) if len(task.ends) else np.zeros((0, task.size))
        self._rows, self.C = rows, self.stages.at_end(rows)
        if task.ends.hard and newton.gauss:
            now.nu = self._least_squares(now)
        self._end(now)
        self.b, self.costate, self.gradient = self._differentiate(now, second)
        direct = self.b[:, self.nx :]  # the part of the gradient that does not come from later steps
        self.size = max(float(np.abs(direct).max()), float(np.abs(self.gradient - direct).max()))
        newton.largest = max(newton.largest, self.size)
        self.size = max(self.size, 1e-6 * newton.largest, 1e-300)
        self.T = task.start_moves(now.x[0])
        self.start_gradient = float(np.abs(self.T.T @ self.costate[0]).max(initial=0.0))

    @cached_property
    def control_size(self) -> float:
        """The largest diagonal entry of the Hessians by controls."""
        return max(self.stages.control_size(), 1e-12)

    def _least_squares(self, now: Point) -> Array:
        """The multipliers of the end that leave the least gradient  (CN7)."""
        self._end(now)
        b = self._differentiate(now, False).b
        last = np.column_stack([self.end_slope, self.C.T])
        found = self.stages.solve("zero", b, np.zeros((self.nx, self.nx)), last, 1.0)
        assert found is not None  # the identity is convex
        columns = found.c.reshape(-1, last.shape[1])  # minus the gradients of cost and conditions
        return solve_semidefinite(columns[:, 1:].T @ columns[:, 1:], -columns[:, 1:].T @ columns[:, 0])

    def _end(self, now: Point) -> None:
        """Gradient and Hessian of the cost at the end, and of the multipliers of conditions."""
        ends = self.task.ends
        self.end_slope, self.end_value = np.zeros(self.nx), np.zeros((self.nx, self.nx))
        self.end_curved = np.zeros((self.nx, self.nx))
        if ends.weight is not None and len(ends):
            self.end_slope = self.C.T @ (ends.weight * now.e)
            self.end_value = self.C.T @ (ends.weight[:, None] * self.C)
            self.end_curved = ends.second(now.x[-1], ends.weight * now.e, self.stages.directions())
        elif ends.hard:
            self.end_curved = ends.second(now.x[-1], now.nu, self.stages.directions())

    def _differentiate(self, now: Point, second: bool) -> Derivatives:
        """All of (OB1), (OB2), with the multipliers of limits and end."""
        task, ends = self.task, self.task.ends
        pull = task.dt * task.bounds.pull(now.z)
        last = np.zeros(self._rows.shape[1])
        if len(ends):
            last = self._rows.T @ (now.nu if ends.weight is None else ends.weight * now.e)
        second = second and task.method != "gauss-newton"
        return self.stages.differentiate(self.cost, self._slopes(pull), last, second, self.force_weight)

    def _slopes(self, pull: Array) -> Slopes:
        """The first derivatives of the costs, and of the limits with a pull."""
        bounds = self.task.bounds
        forces = np.ascontiguousarray(bounds.of_forces(pull)) if bounds.forces else np.zeros(0)
        return Slopes(self.cost.y + bounds.by_pair(pull), self.cost.r + bounds.by_rates(pull), forces)

    def residuals(self, now: Point, barrier: float) -> tuple[float, float, float, float]:
        """What is left of the first-order conditions: gradient, end, limits, complements  (CK1)."""
        bounds = self.task.bounds
        active = bounds.active
        ends = float(np.abs(now.e).max(initial=0.0)) if self.task.ends.hard else 0.0
        limits = float(np.abs(now.h + now.s)[active].max(initial=0.0))
        unit = self.task.pressure(now.cost)
        product = float(np.abs(now.s * now.z - barrier)[active].max(initial=0.0)) / unit
        gradient = max(float(np.abs(self.gradient).max()), self.start_gradient)
        return gradient / self.size, ends, limits, product

    def direction(self, now: Point, shift: float, curved: bool, penalty: float) -> Direction | None:
        """The step with this shift, or None if the quadratic model is not convex  (CN4)."""
        task, bounds = self.task, self.task.bounds
        stages, by_force = self.stages, self.stages.by_force
        dt, barrier, hard = task.dt, self.newton.barrier, self.task.ends.hard
        ratio, left = now.z / now.s, now.h + now.s
        left = np.where(np.abs(left) < task.round_off, 0.0, left)
        pull = dt * bounds.pull(barrier / now.s + ratio * left)  # (CL3)
        b = stages.slope(self._slopes(pull))
        P = self.end_value + (self.end_curved if curved else 0.0)
        last = self.end_slope[:, None]
        if hard:
            P = P + penalty * self.C.T @ self.C
            last = np.column_stack([self.end_slope + penalty * self.C.T @ now.e, self.C.T])
        found = stages.solve("exact" if curved else "plain", b, P, last, shift, self.T)
        if found is None:
            return None
        x, c, moves = found.x, found.c, found.moves
        nu, end = now.nu, np.zeros((0, 0))
        predicted = np.zeros(0)
        if hard:
            end = -self.C @ x[-1, :, 1:]  # (CN5)
            predicted = self.C @ x[-1, :, 0]
            nu = solve_semidefinite(end, now.e + predicted)
            xi, dc = x[..., 0] + x[..., 1:] @ nu, c[..., 0] + c[..., 1:] @ nu
            start = moves[:, 0] + moves[:, 1:] @ nu
        else:
            xi, dc, start = x[..., 0], c[..., 0], moves[:, 0]
        if not (np.isfinite(xi).all() and np.isfinite(dc).all()):
            return None
        z = np.concatenate([xi[:-1], dc], axis=1)
        dx = stages.moves(xi)
        dq0, dq1, du = stages.pairs_of(dx, dc)
        forces = np.einsum("kri,ki->kr", by_force, z) if bounds.forces else np.zeros_like(self.motion.lam)
        dh = bounds.change(bounds.limited(dq0, dq1, du, forces))
        ds = np.where(bounds.active, -left - dh, 0.0)
        dz = np.where(bounds.active, barrier / now.s - now.z - ratio * ds, 0.0)  # (CL2)
        slope = float((self.cost.y * np.concatenate([dq0, dq1, du], axis=1)).sum() + self.end_slope @ xi[-1])
        slope += float((self.cost.r * (dq1 - dq0)).sum()) / dt
        slope -= barrier * dt * float((ds / now.s)[bounds.active].sum())
        at_end = last[:, 0] + last[:, 1:] @ nu if hard else last[:, 0]
        curvature = -float((b * z).sum() + at_end @ xi[-1])  # the step is where the model is least
        curvature -= shift * float((dc**2).sum() + (start**2).sum())
        changes, linear = stages.changes(found), None
        if task.method == "projection":
            linear, G = (dx, dc), stages.gains(self._tracking_gains(now))
        else:
            G = stages.gains(found.G)
        along = changes[..., 0] + changes[..., 1:] @ nu if hard else changes[..., 0]
        moved = max(float(np.abs(dq0).max()), float(np.abs(dq1).max())) / self.motion.largest
        return Direction(
            along, G, ds, dz, nu, slope, curvature, linear, (changes, end, predicted), start, moved
        )

    def _tracking_gains(self, now: Point) -> Array:
        """Gains that follow a motion with the weights of the cost, for the projection operator."""
        P = self.end_value + (self.C.T @ self.C if self.task.ends.hard else 0.0)
        found = self.stages.solve(
            "plain", np.zeros_like(self.b), P, np.zeros((self.nx, 1)), 1e-9 * self.control_size
        )
        return np.zeros((len(now.c), self.nc, self.nx)) if found is None else found.G


def longest(s: Array, ds: Array) -> float:
    """The longest step of at most 1 that keeps s positive."""
    falling = ds < 0.0
    if not falling.any():
        return 1.0
    return float(min(1.0, BOUNDARY * np.min(-s[falling] / ds[falling])))


def solve_semidefinite(G: Array, e: Array) -> Array:
    """G^-1 e for a positive semidefinite G: directions in which no control moves the end are left out  (CN6)."""
    values, vectors = np.linalg.eigh(0.5 * (G + G.T))
    kept = values > 1e-11 * values.max()
    inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    solution: Array = vectors @ (inverse * (vectors.T @ e))
    return solution
