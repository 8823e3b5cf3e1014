"""A run with a variational integrator: the core makes chunks of steps, Python acts between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import BoughWarning, ModelError, quoted, warn
from bough.integrators import variational as integrator
from bough.integrators.rows_and_starts import check_start, locked_text, touching_text, wedged_text
from bough.integrators.run import Failure, Plan, common_columns, run_in_chunks
from bough.integrators.settings import LIMITS
from bough.model.model import Model
from bough.motion.coarse_steps import Coarse, warn_of_coarse_steps
from bough.motion.contact_trajectory import ContactTrajectory, Impact, impacts_of
from bough.motion.contact_trajectory import buffers as contact_buffers
from bough.motion.inputs import Inputs
from bough.motion.rows import rate
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.watch import Watch

NONE = np.zeros((0, 0))
NO_CONTACTS = [NONE] * 3  # columns of forces, statuses and losses
CHOICES = ("integrator", "alpha", *LIMITS)  # what a stepper is made with


class Kept(NamedTuple):
    """A stepper that a run has left for the next one, and its memory at its first start."""

    stepper: Any
    fresh: Any


class VariationalRun:
    """One run with a variational integrator."""

    inner: Sequence[float] = (0.5,)  # of a step, where signs of event functions are compared
    _counts_coarse = True  # steps that ended far from where the motion led

    def __init__(self, plan: Plan) -> None:
        model, grid = plan.model, plan.grid
        self.plan = plan
        self._kept: list[Kept] | None = None  # where the stepper is put back
        self._fresh: Any = None  # its memory then
        self._stepper = self._new_stepper(model, plan.settings)
        rows, driven = plan.inputs.rows, len(plan.prescribed) > 0
        self._held = np.zeros((0, model.nk)) if model.nk else NONE
        # kinematic values and inputs, if they are the same in all steps
        constant = not driven and len(rows) <= 1 and plan.stages is None
        self._constant = (self._held, rows) if constant else None
        self._vk = rate(plan.prescribed, plan.prescribed_times()) if driven else None
        if self._vk is not None:
            self._vk[0] = plan.v[model.nd :]  # as the momenta of the start have it
        self._nodes = grid.recorded(grid.steps)
        self._buffers = self._new_buffers(len(self._nodes))  # buffers that the stepper writes to
        self._near = plan.q  # a nearby configuration
        self._row = 1  # the next row to fill
        self._node = 0  # number of steps done
        self._iterations = self._halvings = 0
        self._impacts: list[Impact] = []
        if plan.settings.get("order", 2) > 2:
            self._warn_of_order()

    @cached_property
    def _method(self) -> Any:
        return integrator.from_settings(self.plan.model, self.plan.settings)

    def _new_stepper(self, model: Model, settings: Mapping[str, Any]) -> Any:
        """A stepper of the core: of a quick model, one that an earlier run has left, as if it were new."""
        if not model._quick or model.gaps or settings["order"] > 2:
            return integrator.new_stepper(model, settings)
        kept = self._kept = model._steppers.setdefault(tuple([settings.get(name) for name in CHOICES]), [])
        try:
            stepper, self._fresh = kept.pop()  # by this run alone, also among threads
        except IndexError:
            return integrator.new_stepper(model, settings)
        stepper.load(self._fresh)
        return stepper

    def _new_buffers(self, rows: int) -> list[Array]:
        model = self.plan.model
        widths = (1, model.nq, model.nd, model.nc)
        # One block: the memory of several arrays goes back to the system as often as a run is released, and taking it
        # again was a tenth of a short run.
        block, ends = np.empty(rows * sum(widths)), accumulate(widths)
        arrays = [
            block[rows * (end - x) : rows * end].reshape(rows, x) for x, end in zip(widths, ends, strict=True)
        ]
        arrays[0] = arrays[0][:, 0]
        work, q, p, lam = arrays
        work[:], lam[:] = 0.0, 0.0
        q[0], p[0] = self.plan.q, self.plan.p
        return [*arrays, *(contact_buffers(model, rows) if model.gaps else NO_CONTACTS)]

    def _warn_of_order(self) -> None:
        """Warn if the motion of kinematic variables spoils the order of a composed step."""
        plan = self.plan
        if not len(plan.prescribed):
            return
        curved = np.abs(np.diff(plan.prescribed, 2, axis=0)).max(axis=0, initial=0.0)
        moved = curved > 1e-12 * np.abs(plan.prescribed).max(axis=0, initial=0.0)
        if moved.any():
            names = quoted([name for name, k in zip(plan.model.kinematic, moved, strict=True) if k])
            warn(
                f"order={plan.settings['order']} of {plan.model.name!r} is of second order only: the kinematic"
                f" variables {names} are taken as linear during a step; compare with a smaller dt, or leave order at"
                " 2, a fraction of the cost",
                BoughWarning,
            )

    def run(self, watch: Watch) -> None:
        """Step to the end."""
        plan = self.plan
        vk = NONE if plan.model.nk == 0 else np.zeros(plan.model.nk) if self._vk is None else self._vk[0]
        outcome = self._stepper.start(plan.grid.t0, plan.q, plan.p, vk)
        if outcome != -1:
            check_start(plan.model, outcome, plan.grid.t0)
        if self._kept is not None and self._fresh is None:
            self._fresh = self._stepper.save(np.zeros(plan.model.nk), np.zeros(plan.model.nu))
        if plan.model.gaps:
            self._stepper.contacts(*(array[0] for array in self._buffers[-2:]))
        run_in_chunks(plan, self._advance, watch)

    def _advance(self, first: int, count: int, dt: float) -> None:
        """Make some steps of equal size."""
        plan = self.plan
        if plan.inputs.function is not None:
            plan.inputs.of_step(first, float(plan.grid.time(first)), self._state)
        status, done, self._row, iterations, halvings, raised = self._stepper.run(
            count,
            dt,
            *(self._constant or self._drive_of_steps(first, count)),
            plan.grid.every,
            first % plan.grid.every,
            *self._buffers,
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
            t, q, p, *_ = self._stepper.state()
            wrong, do = wedged_text(plan.model, np.asarray(q), np.asarray(p), t, dt)
            if len(plan.prescribed) and not do:
                driven = np.reshape(self._drive_of_steps(self._node, 1)[0], (-1, plan.model.nk))[-1]
                wrong, do = locked_text(
                    plan.model, np.asarray(q), driven, float(plan.grid.time(self._node + 1))
                )
            raise Failure(
                self._node,
                float(plan.grid.time(self._node)),
                self._method.failure_text(status, residual, worst)
                + touching_text(plan.model, np.asarray(q), t)
                + wrong,
                do
                or "take a smaller dt, or look at the motion before it, which this exception carries"
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
        driven = plan.prescribed[first + 1 : first + 1 + count] if len(plan.prescribed) else self._held
        if len(driven) and plan.cut and first + count == plan.grid.steps:
            driven = driven.copy()
            driven[-1] = self._kinematic_within(plan.grid.steps - 1, float(plan.grid.time(plan.grid.steps)))[
                0
            ]
        return driven, rows[first : first + count] if len(rows) > 1 else rows

    # --- within steps ---

    def inputs_at(self, node: int, t: float) -> Array:
        """The inputs at a time in the step from a node."""
        row: Array = self.plan.inputs.at([node])[0]
        return row

    def acceleration_at(self, node: int, t: float) -> Array | None:
        """The accelerations of the kinematic variables at a time in the step from a node."""
        return None if self._vk is None else self._kinematic_within(node, t)[2]

    def _kinematic_within(self, node: int, t: float) -> tuple[Array, Array, Array]:
        """Values, velocities and accelerations of kinematic variables at a time in the step from a node."""
        grid, k, vk = self.plan.prescribed_grid(), self.plan.prescribed, self._vk
        assert vk is not None
        begin, end = float(grid.time(node)), float(grid.time(node + 1))
        part = (t - begin) / (end - begin)
        slope = (vk[node + 1] - vk[node]) / (end - begin)
        return k[node] + part * (k[node + 1] - k[node]), vk[node] + (t - begin) * slope, slope

    def _drive_within(self, node: int, t: float) -> tuple[Any, Any]:
        """The inputs and kinematic values of a step from a node to a time before the next."""
        return self.inputs_at(node, t), None if self._vk is None else self._kinematic_within(node, t)[0]

    def side(self, before: State, node: int, t: float) -> State:
        """The state at time t of the step from a node, whose state is `before`: a step that is not continued."""
        u, k = self._drive_within(node, t)
        self._method.step(before, u, k, t - float(self.plan.grid.time(node)))
        vk = np.zeros(self.plan.model.nk) if self._vk is None else self._kinematic_within(node, t)[1]
        state: State = self._method.state(
            self._method._stepper(), np.ascontiguousarray(vk), np.asarray(before.q), self.inputs_at(node, t)
        )
        return state

    def end_at(self, before: State, node: int, t: float, name: str) -> None:
        """Let the run end at time t of the step from a node: that step is made again, shorter."""
        self.plan = self.plan.ended_at(node, t, name)
        if self.plan.model.gaps:  # the step is made again
            self._impacts = [x for x in self._found_impacts() if x.t <= before.t]
        self._method._restore(self._stepper, before)
        self._node, self._row = node, 1 + node // self.plan.grid.every
        self._nodes = self.plan.grid.recorded(node + 1)
        if self.plan.inputs.function is not None:  # which has been called
            self.plan = replace(self.plan, inputs=Inputs(self.plan.inputs.rows))
        self._advance(node, 1, self.plan.grid.last)

    def new_stepper(self) -> Any:
        """Another stepper as the one of the run."""
        return self._new_stepper(self.plan.model, self.plan.settings)

    # --- results ---

    def _state(self) -> State:
        vk = np.zeros(self.plan.model.nk) if self._vk is None else self._vk[self._node]
        u = self.plan.inputs.at([max(self._node - 1, 0)])[0]
        state: State = self._method.state(self._stepper, vk, self._near, u)
        return state

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows and the last state."""
        plan, grid = self.plan, self.plan.grid
        nodes = self._nodes if self._node == grid.steps else grid.recorded(self._node)
        rows = len(nodes)
        if self._row < rows:  # the last node is not a multiple of `every`
            for array, values in zip(self._buffers[1:], self._stepper.state()[1:], strict=False):
                array[rows - 1] = np.reshape(values, array.shape[1:])
            if plan.model.gaps:
                self._stepper.contacts(*(array[rows - 1] for array in self._buffers[-2:]))
        work = {"iterations": self._iterations, "halvings": self._halvings, "wall_time": wall_time}
        if self._counts_coarse:
            work["coarse"] = self._stepper.coarse
        columns = common_columns(plan, nodes, self._node, status, work)
        columns["vk"] = np.zeros((rows, plan.model.nk)) if self._vk is None else self._vk[nodes]
        if self._vk is not None and plan.cut and self._node == grid.steps:
            columns["vk"][-1] = self._kinematic_within(self._node - 1, float(grid.time(self._node)))[1]
        return self._trajectory_of_rows(grid.time(nodes), columns)

    def warn(self, run: Trajectory) -> None:
        """Warn if steps are too long."""
        work = self._buffers[0]
        if self._row < len(run.t):  # the last node is not a multiple of `every`
            work[len(run.t) - 1] = self._stepper.work
        coarse = Coarse(self._stepper.coarse, self._stepper.coarse_time) if self._counts_coarse else None
        warn_of_coarse_steps(run, work, self.plan.inputs, coarse)
        if self._kept is not None and run.status == "finished" and not self._stepper.coarse:
            self._kept.append(Kept(self._stepper, self._fresh))

    def _trajectory_of_rows(self, t: Array, columns: dict[str, Any]) -> Trajectory:
        """The trajectory made of the rows that the stepper wrote."""
        model, (_, q, p, lam, *contacts) = self.plan.model, self._buffers
        if len(t) < len(q):  # the run ended early
            q, p, lam = q[: len(t)].copy(), p[: len(t)].copy(), lam[: len(t)].copy()
        u, vk, columns["_driving"] = columns.pop("u"), columns.pop("vk"), columns.pop("driving")
        kind: type[Trajectory] = Trajectory
        if model.gaps:
            kind = ContactTrajectory
            contacts[0][len(t) - 1] = self._stepper.save(vk[-1], u[-1]).contact_force
            columns |= {name: first_rows(x, len(t)) for name, x in zip(kind.extra, contacts, strict=True)}
            columns["events"] = tuple(self._found_impacts())
        run = kind._of_core(model, t, q, u, vk, p, columns, lam)
        if model.nc:
            lam[-1] = self._last_force(run)
        return run

    def _found_impacts(self) -> list[Impact]:
        """The impacts so far."""
        self._impacts += impacts_of(self.plan.model, self._stepper.events())
        return self._impacts

    def _last_force(self, run: Trajectory) -> Array:
        """The constraint force in the last row: that of the continuous dynamics, as no step starts there.

        With contacts, which these do not know, it is that of the last step.
        """
        if self.plan.model.gaps:
            return np.asarray(self._stepper.state()[3])
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
    part.setflags(write=False)
    return part
