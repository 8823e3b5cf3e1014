"""Strings that only pull, over pulleys without friction, from drums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bough import validate
from bough.description.element import Names, Record, UnilateralConstraint
from bough.description.frame import Frame
from bough.description.functions import Function, function_or_number, numbers
from bough.description.parameter import Kinematic
from bough.elements.constraints import Vector3, frame_places
from bough.elements.joint_limit import checked_restitution
from bough.errors import ModelError

Y: Vector3 = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
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
    variable_fields = ("drum",)

    def __post_init__(self) -> None:
        super().__post_init__()
        where = self._text()
        self._set("via", _frames(self.via, where))
        for field in ("a", "b"):
            if not isinstance(getattr(self, field), Frame | str):
                raise _no_frame(getattr(self, field), f"field {field!r}", where)
        if not isinstance(self.length, Kinematic):
            self._set("length", function_or_number(self.length, "length", where))
        if isinstance(self.length, float) and self.length <= 0.0 and not self.drum:
            raise ModelError(
                asked=f"length={self.length:g} in {where}",
                found="length is not above zero",
                do="give a length above zero, in m",
            )
        self._set("radius", self._checked_radius(self.radius))
        self._set("axis", validate.unit_axis(self.axis, "axis", where))
        if self.drum is not None:
            self._set("drum", _drums(self.drum, where))
        self._set("restitution", checked_restitution(self.restitution, where))

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
            values += [radius, *self.axis]
        variables = [names.variables[name] for name in let_out]
        return "String", places, variables, [], [*map(float, values), *numbers(length)]

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


def _drums(value: Any, where: str) -> dict[str, float]:
    if not isinstance(value, Mapping) or not value:
        raise ModelError(
            asked=f"drum={validate.shown(value)} in {where}",
            found="not a mapping from variables to numbers",
            do="give what each variable lets out, such as drum={'winch': 0.1} for a drum of 0.1 m",
        )
    found = {}
    for name, given in value.items():
        what = f"drum[{validate.shown(name)}]"
        found[name] = validate.real(given, what, where)
        if found[name] == 0.0:
            raise ModelError(
                asked=f"{what}={validate.shown(given)} in {where}",
                found="a drum of radius zero, which lets out nothing",
                do="give a number other than zero, or leave the variable out",
            )
    return found
