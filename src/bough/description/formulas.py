"""Values with formulas of parameters in them: what they depend on, and their numbers.

A description keeps numbers where it always does, so that everything that reads it sees numbers, and beside
them the formulas that they came from, by field. New values of the parameters give new formulas and numbers.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bough.description.expression import Expression
from bough.errors import ModelError

NONE: Mapping[str, Any] = {}  # the formulas of something that depends on no parameter


def names_in(value: Any) -> frozenset[str]:
    """The parameters that a value depends on."""
    if isinstance(value, Expression):
        return value.names
    if isinstance(value, str | float | int) or value is None:
        return frozenset()
    if isinstance(value, np.ndarray):
        return names_in(value.tolist()) if value.dtype == object else frozenset()
    if isinstance(value, Mapping):
        return frozenset().union(*map(names_in, value.values()))
    if isinstance(value, list | tuple):
        return frozenset().union(*map(names_in, value))
    return names_in(getattr(value, "_formulas", None)) if not isinstance(value, type) else frozenset()


def numbers_in(value: Any) -> Any:
    """The value with a number in place of every formula."""
    return _numbers(value) if names_in(value) else value


def _numbers(value: Any) -> Any:
    return _mapped(value, lambda formula: formula.value)


def formula_of(value: Any) -> Any:
    """A copy of a value that depends on parameters; None for any other."""
    return _frozen(value) if names_in(value) else None


def at(value: Any, values: Mapping[str, float]) -> Any:
    """The value with formulas at other values of the parameters."""
    return _mapped(value, lambda formula: formula.at(values))


def split(item: Any) -> None:
    """Replace the formulas in the fields of a dataclass by numbers, and keep them in `_formulas`."""
    formulas = {}
    for field in dataclasses.fields(item):
        value = getattr(item, field.name, None)
        if names_in(value):
            formulas[field.name] = _frozen(value)
            if isinstance(value, Expression | Mapping | list | tuple | np.ndarray):
                object.__setattr__(item, field.name, numbers_in(value))
    with_formulas(item, formulas)


def with_formulas(item: Any, formulas: Mapping[str, Any]) -> Any:
    """The item, after its formulas are set."""
    if formulas:
        object.__setattr__(item, "_formulas", formulas)
    return item


def item_at(item: Any, values: Mapping[str, float]) -> Any:
    """A dataclass with the numbers of its formulas at other values of the parameters, all checked again."""
    if not item._formulas:
        return item
    formulas = {field: at(value, values) for field, value in item._formulas.items()}
    changes = {field: _numbers(value) for field, value in formulas.items()}
    return with_formulas(dataclasses.replace(item, **changes), formulas)


def symbolic(item: Any) -> Any:
    """A copy of a dataclass that has formulas in place of numbers, to compute with them."""
    if not getattr(item, "_formulas", None):
        return item
    other = copy.copy(item)
    for field, value in item._formulas.items():
        object.__setattr__(other, field, _mapped(value, lambda formula: formula, symbolic))
    return other


def need_no_formula(item: Any, where: str) -> None:
    """Raise if a formula stands where `split` did not find it."""
    for field, value in vars(item).items():
        if field != "_formulas" and isinstance(value, Expression | Mapping | list | tuple | np.ndarray):
            for name in sorted(names_in(value)):
                raise ModelError(
                    asked=f"parameter {name!r} in {field!r} of {where}",
                    found="its class does not keep formulas: it has an __init__ of its own, or a"
                    " __post_init__ that does not call super().__post_init__() first",
                    do="make the class a frozen dataclass with a field of this name, or call"
                    " super().__post_init__() first",
                )


def _frozen(value: Any) -> Any:
    """A copy that later changes by the caller do not reach, with its numbers as floats."""
    return _mapped(value, lambda formula: formula, lambda item: item)


def _mapped(
    value: Any, change: Callable[[Expression], Any], inner: Callable[[Any], Any] | None = None
) -> Any:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return _mapped(value.tolist(), change, inner)
    if isinstance(value, Mapping):
        return {key: _mapped(item, change, inner) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_mapped(item, change, inner) for item in value)
    if getattr(value, "_formulas", None) and not isinstance(value, type):
        return inner(value) if inner is not None else _changed(value, change)
    number = isinstance(value, int | np.integer | np.floating) and not isinstance(value, bool)
    return float(value) if number else value


def _changed(item: Any, change: Callable[[Expression], Any]) -> Any:
    """A function or another part whose own formulas are changed."""
    formulas = {field: _mapped(value, change) for field, value in item._formulas.items()}
    if not names_in(formulas):  # they became numbers, which the item has already
        return dataclasses.replace(item, **formulas)
    plain = {field: numbers_in(value) for field, value in formulas.items()}
    return with_formulas(dataclasses.replace(item, **plain), formulas)
