"""First guesses of the planner: a straight line in shape space, and closed loops if that is a point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline

from bough.arguments import Array
from bough.control._motion import Task, turn

SAME = 1e-6  # of the largest: a difference of the sizes of two planes that counts as none
LOOP = 0.8  # largest radius of a loop, in the units of the joint variables


def straight_line(task: Task) -> Array:
    """Joint velocities, (steps, n), along the straight line from the start to the end, at rest at both."""
    end = np.where(task.fixed, task.shape, task.start)
    return _velocities(task, _ease(task)[:, None] * (end - task.start))


def _is_degenerate(task: Task) -> bool:
    """Whether the straight line is a point, near which the attitude does not change to first order."""
    end = np.where(task.fixed, task.shape, task.start)
    return bool(task.attitude is not None and task.fixed.all() and np.abs(end - task.start).max() < 1e-6)


def some_guesses(task: Task, count: int) -> list[Array]:
    """The straight line, the line with loops that make the turn, the line with a circle in planes of joints.

    The planes are those of two joints in which circles turn the base most; circles run in both senses.
    """
    line = straight_line(task)
    guesses = [] if _is_degenerate(task) or task.attitude is None else [line]
    if task.attitude is not None:
        guesses.append(line + _loops(task, task.attitude))
    pairs, B = _curvature(task)
    ease = _ease(task)
    angle = 2.0 * np.pi * ease
    size = np.linalg.norm(B, axis=0)
    # equal arms have equal curvatures, whose order must not be that of their round-off
    for k in np.argsort(-np.round(size / max(size.max(initial=0.0), 1e-300), 9), kind="stable"):
        for first, second in (pairs[k], pairs[k][::-1]):
            a, b = np.eye(task.n)[first], np.eye(task.n)[second]
            guesses.append(
                line + _velocities(task, min(LOOP, _largest_radius(task, a, b)) * _circle(angle, a, b))
            )
    return guesses[:count]


def with_steps(task: Task, steps: int) -> Task:
    """The same task in another number of steps."""
    return replace(task, steps=steps, h=task.h * task.steps / steps)


def resampled(task: Task, r: Array) -> Array:
    """Joint velocities along shapes r, (rows, n), of the same duration in another number of steps."""
    if len(r) == task.steps + 1:
        return _velocities(task, r)
    duration = task.steps * task.h
    path = CubicSpline(np.linspace(0.0, duration, len(r)), r, bc_type="clamped")
    return _velocities(task, path(np.linspace(0.0, duration, task.steps + 1)))


def _curvature(task: Task) -> tuple[list[tuple[int, int]], Array]:
    """Pairs of joints, and the angular part of the curvature of the connection of each, (3, pairs) (CB1)."""
    at = task.model.reduced(task.start, order=1)
    A, dA = at.A[:3], at.A_dr[:, :3]  # dA by the joint first
    pairs = [(i, j) for i in range(task.n) for j in range(i + 1, task.n)]
    rows = [dA[i, :, j] - dA[j, :, i] - np.cross(A[:, i], A[:, j]) for i, j in pairs]
    return pairs, np.array(rows).reshape(len(pairs), 3).T


def _loops(task: Task, attitude: Array) -> Array:
    """Joint velocities of closed loops whose areas turn the base towards an attitude  (CB2), (CB3).

    A small loop of area S_ij in the plane of joints i and j turns the base by -B_ij S_ij. The least areas
    that make the turn form a skew matrix; its planes are traversed together, the k-th of them k times.
    """
    pairs, B = _curvature(task)
    areas = np.linalg.pinv(B, rcond=1e-6) @ -turn(task.pose[:3, :3].T @ attitude)
    S = np.zeros((task.n, task.n))
    for (i, j), area in zip(pairs, areas, strict=True):
        S[i, j], S[j, i] = area, -area
    path = np.zeros((task.steps + 1, task.n))
    for number, (size, vector) in enumerate(_planes(S), start=1):
        a, b = np.sqrt(2.0) * vector.real, np.sqrt(2.0) * vector.imag
        radius = min(np.sqrt(size / (np.pi * number)), LOOP, _largest_radius(task, a, b))
        path += radius * _circle(2.0 * np.pi * number * _ease(task), a, b)  # (CB3)
    return _velocities(task, path)


def _planes(S: Array) -> list[tuple[float, Array]]:
    """Sizes and vectors (a + ib)/√2 of the planes of a skew matrix: S a = size b, S b = -size a  (CB2).

    Eigenvectors have any phase, and planes of one size any basis: round-off would choose where a loop begins. The
    projector onto the vectors of one size has neither; its columns are taken, first those of the first joints.
    """
    values, vectors = np.linalg.eigh(1j * S)
    largest = float(np.abs(values).max(initial=0.0))
    left = [k for k in range(len(values)) if values[k] > 1e-9 * largest]
    planes: list[tuple[float, Array]] = []
    while left:
        size = float(values[left[0]])
        same = [k for k in left if values[k] - size <= SAME * largest]
        left = left[len(same) :]
        projector = vectors[:, same] @ vectors[:, same].conj().T
        for _ in same:
            length = np.sqrt(np.maximum(np.diagonal(projector).real, 0.0))
            column = projector[:, int(np.argmax(length > 0.5 * length.max()))]
            vector = column / np.linalg.norm(column)
            projector = projector - np.outer(vector, vector.conj())
            planes.append((size, vector))
    return planes


def _circle(angle: Array, a: Array, b: Array) -> Array:
    return np.outer(1.0 - np.cos(angle), a) + np.outer(np.sin(angle), b)


def _largest_radius(task: Task, a: Array, b: Array) -> float:
    """The largest radius of a circle along a and b that stays well within the limits of the joints."""
    n = task.n
    reach = np.abs(a) + np.hypot(a, b)
    margin = np.minimum(task.high[:n] - task.start, task.start - task.low[:n])
    return float(0.5 * np.min(margin / np.maximum(reach, 1e-9)))


def _ease(task: Task) -> Array:
    """From 0 to 1 in the steps of a task, at rest at both ends."""
    s = np.linspace(0.0, 1.0, task.steps + 1)
    return s * s * (3.0 - 2.0 * s)


def _velocities(task: Task, path: Array) -> Array:
    return np.ascontiguousarray(np.diff(path, axis=0) / task.h)
