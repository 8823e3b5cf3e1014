"""Ground by heights over a grid, and single points: shapes that only contacts need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough import validate
from bough.description.shapes import Geometry
from bough.errors import ModelError
from bough.validate import Array

Triangles = tuple[Array, "npt.NDArray[np.int64]"]


@dataclass(frozen=True)
class Point(Geometry):
    """A point of a body that touches things: a foot, the tip of a rod.

    Parameters
    ----------
    position : three numbers
        In the frame of the body, m.

    Examples
    --------
    >>> import bough
    >>> bough.Point((0.0, 0.0, -0.1))
    Point(position=(0.0, 0.0, -0.1))
    """

    position: Sequence[float] = (0.0, 0.0, 0.0)
    kind = "point"

    def __post_init__(self) -> None:
        place = validate.array(
            self.position, ((3,),), "position", "Point(...)", "3 numbers, a point of the body"
        )
        object.__setattr__(self, "position", tuple(place.tolist()))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": list(self.position)}


@dataclass(frozen=True, eq=False)
class Heightfield(Geometry):
    """Ground by its heights over a grid, solid below; beyond its borders there is nothing.

    Over each cell of the grid are two triangles, on both sides of the diagonal from the corner of least x and y
    to that of greatest.

    Parameters
    ----------
    x, y : arrays (n,) and (m,)
        Where the heights are, increasing, m.
    z : array (n, m)
        The height at x[i], y[j], m.

    Examples
    --------
    >>> import bough, numpy as np
    >>> x = np.linspace(-1.0, 1.0, 21)
    >>> valley = bough.Heightfield(x, [-1.0, 1.0], 0.2 * np.cos(3.0 * x)[:, None] * np.ones(2))
    >>> valley
    Heightfield(21 x 2 heights from -0.198 to 0.2)
    """

    x: npt.ArrayLike
    y: npt.ArrayLike
    z: npt.ArrayLike
    kind = "heightfield"

    def __post_init__(self) -> None:
        grid = {name: _increasing(getattr(self, name), name) for name in ("x", "y")}
        shape = (len(grid["x"]), len(grid["y"]))
        z = validate.array(
            self.z, (shape,), "z", "Heightfield(...)", f"heights of shape {shape}, one for each x and y"
        )
        for name, value in (*grid.items(), ("z", z)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, **{name: np.asarray(getattr(self, name)).tolist() for name in "xyz"}}

    def numbers(self) -> list[float]:
        """All of it as one row: x, y, then z by rows."""
        rows = [np.asarray(getattr(self, name)).ravel() for name in "xyz"]
        return [float(value) for value in np.concatenate(rows)]

    def triangles(self) -> Triangles:
        """Corners (n, 3), and for each triangle the numbers of its corners, (m, 3), against the clock from above."""
        x, y, z = (np.asarray(getattr(self, name)) for name in "xyz")
        corners = np.column_stack((np.repeat(x, len(y)), np.tile(y, len(x)), z.ravel()))
        first = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
        right, up, across = first + len(y), first + 1, first + len(y) + 1
        pairs = (np.column_stack((first, right, across)), np.column_stack((first, across, up)))
        return corners, np.stack(pairs, axis=1).reshape(-1, 3)

    def __repr__(self) -> str:
        z = np.asarray(self.z)
        return f"Heightfield({z.shape[0]} x {z.shape[1]} heights from {z.min():.4g} to {z.max():.4g})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Heightfield) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in "xyz"
        )

    def __hash__(self) -> int:
        return hash(np.asarray(self.z).tobytes())


def _increasing(value: Any, name: str) -> Array:
    wanted = "at least 2 increasing numbers"
    try:
        count = len(value)
    except TypeError:
        count = 0
    given = validate.array(value, ((max(count, 2),),), name, "Heightfield(...)", wanted).copy()
    if (np.diff(given) <= 0.0).any():
        at = int(np.flatnonzero(np.diff(given) <= 0.0)[0])
        raise ModelError(
            asked=f"{name} in Heightfield(...)",
            found=f"{given[at]:g} followed by {given[at + 1]:g}",
            do=f"give {name} as {wanted}",
        )
    return given
