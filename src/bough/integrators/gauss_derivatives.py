"""Derivatives of a step of order 4, 6 or 8 of the midpoint rule, by the matrix of Newton's method over its stages.

With z = (V, λ) of all stages, s = (q0, p0, u, k1), the residuals r(z, s) of gauss_equations.py and the end e(z, s),

    δz = −r_z⁻¹ r_s δs ,   δe = (e_s − e_z r_z⁻¹ r_s) δs                                                          (GD8)

and likewise by dt, by the time of the start and by parameters, whose columns of r and e are differences at fixed z.
If rows depend on each other, the least multipliers are taken, and the derivatives hold for moves along the constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.integrators.end_derivatives import End, multiplier_rows, velocity_rows
from bough.integrators.gauss_curvature import curvature
from bough.integrators.gauss_equations import GaussEquations, Given, Moves, Terms, gauss_table
from bough.model.variation import CENTRAL, Variation, variation

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator

CONVERGED = 1e-14  # of a correction, relative to the largest entry
MOST = 30  # corrections
DEPENDENT = 1e-11  # singular values that count as zero, relative
SHORT = 1e-3  # step of differences in time, as a part of dt
FAR = 1e-9  # of an end, relative: the step of the integrator is another one


class Solved(NamedTuple):
    """A step whose stages are found."""

    equations: GaussEquations
    V: Array  # of the dynamic variables
    lam: Array
    at: Terms

    @property
    def end(self) -> Array:
        """(q1, p1)."""
        return self.equations.end(self.at, self.lam)


class Derived(NamedTuple):
    """The derivatives of a step: of all that the stages are made of, of the end, and the matrices of (GD8)."""

    moves: Moves
    r: Array
    e: Array
    stages: Array  # dz/ds
    J: Array  # of the end


class GaussLinearization:
    """What `StepLinearization` of the core is for steps of order 2, in the same calls."""

    def __init__(self, vi: VariationalIntegrator) -> None:
        self._vi, self._model = vi, vi.model
        self._table = gauss_table(vi.order // 2)
        self.rows = vi.model.nc
        self._failure = (0.0, 0, 0)

    def failure(self) -> tuple[float, int, int]:
        """The last residual, its row, and the number of corrections."""
        return self._failure

    def steps(self, dt: float, t: Array, x: Array, c: Array, x1: Array, lam: Array) -> tuple[int, int]:
        """The ends of a batch of steps, and the constraint forces there."""

        def put(row: int, found: Solved) -> None:
            x1[row] = found.end
            if self._model.nc:
                end = self._end(found)
                v = self._model.velocity(end.q, end.p, end.vk, t=end.t)
                lam[row] = self._model.acceleration_and_multipliers(end.q, v, end.u, t=end.t)[1]

        return self._each(dt, t, x, c, put)

    def jacobians(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, A: Array, B: Array, lam: Array
    ) -> tuple[int, int]:
        """A and B of a batch of steps, and the derivatives of the constraint forces if lam has rows."""
        none = variation(self._model, (), "jacobians")

        def put(row: int, found: Solved) -> None:
            J = self._derived(found).J
            A[row], B[row] = np.split(J, [x.shape[1]], axis=1)
            if len(lam):
                with_times = np.concatenate([J, np.zeros((len(J), 2))], axis=1)
                lam[row] = self._multipliers(found, with_times, none)[:, :-2]

        return self._each(dt, t, x, c, put)

    def forward(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, ds: Array, out: Array
    ) -> tuple[int, int]:
        """J ds for a batch of steps."""
        nx = x.shape[1]
        return self._each(
            dt, t, x, c, lambda row, found: out[row, :nx].__setitem__(..., self._derived(found).J @ ds[row])
        )

    def backward(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, w: Array, out: Array
    ) -> tuple[int, int]:
        """J^T w for a batch of steps."""
        nx = x.shape[1]
        return self._each(
            dt, t, x, c, lambda row, found: out.__setitem__(row, w[row, :nx] @ self._derived(found).J)
        )

    def hessian(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, w: Array, out: Array
    ) -> tuple[int, int]:
        """The second derivatives of w.(q1, p1) for a batch of steps  (GD10)-(GD12)."""

        def put(row: int, found: Solved) -> None:
            of = self._derived(found)
            nz = found.equations.nz
            adjoint = -_solve(of.r[:, :nz].T, (w[row] @ of.e[:, :nz])[:, None])[:, 0]
            out[row] = curvature(found.equations, found.at, found.lam, of.moves, of.stages, adjoint, w[row])

        return self._each(dt, t, x, c, put)

    def parameter_jacobian(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, by: Variation, out: Array
    ) -> tuple[int, int]:
        """The derivatives of (q1, p1, lam) by parameters, for a batch of steps."""

        def put(row: int, found: Solved) -> None:
            out[row] = self._all_columns(found, by, times=False)[:, -len(by.names) :]

        return self._each(dt, t, x, c, put if by.names else lambda row, found: None)

    def parameter_gradient(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, w: Array, by: Variation, out: Array
    ) -> tuple[int, int]:
        """The gradient of w.(q1, p1) by parameters, for a batch of steps."""
        jacobian = np.zeros((len(x), w.shape[1], len(by.names)))
        ended = self.parameter_jacobian(dt, t, x, c, end, by, jacobian)
        nx = x.shape[1]
        out[...] = np.einsum("bi,bij->bj", w[:, :nx], jacobian[:, :nx])
        return ended

    def linearize(
        self,
        state: Any,
        dt: float,
        control: Array,
        J: Array,
        x1: Array,
        lam: Array,
        by: Variation,
        theta: Array,
    ) -> int:
        """All derivatives of the step from a state: J by (q, p, u, k, dt, t), and theta by parameters."""
        model = self._model
        begin = np.concatenate([state.q, np.asarray(state.p)])
        found = self._solved(dt, state.t, begin, control)
        if found is None:
            return int(core.StepStatus.no_convergence)
        made = self._vi.step(state, control[: model.nu], control[model.nu :], dt)
        x1[:], lam[:] = found.end, made.lam
        apart = np.abs(np.concatenate([made.q, np.asarray(made.p)]) - x1).max(initial=0.0)
        if apart > FAR * max(1.0, float(np.abs(x1).max(initial=0.0))):
            return int(core.StepStatus.no_convergence)  # it was made in halves
        columns = self._all_columns(found, by, times=True)
        J[...], theta[...] = np.split(columns, [J.shape[1]], axis=1)
        return int(core.StepStatus.fine)

    # --- one step ---

    def _each(
        self, dt: float, t: Array, x: Array, c: Array, put: Callable[[int, Solved], Any]
    ) -> tuple[int, int]:
        for row in range(len(x)):
            found = self._solved(dt, float(t[row]), x[row], c[row])
            if found is None:
                return core.StepStatus.no_convergence, row
            put(row, found)
        return core.StepStatus.fine, -1

    def _solved(self, dt: float, t: float, x0: Array, control: Array) -> Solved | None:
        """The stages of a step, by Newton's method on (GD4)."""
        model, nq, nd, nu = self._model, self._model.nq, self._model.nd, self._model.nu
        q0, s = x0[:nq], len(self._table.b)
        equations = GaussEquations(model, self._table, Given(dt, t, q0, x0[nq:], control[:nu], control[nu:]))
        moves, nz = equations.moves(), equations.nz
        unknown = Moves(*(part[..., :nz] for part in moves))
        line = (control[nu:] - q0[nd:]) / dt
        V = np.repeat(model.velocity(q0, x0[nq:], line, t=t)[None, :nd], s, axis=0)
        lam = np.zeros((s, model.nc))
        size = max(1.0, float(np.abs(q0).max(initial=0.0)))
        for count in range(MOST):
            at = equations.terms(V, lam)
            residual = equations.residual(at, lam)
            step = _solve(equations.residual_moves(at, unknown)[0], -residual[:, None])[:, 0]
            V, lam = V + step[: s * nd].reshape(s, nd), lam + step[s * nd :].reshape(s, -1)
            rows = np.abs(residual[: s * nd]).reshape(s, nd)
            self._failure = (float(np.abs(residual).max()), int(rows.max(axis=0).argmax()), count + 1)
            if not np.isfinite(step).all():
                return None
            change = dt * np.abs(step[: s * nd]).max(initial=0.0)
            if change <= CONVERGED * size:
                break
        else:
            if change > 1e-11 * size:
                return None
        return Solved(equations, V, lam, equations.terms(V, lam))

    def _derived(self, found: Solved) -> Derived:
        """(GD8)"""
        equations, nz = found.equations, found.equations.nz
        moves = equations.moves()
        r, e = equations.residual_moves(found.at, moves)
        stages = -_solve(r[:, :nz], r[:, nz:])
        return Derived(moves, r, e, stages, e[:, nz:] + e[:, :nz] @ stages)

    def _end(self, found: Solved) -> End:
        dt, t, q0, _, u, k1 = found.equations.given
        x1, nq, nd = found.end, self._model.nq, self._model.nd
        return End(x1[:nq], x1[nq:], (k1 - q0[nd:]) / dt, u, t + dt, dt)

    def _multipliers(self, found: Solved, J: Array, by: Variation) -> Array:
        end = self._end(found)
        return multiplier_rows(self._model, end, J, velocity_rows(self._model, end, J, by), by)

    def _all_columns(self, found: Solved, by: Variation, *, times: bool) -> Array:
        """The derivatives of (q1, p1, lam) by (q0, p0, u, k1, dt, t), those by times if asked for, and parameters."""
        of, nz = self._derived(found), found.equations.nz
        given, model = found.equations.given, self._model
        e = SHORT * given.dt

        def both(model: Any, dt: float = 0.0, t: float = 0.0) -> Array:
            moved = given._replace(dt=given.dt + dt, t=given.t + t)
            equations = GaussEquations(model, self._table, moved)
            at = equations.terms(found.V, found.lam)
            return np.concatenate([equations.residual(at, found.lam), equations.end(at, found.lam)])

        columns = [np.zeros((found.equations.nz + len(of.J), 2))]
        if times:
            along = [sum(w / e * both(model, **{name: a * e}) for a, w in CENTRAL) for name in ("dt", "t")]
            columns = [np.stack([np.asarray(x) for x in along], axis=1)]
        columns.append(by.difference(both))
        r, end = np.split(np.concatenate(columns, axis=1), [nz])
        J = np.concatenate([of.J, end - of.e[:, :nz] @ _solve(of.r[:, :nz], r)], axis=1)
        return np.concatenate([J, self._multipliers(found, J, by)]) if model.nc else J


def _solve(matrix: Array, right: Array) -> Array:
    """The least solution; rows that depend on each other leave multipliers open."""
    try:
        found = np.asarray(np.linalg.solve(matrix, right), dtype=float)
        if np.linalg.cond(matrix) < 1.0 / DEPENDENT:
            return found
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=DEPENDENT)[0], dtype=float)
