"""The result of `bough.control.optimize` as a trajectory, and its messages if there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.arguments import Vector
from bough.control._model_task import Task
from bough.control._newton import Failed, Point, Result
from bough.control._unreachable import open_end
from bough.description.start import from_start
from bough.errors import ConvergenceError, GimbalLockWarning, ModelError, warn
from bough.integrators.linearization import step_failure
from bough.model.model import Model
from bough.motion.gimbal_lock import near_lock
from bough.motion.single_state import single_configuration
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.validate import counted

OFF = 1e-8  # violation of the constraints that a start may have


def simulated(task: Task, problem: Problem, point: Point) -> Trajectory:
    """The motion of a point, simulated with its controls."""
    model, c, x0 = task.model, point.c, point.x[0]
    k = point.x[:, model.nq - model.nk : model.nq].copy()
    driven = problem.replace(
        q=x0[: model.nq],
        v=None,
        p=x0[model.nq :],
        u=c[:, : model.nu].copy() if model.nu else None,
        k=k if model.nk else None,
    )
    return driven.run(on_failure="stop")


def finished(task: Task, problem: Problem, result: Result, where: str, wall_time: float) -> Trajectory:
    """The motion found, with what is known about it."""
    run = simulated(task, problem, result.point)
    _warn_of_lock(run, where)
    run.settings["made_by"] = where
    run.statistics |= {
        "cost": result.point.cost,
        "first_order": result.gradient,
        "end_missed": float(np.abs(result.point.e).max(initial=0.0)),
        "limits_missed": float(np.maximum(result.point.h[task.bounds.active], 0.0).max(initial=0.0)),
        "iterations": result.iterations,
        "converged": result.status == "converged",
        "wall_time": wall_time,
    }
    if result.status != "converged":
        run.status = "interrupted" if result.status == "interrupted" else "failed"
    return run


def _warn_of_lock(run: Trajectory, where: str) -> None:
    """Warn if the Euler angles of a free base come near their lock, where small moves of the base are large ones."""
    near = near_lock(run) if run.model.base_variables else np.zeros(0, dtype=bool)
    if near.any():
        time = float(run.t[int(near.argmax())])
        warn(
            f"{where}: the Euler angles of the base come near gimbal lock at t = {time:.4g} s, where"
            " efforts and limits of their rates mean little: use floating(name) in place of free(name), or"
            " control.plan, whose steps are those of integrator='reduced'",
            GimbalLockWarning,
        )


def failure(task: Task, result: Result, tolerance: float, where: str, run: Trajectory) -> ConvergenceError:
    """Why there is no solution, with the best motion so far."""
    point, bounds = result.point, task.bounds
    after = f" (after {counted(result.iterations, 'iteration')})"
    do = "give another guess, more max_iterations, a longer duration, or ask for less"
    motion = task.motion(point.x, point.c, point.lam)
    beyond = bounds.beyond(bounds.limited(motion.q0, motion.q1, motion.u, motion.lam), 1e3 * tolerance)
    if beyond:
        found = f"no motion within the limits was found: {beyond}"
        do = (
            "give a guess, such as the motion found without some of the limits, a longer duration,"
            " or wider limits"
        )
        if result.failed >= 0:
            found += f"; in the last trials step {result.failed + 1} did not converge"
            do = f"take a smaller dt, {do[5:]}"
    elif task.ends.hard and np.abs(point.e).max() > 1e3 * tolerance:
        worst = int(np.abs(point.e).argmax())
        found = f"the end misses {task.ends.names[worst]!r} by {abs(point.e[worst]):.3g}"
        do = "give a longer duration, wider limits, another guess, or end_weight to make the end a cost"
        still_open = open_end(task, point.x[-1][: task.model.nq])
        if still_open:
            found += f"; no pose was found that meets it: in the nearest, {still_open}"
            do = "give an end that the system can take, such as the q of model.assemble(q), or end_weight"
        elif result.failed >= 0:
            found += f"; in the last trials step {result.failed + 1} did not converge"
            do = f"take a smaller dt, limits of velocity, which keep trials slow, {do[5:]}"
    elif result.gradient <= tolerance:
        found = f"the forces of limits that bind are left at {result.complements:.3g}, relative"
    elif result.status == "no descent":
        found = f"no descent: first-order conditions are left at {result.gradient:.3g}, above {tolerance:g}"
        if result.failed >= 0:
            found += f"; in the last trials step {result.failed + 1} did not converge"
            do = "take a smaller dt, limits of velocity, which keep trials slow, or another guess"
        elif result.gradient < 1e-4:
            do = f"take tolerance={float(f'{2 * result.gradient:.0e}'):g} to accept this motion, or another guess"
    else:
        found = f"first-order conditions are left at {result.gradient:.3g}, above {tolerance:g}"
    return ConvergenceError(
        asked=where,
        found=found + after,
        do=do + "; the best motion is the .trajectory of this exception",
        iterations=result.iterations,
        residual=max(result.gradient, result.ends, result.limits),
        trajectory=run,
    )


def failed_guess(task: Task, failed: Failed) -> ConvergenceError:
    """A step of the guess that did not converge."""
    setting = task.setting
    t = float(setting.times[failed.step])
    where = f"step {failed.step + 1} of the guess of {setting.where}"
    error = step_failure(task.step.integrator, task.kernels.rollout, failed.status, where, t)
    return ConvergenceError(
        asked=where,
        found=error.found,
        do="take a smaller dt, or a guess that moves more gently: steps are not halved within an optimisation",
        time=t,
        step=failed.step,
        residual=getattr(error, "residual", float("nan")),
    )


def check_start(model: Model, q: Vector | State | Any, where: str) -> None:
    """Raise if the start violates the constraints."""
    if model.nc == 0:
        return
    given = q.q if isinstance(q, State) else from_start(model, q)[0]
    values = model.neutral() if given is None else single_configuration(model, given, where)
    h = model.constraint(values)
    worst = int(np.abs(h).argmax())
    if abs(h[worst]) > OFF * (1.0 + np.abs(values).max()):
        raise ModelError(
            asked=f"q of {where}",
            found=f"a start that violates constraint {model.constraints[worst]!r} by {abs(h[worst]):.3g}",
            do="give assemble=True, which starts from the nearest q that meets them, as model.assemble(q) has it",
        )
