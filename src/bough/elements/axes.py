"""Right-handed axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bough.validate import Array


def frame_axis(axis: Sequence[float]) -> int | None:
    """0, 1 or 2 for a direction along x, y or z, forwards or backwards; None for any other."""
    (along,) = np.nonzero(np.asarray(axis))
    return int(along[0]) if len(along) == 1 else None


def completed(axis: Sequence[float]) -> tuple[Array, Array]:
    """(e1, e2), right-handed with the unit vector `axis`.

    For an axis along x, y or z, e1 is the next of the three and e2 the one after it, or its negative if
    the axis points backwards.
    """
    unit = np.array(axis, dtype=np.float64)
    along = frame_axis(axis)
    start = np.eye(3)[int(np.argmin(np.abs(unit))) if along is None else (along + 1) % 3]
    first = start - unit * (unit @ start)
    first /= np.linalg.norm(first)
    return first, np.cross(unit, first)
