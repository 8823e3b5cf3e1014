"""Helpers common to several systems of the gallery."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ParamSpec

from bough import validate
from bough.description.system import System
from bough.errors import ModelError

P = ParamSpec("P")
DIGITS = 12  # decimal digits to which a number is rounded if that changes it by at most ROUND_OFF
ROUND_OFF = 8  # largest change by rounding, in units in the last place

# the directions in which a point is fixed in the plane y = 0
PLANE = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def count(value: float, what: str, where: str) -> int:
    """A whole number above zero; a command line gives it as a float."""
    number = validate.real(value, what, f"gallery.{where}()")
    if number != int(number) or number < 1:
        raise ModelError(
            asked=f"{what}={validate.shown(value)} in gallery.{where}()",
            found=f"{what} is not a whole number above zero",
            do=f"give {what} as 1, 2, 3, ...",
        )
    return int(number)


def in_short_numbers(function: Callable[P, System]) -> Callable[P, System]:
    """Decorate a function so that it returns 0.003 instead of 0.0029999999999999996."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **options: P.kwargs) -> System:
        return System.from_dict(_short(function(*args, **options).to_dict()))

    return wrapped


def _short(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _short(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_short(value) for value in data]
    if isinstance(data, float):
        rounded = float(f"{data:.{DIGITS}g}")
        return rounded if abs(rounded - data) <= ROUND_OFF * math.ulp(data) else data
    return data


def rod_inertia(mass: float, length: float, radius: float = 0.0) -> tuple[float, float, float]:
    """The principal moments of a uniform cylinder along x, about its middle."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return mass * radius**2 / 2.0, across, across


def two_links(x: float, z: float, first: float, second: float, bend: float = 1.0) -> tuple[float, float]:
    """The angles by which two hinged links reach a point of the plane y = 0 from the origin.

    A link at angle a points along (-sin a, -cos a), straight down at zero, as after `ry(a)`; the second angle
    is relative to the first link. `bend` chooses the sign of the second angle.
    """
    distance = math.hypot(x, z)
    cosine = (distance**2 - first**2 - second**2) / (2.0 * first * second)
    if not -1.0 <= cosine <= 1.0:
        raise ModelError(
            asked=f"links of {first:g} m and {second:g} m to a point {distance:g} m away",
            found="the point is out of their reach",
            do="give other lengths or another start",
        )
    turn = math.copysign(math.acos(cosine), bend)
    towards = math.atan2(-x, -z)
    return towards - math.atan2(second * math.sin(turn), first + second * math.cos(turn)), turn


def ramp(t: float, begin: float, end: float) -> float:
    """From 0 to 1 with two continuous derivatives."""
    s = min(max((t - begin) / (end - begin), 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
