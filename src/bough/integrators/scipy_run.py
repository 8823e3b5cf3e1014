"""Continuous dynamics with the methods of SciPy's `solve_ivp`.

The state of the differential equation is y = (q, v) of the dynamic variables. Inputs are held during each
step of the grid: if they may change from step to step, each step is integrated by itself; otherwise one
solver runs all the way and its dense output is sampled at the recorded nodes. Kinematic variables follow a
spline through their values at the nodes.

With stabilization="projection" each step of the grid is integrated by itself too, and the state is projected
onto the constraints at its end; with a one-step method (all but BDF and LSODA) also after each of its steps.

The implicit methods get the Jacobian of the right-hand side from `rate_jacobian`: SciPy's own differences
take steps that grow without limit along a cyclic variable, on which no acceleration depends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.description.rotation import product
from bough.errors import ModelError
from bough.integrators.continuous_run import ContinuousRun
from bough.integrators.rate_jacobian import rate_jacobian
from bough.integrators.run import Plan
from bough.model.projection import projected
from bough.motion.events import Ended
from bough.watch import Watch

METHODS = {
    "rk45": "RK45",
    "rk23": "RK23",
    "scipy-dop853": "DOP853",
    "radau": "Radau",
    "bdf": "BDF",
    "lsoda": "LSODA",
}
IMPLICIT = ("radau", "bdf", "lsoda")


class ScipyRun(ContinuousRun):
    """One run with a method of SciPy."""

    def __init__(self, plan: Plan) -> None:
        from scipy import integrate

        super().__init__(plan)
        name = plan.settings["integrator"]
        self._method = getattr(integrate, METHODS[name])
        self._implicit = name in IMPLICIT
        self._steps = self._evaluations = 0

    def run(self, watch: Watch) -> None:
        """Integrate to the end."""
        plan, grid, model = self.plan, self.plan.grid, self.plan.model
        y = np.concatenate([plan.q[: model.nq - model.nk], plan.v[: model.nd]])
        if plan.events:
            self._observer.begin(grid.t0, self._state(grid.t0, *self._both(grid.t0, y)))
        try:
            self._segments(y, watch)
        except Ended as ended:
            self._end(ended)

    def _segments(self, y: Array, watch: Watch) -> None:
        plan, whole = self.plan, self.plan.prescribed_grid()
        size = 1 if plan.inputs.changing or self._projecting else max(whole.steps, 1)
        for node in range(0, plan.grid.steps, size):
            t = float(whole.time(node))
            u = plan.inputs.of_step(node, t, lambda t=t, y=y: self._state(t, *self._both(t, y)))  # type: ignore[misc]
            y = self._segment(t, float(whole.time(node + size)), y, u, watch)

    def _work(self) -> dict[str, float]:
        return {"steps": self._steps, "evaluations": self._evaluations}

    def _segment(self, begin: float, end: float, y: Array, u: Array, watch: Watch) -> Array:
        """Integrate from one node to another with constant inputs."""
        if len(y) == 0:
            self._sample(end, y, lambda times: np.zeros((0, len(times))))
            return y
        rate = self._rate(u, watch)
        jacobian = {"jac": self._jacobian(u, watch)} if self._implicit else {}
        solver: Any = None
        try:
            solver = self._method(rate, begin, y, end, **jacobian, **self._options)
            while solver.status == "running" and (self.plan.events or self._row < len(self._q)):
                message = solver.step()
                if solver.status == "failed":
                    raise self._failure_of_method(solver.t, self._both(solver.t, solver.y)[0], message)
                self._steps += 1
                if not np.isfinite(solver.y).all():
                    raise self._failure(f"the state is not finite at t = {solver.t:.6g}")
                y = solver.y
                if self.plan.model._balls and hasattr(solver, "f"):
                    y = solver.y = self._normalised(y)
                if self._projecting and (solver.status == "finished" or hasattr(solver, "f")):
                    y = solver.y = self._project(solver.t, y)
                    if solver.status == "running":
                        solver.f = rate(solver.t, y)  # the rate at the start of the next step
                self._sample(solver.t, y, lambda times: solver.dense_output()(times))
                if self.plan.events:
                    dense = solver.dense_output()
                    after = self._state(solver.t, *self._both(solver.t, y))
                    self._observe(
                        solver.t_old,
                        after,
                        lambda t, dense=dense: self._state(t, *self._both(t, dense(t))),  # type: ignore[misc]
                    )
                watch.look(solver.t - self.plan.grid.t0)
        finally:
            self._evaluations += 0 if solver is None else solver.nfev
        return y

    def _rate(self, u: Array, watch: Watch) -> Callable[[float, Array], Array]:
        """The right-hand side dy/dt = (v, a); the core is called directly, which is five times faster."""
        model, nd, dynamic = self.plan.model, self.plan.model.nd, self.plan.model.nq - self.plan.model.nk
        q = np.zeros((1, model.nq))
        v, a, none = (np.zeros((1, model.nv)) for _ in range(3))
        moved = np.zeros(dynamic)  # dq/dt
        single, places = self.plan.model._single
        single, places = single[places < dynamic], places[places < dynamic]
        inputs, lam, time = u[None], np.zeros((1, model.nc)), np.zeros(1)

        def rate(t: float, y: Array) -> Array:
            watch.look()
            if not np.isfinite(y).all():
                raise self._failure(f"the state is not finite at t = {t:.6g}")
            q[0, :dynamic], v[0, :nd], time[0] = y[:dynamic], y[dynamic:], t
            if model.nk:
                q[0, dynamic:], v[0, nd:] = self._kinematic.value(t), self._kinematic.velocity(t)
                a[0, nd:] = self._kinematic.acceleration(t)
            failed = core.acceleration(model._core, q, v, none, inputs, time, *self._gains, a, lam)
            try:
                model._check_singular("acceleration", failed, ())
            except ModelError as error:
                raise self._failure(error.found) from error
            if not model._balls:
                return np.concatenate([y[nd:], a[0, :nd]])
            moved[places] = v[0, single]
            for i, k in model._balls.values():  # (BJ9)
                moved[k : k + 4] = 0.5 * product(y[k : k + 4], np.append(0.0, v[0, i : i + 3]))
            return np.concatenate([moved, a[0, :nd]])

        return rate

    def _jacobian(self, u: Array, watch: Watch) -> Callable[[float, Array], Array]:
        """The Jacobian of the right-hand side."""

        def jacobian(t: float, y: Array) -> Array:
            watch.look()
            q, v = self._both(t, y)
            q[: len(y) - self.plan.model.nd] = y[
                : len(y) - self.plan.model.nd
            ]  # of any length, as the rate has it
            ak = self._kinematic.acceleration(t)
            try:
                return rate_jacobian(self.plan.model, q, v, u, ak, t, self._gains)
            except ModelError as error:
                raise self._failure(error.found) from error

        return jacobian

    def _sample(self, t: float, y: Array, dense: Callable[[Array], Array]) -> None:
        """Record the instants up to time t, where the state is y."""
        self._t, last = t, self._row + 1
        while last < len(self._q) and self._times(last, last + 1)[0] <= t:
            last = min(2 * last, len(self._q))
        times = self._times(self._row, last)
        times = times[times <= t]
        inner = times[times < t]
        for time, state in zip(inner, dense(inner).T if len(inner) else (), strict=True):
            self._record(time, state)
        for time in times[len(inner) :]:
            self._record(time, y)

    def _record(self, t: float, y: Array) -> None:
        self._q[self._row], self._v[self._row] = self._both(t, y)
        self._row += 1

    def _normalised(self, y: Array) -> Array:
        """The state with quaternions of unit length."""
        y = y.copy()
        for _, place in self.plan.model._balls.values():
            y[place : place + 4] /= np.linalg.norm(y[place : place + 4])
        return y

    def _project(self, t: float, y: Array) -> Array:
        """The state projected onto the constraints."""
        model = self.plan.model
        q, v = projected(model, *self._both(t, y), t)
        return np.concatenate([q[: model.nq - model.nk], v[: model.nd]])
