"""Constraints between frames along directions: points on a plane or a line, axes that stay parallel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bough import validate
from bough.description.element import Constraint, Names, Record, check_ends, check_single
from bough.description.frame import Frame
from bough.description.functions import Function, function_or_number
from bough.elements.constraints import ORIGIN, Vector3, frame_places, point_record


@dataclass(frozen=True, eq=False, repr=False)
class PlaneConstraint(Constraint):
    """The origin of frame a lies on a plane fixed to frame b.

    h = normal . (x_a - origin) - offset, in m; lam is the force on a along the normal, in N.

    Parameters
    ----------
    a, b : Frame or str
    normal : three numbers
        A direction in the axes of b, of any length.
    origin : three numbers
        A point of the plane in b, in m.
    offset : float or function of time
        How far the plane is moved along its normal, in m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("block on a slope")
    >>> block = system.world.tx("x").tz("z", name="block", mass=1.0)
    >>> slope = system.add(bough.PlaneConstraint(block, "world", normal=(1, 0, 2)))
    """

    a: Frame | str
    b: Frame | str
    normal: Vector3
    origin: Vector3 = ORIGIN
    offset: float | Function | None = None
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("normal", validate.unit_axis(self.normal, "normal", self._text()))
        self._set("origin", _place(self.origin, self._text()))
        if self.offset is not None:
            self._set("offset", function_or_number(self.offset, "offset", self._text()))

    def record(self, names: Names) -> Record:
        return point_record(
            names, [self.a, self.b, self.b], self.origin, (self.normal,), (self.offset or 0.0,)
        )

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True, eq=False, repr=False)
class LineConstraint(Constraint):
    """The origin of frame a lies on a line fixed to frame b.

    h_k = e_k . (x_a - origin), in m, with two unit vectors e_k across the line; lam_k are the forces on a
    along them, in N. `across` gives the vectors.

    Parameters
    ----------
    a, b : Frame or str
    axis : three numbers
        The direction of the line in the axes of b, of any length.
    origin : three numbers
        A point of the line in b, in m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("bead on a wire")
    >>> bead = system.world.tx("x").ty("y").tz("z", name="bead", mass=0.1)
    >>> wire = system.add(bough.LineConstraint(bead, "world", axis=(1, 0, -1), origin=(0, 0, 1)))
    >>> wire.rows
    2
    """

    a: Frame | str
    b: Frame | str
    axis: Vector3
    origin: Vector3 = ORIGIN
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("axis", validate.unit_axis(self.axis, "axis", self._text()))
        self._set("origin", _place(self.origin, self._text()))

    @property
    def rows(self) -> int:
        return 2

    @property
    def across(self) -> tuple[Vector3, Vector3]:
        """Two unit vectors across the line and each other, in the axes of b."""
        return _across(self.axis)

    def record(self, names: Names) -> Record:
        return point_record(names, [self.a, self.b, self.b], self.origin, self.across, (0.0, 0.0))

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True, eq=False, repr=False)
class ParallelConstraint(Constraint):
    """An axis of frame a stays parallel to an axis of frame b.

    h_k = e_k . axis, with two unit vectors e_k across the axis of b; lam_k are moments in N m: that on a
    is the sum of lam_k (axis x e_k). Opposite directions satisfy it too; the start decides.

    Parameters
    ----------
    a, b : Frame or str
    axis : three numbers
        A direction in the axes of a, of any length.
    axis_b : three numbers
        A direction in the axes of b, by default the same numbers.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("puck")
    >>> puck = system.world.free("puck", name="puck", mass=1.0, inertia=(1, 1, 2))
    >>> upright = system.add(bough.ParallelConstraint(puck, "world", axis=(0, 0, 1)))
    """

    a: Frame | str
    b: Frame | str
    axis: Vector3
    axis_b: Vector3 | None = None
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("axis", validate.unit_axis(self.axis, "axis", self._text()))
        if self.axis_b is not None:
            self._set("axis_b", validate.unit_axis(self.axis_b, "axis_b", self._text()))

    @property
    def rows(self) -> int:
        return 2

    @property
    def across(self) -> tuple[Vector3, Vector3]:
        """Two unit vectors across the axis of b and each other, in the axes of b."""
        return _across(self.axis if self.axis_b is None else self.axis_b)

    def record(self, names: Names) -> Record:
        first, second = self.across
        return (
            "ParallelConstraint",
            frame_places(names, self.a, self.b),
            [],
            [],
            [*self.axis, *first, *second],
        )

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


def _place(value: Any, where: str) -> Vector3:
    x, y, z = validate.array(value, ((3,),), "origin", where, "3 numbers, a point in b").tolist()
    return (x, y, z)


def _across(axis: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors across a unit vector and each other; coordinate axes if it is one itself."""
    n = np.array(axis)
    first = np.zeros(3)
    first[np.argmin(np.abs(n))] = 1.0
    first -= (first @ n) * n
    first /= np.linalg.norm(first)
    second = np.cross(n, first)
    return tuple((first + 0.0).tolist()), tuple((second + 0.0).tolist())
