"""Whether any pose meets an end: what loops and frames leave of it in the nearest pose that is found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.optimize

from bough.arguments import Array
from bough.control._model_task import Task

CLOSED = 1e-6  # rows that count as met, as those of an end that gives all variables


class NearestPose(NamedTuple):
    """The pose with the variables that an end gives that comes nearest to its frames, and what stays open in it.

    left : the constraints, then what frames and balls miss
    posed : the rows of the end that belong to these
    """

    q: Array
    left: Array
    posed: list[int]


def nearest_to_end(task: Task, q: Array) -> NearestPose:
    """The pose nearest to the end, sought from q."""
    model, ends = task.model, task.ends
    t = float(task.setting.times[-1])
    told = {int(place): float(value) for place, value in zip(ends.q, ends.target, strict=False)}
    places = np.array([i for i in range(model.nv) if i not in told], dtype=int)
    posed = [i for i, name in enumerate(ends.names) if i >= len(ends.q) + len(ends.v)]
    first = np.array(q)
    for row, column in zip(*model._single, strict=True):
        first[column] = told.get(int(row), first[column])

    def pose(move: Array) -> Array:
        dq = np.zeros(model.nv)
        dq[places] = move
        return np.asarray(model.integrate(first, dq))

    def rows(move: Array) -> Array:
        at = pose(move)
        missed = ends.values(np.concatenate([at, np.zeros(model.nd)]))[posed]
        return np.concatenate([np.nan_to_num(model.constraint(at, t)), missed])

    move = np.zeros(len(places))
    if len(places) and (model.nc or posed):
        move = scipy.optimize.least_squares(rows, move, xtol=1e-12, ftol=1e-12).x
    return NearestPose(pose(move), rows(move), posed)


def open_end(task: Task, q: Array) -> str:
    """What stays open in the nearest pose with the variables that the end gives, sought from q; "" if none does."""
    model, ends = task.model, task.ends
    _, left, posed = nearest_to_end(task, q)
    if not len(left):
        return ""
    worst = int(np.abs(left).argmax())
    if abs(left[worst]) <= CLOSED:
        return ""
    if worst < model.nc:
        return f"constraint {model.constraints[worst]!r} is violated by {abs(left[worst]):.3g}"
    return f"{ends.names[posed[worst - model.nc]]!r} is missed by {abs(left[worst]):.3g}"
