"""Newton's method over the steps of a motion: docs/theory/control.md, sections 3 and 5 to 8.

What it needs of a problem is in _problem.py. That of any model is in _model_task.py, that of a floating body whose
joints are driven in _driven.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.control._direction import BOUNDARY, Direction, Local, longest
from bough.control._problem import Problem
from bough.errors import ModelError

PENALTIES = (1e1, 1e3, 1e5)  # weights of the end conditions that make the quadratic model convex
ARMIJO = 1e-4
LARGEST_SHIFT = 1e12
WORTHWHILE = 0.2  # smallest fraction of a step that the line search should leave
LITTLE = (
    1e-3  # of the cost: what a step without second derivatives gains at least, or shifts are tried beside it
)
SHORTEST = 2.0**-20  # part of a step that the line search tries last
PATIENCE = 40  # iterations without progress that end the method
SHORT, FEW_SHORT = (
    1e-2,
    5,
)  # part of a step that counts as short, and how many in a row end a search in a hurry
STILL = 1e-13  # of the largest coordinate: moves by less are the round-off of a motion
LEFT = (
    1e-5  # of first-order conditions, where the round-off of an unstable motion is all that is left of them
)
GAIN, SETTLED = 1e-13, 3  # of the cost: what Newton's steps promise at least; and how many may promise less


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
    """An iterate: states, controls and constraint forces; slacks and multipliers of limits and end."""

    x: Array
    c: Array
    lam: Array
    cost: float
    e: Array
    h: Array
    s: Array
    z: Array
    nu: Array


class Result(NamedTuple):
    """The last point, whether it is a solution, why not, and its residuals (relative)."""

    point: Point
    status: str  # "converged", "no descent", "iterations", "interrupted"
    iterations: int
    gradient: float
    ends: float
    limits: float
    complements: float
    failed: int  # the step that failed in the last trial, or -1


class Failed(Exception):
    """A roll-out whose step did not converge."""

    def __init__(self, status: Any, step: int, c: Array) -> None:
        super().__init__(step)
        self.status, self.step, self.c = status, step, c


class Progress:
    """Whether a residual, what ends and limits miss or the cost falls; in a hurry, whether steps are long  (CG8)."""

    def __init__(self, patience: int, hasty: bool) -> None:
        self.patience, self.hasty = patience, hasty
        self.residual = self.missed = self.cost = np.inf
        self.idle = self.short = 0

    def ends(self, cost: float, left: tuple[float, ...], length: float) -> bool:
        """Whether to give up; called with every iterate."""
        missed, residual = max(left[1:3]), max(left)
        better = residual < 0.9 * self.residual or missed < 0.9 * self.missed
        better = better or cost < self.cost - 1e-3 * abs(self.cost)
        if better:  # what is gained in several iterations counts, too
            self.residual, self.missed = min(residual, self.residual), min(missed, self.missed)
            self.cost = min(cost, self.cost)
        self.idle = 0 if better else self.idle + 1
        self.short = self.short + 1 if 0.0 < length < SHORT else 0
        return self.idle >= self.patience or (self.hasty and self.short >= FEW_SHORT)


class Newton:
    """Newton's method for one problem.

    near : whether steps without second derivatives may come before shifts; far from a solution the small steps of
        shifts lead to better minima
    hasty : whether some short steps in a row end it
    patience : iterations without progress that end it
    """

    def __init__(
        self,
        task: Problem,
        report: Callable[[Iterate], None],
        *,
        near: bool = True,
        hasty: bool = False,
        patience: int = PATIENCE,
    ) -> None:
        self.task, self.report = task, report
        self.near, self.hasty, self.patience = near, hasty, patience
        self.sigma = 1.0  # weight of what is violated in the merit
        self.shift = 0.0  # of the control Hessians
        self.barrier = 0.0
        self.relative = 0.1 if len(task.bounds) else 0.0
        self.length, self.part, self.failed = 0.0, 1.0, -1  # of the last step; part of what limits leave
        self.moved = np.inf  # by the last step without shifts, relative
        self.promised = np.inf  # curvature along Newton's step: twice what it lowers the cost by
        self.settled: list[tuple[float, Point, Any]] = []  # points that promise no more
        self.largest = 0.0  # part of a gradient so far
        self.reduced = (
            not task.free
        )  # whether stages are over the moves that controls reach, if these are few
        self.paired = True  # whether stages are over pairs of configurations, if steps have one part
        self.convex = False  # whether the last problem with second derivatives was, without a shift
        self.gauss = False  # whether the last step left second derivatives of the motion out
        self._kept: dict[str, Array] = {}

    def kept(self, name: str, *shape: int) -> Array:
        """Memory for a large array, the same for every iterate: fresh pages cost as much as what fills them."""
        if name not in self._kept or self._kept[name].shape != shape:
            self._kept[name] = np.empty(shape)
        return self._kept[name]

    def point(self, x: Array, c: Array, lam: Array, nu: Array) -> Point:
        """A point with slacks from its limits."""
        cost, e, h = self.measure(x, c, lam)
        s = np.maximum(-h, 1e-2)
        return Point(x, c, lam, cost, e, h, s, self.barrier / s, nu)

    def measure(self, x: Array, c: Array, lam: Array) -> tuple[float, Array, Array]:
        """Cost, missed ends, limits."""
        task = self.task
        motion = task.motion(x, c, lam)
        cost = sum(one.value(motion) for one in task.costs)
        e = task.ends.values(x[-1]) if len(task.ends) else np.zeros(0)
        if task.ends.weight is not None:
            cost += 0.5 * float(task.ends.weight @ e**2)
        h = task.bounds.values(task.bounds.limited(motion.q0, motion.q1, motion.u, motion.lam))
        return float(cost), e, h

    # --- iterations ---

    def solve(self, c: Array, tolerance: float, max_iterations: int) -> Result:
        """Minimise from controls c; a failed first roll-out raises `Failed`."""
        task = self.task
        rolled = task.roll(task.first(), np.ascontiguousarray(c), None, None, 0.0)
        count = len(task.ends) if task.ends.hard else 0
        now = self.point(*rolled, np.zeros(count))
        if not np.isfinite(now.cost):
            raise ModelError(
                asked=f"cost of {task.where}",
                found=f"{now.cost} along the guess",
                do="give costs and targets that are finite, or another guess",
            )
        self._set_barrier(now)
        now.z = self.barrier / now.s
        best, progress = now, Progress(self.patience, self.hasty)
        iteration, status = 0, "iterations"
        left = (np.inf, np.inf, np.inf, np.inf)
        try:
            for iteration in range(max_iterations + 1):
                local = Local(self, now, iteration < max_iterations)
                left = local.residuals(now, 0.0)
                self.report(Iterate(iteration, now.cost, *left[:3], self.length))
                best = now
                if max(left[:3]) <= tolerance and left[3] <= max(tolerance, 2.0 * task.least_barrier):
                    status = "converged"
                    break
                if iteration == max_iterations:
                    break
                if progress.ends(now.cost, left, self.length):
                    status = "no descent"
                    break
                self._lower_barrier(local, now, tolerance)
                following = self._step(now, local)
                if self._still(left, tolerance):
                    status = "converged"
                    break
                if self._promises_nothing(now, left, tolerance):
                    status, (_, best, left) = "converged", min(self.settled, key=lambda one: one[0])
                    break
                if following is None:
                    status = "no descent"
                    break
                now = following
        except KeyboardInterrupt:
            status = "interrupted"
        return Result(best, status, iteration, *left, self.failed)

    def _still(self, left: tuple[float, ...], tolerance: float) -> bool:
        """Whether Newton's step is round-off of the motion, which may be all that the gradient has left  (CK2)."""
        return self._holds(left, tolerance) and self.moved <= STILL

    def _promises_nothing(self, now: Point, left: tuple[float, ...], tolerance: float) -> bool:
        """Whether Newton's steps neither lower the cost by more than its round-off nor the gradient  (CK3)."""
        small = self.convex and self.promised <= GAIN * abs(now.cost)
        if not (small and self._holds(left, tolerance) and left[0] <= LEFT):
            return False
        if self.settled and left[0] < 0.5 * min(self.settled, key=lambda one: one[0])[0]:
            self.settled.clear()
        self.settled.append((left[0], now, left))
        return len(self.settled) >= SETTLED

    def _holds(self, left: tuple[float, ...], tolerance: float) -> bool:
        """Whether ends and limits are met with the least barrier."""
        least = self.relative <= max(0.05 * tolerance, self.task.least_barrier)
        return least and max(left[1:3]) <= tolerance

    def _set_barrier(self, now: Point) -> None:
        """The barrier in units of the cost; a cost near zero has the size of a small effort."""
        if self.relative:
            self.barrier = self.relative * self.task.pressure(now.cost)

    def _lower_barrier(self, local: Local, now: Point, tolerance: float) -> None:
        """The next barrier if the problem of this one is solved well enough  (CL4)."""
        least = max(0.05 * tolerance, self.task.least_barrier)
        while self.relative > least and max(local.residuals(now, self.barrier)) <= 10.0 * self.relative:
            self.relative = max(least, min(0.2 * self.relative, self.relative**1.5))
            self._set_barrier(now)

    def _step(self, now: Point, local: Local) -> Point | None:
        """The next point: Newton's step; without second derivatives (CN9); with shifts, until one is long."""
        self.moved, self.failed = np.inf, -1
        if not self.near:
            return self._small_step(now, local)
        exact = self.task.method != "gauss-newton"
        found: list[tuple[float, float, Point]] = []
        for curved in (True, False) if exact else (False,):
            accepted = self._try(now, local, 0.0, curved)
            if accepted is not None:
                self.gauss = not curved
                gained = self.merit_of(now) - self.merit_of(accepted)
                if self.length >= WORTHWHILE and (
                    curved or not exact or gained > LITTLE * abs(accepted.cost)
                ):
                    self.shift = 0.0
                    return accepted
                found.append((self.merit_of(accepted), self.length, accepted))
        if self.task.small_steps:
            return self._small_step(now, local)
        size = local.control_size
        shift = max(self.shift, 1e-6 * size)
        while shift <= LARGEST_SHIFT * size:
            accepted = self._try(now, local, shift, exact)
            if accepted is not None:
                found.append((self.merit_of(accepted), self.length, accepted))
                if self.length >= WORTHWHILE:
                    break
            shift *= 10.0
        self.shift = shift / 100.0 if shift > 1e-4 * size else 0.0
        self.gauss = True
        if not found:
            return None
        _, self.length, best = min(found, key=lambda one: one[0])
        return best

    def _small_step(self, now: Point, local: Local) -> Point | None:
        """The next point with the shift of the one before, raised until the merit falls, lowered after long steps."""
        size, shift = local.control_size, self.shift
        while shift <= LARGEST_SHIFT * size:
            accepted = self._try(now, local, shift, True)
            if accepted is not None:
                self.gauss = shift > 0.0
                if self.part < 0.05:
                    shift = max(10.0 * shift, 1e-6 * size)
                elif self.part >= 0.3:
                    shift = shift / 10.0 if shift > 1e-9 * size else 0.0
                self.shift = shift
                return accepted
            shift = max(10.0 * shift, 1e-6 * size)
        return None

    def merit_of(self, point: Point) -> float:
        """The merit of a point."""
        return self.merit(point.cost, point.e, point.h, point.s)

    def _try(self, now: Point, local: Local, shift: float, curved: bool) -> Point | None:
        found = None
        for penalty in PENALTIES if self.task.ends.hard else PENALTIES[:1]:
            found = local.direction(now, shift, curved, penalty)
            if found is not None:
                break
        if shift == 0.0:
            self.moved = np.inf if found is None else found.moved
            if curved:
                self.convex = found is not None
                self.promised = np.inf if found is None else found.curvature
        return None if found is None else self._search(now, local, found)

    def _search(self, now: Point, local: Local, d: Direction) -> Point | None:
        """The longest of 1, 1/2, 1/4, … of the step that lowers the merit  (CG1)-(CG4)."""
        hard = self.task.ends.hard
        violation = self._violated(now.h, now.s) * self.task.dt
        if hard:
            violation += float(np.abs(now.e).sum())
        if violation > 1e-14:
            wanted = (d.slope + 0.5 * max(d.curvature, 0.0)) / (0.7 * violation)
            self.sigma = max(1.5 * wanted, 0.5 * self.sigma, 1e-3)
        slope = d.slope - self.sigma * violation
        before = self.merit(now.cost, now.e, now.h, now.s)
        noise = self.task.noise * (abs(before) + abs(now.cost)) + self.task.least_noise
        most = length = longest(now.s, d.s)
        while length > SHORTEST:
            bound = before + ARMIJO * length * min(slope, 0.0) + noise
            trial = self._trial(now, d, length)
            if hard and length == most and trial is not None and trial[-1] > bound:
                trial = self._trial(now, d.corrected(now.e, trial[4], length), length)
            if trial is not None and trial[-1] <= bound:
                self.length, self.part = length, length / most
                return self._accept(now, d, trial, length)
            length *= 0.5
        return None

    def _trial(self, now: Point, d: Direction, length: float) -> Any:
        """Motion, slacks and merit after a part of a step; slacks are the distances to limits (CL5)."""
        try:
            x, c, lam = d.roll(self, now, length)
        except Failed as failed:
            self.failed = failed.step
            return None
        cost, e, h = self.measure(x, c, lam)
        s = now.s + length * d.s
        s = np.where((-h > (1.0 - BOUNDARY) * now.s) & (np.abs(h + s) > self.task.round_off), -h, s)
        merit = self.merit(cost, e, h, s)
        return (x, c, lam, cost, e, h, s, merit) if np.isfinite(merit) else None

    def _accept(self, now: Point, d: Direction, trial: Any, length: float) -> Point:
        x, c, lam, cost, e, h, s, _ = trial
        z = now.z + longest(now.z, d.z) * d.z
        if len(self.task.bounds):
            z = np.clip(z, self.barrier / (1e10 * s), 1e10 * self.barrier / s)
        return Point(x, c, lam, cost, e, h, s, z, now.nu + length * (d.nu - now.nu))

    def _violated(self, h: Array, s: Array) -> float:
        """The sum of what limits miss, without what is round-off of constraint forces."""
        off = np.abs(h + s)[self.task.bounds.active]
        return float(off[off > self.task.round_off].sum())

    def merit(self, cost: float, e: Array, h: Array, s: Array) -> float:
        """Cost, barrier, and what is violated  (CG1)."""
        dt, active = self.task.dt, self.task.bounds.active
        value = cost + self.sigma * dt * self._violated(h, s)
        if self.task.ends.hard:
            value += self.sigma * float(np.abs(e).sum())
        if self.barrier:
            value -= self.barrier * dt * float(np.log(s[active]).sum())
        return value
