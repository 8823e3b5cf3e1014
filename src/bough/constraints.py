"""Conditions h(q) = 0 on the configuration, with the generalised force dh/dq^T lam."""

from __future__ import annotations

from dataclasses import dataclass

from bough import check_system as check
from bough.elements import Constraint, Names, Record, check_ends, check_single
from bough.errors import ModelError
from bough.frame import Frame
from bough.parameter import Kinematic


@dataclass(frozen=True)
class PointConstraint(Constraint):
    """The origins of two frames coincide along one direction of the world.

    h = axis . (x_a - x_b), in m; lam is the force on a along the axis, in N.
    Three of them with independent axes hold two points together.

    Parameters
    ----------
    a, b : Frame or str
    axis : three numbers
        A direction in world axes, of any length.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("slider")
    >>> tip = system.world.tx("x").tz("z", name="tip", mass=1.0)
    >>> rail = system.add(bough.PointConstraint(tip, system.world.frame("rail"), axis=(1, 0, 1)))
    """

    a: Frame | str
    b: Frame | str
    axis: tuple[float, float, float]
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("axis", check.unit_axis(self.axis, "axis", self._text()))

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        return "PointConstraint", ends, [], [], list(self.axis)

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True)
class DistanceConstraint(Constraint):
    """The origins of two frames keep a distance: a rigid rod or a taut wire.

    h = |x_a - x_b| - length, in m; lam is the force in the rod in N, negative for tension.
    Where the length is a kinematic variable it is prescribed: a winch, the string of a marionette.

    Parameters
    ----------
    a, b : Frame or str
    length : float or kinematic variable
        m, above zero. `bough.kinematic("len")` is a variable of the tree, or a new one that moves no frame
        and comes after the other kinematic variables.

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
    length: float | Kinematic
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        if isinstance(self.length, Kinematic):
            return
        asked = f"length={check.shown(self.length)} in {self._text()}"
        if not check.is_real(self.length):
            name = self.length if isinstance(self.length, str) else "name"
            raise ModelError(
                asked=asked,
                found="a length that is neither a number nor a kinematic variable",
                do=f"give a number above zero, in m, or bough.kinematic({name!r})",
            )
        length = check.real(self.length, "length", self._text())
        if length == 0.0:
            raise ModelError(
                asked=asked,
                found="length is zero: between coinciding points the constraint has no direction",
                do="use PointConstraint, once for each direction in which the points coincide",
            )
        if length < 0.0:
            raise ModelError(asked=asked, found="length is negative", do="give length above zero, in m")
        self._set("length", length)

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        if isinstance(self.length, Kinematic):
            return "DistanceConstraint", ends, [names.variables[self.length.name]], [], []
        return "DistanceConstraint", ends, [], [], [self.length]

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)
