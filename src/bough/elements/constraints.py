"""Conditions h(q, t) = 0 between frames, with the generalised force dh/dq^T lam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeAlias

import numpy as np

from bough import validate
from bough.description.element import Constraint, Names, Record, check_ends, check_single
from bough.description.frame import Frame
from bough.description.functions import Function, function_or_number, numbers
from bough.description.parameter import Kinematic
from bough.errors import ModelError

Vector3: TypeAlias = "tuple[float, float, float]"

WORLD: tuple[Vector3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ORIGIN: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class PointConstraint(Constraint):
    """The origins of two frames coincide along one, two or three directions.

    h_k = axis_k . (x_a - x_b) - offset_k, in m; lam_k is the force on a along axis k, in N.
    Without axes the points coincide: a ball joint.

    Parameters
    ----------
    a, b : Frame or str
    axis : three numbers
        One direction, of any length.
    axes : one to three directions, of any length, that do not depend on each other
    in_frame : Frame or str
        The frame whose axes the directions are given in, and which they turn with; by default the world.
    offset : float or function of time, or one for each direction
        m, by default zero.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("slider")
    >>> tip = system.world.tx("x").tz("z", name="tip", mass=1.0)
    >>> rail = system.add(bough.PointConstraint(tip, system.world.frame("rail"), axis=(1, 0, 1)))
    """

    a: Frame | str
    b: Frame | str
    axis: Vector3 | None = None
    _: KW_ONLY
    axes: tuple[Vector3, ...] | None = None
    in_frame: Frame | str | None = None
    offset: float | Function | tuple[float | Function, ...] | None = None
    frame_fields = ("a", "b", "in_frame")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self, optional=("in_frame",))
        if self.axis is not None and self.axes is not None:
            raise ModelError(
                asked=f"axis and axes in {self._text()}",
                found="both of them",
                do="give one direction or several",
            )
        if self.axis is not None:
            self._set("axis", validate.unit_axis(self.axis, "axis", self._text()))
        if self.axes is not None:
            self._set("axes", _independent(self.axes, self._text()))
        if self.offset is not None:
            self._set("offset", self._offsets(self.offset))

    @property
    def directions(self) -> tuple[Vector3, ...]:
        """The unit directions of the rows."""
        return (self.axis,) if self.axis is not None else WORLD if self.axes is None else self.axes

    @property
    def rows(self) -> int:
        return len(self.directions)

    def record(self, names: Names) -> Record:
        frames = [frame for frame in (self.a, self.b, self.in_frame) if frame is not None]
        offsets = self.offset if isinstance(self.offset, tuple) else (self.offset or 0.0,) * self.rows
        return point_record(names, frames, ORIGIN, self.directions, offsets)

    def _offsets(self, given: Any) -> float | Function | tuple[float | Function, ...]:
        if isinstance(given, Function) or validate.is_real(given):
            return function_or_number(given, "offset", self._text())
        if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or len(given) != self.rows:
            count = (
                len(given)
                if isinstance(given, Sequence) and not isinstance(given, str)
                else validate.shown(given)
            )
            raise ModelError(
                asked=f"offset in {self._text()}",
                found=f"{count} for {validate.counted(self.rows, 'direction')}",
                do="give one number or function of time, or one for each direction",
            )
        return tuple(function_or_number(x, f"offset[{i}]", self._text()) for i, x in enumerate(given))

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True, eq=False, repr=False)
class WeldConstraint(Constraint):
    """Frame a keeps its pose in frame b: six rows.

    h = (displacement of a in m, 2 sin(angle/2) times the axis by which a is turned), both from the wanted
    pose and in its axes; lam is the force, in N, and the moment, in N m, on a in these axes. The last three
    rows are zero for the wanted orientation alone, and singular half a turn away from it.

    Parameters
    ----------
    a, b : Frame or str
    pose : 4x4 numbers
        The pose of a in b; by default the frames coincide.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("bracket")
    >>> part = system.world.free("part", name="part", mass=1.0, inertia=(1, 1, 1))
    >>> weld = system.add(bough.WeldConstraint(part, system.world.tx(1.0, name="wall"), name="weld"))
    >>> system.build().constraints
    ('weld[0]', 'weld[1]', 'weld[2]', 'weld[3]', 'weld[4]', 'weld[5]')
    """

    a: Frame | str
    b: Frame | str
    pose: tuple[tuple[float, ...], ...] | None = None
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        if self.pose is not None:
            self._set("pose", tuple(map(tuple, validate.pose(self.pose, self._text()).tolist())))

    @property
    def rows(self) -> int:
        return 6

    def record(self, names: Names) -> Record:
        pose = np.eye(4).tolist() if self.pose is None else self.pose
        values = [number for row in pose[:3] for number in row]
        return "WeldConstraint", frame_places(names, self.a, self.b), [], [], values

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True, eq=False, repr=False)
class DistanceConstraint(Constraint):
    """The origins of two frames keep a distance: a rigid rod or a taut wire.

    ``h = |x_a - x_b| - length``, in m; lam is the force in the rod in N, negative for tension.
    If the length is a kinematic variable it is prescribed: a winch, the string of a marionette.

    Parameters
    ----------
    a, b : Frame or str
    length : float, kinematic variable or function of time
        m, above zero. `bough.kinematic("len")` is a variable of the tree, or a new one that moves no frame
        and comes after the other kinematic variables.
    wire : bool or None
        Whether it stands for a wire, which only pulls: a run in which it pushes ends with a `SlackWarning`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("winch")
    >>> load = system.world.tx("x").tz("z", name="load", mass=1.0)
    >>> wire = system.add(bough.DistanceConstraint(load, "world", length=bough.kinematic("wire length")))
    >>> system.kinematic
    ('wire length',)
    """

    a: Frame | str
    b: Frame | str
    length: float | Kinematic | Function
    wire: bool | None = field(default=None, kw_only=True)
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("wire", validate.flag(self.wire, "wire", self._text()))
        if isinstance(self.length, Kinematic | Function):
            return
        asked = f"length={validate.shown(self.length)} in {self._text()}"
        if not validate.is_real(self.length):
            name = self.length if isinstance(self.length, str) else "name"
            raise ModelError(
                asked=asked,
                found="a length that is neither a number, a kinematic variable nor a function of time",
                do=f"give a number above zero, in m, bough.kinematic({name!r}),"
                " or a function such as bough.Sinusoid(...)",
            )
        length = validate.real(self.length, "length", self._text())
        if length == 0.0:
            raise ModelError(
                asked=asked,
                found="length is zero: between coinciding points the constraint has no direction",
                do="use PointConstraint, which lets points coincide along one, two or three directions",
            )
        if length < 0.0:
            raise ModelError(asked=asked, found="length is negative", do="give length above zero, in m")
        self._set("length", length)

    def record(self, names: Names) -> Record:
        ends = frame_places(names, self.a, self.b)
        if isinstance(self.length, Kinematic):
            return "DistanceConstraint", ends, [names.variables[self.length.name]], [], []
        return "DistanceConstraint", ends, [], [], numbers(self.length)

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


def frame_places(names: Names, *frames: Frame | str) -> list[int]:
    """Where frames stand in the arrays of a model."""
    return [names.frames[str(frame)] for frame in frames]


def point_record(
    names: Names,
    frames: Sequence[Frame | str],
    origin: Vector3,
    directions: Sequence[Vector3],
    offsets: Sequence[float | Function],
) -> Record:
    """The record of points that coincide along directions, in the form that the core takes."""
    values = [*origin, float(len(directions))]
    for axis in directions:
        values += axis
    for offset in offsets:
        values += numbers(offset)
    return "PointConstraint", frame_places(names, *frames), [], [], values


def _independent(axes: Any, where: str) -> tuple[Vector3, ...]:
    """One to three unit vectors that span as many directions."""
    if not isinstance(axes, Sequence | np.ndarray) or isinstance(axes, str) or not 1 <= len(axes) <= 3:
        count = (
            len(axes) if isinstance(axes, Sequence) and not isinstance(axes, str) else validate.shown(axes)
        )
        raise ModelError(
            asked=f"axes in {where}",
            found=f"{count} where one to three directions are needed",
            do="give axes as one to three directions, such as ((1, 0, 0), (0, 0, 1))",
        )
    units = tuple(validate.unit_axis(axis, f"axes[{i}]", where) for i, axis in enumerate(axes))
    if np.linalg.svd(np.array(units), compute_uv=False)[-1] < 1e-9:
        raise ModelError(
            asked=f"axes in {where}",
            found="directions that depend on each other, so that a row says nothing new",
            do="give directions of which none is a combination of the others",
        )
    return units
