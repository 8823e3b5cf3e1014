"""The stages of Newton's method over the steps of a motion: over all moves of its states, or over those reached.

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
    """Hessians (steps, nz, nz) and slopes (steps, nz) of the stages, costates (steps + 1, nx), and the gradient."""

    H: Array
    b: Array
    costate: Array
    gradient: Array


class Hessians(NamedTuple):
    """The Hessians of all stages: H (steps, nz, nz), or weights of the ends of steps and of z in its place  (CN10)."""

    H: Array
    ends: Array
    diagonal: Array

    def along(self, z: Array, dq1: Array) -> float:
        """Σ zᵀHz for moves z (steps, nz) that move the configurations at the ends of steps by dq1 (steps, nq)."""
        if self.H.size:
            return float((z * (self.H @ z[:, :, None])[..., 0]).sum())
        return float((self.diagonal * z**2).sum() + (self.ends * dq1**2).sum())


def whole(H: Array) -> Hessians:
    """Hessians as they are."""
    return Hessians(H, np.zeros(0), np.zeros(0))


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
    by_force : (steps, m, size + nc), of the constraint forces, or empty
    """

    def __init__(self, newton: Newton, now: Point) -> None:
        self.newton, self.task = newton, newton.task
        self.now = now
        self.size = len(self.task.step.moves)
        self.J: Array = np.zeros((0, 0, 0))
        self.by_force: Array = np.zeros(0)

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

    def gains(self, G: Array) -> Array:
        """Gains (steps, nc, nx) of moves of the states."""
        return G

    # --- derivatives ---

    def differentiate(
        self, cost: Expansion, slopes: Slopes, last: Array, second: bool, use: str
    ) -> Derivatives:
        """(OB1), (OB2) from the costate `last` of the end, in the memory kept for this use."""
        task, kept = self.task, self.newton.kept
        steps, nc = self.now.c.shape
        nx, m = self.size, task.model.nc
        nz = nx + nc
        self.J = kept(f"{use} J", steps, nx, nz)
        H, b = kept(f"{use} H", steps, nz, nz), kept(f"{use} b", steps, nz)
        costate, gradient = np.empty((steps + 1, nx)), np.empty((steps, nc))
        costate[-1] = last
        self.by_force = kept(f"{use} lam", steps, m, nz) if slopes.lam.size else np.zeros(0)
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
            H,
            b,
            costate,
            gradient,
            self.by_force,
        )
        if step >= 0:
            raise no_derivatives(task, status, step)
        return Derivatives(H, b, costate, gradient)

    def plain(self, cost: Expansion) -> Array:
        """The Hessians of the costs alone."""
        steps, _, nz = self.J.shape
        H = self.newton.kept("plain H", steps, nz, nz)
        self.task.kernels.backward.plain(self.task.step.dt, cost.diagonal, cost.yy, cost.rr, self.J, H)
        return H

    def weights(self, cost: Expansion) -> Hessians | None:
        """The Hessians of costs that are weights of single variables, rates of kinematic ones and inputs  (CN10)."""
        model, dt = self.task.model, self.task.step.dt
        nq, nu = model.nv, model.nu
        if cost.yy.size or cost.rr[:, : model.nd].any():
            return None
        diagonal = np.zeros((len(self.J), self.J.shape[2]))
        diagonal[:, :nq] = cost.diagonal[:, :nq]
        diagonal[:, self.size : self.size + nu] = cost.diagonal[:, 2 * nq :]
        diagonal[:, self.size + nu :] = cost.rr[:, model.nd :] / dt**2
        return Hessians(np.zeros(0), np.ascontiguousarray(cost.diagonal[:, nq : 2 * nq]), diagonal)

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
        nx, m = len(task.step.moves), task.model.nc
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

    def differentiate(
        self, cost: Expansion, slopes: Slopes, last: Array, second: bool, use: str
    ) -> Derivatives:
        """(OB1) in all coordinates, (OT3) and the costs."""
        task = self.task
        steps, nc = self.now.c.shape
        nz = self.size + nc
        H = self.newton.kept(f"{use} H", steps, nz, nz) if second else np.zeros(0)
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
        costs = self.plain(cost)
        if second:
            H += costs
        return Derivatives(H if second else costs, self.slope(slopes), costate, gradient)

    def plain(self, cost: Expansion) -> Array:
        """The Hessians of the costs alone."""
        nq, nu, dt = self.task.model.nv, self.task.model.nu, self.task.step.dt
        steps, size, nz = self.J.shape
        Y = np.zeros((steps, 2 * nq + nu, nz))
        Y[:, :nq, :size] = self.T[:-1, :nq]
        Y[:, nq : 2 * nq] = self.T[1:, :nq] @ self.J
        Y[:, 2 * nq :, size : size + nu] = np.eye(nu)
        weighted = cost.diagonal[:, :, None] * Y
        if cost.yy.size:
            weighted += cost.yy @ Y
        H: Array = np.swapaxes(Y, 1, 2) @ weighted
        if cost.rr.any():
            R = (Y[:, nq : 2 * nq] - Y[:, :nq]) / dt
            R[:, self.task.model.nd :] = 0.0  # k1 - k0 is a control
            R[:, self.task.model.nd :, size + nu :] = np.eye(self.task.model.nk) / dt
            H += np.swapaxes(R, 1, 2) @ (cost.rr[:, :, None] * R)
        return H

    def weights(self, cost: Expansion) -> Hessians | None:
        """None: the Hessians are small."""
        return None

    def _by_ends(self, g0: Array, g1: Array) -> Array:
        nq = g0.shape[1]
        b: Array = ((g1[:, None, :] @ self.T[1:, :nq]) @ self.J)[:, 0]
        b[:, : self.size] += (g0[:, None, :] @ self.T[:-1, :nq])[:, 0]
        return b


def stages(newton: Newton, now: Point) -> Stages:
    """The stages at a point: over the moves that controls reach if these are few."""
    task = newton.task
    reach = task.kernels.reach
    if reach is None or not newton.reduced:
        return Stages(newton, now)
    model = task.model
    inertia = np.diag(model.mass_matrix(task.x0[: model.nq]))[: model.nd]
    inertia = np.maximum(inertia, LEAST_INERTIA * inertia.max())
    scale = np.concatenate([np.ones(model.nv), task.step.dt / inertia])
    most = len(task.step.moves) // 2
    status, step, size = reach.forward(task.setting.times[0], task.step.dt, now.x, now.c, scale, most)
    if step >= 0:
        raise no_derivatives(task, status, step)
    if size > most:
        newton.reduced = False
        return Stages(newton, now)
    return Reached(newton, now, reach, size, scale)


def no_derivatives(task: Any, status: Any, step: int) -> Exception:
    """The error of a step that has no derivatives."""
    where = f"step {step + 1} of {task.setting.where}"
    return step_failure(
        task.step.integrator, task.step._kernel(), status, where, float(task.setting.times[step])
    )
