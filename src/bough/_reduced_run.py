"""A run with the reduced variational integrator."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from bough import _reduced_base as base
from bough._runner import Plan
from bough._variational import Variational, sealed
from bough.arguments import Array
from bough.reduced import LIMITS, ReducedVI
from bough.reduced_state import ReducedTrajectory
from bough.state import State
from bough.trajectory import Trajectory


class ReducedRun(Variational):
    """One run with `ReducedVI`."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._room = self._method.room(plan.grid.rows)
        self._near = plan.q  # from where the angles of the next state go on

    @cached_property
    def _method(self) -> ReducedVI:
        settings = self.plan.settings
        names = ("dt", "alpha", "tau", *LIMITS)
        return ReducedVI(self.plan.model, **{name: settings[name] for name in names})

    def _new_stepper(self) -> Any:
        return self._method.new_stepper()

    def _begin(self) -> None:
        """Put the stepper at the start; its guess is made of what a trajectory records: runs repeat."""
        plan = self.plan
        begin = plan.begin if plan.begin is not None else State(plan.grid.t0, plan.q, plan.v, plan.p)
        start = self._method.of_state(begin)
        first = (start.g, start.r, start.mu, start.p)
        for array, values in zip(self._room[1:], first, strict=True):
            array[0] = values
        vk = np.zeros(plan.model.nk) if self._vk is None else self._vk[0]
        g, r, mu, p = (array[:1] for array in self._room[1:])
        z = base.velocities(plan.model, g, r, mu, p, vk)
        self._stepper.start(plan.grid.t0, *first, z[0])

    def _chunk(self, count: int, dt: float, k: Array, u: Array, phase: int) -> tuple[Any, ...]:
        out = (*self._room, self._row)
        return self._stepper.run(count, dt, k, u, self.plan.grid.every, phase, *out)  # type: ignore[no-any-return]

    def _state(self) -> State:
        vk = np.zeros(self.plan.model.nk) if self._vk is None else self._vk[self._node]
        state = self._method.state(self._stepper, vk, self._near)
        self._near = state.q
        return state

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """What was recorded, and the last state."""
        plan, model = self.plan, self.plan.model
        nodes = plan.grid.recorded(self._node)
        rows = len(nodes)
        if self._row < rows:  # the last node is not a multiple of `every`
            _, *last, _, _ = self._stepper.state()
            for array, values in zip(self._room[1:], last, strict=True):
                array[rows - 1] = np.reshape(values, array.shape[1:])
        g, r, mu, p = (sealed(array, rows) for array in self._room[1:])
        vk = np.zeros((rows, model.nk)) if self._vk is None else self._vk[nodes]
        q = base.configurations(model, g, r, plan.q)
        z = base.velocities(model, g, r, mu, p, vk)
        columns: dict[str, Any] = {
            "v": base.rates(model, q, z),
            "p": base.momenta(model, q, g, mu, p),
            "u": plan.inputs.at(np.minimum(nodes, max(self._node - 1, 0))),
            "lam": np.zeros((rows, 0)),
            "vk": vk,
            "status": status,
            "settings": {**plan.settings, "steps": self._node},
            "statistics": {
                "steps": self._node,
                "iterations": self._iterations,
                "halvings": self._halvings,
                "wall_time": wall_time,
            },
            "driving": (plan.inputs.rows, plan.prescribed),
        }
        t = plan.grid.time(nodes)
        if not model.base_variables:
            return Trajectory(model, t, q, **columns)
        return ReducedTrajectory(model, t, q, g=g, xi=z[:, :6], mu=mu, **columns)
