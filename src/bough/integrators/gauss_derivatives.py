"""Derivatives of a step of order 4, 6 or 8 of the midpoint rule, without constraints and kinematic variables.

Of y = (q, p) with y' = F(y, u), stages Y_i and the end y1 solve, with the table a, b, c of Gauss,

    Y_i = y0 + dt sum_j a_ij F(Y_j),   y1 = y0 + dt sum_j b_j F(Y_j)                                          (GD1)
    F = (v, L_q + f) at v = M^-1 p:   v_q = -M^-1 L_vq,  v_p = M^-1,  F_p' = (L_qv + f_v) v_p,
    F_q' = L_qq + f_q + (L_qv + f_v) v_q                                                                      (GD2)
    dY_i - dt sum_j a_ij F_y dY_j = dy0 + dt sum_j a_ij F_u du,   dy1 = dy0 + dt sum_j b_j (F_y dY_j + F_u du)  (GD3)

so that one matrix, that of Newton's method on the stages, gives all first derivatives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator

CONVERGED = 1e-14  # of a correction, relative to the largest entry
MOST = 30  # corrections


def gauss_table(stages: int) -> tuple[Array, Array, Array]:
    """a, b and c of the collocation at the roots of a Legendre polynomial."""
    nodes, weights = np.polynomial.legendre.leggauss(stages)
    c, b = 0.5 * (nodes + 1.0), 0.5 * weights
    powers = np.arange(1, stages + 1)
    a = (c[:, None] ** powers / powers) @ np.linalg.inv(c[:, None] ** (powers - 1))
    return a, b, c


class GaussLinearization:
    """What `StepLinearization` of the core is for steps of order 2, in the same calls."""

    def __init__(self, vi: VariationalIntegrator) -> None:
        self._model = vi.model
        self._table = gauss_table(vi.order // 2)
        self._failure = (0.0, 0, 0)

    def failure(self) -> tuple[float, int, int]:
        """The last residual, its row, and the number of corrections."""
        return self._failure

    def steps(self, dt: float, t: Array, x: Array, c: Array, x1: Array, lam: Array) -> tuple[int, int]:
        """The ends of a batch of steps."""
        return self._each(dt, t, x, c, lambda row, found: x1.__setitem__(row, found[0]), derivatives=False)

    def jacobians(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, A: Array, B: Array, lam: Array
    ) -> tuple[int, int]:
        """A and B of a batch of steps."""

        def put(row: int, found: tuple[Array, Array]) -> None:
            A[row], B[row] = np.split(found[1], [x.shape[1]], axis=1)

        return self._each(dt, t, x, c, put)

    def forward(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, ds: Array, out: Array
    ) -> tuple[int, int]:
        """J ds for a batch of steps."""
        nx = x.shape[1]
        return self._each(dt, t, x, c, lambda row, found: out[row, :nx].__setitem__(..., found[1] @ ds[row]))

    def backward(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, w: Array, out: Array
    ) -> tuple[int, int]:
        """J^T w for a batch of steps."""
        nx = x.shape[1]
        return self._each(dt, t, x, c, lambda row, found: out.__setitem__(row, w[row, :nx] @ found[1]))

    def _each(
        self, dt: float, t: Array, x: Array, c: Array, put: Any, derivatives: bool = True
    ) -> tuple[int, int]:
        for row in range(len(x)):
            found = self._step(dt, float(t[row]), x[row], c[row], derivatives)
            if found is None:
                return core.StepStatus.no_convergence, row
            put(row, found)
        return core.StepStatus.fine, -1

    def _step(
        self, dt: float, t: float, y0: Array, u: Array, derivatives: bool
    ) -> tuple[Array, Array] | None:
        """The end of a step and its derivatives by (y0, u), by Newton's method on (GD1)."""
        a, b, c = self._table
        s, n = len(b), len(y0)
        Y = np.repeat(y0[None], s, axis=0)
        for count in range(MOST):
            F, F_y, F_u = self._rates(Y, u, t + c * dt)
            matrix = np.eye(s * n) - dt * np.einsum("ij,jkl->ikjl", a, F_y).reshape(s * n, s * n)
            residual = (y0 + dt * a @ F - Y).reshape(-1)
            change = np.linalg.solve(matrix, residual).reshape(s, n)
            Y = Y + change
            self._failure = (float(np.abs(residual).max()), int(np.abs(residual).argmax()) % n, count + 1)
            if not np.isfinite(Y).all():
                return None
            if np.abs(change).max() <= CONVERGED * max(1.0, float(np.abs(Y).max())):
                break
        else:
            if np.abs(change).max() > 1e-11 * max(1.0, float(np.abs(Y).max())):
                return None
        F, F_y, F_u = self._rates(Y, u, t + c * dt)
        y1: Array = y0 + dt * b @ F
        if not derivatives:
            return y1, np.zeros((n, 0))
        matrix = np.eye(s * n) - dt * np.einsum("ij,jkl->ikjl", a, F_y).reshape(s * n, s * n)
        right = np.concatenate(
            [np.tile(np.eye(n), (s, 1)), dt * np.einsum("ij,jkl->ikl", a, F_u).reshape(s * n, -1)], 1
        )
        dY = np.linalg.solve(matrix, right).reshape(s, n, -1)  # (GD3)
        J = dt * np.einsum("j,jkl,jlm->km", b, F_y, dY)
        J[:, :n] += np.eye(n)
        J[:, n:] += dt * np.einsum("j,jkl->kl", b, F_u)
        return y1, J

    def _rates(self, Y: Array, u: Array, t: Array) -> tuple[Array, Array, Array]:
        """F of all stages and its derivatives by y and u (GD2)."""
        model, n = self._model, self._model.nv
        q, p = np.ascontiguousarray(Y[:, :n]), np.ascontiguousarray(Y[:, n:])
        v = model.velocity(q, p, t=t)
        L = model.lagrangian_derivatives(q, v)
        us = np.repeat(u[None], len(Y), axis=0)
        f, f_q = model.generalized_force(q, v, us, t), model.generalized_force_dq(q, v, us, t)
        f_v, f_u = model.generalized_force_dv(q, v, us, t), model.generalized_force_du(q, v, us, t)
        inverse = np.linalg.inv(L.dvdv)
        v_q = -inverse @ np.swapaxes(L.dqdv, 1, 2)
        by_v = L.dqdv + f_v
        F_y = np.concatenate(
            [
                np.concatenate([v_q, inverse], axis=2),
                np.concatenate([L.dqdq + f_q + by_v @ v_q, by_v @ inverse], axis=2),
            ],
            axis=1,
        )
        return np.concatenate([v, L.dq + f], axis=1), F_y, np.concatenate([np.zeros_like(f_u), f_u], axis=1)
