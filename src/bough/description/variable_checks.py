"""Checks of the variables that the fields of an element name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bough import validate
from bough.description.balls import refuse_ball, refuse_rate
from bough.errors import ModelError, unknown_name

if TYPE_CHECKING:
    from bough.description.element import Element
    from bough.description.system import System


def check_variable_name(value: Any, element: Element, field: str) -> str:
    """A value that should name a variable."""
    if not isinstance(value, str):
        raise ModelError(
            asked=f"variable {validate.shown(value)} in field {field!r} of {element._text()}",
            found="not the name of a variable",
            do="give the name of a variable as a string",
        )
    return value


def check_variable(system: System, value: Any, element: Element, field: str) -> None:
    """Raise unless a value names a variable of a system that the field of an element can act on."""
    name = check_variable_name(value, element, field)
    where = f"field {field!r} of {element._text()}"
    if name in system.balls and element.takes_whole_balls:
        return
    refuse_ball(system, name, where)
    kind = system._kind_of(name)
    if field in element.variable_fields or not element.takes_balls:
        refuse_rate(system, name, where)
    if kind is None:
        raise unknown_name("variable", name, dict.fromkeys((*system._users, *system._prescribed)), where)
    if kind == "kinematic" and field in element.dynamic_fields:
        raise ModelError(
            asked=f"variable {name!r} in {where}",
            found=f"{name!r} is a kinematic variable: its motion is prescribed, and no force changes it",
            do="name a dynamic variable",
        )
