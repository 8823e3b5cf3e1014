"""Contacts by the shapes of bodies: which element they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from bough import validate
from bough.description.element import UnilateralConstraint
from bough.description.frame import Frame
from bough.description.shapes import Box, Capsule, Geometry, Sphere
from bough.elements.constraints import Vector3
from bough.elements.contacts import PlaneContact
from bough.errors import ModelError

ORIGIN: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Point:
    """A point of a body that touches things: a foot, the tip of a rod.

    Parameters
    ----------
    position : three numbers
        In the frame of the body, m.
    """

    position: Vector3 = ORIGIN

    def __post_init__(self) -> None:
        place = validate.array(
            self.position, ((3,),), "position", "Point(...)", "3 numbers, a point of the body"
        )
        object.__setattr__(self, "position", tuple(place.tolist()))


def Contact(  # reads as the element that it makes
    frame: Frame | str,
    shape: Point | Geometry,
    against: Frame | str = "world",
    *,
    at: Vector3 = ORIGIN,
    normal: Vector3 = (0.0, 0.0, 1.0),
    origin: Vector3 = ORIGIN,
    friction: float = 0.0,
    restitution: float = 0.0,
    name: str | None = None,
) -> UnilateralConstraint:
    """The contact of a shape on a frame with a plane of another frame: an element to add to a system.

    Parameters
    ----------
    frame : Frame or str
        The frame that the shape is fixed to.
    shape : Point, Sphere, Capsule or Box
        A box touches with its eight corners, a capsule with the balls at its ends.
    against : Frame or str
        The frame that the plane is fixed to, by default the world.
    at : three numbers
        The middle of the shape in `frame`, m.
    normal, origin : three numbers
        The plane in the axes of `against`: its normal, towards the shape, and a point of it. By default z = 0.
    friction : float
        The coefficient of friction.
    restitution : float
        The part of the speed of approach with which it leaves, from 0 to 1.
    name : str or None

    Returns
    -------
    UnilateralConstraint
        A `PlaneContact`, as which it is written to files.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("ball")
    >>> ball = system.world.tz("height", name="ball", mass=1.0)
    >>> floor = system.add(bough.Contact("ball", bough.Sphere(0.1), restitution=0.8, name="floor"))
    >>> system.build().gaps
    ('floor',)
    """
    where = "Contact(...)" if name is None else f"Contact {name!r}"
    x, y, z = validate.array(at, ((3,),), "at", where, "3 numbers, the middle of the shape").tolist()
    points, radius = _points(shape, where)
    moved = tuple((x + p[0], y + p[1], z + p[2]) for p in points)
    return PlaneContact(
        frame,
        against,
        points=moved,
        radius=radius,
        normal=normal,
        origin=origin,
        friction=friction,
        restitution=restitution,
        name=name,
    )


def _points(shape: Any, where: str) -> tuple[tuple[Vector3, ...], float]:
    """The points of a shape that touch planes, and the radius of the balls about them."""
    if isinstance(shape, Point):
        return (shape.position,), 0.0
    if isinstance(shape, Sphere):
        return (ORIGIN,), shape.radius
    if isinstance(shape, Capsule):
        half = 0.5 * shape.length
        return ((0.0, 0.0, -half), (0.0, 0.0, half)), shape.radius
    if isinstance(shape, Box):
        hx, hy, hz = (0.5 * size for size in shape.size)
        corners = product((-hx, hx), (-hy, hy), (-hz, hz))
        return tuple((x, y, z) for x, y, z in corners), 0.0
    raise ModelError(
        asked=f"shape={validate.shown(shape)} in {where}",
        found="a shape whose contact with a plane is not known"
        if isinstance(shape, Geometry)
        else "this is not a shape",
        do="give bough.Point(...), Sphere, Capsule or Box; for others, several contacts of points",
    )
