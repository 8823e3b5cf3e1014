"""From the elements of a system to the tables of the core. Linear in the number of elements.

=============================== =========== ===================================================
configuration_spring_variable   int32[k]
configuration_spring_values     float[k,2]  stiffness, rest
linear_spring_frames            int32[k,2]
linear_spring_values            float[k,2]  stiffness, rest length
damping                         float[nq]   or float[0] without damping
configuration_force_indices     int32[k,2]  variable, input or -1
configuration_force_values      float[k]    the constant, where the input is -1
point_constraint_frames         int32[k,2]
point_constraint_axes           float[k,3]  unit vectors in world axes
point_constraint_rows           int32[k]    place in lam
distance_constraint_indices     int32[k,3]  frame, frame, kinematic variable or -1
distance_constraint_lengths     float[k]    where the variable is -1
distance_constraint_rows        int32[k]    place in lam
n_inputs n_constraints          int
=============================== =========== ===================================================

Frames are numbered as in `Flat`, variables as in q, inputs as in u.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from bough.constraints import DistanceConstraint, PointConstraint
from bough.elements import Constraint, Element, Force
from bough.errors import ModelError
from bough.forces import ConfigurationForce, Damping
from bough.parameter import Kinematic
from bough.potentials import ConfigurationSpring, LinearSpring

if TYPE_CHECKING:
    from bough._flatten import Flat
    from bough.system import System

K = TypeVar("K", bound=Element)

KINDS = (LinearSpring, ConfigurationSpring, Damping, ConfigurationForce, PointConstraint, DistanceConstraint)


def input_names(elements: Iterable[Element]) -> tuple[str, ...]:
    """The inputs in order of first appearance: the order of u."""
    forces = (element for element in elements if isinstance(element, Force))
    return tuple(dict.fromkeys(name for force in forces for name in force.inputs()))


def constraint_labels(elements: Iterable[Element]) -> tuple[str, ...]:
    """One label per row of lam: the name of the constraint, or its kind and row, "PointConstraint #3"."""
    constraints = (element for element in elements if isinstance(element, Constraint))
    return tuple(
        element.name if element.name is not None else f"{type(element).__name__} #{row}"
        for row, element in enumerate(constraints)
    )


def lower(system: System, flat: Flat) -> dict[str, Any]:
    """The tables of the elements of a system, whose frames and variables are numbered by `flat`."""
    elements = system.elements
    for element in elements:
        if not isinstance(element, KINDS):
            raise ModelError(
                asked=f"build of system {system.name!r}",
                found=f"{element._text()} is of a kind whose formula is not known",
                do="use the potentials, forces and constraints of bough",
            )
    frame = {label: index for index, label in enumerate(flat.frame_labels)}
    variable = {name: index for index, name in enumerate(flat.variable_names)}
    inputs = {name: index for index, name in enumerate(input_names(elements))}
    constraints = [element for element in elements if isinstance(element, Constraint)]

    def chosen(kind: type[K]) -> list[K]:
        return [element for element in elements if isinstance(element, kind)]

    springs = chosen(LinearSpring)
    configuration_springs = chosen(ConfigurationSpring)
    forces = chosen(ConfigurationForce)
    points = chosen(PointConstraint)
    distances = chosen(DistanceConstraint)

    def rows(kind: type[Constraint]) -> list[int]:
        return [row for row, element in enumerate(constraints) if isinstance(element, kind)]

    return {
        "configuration_spring_variable": _integers([variable[e.variable] for e in configuration_springs]),
        "configuration_spring_values": _reals([(e.stiffness, e.rest) for e in configuration_springs], 2),
        "linear_spring_frames": _integers([(frame[str(e.a)], frame[str(e.b)]) for e in springs], 2),
        "linear_spring_values": _reals([(e.stiffness, e.rest_length) for e in springs], 2),
        "damping": _damping(chosen(Damping), variable, flat.arrays["n_dynamic"]),
        "configuration_force_indices": _integers(
            [(variable[e.variable], inputs[e.value] if isinstance(e.value, str) else -1) for e in forces], 2
        ),
        "configuration_force_values": _reals([0.0 if isinstance(e.value, str) else e.value for e in forces]),
        "point_constraint_frames": _integers([(frame[str(e.a)], frame[str(e.b)]) for e in points], 2),
        "point_constraint_axes": _reals([e.axis for e in points], 3),
        "point_constraint_rows": _integers(rows(PointConstraint)),
        "distance_constraint_indices": _integers(
            [
                (
                    frame[str(e.a)],
                    frame[str(e.b)],
                    variable[e.length.name] if isinstance(e.length, Kinematic) else -1,
                )
                for e in distances
            ],
            3,
        ),
        "distance_constraint_lengths": _reals(
            [0.0 if isinstance(e.length, Kinematic) else e.length for e in distances]
        ),
        "distance_constraint_rows": _integers(rows(DistanceConstraint)),
        "n_inputs": len(inputs),
        "n_constraints": len(constraints),
    }


def _damping(elements: list[Damping], variable: Mapping[str, int], dynamic: int) -> npt.NDArray[np.float64]:
    """The sum of all coefficients per variable; zero for kinematic ones."""
    total = np.zeros(len(variable) if elements else 0)
    for element in elements:
        if isinstance(element.coefficient, Mapping):
            for name, coefficient in element.coefficient.items():
                total[variable[name]] += coefficient
        else:
            total[:dynamic] += element.coefficient
    return total


def _integers(rows: list[Any], *tail: int) -> npt.NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(len(rows), *tail)


def _reals(rows: list[Any], *tail: int) -> npt.NDArray[np.float64]:
    return np.array(rows, dtype=np.float64).reshape(len(rows), *tail)
