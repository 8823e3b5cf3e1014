"""From the elements of a system to the records of the core. Linear in the number of elements.

A user's element is passed as a Python object, which the core calls. For the others, a record is
(kind, frames, variables, inputs, values): frames numbered as in `Flat`, variables as in q, inputs as in u (-1
for a constant), and numbers in the order that the kind's file in the core states. Each element writes
its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bough.description.element import Constraint, Element, Force, Names, Record, UnilateralConstraint
from bough.elements.user import UserElement, user_element
from bough.elements.user_contact import user_contact
from bough.errors import ModelError, quoted

if TYPE_CHECKING:
    from bough.description.system import System
    from bough.model.flatten import Flat


def input_names(elements: Iterable[Element]) -> tuple[str, ...]:
    """The inputs in order of first appearance: the order of u."""
    forces = (element for element in elements if isinstance(element, Force))
    return tuple(dict.fromkeys(name for force in forces for name in force.inputs()))


def constraint_labels(elements: Iterable[Element]) -> tuple[str, ...]:
    """One label per row of lam: the name of the constraint, or its kind and row, "PointConstraint #3".

    The rows of a named constraint with several are "name[0]", "name[1]", ...
    """
    labels: list[str] = []
    for element in elements:
        if not isinstance(element, Constraint):
            continue
        for row in range(element.rows):
            if element.name is None:
                labels.append(f"{type(element).__name__} #{len(labels)}")
            else:
                labels.append(element.name if element.rows == 1 else f"{element.name}[{row}]")
    return tuple(labels)


def constraint_rows(elements: Iterable[Element]) -> dict[str, slice]:
    """The rows of lam by constraint: its name, or its kind and first row, "PointConstraint #3"."""
    rows: dict[str, slice] = {}
    first = 0
    for element in elements:
        if isinstance(element, Constraint):
            name = element.name or f"{type(element).__name__} #{first}"
            rows[name] = slice(first, first + element.rows)
            first += element.rows
    return rows


def constraint_places(elements: Sequence[Element]) -> dict[str, int | slice]:
    """The row of lam of each label, and the rows of each constraint that has several, by its name."""
    rows = {label: row for row, label in enumerate(constraint_labels(elements))}
    return {**rows, **{name: part for name, part in constraint_rows(elements).items() if name not in rows}}


def velocity_rows(elements: Iterable[Element]) -> list[int]:
    """The rows of lam whose conditions hold velocities and no positions."""
    found: list[int] = []
    row = 0
    for element in elements:
        if isinstance(element, Constraint):
            row += element.rows
            found += range(row - element.nonholonomic, row)
    return found


def contact_labels(elements: Iterable[Element]) -> tuple[str, ...]:
    """One label per gap: the name of the element, or its kind and number, "JointLimit #2".

    The gaps of an element with several are told apart by what it says: "elbow[lower]", "elbow[upper]".
    """
    labels: list[str] = []
    for element in elements:
        if isinstance(element, UnilateralConstraint):
            name = element.name or f"{type(element).__name__} #{len(labels)}"
            labels += [name + which for which in element.contact_names()]
    return tuple(labels)


def element_places(elements: Iterable[Element], flat: Flat) -> Names:
    """The index of each name in the arrays of a model."""
    return Names(
        {label: index for index, label in enumerate(flat.frame_labels)},
        {name: index for index, name in enumerate(flat.variable_names)},
        {name: index for index, name in enumerate(input_names(elements))},
        flat.arrays["n_dynamic"],
        flat.arrays["mass"].tolist(),
        flat.arrays["com"].tolist(),
        tuple(flat.balls),
    )


def lower(system: System, flat: Flat) -> dict[str, Any]:
    """The arguments `elements` and `n_inputs` of the core's model."""
    return lowered(system.elements, element_places(system.elements, flat), f"system {system.name!r}")


def lowered(elements: Iterable[Element], names: Names, where: str) -> dict[str, Any]:
    """The arguments `elements` and `n_inputs` of the core's model."""
    records: list[Record | UserElement] = []
    for element in elements:
        record = element.record(names) or user_contact(element) or user_element(element)
        if record is not None and not isinstance(record, tuple) and names.balls:
            raise ModelError(
                asked=f"build of {where}",
                found=f"{element._text()}, an element of your own, beside balls: {quoted(names.balls)}",
                do="use the elements of bough, or spherical(name) and free(name) in place of balls",
            )
        if record is None:
            raise ModelError(
                asked=f"build of {where}",
                found=f"{element._text()} is of a kind whose formula is not known",
                do="use the elements of bough, or give its class a method: energy(self, at) to a potential,"
                " force(self, at) to a force, value(self, at) to a constraint or a contact",
            )
        records.append(record)
    return {"elements": records, "n_inputs": len(names.inputs)}
