"""Geometries as triangles, and the boxes around them."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.description.heightfield import Heightfield
from bough.description.mesh_file import mesh_triangles
from bough.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from bough.view.parts import Axes, Prism, Thread

Faces: TypeAlias = "npt.NDArray[np.int64]"
Surface: TypeAlias = "tuple[Array, Faces]"

AROUND = 28  # number of sides of a cylinder, a multiple of four
THREADED, TURNS = 16, 10  # numbers of sides and turns of a thread
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def surface(geometry: Geometry | Axes, around: int = AROUND) -> Surface:
    """The triangles of a geometry: corners (n, 3), and for each triangle the numbers of its corners, (m, 3).

    Faces are counterclockwise from outside; round ones have `around` sides, a multiple of four. Raises
    `UnreadableMesh` for a mesh without its file.
    """
    if isinstance(geometry, Box):
        return CORNERS * np.asarray(geometry.size), _BOX
    if isinstance(geometry, Sphere):
        vertices, faces = _ball(around)
        return vertices * geometry.radius, faces
    if isinstance(geometry, Ellipsoid):
        vertices, faces = _ball(around)
        return vertices * np.asarray(geometry.radii), faces
    if isinstance(geometry, Capsule):
        return _surface_of_revolution(*_capsule(geometry.radius, geometry.length, around), around)
    if isinstance(geometry, Cylinder):
        return cylinder(geometry.radius, geometry.length)
    if isinstance(geometry, Plane):
        x, y = np.asarray(geometry.size) / 2.0
        corners = np.array([(-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)])
        return corners, np.array([(0, 1, 2), (0, 2, 3)])
    if isinstance(geometry, Mesh):
        return mesh_triangles(geometry)
    if isinstance(geometry, Heightfield):
        return geometry.triangles()
    if isinstance(geometry, Prism):
        return _prism(geometry)
    if isinstance(geometry, Thread):
        return _thread(geometry)
    return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)  # axes are lines


def cylinder(radius: float, length: float, slices: int = 1) -> Surface:
    """The surface of a cylinder that is cut into slices."""
    heights = np.linspace(-length / 2.0, length / 2.0, slices + 1)
    z = np.concatenate((heights[:1], heights, heights[-1:]))
    r = np.full(len(z), radius)
    r[[0, -1]] = 0.0
    return _surface_of_revolution(r, z)


def corners(geometry: Geometry | Axes) -> Array:
    """Points whose convex hull holds the geometry, (n, 3): of most the eight corners of a box."""
    if isinstance(geometry, Mesh | Heightfield):
        vertices, _ = surface(geometry)
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        return np.asarray((low + high) / 2.0 + CORNERS * (high - low))
    if isinstance(geometry, Axes):
        return np.vstack((np.zeros(3), geometry.size * np.eye(3)))
    if isinstance(geometry, Capsule):
        size = (2 * geometry.radius, 2 * geometry.radius, geometry.length + 2 * geometry.radius)
    elif isinstance(geometry, Cylinder | Thread):
        size = (2 * geometry.radius, 2 * geometry.radius, geometry.length)
    elif isinstance(geometry, Prism):
        low, high = np.min(geometry.outline, axis=0), np.max(geometry.outline, axis=0)
        middle = np.append((low + high) / 2.0, 0.0)
        return np.asarray(middle + CORNERS * np.append(high - low, geometry.thickness))
    elif isinstance(geometry, Sphere):
        size = (2 * geometry.radius,) * 3
    elif isinstance(geometry, Ellipsoid):
        return np.asarray(CORNERS * 2.0 * np.asarray(geometry.radii))
    else:
        return surface(geometry)[0]
    return np.asarray(CORNERS * size)


# Quads 0132 and so on of CORNERS, seen from outside.
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_BOX = np.array([triangle for a, b, c, d in _QUADS for triangle in ((a, b, c), (a, c, d))])


@lru_cache(maxsize=8)
def _ball(around: int) -> Surface:
    angles = np.linspace(-np.pi / 2, np.pi / 2, around // 2 + 1)
    return _surface_of_revolution(np.cos(angles), np.sin(angles), around)


def _capsule(radius: float, length: float, around: int) -> tuple[Array, Array]:
    """The profile (r, z) of a capsule."""
    angles = np.linspace(0.0, np.pi / 2, around // 4 + 1)
    r, z = radius * np.cos(angles), radius * np.sin(angles) + length / 2.0
    return np.concatenate((r[::-1], r)), np.concatenate((-z[::-1], z))


def _surface_of_revolution(r: Array, z: Array, around: int = AROUND) -> Surface:
    """The surface of a profile from bottom to top that turns about the axis z."""
    angles = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    x, y = np.outer(r, np.cos(angles)), np.outer(r, np.sin(angles))
    vertices = np.stack((x, y, np.broadcast_to(z[:, None], x.shape)), axis=-1).reshape(-1, 3)
    at = np.arange(len(r) - 1)[:, None] * around
    here, after = at + np.arange(around), at + (np.arange(around) + 1) % around
    lower = np.stack((here, after, after + around), axis=-1)
    upper = np.stack((here, after + around, here + around), axis=-1)
    tips = np.asarray(r) <= 1e-9 * np.max(r)
    triangles = [lower[~tips[:-1]].reshape(-1, 3), upper[~tips[1:]].reshape(-1, 3)]
    return vertices, np.concatenate(triangles)


def _prism(prism: Prism) -> Surface:
    """Both faces as fans from the middle, and the rim."""
    flat, n = np.asarray(prism.outline), len(prism.outline)
    high = np.full(n, prism.thickness / 2.0)
    rings = [np.column_stack((flat, side * high)) for side in (1.0, -1.0)]
    middles = np.array([(0.0, 0.0, prism.thickness / 2.0), (0.0, 0.0, -prism.thickness / 2.0)])
    here, after = np.arange(n), (np.arange(n) + 1) % n
    top, bottom = np.full(n, 2 * n), np.full(n, 2 * n + 1)
    faces = (
        (top, here, after),
        (bottom, n + after, n + here),
        (here, n + here, n + after),
        (here, n + after, after),
    )
    return np.vstack((*rings, middles)), np.concatenate([np.column_stack(face) for face in faces])


def _thread(thread: Thread) -> Surface:
    """A zigzag profile along a helix, in at most TURNS turns."""
    turns = min(thread.length / abs(thread.lead), TURNS)
    lead = np.copysign(thread.length / turns, thread.lead)
    z = np.linspace(-0.5, 0.5, round(4 * turns) + 1) * thread.length
    angles = np.linspace(0.0, 2.0 * np.pi, THREADED, endpoint=False)
    phase = np.mod(z[:, None] / lead - angles / (2.0 * np.pi), 1.0)
    deep = min(0.25 * thread.radius, 0.5 * abs(lead))
    r = thread.radius - deep * np.abs(2.0 * phase - 1.0)
    ends = [(0.0, 0.0, z[0]), (0.0, 0.0, z[-1])]
    rings = np.stack(np.broadcast_arrays(r * np.cos(angles), r * np.sin(angles), z[:, None]), axis=-1)
    at = np.arange(len(z) - 1)[:, None] * THREADED
    here, after = at + np.arange(THREADED), at + (np.arange(THREADED) + 1) % THREADED
    one, two = here[0], after[0]
    last = one + (len(z) - 1) * THREADED, two + (len(z) - 1) * THREADED
    first = np.full(THREADED, rings.shape[0] * THREADED)
    faces = [
        np.stack((here, after, after + THREADED), axis=-1).reshape(-1, 3),
        np.stack((here, after + THREADED, here + THREADED), axis=-1).reshape(-1, 3),
        np.column_stack((first, two, one)),
        np.column_stack((first + 1, *last)),
    ]
    return np.vstack((rings.reshape(-1, 3), ends)), np.concatenate(faces)
