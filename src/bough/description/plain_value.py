"""Values of elements in the types of JSON, and back: numbers, names, functions that can be found by a path."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bough import validate
from bough.description.functions import Function, function_from_dict
from bough.description.parameter import Kinematic
from bough.errors import ModelError


class UnknownElement(ModelError):
    """A description names a class or function that is not defined in any imported module."""


def plain_value(value: Any, what: str) -> Any:
    """A value in JSON types; a mapping is marked to tell it from a kinematic variable."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Kinematic):
        return {"kinematic": value.name}
    if isinstance(value, Function):
        return {"function": value.to_dict()}
    if isinstance(value, Mapping):
        return {"mapping": {str(key): plain_value(item, what) for key, item in value.items()}}
    if isinstance(value, Sequence):
        return [plain_value(item, what) for item in value]
    if callable(value) and (path := _path_of(value)) is not None:
        return {"python": path}
    raise ModelError(
        asked=f"description of {what}",
        found=f"{validate.shown(value)}, which is not made of numbers and strings",
        do="define the function at the top level of a module"
        if callable(value)
        else "give the element's class its own to_dict and from_dict",
    )


def value_of(data: Any) -> Any:
    """The inverse of `plain_value`; lists become tuples."""
    if isinstance(data, Mapping):
        if set(data) == {"kinematic"}:
            return Kinematic(data["kinematic"])
        if set(data) == {"python"}:
            return _function(data["python"])
        if set(data) == {"function"}:
            return function_from_dict(data["function"])
        items = data.get("mapping", data)
        if not isinstance(items, Mapping):
            raise ModelError(
                asked="mapping of a description", found=validate.shown(items), do="give a dictionary"
            )
        return {key: value_of(item) for key, item in items.items()}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return tuple(value_of(item) for item in data)
    return data


def _path_of(function: Any) -> str | None:
    """ "module:name" of a function, if the function can be found again by this path."""
    path = f"{getattr(function, '__module__', None)}:{getattr(function, '__qualname__', None)}"
    return path if _found(path) is function else None


def _found(path: str) -> Any:
    """The object that a path names, in a module that is already imported."""
    module, _, name = path.partition(":")
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _function(path: Any) -> Any:
    found = _found(path) if isinstance(path, str) else None
    if not callable(found):
        raise UnknownElement(
            asked=f"function {path!r} of a description",
            found="no function of this name in a module that is imported",
            do="import its module first",
        )
    return found
