"""Strings that only pull, over pulleys without friction, from drums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bough import validate
from bough.description.element import Names, Record, UnilateralConstraint
from bough.description.frame import Frame
from bough.description.functions import Function, function_or_number, numbers
from bough.description.parameter import Kinematic
from bough.elements.coefficients import check_coefficients
from bough.elements.constraints import Vector3, frame_places
from bough.elements.joint_limit import checked_restitution
from bough.elements.rigid_distance import rigid_distance
from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.description.system import System

E = TypeVar("E", bound="String")
# of the coefficients of drums, in messages: their name, an example, and what a zero is
DRUM = (
    "drum",
    "give what each variable lets out, such as drum={'winch': 0.1} for a drum of 0.1 m",
    ("a drum of radius zero, which lets out nothing", "a number"),
)

Y: Vector3 = (0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class String(UnilateralConstraint):
    """A string from one frame to another that pulls if it is taut and lies slack otherwise.

    Its path goes straight from a over the pulleys to b. The gap is what is slack, length less path, in m; the
    normal force of the contact is the tension, in N, which is the same along the whole string: pulleys turn
    without friction and without mass.

    Parameters
    ----------
    a, b : Frame or str
    length : float, kinematic variable or function of time
        m.
    via : frames
        Pulleys, in the order in which the string passes them; one may be passed several times. Frames may move.
    radius : float, or one for each pulley
        Of the pulleys, m; zero, as by default, is a ring that the string slides through. The string turns about
        `axis` as a right-handed screw would, with a negative radius against it, and lies in the plane of a pulley.
    axis : three numbers
        The axes of the pulleys with a radius, in the axes of their frames.
    drum : mapping from variables to numbers
        Variables that let out more string: a drum of radius r that turns by q lets out r q, a slide q itself. The
        variables may be dynamic, with inertia and torques, or kinematic.
    restitution : float
        The part of the speed of stretching with which the ends come back if it becomes taut, from 0 to 1.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("Atwood")
    >>> left = system.world.tx(-0.1).tz("left", name="left", mass=1.0)
    >>> right = system.world.tx(0.1).tz("right", name="right", mass=2.0)
    >>> wheel = system.world.frame("wheel")
    >>> rope = system.add(bough.String(left, right, length=3.0, via=[wheel], radius=0.1, axis=(0, 1, 0), name="rope"))
    >>> gap = system.build().gap({"left": -1.0, "right": -1.5})
    >>> bool(abs(gap[0] - (3.0 - 2.5 - 0.1 * 3.141592653589793)) < 1e-12)
    True
    """

    a: Frame | str
    b: Frame | str
    length: float | Kinematic | Function
    _: KW_ONLY
    via: Sequence[Frame | str] = ()
    radius: float | tuple[float, ...] = 0.0
    axis: Vector3 = Y
    drum: Mapping[str, float] | None = None
    restitution: float = 0.0
    frame_fields = ("a", "b", "via")
    path_fields = ("a", "via", "b")
    variable_fields = ("drum",)

    def __post_init__(self) -> None:
        super().__post_init__()
        where = self._text()
        self._set("via", _frames(self.via, where))
        for field in ("a", "b"):
            if not isinstance(getattr(self, field), Frame | str):
                raise _no_frame(getattr(self, field), f"field {field!r}", where)
        if not isinstance(self.length, Kinematic):
            self._set("length", function_or_number(self.length, "length", where, kinematic=True))
        if isinstance(self.length, float) and self.length <= 0.0 and not self.drum:
            raise ModelError(
                asked=f"length={self.length:g} in {where}",
                found="length is not above zero",
                do="give a length above zero, in m",
            )
        self._set("radius", self._checked_radius(self.radius))
        self._set("axis", validate.unit_axis(self.axis, "axis", where))
        if self.drum is not None:
            self._set("drum", check_coefficients(self.drum, where, *DRUM))
        self._set("restitution", checked_restitution(self.restitution, where))

    def bound_to(self: E, system: System) -> E:
        """This string with its frames replaced by their names, after checking that it is long enough."""
        bound = super().bound_to(system)
        if not isinstance(bound.length, float) or bound.drum:
            return bound
        path = [system._find(frame, self._text()) for frame in (bound.a, *bound.via, bound.b)]
        parts = [rigid_distance(*pair) for pair in pairwise(path)]
        # a straight part between two pulleys may be shorter than the distance of their middles
        fixed = sum(part for part in parts if part is not None) if not np.any(bound.radius) else 0.0
        if fixed > bound.length or (fixed == bound.length and None in parts):
            raise ModelError(
                asked=f"length={bound.length:g} in {self._text()}",
                found=f"its parts between frames that do not move against each other are {fixed:g} m,"
                " as long as the string or longer",
                do="give a longer string",
            )
        if None not in parts:
            raise ModelError(
                asked=self._text(),
                found="no joint is between the frames of its path, so that it never pulls",
                do="give frames that move relative to each other",
            )
        return bound

    def record(self, names: Names) -> Record:
        places = frame_places(names, self.a, *self.via, self.b)
        let_out = dict(self.drum or {})
        length: float | Function = 0.0
        if isinstance(self.length, Kinematic):
            let_out[self.length.name] = let_out.get(self.length.name, 0.0) + 1.0
        else:
            length = self.length
        values = [self.restitution, *let_out.values()]
        radii = self.radius if isinstance(self.radius, tuple) else (self.radius,) * len(self.via)
        for radius in radii:
            values += [radius, *map(float, self.axis)]
        variables = [names.variables[name] for name in let_out]
        return "String", places, variables, [], [*values, *numbers(length)]

    def _checked_radius(self, given: Any) -> float | tuple[float, ...]:
        where = self._text()
        if validate.is_real(given):
            return validate.real(given, "radius", where)
        if (
            not isinstance(given, Sequence | np.ndarray)
            or isinstance(given, str)
            or len(given) != len(self.via)
        ):
            raise ModelError(
                asked=f"radius={validate.shown(given)} in {where}",
                found=f"not one number, nor one for each of {validate.counted(len(self.via), 'pulley')}",
                do="give one radius for all pulleys, or a list in the order of via",
            )
        return tuple(validate.real(x, f"radius[{i}]", where) for i, x in enumerate(given))

    def _check_bound(self) -> None:
        path = (self.a, *self.via, self.b)
        for first, second in pairwise(path):
            if first == second:
                raise ModelError(
                    asked=f"{self._text()} from {first!r} to {second!r}",
                    found="two points of the path that follow each other are on one frame",
                    do="give different frames",
                )


def _frames(value: Any, where: str) -> tuple[Frame | str, ...]:
    if isinstance(value, Frame | str):
        value = (value,)
    if not isinstance(value, Sequence):
        raise _no_frame(value, "via", where)
    for item in value:
        if not isinstance(item, Frame | str):
            raise _no_frame(item, "via", where)
    return tuple(value)


def _no_frame(value: Any, what: str, where: str) -> ModelError:
    return ModelError(
        asked=f"frame {validate.shown(value)} in {what} of {where}",
        found="neither a frame nor the name of one",
        do="give a frame, or its name as a string",
    )
