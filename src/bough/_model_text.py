"""`print(model)`: tables of variables, bodies and constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bough.model import Model

LIMIT = 40  # rows of a table before it is cut


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
            uses[variable].append(f"{frame['transform']} {label}")
        if frame.get("mass"):
            bodies.append((label, f"{frame['mass']:g}", _inertia_text(frame.get("inertia"))))
    variables = [
        (str(i), name, "dynamic" if i < model.nd else "kinematic", ", ".join(uses[name]))
        for i, name in enumerate(model.variables)
    ]
    title = f"{model.name}: {model.nd} dynamic and {model.nk} kinematic variables, mass {model.total_mass:g} kg"
    parts = [title, *_table(("q", "variable", "kind", "moves"), variables), ""]
    parts += _table(("body", "mass", "inertia"), bodies) if bodies else ["no bodies"]
    elements = [(e["type"], e.get("name", "")) for e in data.get("elements", ())]
    if elements:
        parts += ["", *_table(("element", "name"), elements)]
    return "\n".join(parts)


def _inertia_text(inertia: Any) -> str:
    if inertia is None:
        return "point"
    diagonal = [row[i] for i, row in enumerate(inertia)]
    full = any(row[j] for i, row in enumerate(inertia) for j in range(3) if i != j)
    return " ".join(f"{x:g}" for x in diagonal) + (" and products" if full else "")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    shown = rows[:LIMIT]
    widths = [max(len(row[i]) for row in (head, *shown)) for i in range(len(head))]
    lines = ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in (head, *shown)]
    return lines + ([f"  ... and {len(rows) - LIMIT} more"] if len(rows) > LIMIT else [])
