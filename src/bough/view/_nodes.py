"""Parts of a scene as nodes of viser."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from bough.arguments import Array
from bough.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Sphere
from bough.view._solids import Solid, bar_between_ends
from bough.view.colors import BLUE, DARK, GREEN, ORANGE, PURPLE, RED, SKY, Color
from bough.view.parts import Axes, Rigid
from bough.view.surfaces import AROUND, surface

if TYPE_CHECKING:
    import viser

ROUNDNESS = 1e-3  # of the size of a scene: how far the outline of a round body may be from its circle
FEWEST = 12  # sides of a round body
SERIES = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, DARK)  # lines of a plot, paths


def node_name(*parts: str) -> str:
    """A name in the tree of viser, where slashes separate levels."""
    return "".join("/" + part.replace("/", "|") for part in parts)


def rgb(color: Color) -> tuple[int, int, int]:
    """A colour in bytes."""
    red, green, blue = (round(255.0 * value) for value in color)
    return red, green, blue


def quaternions(rotations: Array) -> Array:
    """(w, x, y, z) of rotation matrices (..., 3, 3)."""
    flat = Rotation.from_matrix(rotations.reshape(-1, 3, 3)).as_quat()
    return np.asarray(flat[:, [3, 0, 1, 2]].reshape(*rotations.shape[:-2], 4))


def onto(directions: Array) -> Array:
    """(w, x, y, z) of the least rotations from z to unit vectors (..., 3)."""
    x, y, z = np.moveaxis(directions, -1, 0)
    turn = np.stack([1.0 + z, -y, x, np.zeros_like(x)], axis=-1)
    turn[z < -1.0 + 1e-12] = (0.0, 1.0, 0.0, 0.0)
    return np.asarray(turn / np.linalg.norm(turn, axis=-1, keepdims=True))


def sides(radius: float, size: float) -> int:
    """The number of sides of a round body in a scene of some size.

    A polygon of n sides is off its circle by radius (1 - cos(pi/n)), nearly radius pi^2/(2 n^2). Small bodies need few,
    which counts without a graphics card (a picture of the marionette: 37 ms of processor time instead of 40 ms).
    """
    wanted = math.pi * math.sqrt(radius / (2.0 * ROUNDNESS * size))
    return min(max(4 * math.ceil(wanted / 4.0), FEWEST), AROUND)


def add_rigid(api: viser.SceneApi, name: str, part: Rigid, pose: Array, size: float) -> Any:
    """The node of a geometry at a pose in its parent, in a scene of this size."""
    geometry = part.geometry
    where: dict[str, Any] = {"wxyz": quaternions(pose[:3, :3]), "position": pose[:3, 3]}
    if isinstance(geometry, Axes):
        return api.add_frame(name, axes_length=geometry.size, axes_radius=0.03 * geometry.size, **where)
    look: dict[str, Any] = {"color": rgb(part.color), "opacity": part.opacity if part.opacity < 1.0 else None}
    if isinstance(geometry, Box):
        return api.add_box(name, dimensions=geometry.size, **look, **where)  # type: ignore[arg-type]
    if isinstance(geometry, Sphere):
        return api.add_icosphere(name, radius=geometry.radius, **look, **where)
    if isinstance(geometry, Cylinder) and not isinstance(geometry, Capsule):
        return api.add_cylinder(name, radius=geometry.radius, height=geometry.length, **look, **where)
    if isinstance(geometry, Capsule | Ellipsoid):  # closed: seen from outside only
        radius = geometry.radius if isinstance(geometry, Capsule) else max(geometry.radii)
        vertices, faces = surface(geometry, sides(radius, size))
        return api.add_mesh_simple(name, vertices, faces, **look, **where)
    vertices, faces = surface(geometry)
    return api.add_mesh_simple(name, vertices, faces, side="double", **look, **where)


def drawn_solids(part: Rigid, pose: Array, size: float) -> list[Solid]:
    """The triangles of a part at a pose, in a scene of this size, if it is opaque and convex."""
    geometry = part.geometry
    if part.opacity < 1.0 or not isinstance(geometry, Box | Sphere | Ellipsoid | Cylinder):
        return []
    radius = max(geometry.radii) if isinstance(geometry, Ellipsoid) else getattr(geometry, "radius", 0.0)
    vertices, faces = surface(geometry, sides(radius, size))
    return [(vertices @ pose[:3, :3].T + pose[:3, 3], faces)]


def add_rods(api: viser.SceneApi, name: str, rods: Sequence[tuple[Rigid, Array]]) -> Any:
    """One node for cylinders, each at a pose in the parent of the node; they have one colour."""
    vertices: list[Array] = []
    faces: list[Any] = []
    for part, pose in rods:
        assert isinstance(part.geometry, Cylinder)
        corners, triangles = bar_between_ends(part.geometry.radius, part.geometry.length)
        faces.append(triangles + sum(map(len, vertices)))
        vertices.append(corners @ pose[:3, :3].T + pose[:3, 3])
    color = rgb(rods[0][0].color)
    return api.add_mesh_simple(name, np.concatenate(vertices), np.concatenate(faces), color=color)
