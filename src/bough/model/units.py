"""The units of variables, inputs and constraint forces of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

import numpy as np

from bough.arguments import Array
from bough.description.element import Constraint, Element, Force, UnilateralConstraint, is_own
from bough.description.parameter import ball_variables
from bough.model.model import Model

FORCE = {"m": "N", "rad": "N m", "": ""}  # unit of a variable or row -> unit of the force on it
WRENCH = {"f": "N", "t": "N m"}  # first letter of a component -> unit

_turning: WeakKeyDictionary[Model, Array] = WeakKeyDictionary()


def variable_units(model: Model) -> list[str]:
    """The unit of each configuration variable: "rad", "m", or "" for one that both turns and shifts."""
    found: dict[str, set[str]] = {name: set() for name in model.variables}
    for frame in model._description["frames"]:  # also exists for a model without a full description
        parameter = frame.get("parameter")
        variable = parameter["kinematic"] if isinstance(parameter, dict) else parameter
        if isinstance(variable, str):
            kind = frame["transform"]
            turns = any(frame["xi"][:3]) if kind == "twist" else kind[0] in "rb"
            for name in ball_variables(variable) if kind == "ball" else (variable,):
                found[name].add("rad" if turns else "m")
    # a kinematic variable that moves no frame is a length
    return [_common(uses or {"m"}) for uses in found.values()]


def coordinate_units(model: Model) -> list[str]:
    """The unit of each coordinate: those of the variables, and "" for parts of quaternions."""
    units = dict(zip(model.variables, variable_units(model), strict=True))
    return [units.get(name, "") for name in model.coordinates]


def multiplier_units(model: Model) -> list[str]:
    """The unit of each constraint force: "N", "N m", or "" if it is not known."""
    variables = dict(zip(model.variables, variable_units(model), strict=True))
    constraints = [element for element in model._elements if isinstance(element, Constraint)]
    return [FORCE[unit] for element in constraints for unit in _row_units(element, variables)]


def _row_units(element: Constraint, variables: dict[str, str]) -> list[str]:
    """The unit of each row of a constraint."""
    values = vars(element)
    match type(element).__name__:
        case (
            "PointConstraint"
            | "PlaneConstraint"
            | "LineConstraint"
            | "DistanceConstraint"
            | "ScrewConstraint"
            | "Rolling"
            | "Skate"
        ):
            return ["m"] * element.rows
        case "ParallelConstraint":
            return ["rad"] * element.rows
        case "WeldConstraint":
            return ["m"] * 3 + ["rad"] * 3
        case "CamConstraint":
            return [variables[values["follower"]]]
        case "EqualityConstraint":
            return [_common(variables[name] for name in values["variables"])] * element.rows
        case "GearConstraint":
            return [_common(variables[name] for name in values["coefficients"])]
    return [""] * element.rows


def gap_units(model: Model) -> list[str]:
    """The unit of each gap: "m", "rad", or "" for one of a user's own."""
    variables = dict(zip(model.variables, variable_units(model), strict=True))
    found: list[str] = []
    for element in model._elements:
        if isinstance(element, UnilateralConstraint):
            own = getattr(element, "variable", None)  # of stops and of dry friction
            unit = variables[own] if isinstance(own, str) else "m" if is_own(type(element)) else ""
            found += [unit] * element.contacts
    return found


def input_units(model: Model) -> list[str]:
    """The unit of each input: "N", "N m", "m/s", or "" if it is not known."""
    variables = dict(zip(model.variables, variable_units(model), strict=True))
    found: dict[str, set[str]] = {name: set() for name in model.inputs}
    for element in model._elements:
        for name, unit in _used(element, variables):
            found[name].add(unit)
    return [_common(units) for units in found.values()]


def _used(element: Element, variables: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The inputs of an element, each with its unit."""
    values = vars(element)
    match type(element).__name__:
        case "BodyWrench" | "HybridWrench" | "SpatialWrench" | "PointForce":
            given = [(values.get(f"{kind}{axis}"), unit) for kind, unit in WRENCH.items() for axis in "xyz"]
        case "ConfigurationForce":
            given = [(values["value"], FORCE[variables[values["variable"]]])]
        case "Servo":
            unit = variables[values["variable"]]
            given = [(values["target"], unit), (values["target_rate"], unit and f"{unit}/s")]
        case "Drag":
            given = [(component, "m/s") for component in values["wind"]]
        case _:
            given = [(name, "") for name in (element.inputs() if isinstance(element, Force) else ())]
    return ((name, unit) for name, unit in given if isinstance(name, str))


def _common(units: Iterable[str]) -> str:
    """The unit of all, or "" if they differ."""
    different = set(units)
    return different.pop() if len(different) == 1 else ""


def turning(model: Model) -> Array:
    """One for each variable that turns something, zero for those that only shift, (nq,)."""
    known = _turning.get(model)
    if known is None:
        known = _turning[model] = np.array([float(unit != "m") for unit in variable_units(model)])
    return known
