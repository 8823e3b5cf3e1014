"""The parts of a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from bough.arguments import Array
from bough.description.functions import Function
from bough.description.shapes import Geometry
from bough.view.colors import Color

End: TypeAlias = "tuple[str, tuple[float, float, float]]"

#: The styles of a `Between`: a bar, a slack or tight line, a coil, a cylinder with a piston, a bent bar,
#: an arrow, a thin dashed line.
STYLES = ("rod", "string", "spring", "damper", "beam", "arrow", "dashed")


class Axes(NamedTuple):
    """The three axes of a frame: red, green and blue lines of this length."""

    size: float


@dataclass(frozen=True)
class Prism(Geometry):
    """A plate about z: a gear, a cam, a drum. Its middle is seen from every corner of the outline.

    Attributes
    ----------
    outline : points (x, y), counterclockwise
    thickness : float
    """

    outline: tuple[tuple[float, float], ...]
    thickness: float
    kind = "prism"


@dataclass(frozen=True)
class Thread(Geometry):
    """A screw about z with this outer radius; its lead is negative if it is left-handed."""

    radius: float
    length: float
    lead: float
    kind = "thread"


@dataclass(frozen=True)
class Rigid:
    """Something of constant form that moves with a frame.

    Attributes
    ----------
    name : str
        Unique in the scene, such as "mass/tip".
    role : str
        A key of `bough.view.colors.COLORS`. What is "surroundings", such as a floor, is larger than the
        system and fixed to the world: cameras are not framed on it.
    frame : str
        The label of the frame it is fixed to; its pose is `scene.poses(q)[..., scene.place[frame], :, :]`.
    pose : array (4, 4)
        The pose of the geometry in the frame.
    geometry : bough.Box, Sphere, ... or Axes
    color : (red, green, blue), each from 0 to 1
    opacity : float
    """

    name: str
    role: str
    frame: str
    pose: Array
    geometry: Geometry | Axes
    color: Color
    opacity: float = 1.0


@dataclass(frozen=True)
class Between:
    """Something from one point to another, whose length may change. `Scene.ends` gives both points.

    Attributes
    ----------
    name, role, color, radius
        As in `Rigid`; `radius` is half the thickness, or the radius of the windings of a coil.
    style : one of `STYLES`
    start : (frame, point in the frame)
    end : (frame, point in the frame); of an arrow that a force or moment gives, the same as `start`
    length : float, function of time or None
        The length of a string, which is slack if its ends are closer. See `Scene.slack`.
    length_variable : int or None
        If the length is a variable, its index in q.
    gap : int or None
        The index in `model.gap(q)` of a string that this is a part of: what is slack is shared by its parts.
    force : (array (3,), array (3, nu)) or None
        The vector of an arrow: a constant, and the coefficients of the inputs.
    axes : "world" or "body"
        Whether the components of `force` are along the axes of the world or of the frame of `start`.
    moment : bool
        Whether `force` is a moment: drawn with two heads.
    tangents : (direction in the frame of start, direction in the frame of end) or None
        The directions in which a beam leaves its ends.
    """

    name: str
    role: str
    start: End
    end: End
    radius: float
    color: Color
    style: str = "rod"
    length: float | Function | None = None
    length_variable: int | None = None
    gap: int | None = None
    force: tuple[Array, Array] | None = None
    axes: str = "body"
    moment: bool = False
    tangents: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None


class Camera(NamedTuple):
    """The camera of a picture: points in the world, and the vertical angle of view in radians."""

    position: Array
    target: Array
    up: Array
    fov: float


class Grid(NamedTuple):
    """Lines in a plane: of the ground, or of the plane of motion.

    Attributes
    ----------
    origin : array (3,)
        The middle, a point where lines cross.
    right, up : arrays (3,)
        Unit vectors along the lines.
    size : float
        The length of the lines, an even multiple of `spacing`.
    spacing : float
        The distance between lines: 1, 2 or 5 times a power of ten.
    """

    origin: Array
    right: Array
    up: Array
    size: float
    spacing: float
