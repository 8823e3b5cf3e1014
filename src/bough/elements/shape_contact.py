"""Contacts between the shapes of two bodies."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from bough import validate
from bough._core import core
from bough.description.element import Names, Record, UnilateralConstraint, check_single
from bough.description.frame import Frame
from bough.description.heightfield import Heightfield, Point
from bough.description.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Plane,
    Sphere,
    geometry_from_dict,
)
from bough.elements.contacts import check_moving
from bough.elements.joint_limit import checked_friction, checked_restitution
from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.description.system import System

Pose: TypeAlias = "tuple[tuple[float, ...], ...]"
E = TypeVar("E", bound="ShapeContact")

UNMOVED: Pose = tuple(tuple(float(i == k) for k in range(4)) for i in range(4))
MOST = 8  # features of a pair
#: The kinds of shapes by their numbers in the core.
NUMBERS = {
    "plane": 0,
    "sphere": 1,
    "point": 1,  # a sphere without a radius
    "capsule": 2,
    "cylinder": 3,
    "box": 4,
    "ellipsoid": 5,
    "mesh": 6,
    "heightfield": 7,
}
#: Shapes of which one element touches only some others.
GROUND = ("plane", "heightfield")
ON_FIELDS = ("point", "sphere", "capsule", "box", "mesh")


@dataclass(frozen=True, eq=False, repr=False)
class ShapeContact(UnilateralConstraint):
    """The shape of one frame does not enter that of another, with friction: what `bough.Contact` makes.

    Shapes touch in points: a sphere in one, boxes on each other in up to eight, the corners of the polygon
    that their faces share. The gap of a point is a distance along its normal, in m; of a point that is not
    there it is infinite. As long as the shapes are apart, the first gap is their distance.

    Parameters
    ----------
    frame, against : Frame or str
        The frames that the shapes are fixed to.
    shape, against_shape : Sphere, Capsule, Cylinder, Box, Ellipsoid, Mesh; `against_shape` also Plane, Heightfield
        Or the same as a dictionary. A mesh is a closed convex surface. All that is below a plane or a heightfield
        is solid; a Point touches a heightfield only.
    pose, against_pose : 4x4 numbers
        The poses of the shapes in their frames.
    friction : float
        The ratio of the largest tangential force to the normal one: Coulomb's law.
    restitution : float
        The part of the speed of approach with which a point leaves, from 0 to 1.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("two balls")
    >>> left = system.world.tx("left", name="a", mass=1.0)
    >>> right = system.world.tx("right", name="b", mass=1.0)
    >>> hit = system.add(bough.ShapeContact("a", bough.Sphere(0.1), "b", bough.Sphere(0.2), name="hit"))
    >>> system.build().gap({"left": 0.0, "right": 1.0})
    array([0.7])
    """

    frame: Frame | str
    shape: Geometry | Mapping[str, Any]
    against: Frame | str
    against_shape: Geometry | Mapping[str, Any]
    _: KW_ONLY
    pose: Pose = UNMOVED
    against_pose: Pose = UNMOVED
    friction: float = 0.0
    restitution: float = 0.0
    frame_fields = ("frame", "against")

    def __post_init__(self) -> None:
        for field in ("shape", "against_shape"):
            self._set(field, _plain(getattr(self, field), field, self._text()))
        super().__post_init__()
        check_single(self)
        where = self._text()
        kind = self._geometry("shape").kind
        if kind in GROUND:
            raise ModelError(
                asked=f"shape={kind.capitalize()}(...) in {where}",
                found=f"{kind!r}, a shape that only the other body may have",
                do=f"give the {kind} as the shape of `against`",
            )
        for field in ("pose", "against_pose"):
            matrix = validate.pose(getattr(self, field), where)
            self._set(field, tuple(tuple(row) for row in matrix.tolist()))
        self._set("friction", checked_friction(self.friction, where))
        self._set("restitution", checked_restitution(self.restitution, where))
        _ = self.contacts  # which finds what is wrong with the shapes

    @cached_property
    def contacts(self) -> int:
        """The number of points that can touch at once."""
        return int(core.shape_contact_count(self._values))

    def bound_to(self: E, system: System) -> E:
        """This contact with its frames replaced by their names, after checking that they move."""
        bound = super().bound_to(system)
        a, b = (system._find(frame, self._text()) for frame in (bound.frame, bound.against))
        check_moving(a, b, f"{self._text()} of {a.label!r} with {b.label!r}")
        return bound

    def record(self, names: Names) -> Record:
        frames = [names.frames[str(frame)] for frame in (self.frame, self.against)]
        return "ShapeContact", frames, [], [], self._values

    @cached_property
    def _values(self) -> list[float]:
        shapes = (
            (self._geometry("shape"), self.pose, f"shape of {self._text()}"),
            (self._geometry("against_shape"), self.against_pose, f"against_shape of {self._text()}"),
        )
        return record_values(self.friction, self.restitution, shapes, ((0, 1),), MOST, self._text())

    def _geometry(self, field: str) -> Geometry:
        return geometry_from_dict(getattr(self, field))


def record_values(
    friction: float,
    restitution: float,
    shapes: Sequence[tuple[Geometry, Pose, str]],
    pairs: Sequence[tuple[int, int]],
    most: int,
    where: str,
) -> list[float]:
    """The values of a record of shapes: each with its pose and what it is in a message, and which pairs touch."""
    for i, j in pairs:
        kinds = shapes[i][0].kind, shapes[j][0].kind
        if unknown(*kinds):
            raise ModelError(
                asked=where,
                found=f"{kinds[0]!r} against {kinds[1]!r}, shapes whose contact is not known",
                do=f"give shapes that touch: on a heightfield {', '.join(ON_FIELDS)}"
                if "heightfield" in kinds
                else "give a body with a size on one of them",
            )
    values = [friction, restitution, len(shapes), len(pairs), most]
    for geometry, pose, what in shapes:
        values += _numbers(geometry, pose, what)
    values += [x for pair in pairs for x in pair]
    return [float(x) for x in values]


def unknown(a: str, b: str) -> bool:
    """Whether two kinds of shapes have no contact."""
    kinds = {a, b}
    if kinds <= set(GROUND) or ("point" in kinds and "heightfield" not in kinds):
        return True
    return "heightfield" in kinds and not kinds & set(ON_FIELDS)


def _plain(shape: Any, field: str, where: str) -> Mapping[str, Any]:
    if isinstance(shape, Geometry):
        return shape.to_dict()
    if isinstance(shape, Mapping):
        lists = {key: _listed(value) for key, value in shape.items()}
        return geometry_from_dict(lists).to_dict()
    raise ModelError(
        asked=f"{field}={validate.shown(shape)} in {where}",
        found="this is not a shape",
        do="give bough.Sphere, Capsule, Cylinder, Box, Ellipsoid or a convex Mesh",
    )


def _listed(value: Any) -> Any:
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


def _numbers(shape: Geometry, pose: Pose, where: str) -> list[float]:
    """Kind, sizes and pose of a shape, and the surface of a mesh."""
    place = [x for row in pose[:3] for x in row]
    number = float(NUMBERS[shape.kind])
    if isinstance(shape, Point):
        moved = np.array(pose)
        moved[:3, 3] += moved[:3, :3] @ np.asarray(shape.position)
        return [number, 0.0, 0.0, 0.0, *moved[:3].ravel().tolist()]
    if isinstance(shape, Heightfield):
        counts = (float(len(np.asarray(axis))) for axis in (shape.x, shape.y))
        return [number, *counts, 0.0, *place, *shape.numbers()]
    if isinstance(shape, Sphere):
        return [number, shape.radius, 0.0, 0.0, *place]
    if isinstance(shape, Cylinder | Capsule):
        return [number, shape.radius, shape.length, 0.0, *place]
    if isinstance(shape, Box):
        return [number, *shape.size, *place]
    if isinstance(shape, Ellipsoid):
        return [number, *shape.radii, *place]
    if isinstance(shape, Plane):
        if any(shape.size):
            raise ModelError(
                asked=where,
                found="a rectangle; contacts know planes without an edge",
                do="give Plane(), or Box(...) for a table",
            )
        return [number, 0.0, 0.0, 0.0, *place]
    assert isinstance(shape, Mesh)
    corners, triangles = _surface(shape, where)
    flat = [*corners.ravel().tolist(), *map(float, triangles.ravel().tolist())]
    values = [number, float(len(corners)), float(len(triangles)), 0.0, *place, *flat]
    try:
        core.shape_contact_count([0.0, 0.0, 1.0, 0.0, 0.0, *values])
    except ValueError as error:
        raise ModelError(
            asked=where,
            found=f"a mesh whose surface is {error}",
            do="give a closed convex surface, or one contact for each of bough.convex_parts(mesh)",
        ) from None
    return values


def _surface(mesh: Mesh, where: str) -> tuple[Any, Any]:
    """Corners that differ, and the triangles between them."""
    if mesh.path is not None:
        raise ModelError(
            asked=where,
            found=f"a mesh in the file {os.path.basename(mesh.path)!r}, which is read for pictures only",
            do="give its corners and triangles, Mesh(vertices=..., faces=...), of a convex body",
        )
    scale = np.asarray(mesh.scale)
    faces = np.asarray(mesh.faces)
    once, number = np.unique(np.asarray(mesh.vertices) * scale, axis=0, return_inverse=True)
    return once, number.reshape(-1)[faces if np.prod(scale) > 0.0 else faces[:, ::-1]]
