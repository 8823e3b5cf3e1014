"""The table of docs/gallery.md: what ten seconds of every system with its own settings come to.

`PYTHONPATH=tests python -m support.gallery_table` prints it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import bough
from bough import gallery
from bough.cli._summary import constraint_error, energy

HEAD = "| system | variables | constraint rows | step | energy error | constraint error |"


ROUND_OFF = 1e-11  # errors below this are told by that word


class Row(NamedTuple):
    """A system: its sizes and errors; None where there is nothing to measure, 0 for round-off."""

    name: str
    variables: int
    rows: int
    dt: float
    energy: float | None
    constraint: float | None


def measured(entry: gallery.Entry) -> Row:
    """Simulate a system with its own settings.

    The energy error is the largest deviation from the energy at the start, of the largest kinetic energy.
    """
    run = bough.simulate(entry.function().build())
    found, worst = energy(run), constraint_error(run)
    assert found is not None
    lost = any(
        isinstance(element, bough.Damping)
        or getattr(element, "friction", 0.0)
        or (isinstance(element, bough.PlaneContact) and element.restitution < 1.0)
        for element in run.model.system.elements
    )
    return Row(
        entry.name,
        run.model.nv,
        run.model.nc,
        run.settings["dt"],
        None if lost else found["relative_drift"],
        None if worst is None else worst["max"],
    )


def same(printed: float | None, value: float | None) -> bool:
    """Whether a number is the printed one: to its one digit, and a quarter for chaos on other machines."""
    if printed is None or value is None:
        return printed is value
    if printed == 0.0:
        return value < ROUND_OFF
    digit = 10.0 ** math.floor(math.log10(printed))
    return 0.8 * (printed - 0.5 * digit) <= value <= 1.25 * (printed + 0.5 * digit)


def line(row: Row) -> str:
    """One line of the table."""
    errors = [
        "" if error is None else "round-off" if error < ROUND_OFF else f"{error:.0e}"
        for error in (row.energy, row.constraint)
    ]
    if row.energy is None:
        errors[0] = "damped"
    name = f"[`{row.name}`](#{row.name})"
    return f"| {name} | {row.variables} | {row.rows} | {row.dt:g} s | {errors[0]} | {errors[1]} |"


def _number(text: str) -> float:
    return 0.0 if text == "round-off" else float(text)


def read(page: str) -> list[Row]:
    """The rows of the table in a page."""
    found = []
    for text in page.split(HEAD, 1)[1].strip().splitlines()[1:]:
        if not text.startswith("|"):
            break
        name, variables, rows, dt, drift, constraint = (
            cell.strip() for cell in text.strip()[1:-1].split("|")
        )
        found.append(
            Row(
                name.split("`")[1],
                int(variables),
                int(rows),
                float(dt.removesuffix(" s")),
                None if drift == "damped" else _number(drift),
                _number(constraint) if constraint else None,
            )
        )
    return found


if __name__ == "__main__":
    print(HEAD, "|---|---|---|---|---|---|", sep="\n")
    for entry in gallery.entries():
        print(line(measured(entry)))
