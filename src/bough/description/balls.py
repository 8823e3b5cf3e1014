"""The names that balls of a system take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.description.parameter import ball_coordinates
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
