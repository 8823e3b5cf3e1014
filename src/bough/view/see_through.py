"""Solids of inertia that would hide other bodies, such as a flywheel around its crank, are drawn transparent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.description.shapes import Box, Cylinder
from bough.view.parts import Rigid
from bough.view.tree import Tree

OPACITY = 0.4
WITHIN = 0.9  # the part of a solid, about its centre, in which another body counts as hidden


def see_through(
    parts: tuple[Rigid, ...], tree: Tree, poses: Array, place: Mapping[str, int]
) -> tuple[Rigid, ...]:
    """The parts of a scene, with solids transparent that a rod or a mass of another body is in.

    Only solids that stand for an inertia: a shape is as the user wants it. `poses` (rows, frames, 4, 4) are those of
    the frames of `place`.
    """
    bodies = np.array([tree.body[tree.place[part.frame]] for part in parts])
    solids = [i for i, part in enumerate(parts) if _stands_for_inertia(part)]
    others = np.array([i for i, part in enumerate(parts) if part.role in ("mass", "rod")], dtype=int)
    if not solids:
        return parts
    centres = np.stack([(poses[:, place[parts[i].frame]] @ parts[i].pose)[:, :3, 3] for i in others], axis=1)
    hiding = set()
    for i in solids:
        pose = poses[:, place[parts[i].frame]] @ parts[i].pose
        apart = centres[:, bodies[others] != bodies[i]] - pose[:, None, :3, 3]
        if _within(parts[i], apart @ pose[:, :3, :3]).any():
            hiding.add(i)
    return tuple(replace(part, opacity=OPACITY) if i in hiding else part for i, part in enumerate(parts))


def _stands_for_inertia(part: Rigid) -> bool:
    return part.role == "mass" and isinstance(part.geometry, Box | Cylinder)


def _within(part: Rigid, points: Array) -> npt.NDArray[np.bool_]:
    """Which points (..., 3) in the axes of a solid are well inside it."""
    if isinstance(part.geometry, Box):
        return np.asarray((np.abs(points) <= 0.5 * WITHIN * np.asarray(part.geometry.size)).all(axis=-1))
    assert isinstance(part.geometry, Cylinder)
    across = np.linalg.norm(points[..., :2], axis=-1) <= WITHIN * part.geometry.radius
    return np.asarray(across & (np.abs(points[..., 2]) <= 0.5 * WITHIN * part.geometry.length))
