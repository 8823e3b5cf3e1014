"""Values of elements in the types of JSON, and back: numbers, names, functions that can be found by a path."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from bough import validate
from bough.description.expression import Expression, plain_expression
from bough.description.functions import Function, function_from_dict
from bough.description.parameter import Kinematic
from bough.errors import ModelError


class UnknownElement(ModelError):
    """A description names a class or function that is not defined in any imported module."""


def plain_value(value: Any, what: str) -> Any:
    """A value in JSON types; a mapping is marked to tell it from a kinematic variable."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Expression):
        return {"formula": plain_expression(value)}
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
    """ "module:name" of a function, if a description may name it and it can be found again by this path."""
    path = f"{getattr(function, '__module__', None)}:{getattr(function, '__qualname__', None)}"
    return path if _found(path) is function and _refusal(path, function) is None else None


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
    refusal = _refusal(path, found)
    if refusal is not None:
        raise UnknownElement(
            asked=f"function {validate.shown(path)} of a description",
            found=f"{refusal}: a file may come from anywhere, and names only functions written for models",
            do="write a function of your own, at the top level of a module, that calls it",
        )
    return found


def _refusal(path: str, found: Any) -> str | None:
    """The reason why a description must not name what a path leads to, if there is one.

    What a file makes bough call are plain Python functions in modules of the user, under their own names: no
    classes and built-in functions, nothing that a module has imported from elsewhere, nothing of Python's
    library, of bough and of the packages that bough needs, and of other installed packages only of those that
    use bough.
    """
    module = path.partition(":")[0]
    package = module.partition(".")[0]
    inner = inspect.unwrap(found) if callable(found) else found  # of a decorated function
    if not isinstance(inner, FunctionType):
        return "not a function that is written in Python"
    if path != f"{inner.__module__}:{inner.__qualname__}":
        return f"a function of {inner.__module__!r}, not of {module!r}"
    if package in sys.stdlib_module_names or package == "bough" or package.lower() in _needed():
        return f"a function of {package!r}, not of a module of yours"
    if _is_installed(module) and not _uses_bough(package):
        return f"a function of {package!r}, an installed package that does not use bough"
    return None


def _is_installed(module: str) -> bool:
    """Whether a module is in a folder of installed packages."""
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def _uses_bough(package: str) -> bool:
    """Whether a module of a package that is imported holds bough, or something of bough."""
    modules = [found for name, found in list(sys.modules.items()) if f"{name}.".startswith(f"{package}.")]
    held = (value for module in modules for value in list(vars(module).values()))
    return any(
        str(getattr(value, "__name__" if inspect.ismodule(value) else "__module__", "")).partition(".")[0]
        == "bough"
        for value in held
    )


@cache
def _needed() -> frozenset[str]:
    """The packages that bough can use, by the names under which they are imported."""
    from importlib import metadata  # which takes a tenth of the time of `import bough`

    try:
        listed = metadata.requires("bough") or []
    except metadata.PackageNotFoundError:  # run from its sources
        listed = []
    names = (re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in listed)
    return frozenset({"numpy", "scipy"}.union(name.lower().replace("-", "_") for name in names))
