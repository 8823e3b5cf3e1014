"""A run in maximal coordinates: the core makes chunks of steps, Python acts between them."""

from __future__ import annotations

import numpy as np

from bough.integrators.run import Failure, Plan, common_columns, run_in_chunks
from bough.integrators.variational_run import first_rows
from bough.maximal._bodies import Bodies
from bough.maximal._settings import METHOD
from bough.motion.body_motion import BodyMotion
from bough.motion.rows import rate
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.watch import Watch


class MaximalRun:
    """One run with an integrator in maximal coordinates."""

    def __init__(self, plan: Plan) -> None:
        model, rows = plan.model, plan.grid.rows
        self.plan = plan
        self._bodies = Bodies(model, plan.settings, f"a simulation of model {model.name!r}")
        self._vk = rate(plan.prescribed, plan.prescribed_times()) if len(plan.prescribed) else None
        self._held = np.zeros((0, model.nk))
        self._t, self._q, self._v, self._x, self._o, self._drift = self._bodies.buffers(rows)
        self._lam = np.zeros((rows, model.nc))
        self._events: list[tuple[float, str]] = []
        self._broken: list[tuple[float, int]] = []  # time and body of each broken joint
        v = self._bodies.start(plan.grid.t0, plan.q, plan.v, plan.grid.dt, again=plan.begin is not None)
        self._record(0)
        self._q[0], self._v[0] = plan.q, v  # not as recovered, so that the run repeats bit for bit
        self._row = 1  # the next row to fill
        self._node = 0  # number of steps done
        self._iterations = 0

    def _record(self, row: int) -> None:
        self._bodies.core.record(self._t, self._q, self._v, self._x, self._o, self._drift, row)

    def run(self, watch: Watch) -> None:
        """Step to the end."""
        run_in_chunks(self.plan, self._advance, watch)

    def _advance(self, first: int, count: int, dt: float) -> None:
        """Make some steps of equal size."""
        plan = self.plan
        if plan.inputs.function is not None:
            plan.inputs.of_step(first, float(plan.grid.time(first)), self._state)
        rows = plan.inputs.rows
        status, done, self._row, iterations, broken, raised = self._bodies.core.run(
            self._bodies.method,
            count,
            dt,
            plan.prescribed[first + 1 : first + 1 + count] if len(plan.prescribed) else self._held,
            rows[first : first + count] if plan.inputs.changing else rows,
            plan.grid.every,
            first % plan.grid.every,
            self._t,
            self._q,
            self._v,
            self._lam,
            self._x,
            self._o,
            self._drift,
            self._row,
        )
        self._node += done
        self._iterations += iterations
        for step, event in broken:
            when = float(plan.grid.time(first + step + 1))
            self._events.append((when, self._bodies.event_name(event)))
            if event < 0:
                self._broken.append((when, -event - 1))
        if isinstance(raised, BaseException):
            raise raised
        if status:
            found, do = self._bodies.failure(status, dt)
            raise Failure(self._node, float(plan.grid.time(self._node)), found, do)

    def _state(self) -> State:
        t, q, v, *_ = self._bodies.recorded()
        model = self.plan.model
        return State(t[0], q[0], v[0], lam=self._bodies.core.lam[: model.nc], names=model._names)

    def warn(self, run: Trajectory) -> None:
        """No warning: constraints and contacts take an unknown amount of energy."""

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows and the last state."""
        plan, model = self.plan, self.plan.model
        nodes = plan.grid.recorded(self._node)
        rows = len(nodes)
        if self._row < rows:  # the last node is not a multiple of `every`
            self._record(rows - 1)
        t = plan.grid.time(nodes)
        for when, body in self._broken:
            self._drift[:rows][t > when, body] = 0.0
        if rows > 1:  # no step starts at the last node
            self._lam[rows - 1] = self._bodies.core.lam[: model.nc]
        newton = {"iterations": self._iterations} if self._bodies.method == METHOD["penalty-implicit"] else {}
        return Trajectory(
            model,
            t,
            first_rows(self._q, rows),
            v=first_rows(self._v, rows),
            lam=first_rows(self._lam, rows),
            vk=np.zeros((rows, model.nk)) if self._vk is None else self._vk[nodes],
            **common_columns(plan, nodes, self._node, status, {**newton, "wall_time": wall_time}),
            bodies=BodyMotion(
                self._bodies.names,
                first_rows(self._x, rows),
                first_rows(self._o, rows),
                first_rows(self._drift, rows),
                self._events,
            ),
        )
