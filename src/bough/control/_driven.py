"""The problem of a floating body whose joints are driven, as Newton's method takes it: docs/theory/control.md, 1 to 5.

A state is a row (g, r, p), which moves by (δ, r, p), g τ(δ); the controls of a roll-out are the joint velocities ṙ and
the inputs of costs and limits the efforts f. In the stages f takes the place of ṙ, by F = df/dz of z = (x, ṙ):

    ṙ = F_ṙ⁻¹ (f − F_x x)                                                                                   (CN8)

because efforts are differences of velocities divided by h: over (x, ṙ) a sweep would lose digits like h⁻².
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control import _costs
from bough.control._bounds import Bounds, Labels
from bough.control._costs import Expansion
from bough.control._motion import BASE, POSE, Motion, Task, cayley_vector, skew
from bough.control._newton import Failed
from bough.control._stages import Derivatives, Slopes, Stages, Sweep
from bough.model.units import variable_units

if TYPE_CHECKING:
    from bough.control._newton import Newton, Point


class Driven:
    """A task of a planner as a `Problem`; `scale` is a typical effort, which the cost is measured in."""

    method = "newton"
    free: tuple[int, ...] = ()
    noise = 1e-10  # efforts are second differences of shapes, about 1e-12 in 1600 steps
    least_noise = 1e-14  # of a typical effort, where next to none is needed
    least_barrier = round_off = 0.0
    small_steps = True

    def __init__(self, goal: Task, scale: float, where: str) -> None:
        self.goal, self.scale, self.where = goal, scale, where
        self.dt, self.duration, self.size = goal.h, goal.duration, goal.states
        self.costs = [Forces(goal, scale)]
        self.ends = DrivenEnds(goal)

    def pressure(self, cost: float) -> float:
        """A typical effort."""
        return 1.0

    @cached_property
    def bounds(self) -> Bounds:
        """Limits of shape, velocity and effort."""
        return driven_bounds(self.goal)

    def first(self) -> Array:
        """States, (steps + 1, …); the start is that of the task."""
        return np.empty((self.goal.steps + 1, 0))

    def roll(
        self, x: Array, c: Array, d: Array | None, G: Array | None, length: float, start: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """States, joint velocities and efforts after a part of a change d; no gains, for driven joints are stable."""
        rates = c if d is None else c + length * d
        motion = Motion(self.goal, rates)
        if motion.failed:
            raise Failed(motion.failed, abs(motion.failed) - 1, rates)
        finite = np.isfinite(motion.f).all(axis=tuple(range(1, motion.f.ndim)))
        if not finite.all():  # a guess as wild as that leads nowhere
            raise Failed(1 + int(np.argmin(finite)), int(np.argmin(finite)), rates)
        return motion.states, motion.rates, motion.f

    def motion(self, x: Array, c: Array, lam: Array) -> _costs.Motion:
        """Shapes and efforts."""
        r = x[:, POSE : POSE + self.goal.n]
        return _costs.Motion(r[:-1], r[1:], lam, r[1:], np.zeros((len(c), 0)))

    def stages(self, newton: Newton, now: Point) -> Stages:
        """The stages over (δ, r, p, f)."""
        return DrivenStages(newton, now)

    def start_moves(self, x: Array) -> Array:
        """None: the start is given."""
        return np.zeros((self.size, 0))

    def moved_start(self, x: Array, ds: Array) -> Array:
        """The start as it is."""
        return x


def driven_bounds(goal: Task) -> Bounds:
    """The limits of a task: of shape, velocity and effort."""
    names, units = goal.model.variables[BASE:], variable_units(goal.model)[BASE:]
    times: Array = goal.h * np.arange(goal.steps + 1.0)
    efforts = [{"rad": "N m", "m": "N"}.get(unit, "") if goal.dynamic else f"{unit}/s²" for unit in units]
    said = "the force on " if goal.dynamic else "the acceleration of "
    bounds = Bounds(Labels(names, names, (), units, efforts, said), times, goal.h, goal.low, goal.high)
    bounds.exclude_end([int(i) for i in np.flatnonzero(goal.fixed)])
    return bounds


class Forces:
    """h/2 Σ weight f² over a typical effort."""

    def __init__(self, goal: Task, scale: float) -> None:
        self.n, self.weight = goal.n, goal.h * goal.weight / scale

    def value(self, motion: _costs.Motion) -> float:
        """The cost."""
        return float(0.5 * np.sum(self.weight * motion.u**2))

    def add(self, motion: _costs.Motion, to: Expansion, exact: bool) -> None:
        """Add its derivatives."""
        to.y[:, 2 * self.n :] += self.weight * motion.u
        to.diagonal[:, 2 * self.n :] += self.weight


class DrivenEnds:
    """The conditions at the end: attitude (Cayley vector of the remaining turn), shape, rest, each in its scale.

    kinds : the kind of each row, "attitude", "shape" or "rest"
    """

    weight: Array | None = None
    hard = True

    def __init__(self, goal: Task) -> None:
        self.goal = goal
        turned = goal.attitude is not None
        self.kinds = ["attitude"] * (3 * turned) + ["shape"] * int(goal.fixed.sum()) + ["rest"] * goal.n
        self.scale = np.ones(len(self.kinds))
        self.scale[-goal.n :] = goal.momentum_scale

    def __len__(self) -> int:
        return len(self.kinds)

    def _turn(self, x: Array) -> Array:
        """The Cayley vector of the turn that is left; none if any attitude will do."""
        if self.goal.attitude is None:
            return np.zeros(0)
        return cayley_vector(self.goal.attitude.T @ x[:POSE].reshape(4, 4)[:3, :3])

    def values(self, x: Array) -> Array:
        """e, (rows,)."""
        goal, n = self.goal, self.goal.n
        r, p = x[POSE : POSE + n], x[POSE + n :]
        e: Array = np.concatenate([self._turn(x), (r - goal.shape)[goal.fixed], p - goal.end_momentum])
        return e / self.scale

    def jacobian(self, x: Array) -> Array:
        """de/dx, (rows, nx)."""
        goal, n = self.goal, self.goal.n
        a, unit = self._turn(x), np.eye(goal.states)
        rows = [unit[BASE : BASE + n][goal.fixed], unit[BASE + n :]]
        if len(a):
            by_turn = np.zeros((3, goal.states))
            by_turn[:, :3] = np.eye(3) + 0.5 * skew(a) + 0.25 * np.outer(a, a)  # (CE1)
            rows.insert(0, by_turn)
        return np.concatenate(rows) / self.scale[:, None]

    def second(self, x: Array, nu: Array, directions: Array | None = None) -> Array:
        """Second derivatives of nu . e by the last state, (nx, nx)  (CE2)."""
        H = np.zeros((self.goal.states,) * 2)
        a = self._turn(x)
        if len(a):
            w = nu[:3] + 0.5 * np.cross(nu[:3], a)
            H[:3, :3] = 0.25 * (np.outer(w, a) + np.outer(a, w)) + 0.125 * (nu[:3] @ a) * np.outer(a, a)
        return H


class DrivenStages(Stages):
    """The stages over (δ, r, p, f)  (CN8).

    Attributes
    ----------
    S : (steps, nz, nz), z = (x, ṙ) from (x, f)
    """

    S: Array

    def pairs_of(self, dx: Array, dc: Array) -> tuple[Array, Array, Array]:
        """The changes of shapes and efforts."""
        n = self.task.goal.n
        r = dx[:, BASE : BASE + n]
        return r[:-1], r[1:], dc

    def gains(self, G: Array) -> Array | None:
        """None: joint velocities are followed as they are."""
        return None

    def changes(self, found: Sweep) -> Array:
        """The changes (steps, n, columns) of the joint velocities."""
        rates: Array = self.S[:, self.size :] @ np.concatenate((found.x[:-1], found.c), axis=1)
        return rates

    def _direct(self, slopes: Slopes) -> Array:
        """The part of slopes that does not go through the effort, by z = (δ, r, p, ṙ)."""
        goal = self.task.goal
        n, h = goal.n, goal.h
        out = np.zeros((goal.steps, BASE + 3 * n))
        out[:, BASE : BASE + n] = slopes.y[:, :n] + slopes.y[:, n : 2 * n]
        out[:, BASE + 2 * n :] = h * slopes.y[:, n : 2 * n] + slopes.r  # r1 = r + h ṙ
        return out

    def _differentiate(self, cost: Expansion, slopes: Slopes, last: Array, second: bool) -> Derivatives:
        """Costates, gradient and second derivatives of λ·x1 + γ·f  (CD1)-(CD5), then f for ṙ."""
        goal, now, kept = self.task.goal, self.now, self.newton.kept
        steps, n, nx = goal.steps, goal.n, self.size
        nz = nx + n
        J, F, H = (
            kept("J by rates", steps, nx, nz),
            kept("F", steps, n, nz),
            kept("H by rates", steps, nz, nz),
        )
        costate, by_rates = np.empty((steps + 1, nx)), np.empty((steps, n))
        costate[-1] = last
        g, r = now.x[:, :POSE].reshape(-1, 4, 4), now.x[:, POSE : POSE + n]
        effort = np.ascontiguousarray(slopes.y[:, 2 * n :])
        core.differentiate(
            goal.model._core,
            goal.h,
            goal.dynamic,
            goal.momentum,
            now.c,
            np.ascontiguousarray(g),
            np.ascontiguousarray(r),
            effort,
            self._direct(slopes),
            J,
            F,
            H,
            costate,
            by_rates,
        )
        S = kept("S", steps, nz, nz)
        S[:] = 0.0
        S[:, np.arange(nx), np.arange(nx)] = 1.0
        S[:, nx:, nx:] = np.linalg.inv(F[:, :, nx:])
        S[:, nx:, :nx] = -S[:, nx:, nx:] @ F[:, :, :nx]
        self.S, self.J = S, J @ S
        self.H = self._of_costs(cost)
        if second:
            self.H = self.H + np.swapaxes(S, 1, 2) @ H @ S
        gradient = (by_rates[:, None] @ S[:, nx:, nx:])[:, 0]
        return Derivatives(self.slope(slopes), costate, gradient)

    def _of_costs(self, cost: Expansion) -> Array:
        """The Hessians of costs and limits: diagonals over shapes, velocities and efforts."""
        goal = self.task.goal
        n, h, nx = goal.n, goal.h, self.size
        rates = self.S[:, nx:]
        at_end = h * rates
        at_end[:, np.arange(n), BASE + np.arange(n)] += 1.0
        Y = np.concatenate((at_end, rates), axis=1)
        weight = np.concatenate((cost.diagonal[:, n : 2 * n], cost.rr), axis=1)
        H: Array = np.swapaxes(Y, 1, 2) @ (weight[:, :, None] * Y)
        H[:, nx + np.arange(n), nx + np.arange(n)] += cost.diagonal[:, 2 * n :]
        return H

    def slope(self, slopes: Slopes) -> Array:
        """b, (steps, nz) over (δ, r, p, f)."""
        b: Array = (self._direct(slopes)[:, None] @ self.S)[:, 0]
        b[:, self.size :] += slopes.y[:, 2 * self.task.goal.n :]
        return b
