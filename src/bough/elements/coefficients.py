"""Coefficients of linear combinations of variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bough import validate
from bough.errors import ModelError


def check_coefficients(
    value: Any,
    where: str,
    name: str = "coefficients",
    do: str = "give a dictionary such as {'small': 10, 'large': 20}",
    zero: tuple[str, str] = (
        "a coefficient of zero: the relation does not depend on this variable",
        "a coefficient",
    ),
) -> dict[str, float]:
    """The checked coefficients of a linear combination of variables.

    `do` is the advice if they are none, `zero` what a zero means and what to give in its place.
    """
    if not isinstance(value, Mapping) or not value:
        raise ModelError(
            asked=f"{name}={validate.shown(value)} in {where}",
            found="not a mapping from variables to numbers",
            do=do,
        )
    checked = {}
    for variable, given in value.items():
        what = f"{name}[{validate.shown(variable)}]"
        checked[variable] = validate.real(given, what, where)
        if checked[variable] == 0.0:
            raise ModelError(
                asked=f"{what}={validate.shown(given)} in {where}",
                found=zero[0],
                do=f"give {zero[1]} other than zero, or leave the variable out",
            )
    return checked
