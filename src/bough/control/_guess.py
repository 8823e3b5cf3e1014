"""Where the planner begins: a straight line in shape space, and closed loops where that says nothing."""

from __future__ import annotations

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._motion import Task, turn

LOOP = 0.8  # largest radius of a loop, in units of the joint variables


def straight_line(task: Task) -> Array:
    """Joint velocities, (steps, n), along the straight line from the start to the end, at rest at both."""
    end = np.where(task.fixed, task.shape, task.start)
    return _velocities(task, _ease(task)[:, None] * (end - task.start))


def is_degenerate(task: Task) -> bool:
    """Is the straight line a point, about which the attitude does not change to first order?"""
    end = np.where(task.fixed, task.shape, task.start)
    return bool(task.attitude is not None and task.fixed.all() and np.abs(end - task.start).max() < 1e-6)


def loops(task: Task, attitude: Array) -> Array:
    """Joint velocities of closed loops whose areas turn the base towards an attitude  (B1)-(B3).

    With the curvature B_ij of the connection at the start, a small loop of area S_ij in the plane of joints
    i and j turns the base by -B_ij S_ij. The least areas that make the turn are a skew matrix, whose planes
    are run through one after the other as circles.
    """
    n = task.n
    A, dA = np.empty((6, n)), np.empty((6, n, n))
    core.connection_derivatives(task.model._core, task.start, A, dA, np.empty((6, n, n, n)))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    B = np.array(
        [dA[:3, j, i] - dA[:3, i, j] - np.cross(A[:3, i], A[:3, j]) for i, j in pairs]
    ).T  # (B1), angular part
    if not pairs:
        return np.zeros((task.steps, n))
    areas = np.linalg.pinv(B, rcond=1e-6) @ -turn(task.pose[:3, :3].T @ attitude)
    S = np.zeros((n, n))
    for (i, j), area in zip(pairs, areas, strict=True):
        S[i, j], S[j, i] = area, -area
    values, vectors = np.linalg.eigh(1j * S)  # (B2): S a = -size b, S b = size a for each plane
    planes = [(values[k], vectors[:, k]) for k in range(n) if values[k] > 1e-9 * (abs(values).max() + 1e-300)]
    path = np.zeros((task.steps + 1, n))
    ease = _ease(task)
    for number, (size, plane) in enumerate(planes, start=1):
        a, b = np.sqrt(2.0) * plane.real, np.sqrt(2.0) * plane.imag
        radius = min(np.sqrt(size / (np.pi * number)), _room(task, a, b))
        angle = 2.0 * np.pi * number * ease
        path += radius * (np.outer(1.0 - np.cos(angle), a) + np.outer(np.sin(angle), b))  # (B3)
    return _velocities(task, path)


def _room(task: Task, a: Array, b: Array) -> float:
    """The largest radius of a circle along a and b that stays well within the limits of the joints."""
    n = task.n
    reach = np.abs(a) + np.hypot(a, b)
    room = np.minimum(task.high[:n] - task.start, task.start - task.low[:n])
    return float(min(LOOP, 0.5 * np.min(room / np.maximum(reach, 1e-9))))


def _ease(task: Task) -> Array:
    """From 0 to 1 in the steps of a task, at rest at both ends."""
    s = np.linspace(0.0, 1.0, task.steps + 1)
    return s * s * (3.0 - 2.0 * s)


def _velocities(task: Task, path: Array) -> Array:
    return np.ascontiguousarray(np.diff(path, axis=0) / task.h)
