"""Elements as short lines of text."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.description.element import Element
from bough.description.parameter import Kinematic

READABLE = 16  # numbers of a table that is written out
UNMOVED = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def element_text(element: Element) -> str:
    """`DistanceConstraint 'wire'  tip, anchor  length 1.3`."""
    return "  ".join(part for part in (element._text(), on_text(element), values_text(element)) if part)


def on_text(element: Element) -> str:
    """The frames and variables an element acts on: `tip, anchor`."""
    words: list[str] = []
    frames = element.path_fields or element.frame_fields
    for field in (*frames, *element.variable_fields, *element.dynamic_fields):
        value = getattr(element, field)
        if isinstance(value, list | tuple):
            words.extend(map(str, value))
        elif isinstance(value, str):
            words.append(value)
    return ", ".join(words)


def values_text(element: Element) -> str:
    """The other fields: `stiffness 20, rest_length 0.5`."""
    named = {"name", *element.frame_fields}
    for field in (*element.variable_fields, *element.dynamic_fields):
        if getattr(element, field) is None or isinstance(getattr(element, field), str | list | tuple):
            named.add(field)
    fields = [field.name for field in dataclasses.fields(element) if field.name not in named]
    given = {field: getattr(element, field) for field in fields}
    return ", ".join(
        f"{field} {_value_text(value)}"
        for field, value in given.items()
        if value is not None and not (isinstance(value, tuple) and value == UNMOVED)
    )


def _value_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Kinematic):
        return f"kinematic {value.name}"
    if isinstance(value, Mapping) and {"kind", "pose"} <= set(value):
        return _shape_text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        table = _table_text(value)
        if table:
            return table
        return "(" + ", ".join(map(_value_text, value)) + ")"
    return repr(value)


def _shape_text(shape: Mapping[str, Any]) -> str:
    """`capsule size (0.03, 0.35)`: a shape on a frame, without the place where it is fixed there."""
    values = {key: value for key, value in shape.items() if key not in ("kind", "pose")}
    return " ".join([str(shape["kind"]), *(f"{key} {_value_text(value)}" for key, value in values.items())])


def _table_text(value: Any) -> str:
    """Of more numbers than one reads, such as heights of a ground: how many, and between which; else empty."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return ""
    if numbers.size <= READABLE:
        return ""
    size = " x ".join(map(str, numbers.shape))
    return f"({size} numbers from {numbers.min():.4g} to {numbers.max():.4g})"
