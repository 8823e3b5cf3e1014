"""The arguments of a problem as values: copied, compared, replaced by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.model.model import Model
from bough.motion.named_start import Changed, changed

PLAIN = (type(None), bool, float, int, str)


def copied(value: Any) -> Any:
    """A copy of an argument, safe from later changes by the caller."""
    if type(value) is np.ndarray:
        array = value.copy()
        array.setflags(write=False)
        return array
    if isinstance(value, Changed):
        return Changed(copied(dict(value)), value.names)
    if type(value) is dict or isinstance(value, Mapping):
        return {name: part if type(part) in PLAIN else copied(part) for name, part in value.items()}
    if isinstance(value, list | tuple) and any(callable(part) or isinstance(part, str) for part in value):
        return tuple(value)
    if isinstance(value, list | tuple | np.ndarray):
        array = np.array(value)
        array.setflags(write=False)
        return array
    return value


def content(value: Any) -> Any:
    """An argument as a value that `==` compares by content, arrays too."""
    if isinstance(value, Mapping):
        return {name: content(part) for name, part in value.items()}
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def replaced(model: Model, name: str, before: Any, value: Any) -> Any:
    """An argument with some of its values replaced by name, if both have names; else the new value."""
    if not isinstance(value, Mapping) or before is None or callable(before):
        return value
    if isinstance(before, Mapping):
        return changed(before, value) if name in ("q", "v") else {**before, **value}
    names = {
        "q": model.coordinates,
        "v": model.variables,
        "p": model.dynamic,
        "u": model.inputs,
        "k": model.kinematic,
    }
    columns = np.asarray(before).T  # one column for each name, of an array with a row for each step
    named = dict(zip(names[name], columns, strict=True))
    return changed(named, value) if name in ("q", "v") else {**named, **value}
