"""Forces and moments on frames. Each component is a constant, or the name of an input."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from bough import validate
from bough.description.element import Force, Names, Record, check_single
from bough.description.frame import Frame
from bough.errors import ModelError, unknown_name

AXES = ("world", "body")


@dataclass(frozen=True, eq=False, repr=False)
class _Wrench(Force):
    frame: Frame | str
    fx: float | str = dataclasses.field(default=0.0, kw_only=True)
    fy: float | str = dataclasses.field(default=0.0, kw_only=True)
    fz: float | str = dataclasses.field(default=0.0, kw_only=True)
    tx: float | str = dataclasses.field(default=0.0, kw_only=True)
    ty: float | str = dataclasses.field(default=0.0, kw_only=True)
    tz: float | str = dataclasses.field(default=0.0, kw_only=True)
    frame_fields = ("frame",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        check_components(self, ("fx", "fy", "fz", "tx", "ty", "tz"))

    def inputs(self) -> tuple[str, ...]:
        """The inputs among the components, forces first."""
        return input_names(self.fx, self.fy, self.fz, self.tx, self.ty, self.tz)

    def record(self, names: Names) -> Record:
        inputs, constants = components(names, self.tx, self.ty, self.tz, self.fx, self.fy, self.fz)
        return type(self).__name__, [names.frames[str(self.frame)]], [], inputs, constants

    def _check_bound(self) -> None:
        check_moves(self, self.frame)


@dataclass(frozen=True, eq=False, repr=False)
class BodyWrench(_Wrench):
    """A force and a moment at the origin of a frame, in the axes of the frame: a thruster, a propeller.

    Parameters
    ----------
    frame : Frame or str
    fx, fy, fz : float or str
        The force in N: constants, or names of inputs. Elements that give the same name share the input.
    tx, ty, tz : float or str
        The moment in N m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> engine = system.add(bough.BodyWrench(bob, fx="thrust"))
    >>> system.build().inputs
    ('thrust',)
    """


@dataclass(frozen=True, eq=False, repr=False)
class HybridWrench(_Wrench):
    """A force and a moment at the origin of a frame, in the axes of the world.

    Parameters
    ----------
    frame : Frame or str
    fx, fy, fz : float or str
        The force in N: constants, or names of inputs. Elements that give the same name share the input.
    tx, ty, tz : float or str
        The moment in N m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("arm", gravity=None)
    >>> hand = system.world.ry("angle").tz(-0.5, name="hand", mass=1.0)
    >>> push = system.add(bough.HybridWrench("hand", fx="push"))
    >>> system.build().generalized_force([0.0], [0.0], u={"push": 2.0})
    array([-1.])
    """


@dataclass(frozen=True, eq=False, repr=False)
class SpatialWrench(_Wrench):
    """A force and a moment on a frame, in the axes of the world and at the origin of the world.

    The line on which the force acts goes through the world's origin, wherever the frame is.

    Parameters
    ----------
    frame : Frame or str
        The frame that is moved by the wrench.
    fx, fy, fz : float or str
        The force in N: constants, or names of inputs. Elements that give the same name share the input.
    tx, ty, tz : float or str
        The moment about the world's origin in N m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("arm", gravity=None)
    >>> hand = system.world.ry("angle").tz(-0.5, name="hand", mass=1.0)
    >>> turn = system.add(bough.SpatialWrench("hand", ty="turn"))
    >>> system.build().generalized_force([0.0], [0.0], u={"turn": 2.0})
    array([2.])
    """


@dataclass(frozen=True, eq=False, repr=False)
class PointForce(Force):
    """A force at a point of a frame, in the axes of the world or of the frame.

    Parameters
    ----------
    frame : Frame or str
    fx, fy, fz : float or str
        The force in N: constants, or names of inputs. Elements that give the same name share the input.
    point : 3 floats
        The point of action in the frame, in m; by default the origin.
    axes : "world" or "body"
        Whether the components are along the axes of the world or of the frame.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("door")
    >>> door = system.world.rz("angle", name="door", mass=20.0, inertia=(4, 5, 1.0), com=(0.4, 0, 1))
    >>> hand = system.add(bough.PointForce(door, fy="push", point=(0.8, 0.0, 1.0), axes="body"))
    """

    frame: Frame | str
    fx: float | str = dataclasses.field(default=0.0, kw_only=True)
    fy: float | str = dataclasses.field(default=0.0, kw_only=True)
    fz: float | str = dataclasses.field(default=0.0, kw_only=True)
    point: tuple[float, float, float] = dataclasses.field(default=(0.0, 0.0, 0.0), kw_only=True)
    axes: str = dataclasses.field(default="world", kw_only=True)
    frame_fields = ("frame",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        check_components(self, ("fx", "fy", "fz"))
        where = self._text()
        point = validate.array(self.point, ((3,),), "point", where, "3 numbers, a point in the frame")
        self._set("point", tuple(point.tolist()))
        if self.axes not in AXES:
            raise unknown_name("axes", validate.shown(self.axes).strip("'"), AXES, where)

    def inputs(self) -> tuple[str, ...]:
        """The inputs among the components."""
        return input_names(self.fx, self.fy, self.fz)

    def record(self, names: Names) -> Record:
        inputs, constants = components(names, self.fx, self.fy, self.fz)
        values = [*constants, *self.point, float(self.axes == "body")]
        return "PointForce", [names.frames[str(self.frame)]], [], inputs, values

    def _check_bound(self) -> None:
        check_moves(self, self.frame)


def check_components(element: Force, fields: tuple[str, ...]) -> None:
    """Replace fields by checked constants or names of inputs, during construction."""
    for field in fields:
        element._set(field, validate.number_or_input(getattr(element, field), field, element._text()))


def check_moves(element: Force, frame: Frame | str) -> None:
    """Raise if a force acts on the world."""
    if frame == "world":
        raise ModelError(
            asked=f"{element._text()} on 'world'",
            found="the world does not move, so that the force changes nothing",
            do="give a frame that a variable moves",
        )


def input_names(*values: float | str) -> tuple[str, ...]:
    """The names of inputs among the components, each once."""
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def components(names: Names, *values: float | str) -> tuple[list[int], list[float]]:
    """Inputs (-1 for a constant) and constants of components."""
    pairs = [names.value(value) for value in values]
    return [chosen for chosen, _ in pairs], [constant for _, constant in pairs]
