"""The plane that a system moves in, if there is one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bough.arguments import Array
from bough.model.model import Model

SAMPLES = 3  # number of configurations in which a motion is tested
TOLERANCE = 1e-12  # relative tolerance for squares of velocities


def plane_of_motion(model: Model, frames: Iterable[str]) -> Array | None:
    """The unit normal of the plane that all frames move in, towards the viewer; None if there is none.

    A motion is planar if, in any configuration and for each variable, the angular velocity is along the
    normal and the velocity of every origin is across it. Frames may lie in different planes.
    """
    q = model._samples(SAMPLES)
    turns, shifts = np.zeros((3, 3)), np.zeros((3, 3))  # sums of w w^T and v v^T
    for frame in frames:
        J = model.jacobian(frame, q, "hybrid")
        turns += np.einsum("bin,bjn->ij", J[:, :3], J[:, :3])
        shifts += np.einsum("bin,bjn->ij", J[:, 3:], J[:, 3:])
    normal = _normal(turns, shifts)
    return None if normal is None else facing(normal)


def _normal(turns: Array, shifts: Array) -> Array | None:
    scale, axes = np.linalg.eigh(turns)
    if scale[2] > 0.0:
        across = axes[:, 2] @ shifts @ axes[:, 2]
        flat = scale[1] <= TOLERANCE * scale[2] and across <= TOLERANCE * np.trace(shifts)
        return np.asarray(axes[:, 2]) if flat else None
    scale, axes = np.linalg.eigh(shifts)
    if scale[2] <= 0.0 or scale[0] > TOLERANCE * scale[2]:
        return None
    if scale[1] > TOLERANCE * scale[2]:
        return np.asarray(axes[:, 0])
    # along a line: the plane of x and z that holds it, or for a line across it that of y and z
    along = axes[:, 2]
    for side in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)):
        normal = np.array(side) - along * (along @ side)
        if np.linalg.norm(normal) > 0.5:
            return np.asarray(normal / np.linalg.norm(normal))
    return None


def facing(normal: Array) -> Array:
    """The normal or its opposite: that from which x points right, or y in the plane of y and z."""
    right = np.cross(upright(normal), normal)
    largest = int(np.argmax(np.abs(right) > 0.999 * np.abs(right).max()))
    return normal + 0.0 if right[largest] > 0.0 else -normal + 0.0


def upright(normal: Array) -> Array:
    """The direction that points up in a picture of the plane with this normal: z, or y if it is level."""
    for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)):
        up = np.array(axis) - normal * (normal @ axis)
        if np.linalg.norm(up) > 1e-6:
            return np.asarray(up / np.linalg.norm(up))
    raise AssertionError("z and y cannot both be along one normal")
