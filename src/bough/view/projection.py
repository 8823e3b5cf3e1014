"""The projection of points in space to points in a picture."""

from __future__ import annotations

import math

import numpy as np

from bough.arguments import Array
from bough.view.parts import Camera
from bough.view.plane import upright


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
        shrink = self.distance / np.maximum(self.distance - seen[..., 2], 0.02 * self.distance)
        return seen[..., :2] * shrink[..., None], seen[..., 2]
