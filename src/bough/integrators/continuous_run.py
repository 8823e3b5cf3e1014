"""The parts common to the runs that integrate y' = (v, a), y = (q, v), with steps of their own choice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import CoarseStepWarning, warn
from bough.integrators.kinematic_motion import Motion, moving_forces
from bough.integrators.run import Failure, Plan, common_columns
from bough.integrators.stabilization import stabilized
from bough.motion.energy_check import conservative
from bough.motion.events import Ended, Observer, plain_event
from bough.motion.state import State
from bough.motion.trajectory import Trajectory

RTOL = 1e-10
LEAST_RTOL = 100 * float(np.finfo(float).eps)
RANK = 1e-9  # singular values of Dh below this fraction of the largest count as zero
SINGULAR = 1e-4  # a smallest singular value below this fraction of that at the start is a singular position
ENERGY = (
    1e-4  # a change of the energy of a conservative motion, of the largest kinetic energy, that is warned of
)
INNER = (0.2, 0.4, 0.6, 0.8)  # of a step, where signs of event functions are compared
OPTIONS: dict[str, float | None] = {"rtol": RTOL, "atol": 1e-12, "max_step": None, "first_step": None}


def own_method(plan: Plan, motion: Motion) -> Any:
    """The method of order 8 of the core with the tolerances of a run."""
    options = {name: plan.settings[name] for name in OPTIONS}
    projecting, gains = stabilized(plan.settings["stabilization"])
    breaks, coefficients = motion.pieces()
    return core.Dop853(
        plan.model._core,
        max(options["rtol"], LEAST_RTOL),
        options["atol"],
        math.inf if options["max_step"] is None else options["max_step"],
        options["first_step"] or 0.0,
        gains,
        projecting,
        plan.q[plan.model.nq - plan.model.nk :].tolist(),
        breaks,
        coefficients,
    )


class ContinuousRun:
    """Base of the runs with a method that chooses its steps."""

    def __init__(self, plan: Plan) -> None:
        grid = plan.grid
        self.plan = plan
        self._options = {name: plan.settings[name] for name in OPTIONS if plan.settings[name] is not None}
        self._kinematic = Motion(plan)
        self._projecting, self._gains = stabilized(plan.settings["stabilization"])
        self._projecting = self._projecting and plan.model.nc > 0
        self._instants = plan.instants
        rows = grid.rows if self._instants is None else len(self._instants)
        self._q = np.empty((rows, plan.model.nq))
        self._v = np.empty((rows, plan.model.nv))
        self._q[0], self._v[0] = plan.q, plan.v
        self._v[0, plan.model.nd :] = self._kinematic.velocity(grid.t0)
        self._row = int(self._instants is None or self._instants[0] <= grid.t0)  # the next row to fill
        self._t = grid.t0  # the time reached
        self._observer = Observer(plan.model, plan.events)

    def warn(self, run: Trajectory) -> None:
        """Warn if the energy of a mechanism changes that nothing drives or damps.

        Only what the tolerances cannot control does this: a singular position, where rows of the constraints depend
        on each other and a step leads to another branch of the motion.
        """
        if run.model.nc == 0 or len(run.t) < 2 or not conservative(run):
            return
        change = np.abs(run.energy() - run.energy()[0])
        kinetic = float(run.kinetic_energy().max())
        worst = int(change.argmax())
        allowed = max(ENERGY, 1e3 * self._options["rtol"])
        if change[worst] > allowed * kinetic:
            first = int(np.argmax(change > 0.5 * change[worst]))
            warn(
                f"the energy of {run.model.name!r} changes by {change[worst] / kinetic:.1e} of its largest kinetic"
                f" energy near t = {run.t[first]:.4g} s although nothing drives or damps it, as it does where a"
                " mechanism passes a singular position: compare with integrator='midpoint', or choose a smaller rtol",
                CoarseStepWarning,
            )

    def _times(self, first: int, last: int) -> Array:
        """The times of some rows."""
        if self._instants is not None:
            return self._instants[first:last]
        grid = self.plan.grid
        rows = np.arange(first, min(last, grid.rows))
        times: Array = grid.time(np.minimum(rows * grid.every, grid.steps))
        return times

    def _work(self) -> dict[str, float]:
        """Counts of steps and evaluations."""
        raise NotImplementedError

    @property
    def _node(self) -> int:
        """The last node reached."""
        grid = self.plan.grid
        if self._t >= grid.t0 + grid.duration:
            return grid.steps
        return max(0, min(int((self._t - grid.t0) / grid.dt + 1e-9), grid.steps - 1))

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows."""
        plan, grid, rows = self.plan, self.plan.grid, self._row
        if rows == 0:  # no instant was reached: the start stands for all
            self._instants = np.array([grid.t0])
            rows = 1
        t, q, v = self._times(0, rows), self._q[:rows], self._v[:rows]
        nodes = np.minimum(np.arange(rows) * grid.every, grid.steps)
        if self._instants is not None:
            nodes = np.minimum(((t - grid.t0) / grid.dt + 1e-9).astype(np.int64), grid.steps)
        if self._ended:
            status = "event"
        work = {**self._work(), "wall_time": wall_time}
        columns = common_columns(plan, nodes, self._node, status, work)
        lam = moving_forces(plan, self._kinematic, t, q, v, columns["u"])
        run = Trajectory(plan.model, t, q, v=v, lam=lam, **columns)
        for event in self._observer.found:
            node = max(0, min(int((event.t - grid.t0) / grid.dt), grid.steps - 1))
            drive = self.inputs_at(node, event.t), self.acceleration_at(node, event.t)
            run.events += (plain_event(plan.model, event, *drive),)
        return run

    # --- events ---

    def _observe(self, before: float, after: State, exact: Callable[[float], State]) -> None:
        """Look for events in a step of the method."""
        length = after.t - before
        inner = [before + part * length for part in INNER]
        self._observer.look(after.t, after, before, inner, None, exact)

    def _end(self, ended: Ended) -> None:
        """End the run with a terminal event, whose state is the last row."""
        event, grid = ended.event, self.plan.grid
        t = grid.t0 + (event.t - grid.t0)
        kept = int(np.searchsorted(self._times(0, self._row), t))
        for array, last in ((self._q, event.state.q), (self._v, event.state.v)):
            if kept == len(array):  # the last instant is earlier
                array.resize((kept + 1, array.shape[1]), refcheck=False)
            array[kept] = last
        if self._instants is not None:
            self._instants = np.append(self._instants[:kept], t)
        self._t, self._row = t, kept + 1
        node = max(0, min(int(np.ceil((t - grid.t0) / grid.dt - 1e-12)), grid.steps) - 1)
        while node > 0 and grid.time(node) >= t:
            node -= 1
        self.plan = self.plan.ended_at(node, t, event.name)

    @property
    def _ended(self) -> bool:
        return "ended" in self.plan.settings

    def side(self, before: State, node: int, t: float) -> State:
        """The state at time t of the step from a node, whose state is `before`: by steps of order 8."""
        model, u = self.plan.model, self.inputs_at(node, t)
        method = own_method(self.plan, self._kinematic)
        q, v = np.empty((1, model.nq)), np.empty((1, model.nv))
        method.start(before.t, np.array(before.q), np.array(before.v))
        status, _, raised = method.run(t, np.ascontiguousarray(u), 10**6, False, np.array([t]), q, v, 0)
        if isinstance(raised, BaseException):
            raise raised
        if status:
            raise self._failure(f"a step between two instants failed at t = {method.t:.6g}")
        return self._state(t, q[0], v[0])

    def inputs_at(self, node: int, t: float) -> Array:
        """The inputs at a time in the step from a node."""
        row: Array = self.plan.inputs.at([node])[0]
        return row

    def acceleration_at(self, node: int, t: float) -> Array:
        """The accelerations of the kinematic variables at a time in the step from a node."""
        return self._kinematic.acceleration(t)

    def _both(self, t: float, y: Array) -> tuple[Array, Array]:
        """q and v of all variables."""
        model = self.plan.model
        k, vk = self._kinematic.value(t), self._kinematic.velocity(t)
        dynamic = model.nq - model.nk
        q = np.concatenate([y[:dynamic], k])
        for _, place in model._balls.values():
            q[place : place + 4] /= np.linalg.norm(q[place : place + 4])
        return q, np.concatenate([y[dynamic:], vk])

    def _state(self, t: float, q: Array, v: Array) -> State:
        return State(t, q, v, names=self.plan.model._names)

    def _failure_of_method(self, t: float, q: Array, message: str) -> Failure:
        """The failure of a method whose steps became too short, most often at a singular position."""
        found = f"the method stopped at t = {t:.6g}: {message}"
        model = self.plan.model
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
