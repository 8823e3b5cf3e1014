"""Where a search begins: controls from a trajectory, from arrays, or from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.control._model_task import Task
from bough.control._newton import Failed
from bough.control._unreachable import CLOSED, nearest_to_end
from bough.errors import ModelError, unknown_name
from bough.model.configurations import refuse_balls
from bough.motion.trajectory import Trajectory

HELD = 1e-9  # part of the forces at rest that inputs may leave


def first_guess(task: Task, guess: Any) -> Array:
    """Controls (steps, nc): inputs, then moves of the kinematic variables."""
    model, setting = task.model, task.setting
    where = f"guess of {setting.where}"
    if isinstance(guess, Trajectory):
        return _resampled(task, guess, where)
    if callable(guess):
        raise ModelError(
            asked=where,
            found="a function, such as a feedback u(t, state)",
            do="simulate with u= and give the Trajectory as guess",
        )
    parts: Mapping[str, Any] = guess if isinstance(guess, Mapping) else {"u": guess}
    for name in parts:
        if name not in ("u", "k", "q"):
            raise unknown_name("part", str(name), ("u", "k", "q"), where)
    if "q" in parts:
        if len(parts) > 1:
            raise ModelError(
                asked=where,
                found=f"configurations beside {', '.join(sorted(set(parts) - {'q'}))!r}",
                do="give 'q' alone, from which the others are found, or 'u' and 'k'",
            )
        refuse_balls(model, f"configurations as {where}", "give inputs, or a Trajectory")
        return _from_configurations(task, _rows(parts["q"], (setting.steps + 1, model.nv), where), where)
    u, k = np.zeros((setting.steps, model.nu)), _line(task)
    if parts.get("u") is not None:
        u = _rows(parts["u"], (setting.steps, model.nu), where)
    if parts.get("k") is not None:
        k = _rows(parts["k"], (setting.steps + 1, model.nk), where)
        if np.abs(k[0] - task.x0[model.nq - model.nk : model.nq]).max(initial=0.0) > 1e-9:
            raise ModelError(
                asked=where,
                found="kinematic variables whose first row is not that of the start",
                do="begin with the values of the start",
            )
    return np.ascontiguousarray(np.concatenate([u, np.diff(k, axis=0)], axis=1))


def _from_configurations(task: Task, q: Array, where: str) -> Array:
    """Kinematic variables of the rows, and the inputs that come nearest to their accelerations.

    Halfway through each step, inputs and constraint forces are the least squares of
    f_u u + Dhᵀλ = d/dt L_v − L_q − f over the dynamic variables.                                             (OG1)
    """
    model, dt = task.model, task.setting.dt
    if np.abs(q[0] - task.x0[: model.nv]).max() > 1e-6:
        raise ModelError(
            asked=where,
            found=f"a first row that is off the start by {np.abs(q[0] - task.x0[: model.nv]).max():.3g}",
            do="begin with the q of the start",
        )
    u = np.zeros((len(q) - 1, model.nu))
    if model.nu:
        middle, v = 0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / dt
        a = np.gradient(v, dt, axis=0) if len(v) > 1 else np.zeros_like(v)
        t = task.setting.times[:-1] + 0.5 * dt
        wanted = model.inverse_dynamics(middle, v, a) - model.generalized_force(middle, v, u, t)
        by_u = model.generalized_force_du(middle, v, u, t)
        by_row = np.swapaxes(model.constraint_dq(middle, t), 1, 2)
        columns = np.concatenate([by_u, by_row], axis=2)[:, : model.nd]
        found = np.linalg.pinv(columns, rcond=1e-9) @ wanted[:, : model.nd, None]
        u = found[:, : model.nu, 0]
    return np.ascontiguousarray(np.concatenate([u, np.diff(q[:, model.nd :], axis=0)], axis=1))


def held(task: Task) -> Array | None:
    """Controls with the least inputs that hold the start at rest, as an arm against its weight; None if none do."""
    model = task.model
    q, t = task.x0[: model.nq], float(task.setting.times[0])
    none, still = np.zeros(model.nu), np.zeros(model.nv)
    wanted = (model.inverse_dynamics(q, still, still) - model.generalized_force(q, still, none, t))[
        : model.nd
    ]
    by_u, by_row = model.generalized_force_du(q, still, none, t), model.constraint_dq(q, t).T
    columns = np.concatenate([by_u, by_row], axis=1)[: model.nd]
    found = np.linalg.pinv(columns, rcond=1e-9) @ wanted
    u = found[: model.nu]
    if np.abs(columns @ found - wanted).max(initial=0.0) > HELD * np.abs(wanted).max(initial=0.0):
        return None
    k = np.diff(_line(task), axis=0)
    return np.ascontiguousarray(np.concatenate([np.tile(u, (len(k), 1)), k], axis=1)) if u.any() else None


def driven_path(task: Task) -> Array | None:
    """Controls along a smooth path from a start at rest to a pose of the end, if inputs drive every variable.

    None if they do not, for models with constraints or balls, and if no pose is found.
    """
    model, steps = task.model, task.setting.steps
    q = task.x0[: model.nq]
    if model.nc or model.balls or not len(task.ends) or model.velocity(q, task.x0[model.nq :]).any():
        return None
    by_u = model.generalized_force_du(q, np.zeros(model.nv), np.zeros(model.nu))[: model.nd]
    if np.linalg.matrix_rank(by_u) < model.nd:
        return None
    last = nearest_to_end(task, q)
    if np.abs(last.left).max(initial=0.0) > CLOSED:
        return None
    part = np.linspace(0.0, 1.0, steps + 1)[:, None]
    path = q + part**3 * (10.0 - 15.0 * part + 6.0 * part**2) * (last.q - q)
    controls = _from_configurations(task, path, task.where)
    try:
        task.roll(task.first(), controls, None, None, 0.0)
    except Failed:
        return None
    return controls


def _line(task: Task) -> Array:
    """Kinematic variables on a line to the end, or held."""
    model, steps = task.model, task.setting.steps
    start = task.x0[model.nq - model.nk : model.nq]
    last = start.copy()
    for row, i in enumerate(task.ends.q):
        if i >= model.nd:
            last[i - model.nd] = task.ends.target[row]
    return start + np.linspace(0.0, 1.0, steps + 1)[:, None] * (last - start)


def _rows(value: Any, shape: tuple[int, int], where: str) -> Array:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != shape or not np.isfinite(array).all():
        found = f"shape {array.shape}, expected {shape}"
        if array.shape == shape:
            found = "numbers that are not finite"
        raise ModelError(
            asked=where, found=found, do="give one row per step, or a Trajectory, which is interpolated"
        )
    return array


def _resampled(task: Task, run: Trajectory, where: str) -> Array:
    model, times = task.model, task.setting.times
    if run.model.inputs != model.inputs or run.model.variables != model.variables:
        raise ModelError(
            asked=where,
            found=f"a trajectory of model {run.model.name!r} with other variables or inputs",
            do="give a trajectory of the same model",
        )
    t = np.asarray(run.t) - run.t[0] + times[0]
    middle = times[:-1] + 0.5 * task.setting.dt
    place = np.clip(np.searchsorted(t, middle, side="right") - 1, 0, len(t) - 1)
    u = np.asarray(run.u)[place]
    k = np.stack(
        [np.interp(times, t, run.q[:, i]) for i in range(model.nq - model.nk, model.nq)] or [times * 0.0],
        axis=1,
    )
    k = k[:, : model.nk]
    k = k + (task.x0[model.nq - model.nk : model.nq] - k[0]) * np.linspace(1.0, 0.0, len(times))[:, None]
    return np.ascontiguousarray(np.concatenate([u, np.diff(k, axis=0)], axis=1))
