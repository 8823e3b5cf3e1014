"""Convex hulls of points as meshes."""

from __future__ import annotations

import numpy as np

from bough.description.shapes import Mesh
from bough.validate import Array


def convex_hull(points: Array) -> Mesh:
    """The hull of points in space, its triangles against the clock seen from outside."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    corners = points[hull.vertices]
    number = {int(old): new for new, old in enumerate(hull.vertices)}
    faces = []
    for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = (number[int(i)] for i in simplex)
        outwards = np.dot(np.cross(corners[b] - corners[a], corners[c] - corners[a]), equation[:3]) > 0.0
        faces.append((a, b, c) if outwards else (a, c, b))
    return Mesh(vertices=corners, faces=np.array(faces))
