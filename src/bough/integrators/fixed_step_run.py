"""A run with a method of fixed step on the equations of motion in generalised coordinates.

The state is (q, v) of the dynamic variables; the core steps, see cpp/bough/integrators/one_step.hpp. Inputs
are held during a step, kinematic variables follow a spline through their values at the nodes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.integrators.kinematic_motion import Motion, moving_forces
from bough.integrators.run import Failure, Plan, common_columns, run_in_chunks
from bough.integrators.stability import largest_stable_dt
from bough.integrators.stabilization import stabilized
from bough.motion.coarse_steps import warn_of_coarse_steps
from bough.motion.inputs import Inputs
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.validate import counted
from bough.watch import Watch

METHODS = ("semi-implicit-euler", "rk4", "implicit-midpoint")
LIMITS: dict[str, float] = {"tolerance": 1e-14, "max_iterations": 50}  # defaults of the implicit method


class FixedStepRun:
    """One run with a method of fixed step."""

    inner = (0.5,)  # of a step, where signs of event functions are compared

    def __init__(self, plan: Plan) -> None:
        model, settings = plan.model, plan.settings
        self.plan = plan
        self._motion = Motion(plan)
        projecting, gains = stabilized(settings["stabilization"])
        limits = [settings.get(name, default) for name, default in LIMITS.items()]
        self._new_stepper = partial(
            core.OneStep, model._core, settings["integrator"], *gains, projecting, *limits
        )
        self._stepper = self._new_stepper()
        self._aside: Any = None  # for side steps
        self._work_before = self._earlier_work = 0.0  # before the last step, and before a step made again
        self._work = np.zeros(plan.grid.rows)  # work of the forces up to each row, in J
        self._q = np.empty((plan.grid.rows, model.nq))
        self._v = np.empty((plan.grid.rows, model.nv))
        self._q[0], self._v[0] = plan.q, plan.v
        self._row = 1  # the next row to fill
        self._node = 0  # number of steps done

    def _put(self, stepper: Any, q: Array, v: Array) -> None:
        stepper.start(np.array(q), np.array(v))

    def run(self, watch: Watch) -> None:
        """Step to the end."""
        self._put(self._stepper, self.plan.q, self.plan.v)
        run_in_chunks(self.plan, self._advance, watch)

    def inputs_at(self, node: int, t: float) -> Array:
        """The inputs at a time in the step from a node."""
        row: Array = self.plan.inputs.at([node])[0]
        return row

    def acceleration_at(self, node: int, t: float) -> Array | None:
        """The accelerations of the kinematic variables at a time in the step from a node."""
        return self._motion.acceleration(t)

    def side(self, before: State, node: int, t: float) -> State:
        """The state at time t of the step from a node, whose state is `before`: a step that is not continued."""
        model, begin = self.plan.model, float(self.plan.grid.time(node))
        if self._aside is None:
            self._aside = self._new_stepper()
        self._put(self._aside, before.q, before.v)
        motion = self._kinematic_at(np.array([begin, 0.5 * (begin + t), t]))
        u, q, v = self.inputs_at(node, t)[None], np.empty((1, model.nq)), np.empty((1, model.nv))
        status, _, _, raised = self._aside.run(
            begin, 0, t - begin, 1, t - begin, motion, u, 1, 0, np.empty(1), q, v, 0
        )
        if isinstance(raised, BaseException):  # by a user's element
            raise raised
        if status:
            raise self._failure(status)
        return State(t, q[0], v[0], names=model._names)

    def end_at(self, before: State, node: int, t: float, name: str) -> None:
        """Let the run end at time t of the step from a node: that step is made again, shorter."""
        self.plan = self.plan.ended_at(node, t, name)
        if self.plan.inputs.function is not None:  # which has been called
            self.plan = replace(self.plan, inputs=Inputs(self.plan.inputs.rows))
        self._node, self._row = node, 1 + node // self.plan.grid.every
        work = self._work_before
        self._put(self._stepper, before.q, before.v)
        self._advance(node, 1, self.plan.grid.last)
        self._earlier_work = work
        if self._row == self.plan.grid.rows:
            self._work[self._row - 1] += work

    def _advance(self, first: int, count: int, dt: float) -> None:
        """Make some steps of equal size."""
        plan, grid = self.plan, self.plan.grid
        if plan.inputs.function is not None:
            plan.inputs.of_step(first, float(grid.time(first)), self._state)
        rows = plan.inputs.rows
        self._work_before = self._stepper.work
        status, done, self._row, raised = self._stepper.run(
            grid.t0,
            first,
            grid.dt,
            count,
            dt,
            self._kinematic_motion(first, count, dt),
            rows[first : first + count] if plan.inputs.changing else rows,
            grid.every,
            first % grid.every,
            self._work,
            self._q,
            self._v,
            self._row,
        )
        self._node += done
        if isinstance(raised, BaseException):  # by a user's element
            raise raised
        if status:
            raise self._failure(status)

    def _kinematic_motion(self, first: int, count: int, dt: float) -> Array:
        """Values, velocities and accelerations of the kinematic variables, (2 count + 1, 3, nk).

        The times are the nodes and the midpoints between them.
        """
        if not self.plan.model.nk:
            return np.empty((2 * count + 1, 3, 0))
        times = np.empty(2 * count + 1)
        times[::2] = self.plan.grid.time(np.arange(first, first + count + 1))
        times[1::2] = times[:-1:2] + 0.5 * dt
        return self._kinematic_at(times)

    def _kinematic_at(self, times: Array) -> Array:
        motion = np.empty((len(times), 3, self.plan.model.nk))
        if motion.size:
            for i, of in enumerate((self._motion.value, self._motion.velocity, self._motion.acceleration)):
                motion[:, i] = of(times)
        return motion

    def _state(self) -> State:
        """The current state of the run."""
        t, model = float(self.plan.grid.time(self._node)), self.plan.model
        q, v = np.empty(model.nq), np.empty(model.nv)
        self._stepper.state(q, v)
        q[model.nq - model.nk :], v[model.nd :] = self._motion.value(t), self._motion.velocity(t)
        return State(t, q, v, names=model._names)

    def _failure(self, status: int) -> Failure:
        plan, t = self.plan, float(self.plan.grid.time(self._node))
        name, dt = plan.settings["integrator"], plan.grid.dt
        do = "take a smaller dt"
        if status == core.StepStatus.singular:
            found = self._singular()
            do = "look at the motion before it, which this exception carries as .trajectory"
        elif status == core.StepStatus.not_finite:
            limit = self._limit()
            found = f"the motion blew up: with dt = {dt:g} {name!r} is not stable here{limit}"
            if limit:
                do += (
                    ", or an implicit method, 'midpoint' or 'implicit-midpoint', which stiffness does not make"
                    " unstable, but whose dt must resolve the motion too"
                )
        else:
            most = plan.settings["max_iterations"]
            found = f"the equations of the step were not solved in {counted(most, 'iteration')}"
        return Failure(self._node, t, found, f"{do} (on_failure='stop' returns the motion up to there)")

    def _limit(self) -> str:
        """The largest stable step, if the linearisation at the start bounds it."""
        plan, u = self.plan, self.plan.inputs.at(np.zeros(1, dtype=np.intp))[0]
        name, t0, dt = plan.settings["integrator"], plan.grid.t0, plan.grid.dt
        if name == "implicit-midpoint":
            return ""
        limit = largest_stable_dt(plan.model, name, plan.q, plan.v, u, t0, dt)
        return "" if limit is None else f"; linearised at the start, the largest stable dt is {limit:.3g} s"

    def _singular(self) -> str:
        name = self.plan.model.variables[self._stepper.singular]
        return f"the mass matrix is singular at variable {name!r}"

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows and the last state."""
        plan, nodes = self.plan, self.plan.grid.recorded(self._node)
        rows = len(nodes)
        if self._row < rows:  # the last node is not a multiple of `every`
            last = self._state()
            self._q[rows - 1], self._v[rows - 1] = last.q, last.v
            self._work[rows - 1] = self._earlier_work + self._stepper.work
        t, q, v = plan.grid.time(nodes), self._q[:rows], self._v[:rows]
        work = {"evaluations": self._stepper.evaluations, "wall_time": wall_time}
        columns = common_columns(plan, nodes, self._node, status, work)
        lam = moving_forces(plan, self._motion, t, q, v, columns["u"])
        return Trajectory(plan.model, t, q, v=v, lam=lam, **columns)

    def warn(self, run: Trajectory) -> None:
        """Warn if steps are too long."""
        warn_of_coarse_steps(run, self._work, self.plan.inputs)
