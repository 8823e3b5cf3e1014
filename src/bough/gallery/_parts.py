"""What several systems of the gallery are made with."""

from __future__ import annotations

import math

from bough import check_system as check
from bough.errors import ModelError

# the directions in which a point is fixed in the plane y = 0
PLANE = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def count(value: float, what: str, where: str) -> int:
    """A whole number above zero; a command line gives it as a float."""
    number = check.real(value, what, f"gallery.{where}()")
    if number != int(number) or number < 1:
        raise ModelError(
            asked=f"{what}={check.shown(value)} in gallery.{where}()",
            found=f"{what} is not a whole number above zero",
            do=f"give {what} as 1, 2, 3, ...",
        )
    return int(number)


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
