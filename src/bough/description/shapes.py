"""Shapes that are drawn on frames. They have no part in the mechanics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough import validate
from bough.description.checked_arguments import CheckedArguments
from bough.errors import ModelError, unknown_name
from bough.validate import Array


class Geometry(metaclass=CheckedArguments):
    """Base of all shapes. Lengths are full lengths in m, about the origin of the pose."""

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """The shape in plain lists, numbers and strings."""
        raise NotImplementedError

    def _length(self, field: str) -> float:
        value = validate.real(getattr(self, field), field, _text(self))
        if value <= 0.0:
            raise ModelError(
                asked=f"{field}={validate.shown(getattr(self, field))} in {_text(self)}",
                found=f"{field} is {'zero' if value == 0.0 else 'negative'}",
                do=f"give {field} above zero, in m",
            )
        return value

    def _lengths(self, field: str, least: float = 0.0) -> tuple[float, ...]:
        wanted = f"{self._count} numbers above zero, in m"
        given = validate.array(getattr(self, field), ((self._count,),), field, _text(self), wanted)
        if (given <= 0.0).any() and not (least < 0.0 and (given >= 0.0).all()):
            raise ModelError(
                asked=f"{field}={validate.shown(getattr(self, field))} in {_text(self)}",
                found=f"{field} is not above zero in each direction",
                do=f"give {field} as {wanted}",
            )
        return tuple(given.tolist())

    _count: ClassVar[int] = 3


@dataclass(frozen=True)
class Box(Geometry):
    """A box with edges of these lengths along x, y and z.

    Examples
    --------
    >>> import bough
    >>> bough.Box((0.4, 0.2, 0.1))
    Box(size=(0.4, 0.2, 0.1))
    """

    size: Sequence[float]
    kind = "box"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", self._lengths("size"))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": list(self.size)}


@dataclass(frozen=True)
class Sphere(Geometry):
    """A ball.

    Examples
    --------
    >>> import bough
    >>> bough.Sphere(0.1)
    Sphere(radius=0.1)
    """

    radius: float
    kind = "sphere"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", self._length("radius"))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": [self.radius]}


@dataclass(frozen=True)
class Ellipsoid(Geometry):
    """An ellipsoid with these radii along x, y and z.

    Examples
    --------
    >>> import bough
    >>> bough.Ellipsoid((0.1, 0.2, 0.3))
    Ellipsoid(radii=(0.1, 0.2, 0.3))
    """

    radii: Sequence[float]
    kind = "ellipsoid"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", self._lengths("radii"))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": list(self.radii)}


@dataclass(frozen=True)
class Cylinder(Geometry):
    """A cylinder about the axis z, from -length/2 to length/2.

    Examples
    --------
    >>> import bough
    >>> bough.Cylinder(0.05, 0.4)
    Cylinder(radius=0.05, length=0.4)
    """

    radius: float
    length: float
    kind = "cylinder"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", self._length("radius"))
        object.__setattr__(self, "length", self._length("length"))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": [self.radius, self.length]}


@dataclass(frozen=True)
class Capsule(Cylinder):
    """A cylinder about the axis z with half a ball at each end; `length` is that of the cylinder.

    Examples
    --------
    >>> import bough
    >>> bough.Capsule(0.05, 0.4)
    Capsule(radius=0.05, length=0.4)
    """

    kind = "capsule"


@dataclass(frozen=True)
class Plane(Geometry):
    """A rectangle in the plane z = 0 with edges of these lengths; zero means infinitely long.

    Examples
    --------
    >>> import bough
    >>> bough.Plane()
    Plane(size=(0.0, 0.0))
    """

    size: Sequence[float] = (0.0, 0.0)
    kind = "plane"
    _count = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", self._lengths("size", least=-1.0))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": list(self.size)}


@dataclass(frozen=True, eq=False)
class Mesh(Geometry):
    """A surface of triangles: a file (STL, OBJ, DAE, PLY, GLB), or corners and triples of their numbers.

    Parameters
    ----------
    path : str or path
        The file, in metres unless scaled. It is read when something is drawn; until then it need not exist.
    scale : float or three numbers
        Factors for the corners along x, y and z.
    vertices, faces : arrays (n, 3) and (m, 3)
        Instead of a file: points in m, and for each triangle the indices of its corners, from zero.

    Examples
    --------
    >>> import bough
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> tetrahedron = bough.Mesh(vertices=corners, faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> len(tetrahedron.faces)
    4
    """

    path: str | os.PathLike[str] | None = None
    scale: float | Sequence[float] = 1.0
    vertices: npt.ArrayLike | None = None
    faces: npt.ArrayLike | None = None
    kind = "mesh"

    def __post_init__(self) -> None:
        if (self.path is None) == (self.vertices is None) or (self.vertices is None) != (self.faces is None):
            raise ModelError(
                asked="Mesh(...)",
                found="neither a file nor vertices with faces"
                if self.path is None
                else "both a file and vertices",
                do="give path=, or vertices= and faces=",
            )
        if validate.is_real(self.scale):
            object.__setattr__(self, "scale", (self._length("scale"),) * 3)
        else:
            scale = validate.array(self.scale, ((3,),), "scale", "Mesh(...)", "one number or three")
            object.__setattr__(self, "scale", tuple(scale.tolist()))
        if self.path is not None:
            if not isinstance(self.path, str | os.PathLike) or not os.fspath(self.path):
                raise ModelError(
                    asked=f"path={validate.shown(self.path)} in Mesh(...)",
                    found="not the path of a file",
                    do="give path as a string, such as 'arm.stl'",
                )
            object.__setattr__(self, "path", os.path.abspath(os.fspath(self.path)))
            return
        vertices, faces = _triangles(self.vertices, self.faces)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": self.kind}
        if self.path is not None:
            data["path"] = str(self.path)
        else:
            data |= {"vertices": np.asarray(self.vertices).tolist(), "faces": np.asarray(self.faces).tolist()}
        return data | {"scale": list(self.scale)}  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.path, self.scale))


@dataclass(frozen=True)
class Shape:
    """A geometry on a frame: what `System.shape` makes.

    Attributes
    ----------
    frame : str
        The label of the frame.
    geometry : Box, Sphere, Ellipsoid, Cylinder, Capsule, Plane or Mesh
    pose : 4x4 numbers
        The pose of the geometry in the frame.
    color : (red, green, blue, opacity), each from 0 to 1, or None

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> shape = system.shape(bob, bough.Sphere(0.1))
    >>> shape.frame, shape.geometry
    ('bob', Sphere(radius=0.1))
    """

    frame: str
    geometry: Geometry
    pose: tuple[tuple[float, ...], ...]
    color: tuple[float, float, float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The shape in plain lists, numbers and strings."""
        color = None if self.color is None else list(self.color)
        return {
            "frame": self.frame,
            **self.geometry.to_dict(),
            "pose": [*map(list, self.pose)],
            "color": color,
        }


_SIMPLE: dict[str, tuple[type[Geometry], int]] = {
    "sphere": (Sphere, 1),
    "cylinder": (Cylinder, 2),
    "capsule": (Capsule, 2),
}
_OF_SIZES: dict[str, type[Box | Ellipsoid | Plane]] = {"box": Box, "ellipsoid": Ellipsoid, "plane": Plane}
KINDS = (*_SIMPLE, *_OF_SIZES, "mesh", "heightfield", "point")


def geometry_from_dict(data: Mapping[str, Any]) -> Geometry:
    """The geometry of a dictionary made by `to_dict`."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown_name("kind of shape", str(kind), KINDS, "a description")
    if kind in ("heightfield", "point"):
        from bough.description.heightfield import Heightfield, Point

        return (
            Point(data.get("size", ()))
            if kind == "point"
            else Heightfield(**{k: data.get(k, ()) for k in "xyz"})
        )
    if kind == "mesh":
        return Mesh(data.get("path"), data.get("scale", 1.0), data.get("vertices"), data.get("faces"))
    size = data.get("size", ())
    if kind == "plane" and "size" not in data:
        return Plane()
    if kind in _OF_SIZES:
        return _OF_SIZES[kind](size)
    cls, count = _SIMPLE[kind]
    if not isinstance(size, list | tuple) or len(size) != count:
        raise ModelError(
            asked=f"{kind} of a description",
            found=f"size {validate.shown(size)}",
            do="give size as [radius]" if count == 1 else "give size as [radius, length]",
        )
    return cls(*size)


def checked_color(value: Any, where: str) -> tuple[float, float, float, float] | None:
    """(red, green, blue, opacity) of three or four numbers from 0 to 1, or of a name such as "orange"."""
    if value is None:
        return None
    if isinstance(value, str):
        from matplotlib.colors import CSS4_COLORS, to_rgba

        try:
            return to_rgba(value)
        except ValueError:
            raise unknown_name("color", value, CSS4_COLORS, where) from None
    wanted = "3 or 4 numbers from 0 to 1, or a name such as 'orange'"
    color = validate.array(value, ((3,), (4,)), "color", where, wanted)
    if color.min() < 0.0 or color.max() > 1.0:
        raise ModelError(
            asked=f"color={validate.shown(value)} in {where}",
            found=f"{color[(color < 0.0) | (color > 1.0)][0]:g}, which is not from 0 to 1",
            do=f"give color as {wanted}",
        )
    red, green, blue, *opacity = color.tolist()
    return (red, green, blue, opacity[0] if opacity else 1.0)


def _text(shape: Geometry) -> str:
    return f"{type(shape).__name__}(...)"


def _triples(value: Any, what: str) -> Array:
    """An array (n, 3) of finite numbers."""
    try:
        shape = (len(value), 3)
    except TypeError:
        shape = (1, 3)
    return validate.array(value, (shape,), what, "Mesh(...)", "an array of shape (n, 3)")


def _triangles(vertices: Any, faces: Any) -> tuple[Array, npt.NDArray[np.int64]]:
    points, corners = _triples(vertices, "vertices"), _triples(faces, "faces")
    wrong = (corners < 0) | (corners >= len(points)) | (corners != np.floor(corners))
    if wrong.any():
        raise ModelError(
            asked="faces of Mesh(...)",
            found=f"{corners[wrong][0]:g}, but there are {len(points)} vertices",
            do=f"number the corners from 0 to {len(points) - 1}",
        )
    return points, corners.astype(np.int64)
