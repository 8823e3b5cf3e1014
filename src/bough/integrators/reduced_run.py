"""A run with the reduced variational integrator."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.integrators.reduced import LIMITS, ReducedVI
from bough.integrators.run import run_in_chunks
from bough.integrators.variational_run import VariationalRun, first_rows
from bough.model.model import Model
from bough.motion import reduced_base as base
from bough.motion.reduced_state import ReducedTrajectory
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.watch import Watch


class ReducedRun(VariationalRun):
    """One run with `ReducedVI`."""

    _counts_coarse = False  # the reduced step rejects no solution

    @cached_property
    def _method(self) -> ReducedVI:
        settings = self.plan.settings
        names = ("dt", "alpha", "tau", *LIMITS)
        return ReducedVI(self.plan.model, **{name: settings[name] for name in names})

    def _new_stepper(self, model: Model, settings: Mapping[str, Any]) -> Any:
        return self._method.new_stepper()

    def _new_buffers(self, rows: int) -> list[Array]:
        return self._method.buffers(rows)

    def run(self, watch: Watch) -> None:
        """Step to the end; the first guess uses only recorded numbers, so that runs repeat."""
        plan = self.plan
        begin = plan.begin if plan.begin is not None else State(plan.grid.t0, plan.q, plan.v, plan.p)
        start = self._method.of_state(begin)
        first = (start.g, start.r, start.mu, start.p)
        for array, values in zip(self._buffers[1:], first, strict=True):
            array[0] = values
        vk = np.zeros(plan.model.nk) if self._vk is None else self._vk[0]
        g, r, mu, p = (array[:1] for array in self._buffers[1:])
        z = base.velocities(plan.model, g, r, mu, p, vk)
        self._stepper.start(plan.grid.t0, *first, z[0])
        run_in_chunks(plan, self._advance, watch)

    def _state(self) -> State:
        state = super()._state()
        self._near = np.asarray(state.q)
        return state

    def _trajectory_of_rows(self, t: Array, columns: dict[str, Any]) -> Trajectory:
        model, rows = self.plan.model, len(t)
        g, r, mu, p = (first_rows(array, rows) for array in self._buffers[1:])
        q = base.configurations(model, g, r, self.plan.q)
        z = base.velocities(model, g, r, mu, p, columns["vk"])
        columns |= {
            "v": base.rates(model, q, z),
            "p": base.momenta(model, q, g, mu, p),
            "lam": np.zeros((rows, 0)),
        }
        if not model.base_variables:
            return Trajectory(model, t, q, **columns)
        return ReducedTrajectory(model, t, q, g=g, xi=z[:, :6], mu=mu, **columns)
