"""The distance between two configurations of a model: one number in metres, for variables of any kind."""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.model.model import Model

CHUNK = 2000  # rows processed at a time


class Distance:
    """The root mean square, over all mass of a model, of the distance between two configurations.

    For a body with mass m and inertia I about its centre c,

        integral |x_a - x_b|² dm = m |c_a - c_b|² + tr(D S D^T),   D = R_a - R_b,   S = tr(I)/2 1 - I

    so that angles, shifts and spins all count by how far they move mass. Motions of no mass do not count.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._bodies = []
        for label, frame in zip(model.frames[1:], model._description["frames"], strict=True):
            mass, inertia = frame.get("mass", 0.0), np.array(frame.get("inertia", np.zeros((3, 3))))
            if mass or inertia.any():
                spread = 0.5 * np.trace(inertia) * np.eye(3) - inertia
                self._bodies.append((label, mass, np.array(frame.get("com", np.zeros(3))), spread))
        self._mass = sum(body[1] for body in self._bodies) or 1.0

    def __call__(self, a: Array, b: Array) -> Array:
        """The distances in m, (rows,), between the rows of two arrays (rows, nq)."""
        parts = [self._squares(a[i : i + CHUNK], b[i : i + CHUNK]) for i in range(0, max(len(a), 1), CHUNK)]
        return np.asarray(np.sqrt(np.maximum(np.concatenate(parts), 0.0) / self._mass))

    def radius(self, q: Array) -> Array:
        """The root mean square distance of all mass from the world origin, (rows,)."""
        total = np.zeros(len(q))
        for label, mass, com, spread in self._bodies:
            pose = self._model.pose(label, q)
            total += mass * ((pose[:, :3, :3] @ com + pose[:, :3, 3]) ** 2).sum(axis=1) + np.trace(spread)
        return np.asarray(np.sqrt(total / self._mass))

    def _squares(self, a: Array, b: Array) -> Array:
        total = np.zeros(len(a))
        for label, mass, com, spread in self._bodies:
            apart = self._model.pose(label, a) - self._model.pose(label, b)
            D = apart[:, :3, :3]
            total += mass * ((D @ com + apart[:, :3, 3]) ** 2).sum(axis=1)
            total += np.einsum("tij,jk,tik->t", D, spread, D)
        return total
