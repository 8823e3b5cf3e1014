"""A run with a variational integrator: the core steps, Python looks in between."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np

from bough import integrator
from bough._conservative import conservative
from bough._interrupt import Interrupt
from bough._progress import Progress
from bough._runner import Failure, Plan, run_in_chunks
from bough.arguments import Array
from bough.errors import CoarseStepWarning, ModelError
from bough.state import State
from bough.trajectory import Trajectory, rate

COARSE_ENERGY = 0.05  # of the largest kinetic energy: a change that is told
ENERGY_ROWS = 50  # at which it is looked for


class Variational:
    """One run with a variational integrator."""

    def __init__(self, plan: Plan) -> None:
        model, grid = plan.model, plan.grid
        self.plan = plan
        self._stepper = self._new_stepper()
        self._held = np.zeros((0, model.nk))
        self._vk = rate(plan.prescribed, grid.nodes()) if len(plan.prescribed) else None
        self._t = np.empty(grid.rows)
        self._q = np.empty((grid.rows, model.nq))
        self._p = np.empty((grid.rows, model.nd))
        self._lam = np.zeros((grid.rows, model.nc))
        self._q[0], self._p[0] = plan.q, plan.p
        self._row = 1  # the next one to fill
        self._node = 0  # steps that are done
        self._iterations = self._halvings = 0

    @cached_property
    def _method(self) -> Any:
        return integrator.from_settings(self.plan.model, self.plan.settings)

    def _new_stepper(self) -> Any:
        return integrator.new_stepper(self.plan.model, self.plan.settings)

    def _begin(self) -> None:
        """Put the stepper at the start."""
        plan, grid = self.plan, self.plan.grid
        vk = np.zeros(plan.model.nk) if self._vk is None else self._vk[0]
        resting = plan.model.nc == 0 and np.count_nonzero(plan.p) + np.count_nonzero(vk) == 0
        v = np.zeros(plan.model.nq) if resting else plan.model.velocity(plan.q, plan.p, vk, grid.t0)
        self._stepper.start(grid.t0, plan.q, plan.p, v)

    def run(self, interrupt: Interrupt, progress: Progress) -> None:
        """Step to the end."""
        self._begin()
        run_in_chunks(self.plan, self._advance, interrupt, progress)

    def _advance(self, first: int, count: int, dt: float) -> None:
        """Make some steps of equal size."""
        plan = self.plan
        if plan.inputs.function is not None:
            plan.inputs.of_step(first, float(plan.grid.time(first)), self._state)
        rows = plan.inputs.rows
        status, done, self._row, iterations, halvings, raised = self._chunk(
            count,
            dt,
            plan.prescribed[first + 1 : first + 1 + count] if len(plan.prescribed) else self._held,
            rows[first : first + count] if plan.inputs.changing else rows,
            first % plan.grid.every,
        )
        self._node += done
        self._iterations += iterations
        self._halvings += halvings
        if raised is not None:  # by an element that the user wrote
            raise raised
        if status:
            _, residual, worst, attempted = self._stepper.failure()
            residual *= self._method.unit(worst)
            raise Failure(
                self._node,
                float(plan.grid.time(self._node)),
                self._method.failure_text(status, residual, worst),
                "take a smaller dt, or look at the motion before it, which this exception carries"
                " as .trajectory (on_failure='stop' returns it instead)",
                attempted,
                residual,
            )

    def _chunk(self, count: int, dt: float, k: Array, u: Array, phase: int) -> tuple[Any, ...]:
        """Steps in the core: status, steps done, next row, iterations, halvings, what an element raised."""
        out = (self._t, self._q, self._p, self._lam)
        return self._stepper.run(count, dt, k, u, self.plan.grid.every, phase, *out, self._row)  # type: ignore[no-any-return]

    def _state(self) -> State:
        vk = np.zeros(self.plan.model.nk) if self._vk is None else self._vk[self._node]
        state: State = self._method.state(self._stepper, vk)
        return state

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """What was recorded, and the last state."""
        plan, model = self.plan, self.plan.model
        nodes = plan.grid.recorded(self._node)
        rows = len(nodes)
        if self._row < rows:  # the last node is not a multiple of `every`
            _, self._q[rows - 1], self._p[rows - 1], *_ = self._stepper.state()
        coarse = self._stepper.coarse
        if coarse:
            warnings.warn(
                f"{coarse} of {self._node} steps of {model.name!r} ended far from where the motion led:"
                f" dt = {plan.grid.dt:g} is too long for what happens there; compare with a smaller dt",
                CoarseStepWarning,
                stacklevel=2,
            )
        run = Trajectory(
            model,
            plan.grid.time(nodes),
            sealed(self._q, rows),
            p=sealed(self._p, rows),
            u=plan.inputs.at(np.minimum(nodes, max(self._node - 1, 0))),
            vk=np.zeros((rows, model.nk)) if self._vk is None else self._vk[nodes],
            status=status,
            settings={**plan.settings, "steps": self._node},
            statistics={
                "steps": self._node,
                "iterations": self._iterations,
                "halvings": self._halvings,
                "coarse": coarse,
                "wall_time": wall_time,
            },
            driving=(plan.inputs.rows, plan.prescribed),
        )
        if model.nc:
            self._lam[rows - 1] = self._last_force(run)
        run._set_multipliers(sealed(self._lam, rows))
        if self._halvings and rows > 1 and conservative(run):
            self._warn_of_energy(run)
        return run

    def _warn_of_energy(self, run: Trajectory) -> None:
        """A halved step keeps the energy only as well as its size allows: tell where that is not well."""
        model = run.model
        rows = np.unique(np.linspace(0, len(run) - 1, ENERGY_ROWS).astype(int))
        q, v = run.q[rows], model.velocity(run.q[rows], run.p[rows], t=run.t[rows])
        energy, kinetic = model.energy(q, v), model.kinetic_energy(q, v)
        change = float(abs(energy[-1] - energy[0]) / max(kinetic.max(), 1e-300))
        if change > COARSE_ENERGY:
            warnings.warn(
                f"the energy of {run.model.name!r} changed by {change:.0%} of its largest kinetic energy in"
                f" {self._node} steps with {self._halvings} halvings: dt = {self.plan.grid.dt:g} is too long"
                " for what happens there; compare with a smaller dt",
                CoarseStepWarning,
                stacklevel=2,
            )

    def _last_force(self, run: Trajectory) -> Array:
        """No step starts at the last node: the constraint force of the continuous dynamics there."""
        model, q, t = self.plan.model, run.q[-1], run.t[-1]
        ak = None if self._vk is None else rate(self._vk, self.plan.grid.nodes())[self._node]
        vk = None if self._vk is None else self._vk[self._node]
        try:
            v = model.velocity(q, run.p[-1], vk, t)
            return model.acceleration_and_multipliers(q, v, run.u[-1], ak=ak, t=t)[1]
        except ModelError:  # a singular configuration: the force that led into it
            return np.asarray(self._stepper.state()[3])


def sealed(array: Array, rows: int) -> Array:
    """The first rows, read-only; of a run that ended early, the memory of the others is given back."""
    part = array[:] if rows == len(array) else array[:rows].copy()
    part.flags.writeable = False
    return part
