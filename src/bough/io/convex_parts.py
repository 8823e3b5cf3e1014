"""Meshes that are not convex as convex parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough import validate
from bough.description.hulls import convex_hull
from bough.description.mesh_file import UnreadableMesh, mesh_triangles
from bough.description.shapes import Mesh
from bough.errors import ModelError
from bough.validate import Array

FINE = 1e-6  # of the size of a part: corners that cuts left beside others


def convex_parts(mesh: Mesh, *, concavity: float = 0.05, most: int | None = None) -> list[Mesh]:
    """The convex parts of a body, each of which can touch: cut by CoACD, then their hulls.

    The hulls together are the body but for dents that are shallower than `concavity`. A mesh that is convex is
    its only part.

    Parameters
    ----------
    mesh : Mesh
        A closed surface.
    concavity : float
        How deep a dent may be that is filled, of the size of the mesh, from 0.01 to 1.
    most : int or None
        The largest number of parts, one or more.

    Returns
    -------
    list of Mesh

    Examples
    --------
    >>> import bough
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> tetrahedron = bough.Mesh(vertices=corners, faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> len(bough.convex_parts(tetrahedron))
    1
    """
    where = "convex_parts(...)"
    threshold = validate.real(concavity, "concavity", where)
    if not 0.01 <= threshold <= 1.0:
        raise ModelError(
            asked=f"concavity={validate.shown(concavity)} in {where}",
            found=f"{threshold:g}, which is not from 0.01 to 1",
            do="give a part of the size of the mesh, such as 0.05",
        )
    if most is not None and (not validate.is_whole(most) or most < 1):
        raise ModelError(
            asked=f"most={validate.shown(most)} in {where}",
            found="not a whole number above zero",
            do="give the largest number of parts, or leave most out",
        )
    body = _surface(mesh, where)
    if not body.is_watertight:
        raise ModelError(
            asked=where,
            found="a mesh whose surface is not closed",
            do="give a closed surface, or its hull",
        )
    if body.is_convex:
        return [convex_hull(np.asarray(body.vertices, dtype=float))]
    try:
        import coacd
    except ImportError:
        raise ModelError(
            asked=where,
            found="a mesh with dents, and the package coacd, which cuts it, is not installed",
            do="install it: pip install 'bough[parts]'",
        ) from None
    coacd.set_log_level("error")
    found = coacd.run_coacd(
        coacd.Mesh(body.vertices, body.faces), threshold=threshold, max_convex_hull=most or -1, seed=0
    )
    return [convex_hull(_corners(np.asarray(vertices, dtype=float))) for vertices, _ in found]


def _corners(points: Array) -> Array:
    """The points without those that are within a millionth of the size of the hull of the others."""
    from scipy.spatial import ConvexHull

    points = points[ConvexHull(points).vertices]
    close = FINE * float(np.ptp(points, axis=0).max())
    i = 0
    while i < len(points) and len(points) > 4:
        others = np.delete(points, i, axis=0)
        beyond = (ConvexHull(others).equations @ np.append(points[i], 1.0)).max()
        points, i = (others, i) if beyond <= close else (points, i + 1)
    return points


def _surface(mesh: Mesh, where: str) -> Any:
    """The mesh as one of trimesh, in metres."""
    import trimesh

    if not isinstance(mesh, Mesh):
        raise ModelError(
            asked=f"mesh={validate.shown(mesh)} in {where}",
            found="this is not a mesh",
            do="give bough.Mesh(...)",
        )
    try:
        return trimesh.Trimesh(*mesh_triangles(mesh))
    except UnreadableMesh as error:
        raise ModelError(
            asked=f"mesh {str(mesh.path)!r} in {where}",
            found=str(error),
            do="give a file that can be read",
        ) from error
