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
from bough.errors import ModelError
from bough.integrators.rate_jacobian import rate_jacobian
from bough.integrators.run import Failure, Plan, common_columns
from bough.integrators.stabilization import stabilized
from bough.model.projection import projected
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.watch import Watch

METHODS = {
    "rk45": "RK45",
    "rk23": "RK23",
    "dop853": "DOP853",
    "radau": "Radau",
    "bdf": "BDF",
    "lsoda": "LSODA",
}
IMPLICIT = ("radau", "bdf", "lsoda")
RTOL = 1e-10
RANK = 1e-9  # singular values of Dh below this fraction of the largest count as zero
SINGULAR = 1e-4  # a smallest singular value below this fraction of that at the start is a singular position
OPTIONS: dict[str, float | None] = {"rtol": RTOL, "atol": 1e-12, "max_step": None, "first_step": None}


class ScipyRun:
    """One run with a method of SciPy."""

    def __init__(self, plan: Plan) -> None:
        from scipy import integrate

        self.plan = plan
        self._method = getattr(integrate, METHODS[plan.settings["integrator"]])
        self._implicit = plan.settings["integrator"] in IMPLICIT
        self._options = {name: plan.settings[name] for name in OPTIONS if plan.settings[name] is not None}
        self._kinematic = Motion(plan)
        self._projecting, self._gains = stabilized(plan.settings["stabilization"])
        self._projecting = self._projecting and plan.model.nc > 0
        self._first = np.concatenate([plan.q[: plan.model.nd], plan.v[: plan.model.nd]])
        self._q = np.empty((plan.grid.rows, plan.model.nq))
        self._v = np.empty_like(self._q)
        self._row = 0  # number of rows filled
        self._record(plan.grid.t0, self._first)
        self._node = 0  # the last node reached
        self._steps = self._evaluations = 0

    def run(self, watch: Watch) -> None:
        """Integrate to the end."""
        plan, grid, y = self.plan, self.plan.grid, self._first
        size = 1 if plan.inputs.changing or self._projecting else max(grid.steps, 1)
        for node in range(0, grid.steps, size):
            t = float(grid.time(node))
            u = plan.inputs.of_step(node, t, lambda t=t, y=y: self._state(t, y))  # type: ignore[misc]
            y = self._segment(t, float(grid.time(node + size)), y, u, watch)

    def warn(self, run: Trajectory) -> None:
        """No warning: the method keeps to its tolerances."""

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows."""
        plan, grid, rows = self.plan, self.plan.grid, self._row
        nodes = np.minimum(np.arange(rows) * grid.every, grid.steps)
        t, q, v = grid.time(nodes), self._q[:rows], self._v[:rows]
        work = {"steps": self._steps, "evaluations": self._evaluations, "wall_time": wall_time}
        columns = common_columns(plan, nodes, self._node, status, work)
        lam = moving_forces(plan, self._kinematic, t, q, v, columns["u"])
        return Trajectory(plan.model, t, q, v=v, lam=lam, **columns)

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
            while solver.status == "running":
                message = solver.step()
                if solver.status == "failed":
                    raise self._failure_of_method(solver.t, solver.y, message)
                self._steps += 1
                if not np.isfinite(solver.y).all():
                    raise self._failure(f"the state is not finite at t = {solver.t:.6g}")
                y = solver.y
                if self._projecting and (solver.status == "finished" or hasattr(solver, "f")):
                    y = solver.y = self._project(solver.t, y)
                    if solver.status == "running":
                        solver.f = rate(solver.t, y)  # the rate at the start of the next step
                self._sample(solver.t, y, lambda times: solver.dense_output()(times))
                watch.look(solver.t - self.plan.grid.t0)
        finally:
            self._evaluations += 0 if solver is None else solver.nfev
        return y

    def _rate(self, u: Array, watch: Watch) -> Callable[[float, Array], Array]:
        """The right-hand side dy/dt = (v, a); the core is called directly, which is five times faster."""
        model, nd = self.plan.model, self.plan.model.nd
        q, v, a, none = (np.zeros((1, model.nq)) for _ in range(4))
        inputs, lam, time = u[None], np.zeros((1, model.nc)), np.zeros(1)

        def rate(t: float, y: Array) -> Array:
            watch.look()
            if not np.isfinite(y).all():
                raise self._failure(f"the state is not finite at t = {t:.6g}")
            q[0, :nd], v[0, :nd], time[0] = y[:nd], y[nd:], t
            if model.nk:
                q[0, nd:], v[0, nd:] = self._kinematic.value(t), self._kinematic.velocity(t)
                a[0, nd:] = self._kinematic.acceleration(t)
            failed = core.acceleration(model._core, q, v, none, inputs, time, *self._gains, a, lam)
            try:
                model._check_singular("acceleration", failed, ())
            except ModelError as error:
                raise self._failure(error.found) from error
            return np.concatenate([y[nd:], a[0, :nd]])

        return rate

    def _jacobian(self, u: Array, watch: Watch) -> Callable[[float, Array], Array]:
        """The Jacobian of the right-hand side."""

        def jacobian(t: float, y: Array) -> Array:
            watch.look()
            q, v = self._both(t, y)
            ak = self._kinematic.acceleration(t)
            try:
                return rate_jacobian(self.plan.model, q, v, u, ak, t, self._gains)
            except ModelError as error:
                raise self._failure(error.found) from error

        return jacobian

    def _sample(self, t: float, y: Array, dense: Callable[[Array], Array]) -> None:
        """Record the nodes up to time t, where the state is y."""
        grid = self.plan.grid
        ended = t >= grid.t0 + grid.duration
        reached = grid.steps if ended else min(int((t - grid.t0) / grid.dt + 1e-9), grid.steps - 1)
        nodes = np.arange(self._row * grid.every, reached + 1, grid.every)
        if ended and grid.steps % grid.every:
            nodes = np.append(nodes, grid.steps)
        self._node = reached
        times = np.minimum(grid.time(nodes), t)
        inner = times < t
        for node_t, state in zip(times[inner], dense(times[inner]).T if inner.any() else (), strict=True):
            self._record(node_t, state)
        for node_t in times[~inner]:
            self._record(node_t, y)

    def _record(self, t: float, y: Array) -> None:
        self._q[self._row], self._v[self._row] = self._both(t, y)
        self._row += 1

    def _both(self, t: float, y: Array) -> tuple[Array, Array]:
        """q and v of all variables."""
        nd = self.plan.model.nd
        k, vk = self._kinematic.value(t), self._kinematic.velocity(t)
        return np.concatenate([y[:nd], k]), np.concatenate([y[nd:], vk])

    def _state(self, t: float, y: Array) -> State:
        return State(t, *self._both(t, y), names=self.plan.model._names)

    def _project(self, t: float, y: Array) -> Array:
        """The state projected onto the constraints."""
        nd = self.plan.model.nd
        q, v = projected(self.plan.model, *self._both(t, y), t)
        return np.concatenate([q[:nd], v[:nd]])

    def _failure_of_method(self, t: float, y: Array, message: str) -> Failure:
        """The failure of a method whose steps became too short, most often at a singular position."""
        found = f"the method stopped at t = {t:.6g}: {message}"
        model, (q, _) = self.plan.model, self._both(t, y)
        if model.nc == 0 or not np.isfinite(q).all():
            return self._failure(found)
        there, here = (
            np.linalg.svd(model.constraint_dq(*at)[:, : model.nd], compute_uv=False)
            for at in ((self.plan.q, self.plan.grid.t0), (q, t))
        )
        rank = int((there > RANK * there[0]).sum())  # rows that are always redundant do not count
        if rank == 0 or here[rank - 1] * there[0] > SINGULAR * there[rank - 1] * here[0]:
            return self._failure(found)
        return self._failure(
            f"the mechanism is at a singular position at t = {t:.6g}: rows of its constraints become"
            f" dependent there, and the accelerations are not determined (the method says: {message})",
            "use integrator='midpoint', whose steps lead past singular positions; or start where the motion"
            " does not pass one; the motion before it is in .trajectory of this exception"
            " (on_failure='stop' returns it)",
        )

    def _failure(self, found: str, do: str | None = None) -> Failure:
        return Failure(
            self._node,
            float(self.plan.grid.time(self._node)),
            found,
            do
            or "look at the motion before it, which this exception carries as .trajectory"
            " (on_failure='stop' returns it instead); smaller rtol and atol may help",
        )


class Motion:
    """The motion of the kinematic variables: a spline of degree 5 through their values at the nodes."""

    def __init__(self, plan: Plan) -> None:
        self._held: Array = plan.q[plan.model.nd :]
        self._splines: tuple[Any, Any, Any] | None = None
        if len(plan.prescribed) > 1:
            from scipy.interpolate import make_interp_spline

            degree = next(d for d in (5, 3, 1) if d < len(plan.prescribed))
            spline = make_interp_spline(plan.prescribed_times(), plan.prescribed, k=degree)
            first = spline.derivative()
            self._splines = (spline, first, first.derivative() if degree > 1 else _zero)
        self._zeros = np.zeros_like(self._held)

    def value(self, t: Any) -> Array:
        """The values at time t, or at an array of times."""
        return self._held if self._splines is None else np.asarray(self._splines[0](t))

    def velocity(self, t: Any) -> Array:
        """The velocities at time t."""
        return self._zeros if self._splines is None else np.asarray(self._splines[1](t))

    def acceleration(self, t: Any) -> Array:
        """The accelerations at time t."""
        return self._zeros if self._splines is None else self._splines[2](t) + self._zeros


def moving_forces(plan: Plan, motion: Motion, t: Array, q: Array, v: Array, u: Array) -> Array | None:
    """The constraint forces if kinematic variables move; their accelerations are not recorded."""
    if plan.model.nc == 0 or len(plan.prescribed) == 0:
        return None
    ak = np.array([motion.acceleration(time) for time in t.tolist()])
    try:
        return plan.model.acceleration_and_multipliers(q, v, u, ak=ak, t=t)[1]
    except ModelError:  # the run ended in a singular configuration
        return None


def _zero(t: Any) -> float:
    return 0.0
