"""`print(model)`: tables of variables, bodies, elements, constraints and inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bough.description.element import Constraint, Element, Force
from bough.description.element_text import on_text, values_text
from bough.description.formulas import names_in
from bough.description.parameter import Kinematic, ball_variables
from bough.model.lower import input_names

if TYPE_CHECKING:
    from bough.model.model import Model

LIMIT = 40  # largest number of rows shown of a table


def model_text(model: Model) -> str:
    """The tables of a model as plain text."""
    data = model._description
    uses: dict[str, list[str]] = {name: [] for name in model.variables}
    bodies = []
    for number, frame in enumerate(data["frames"], start=1):
        label = frame.get("name") or f"#{number}"
        parameter = frame.get("parameter")
        variable = parameter["kinematic"] if isinstance(parameter, dict) else parameter
        if isinstance(variable, str):
            for name in ball_variables(variable) if frame["transform"] == "ball" else (variable,):
                uses[name].append(f"{frame['transform']} {label}")
        if frame.get("mass"):
            bodies.append((label, f"{frame['mass']:g}", _inertia_text(frame.get("inertia"))))
    elements = model._elements
    for element in elements:
        for field in dataclasses.fields(element):
            value = getattr(element, field.name)
            if isinstance(value, Kinematic):
                uses[value.name].append(f"{field.name} of {element._text()}")
    variables = [
        (str(i), name, "dynamic" if i < model.nd else "kinematic", _uses_text(uses[name]))
        for i, name in enumerate(model.variables)
    ]
    counts = f"{model.nd} dynamic and {model.nk} kinematic variables"
    title = f"{model.name}: {counts}, mass {model.total_mass:g} kg"
    parts = [title, *_table(("v" if model.balls else "q", "variable", "kind", "moves"), variables), ""]
    parts += _table(("body", "mass", "inertia"), bodies) if bodies else ["no bodies"]
    if model.parameters:
        rows = [
            (name, f"{value:g}", ", ".join(_entered(model, name))) for name, value in model.parameters.items()
        ]
        parts += ["", *_table(("parameter", "value", "enters"), rows)]
    return "\n".join(parts + _element_tables(elements))


def _element_tables(elements: Sequence[Element]) -> list[str]:
    """Potentials and forces; constraints by their place in lam; inputs by their place in u."""
    words = [(type(e).__name__, e.name or "", on_text(e), values_text(e)) for e in elements]
    constraints = []
    place = 0  # index in lam
    for e, row in zip(elements, words, strict=True):
        if isinstance(e, Constraint):
            last = place + e.rows - 1
            constraints.append((str(place) if e.rows == 1 else f"{place}-{last}", *row))
            place = last + 1
    others = [row for e, row in zip(elements, words, strict=True) if not isinstance(e, Constraint)]
    users: dict[str, list[str]] = {name: [] for name in input_names(elements)}
    for force in (element for element in elements if isinstance(element, Force)):
        for name in dict.fromkeys(force.inputs()):
            users[name].append(f"{force._text()} on {on_text(force)}")
    inputs = [(str(i), name, ", ".join(text)) for i, (name, text) in enumerate(users.items())]
    parts = []
    if others:
        parts += ["", *_table(("element", "name", "on", "values"), others)]
    if constraints:
        parts += ["", *_table(("lam", "constraint", "name", "on", "values"), constraints)]
    if inputs:
        parts += ["", *_table(("u", "input", "drives"), inputs)]
    return parts


def _entered(model: Model, name: str) -> list[str]:
    """What a parameter is part of: "tz bob", "mass of bob", "stiffness of LinearSpring 'left'"."""
    found: dict[str, None] = {}
    for array, place, expression in model.parameter_entries:
        if name not in expression.names:
            continue
        if array == "gravity":
            found["gravity"] = None
        elif array == "element":
            element = model._elements[place[0]]
            fields = [field for field, formula in element._formulas.items() if name in names_in(formula)]
            found |= dict.fromkeys(f"{field} of {element._text()}" for field in fields)
        else:
            frame = model._description["frames"][place[0] - 1]
            label = frame.get("name") or f"#{place[0]}"
            found[f"{frame['transform']} {label}" if array == "value" else f"{array} of {label}"] = None
    return list(found)


def _uses_text(places: Sequence[str]) -> str:
    """What a variable moves, and how many frames share it."""
    return ", ".join(places) + (f" (shared by {len(places)})" if len(places) > 1 else "")


def _inertia_text(inertia: Any) -> str:
    if inertia is None:
        return "point"
    diagonal = [row[i] for i, row in enumerate(inertia)]
    full = any(row[j] for i, row in enumerate(inertia) for j in range(3) if i != j)
    return " ".join(f"{x:g}" for x in diagonal) + (" and products" if full else "")


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    shown = rows[:LIMIT]
    widths = [max(len(row[i]) for row in (head, *shown)) for i in range(len(head))]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, *shown)
    ]
    return lines + ([f"  ... and {len(rows) - LIMIT} more"] if len(rows) > LIMIT else [])
