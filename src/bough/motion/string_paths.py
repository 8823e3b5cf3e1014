"""The straight parts of strings in a configuration: what is left of them, and ends that are inside a pulley."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bough.arguments import Array
from bough.description.element import UnilateralConstraint
from bough.elements.string import String
from bough.model.model import Model


class Part(NamedTuple):
    """A straight part of a string."""

    string: str
    ends: tuple[str, str]
    length: float  # m; NaN if an end is inside a pulley
    inside: str  # of a pulley, what is wrong; "" if nothing is


def strings(model: Model) -> dict[str, String]:
    """The strings of a model by the names of their gaps."""
    found, first = {}, 0
    for element in model._elements:
        if not isinstance(element, UnilateralConstraint):
            continue
        if isinstance(element, String):
            found[model.gaps[first]] = element
        first += element.contacts
    return found


def parts(model: Model, q: Array) -> Iterator[Part]:
    """All straight parts of all strings."""
    for name, string in strings(model).items():
        radii = string.radius if isinstance(string.radius, tuple) else (string.radius,) * len(string.via)
        path = list(zip(map(str, (string.a, *string.via, string.b)), (0.0, *radii, 0.0), strict=True))
        for (a, ra), (b, rb) in pairwise(path):
            from_a = model.pose(b, q)[:3, 3] - model.pose(a, q)[:3, 3]
            if ra and rb:  # between two pulleys, straight across if they turn in opposite senses
                length = _root(float(from_a @ from_a) - (ra - rb) ** 2)
                inside = f"pulleys {a!r} and {b!r} overlap" if np.isnan(length) else ""
            elif ra or rb:
                wheel, end, radius = (a, b, ra) if ra else (b, a, rb)
                axis = model.pose(wheel, q)[:3, :3] @ np.asarray(string.axis)
                away = float(np.linalg.norm(np.cross(axis, from_a)))
                length = (
                    _root(float(from_a @ from_a) - radius**2)
                    if away >= (1.0 - 1e-9) * abs(radius)
                    else np.nan
                )
                inside = (
                    f"{end!r} is {away:.3g} m from the axis of pulley {wheel!r}, whose radius is {abs(radius):g} m"
                    if np.isnan(length)
                    else ""
                )
            else:
                length, inside = float(np.linalg.norm(from_a)), ""
            yield Part(name, (a, b), length, inside)


def inside_pulleys(model: Model, q: Array) -> str:
    """Which strings have an end inside a pulley, as part of a message; "" if none has."""
    return "; ".join(f"string {part.string!r}: {part.inside}" for part in parts(model, q) if part.inside)


def used_up(model: Model, q: Array, v: Array, dt: float) -> str:
    """Which string has a part that changes by its length in about a step, as part of a message; "" if none has."""
    later = list(parts(model, model.integrate(q, dt * v)))
    for now, then in zip(parts(model, q), later, strict=True):
        change = np.nan_to_num(abs(then.length - now.length), nan=np.inf)  # inside a pulley a step later
        if now.length <= 2.0 * change:
            between = f"between {now.ends[0]!r} and {now.ends[1]!r}"
            return f"string {now.string!r} has only {now.length:.3g} m left {between}"
    return ""


def _root(square: float) -> float:
    return float(np.sqrt(square)) if square >= 0.0 else float("nan")
