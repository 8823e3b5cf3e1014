"""The lines of coils, slack strings, bent beams and moments in space."""

from __future__ import annotations

import math

import numpy as np

from bough.arguments import Array
from bough.view.bodies import rotation_to

TURNS, PER_TURN = 10, 12
MOMENT = 0.3  # the radius of the arc of a moment, relative to the length of its arrow
LEAD = 0.12  # length of each straight end of a spring, relative to its length


def coil(start: Array, end: Array, radius: float) -> Array:
    """A coil from one point to another, with straight ends, (n, 3)."""
    along = end - start
    length = float(np.linalg.norm(along))
    axes = rotation_to(along / length if length > 0.0 else np.array((0.0, 0.0, 1.0)))
    angle = np.linspace(0.0, 2.0 * np.pi * TURNS, TURNS * PER_TURN + 1)
    across = radius * np.column_stack((np.cos(angle), np.sin(angle))) @ axes[:, :2].T
    height = LEAD + (1.0 - 2.0 * LEAD) * angle[:, None] / angle[-1]
    return np.vstack((start, start + LEAD * along, start + height * along + across, end - LEAD * along, end))


def hanging(start: Array, end: Array, length: float, down: Array, count: int = 17) -> Array:
    """A string of this length between two points, (n, 3): straight if it is tight, else a parabola.

    A parabola over the chord c with the sag s is longer than it by 8 s^2 / 3 c, if it is flat.
    """
    chord = float(np.linalg.norm(end - start))
    spare = length - chord
    if spare <= 1e-6 * length:
        return np.stack((start, end))
    sag = math.sqrt(3.0 / 8.0 * max(chord, 0.2 * length) * spare)
    x = np.linspace(0.0, 1.0, count)[:, None]
    return np.asarray(start + x * (end - start) + 4.0 * sag * x * (1.0 - x) * down)


def bent(start: Array, end: Array, out: Array, into: Array, count: int = 13) -> Array:
    """The cubic from one point to another that leaves and arrives along two unit vectors, (n, 3).

    It is the line of a beam that is clamped in these directions and not loaded in between.
    """
    chord = float(np.linalg.norm(end - start))
    s = np.linspace(0.0, 1.0, count)[:, None]
    h00, h10 = (1.0 + 2.0 * s) * (1.0 - s) ** 2, s * (1.0 - s) ** 2
    h01, h11 = s**2 * (3.0 - 2.0 * s), s**2 * (s - 1.0)
    return np.asarray(h00 * start + h10 * chord * out + h01 * end + h11 * chord * into)


def around(center: Array, moment: Array, count: int = 25) -> Array:
    """Three quarters of a circle about a moment, in its sense, (n, 3)."""
    size = float(np.linalg.norm(moment))
    if size == 0.0:
        return np.stack((center, center))
    axes = rotation_to(moment / size)
    angle = np.linspace(0.0, 1.5 * np.pi, count)
    ring = np.column_stack((np.cos(angle), np.sin(angle))) @ axes[:, :2].T
    return np.asarray(center + MOMENT * size * ring)
