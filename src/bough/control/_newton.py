"""Newton's method over the steps of any model: docs/theory/control.md, sections 5, 6 and 8."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._bounds import Bounds
from bough.control._costs import Motion, Setting
from bough.control._direction import BOUNDARY, ROUND_OFF, Direction, Local, longest
from bough.control._ends import Ends
from bough.control._solver import ARMIJO, LARGEST_SHIFT, PENALTIES, WORTHWHILE, Iterate
from bough.control._step import Step
from bough.control._velocity import velocities
from bough.errors import ModelError
from bough.model.model import Model

NOISE = 1e-12  # round-off of the merit, relative
SHORTEST = 2.0**-20  # part of a step that the line search tries last
LEAST_BARRIER = 2e-7  # of the cost: slacks divide the round-off of a motion, which multipliers would show
PATIENCE = 40  # iterations without progress that end the method
STILL = 1e-13  # of the largest coordinate: moves by less are the round-off of a motion


class Kernels:
    """Roll-outs and derivatives of the core for the steps of an integrator.

    pairs : derivatives and sweeps over pairs of configurations, None if steps are composed or may be halved
    reach : derivatives along the moves that controls reach, None if these may be more than half of all
    """

    def __init__(self, step: Step, threads: int) -> None:
        vi = step.integrator
        names = ("tolerance", "constraint_tolerance", "max_iterations", "max_halvings", "order")
        options: Any = {name: getattr(vi, name) for name in names}
        self.rollout = core.Rollout(step.model._core, vi._code, vi.alpha, **options)
        self.backward = core.Backward(step.model._core, vi._code, vi.alpha, **options, threads=threads)
        self.pairs = None
        if vi.order == 2 and vi.max_halvings == 0:
            self.pairs = core.Pairs(step.model._core, vi._code, vi.alpha, **options, threads=threads)
        model = step.model
        reached = 2 * max(model.nd - model.nc, 0) + model.nu + 2 * model.nk
        few = model.nc > 0 and vi.order == 2 and reached <= (model.nv + model.nd) // 2
        self.reach = core.Reach(step.model._core, vi._code, vi.alpha, **options) if few else None


@dataclass
class Task:
    """A problem of optimal control: start, costs, ends, limits, and the kernels that work on its steps.

    free : places in q of variables whose start is found too; the velocities of the start stay
    """

    setting: Setting
    step: Step
    x0: Array
    costs: list[Any]
    ends: Ends
    bounds: Bounds
    method: str
    kernels: Any  # `Kernels`, or `SmoothedKernels` with contacts
    free: tuple[int, ...] = ()

    @property
    def model(self) -> Model:
        """The model."""
        return self.setting.model

    def start_moves(self, x: Array) -> Array:
        """The moves (nx, free) of a state by the variables whose start is found, velocities held."""
        model = self.model
        T = np.zeros((model.nv + model.nd, len(self.free)))
        if self.free:
            motion = velocities(model, x[None], np.zeros((1, model.nk)), self.setting.times[:1])
            T[list(self.free), np.arange(len(self.free))] = 1.0
            T[model.nv :] = motion.momentum_by_q[0][:, list(self.free)]
        return T

    def moved_start(self, x: Array, ds: Array) -> Array:
        """The state after a change of the variables whose start is found."""
        model = self.model
        q = x[: model.nv].copy()
        v = model.velocity(q, x[model.nv :])
        q[list(self.free)] += ds
        return np.concatenate([q, model.momentum(q, v)[: model.nd]])

    def motion(self, x: Array, c: Array) -> Motion:
        """Configurations at both ends of steps, and inputs."""
        q = x[:, : self.model.nq]
        variables = self.model._variables_of(q)
        return Motion(variables[:-1], variables[1:], c[:, : self.model.nu], q[1:])


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
    failed: int  # the step that failed in the last trial, or -1


class Failed(Exception):
    """A roll-out whose step did not converge."""

    def __init__(self, status: Any, step: int, c: Array) -> None:
        super().__init__(step)
        self.status, self.step, self.c = status, step, c


class Newton:
    """Newton's method for one task."""

    def __init__(self, task: Task, report: Callable[[Iterate], None]) -> None:
        self.task, self.report = task, report
        self.sigma = 1.0  # weight of what is violated in the merit
        self.shift = 0.0  # of the control Hessians
        self.barrier = 0.0
        self.relative = 0.1 if len(task.bounds) else 0.0
        self.length, self.failed = 0.0, -1
        self.moved = np.inf  # by the last step without shifts, relative
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

    # --- motions ---

    def roll(
        self, x: Array, c: Array, d: Array | None, G: Array | None, length: float, start: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """A motion through gains about another one, from its start or another  (OR1)."""
        task = self.task
        none = np.zeros(0)
        to_x, to_c = np.empty_like(x), np.empty_like(c)
        to_x[0] = x[0] if start is None else start
        lam = np.empty((len(c), task.model.nc))
        status, step = task.kernels.rollout.run(
            task.setting.times[0],
            task.step.dt,
            x,
            c,
            none if d is None else np.ascontiguousarray(d),
            none if G is None else np.ascontiguousarray(G),
            length,
            to_x,
            to_c,
            lam,
        )
        if step >= 0:
            raise Failed(status, step, to_c)
        return to_x, to_c, lam

    def point(self, x: Array, c: Array, lam: Array, nu: Array) -> Point:
        """A point with slacks from its limits."""
        cost, e, h = self.measure(x, c, lam)
        s = np.maximum(-h, 1e-2)
        return Point(x, c, lam, cost, e, h, s, self.barrier / s, nu)

    def measure(self, x: Array, c: Array, lam: Array) -> tuple[float, Array, Array]:
        """Cost, missed ends, limits."""
        task = self.task
        motion = task.motion(x, c)
        cost = sum(one.value(motion) for one in task.costs)
        e = task.ends.values(x[-1]) if len(task.ends) else np.zeros(0)
        if task.ends.weight is not None:
            cost += 0.5 * float(task.ends.weight @ e**2)
        h = task.bounds.values(task.bounds.limited(motion.q0, motion.q1, motion.u, lam))
        return float(cost), e, h

    # --- iterations ---

    def solve(self, c: Array, tolerance: float, max_iterations: int) -> Result:
        """Minimise from controls c; a failed first roll-out raises `Failed`."""
        task = self.task
        x = np.empty((len(c) + 1, len(task.x0)))
        x[0] = task.x0
        rolled = self.roll(x, np.ascontiguousarray(c), None, None, 0.0)
        count = len(task.ends) if task.ends.hard else 0
        now = self.point(*rolled, np.zeros(count))
        if not np.isfinite(now.cost):
            raise ModelError(
                asked=f"cost of {task.setting.where}",
                found=f"{now.cost} along the guess",
                do="give costs and targets that are finite, or another guess",
            )
        self._set_barrier(now)
        now.z = self.barrier / now.s
        best, idle, least = now, 0, [np.inf, np.inf]
        iteration, status = 0, "iterations"
        left = (np.inf, np.inf, np.inf, np.inf)
        try:
            for iteration in range(max_iterations + 1):
                local = Local(self, now, iteration < max_iterations)
                left = local.residuals(now, 0.0)
                self.report(Iterate(iteration, now.cost, *left[:3], self.length))
                best = now
                if max(left[:3]) <= tolerance and left[3] <= max(tolerance, 2.0 * LEAST_BARRIER):
                    status = "converged"
                    break
                if iteration == max_iterations:
                    break
                better = (max(left) < 0.9 * least[0], now.cost < least[1] - 1e-3 * abs(least[1]))
                least = [min(max(left), least[0]), min(now.cost, least[1])]
                idle = 0 if any(better) else idle + 1
                if idle >= PATIENCE:
                    status = "no descent"
                    break
                self._lower_barrier(local, now, tolerance)
                following = self._step(now, local)
                if self._still(left, tolerance):
                    status = "converged"
                    break
                if following is None:
                    status = "no descent"
                    break
                now = following
        except KeyboardInterrupt:
            status = "interrupted"
        return Result(best, status, iteration, *left[:3], self.failed)

    def _still(self, left: tuple[float, ...], tolerance: float) -> bool:
        """Whether Newton's step is round-off of the motion, which may be all that the gradient has left  (CK2)."""
        settled = self.relative <= max(0.05 * tolerance, LEAST_BARRIER)
        return settled and self.moved <= STILL and max(left[1:3]) <= tolerance

    def _set_barrier(self, now: Point) -> None:
        """The barrier in units of the cost; a cost near zero has the size of a small effort."""
        if self.relative:
            self.barrier = self.relative * max(abs(now.cost), 1e-6) / float(np.ptp(self.task.setting.times))

    def _lower_barrier(self, local: Local, now: Point, tolerance: float) -> None:
        """The next barrier if the problem of this one is solved well enough  (CL4)."""
        least = max(0.05 * tolerance, LEAST_BARRIER)
        while self.relative > least and max(local.residuals(now, self.barrier)) <= 10.0 * self.relative:
            self.relative = max(least, min(0.2 * self.relative, self.relative**1.5))
            self._set_barrier(now)

    def _step(self, now: Point, local: Local) -> Point | None:
        """The next point: Newton's step; without second derivatives (CN9); with shifts, until one is long."""
        exact = self.task.method != "gauss-newton"
        self.moved = np.inf
        found: list[tuple[float, float, Point]] = []
        for curved in (True, False) if exact else (False,):
            accepted = self._try(now, local, 0.0, curved)
            if accepted is not None:
                self.gauss = not curved
                if self.length >= WORTHWHILE:
                    self.shift = 0.0
                    return accepted
                found.append((self.merit_of(accepted), self.length, accepted))
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
        return None if found is None else self._search(now, local, found)

    def _search(self, now: Point, local: Local, d: Direction) -> Point | None:
        """The longest of 1, 1/2, 1/4, … of the step that lowers the merit  (CG1)-(CG4)."""
        hard = self.task.ends.hard
        violation = self._violated(now.h, now.s) * self.task.step.dt
        if hard:
            violation += float(np.abs(now.e).sum())
        if violation > 1e-14:
            wanted = (d.slope + 0.5 * max(d.curvature, 0.0)) / (0.7 * violation)
            self.sigma = max(1.5 * wanted, 0.5 * self.sigma, 1e-3)
        slope = d.slope - self.sigma * violation
        before = self.merit(now.cost, now.e, now.h, now.s)
        noise = NOISE * (abs(before) + abs(now.cost))
        most = length = longest(now.s, d.s)
        while length > SHORTEST:
            bound = before + ARMIJO * length * min(slope, 0.0) + noise
            trial = self._trial(now, d, length)
            if hard and length == most and trial is not None and trial[-1] > bound:
                trial = self._trial(now, d.corrected(now.e, trial[4], length), length)
            if trial is not None and trial[-1] <= bound:
                self.length = length
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
        s = np.where((-h > (1.0 - BOUNDARY) * now.s) & (np.abs(h + s) > ROUND_OFF), -h, s)
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
        return float(off[off > ROUND_OFF].sum())

    def merit(self, cost: float, e: Array, h: Array, s: Array) -> float:
        """Cost, barrier, and what is violated  (CG1)."""
        dt, active = self.task.step.dt, self.task.bounds.active
        value = cost + self.sigma * dt * self._violated(h, s)
        if self.task.ends.hard:
            value += self.sigma * float(np.abs(e).sum())
        if self.barrier:
            value -= self.barrier * dt * float(np.log(s[active]).sum())
        return value
