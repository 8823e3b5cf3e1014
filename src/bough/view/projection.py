"""The projection of points in space to points in a picture."""

from __future__ import annotations

import math

import numpy as np

from bough.arguments import Array
from bough.view.parts import Camera
from bough.view.plane import upright

NEAREST = 0.02  # least distance from the viewer at which a thing is shown, relative to that of the target


class Projection:
    """A view of the world: `flat` without perspective along a normal, otherwise that of a camera.

    Attributes
    ----------
    axes : array (3, 3)
        Rows: the directions right, up and towards the viewer.
    """

    def __init__(self, normal: Array | None, camera: Camera) -> None:
        self.flat = normal is not None
        towards = camera.position - camera.target
        self.distance = float(np.linalg.norm(towards))
        towards = towards / self.distance if normal is None else normal
        up = upright(towards)
        self.axes: Array = np.stack((np.cross(up, towards), up, towards))
        self.target = np.zeros(3) if self.flat else camera.target
        self.half = self.distance * math.tan(camera.fov / 2.0)

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """Points in the picture (..., 2), in m at the target, and their nearness to the viewer (...)."""
        seen = (points - self.target) @ self.axes.T
        if self.flat:
            return seen[..., :2], seen[..., 2]
        # points beside or behind the viewer cannot be shown and are moved in front
        shrink = self.distance / np.maximum(self.distance - seen[..., 2], NEAREST * self.distance)
        return seen[..., :2] * shrink[..., None], seen[..., 2]

    def faces(self, point: Array, normal: Array) -> bool:
        """Whether a plane through a point with this normal is seen from the side of the normal."""
        towards = self.axes[2] if self.flat else self.target + self.distance * self.axes[2] - point
        return float(towards @ normal) > 0.0

    def in_front(self, polygon: Array) -> Array:
        """The part of a polygon (n, 3) that is in front of the viewer, (m, 3), of none if it is behind."""
        left = (1.0 - NEAREST) * self.distance - (polygon - self.target) @ self.axes[2]
        kept: list[Array] = []
        for i, here in enumerate(left):
            before = left[i - 1]
            if (here < 0.0) != (before < 0.0):
                kept.append(polygon[i - 1] + before / (before - here) * (polygon[i] - polygon[i - 1]))
            if here >= 0.0:
                kept.append(polygon[i])
        return np.array(kept).reshape(-1, 3)
