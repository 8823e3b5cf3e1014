"""The names that balls of a system take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.description.parameter import ball_coordinates, ball_variables
from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.description.frame import Frame
    from bough.description.system import System


def check_ball(system: System, ball: Frame, where: str) -> None:
    """Raise if a name that a ball takes is that of another variable."""
    name = str(ball._parameter)
    for taken in (name, *ball._variables(), *ball_coordinates(name)):
        found = system._users.get(taken)
        if found is None and taken in system.balls:
            found = next(f._index for f in system._frames if f._kind == "ball" and f._parameter == taken)
        if found is not None:
            raise ModelError(
                asked=where,
                found=f"{taken!r} already moves {system._frames[found]._place()}; a ball is not shared",
                do="choose another name",
            )


def names_ball(system: System, name: str, what: str) -> bool:
    """Whether a name of q, or of v, is that of a ball or of a part of its quaternion."""
    balls = system.balls
    return name in balls or (what == "q" and any(name in ball_coordinates(ball) for ball in balls))


def of_ball(system: System, variable: str) -> bool:
    """Whether a variable is a rate of a ball."""
    return variable in system._users and system._frames[system._users[variable]]._kind == "ball"


def refuse_rate(system: System, name: str, where: str) -> None:
    """Raise if a variable, of an element that reads its value, is a rate of a ball."""
    if of_ball(system, name):
        raise ModelError(
            asked=f"variable {name!r} in {where}",
            found=f"{name!r} is a rate of a ball: there is no coordinate that it is the rate of",
            do="use an element between frames, such as TorsionSpring; rates of balls go into Damping, DryFriction and"
            " ConfigurationForce",
        )


def refuse_ball(system: System, name: str, where: str) -> None:
    """Raise if the variable of an element that reads one value is a ball."""
    if name in system.balls:
        raise ModelError(
            asked=f"variable {name!r} in {where}",
            found=f"{name!r} is a ball: its rotation is a quaternion, and there is no angle to act on or to bound",
            do=f"use an element between frames, such as TorsionSpring, Contact or String; Damping takes the ball, and"
            f" ConfigurationForce and DryFriction its rates, such as {ball_variables(name)[0]!r}; for angles with"
            f" limits or springs of their own, use frame.spherical({name!r}) in place of frame.ball({name!r})",
        )
