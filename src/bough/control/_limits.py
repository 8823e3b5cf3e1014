"""Bounds of shape, velocity and effort along a motion, as rows h <= 0: docs/theory/control.md (CL1)-(CL4)."""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.control._motion import BASE, Motion, Task


def excess(task: Task, motion: Motion) -> Array:
    """The violation of limits, (steps, 3 n), in units of half their width; negative within."""
    beyond: Array = np.maximum(motion.limited - task.high, task.low - motion.limited) / half_width(task)
    return beyond


def half_width(task: Task) -> Array:
    """The scale of violations, (3 n,): half the width of the limits, 1 if there is only one."""
    width = task.high - task.low
    return np.where(np.isfinite(width), 0.5 * width, 1.0)


class Limits:
    """The finite bounds of a task: rows h_i = sign_i (y_i - bound_i)/scale_i of what is bounded, y.

    A row that cannot be influenced (the last shape, if it is prescribed) is excluded by `active`.
    """

    def __init__(self, task: Task) -> None:
        self.n, self.h = task.n, task.h
        entries = [(i, 1.0, b) for i, b in enumerate(task.high) if np.isfinite(b)]
        entries += [(i, -1.0, b) for i, b in enumerate(task.low) if np.isfinite(b)]
        self.column = np.array([i for i, _, _ in entries], dtype=int)
        self.sign = np.array([sign for _, sign, _ in entries])
        self.bound = np.array([bound for _, _, bound in entries])
        self.scale = half_width(task)[self.column]
        self.active = np.ones((task.steps, len(entries)), dtype=bool)
        held = np.concatenate((task.fixed, np.zeros(2 * self.n, dtype=bool)))
        self.active[-1] = ~held[self.column]

    def __len__(self) -> int:
        return len(self.column)

    def values(self, motion: Motion) -> Array:
        """h, (steps, rows); -1 in excluded rows."""
        h = self.sign * (motion.limited[:, self.column] - self.bound) / self.scale
        return np.where(self.active, h, -1.0)

    def pull(self, z: Array) -> Array:
        """The derivative of z . h by what is bounded, y."""
        out = np.zeros((len(z), 3 * self.n))
        np.add.at(out.T, self.column, (self.sign / self.scale * np.where(self.active, z, 0.0)).T)
        return out

    def curvature(self, weight: Array) -> Array:
        """The diagonal of dh^T weight dh by what is bounded, y."""
        out = np.zeros((len(weight), 3 * self.n))
        np.add.at(out.T, self.column, (np.where(self.active, weight, 0.0) / self.scale**2).T)
        return out

    def direct(self, pull: Array) -> Array:
        """The part of `pull` that does not go through the effort, by z = (delta, r, p, r')."""
        n = self.n
        out = np.zeros((len(pull), BASE + 3 * n))
        out[:, BASE : BASE + n] = pull[:, :n]
        out[:, BASE + 2 * n :] = self.h * pull[:, :n] + pull[:, n : 2 * n]
        return out

    def jacobian(self, F: Array) -> Array:
        """The derivative of the bounded quantities by z, (steps, 3 n, nz)."""
        n = self.n
        out = np.zeros((len(F), 3 * n, F.shape[2]))
        i = np.arange(n)
        out[:, i, BASE + i] = 1.0
        out[:, i, BASE + 2 * n + i] = self.h
        out[:, n + i, BASE + 2 * n + i] = 1.0
        out[:, 2 * n :] = F
        return out

    def change(self, Y: Array) -> Array:
        """The change of h for a change of the bounded quantities."""
        return np.where(self.active, self.sign / self.scale * Y[:, self.column], 0.0)
