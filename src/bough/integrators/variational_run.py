"""A run with a variational integrator: the core makes chunks of steps, Python acts between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.errors import BoughWarning, ModelError, quoted, warn
from bough.integrators import variational as integrator
from bough.integrators.run import Failure, Plan, common_columns, run_in_chunks
from bough.motion.coarse_steps import Coarse, warn_of_coarse_steps
from bough.motion.rows import rate
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.named import Named
from bough.watch import Watch


class VariationalRun:
    """One run with a variational integrator."""

    _new_stepper: Callable[..., Any] = staticmethod(integrator.new_stepper)

    def __init__(self, plan: Plan) -> None:
        model, grid = plan.model, plan.grid
        self.plan = plan
        self._stepper = self._new_stepper(model, plan.settings)
        self._held = np.zeros((0, model.nk))
        self._vk = rate(plan.prescribed, plan.prescribed_times()) if len(plan.prescribed) else None
        self._room = self._new_room(grid.rows)  # buffers that the stepper writes to
        self._near = plan.q  # a nearby configuration
        self._row = 1  # the next row to fill
        self._node = 0  # number of steps done
        self._iterations = self._halvings = 0
        if plan.settings.get("order", 2) > 2:
            self._warn_of_order()

    @cached_property
    def _method(self) -> Any:
        return integrator.from_settings(self.plan.model, self.plan.settings)

    def _new_room(self, rows: int) -> list[Array]:
        model = self.plan.model
        q, p = np.empty((rows, model.nq)), np.empty((rows, model.nd))
        q[0], p[0] = self.plan.q, self.plan.p
        return [np.zeros(rows), q, p, np.zeros((rows, model.nc))]

    def _begin(self) -> None:
        """Put the stepper at the start."""
        plan, grid = self.plan, self.plan.grid
        vk = np.zeros(plan.model.nk) if self._vk is None else self._vk[0]
        singular = self._stepper.start(grid.t0, plan.q, plan.p, vk)
        if singular >= 0:
            plan.model._check_singular("velocity", (0, singular), ())

    def _warn_of_order(self) -> None:
        """Warn if the motion of kinematic variables spoils the order of a composed step."""
        plan = self.plan
        if (
            plan.settings["integrator"] == "midpoint"
            or plan.settings.get("order") != 4
            or not len(plan.prescribed)
        ):
            return
        curved = np.abs(np.diff(plan.prescribed, 2, axis=0)).max(axis=0, initial=0.0)
        moved = curved > 1e-12 * np.abs(plan.prescribed).max(axis=0, initial=0.0)
        if moved.any():
            names = quoted([name for name, k in zip(plan.model.kinematic, moved, strict=True) if k])
            warn(
                f"order=4 of {plan.model.name!r} is of second order only: the kinematic variables {names} are"
                " taken as linear during a step; compare with a smaller dt, or leave order at 2, a fifth of"
                " the cost",
                BoughWarning,
            )

    def run(self, watch: Watch) -> None:
        """Step to the end."""
        self._begin()
        run_in_chunks(self.plan, self._advance, watch)

    def _advance(self, first: int, count: int, dt: float) -> None:
        """Make some steps of equal size."""
        plan = self.plan
        if plan.inputs.function is not None:
            plan.inputs.of_step(first, float(plan.grid.time(first)), self._state)
        status, done, self._row, iterations, halvings, raised = self._stepper.run(
            count,
            dt,
            *self._drive_of_steps(first, count),
            plan.grid.every,
            first % plan.grid.every,
            *self._room,
            self._row,
        )
        self._node += done
        self._iterations += iterations
        self._halvings += halvings
        if raised is not None:  # by a user's element
            raise raised
        if status:
            _, residual, worst, attempted = self._stepper.failure()
            residual *= self._method.unit(worst)
            raise Failure(
                self._node,
                float(plan.grid.time(self._node)),
                self._method.failure_text(status, residual, worst),
                "take a smaller dt, or look at the motion before it, which this exception carries"
                " as .trajectory (on_failure='stop' returns it instead)"
                if self._node > 0
                else "take a smaller dt; if that fails too, the start may be a singular configuration",
                attempted,
                residual,
            )

    def _drive_of_steps(self, first: int, count: int) -> tuple[Array, Array]:
        """Kinematic values and inputs of some steps, as the stepper takes them."""
        plan = self.plan
        rows = plan.inputs.rows
        return (
            plan.prescribed[first + 1 : first + 1 + count] if len(plan.prescribed) else self._held,
            rows[first : first + count] if plan.inputs.changing else rows,
        )

    def _state(self) -> State:
        vk = np.zeros(self.plan.model.nk) if self._vk is None else self._vk[self._node]
        u = self.plan.inputs.at([max(self._node - 1, 0)])[0]
        state: State = self._method.state(self._stepper, vk, self._near, u)
        return state

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows and the last state."""
        nodes = self.plan.grid.recorded(self._node)
        rows = len(nodes)
        if self._row < rows:  # the last node is not a multiple of `every`
            for array, values in zip(self._room[1:], self._stepper.state()[1:], strict=False):
                array[rows - 1] = np.reshape(values, array.shape[1:])
        work = {"iterations": self._iterations, "halvings": self._halvings, "wall_time": wall_time}
        coarse = self._coarse()
        if coarse is not None:
            work["coarse"] = coarse.number
        columns = common_columns(self.plan, nodes, self._node, status, work)
        columns["vk"] = np.zeros((rows, self.plan.model.nk)) if self._vk is None else self._vk[nodes]
        return self._trajectory_of_rows(self.plan.grid.time(nodes), columns)

    def _coarse(self) -> Coarse | None:
        """Steps that ended far from where the motion led, if the stepper counts them."""
        return Coarse(self._stepper.coarse, self._stepper.coarse_time)

    def warn(self, run: Trajectory) -> None:
        """Warn if steps are too long."""
        work = self._room[0]
        if self._row < len(run.t):  # the last node is not a multiple of `every`
            work[len(run.t) - 1] = self._stepper.work
        warn_of_coarse_steps(run, work, self._coarse())

    def _trajectory_of_rows(self, t: Array, columns: dict[str, Any]) -> Trajectory:
        """The trajectory made of the rows that the stepper wrote."""
        model, (_, q, p, lam) = self.plan.model, self._room
        about = {name: columns[name] for name in ("status", "settings", "statistics")}
        q, p = first_rows(q, len(t)), first_rows(p, len(t))
        run = Trajectory._of_core(
            model, t, q, columns["u"], columns["vk"], p, {**about, "_driving": columns["driving"]}
        )
        if model.nc:
            lam[len(t) - 1] = self._last_force(run)
        run.__dict__["lam"] = Named(first_rows(lam, len(t)), model._names.constraints)
        return run

    def _last_force(self, run: Trajectory) -> Array:
        """The constraint force in the last row: that of the continuous dynamics, as no step starts there."""
        model, q, t = self.plan.model, run.q[-1], run.t[-1]
        ak = None if self._vk is None else rate(self._vk, self.plan.prescribed_times())[self._node]
        vk = None if self._vk is None else self._vk[self._node]
        try:
            v = model.velocity(q, run.p[-1], vk, t)
            return model.acceleration_and_multipliers(q, v, run.u[-1], ak=ak, t=t)[1]
        except ModelError:  # a singular configuration: the force that led into it
            return np.asarray(self._stepper.state()[3])


def first_rows(array: Array, rows: int) -> Array:
    """The first rows, read-only; if a run ended early, the memory of the others is released."""
    part = array[:] if rows == len(array) else array[:rows].copy()
    part.flags.writeable = False
    return part
