"""The parameter of a transform: a number, the name of a dynamic variable, or a kinematic variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from bough import validate
from bough.errors import ModelError


@dataclass(frozen=True, slots=True)
class Kinematic:
    """A configuration variable whose motion is prescribed. Made by `bough.kinematic`."""

    name: str

    def __post_init__(self) -> None:
        validate.name(self.name, "name", "kinematic(name)")

    def __repr__(self) -> str:
        return f"kinematic({self.name!r})"


Parameter: TypeAlias = "float | str | Kinematic"


def kinematic(name: str) -> Kinematic:
    """A kinematic configuration variable: its motion is prescribed, not computed.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("cart")
    >>> cart = system.world.tx(bough.kinematic("x"), mass=1.0)
    """
    return Kinematic(name)


def parameter(value: Any, where: str) -> Parameter:
    """The checked parameter of a transform."""
    if isinstance(value, Kinematic):
        return value
    if isinstance(value, str):
        return validate.name(value, "variable", where)
    if not validate.is_real(value):
        raise ModelError(
            asked=f"parameter={validate.shown(value)} in {where}",
            found="a parameter that is neither a number nor the name of a variable",
            do="give a number (constant), a string (dynamic variable) or bough.kinematic('name')",
        )
    return validate.real(value, "parameter", where)


def variable_name(value: Parameter) -> str | None:
    """The name of the variable, or None for a constant."""
    if isinstance(value, Kinematic):
        return value.name
    return value if isinstance(value, str) else None


RATES = ("wx", "wy", "wz")  # of a ball, in the axes of the moved frame


def ball_variables(name: str) -> tuple[str, ...]:
    """The variables of a ball: its rates."""
    return f"{name}_wx", f"{name}_wy", f"{name}_wz"


def ball_coordinates(name: str) -> tuple[str, ...]:
    """The coordinates of a ball: its quaternion."""
    return f"{name}_qw", f"{name}_qx", f"{name}_qy", f"{name}_qz"


def parameter_text(value: Parameter, ratio: float = 1.0, offset: float = 0.0) -> str:
    """The parameter as people write it: `-1`, `x`, `2 x + 0.5`, `kinematic x`."""
    if isinstance(value, float):
        return f"{ratio * value + offset:g}"
    text = f"kinematic {value.name}" if isinstance(value, Kinematic) else value
    if ratio != 1.0:
        text = f"-{text}" if ratio == -1.0 else f"{ratio:g} {text}"
    if offset != 0.0:
        text = f"{text} {'+' if offset > 0 else '-'} {abs(offset):g}"
    return text
