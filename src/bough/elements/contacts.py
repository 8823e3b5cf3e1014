"""Contacts of points with planes, and dry friction of variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from bough import validate
from bough.description.element import Names, Record, UnilateralConstraint, check_single
from bough.description.frame import Frame, Kinematic
from bough.elements.axes import completed
from bough.elements.joint_limit import checked_friction, checked_restitution
from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.description.system import System

Vector3: TypeAlias = "tuple[float, float, float]"
E = TypeVar("E", bound="PlaneContact")


@dataclass(frozen=True, eq=False, repr=False)
class PlaneContact(UnilateralConstraint):
    """Points of a frame stay on one side of a plane of another frame, with friction.

    Each point has a ball of the same radius about it: with one point and a radius the body is a sphere, with
    two a capsule, with eight and no radius a box. The gap of a point is its distance from the plane less the
    radius, in m.

    Parameters
    ----------
    frame : Frame or str
    against : Frame or str
        The frame that the plane belongs to, by default the world.
    points : one or more points of `frame`
    radius : float
        m.
    normal : three numbers
        The side on which the points stay, in the axes of `against`, of any length.
    origin : three numbers
        A point of the plane, in `against`.
    friction : float
        The ratio of the largest tangential force to the normal one: Coulomb's law.
    restitution : float
        The part of the speed of approach with which a point leaves, from 0 to 1.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("ball")
    >>> ball = system.world.tz("height", name="ball", mass=1.0)
    >>> floor = system.add(bough.PlaneContact("ball", radius=0.1, restitution=0.8, name="floor"))
    >>> system.build().gap({"height": 1.0})
    array([0.9])
    """

    frame: Frame | str
    against: Frame | str = "world"
    _: KW_ONLY
    points: tuple[Vector3, ...] = ((0.0, 0.0, 0.0),)
    radius: float = 0.0
    normal: Vector3 = (0.0, 0.0, 1.0)
    origin: Vector3 = (0.0, 0.0, 0.0)
    friction: float = 0.0
    restitution: float = 0.0
    frame_fields = ("frame", "against")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        where = self._text()
        if (
            not isinstance(self.points, Sequence | np.ndarray)
            or isinstance(self.points, str)
            or not len(self.points)
        ):
            raise ModelError(
                asked=f"points={validate.shown(self.points)} in {where}",
                found="no point",
                do="give one point or more, such as points=[(0, 0, -0.1)]",
            )
        points = [
            validate.array(x, ((3,),), f"points[{i}]", where, "three numbers")
            for i, x in enumerate(self.points)
        ]
        self._set("points", tuple(tuple(x.tolist()) for x in points))
        self._set("radius", validate.not_negative(self.radius, "radius", where, "m"))
        self._set("normal", validate.unit_axis(self.normal, "normal", where))
        origin = validate.array(self.origin, ((3,),), "origin", where, "three numbers")
        self._set("origin", tuple(origin.tolist()))
        self._set("friction", checked_friction(self.friction, where))
        self._set("restitution", checked_restitution(self.restitution, where))

    @property
    def contacts(self) -> int:
        return len(self.points)

    def bound_to(self: E, system: System) -> E:
        """This contact with its frames replaced by their names, after checking that they move."""
        bound = super().bound_to(system)
        a, b = (system._find(frame, self._text()) for frame in (bound.frame, bound.against))
        check_moving(a, b, f"{self._text()} of {a.label!r} with a plane of {b.label!r}")
        return bound

    def record(self, names: Names) -> Record:
        frames = [names.frames[str(frame)] for frame in (self.frame, self.against)]
        axes = [float(x) for axis in (self.normal, *completed(self.normal)) for x in axis]
        values = [self.friction, self.restitution, self.radius, *self.origin, *axes]
        values += [x for point in self.points for x in point]
        return "PlaneContact", frames, [], [], values


@dataclass(frozen=True, eq=False, repr=False)
class DryFriction(UnilateralConstraint):
    """Dry friction of a joint: up to a torque, or a force, against the velocity of a variable.

    It holds the variable at rest as long as that is enough, and takes the same from it at every speed. It has
    no gap: its entry in `model.gap(q)` is zero.

    Parameters
    ----------
    variable : str
        A dynamic variable. Of a ball it is one of its rates, such as "hip_wx".
    torque : float
        N m, or N for a translation.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("door")
    >>> door = system.world.rz("hinge").tx(0.4, mass=20.0)
    >>> rust = system.add(bough.DryFriction("hinge", torque=0.3))
    """

    variable: str
    torque: float
    dynamic_fields = ("variable",)
    takes_balls = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("torque", validate.not_negative(self.torque, "torque", self._text(), "N m, or N"))

    def record(self, names: Names) -> Record:
        return "DryFriction", [], [names.variables[self.variable]], [], [self.torque]


def check_moving(a: Frame, b: Frame, asked: str) -> None:
    """Refuse a contact of frames that never move relative to each other."""
    if not joint_between(a, b):
        raise ModelError(
            asked=asked,
            found="both are on one body: no joint is between them, so that the gaps never change",
            do="give frames that move relative to each other",
        )


def way_to_world(frame: Frame) -> list[Frame]:
    """The frame, its parent, and so on to the world."""
    path = [frame]
    while (at := path[-1].parent) is not None:
        path.append(at)
    return path


def joint_between(a: Frame, b: Frame) -> bool:
    """Whether a variable moves one frame relative to the other."""
    paths = [way_to_world(a), way_to_world(b)]
    shared = {id(frame) for frame in paths[0]} & {id(frame) for frame in paths[1]}
    return any(
        id(frame) not in shared and isinstance(frame.parameter, str | Kinematic)
        for path in paths
        for frame in path
    )
