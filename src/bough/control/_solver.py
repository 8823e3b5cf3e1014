"""The stage-wise Newton method: exact derivatives, multipliers of the end, an interior point for limits.

Derivation and equation numbers: docs/theory/control.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._limits import Limits
from bough.control._motion import Motion, Task

PENALTIES = (1e1, 1e3, 1e5)  # weights of the end conditions that make the quadratic model convex
BOUNDARY = 0.995  # largest fraction of the way to the nearest bound in one step
ARMIJO = 1e-4
NOISE = 1e-10  # round-off of the merit: efforts are second differences of shapes, about 1e-12 in 1600 steps
LARGEST_SHIFT = 1e12
WORTHWHILE = 0.2  # smallest fraction of a step that the line search should leave
SHORT = 1e-2  # fraction of a step that counts as short; the search ends after 5 of them in a row


class Iterate(NamedTuple):
    """One line of the progress display."""

    iteration: int
    effort: float
    gradient: float
    ends: float
    limits: float
    step: float


@dataclass
class Point:
    """An iterate: a motion, slacks and multipliers of the limits, multipliers of the end."""

    motion: Motion
    s: Array
    z: Array
    nu: Array


class Result(NamedTuple):
    """The last point, whether it is a solution, and its residuals (all relative)."""

    motion: Motion
    converged: bool
    iterations: int
    gradient: float
    ends: float
    limits: float
    multipliers: Array


class Solver:
    """Newton's method for one task; `scale` is a typical effort, which the objective is measured in.

    near : whether it starts near a solution and should stay near it
    """

    def __init__(self, task: Task, scale: float, report: Callable[[Iterate], None], near: bool) -> None:
        self.task, self.scale, self.report, self.near = task, scale, report, near
        self.limits = Limits(task)
        self.shift = 0.0  # shift of the control Hessians while the problem is not convex
        self.exact = True  # whether the last step was Newton's
        self.sigma = 1.0  # weight of the infeasibility in the merit
        self.barrier = 0.1 if len(self.limits) else 0.0

    def solve(self, rates: Array, tolerance: float, max_iterations: int, patience: int) -> Result:
        """Minimise from the joint rates, (steps, n); `patience`: iterations without progress."""
        progress = Progress(patience)
        motion = Motion(self.task, rates)
        s = np.maximum(-self.limits.values(motion), 1e-2)
        point = Point(motion, s, self.barrier / s, np.zeros(len(motion.ends.c)))
        for iteration in range(max_iterations + 1):
            local = Local(self, point)
            left = local.residuals(point, 0.0)
            self.report(Iterate(iteration, motion.effort, *left[:3], self._length))
            done = max(left) <= tolerance
            if done or iteration == max_iterations or progress.ends(motion.effort, left, self._length):
                return Result(point.motion, done, iteration, *left[:3], point.nu)
            # the next barrier when this one is solved well enough (CL4)
            while (
                self.barrier > 0.1 * tolerance
                and max(local.residuals(point, self.barrier)) <= 10 * self.barrier
            ):
                self.barrier = max(0.05 * tolerance, min(0.2 * self.barrier, self.barrier**1.5))
            following = self._step(point, local)
            if following is None:
                return Result(point.motion, False, iteration, *left[:3], point.nu)
            point = following
            motion = point.motion
            if not self.exact or self.shift > 0.0:
                point.nu = self._least_squares(point)
        raise AssertionError("unreachable")

    _length, _part = 0.0, 1.0

    def _step(self, point: Point, local: Local) -> Point | None:
        """Newton's step, with Hessians shifted until it is a descent.

        Near a solution a step without second derivatives comes before shifts, which make steps small  (CN9).
        """
        shift = self.shift
        for curved in (True, False) if self.near else ():
            accepted = self._try_step(point, local, 0.0, curved)
            if accepted is not None and self._part >= WORTHWHILE:
                self.exact, self.shift = curved, 0.0
                return accepted
        while shift <= LARGEST_SHIFT * local.size:
            accepted = self._try_step(point, local, shift, True)
            if accepted is not None:
                self.exact, self.shift = shift == 0.0, self._next_shift(shift, local.size)
                return accepted
            shift = max(10.0 * shift, 1e-6 * local.size)
        return None

    def _try_step(self, point: Point, local: Local, shift: float, curved: bool) -> Point | None:
        """The point after a step with line search; None if the model is not convex or nothing gained."""
        for penalty in PENALTIES:
            direction = local.direction(point, shift, curved, penalty, self.barrier)
            if direction is not None:
                return self._search(point, local, direction)
        return None

    def _next_shift(self, shift: float, size: float) -> float:
        """Lower the shift after a step as long as the limits allow, raise it after a much shorter one."""
        if self._part < 0.05:
            return max(10.0 * shift, 1e-6 * size)
        if self._part < 0.3:
            return shift
        return shift / 10.0 if shift > 1e-9 * size else 0.0

    def _least_squares(self, point: Point) -> Array:
        """The multipliers of the end that leave the least gradient  (CN7).

        Those of a shifted step grow with the shift and do not belong to the point.
        """
        task, limits, ends = self.task, self.limits, point.motion.ends
        n, nx, m = task.n, task.states, len(ends.c)
        pull = task.h * limits.pull(point.z)
        gamma = task.h * task.weight * point.motion.f / self.scale + pull[:, 2 * n :]
        d = point.motion.derivatives(gamma, limits.direct(pull), np.zeros(nx))
        b = limits.direct(pull) + np.einsum("ka,kai->ki", gamma, d.F)
        last = np.ascontiguousarray(np.column_stack((np.zeros(nx), ends.C.T)))
        x, controls = np.empty((task.steps + 1, nx, 1 + m)), np.empty((task.steps, n, 1 + m))
        core.stagewise_newton(d.J, np.zeros_like(d.H), b, np.zeros((nx, nx)), last, 1.0, x, controls)
        by_rates = controls.reshape(-1, 1 + m)  # minus the gradients of the objective and of each condition
        return _solve_semidefinite(
            by_rates[:, 1:].T @ by_rates[:, 1:], -by_rates[:, 1:].T @ by_rates[:, 0], ends.scale
        )

    def _search(self, point: Point, local: Local, d: Direction) -> Point | None:
        """The longest of 1, 1/2, 1/4, ... of the step that lowers the merit (CG2), (CG3)."""
        violation = point.motion.ends.size + np.abs(local.h + point.s)[self.limits.active].sum()
        if violation > 0.0:
            wanted = (d.slope + 0.5 * max(d.curvature, 0.0)) / (0.7 * violation)
            self.sigma = max(self.sigma, wanted) if wanted > self.sigma else self.sigma
        slope = d.slope - self.sigma * violation
        before = self._merit(point.motion, point.s)
        most = length = _longest(point.s, d.s)
        noise = NOISE * (abs(before) + 1.0)
        while length > 1e-7:
            bound = before + ARMIJO * length * slope + noise
            motion, s, merit = self._at(point, d.rates, d.s, length)
            if merit > bound and length == most and motion.failed == 0:
                change = d.corrected(point.motion.ends.c, motion.ends.c, length)
                motion, s, merit = self._at(point, change, d.s, length)
            if merit <= bound:
                self._length, self._part = length, length / most
                return self._point_after(point, d, motion, s, length)
            length *= 0.5
        return None

    def _at(self, point: Point, change: Array, ds: Array, length: float) -> tuple[Motion, Array, float]:
        """Motion, slacks and merit after a part of a step; slacks are reset to the distance to a limit (CL5)."""
        motion = Motion(self.task, point.motion.rates + length * change)
        s = point.s + length * ds
        if motion.failed:
            return motion, s, np.inf
        left = -self.limits.values(motion)
        s = np.where(left > (1.0 - BOUNDARY) * point.s, left, s)
        return motion, s, self._merit(motion, s)

    def _point_after(self, point: Point, d: Direction, motion: Motion, s: Array, length: float) -> Point:
        z = point.z + _longest(point.z, d.z) * d.z
        if len(self.limits):  # keeps z near barrier/s, so that its Hessian stays that of the barrier (CL4)
            z = np.clip(z, self.barrier / (1e10 * s), 1e10 * self.barrier / s)
        return Point(motion, s, z, point.nu + length * (d.nu - point.nu))

    def _merit(self, motion: Motion, s: Array) -> float:
        h = self.limits.values(motion)
        active = self.limits.active
        value = motion.effort / self.scale + self.sigma * (motion.ends.size + np.abs(h + s)[active].sum())
        if self.barrier:
            value -= self.barrier * float(np.log(s[active]).sum()) * self.task.h
        return float(value)


class Progress:
    """Progress of the iterations: whether residuals or the effort fall and steps are not short (CG8)."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.best = [np.inf] * 3
        self.idle = self.short = -1

    def ends(self, effort: float, left: tuple[float, float, float, float], length: float) -> bool:
        """Whether to give up; called with every iterate."""
        now = (max(left), max(left[1:3]), effort)
        better = [
            value < part * best for value, part, best in zip(now, (0.9, 0.9, 0.99), self.best, strict=True)
        ]
        self.best = [
            value if good else best for value, good, best in zip(now, better, self.best, strict=True)
        ]
        self.idle = 0 if any(better) else self.idle + 1
        self.short = self.short + 1 if length < SHORT else 0
        return self.idle >= self.patience or self.short >= 5


