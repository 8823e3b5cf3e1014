"""The stages of Newton's method over the steps of a motion: over all moves of its states, or over those reached.

Stages over pairs of configurations are in _pairs.py.

With z = (x, c) of a step, Y = dy/dz for y = (q0, q1, u), and covectors g0, g1 at the configurations of its ends,
b = Yᵀ l_y + Rᵀ l_r  (OB2) is [g0, 0] + J_qᵀ g1, g0 = l_q0 − l_r/dt and g1 = l_q1 + l_r/dt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._costs import Expansion
from bough.integrators.linearization import step_failure

if TYPE_CHECKING:
    from bough.control._newton import Newton, Point

LEAST_INERTIA = 1e-6  # of a variable, relative to the largest: what a scale of momenta divides by


class Derivatives(NamedTuple):
    """Slopes (steps, nz) of the stages, costates (steps + 1, nx) of the states, and the gradient."""

    b: Array
    costate: Array
    gradient: Array


class Sweep(NamedTuple):
    """The solution of the quadratic problem, with one column for each right-hand side.

    G (steps, nc, size) and w (steps, nc, columns) are gains and offsets, x (steps + 1, size, columns) and
    c (steps, nc, columns) states and controls along it, `moves` (free, columns) those of the start. The next
    solution takes the memory of G.
    """

    G: Array
    w: Array
    x: Array
    c: Array
    moves: Array


class Slopes(NamedTuple):
    """First derivatives of the costs and limits: by y, by rates, by constraint forces or none."""

    y: Array
    r: Array
    lam: Array


class Stages:
    """The stages over all moves of the states.

    Attributes
    ----------
    size : the number of states of a stage
    J : (steps, size, size + nc)
    H : (steps, nz, nz), the Hessians, with second derivatives of the motion if these were asked for
    by_force : (steps, m, size + nc), of the constraint forces, or empty
    of_forces : (steps, nz, nz), the Hessians of their limits, or empty
    """

    def __init__(self, newton: Newton, now: Point) -> None:
        self.newton, self.now = newton, now
        self.task: Any = newton.task  # with what stages of its kind need beyond `Problem`
        self.size = newton.task.size
        self.J: Array = np.zeros((0, 0, 0))
        self.H: Array = np.zeros(0)
        self.by_force: Array = np.zeros(0)
        self.of_forces: Array = np.zeros(0)
        self.second = False
        self.cost: Expansion
        self._plain: Array | None = None

    # --- moves ---

    def at_end(self, rows: Array) -> Array:
        """Covectors (rows, nx) of the last state, over the states of its stage."""
        return rows

    def directions(self) -> Array | None:
        """The moves (nx, size) of the last state; None for all."""
        return None

    def moves(self, xi: Array) -> Array:
        """The moves (steps + 1, nx) of the states."""
        return xi

    def pairs_of(self, dx: Array, dc: Array) -> tuple[Array, Array, Array]:
        """The changes of (q0, q1, u) along moves of the states and changes of the controls."""
        nq, nu = self.task.bounds.nq, self.task.bounds.nu
        return dx[:-1, :nq], dx[1:, :nq], dc[:, :nu]

    def gains(self, G: Array) -> Array | None:
        """Gains (steps, nc, nx) that a roll-out follows."""
        return G

    def changes(self, found: Sweep) -> Array:
        """The changes (steps, nc, columns) of the controls that a roll-out begins with, before its gains."""
        return -found.w

    def start(self, T: Array) -> Array:
        """Moves (nx, free) of the first state, over those of its stage."""
        return T

    # --- derivatives ---

    def differentiate(
        self, cost: Expansion, slopes: Slopes, last: Array, second: bool, force_weight: Array
    ) -> Derivatives:
        """(OB1), (OB2) from the costate `last` of the end; limits of forces have weights (steps, m), or none."""
        self.cost, self.second, self._plain = cost, second, None
        found = self._differentiate(cost, slopes, last, second)
        if force_weight.size:
            lam = self.by_force
            self.of_forces = np.swapaxes(lam, 1, 2) @ (force_weight[:, :, None] * lam)
        return found

    def _differentiate(self, cost: Expansion, slopes: Slopes, last: Array, second: bool) -> Derivatives:
        task, kept = self.task, self.newton.kept
        steps, nc = self.now.c.shape
        nx, m = self.size, task.model.nc
        nz = nx + nc
        self.J = kept("J", steps, nx, nz)
        self.H, b = kept("H", steps, nz, nz), kept("b", steps, nz)
        costate, gradient = np.empty((steps + 1, nx)), np.empty((steps, nc))
        costate[-1] = last
        self.by_force = kept("lam", steps, m, nz) if slopes.lam.size else np.zeros(0)
        status, step = task.kernels.backward.run(
            task.setting.times[0],
            task.step.dt,
            self.now.x,
            self.now.c,
            slopes.y,
            cost.diagonal,
            cost.yy,
            slopes.r,
            cost.rr,
            slopes.lam,
            second,
            self.J,
            self.H,
            b,
            costate,
            gradient,
            self.by_force,
        )
        if step >= 0:
            raise no_derivatives(task, status, step)
        return Derivatives(b, costate, gradient)

    def hessian(self, use: str) -> Array:
        """The Hessians "exact", "plain", without second derivatives of the motion (CN9), or "zero"."""
        if use == "zero":
            return np.zeros_like(self.H)
        H = self.H
        if use == "plain" and self.second:
            if self._plain is None:
                self._plain = self._of_costs(self.cost)
            H = self._plain
        return H + self.of_forces if self.of_forces.size else H

    def _of_costs(self, cost: Expansion) -> Array:
        """The Hessians of the costs alone."""
        steps, _, nz = self.J.shape
        H = self.newton.kept("plain H", steps, nz, nz)
        self.task.kernels.backward.plain(self.task.step.dt, cost.diagonal, cost.yy, cost.rr, self.J, H)
        return H

    def control_size(self) -> float:
        """The largest diagonal entry of the Hessians by controls."""
        return float(np.abs(np.diagonal(self.hessian("exact"), axis1=1, axis2=2)[:, self.size :]).max())

    # --- the quadratic problem ---

    def solve(
        self, use: str, b: Array, P: Array, last: Array, shift: float, T: Array | None = None
    ) -> Sweep | None:
        """Its solution with Hessians `use`; None if it is not convex.

        T : (nx, free), how the start may move; its value P, s gives the move -(TᵀPT)⁻¹Tᵀs
        """
        steps, nc = self.now.c.shape
        nx, columns = self.size, last.shape[1]
        G, w = self.newton.kept("gains", steps, nc, nx), np.empty((steps, nc, columns))
        S, last = np.ascontiguousarray(0.5 * (P + P.T)), np.ascontiguousarray(last)
        value, slope = np.empty((nx, nx)), np.empty((nx, columns))
        if self._backward(use, b, S, last, shift, G, w, value, slope) >= 0:
            return None
        x, c = np.zeros((steps + 1, nx, columns)), np.empty((steps, nc, columns))
        moves = np.zeros((0, columns))
        if T is not None and T.shape[1]:
            T = self.start(T)
            reduced = T.T @ value @ T + shift * np.eye(T.shape[1])
            try:
                factor = np.linalg.cholesky(0.5 * (reduced + reduced.T))
            except np.linalg.LinAlgError:
                return None
            moves = -np.linalg.solve(factor.T, np.linalg.solve(factor, T.T @ slope))
            x[0] = T @ moves
        self._forward(G, w, x, c)
        return Sweep(G, w, x, c, moves)

    def _backward(self, use: str, b: Array, S: Array, last: Array, shift: float, *gains: Array) -> int:
        return core.stagewise_backward(self.J, self.hessian(use), b, S, last, shift, *gains)

    def _forward(self, G: Array, w: Array, x: Array, c: Array) -> None:
        core.stagewise_forward(self.J, G, w, x, c)

    def slope(self, slopes: Slopes) -> Array:
        """b, (steps, nz)."""
        nq, nu, dt = self.task.model.nv, self.task.model.nu, self.task.step.dt
        l_y, l_r = slopes.y, slopes.r / dt
        b = self._by_ends(l_y[:, :nq] - l_r, l_y[:, nq : 2 * nq] + l_r)
        b[:, self.size : self.size + nu] += l_y[:, 2 * nq :]
        if slopes.lam.size:
            b += np.einsum("kri,kr->ki", self.by_force, slopes.lam)
        return b

    def _by_ends(self, g0: Array, g1: Array) -> Array:
        nq = g0.shape[1]
        b: Array = (g1[:, None, :] @ self.J[:, :nq])[:, 0]
        b[:, :nq] += g0
        return b


class Reached(Stages):
    """The stages over the moves T ξ that controls reach: few of many if loops are closed  (OT1)-(OT3)."""

    def __init__(self, newton: Newton, now: Point, reach: core.Reach, size: int, scale: Array) -> None:
        super().__init__(newton, now)
        self.size, self.reach = size, reach
        kept, task = newton.kept, self.task
        steps, nc = now.c.shape
        nx, m = task.size, task.model.nc
        self.T: Array = kept("T", steps + 1, nx, size)
        self.J = kept("J", steps, size, size + nc)
        self.by_force = kept("lam", steps, m, size + nc) if task.bounds.forces else np.zeros(0)
        reach.write(self.T, self.J, self.by_force)
        self.scale = scale

    def at_end(self, rows: Array) -> Array:
        """Covectors of the last state, over the states of its stage."""
        covectors: Array = rows @ self.T[-1]
        return covectors

    def directions(self) -> Array | None:
        """The moves of the last state."""
        last: Array = self.T[-1]
        return last

    def moves(self, xi: Array) -> Array:
        """The moves of the states."""
        dx: Array = (self.T @ xi[:, :, None])[..., 0]
        return dx

    def gains(self, G: Array) -> Array:
        """Gains of moves of the states: ξ = (D T)ᵀ D x."""
        full: Array = G @ np.swapaxes(self.scale[:, None] ** 2 * self.T[:-1], 1, 2)
        return full

    def _differentiate(self, cost: Expansion, slopes: Slopes, last: Array, second: bool) -> Derivatives:
        """(OB1) in all coordinates, (OT3) and the costs."""
        task = self.task
        steps, nc = self.now.c.shape
        nz = self.size + nc
        H = self.newton.kept("H", steps, nz, nz) if second else np.zeros(0)
        costate, gradient = np.zeros((steps + 1, len(last))), np.empty((steps, nc))
        costate[-1] = last
        status, step = self.reach.backward(
            task.setting.times[0],
            task.step.dt,
            self.now.x,
            self.now.c,
            slopes.y,
            slopes.r,
            slopes.lam,
            second,
            H,
            costate,
            gradient,
        )
        if step >= 0:
            raise no_derivatives(task, status, step)
        costs = self._of_costs(cost)
        if second:
            H += costs
        self.H = H if second else costs
        return Derivatives(self.slope(slopes), costate, gradient)

    def _of_costs(self, cost: Expansion) -> Array:
        """The Hessians of the costs alone."""
        return cost_hessians(self.task, self.T, self.J, cost)

    def _by_ends(self, g0: Array, g1: Array) -> Array:
        nq = g0.shape[1]
        b: Array = ((g1[:, None, :] @ self.T[1:, :nq]) @ self.J)[:, 0]
        b[:, : self.size] += (g0[:, None, :] @ self.T[:-1, :nq])[:, 0]
        return b


def cost_hessians(task: Any, T: Array, J: Array, cost: Expansion) -> Array:
    """Yᵀ l_yy Y and those by rates, over the states ξ and controls of stages: x = T ξ, ξ1 = J (ξ, c)  (OB2)."""
    model, dt = task.model, task.step.dt
    nq, nd, nu = model.nv, model.nd, model.nu
    steps, size, nz = J.shape
    Y = np.zeros((steps, 2 * nq + nu, nz))
    Y[:, :nq, :size] = T[:-1, :nq]
    Y[:, nq : 2 * nq] = T[1:, :nq] @ J
    Y[:, 2 * nq :, size : size + nu] = np.eye(nu)
    weighted = cost.diagonal[:, :, None] * Y
    if cost.yy.size:
        weighted += cost.yy @ Y
    H: Array = np.swapaxes(Y, 1, 2) @ weighted
    if cost.rr.any():
        R = (Y[:, nq : 2 * nq] - Y[:, :nq]) / dt
        R[:, nd:] = 0.0  # k1 - k0 is a control
        R[:, nd:, size + nu :] = np.eye(model.nk) / dt
        H += np.swapaxes(R, 1, 2) @ (cost.rr[:, :, None] * R)
    return H


def reached(newton: Newton, now: Point) -> Reached | None:
    """The stages over the moves that controls reach, if these are few."""
    task: Any = newton.task
    reach = task.kernels.reach
    if reach is None or not newton.reduced:
        return None
    model = task.model
    inertia = np.diag(model.mass_matrix(task.x0[: model.nq]))[: model.nd]
    inertia = np.maximum(inertia, LEAST_INERTIA * inertia.max())
    scale = np.concatenate([np.ones(model.nv), task.step.dt / inertia])
    most = task.size // 2
    status, step, size = reach.forward(task.setting.times[0], task.step.dt, now.x, now.c, scale, most)
    if step >= 0:
        raise no_derivatives(task, status, step)
    if size > most:
        newton.reduced = False
        return None
    return Reached(newton, now, reach, size, scale)


def no_derivatives(task: Any, status: Any, step: int) -> Exception:
    """The error of a step that has no derivatives."""
    where = f"step {step + 1} of {task.setting.where}"
    t = float(task.setting.times[step])
    return step_failure(task.step.integrator, task.step._kernel(), status, where, t, made=True)
