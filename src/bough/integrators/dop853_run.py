"""A run with the method of Dormand and Prince of order 8 in the core: cpp/bough/integrators/dop853.hpp.

Inputs are held during each step of the grid: if they may change from step to step, the method ends a step of
its own at each of its nodes; otherwise it runs all the way, and its polynomials are sampled at the recorded
nodes. Kinematic variables follow a spline through their values at the nodes. With stabilization="projection"
the state is projected onto the constraints after each step and at each recorded node.
"""

from __future__ import annotations

import time

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import BoughWarning, ModelError, warn
from bough.integrators.continuous_run import LEAST_RTOL, ContinuousRun, own_method
from bough.integrators.run import CHUNK, QUICK_STEPS, Failure, Plan
from bough.motion.events import Ended
from bough.motion.state import State
from bough.watch import Watch

METHOD = "dop853"
MOST = 10**5  # steps of a chunk
WINDOW = 4096  # rows that a chunk may fill
TOO_SHORT = "the step that the tolerances ask for is below the spacing of numbers"


class Dop853Run(ContinuousRun):
    """One run with "dop853"."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        if self._options["rtol"] < LEAST_RTOL:
            warn(
                f"rtol = {self._options['rtol']:g} of {METHOD!r} is below round-off: {LEAST_RTOL:.3g} is used",
                BoughWarning,
            )
        self._method = own_method(plan, self._kinematic)
        self._chunk = QUICK_STEPS if plan.model._quick and not plan.events else 1

    def run(self, watch: Watch) -> None:
        """Integrate to the end."""
        plan, grid = self.plan, self.plan.grid
        self._method.start(grid.t0, plan.q.copy(), plan.v.copy())
        if plan.events:
            self._observer.begin(grid.t0, self._now())
        try:
            self._segments(watch)
        except Ended as ended:
            self._end(ended)

    def _segments(self, watch: Watch) -> None:
        plan, grid, whole = self.plan, self.plan.grid, self.plan.prescribed_grid()
        size = 1 if plan.inputs.changing else max(whole.steps, 1)
        for node in range(0, grid.steps, size):
            t = float(grid.time(node))
            u = plan.inputs.of_step(node, t, self._now)
            self._method.forget_rate()
            self._segment(float(whole.time(node + size)), np.ascontiguousarray(u), watch)

    def _now(self) -> State:
        """The state reached."""
        return self._dense(self._method.t)

    def _dense(self, t: float) -> State:
        """The state at a time of the last step."""
        q, v = np.empty(self.plan.model.nq), np.empty(self.plan.model.nv)
        if not self._method.at(t, q, v):
            raise self._failure_of_step(core.StepStatus.singular)
        return self._state(t, q, v)

    def _segment(self, end: float, u: Array, watch: Watch) -> None:
        """Integrate up to a node with constant inputs."""
        method = self._method
        events = bool(self.plan.events)
        while method.t < end and (events or self._row < len(self._q)):
            begin = time.perf_counter()
            first = self._row
            rows = slice(first, first + WINDOW)
            times = self._times(rows.start, rows.stop)
            status, done, raised = method.run(
                end, u, self._chunk, events, times, self._q[rows], self._v[rows], 0
            )
            self._row = first + done
            self._t = method.t
            if isinstance(raised, BaseException):  # by a user's element
                raise raised
            if status:
                raise self._failure_of_step(status)
            elapsed = time.perf_counter() - begin
            if events:
                self._observe(method.t_before, self._now(), self._dense)
                watch.look(method.t - self.plan.grid.t0)
                continue
            self._chunk = max(1, min(int(self._chunk * CHUNK / max(elapsed, 1e-9)), 4 * self._chunk, MOST))
            watch.look(method.t - self.plan.grid.t0)

    def _failure_of_step(self, status: int) -> Failure:
        method, model = self._method, self.plan.model
        if status == core.StepStatus.not_finite:
            return self._failure(f"the state is not finite at t = {method.failed_at:.6g}")
        if status == core.StepStatus.singular:
            try:
                model._check_singular("acceleration", (0, method.singular), ())
            except ModelError as error:
                return self._failure(error.found)
        return self._failure_of_method(method.t, np.asarray(self._now().q), TOO_SHORT)

    def _work(self) -> dict[str, float]:
        method = self._method
        return {"steps": method.steps, "rejected": method.rejected, "evaluations": method.evaluations}
