"""Constraints on velocities that no positions follow from: rolling without slip, and a skate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from bough import validate
from bough.description.element import Constraint, Names, Record, check_single
from bough.description.frame import Frame
from bough.description.parameter import Kinematic
from bough.elements.constraints import Vector3, frame_places
from bough.elements.contacts import way_to_world
from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.description.system import System

UP: Vector3 = (0.0, 0.0, 1.0)
SLIDING = ("tx", "ty", "tz")
E = TypeVar("E", bound="Rolling")


@dataclass(frozen=True, eq=False, repr=False)
class Rolling(Constraint):
    """A ball or wheel that rolls without slip on a plane.

    Three rows: h = height of the lowest point above the plane, which is a condition on positions; and the
    velocities along the plane, in two directions at right angles, of the point of the body that touches it.
    lam are the forces of the plane on the body in N, the normal one first; none is limited: what rolls
    neither lifts off nor slips. An element of a system, and one of the `contacts=` of the formulation "velocity".

    Parameters
    ----------
    frame : Frame or str
        Its origin is the centre of the ball or wheel.
    radius : float
        m, above zero.
    axis : three numbers or None
        The axis of the wheel in the axes of the frame, of any length; None is a ball.
    normal : three numbers
        The normal of the plane in the world, upwards by default.
    height : float
        The plane is at normal . x = height, in m.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("ball on a table")
    >>> ball = system.world.free("ball", name="ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    >>> system.add(bough.Rolling("ball", radius=0.1, name="table")).rows
    3
    >>> run = bough.simulate(system.build(), q={"ball_tz": 0.1}, v={"ball_ry": 3.5}, duration=1.0, dt=0.01)
    >>> round(float(run["ball_tx"][-1]), 6)  # the rate that is named stays, and the ball moves as it rolls
    0.35
    """

    frame: Frame | str
    radius: float
    axis: Vector3 | None = None
    normal: Vector3 = UP
    height: float = 0.0
    frame_fields = ("frame",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        where = self._text()
        radius = validate.real(self.radius, "radius", where)
        if radius <= 0.0:
            raise ModelError(
                asked=f"radius={validate.shown(self.radius)} in {where}",
                found=f"radius is {radius:g}",
                do="give a radius above zero, in m",
            )
        self._set("radius", radius)
        if self.axis is not None:
            self._set("axis", validate.unit_axis(self.axis, "axis", where))
        self._set("normal", validate.unit_axis(self.normal, "normal", where))
        self._set("height", validate.real(self.height, "height", where))

    def bound_to(self: E, system: System) -> E:
        """This element with the name of its frame, after checking that something turns it."""
        bound = super().bound_to(system)
        frame = system._find(bound.frame, self._text())
        if not any(_turns(joint) for joint in way_to_world(frame)):
            raise ModelError(
                asked=self._text(),
                found=f"no joint turns {bound.frame!r}, so that it cannot roll",
                do="give a frame on a body that turns: one after ry(...), ball(...) or floating(...)",
            )
        return bound

    @property
    def rows(self) -> int:
        return 3

    @property
    def nonholonomic(self) -> int:
        return 2

    def record(self, names: Names) -> Record:
        values = [*(self.axis or (0.0, 0.0, 0.0)), self.radius, *self.normal, self.height]
        return "Rolling", frame_places(names, self.frame), [], [], values


@dataclass(frozen=True, eq=False, repr=False)
class Skate(Constraint):
    """A blade that glides along itself and does not slip sideways, as a skate, a knife or a narrow wheel does.

    The velocity of the origin of the frame along `across`, which turns with the frame, is zero. Along the
    blade and about the vertical it is free. A blade along x of its frame, upright as z, has across=(0, 1, 0)::

            y
            ^   across: held
            |
        ====+====> x   blade: free

    lam is the force on the blade along `across`, in N. An element of a system, and one of the `contacts=` of
    the formulation "velocity".

    Parameters
    ----------
    frame : Frame or str
        Its origin is the point of contact.
    across : three numbers
        The horizontal direction at right angles to the blade, in the axes of the frame; its length does not
        matter.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("sledge")
    >>> sledge = system.world.tx("x").ty("y").rz("turn", name="sledge", mass=1.0, inertia=(1, 1, 1))
    >>> system.add(bough.Skate("sledge", across=(0, 1, 0), name="runner")).rows
    1
    """

    frame: Frame | str
    across: Vector3
    frame_fields = ("frame",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("across", validate.unit_axis(self.across, "across", self._text()))

    @property
    def nonholonomic(self) -> int:
        return 1

    def record(self, names: Names) -> Record:
        return "Skate", frame_places(names, self.frame), [], [], [*self.across]


def _turns(frame: Frame) -> bool:
    """Whether a variable turns a frame relative to its parent."""
    if not isinstance(frame.parameter, str | Kinematic) or frame.kind in SLIDING:
        return False
    return frame.screw is None or bool(frame.screw[:3].any())
