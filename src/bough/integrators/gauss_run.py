"""A run of order 4, 6 or 8: driven between the nodes too, with constraint forces of the same order."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.integrators.run import Plan
from bough.integrators.variational_run import VariationalRun, first_rows
from bough.motion.drive_within import DriveWithin
from bough.motion.stages import Stages, gauss_times, kinematic_rates
from bough.motion.trajectory import Trajectory


class GaussRun(VariationalRun):
    """One run with `MidpointVI` of order 4, 6 or 8."""

    _counts_coarse = False  # an iteration that contracts finds no distant root

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._stages = Stages() if plan.stages is None else plan.stages
        self._order = plan.settings["order"]
        self._ak: Array | None = None
        if self._vk is not None:
            grid = plan.prescribed_grid()
            self._vk, self._ak = kinematic_rates(plan.prescribed, self._stages, grid, self._order)
            self._vk[0] = plan.v[plan.model.nd :]
        self.inner = gauss_times(self._order)[0].tolist()
        self._within = DriveWithin(self._stages, plan.prescribed, plan.prescribed_grid(), self._order)

    def _new_buffers(self, rows: int) -> list[Array]:
        return super()._new_buffers(rows)[:3]  # constraint forces are computed on demand

    def inputs_at(self, node: int, t: float) -> Array:
        """The inputs at a time in the step from a node."""
        return self._within.inputs(node, t, super().inputs_at(node, t))

    def _kinematic_within(self, node: int, t: float) -> tuple[Array, Array, Array]:
        return self._within.kinematic(node, t)

    def _drive_within(self, node: int, t: float) -> tuple[Any, Any]:
        u: Any = super().inputs_at(node, t)
        if self._stages.inputs.size:
            u = partial(self.inputs_at, node)
        return u, None if self._vk is None else lambda time: self._kinematic_within(node, time)[0]

    def _drive_of_steps(self, first: int, count: int) -> tuple[Array, Array]:
        if self.plan.cut and count == 1 and first + 1 == self.plan.grid.steps:
            return self._cut_step(first)
        rows, stages = self.plan.inputs.rows, self._stages
        if self.plan.inputs.changing or stages.inputs.size:
            rows = rows[first : first + count] if len(rows) > 1 else np.repeat(rows, count, axis=0)
            rows = stages.inputs_of(first, rows)
            if rows.ndim == 2:
                rows = np.repeat(rows, self._order // 2, axis=0)
        return stages.nodes[first : first + count], np.ascontiguousarray(rows)

    def _cut_step(self, node: int) -> tuple[Array, Array]:
        """The drive of a last step that is shorter than that of the stored drive."""
        begin, size = float(self.plan.grid.time(node)), self.plan.grid.last
        c, d = gauss_times(self._order)
        u, k = self._drive_within(node, begin + size)
        nodes = self._stages.nodes[:0] if k is None else np.array([k(begin + part * size) for part in d])
        rows = np.array([u(begin + part * size) for part in c]) if callable(u) else u[None]
        return np.ascontiguousarray(nodes), np.ascontiguousarray(rows)

    def _warn_of_order(self) -> None:
        """No warning: `stages` has warned of kinematic variables that are linear between the nodes."""

    def _trajectory_of_rows(self, t: Array, columns: dict[str, Any]) -> Trajectory:
        _, q, p = self._buffers
        nodes, timed = self.plan.grid.recorded(self._node), self._stages.timed == 1.0
        if timed.any() and nodes[-1] > 0:  # the last row is at the end of the step before
            at_end = self._node == self.plan.prescribed_grid().steps
            end = self._stages.end if at_end else self.plan.inputs.rows[self._node]
            cut = self.plan.cut and self._node == self.plan.grid.steps
            columns["u"][-1, timed] = (self.inputs_at(self._node - 1, float(t[-1])) if cut else end)[timed]
        if self._ak is not None:
            columns["ak"] = self._ak[nodes]
            if self.plan.cut and self._node == self.plan.grid.steps:
                columns["ak"][-1] = self._kinematic_within(self._node - 1, float(t[-1]))[2]
        return Trajectory(self.plan.model, t, first_rows(q, len(t)), p=first_rows(p, len(t)), **columns)
