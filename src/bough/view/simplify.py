"""Surfaces simplified for pictures: fewer triangles of large meshes, long cylinders in slices."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bough.arguments import Array
from bough.description.shapes import Cylinder, Geometry
from bough.view.surfaces import Faces, Surface, cylinder, surface

SLICES = 12  # number of slices of a long cylinder
FACES = 1500  # default number of triangles of a simplified mesh
FINEST, COARSEST = 64, 8  # range of the number of cells along the longest side of a mesh


@lru_cache(maxsize=512)
def simplified(geometry: Geometry, most: int = FACES) -> Surface:
    """The surface of a geometry with about `most` triangles at the most.

    Corners in one cell of a grid become their mean; triangles that lose their area are removed. The grid is
    made coarser until few enough are left.
    """
    if type(geometry) is Cylinder:  # in slices, each with its own depth
        slices = min(max(round(geometry.length / (6.0 * geometry.radius)), 1), SLICES)
        return cylinder(geometry.radius, geometry.length, slices)
    if geometry.kind in ("prism", "thread"):
        return surface(geometry)  # gears would lose their teeth
    cells = FINEST
    vertices, faces = surface(geometry)
    result = vertices, faces
    while len(result[1]) > most and cells >= COARSEST:
        result = _cluster(vertices, faces, cells)
        cells = cells * 3 // 4
    return result


def _cluster(vertices: Array, faces: Faces, cells: int) -> Surface:
    low = vertices.min(axis=0)
    edge = max(float(np.ptp(vertices, axis=0).max()), 1e-300) / cells
    keys = np.floor((vertices - low) / edge).astype(np.int64)
    _, group = np.unique(keys @ np.array((1, 4 * FINEST, 16 * FINEST**2)), return_inverse=True)
    group = group.reshape(-1)
    count = np.bincount(group)
    means = np.stack([np.bincount(group, weights=vertices[:, k]) / count for k in range(3)], axis=1)
    corners = group[faces]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    return means, corners[np.sort(first)]
