"""The camera for a motion, and the grid around it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bough.arguments import Array
from bough.view.parts import Camera, Grid
from bough.view.plane import upright

FOV = math.radians(40.0)
ASIDE = np.array((0.55, -1.0, 0.45))  # direction of the camera for spatial systems: x to the right, z up
MARGIN = 1.08


def camera(points: Array, normal: Array | None, aspect: float) -> Camera:
    """The nearest camera on its line of sight that sees all points."""
    return cameras(points, normal, (aspect,))[0]


def cameras(points: Array, normal: Array | None, aspects: Sequence[float]) -> list[Camera]:
    """The nearest cameras on one line of sight that see all points, in windows of several widths over heights.

    With the target at the middle, a point at (x, y) in the picture and z towards the viewer is seen from the
    distance d if |y| <= (d - z) tan(fov / 2) and |x| <= aspect (d - z) tan(fov / 2).
    """
    towards = ASIDE / np.linalg.norm(ASIDE) if normal is None else normal
    up = upright(towards)
    right = np.cross(up, towards)
    axes = np.stack((right, up, towards))
    seen = points @ axes.T
    middle = (seen.min(axis=0) + seen.max(axis=0)) / 2.0
    x, y, z = (seen - middle).T
    wide, high, half = np.abs(x), np.abs(y), math.tan(FOV / 2.0) / MARGIN
    target, made = middle @ axes, []
    for aspect in aspects:
        distance = float((z + np.maximum(wide / aspect, high) / half).max())
        if distance <= 0.0:
            distance = 1.0  # a single point
        made.append(Camera(target + distance * towards, target, up, FOV))
    return made


def grid(points: Array, normal: Array | None, size: float) -> Grid:
    """A grid below the points, or behind them in the plane of motion, a little wider than they are."""
    if normal is None:
        right, up, out = np.eye(3)
    else:
        up = upright(normal)
        right, out = np.cross(up, normal), normal
    axes = np.stack((right, up, out))
    seen = points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    extent = max(float((high - low)[:2].max()), size)
    spacing = round_number(extent / 8.0)
    middle = np.round((low + high)[:2] / 2.0 / spacing) * spacing
    lines = math.ceil(0.65 * extent / spacing)
    origin = np.array((*middle, low[2])) @ axes
    return Grid(origin, right, up, 2.0 * lines * spacing, spacing)


def round_number(value: float) -> float:
    """1, 2 or 5 times a power of ten, the nearest of them below."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step for step in (5.0, 2.0, 1.0) if step * power <= value * (1.0 + 1e-12)) * power
