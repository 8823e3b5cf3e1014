"""Rods that cannot be seen, because they lie inside something else on the same link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.description.shapes import Cylinder
from bough.view._solids import Solid, bar_between_ends
from bough.view.parts import Rigid

CLOSE = 1e-6  # of a radius: what lies this near to an axis or a face counts as on it


def inside(points: Array, solid: Solid) -> npt.NDArray[np.bool_]:
    """Which points (..., 3) are inside a convex solid of triangles that are counterclockwise from outside."""
    vertices, faces = solid
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    outward = np.cross(b - a, c - a)
    beyond = points @ outward.T - np.einsum("ni,ni->n", a, outward)
    return np.asarray((beyond <= 0.0).all(axis=-1))


def within_others(starts: Array, ends: Array, radii: Array) -> npt.NDArray[np.bool_]:
    """Which rods, by the ends (n, 3) of their axes and their radii, lie in another one that is not left out."""
    along = ends - starts
    lengths = np.linalg.norm(along, axis=1)
    along = along / lengths[:, None]
    covered = np.ones((len(starts),) * 2, dtype=bool)  # [i, j]: rod i lies in rod j
    for points in (starts, ends):
        apart = points[:, None] - starts
        at = np.einsum("ijk,jk->ij", apart, along)
        aside = np.linalg.norm(apart - at[..., None] * along, axis=-1)
        close = CLOSE * radii
        covered &= (aside <= close) & (at >= -close) & (at <= lengths + close)
    covered &= radii[:, None] <= radii * (1.0 + CLOSE)
    np.fill_diagonal(covered, False)
    left_out = np.zeros(len(starts), dtype=bool)
    for i in range(len(starts)):
        left_out[i] = bool((covered[i] & ~left_out).any())
    return left_out


def seen_rods(rods: Sequence[tuple[Rigid, Array]], solids: Sequence[Solid]) -> list[tuple[Rigid, Array]]:
    """The rods, each with its pose, that are neither inside one of the convex solids nor inside another rod."""
    corners, starts, ends, radii = [], [], [], []
    for part, pose in rods:
        rod = part.geometry
        assert isinstance(rod, Cylinder)
        drawn = bar_between_ends(rod.radius, rod.length)[0]
        corners.append(drawn @ pose[:3, :3].T + pose[:3, 3])
        starts.append(pose[:3, 3] - 0.5 * rod.length * pose[:3, 2])
        ends.append(pose[:3, 3] + 0.5 * rod.length * pose[:3, 2])
        radii.append(rod.radius)
    hidden = within_others(np.array(starts), np.array(ends), np.array(radii))
    for solid in solids:
        hidden |= inside(np.array(corners), solid).all(axis=1)
    return [rod for rod, unseen in zip(rods, hidden, strict=True) if not unseen]
