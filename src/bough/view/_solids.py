"""Solids of unit length along z, from 0 to 1, that are stretched to the length of what they show."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bough.arguments import Array

Solid: TypeAlias = "tuple[Array, npt.NDArray[np.int64]]"
ROUND, THIN = 12, 6  # numbers of corners of a circle, and of one that is a few pixels wide
WINDINGS = 8  # number of windings of a coil
PER_WINDING = 12  # number of sections of a winding
DASHES = 12


def revolved(profile: list[tuple[float, float]], corners: int = ROUND) -> Solid:
    """The surface of revolution about z of a line through points (radius, z)."""
    angles = np.arange(corners) * (2.0 * np.pi / corners)
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(corners)], axis=1)
    vertices = np.concatenate([circle * (radius, radius, 0.0) + (0.0, 0.0, z) for radius, z in profile])
    faces = _quads(len(profile), corners)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return vertices, faces[np.cross(b - a, c - a).any(axis=1)]  # at the axis every second one has no area


def rod(radius: float) -> Solid:
    """A round bar."""
    return revolved([(0.0, 0.0), (radius, 0.0), (radius, 1.0), (0.0, 1.0)])


def string(radius: float) -> Solid:
    """A bar that is so thin that few corners look round."""
    return revolved([(0.0, 0.0), (radius, 0.0), (radius, 1.0), (0.0, 1.0)], THIN)


def bar_between_ends(radius: float, length: float) -> Solid:
    """A round bar about the middle of z; its ends have corners of their own, so that its edges are drawn sharp."""
    angles = np.arange(ROUND) * (2.0 * np.pi / ROUND)
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(ROUND, length / 2.0)], axis=1)
    low = ring * (1.0, 1.0, -1.0)
    fan = np.stack([np.zeros(ROUND - 2), np.arange(1, ROUND - 1), np.arange(2, ROUND)], axis=1).astype(
        np.int64
    )
    caps = np.concatenate([fan[:, ::-1] + 2 * ROUND, fan + 3 * ROUND])
    return np.concatenate([low, ring, low, ring]), np.concatenate([_quads(2, ROUND), caps])


def damper(radius: float) -> Solid:
    """A cylinder with a thinner piston rod."""
    thin = 0.35 * radius
    return revolved(
        [
            (0.0, 0.0),
            (thin, 0.0),
            (thin, 0.25),
            (radius, 0.25),
            (radius, 0.7),
            (thin, 0.7),
            (thin, 1.0),
            (0.0, 1.0),
        ]
    )


def dashes(radius: float) -> Solid:
    """Pieces of a thin bar."""
    vertices, faces = rod(radius)
    parts = [vertices * (1.0, 1.0, 0.5 / DASHES) + (0.0, 0.0, i / DASHES) for i in range(DASHES)]
    return np.concatenate(parts), np.concatenate([faces + i * len(vertices) for i in range(DASHES)])


def coil(radius: float) -> Solid:
    """A helical spring with straight ends; the windings have this radius."""
    wire = 0.16 * radius
    count = WINDINGS * PER_WINDING
    turn = np.linspace(0.0, 2.0 * np.pi * WINDINGS, count + 1)
    centre = np.stack(
        [radius * np.cos(turn), radius * np.sin(turn), np.linspace(0.1, 0.9, count + 1)], axis=1
    )
    centre = np.concatenate([[[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]], centre, [[0.0, 0.0, 0.9], [0.0, 0.0, 1.0]]])
    outward = np.stack([np.cos(turn), np.sin(turn), np.zeros(count + 1)], axis=1)
    outward = np.concatenate([[outward[0]] * 2, outward, [outward[-1]] * 2])
    section = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    # the length along z is stretched later, so the wire is thin there from the start
    across = wire * section[:, 0, None] * outward[:, None] + section[:, 1, None] * np.array([0.0, 0.0, 0.01])
    rings = centre[:, None] + across
    return rings.reshape(-1, 3), _quads(len(centre), len(section))


def _quads(rings: int, corners: int) -> npt.NDArray[np.int64]:
    """Triangles between rings of corners."""
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(corners), indexing="ij")
    a, b = i * corners + j, i * corners + (j + 1) % corners
    c, d = a + corners, b + corners
    return np.concatenate([np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)])
