"""Contacts by the shapes of bodies: which element they are made of."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from bough import validate
from bough.description.checked_arguments import checked_arguments
from bough.description.element import UnilateralConstraint
from bough.description.frame import Frame
from bough.description.heightfield import Heightfield, Point
from bough.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from bough.elements.axes import completed
from bough.elements.constraints import Vector3
from bough.elements.contacts import PlaneContact
from bough.elements.shape_contact import ShapeContact
from bough.errors import ModelError
from bough.validate import Array

ORIGIN: Vector3 = (0.0, 0.0, 0.0)


@checked_arguments
def Contact(  # reads as the element that it makes
    frame: Frame | str,
    shape: Geometry,
    against: Frame | str | Heightfield | tuple[Frame | str, Geometry] = "world",
    *,
    at: npt.ArrayLike = ORIGIN,
    against_at: npt.ArrayLike | None = None,
    normal: Vector3 | None = None,
    origin: Vector3 | None = None,
    friction: float = 0.0,
    restitution: float = 0.0,
    name: str | None = None,
) -> UnilateralConstraint:
    """The contact of a shape on a frame with a plane, the ground or a shape of another frame: an element to add.

    Parameters
    ----------
    frame : Frame or str
        The frame that the shape is fixed to.
    shape : Point, Sphere, Capsule, Box, Cylinder, Ellipsoid or Mesh
        A mesh is a closed convex surface. A point touches planes and heightfields only.
    against : Frame or str, a pair of it and a shape, or Heightfield
        The frame that the plane is fixed to, by default the world; or a frame and the shape on it, such as
        ("table", bough.Box((1, 1, 0.05))); or the ground of the world.
    at, against_at : three numbers, or 4x4 numbers
        The middles of the shapes in their frames, m, or their poses; `against_at` is that of a shape in `against`.
    normal, origin : three numbers
        The plane in the axes of `against`: its normal, towards the shape, and a point of it. By default z = 0.
        A shape in `against` has none.
    friction : float
        The coefficient of friction.
    restitution : float
        The part of the speed of approach with which it leaves, from 0 to 1.
    name : str or None

    Returns
    -------
    UnilateralConstraint
        A `PlaneContact` or a `ShapeContact`, as which it is written to files.

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
    pose = _pose(at, "at", where)
    if isinstance(against, Heightfield):
        against = ("world", against)
    elif isinstance(against, Geometry):
        raise ModelError(
            asked=f"against={validate.shown(against)} in {where}",
            found="a shape without the frame that it is fixed to",
            do=f'give both as a pair, such as against=("world", bough.{type(against).__name__}(...))',
        )
    _check_place(against, against_at, normal, origin, where)
    against_at = ORIGIN if against_at is None else against_at
    normal = (0.0, 0.0, 1.0) if normal is None else normal
    origin = ORIGIN if origin is None else origin
    if isinstance(against, tuple) or (
        isinstance(shape, Cylinder | Ellipsoid | Mesh) and not isinstance(shape, Capsule)
    ):
        other, solid = _other(against, where)
        plane = _plane(normal, origin, where)
        return ShapeContact(
            frame,
            _solid(shape, solid, where),
            other,
            solid,
            pose=_rows(pose),
            against_pose=_rows(plane if isinstance(solid, Plane) else _pose(against_at, "against_at", where)),
            friction=friction,
            restitution=restitution,
            name=name,
        )
    points, radius = _points(shape, where)
    moved = tuple(_triple(pose[:3, :3] @ p + pose[:3, 3]) for p in points)
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


def _check_place(against: Any, against_at: Any, normal: Any, origin: Any, where: str) -> None:
    """That what says where the other body is belongs to what it is: a shape, or a plane."""
    plane = not isinstance(against, tuple) or any(isinstance(part, Plane) for part in against)
    if plane and against_at is not None:
        raise ModelError(
            asked=f"against_at of {where}",
            found="a plane as `against`; against_at is the place of a shape",
            do="give normal= and origin= of the plane, or a pair such as against=(frame, bough.Box(...))",
        )
    if not plane and not (normal is None and origin is None):
        raise ModelError(
            asked=f"{'origin' if normal is None else 'normal'} of {where}",
            found="a shape as `against`; normal and origin are those of a plane",
            do="give against_at=, the middle or the pose of that shape",
        )


def _points(shape: Any, where: str) -> tuple[tuple[Vector3, ...], float]:
    """The points of a shape that touch planes, and the radius of the balls about them."""
    if isinstance(shape, Point):
        return (_triple(np.asarray(shape.position)),), 0.0
    if isinstance(shape, Sphere):
        return (ORIGIN,), shape.radius
    if isinstance(shape, Capsule):
        half = 0.5 * shape.length
        return ((0.0, 0.0, -half), (0.0, 0.0, half)), shape.radius
    if isinstance(shape, Box):
        hx, hy, hz = (0.5 * size for size in shape.size)
        corners = product((-hx, hx), (-hy, hy), (-hz, hz))
        return tuple((x, y, z) for x, y, z in corners), 0.0
    raise _not_a_shape(shape, where)


def _not_a_shape(shape: Any, where: str) -> ModelError:
    return ModelError(
        asked=f"shape={validate.shown(shape)} in {where}",
        found=f"{shape.kind!r}, a shape that only the other body may have"
        if isinstance(shape, Plane | Heightfield)
        else "this is not a shape",
        do="give bough.Sphere, Capsule, Cylinder, Box, Ellipsoid, a convex Mesh, or bough.Point(...) on a plane",
    )


def _solid(shape: Any, against: Geometry, where: str) -> Geometry:
    if isinstance(shape, Point) and not isinstance(against, Heightfield):
        raise ModelError(
            asked=f"shape=Point(...) against a shape in {where}",
            found="a point, which touches planes and heightfields only",
            do="give bough.Sphere(radius) with a small radius",
        )
    if isinstance(shape, Geometry) and not isinstance(shape, Plane | Heightfield):
        return shape
    raise _not_a_shape(shape, where)


def _other(against: Any, where: str) -> tuple[Frame | str, Geometry]:
    """The frame and the shape that a body touches."""
    if not isinstance(against, tuple):
        return against, Plane()
    if len(against) == 2 and isinstance(against[0], Frame | str) and isinstance(against[1], Geometry):
        return against
    raise ModelError(
        asked=f"against={validate.shown(against)} in {where}",
        found="neither a frame nor a pair of a frame and a shape",
        do='give a frame with a plane, or a pair such as ("table", bough.Box((1, 1, 0.05)))',
    )


def _pose(value: npt.ArrayLike, what: str, where: str) -> Array:
    """The pose of a shape given by its middle or as 4x4 numbers."""
    if np.shape(value) == (4, 4):
        return validate.pose(value, where)
    pose = np.eye(4)
    pose[:3, 3] = validate.array(
        value, ((3,),), what, where, "3 numbers, the middle of the shape, or its 4x4 pose"
    )
    return pose


def _plane(normal: Any, origin: Any, where: str) -> Array:
    pose = np.eye(4)
    axis = validate.unit_axis(normal, "normal", where)
    pose[:3, :3] = np.column_stack([*completed(axis), axis])
    pose[:3, 3] = validate.array(origin, ((3,),), "origin", where, "three numbers")
    return pose


def _rows(pose: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in pose.tolist())


def _triple(x: Array) -> Vector3:
    return float(x[0]), float(x[1]), float(x[2])
