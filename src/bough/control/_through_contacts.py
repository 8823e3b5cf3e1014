"""`bough.control.optimize` through contacts: smoothed less and less, and then corrected with the contacts as they are.

Newton's method finds the motion of least cost over smoothed steps (_smoothed.py) for

    κ, κ/10, κ/100, κ/1000                                                                                  (OC1)

each from the one before. The controls of the last one drive a simulation, whose end e(x, v) is off by what κ left. With
E = de/dc along that simulation, through its impacts and stops (KD1)-(KD16), and D the distances of the controls from
their limits, 1 without limits,

    c ← c − D²Eᵀ (E D²Eᵀ)⁺ e                                                                                (OC2)

is the least change that meets it to first order; it is halved while |e| does not fall. Where that simulation has no
derivatives, as where two contacts of one body stop at once, E is that of the smoothed steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.control._linearize import stages_of
from bough.control._model_task import Task
from bough.control._newton import Failed, Newton, Result
from bough.control._optimum import failed_guess, simulated
from bough.control._report import Display
from bough.control._smoothed import SmoothedEnds, SmoothedKernels
from bough.control._velocity import velocities
from bough.errors import ConvergenceError, ModelError
from bough.integrators.contact_run import contact_run
from bough.motion.trajectory import Trajectory
from bough.problem import Problem

LEVELS = (1.0, 1e-1, 1e-2, 1e-3)  # of κ (OC1)
SETTLED, ROUGH = 1e-3, 1e-2  # tolerance of the last level, and of the others: what κ changes is more
CORRECTIONS = 30
SHORTEST = 2.0**-10  # part of a correction that is tried last
DEPENDENT = 1e-8  # combinations of the rows of an end that controls do not move, relative
UNMOVED = 1e-9  # rows of an end, such as velocities of what stands, that they do not move, relative


def through_contacts(
    task: Task, problem: Problem, given: Mapping[str, Any], controls: Array, most: int, display: Display
) -> Result:
    """The motion of least cost with contacts."""
    kappa, tolerance = given["smoothing"], given["tolerance"]
    kernels = None
    for level in LEVELS:
        display.stage(f"contacts smoothed by {level * kappa:.1g}")
        kernels = SmoothedKernels(task.step, level * kappa, kernels)
        ends = SmoothedEnds(task.setting, kernels.steps, given["end"], given["rest"], given["end_weight"])
        smooth = replace(task, kernels=kernels, ends=ends)
        try:
            enough = SETTLED if level == LEVELS[-1] else ROUGH
            result = Newton(smooth, display).solve(controls, max(tolerance, enough), most)
        except Failed as failed:
            raise failed_guess(smooth, failed) from None
        if result.status == "interrupted":
            return result
        controls = result.point.c
    if result.status != "converged":
        return result
    return _Correction(task, smooth, problem, tolerance).of(result)


@dataclass
class _Correction:
    """The end of a motion that was found with smoothed contacts, met with the contacts as they are  (OC2)."""

    task: Task
    smooth: Task
    problem: Problem
    tolerance: float

    def of(self, result: Result) -> Result:
        """The motion as it is simulated, its end met if there is one."""
        point = result.point
        run, e = self._run(point, point.c)
        for _ in range(CORRECTIONS if self.task.ends.hard else 0):
            if np.abs(e).max() <= self.tolerance:
                break
            move, length = self._move(point, run, e), 1.0
            while length >= SHORTEST:
                trial = self._run(point, point.c + length * move)
                if np.abs(trial[1]).max() < (1.0 - 0.1 * length) * np.abs(e).max():
                    break
                length *= 0.5
            else:
                break
            point = replace(point, c=point.c + length * move)
            run, e = trial
        x = np.concatenate([run.q, run.p], axis=1)
        status = (
            result.status
            if np.abs(e).max(initial=0.0) <= self.tolerance or not self.task.ends.hard
            else "end"
        )
        motion = self.task.motion(x, point.c, np.asarray(run.lam)[1:])
        cost = sum(one.value(motion) for one in self.task.costs)
        if self.task.ends.weight is not None:
            cost += 0.5 * float(self.task.ends.weight @ e**2)
        bounds = self.task.bounds
        h = bounds.values(bounds.limited(motion.q0, motion.q1, motion.u, motion.lam))
        point = replace(point, x=x, lam=motion.lam, e=e, h=h, cost=float(cost))
        ends = float(np.abs(e).max(initial=0.0)) if self.task.ends.hard else 0.0
        return result._replace(point=point, status=status, ends=ends)

    def _run(self, point: Any, c: Array) -> tuple[Trajectory, Array]:
        """The simulation with controls, and its end; one that fails ends nowhere."""
        model = self.task.model
        x = point.x.copy()
        x[1:, model.nq - model.nk : model.nq] = x[0, model.nq - model.nk : model.nq] + np.cumsum(
            c[:, model.nu :], axis=0
        )
        run = simulated(self.task, self.problem, replace(point, x=x, c=c))
        if len(run) < len(x):
            return run, np.full(len(self.task.ends), np.inf)
        return run, self.task.ends.values(self._last(run)) if len(self.task.ends) else np.zeros(0)

    def _last(self, run: Trajectory) -> Array:
        """The last state, with the momenta of its velocities on the closed contacts."""
        model = self.task.model
        q, v = run.q[-1], np.array(run.v[-1])
        v[model.nd :] = 0.0
        return np.concatenate([q, model.momentum(q, v)[: model.nd]])

    def _move(self, point: Any, run: Trajectory, e: Array) -> Array:
        """The least change of the controls that meets the end to first order."""
        try:
            E = self._by_controls(run)
        except (ModelError, ConvergenceError):
            E = self._by_smoothed(point)
        D = self._room(run)[None]
        scaled = (D * E).reshape(len(e), -1)
        size = np.abs(scaled).max(axis=1)
        size = np.maximum(size, UNMOVED * size.max(initial=1e-300))
        scaled, wanted = scaled / size[:, None], e / size
        least = np.linalg.lstsq(scaled, -wanted, rcond=DEPENDENT)[0]
        move: Array = D[0] * least.reshape(E.shape[1:])
        return move

    def _room(self, run: Trajectory) -> Array:
        """The distances of the controls from their limits, relative to the width of these."""
        model, bounds = self.task.model, self.task.bounds
        u = np.asarray(run.u)[:-1]
        low, high = (side[2 * model.nv : 2 * model.nv + model.nu] for side in (bounds.low, bounds.high))
        room = np.minimum(high - u, u - low)
        both = np.isfinite(high - low)
        width = np.where(both, 0.5 * np.where(both, high - low, 1.0), np.maximum(1.0, np.abs(u)))
        part = np.clip(np.where(np.isfinite(room), room / width, 1.0), 0.0, 1.0)
        return np.concatenate([part, np.ones((len(u), model.nk))], axis=1)

    def _by_controls(self, run: Trajectory) -> Array:
        """E, (rows, steps, nc), by (u, k1 − k0)."""
        task, model = self.task, self.task.model
        stages = stages_of(run, task.setting.where, contacts=True)
        vi = stages.step.integrator
        found = contact_run(run, vi, np.full(len(stages.c), vi.dt), stages.c)
        x = self._last(run)
        C = task.ends.jacobian(x)
        at = velocities(model, x[None], np.zeros((1, model.nk)), task.setting.times[-1:])
        nv = model.nv
        by_q, by_v = C[:, :nv] + C[:, nv:] @ at.momentum_by_q[0], C[:, nv:] @ at.momentum_by_v[0]
        by_v[:, model.nd :] = 0.0
        rows = np.zeros((len(stages.t), nv + model.nd))
        rates = np.zeros((len(stages.t), nv))
        E = []
        for of_q, of_v in zip(by_q, by_v, strict=True):
            rows[-1, :nv], rates[-1] = of_q, of_v
            gradient = found.backward(rows, rates)[1]
            gradient[:, model.nu :] = np.cumsum(gradient[::-1, model.nu :], axis=0)[::-1]  # k1 adds moves up
            E.append(gradient)
        return np.stack(E)

    def _by_smoothed(self, point: Any) -> Array:
        """E of the smoothed steps."""
        task, kernels = self.smooth, self.smooth.kernels
        x, c, _ = task.roll(task.first(), point.c, None, None, 0.0)
        made = kernels.made(task.setting.times[0], task.step.dt, x, c)
        back, E = task.ends.jacobian(x[-1]), []
        nx = x.shape[1]
        for one in reversed(made):
            J, _ = kernels.steps.derivatives(one)
            E.append(back @ J[:, nx:])
            back = back @ J[:, :nx]
        return np.stack(E[::-1], axis=1)
