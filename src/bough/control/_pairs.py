"""Stages of Newton's method over pairs of configurations, whose Jacobians and Hessians are never formed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._costs import Expansion
from bough.control._stages import Derivatives, Slopes, Stages, no_derivatives

if TYPE_CHECKING:
    from bough.control._newton import Newton, Point


class PairStages(Stages):
    """The stages over all moves, states (q, ρ) in the place of (q, p): docs/theory/control.md, section 8  (DB1)-(DB5).

    J and H are empty.
    """

    def __init__(self, newton: Newton, now: Point, pairs: core.Pairs) -> None:
        super().__init__(newton, now)
        self.pairs = pairs

    # --- moves ---

    def moves(self, xi: Array) -> Array:
        """The moves (steps + 1, nx) of the states: p = ρ − (D1_0 − Hμ) q."""
        dx = np.empty_like(xi)
        self.pairs.states(np.ascontiguousarray(xi), dx)
        return dx

    def gains(self, G: Array) -> Array:
        """Gains (steps, nc, nx) of moves of the states."""
        full = self.newton.kept("gains of states", *G.shape)
        self.pairs.gains(np.ascontiguousarray(G), full)
        return full

    def start(self, T: Array) -> Array:
        """Moves (nx, free) of the first state, over (q, ρ)."""
        model = self.task.model
        D1_0 = np.empty((model.nd, model.nv))
        self.pairs.start(D1_0)
        moved = T.copy()
        moved[model.nv :] += D1_0 @ T[: model.nv]
        return moved

    # --- derivatives ---

    def _differentiate(self, cost: Expansion, slopes: Slopes, last: Array, second: bool) -> Derivatives:
        task = self.task
        steps, nc = self.now.c.shape
        costate, gradient = np.empty((steps + 1, len(last))), np.empty((steps, nc))
        costate[-1] = last
        if slopes.lam.size:
            self.by_force = self.newton.kept("lam", steps, task.model.nc, self.size + nc)
        status, step = self.pairs.run(
            task.setting.times[0],
            task.step.dt,
            self.now.x,
            self.now.c,
            slopes.y,
            slopes.r,
            slopes.lam,
            second and self.newton.convex,
            costate,
            gradient,
            self.by_force,
        )
        if step >= 0:
            raise no_derivatives(task, status, step)
        return Derivatives(self.slope(slopes), costate, gradient)

    def slope(self, slopes: Slopes) -> Array:
        """b, (steps, nz) over (q, ρ, c)."""
        b = np.empty((len(slopes.y), self.size + self.now.c.shape[1]))
        self.pairs.slope(self.task.step.dt, slopes.y, slopes.r, b)
        if slopes.lam.size:
            b += np.einsum("kri,kr->ki", self.by_force, slopes.lam)
        return b

    def control_size(self) -> float:
        """The largest diagonal entry of the Hessians by controls."""
        diagonal = np.empty(self.now.c.shape)
        self.pairs.control_diagonal(*self._hessian("exact"), diagonal)
        return float(np.abs(diagonal).max())

    # --- the quadratic problem ---

    def _hessian(self, use: str) -> tuple[float, Array, Array, Array, Array, bool]:
        """The length of steps, the weights of costs, what is added, and whether second derivatives are."""
        if use == "zero":
            none = np.zeros(0)
            return self.task.step.dt, none, none, none, none, False
        cost, curved = self.cost, use == "exact" and self.second
        return self.task.step.dt, cost.diagonal, cost.yy, cost.rr, self.of_forces, curved

    def _backward(self, use: str, b: Array, S: Array, last: Array, shift: float, *gains: Array) -> int:
        return self.pairs.sweep(*self._hessian(use), b, S, last, shift, *gains)

    def _forward(self, G: Array, w: Array, x: Array, c: Array) -> None:
        self.pairs.follow(G, w, x, c)
