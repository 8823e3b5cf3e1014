"""The units of what a model consists of."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from bough.arguments import Array
from bough.model import Model

_turning: WeakKeyDictionary[Model, Array] = WeakKeyDictionary()


def variable_units(model: Model) -> list[str]:
    """The unit of each configuration variable: "rad", "m", or "" for one that both turns and shifts."""
    found: dict[str, set[str]] = {name: set() for name in model.variables}
    for frame in model._description["frames"]:  # also of a model that has no full description
        parameter = frame.get("parameter")
        variable = parameter["kinematic"] if isinstance(parameter, dict) else parameter
        if isinstance(variable, str):
            kind = frame["transform"]
            turns = any(frame["xi"][:3]) if kind == "twist" else kind[0] == "r"
            found[variable].add("rad" if turns else "m")
    # a kinematic variable that moves no frame is a length
    return [(uses or {"m"}).pop() if len(uses) < 2 else "" for uses in found.values()]


def turning(model: Model) -> Array:
    """One for each variable that turns something, zero for those that only shift, (nq,)."""
    known = _turning.get(model)
    if known is None:
        known = _turning[model] = np.array([float(unit != "m") for unit in variable_units(model)])
    return known
