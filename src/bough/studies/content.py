"""What tells values and functions apart, in any process: for stores, which belong to one study."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from bough.model.model import Model

DEPTH = 12  # of what functions hold, to tell them apart


def content_of(value: Any, depth: int = DEPTH) -> str:
    """What tells values and functions apart: numbers, and of functions name, code and what they hold."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if depth == 0:
        return type(value).__qualname__
    if isinstance(value, np.ndarray | np.generic):
        numbers = np.ascontiguousarray(value)
        if numbers.dtype.kind != "O":
            return f"{numbers.shape} {hashlib.sha256(numbers.tobytes()).hexdigest()}"
        value = numbers.tolist()
    if isinstance(value, Mapping):
        value = sorted((str(key), item) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{', '.join(content_of(item, depth - 1) for item in value)}]"
    if isinstance(value, CodeType):
        held: Any = [hashlib.sha256(value.co_code).hexdigest(), list(value.co_names), list(value.co_consts)]
    elif isinstance(value, partial):
        held = [value.func, value.args, value.keywords]
    elif isinstance(value, FunctionType):
        cells = [_contents(cell) for cell in value.__closure__ or ()]
        held = [value.__qualname__, value.__code__, value.__defaults__, value.__kwdefaults__, cells]
    elif isinstance(value, MethodType):
        held = [value.__func__, value.__self__]
    elif isinstance(value, Model):
        held = [value.digest]
    elif isinstance(value, type | ModuleType | BuiltinFunctionType | np.ufunc):
        held = [value.__name__]
    else:
        held = [
            type(value).__qualname__,
            vars(type(value)).get("__call__"),
            getattr(value, "__dict__", None),
        ]
    return content_of(held, depth - 1)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return None
