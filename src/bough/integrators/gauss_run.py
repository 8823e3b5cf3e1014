"""A run of order 4, 6 or 8: driven between the nodes too, with constraint forces of the same order."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.arguments import Array
from bough.integrators.run import Plan
from bough.integrators.variational_run import VariationalRun, first_rows
from bough.motion.stages import Stages, kinematic_rates
from bough.motion.trajectory import Trajectory


class GaussRun(VariationalRun):
    """One run with `MidpointVI` of order 4, 6 or 8."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._stages = Stages() if plan.stages is None else plan.stages
        self._order = plan.settings["order"]
        self._ak: Array | None = None
        if self._vk is not None:
            grid = plan.prescribed_grid()
            self._vk, self._ak = kinematic_rates(plan.prescribed, self._stages, grid, self._order)

    def _new_room(self, rows: int) -> list[Array]:
        return super()._new_room(rows)[:3]  # constraint forces are computed on demand

    def _drive_of_steps(self, first: int, count: int) -> tuple[Array, Array]:
        rows, stages = self.plan.inputs.rows, self._stages
        if self.plan.inputs.changing or stages.inputs.size:
            rows = rows[first : first + count] if len(rows) > 1 else np.repeat(rows, count, axis=0)
            rows = stages.inputs_of(first, rows)
            if rows.ndim == 2:
                rows = np.repeat(rows, self._order // 2, axis=0)
        return stages.nodes[first : first + count], np.ascontiguousarray(rows)

    def _coarse(self) -> None:
        """No warning: an iteration that contracts finds no distant root."""

    def _warn_of_order(self) -> None:
        """No warning: `stages` has warned of kinematic variables that are linear between the nodes."""

    def _trajectory_of_rows(self, t: Array, columns: dict[str, Any]) -> Trajectory:
        _, q, p = self._room
        nodes, timed = self.plan.grid.recorded(self._node), self._stages.timed == 1.0
        if timed.any() and nodes[-1] > 0:  # the last row is at the end of the step before
            at_end = self._node == self.plan.prescribed_grid().steps
            columns["u"][-1, timed] = (self._stages.end if at_end else self.plan.inputs.rows[self._node])[
                timed
            ]
        if self._ak is not None:
            columns["ak"] = self._ak[nodes]
        return Trajectory(self.plan.model, t, first_rows(q, len(t)), p=first_rows(p, len(t)), **columns)
