"""Whole rows as the values of an axis: starts by name, and what messages show of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bough import validate
from bough.description.rotation import expanded
from bough.model.model import Model
from bough.motion.consistent_start import single

ITEMS = 2  # that messages show of a list or a mapping
DEPTH = 3  # of lists in lists that messages show
#: What the numbers of a row belong to, in order.
ORDERS = {"q": "coordinates", "v": "variables", "p": "dynamic"}


def all_named(values: Any) -> bool:
    """Whether the values of an axis are mappings from names to numbers."""
    listed = isinstance(values, Sequence) or (isinstance(values, np.ndarray) and values.ndim == 1)
    return listed and len(values) > 0 and all(isinstance(value, Mapping) for value in values)


def named_rows(model: Model, kind: str, rows: Iterable[Any], where: str) -> list[dict[str, float]]:
    """Checked copies of rows that name some of their numbers; the problem has the others."""
    names: tuple[str, ...] = getattr(model, order_of(model, kind))
    plural = "dynamic variables" if kind == "p" else "variables"
    places = {name: place for place, name in enumerate(names)}
    made = []
    for number, row in enumerate(rows):
        what, of = f"row {number}", f"axis {kind!r} in {where}"
        if model.balls and kind != "p":
            row = expanded(row, kind, f"{what} of {of}", model.balls)
        numbers = single(row, names, what, of, plural)
        made.append({name: float(numbers[places[name]]) for name in row})
    return made


def order_of(model: Model, kind: str) -> str:
    """The attribute of the model with the names of a row."""
    return "variables" if kind == "q" and not model.balls else ORDERS[kind]


def brief(value: Any, depth: int = DEPTH) -> str:
    """The first items of a list or a mapping, for messages."""
    if isinstance(value, float | np.floating):
        return f"{value:g}"
    if not isinstance(value, list | tuple | Mapping) or depth == 0:
        return validate.shown(value)
    if isinstance(value, Mapping):
        items = [f"{key!r}: {brief(value[key], depth - 1)}" for key in list(value)[:ITEMS]]
    else:
        items = [brief(item, depth - 1) for item in value[:ITEMS]]
    more = [] if len(value) <= ITEMS else ["..."]
    opened, closed = "[]" if isinstance(value, list) else "()" if isinstance(value, tuple) else "{}"
    return f"{opened}{', '.join(items + more)}{closed}"
