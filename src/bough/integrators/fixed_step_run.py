"""A run with a method of fixed step on the equations of motion in generalised coordinates.

The state is (q, v) of the dynamic variables; the core steps, see cpp/bough/integrators/one_step.hpp. Inputs
are held during a step, kinematic variables follow a spline through their values at the nodes.
"""

from __future__ import annotations

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.integrators.run import Failure, Plan, common_columns, run_in_chunks
from bough.integrators.scipy_run import Motion, moving_forces
from bough.integrators.stability import largest_stable_dt
from bough.integrators.stabilization import stabilized
from bough.motion.coarse_steps import warn_of_coarse_steps
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.watch import Watch

METHODS = ("semi-implicit-euler", "rk4", "implicit-midpoint")
LIMITS: dict[str, float] = {"tolerance": 1e-14, "max_iterations": 50}  # defaults of the implicit method


class FixedStepRun:
    """One run with a method of fixed step."""

    def __init__(self, plan: Plan) -> None:
        model, settings = plan.model, plan.settings
        self.plan = plan
        self._motion = Motion(plan)
        projecting, gains = stabilized(settings["stabilization"])
        limits = [settings.get(name, default) for name, default in LIMITS.items()]
        self._stepper = core.OneStep(model._core, settings["integrator"], *gains, projecting, *limits)
        self._work = np.zeros(plan.grid.rows)  # work of the forces up to each row, in J
        self._q = np.empty((plan.grid.rows, model.nq))
        self._v = np.empty_like(self._q)
        self._q[0], self._v[0] = plan.q, plan.v
        self._row = 1  # the next row to fill
        self._node = 0  # number of steps done

    def run(self, watch: Watch) -> None:
        """Step to the end."""
        nd = self.plan.model.nd
        self._stepper.start(self.plan.q[:nd].copy(), self.plan.v[:nd].copy())
        run_in_chunks(self.plan, self._advance, watch)

    def _advance(self, first: int, count: int, dt: float) -> None:
        """Make some steps of equal size."""
        plan, grid = self.plan, self.plan.grid
        if plan.inputs.function is not None:
            plan.inputs.of_step(first, float(grid.time(first)), self._state)
        rows = plan.inputs.rows
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
        motion = np.empty((2 * count + 1, 3, self.plan.model.nk))
        if motion.size:
            times = np.empty(2 * count + 1)
            times[::2] = self.plan.grid.time(np.arange(first, first + count + 1))
            times[1::2] = times[:-1:2] + 0.5 * dt
            for i, of in enumerate((self._motion.value, self._motion.velocity, self._motion.acceleration)):
                motion[:, i] = of(times)
        return motion

    def _state(self) -> State:
        """The current state of the run."""
        t, nd = float(self.plan.grid.time(self._node)), self.plan.model.nd
        q, v = np.empty((2, self.plan.model.nq))
        self._stepper.state(q, v)
        q[nd:], v[nd:] = self._motion.value(t), self._motion.velocity(t)
        return State(t, q, v, names=self.plan.model._names)

    def _failure(self, status: int) -> Failure:
        plan, t = self.plan, float(self.plan.grid.time(self._node))
        name, dt = plan.settings["integrator"], plan.grid.dt
        do = "take a smaller dt"
        if status == core.StepStatus.singular:
            found = self._singular()
            do = "look at the motion before it, which this exception carries as .trajectory"
        elif status == core.StepStatus.not_finite:
            found = f"the motion blew up: with dt = {dt:g} {name!r} is not stable here{self._limit()}"
            do += ", or a method that is stable at any dt, such as 'midpoint' or 'implicit-midpoint'"
        else:
            most = plan.settings["max_iterations"]
            found = f"the equations of the step were not solved in {most} iterations"
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
            self._work[rows - 1] = self._stepper.work
        t, q, v = plan.grid.time(nodes), self._q[:rows], self._v[:rows]
        work = {"evaluations": self._stepper.evaluations, "wall_time": wall_time}
        columns = common_columns(plan, nodes, self._node, status, work)
        lam = moving_forces(plan, self._motion, t, q, v, columns["u"])
        return Trajectory(plan.model, t, q, v=v, lam=lam, **columns)

    def warn(self, run: Trajectory) -> None:
        """Warn if steps are too long."""
        warn_of_coarse_steps(run, self._work)
