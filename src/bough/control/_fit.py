"""One measured motion: the motion of the model for given parameters, and the exact derivatives of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._measured import by_parameters, explicit_derivative, measured, measured_by_state
from bough.control._nearest_pose import nearest_pose
from bough.control._records import Record
from bough.control._step import Step
from bough.control._velocity import velocities
from bough.control._weights import weight_vector
from bough.description.start import from_start
from bough.errors import BoughWarning, ConvergenceError, ModelError, quoted, warn
from bough.model.configurations import refuse_balls
from bough.model.model import Model
from bough.motion.single_state import single_configuration
from bough.validate import positive

SAME = 1e-6  # relative difference of a step and a part of an interval that count as equal
ROUNDED = 0.05  # of an interval: how far times that were rounded may be from even ones


class Fit:
    """One run: its motion for given parameters, and the exact derivatives of it."""

    def __init__(
        self,
        model: Model,
        record: Record,
        names: tuple[str, ...],
        start: tuple[Any, Any],
        fit_start: bool,
        dt: float | None,
        integrator: str,
        noise: Any,
        where: str,
    ) -> None:
        self.model, self.record, self.names, self.where = model, record, names, where
        self.integrator = integrator
        gaps = np.diff(record.t)
        even = np.linspace(record.t[0], record.t[-1], len(record.t))
        if np.abs(record.t - even).max() > ROUNDED * gaps.mean():
            raise ModelError(
                asked=f"t of a run of {where}",
                found=f"intervals from {gaps.min():.4g} to {gaps.max():.4g} s",
                do="give equal intervals, with NaN where a value is missing",
            )
        gap = float(np.ptp(record.t)) / len(gaps)
        self.each = 1 if dt is None else round(gap / positive(dt, "dt", where))
        if self.each < 1 or (dt is not None and abs(gap / self.each - dt) > SAME * dt):
            raise ModelError(
                asked=f"dt={dt} in {where}",
                found=f"a step that does not divide the interval {gap:.6g} s of the measurements",
                do=f"give dt={gap / max(self.each, 1):.6g}, or leave it out",
            )
        self.dt = gap / self.each
        sigma = np.ones(len(record.columns))
        if noise is not None:
            sigma = weight_vector(noise, record.columns, "noise", where)
        if not (sigma > 0.0).all():
            raise ModelError(
                asked=f"noise of {where}", found="zero", do="give standard deviations above zero"
            )
        self.sigma = sigma
        self.there = ~np.isnan(record.values)
        self.there[0] &= fit_start  # a given start is exact
        self.c = self._controls()
        self.q0, self.v0 = self._start(start, fit_start)
        if fit_start:
            refuse_balls(model, "fit_start of control.identify()", "give q and v of each run")
        if fit_start and model.nc:
            raise ModelError(
                asked=f"fit_start in {where}",
                found="a model with constraints, whose starts are not fitted yet",
                do="give q and v of each run",
            )
        self.start_count = 2 * model.nd if fit_start else 0
        self.columns = slice(0, 0)
        self._known: tuple[bytes, Any] | None = None

    def _controls(self) -> Array:
        model, record = self.model, self.record
        u = np.repeat(record.u[:-1], self.each, axis=0)
        nodes = np.arange(1, len(u) + 1) / self.each
        if record.k is None:
            return np.concatenate([u, np.zeros((len(u), model.nk))], axis=1)
        rows = np.arange(len(record.t))
        k = np.stack([np.interp(nodes, rows, column) for column in record.k.T], axis=1)
        return np.concatenate([u, k], axis=1)

    def _moves(self, k0: Array) -> Array:
        """The controls with the moves of the kinematic variables in place of their values."""
        moves, nu = self.c.copy(), self.model.nu
        moves[:, nu:] = np.diff(np.vstack([k0, self.c[:, nu:]]), axis=0)
        return moves

    def _start(self, given: tuple[Any, Any], fitted: bool) -> tuple[Array, Array]:
        model, record = self.model, self.record
        q = record.start[0] if record.start[0] is not None else given[0]
        v = record.start[1] if record.start[1] is not None else given[1]
        if q is None:
            q = {
                name: self._first(i, fitted)
                for i, name in enumerate(record.columns)
                if name in model.variables
            }
            q = self._from_frames(q, fitted)
        begin = Step(model, self.dt, self.integrator).integrator.start(q=q, v=v, t=float(record.t[0]))
        q0, v0 = np.array(begin.q), np.array(begin.v)
        if record.k is not None:
            q0[model.nq - model.nk :] = record.k[0]
        if model.nk and record.k is None:
            self.c[:, model.nu :] = q0[model.nq - model.nk :]
        return q0, v0

    def _from_frames(self, q: dict[str, float], fitted: bool) -> dict[str, float] | Array:
        """The start with the variables of the first row, the others where its frames are; what nothing tells is told.

        Variables of loops follow from the others.
        """
        model = self.model
        rank = np.linalg.matrix_rank(model.constraint_dq(model.neutral())) if model.nc else 0
        absent = [name for name in model.dynamic if name not in q]
        frames = [
            (i, name)
            for i, name in enumerate(self.record.columns)
            if name not in model.variables and not name.startswith("v.")
        ]
        if not absent or (q and len(absent) <= rank):
            return q
        own = f"{self.where}: the start of a run has no value of {quoted(absent)}, "
        if frames:
            if not fitted:
                found = "found from the frames in the first row with the first guess of the parameters"
                warn(f"{own}{found}; give q=, or fit_start=True, which begins there", BoughWarning)
            return nearest_pose(
                model,
                single_configuration(model, from_start(model, q)[0], self.where),
                [model.index(name) for name in absent],
                [name for _, name in frames],
                np.array([self._first(i, fitted) for i, _ in frames]),
            )
        if not fitted:
            warn(
                f"{own}taken from the model's own start; give q=, or fit_start=True, which begins there",
                BoughWarning,
            )
        return q

    def _first(self, column: int, fitted: bool) -> float:
        """The first value of a variable: its start, or a guess of it if the start is fitted."""
        rows = np.flatnonzero(~np.isnan(self.record.values[:, column]))
        if len(rows) == 0 or (rows[0] > 0 and not fitted):
            raise ModelError(
                asked=f"the start of a run of {self.where}",
                found=f"no value of {self.record.columns[column]!r} in the first row",
                do="give q=, begin with a row that has it, or fit the start (fit_start=True)",
            )
        return float(self.record.values[rows[0], column])

    def start_values(self) -> Array:
        """The start that is fitted: q and v of the dynamic variables."""
        nd = self.model.nd
        return np.concatenate([self.q0[:nd], self.v0[:nd]])

    def start(self, unknown: Array) -> tuple[Array, Array]:
        """The start for given unknowns."""
        nd, q, v = self.model.nd, self.q0.copy(), self.v0.copy()
        if self.start_count:
            own = unknown[self.columns]
            q[:nd], v[:nd] = own[:nd], own[nd:]
        return q, v

    def _motion(self, unknown: Array) -> Any:
        """The model and the states of all steps."""
        key = unknown.tobytes()
        if self._known is not None and self._known[0] == key:
            return self._known[1]
        values = dict(zip(self.names, unknown.tolist(), strict=False))
        model = self.model.with_parameters(**values)
        step = Step(model, self.dt, self.integrator)
        vi, (q, v) = step.integrator, self.start(unknown)
        options = [
            getattr(vi, name)
            for name in ("tolerance", "constraint_tolerance", "max_iterations", "max_halvings", "order")
        ]
        x = np.empty((len(self.c) + 1, model.nq + model.nd))
        x[0] = np.concatenate([q, model.momentum(q, v)[: model.nd]])
        none = np.zeros(0)
        kernel = core.Rollout(model._core, vi._code, vi.alpha, *options)
        status, failed = kernel.run(
            float(self.record.t[0]),
            self.dt,
            x,
            self._moves(q[model.nq - model.nk :]),
            none,
            none,
            0.0,
            x,
            np.empty_like(self.c),
            np.empty((len(self.c), model.nc)),
        )
        if failed >= 0:
            raise ConvergenceError(
                asked=self.where,
                found=f"step {failed + 1} of a motion did not converge ({status})",
                do="give bounds of the parameters, a better first guess, or a smaller dt",
                step=failed,
            )
        self._known = (key, (model, step, x))
        return model, step, x

    def residual(self, unknown: Array) -> Array:
        """What the motion misses, in units of the noise."""
        model, _, x = self._motion(unknown)
        off = (measured(model, x[:: self.each], self.record.columns) - self.record.values) / self.sigma
        return np.asarray(off[self.there])

    def jacobian(self, unknown: Array) -> tuple[Array, Array]:
        """Its derivatives by parameters and by the start."""
        model, step, x = self._motion(unknown)
        times: Array = float(self.record.t[0]) + self.dt * np.arange(len(self.c), dtype=np.float64)
        A, _ = step.jacobians(x[:-1], self.c, times, x1=x[1:])
        P = step.parameter_jacobian(x[:-1], self.c, self.names, times, x1=x[1:])
        count = len(self.names)
        X = np.zeros((len(x), len(step.moves), count + self.start_count))
        X[0, model.nv :, :count] = self._momentum_by_parameters(unknown)
        if self.start_count:
            motion = velocities(model, x[:1], np.zeros((1, model.nk)), times[:1])
            nd = model.nd
            X[0, :nd, count : count + nd] = np.eye(nd)
            X[0, model.nv :, count : count + nd] = motion.momentum_by_q[0][:, :nd]
            X[0, model.nv :, count + nd :] = motion.momentum_by_v[0][:, :nd]
        for k in range(len(A)):  # the chain of steps
            X[k + 1] = A[k] @ X[k]
            X[k + 1, :, :count] += P[k]
        rows, columns = slice(None, None, self.each), self.record.columns
        by_state = measured_by_state(model, x[rows], columns)
        J = by_state @ X[rows]
        J[..., :count] += explicit_derivative(self.model, self.names, unknown[:count], x[rows], columns)
        J = J / self.sigma[:, None]
        chosen = J[self.there]
        return chosen[:, :count], chosen[:, count:]

    def _momentum_by_parameters(self, unknown: Array) -> Array:
        """The derivatives of the momenta at the start, at fixed velocities; zero at rest."""
        q, v = self.start(unknown)
        count, nd = len(self.names), self.model.nd
        if not v.any():
            return np.zeros((nd, count))
        return by_parameters(
            self.model, self.names, unknown[:count], 1e-5, lambda model: model.momentum(q, v)[:nd]
        )
