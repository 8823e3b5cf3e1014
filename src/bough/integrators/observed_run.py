"""A run of fixed steps that is observed within its steps: events, and instants of the user's choice.

Nodes stay where they are. The state at a time within a step comes from a side step: a step of the method from
the node before, of another length, which is not continued. It has the order of the method, meets the
constraints, and leaves energy and momentum of the run as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from bough.arguments import Array
from bough.integrators.run import Plan
from bough.motion.contact_trajectory import ContactTrajectory, contacts_of, in_time
from bough.motion.events import CLOSE, Ended, Observer, plain_event, within
from bough.motion.interpolation import sketches
from bough.motion.reduced_state import ReducedState, ReducedTrajectory
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.watch import Watch


class Sided(Protocol):
    """A run of fixed steps that can make side steps."""

    plan: Plan

    @property
    def inner(self) -> Sequence[float]:
        """Where signs of event functions are compared within a step, as parts of it."""
        ...

    def run(self, watch: Watch) -> None:
        """Put the stepper at the start and make all steps by `_advance`."""
        ...

    def _state(self) -> State: ...

    def side(self, before: State, node: int, t: float) -> State:
        """The state at time t of the step from a node, whose state is `before`."""
        ...

    def inputs_at(self, node: int, t: float) -> Array:
        """The inputs at a time in the step from a node."""
        ...

    def acceleration_at(self, node: int, t: float) -> Array | None:
        """The accelerations of the kinematic variables at a time in the step from a node."""
        ...

    def end_at(self, before: State, node: int, t: float, name: str) -> None:
        """Let the run end at time t of the step from a node: that step is made again, shorter."""
        ...

    def trajectory(self, status: str, wall_time: float) -> Trajectory: ...

    def warn(self, run: Trajectory) -> None: ...


class ObservedRun:
    """One run with events or chosen instants."""

    def __init__(self, plan: Plan, inner: Any) -> None:
        self.plan = plan
        self._run: Sided = inner
        self._make, inner._advance = inner._advance, self._advance  # steps, and steps observed
        self._observer = Observer(plan.model, plan.events)
        self._instants = plan.instants
        self._rows: list[tuple[float, State, int]] = []  # time, state, node before it
        self._next = 0  # the next instant
        self._now: State | None = None  # the state at the node, if known
        self._ended = False  # by an event
        self._steps: Trajectory | None = None  # the nodes, if the rows are others

    def run(self, watch: Watch) -> None:
        """Step to the end, or to a terminal event."""
        try:
            self._run.run(watch)
        except Ended as ended:
            self._end(ended)

    def _begin(self) -> None:
        """Look at the start."""
        t0, begin = float(self.plan.grid.t0), self._run._state()
        if self._instants is not None and self._instants[0] <= t0:
            self._rows.append((t0, begin, 0))
            self._next = 1
        if self.plan.events:
            self._observer.begin(t0, begin)

    def _advance(self, first: int, count: int, dt: float) -> None:
        """Make some steps of equal size."""
        if first == 0:
            self._begin()
        node, last = first, first + count
        while node < last:
            skipped = last - node if self._instants is None else min(self._step_of_next(), last) - node
            if not self.plan.events and skipped > 0:
                self._make(node, skipped, dt)
                self._now = None
                node += skipped
                continue
            self._one(node, dt)
            node += 1

    def _step_of_next(self) -> int:
        """The node before the next instant."""
        assert self._instants is not None
        grid = self._run.plan.grid
        if self._next >= len(self._instants):
            return grid.steps
        t = float(self._instants[self._next])
        node = max(int((t - grid.t0) / grid.dt) - 1, 0)
        while node + 1 < grid.steps and grid.time(node + 1) < t:
            node += 1
        return node

    def _one(self, node: int, dt: float) -> None:
        """One step, observed."""
        grid = self._run.plan.grid
        before = self._run._state() if self._now is None else self._now
        self._make(node, 1, dt)
        after = self._now = self._run._state()
        start, end = float(grid.time(node)), float(grid.time(node + 1))

        exact = within(before, after, start, end, lambda t: self._run.side(before, node, t))

        def sketch(times: Sequence[float]) -> list[State]:
            parts, momenta = tuple(self._run.inner), not self._observer.expressions
            return sketches(self.plan.model, before, after, end - start, times, parts, momenta)

        self._step = (before, node, exact)
        if self.plan.events:
            inner = [start + c * (end - start) for c in self._run.inner]
            smooth = None if isinstance(after, ReducedState) else sketch
            self._observer.look(end, after, start, inner, smooth, exact)
        self._record(end)

    def _record(self, end: float) -> None:
        """Record the instants of the last step up to a time."""
        if self._instants is None:
            return
        _, node, exact = self._step
        while self._next < len(self._instants):
            t = float(self._instants[self._next])
            if t > end + CLOSE * np.spacing(abs(end)):
                return
            self._rows.append((t, exact(t), node))
            self._next += 1

    def _end(self, ended: Ended) -> None:
        """End the run with a terminal event."""
        before, node, _ = self._step
        grid, event = self._run.plan.grid, ended.event
        t = grid.t0 + (event.t - grid.t0)
        t = max(t, float(grid.time(node)) + CLOSE * float(np.spacing(abs(t))))  # the last step has a length
        if self._instants is not None:
            self._record(np.nextafter(t, -np.inf) - CLOSE * np.spacing(abs(t)))
            self._rows.append((t, event.state, node))
        whole = abs(t - grid.time(node + 1)) <= CLOSE * np.spacing(abs(t))
        self._run.__dict__.pop("_advance")
        self._run.end_at(before, node, float(grid.time(node + 1)) if whole else t, event.name)
        self._ended = True

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows, and the events."""
        run = self._steps = self._run.trajectory("event" if self._ended else status, wall_time)
        found = self._observer.found
        if self._instants is not None:
            impacts, run = run.events, self._of_instants(run)
            run.events = impacts
        run.events = in_time(
            run.events, [plain_event(self.plan.model, event, *self._drive(event.t)) for event in found]
        )
        return run

    def _drive(self, t: float) -> tuple[Array, Array | None]:
        """The inputs and the kinematic accelerations at a time."""
        grid = self._run.plan.prescribed_grid()
        node = max(0, min(int((t - grid.t0) / grid.dt), grid.steps - 1))
        return self._run.inputs_at(node, t), self._run.acceleration_at(node, t)

    def _of_instants(self, run: Trajectory) -> Trajectory:
        """The trajectory at the chosen instants; `run` has the rest."""
        model = self.plan.model
        rows = self._rows or [(float(self.plan.grid.t0), run.state(0), 0)]
        states = [state for _, state, _ in rows]
        columns: dict[str, Any] = {
            "v": np.array([np.asarray(state.v) for state in states]),
            "u": np.array([self._run.inputs_at(node, t) for t, _, node in rows]),
            "status": run.status,
            "settings": {**run.settings, "every": 1},
            "statistics": run.statistics,
            "driving": run._driving,
        }
        q = np.array([np.asarray(state.q) for state in states])
        if all(state.p is not None for state in states):
            columns["p"] = np.array([np.asarray(state.p) for state in states])
        t = [time for time, _, _ in rows]
        if model.gaps:
            variational: Any = self._run  # no other method knows contacts
            rows_of = contacts_of(model, variational.new_stepper(), [state._memory for state in states])
            return ContactTrajectory(model, t, q, **rows_of, **columns)
        if isinstance(states[-1], ReducedState) and isinstance(states[0], ReducedState):
            extra = {name: np.array([getattr(state, name) for state in states]) for name in ("g", "xi", "mu")}
            return ReducedTrajectory(model, t, q, **extra, **columns)
        return Trajectory(model, t, q, **columns)

    def warn(self, run: Trajectory) -> None:
        """Warn if steps are too long."""
        assert self._steps is not None
        self._run.warn(self._steps)


def without_rows(plan: Plan) -> Plan:
    """The plan of the steps of a run whose rows are chosen instants."""
    if plan.instants is None:
        return plan
    every = max(plan.grid.steps, 1)
    return replace(plan, grid=plan.grid._replace(every=every), settings={**plan.settings, "every": every})