class Direction(NamedTuple):
    """A step; `slope` and `curvature` of the objective along it, `parts` for other values of c at the end."""

    rates: Array
    s: Array
    z: Array
    nu: Array
    slope: float
    curvature: float
    parts: tuple[Array, Array, Array, Array]

    def corrected(self, c: Array, reached: Array, length: float) -> Array:
        """The step corrected for the deviation of `reached` from (1 - length) c  (CG4)."""
        columns, G, predicted, scale = self.parts
        nu = _solve_semidefinite(G, c + (reached - (1.0 - length) * c) / length + predicted, scale)
        rates: Array = columns[..., 0] + columns[..., 1:] @ nu
        return rates


class Local:
    """The derivatives at a point."""

    def __init__(self, solver: Solver, point: Point) -> None:
        self.solver = solver
        task, motion, limits = solver.task, point.motion, solver.limits
        self.h = limits.values(motion)
        self.cost = task.h * task.weight * motion.f / solver.scale  # by f
        pull = task.h * limits.pull(point.z)
        n = task.n
        ends = motion.ends
        self.d = motion.derivatives(
            self.cost + pull[:, 2 * n :], limits.direct(pull), np.ascontiguousarray(ends.C.T @ point.nu)
        )
        self.Y = limits.jacobian(self.d.F)
        self.size = float(task.h * task.weight.max() / solver.scale)
        self.force_gradient = float(np.abs(np.einsum("ka,kai->ki", self.cost, self.d.F)).max())

    def residuals(self, point: Point, barrier: float) -> tuple[float, float, float, float]:
        """The relative residuals of the first-order conditions: gradient, end, limits, complements  (CK1)."""
        size = max(self.force_gradient, 1e-8)
        ends = float(np.abs(point.motion.ends.c / point.motion.ends.scale).max(initial=0.0))
        active = self.solver.limits.active
        limits = float(np.abs(self.h + point.s)[active].max(initial=0.0))
        product = float(np.abs(point.s * point.z - barrier)[active].max(initial=0.0))
        return float(np.abs(self.d.gradient).max()) / size, ends, limits, product

    def _by_effort(self) -> tuple[Array, Array, Array]:
        """(x, f) for (x, r') as the variables of a stage: z = S (x, f), and J S, Y S  (CN8).

        Velocities as controls would lose digits with 1/h², because efforts are their differences.
        """
        n, F = self.solver.task.n, self.d.F
        nx = F.shape[2] - n
        S = np.zeros((len(F), nx + n, nx + n))
        S[:, np.arange(nx), np.arange(nx)] = 1.0
        S[:, nx:, nx:] = np.linalg.inv(F[:, :, nx:])
        S[:, nx:, :nx] = -S[:, nx:, nx:] @ F[:, :, :nx]
        Y = self.Y @ S
        Y[:, 2 * n :] = 0.0
        Y[:, 2 * n + np.arange(n), nx + np.arange(n)] = 1.0
        return S, self.d.J @ S, Y

    def direction(
        self, point: Point, shift: float, curved: bool, penalty: float, barrier: float
    ) -> Direction | None:
        """The Newton direction with this shift, or None if the model is not convex.

        Without `curved`, the second derivatives of motion and end, it always is convex  (CN9).
        """
        task, limits, ends = self.solver.task, self.solver.limits, point.motion.ends
        h, n, nx = task.h, task.n, task.states
        ratio = point.z / point.s
        pull = h * limits.pull(barrier / point.s + ratio * (self.h + point.s))  # (CL3)
        weight = h * limits.curvature(ratio)
        weight[:, 2 * n :] += h * task.weight / self.solver.scale
        S, J, Y = self._by_effort()
        b = np.einsum("ki,kij->kj", limits.direct(pull), S)
        b[:, nx:] += self.cost + pull[:, 2 * n :]
        H = np.swapaxes(Y, 1, 2) @ (weight[:, :, None] * Y)
        C, m = ends.C, len(ends.c)
        P = penalty * C.T @ C
        second = np.zeros_like(P)
        if curved:
            H += np.swapaxes(S, 1, 2) @ self.d.H @ S
            second = ends.second(point.nu)
            P += second
        last = np.ascontiguousarray(np.column_stack((penalty * C.T @ ends.c, C.T)))
        x, controls = np.empty((task.steps + 1, nx, 1 + m)), np.empty((task.steps, n, 1 + m))
        if core.stagewise_newton(J, H, b, P, last, shift, x, controls) >= 0:  # (CN4)
            return None
        G = -C @ x[-1, :, 1:]  # (CN5)
        nu = _solve_semidefinite(G, ends.c + C @ x[-1, :, 0], ends.scale)
        z = np.concatenate((x[:-1], controls), axis=1)
        step = z[..., 0] + z[..., 1:] @ nu
        along = np.einsum("kij,kj->ki", S, step)
        rates = S[:, nx:] @ z
        if not np.isfinite(along).all():
            return None
        dh = limits.change(np.einsum("kyi,ki->ky", self.Y, along))
        ds = np.where(limits.active, -(self.h + point.s) - dh, 0.0)
        dz = np.where(limits.active, barrier / point.s - point.z - ratio * ds, 0.0)
        cost = np.einsum("ka,kai->ki", self.cost, self.d.F)
        slope = float((cost * along).sum()) - barrier * h * float((ds / point.s)[limits.active].sum())
        last_x = x[-1, :, 0] + x[-1, :, 1:] @ nu
        curvature = float(np.einsum("ki,kij,kj->", step, H, step) + last_x @ second @ last_x)
        return Direction(along[:, nx:], ds, dz, nu, slope, curvature, (rates, G, C @ x[-1, :, 0], ends.scale))


def _solve_semidefinite(G: Array, c: Array, scale: Array) -> Array:
    """G^-1 c for a positive semidefinite G: directions in which no joint moves the end are left out (CN6)."""
    values, vectors = np.linalg.eigh((G + G.T) / 2.0 / np.outer(scale, scale))
    kept = values > 1e-11 * values.max()
    inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    solution: Array = vectors @ (inverse * (vectors.T @ (c / scale))) / scale
    return solution


def _longest(s: Array, ds: Array) -> float:
    """The longest step of at most 1 that keeps s positive."""
    falling = ds < 0.0
    if not falling.any():
        return 1.0
    return float(min(1.0, BOUNDARY * np.min(-s[falling] / ds[falling])))
