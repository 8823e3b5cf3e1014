"""The records of elements that the core reads: (kind, frames, variables, inputs, values)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from bough import (
    ConfigurationForce,
    ConfigurationSpring,
    Damping,
    DistanceConstraint,
    LinearSpring,
    ModelError,
    PointConstraint,
    Potential,
    System,
    kinematic,
)
from bough._core import core
from bough.model.flatten import flatten
from bough.model.lower import constraint_labels, input_names, lower


@pytest.fixture
def system() -> System:
    """Frames in depth-first order: world, ry, elbow, ry, tip, anchor; created in another order."""
    system = System("arm")
    shoulder = system.world.ry("shoulder")
    system.world.tx(kinematic("rail"), name="anchor")
    elbow = shoulder.tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    return system


def lowered(system: System) -> dict[str, Any]:
    return lower(system, flatten(system))


def test_a_system_without_elements(system: System) -> None:
    assert lowered(system) == {"elements": [], "n_inputs": 0}


def test_springs(system: System) -> None:
    system.add(LinearSpring("tip", "anchor", 20.0, 0.5))
    system.add(ConfigurationSpring("rail", 5.0, 0.1))
    system.add(LinearSpring("world", system.frame("tip").parent, 1.0))  # type: ignore[arg-type]
    system.add(ConfigurationSpring("forearm", 6.0))
    assert lowered(system)["elements"] == [
        ("LinearSpring", [4, 5], [], [], [20.0, 0.5]),
        ("ConfigurationSpring", [], [2], [], [5.0, 0.1]),
        ("LinearSpring", [0, 3], [], [], [1.0, 0.0]),
        ("ConfigurationSpring", [], [1], [], [6.0, 0.0]),
    ]


def test_damping_of_all_variables_leaves_kinematic_variables_out(system: System) -> None:
    system.add(Damping(0.5))
    system.add(Damping({"forearm": 1.0, "shoulder": 2.0}))
    assert lowered(system)["elements"] == [
        ("Damping", [], [0, 1], [], [0.5, 0.5]),
        ("Damping", [], [1, 0], [], [1.0, 2.0]),
    ]


def test_damping_of_all_variables_includes_those_added_later(system: System) -> None:
    system.add(Damping(0.5))
    system.frame("tip").rx("wrist", mass=1.0)
    assert lowered(system)["elements"] == [("Damping", [], [0, 1, 2], [], [0.5, 0.5, 0.5])]


def test_inputs_are_in_order_of_first_appearance(system: System) -> None:
    system.add(ConfigurationForce("forearm", "b"))
    system.add(ConfigurationForce("shoulder", 3.0))
    system.add(ConfigurationForce("shoulder", "a"))
    system.add(ConfigurationForce("shoulder", "b"))
    assert input_names(system.elements) == ("b", "a")
    assert lowered(system) == {
        "elements": [
            ("ConfigurationForce", [], [1], [0], [0.0, 1.0, math.inf]),
            ("ConfigurationForce", [], [0], [-1], [3.0, 1.0, math.inf]),
            ("ConfigurationForce", [], [0], [1], [0.0, 1.0, math.inf]),
            ("ConfigurationForce", [], [0], [0], [0.0, 1.0, math.inf]),
        ],
        "n_inputs": 2,
    }


def test_constraints_keep_the_order_of_addition(system: System) -> None:
    system.add(DistanceConstraint("tip", "anchor", kinematic("length")))
    system.add(Damping({"forearm": 0.1}))
    twice = system.add(PointConstraint("tip", "anchor", (3, 0, 4)))
    system.add(DistanceConstraint("world", "tip", 1.5, name="rod"))
    assert system.add(twice) == twice
    system.add(DistanceConstraint("elbow", "anchor", kinematic("rail")))
    point = [0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.8, 0.0, 0.0]  # point of b, rows, axis, offset: a constant, zero
    assert lowered(system)["elements"] == [
        ("DistanceConstraint", [4, 5], [3], [], []),
        ("Damping", [], [1], [], [0.1]),
        ("PointConstraint", [4, 5], [], [], point),
        ("DistanceConstraint", [0, 4], [], [], [0.0, 1.5]),
        ("PointConstraint", [4, 5], [], [], point),
        ("DistanceConstraint", [2, 5], [2], [], []),
    ]
    assert constraint_labels(system.elements) == (
        "DistanceConstraint #0",
        "PointConstraint #1",
        "rod",
        "PointConstraint #3",
        "DistanceConstraint #4",
    )


def test_the_core_refuses_a_kind_it_does_not_know(system: System) -> None:
    flat = flatten(system)
    with pytest.raises(ValueError, match="no element of kind Magnet"):
        core.Model(**flat.arrays, elements=[("Magnet", [], [], [], [])], n_inputs=0)


def test_a_kind_without_a_formula_is_refused(system: System) -> None:
    @dataclass(frozen=True)
    class Magnet(Potential):
        strength: float = 1.0

    system.add(Magnet(name="north"))
    with pytest.raises(ModelError) as caught:
        lowered(system)
    assert str(caught.value) == (
        "build of system 'arm'\n"
        "  found: Magnet 'north' is of a kind whose formula is not known\n"
        "  do: use the elements of bough, or give its class a method: energy(self, at) to a potential,"
        " force(self, at) to a force, value(self, at) to a constraint or a contact"
    )


def test_print_of_a_model(system: System) -> None:
    system.add(LinearSpring("elbow", "anchor", 20.0, 0.5, name="coil"))
    system.add(Damping(0.1))
    system.add(PointConstraint("tip", "anchor", (1, 0, 0)))
    system.add(ConfigurationForce("forearm", "torque"))
    system.add(DistanceConstraint("tip", "anchor", kinematic("length"), name="wire"))
    system.add(ConfigurationForce("shoulder", "torque", name="motor"))
    assert str(system.build()) == (
        "arm: 2 dynamic and 2 kinematic variables, mass 2 kg\n"
        "  q  variable  kind       moves\n"
        "  0  shoulder  dynamic    ry #1\n"
        "  1  forearm   dynamic    ry #4\n"
        "  2  rail      kinematic  tx anchor\n"
        "  3  length    kinematic  length of DistanceConstraint 'wire'\n"
        "\n"
        "  body   mass  inertia\n"
        "  elbow  1     point\n"
        "  tip    1     point\n"
        "\n"
        "  element             name   on             values\n"
        "  LinearSpring        coil   elbow, anchor  stiffness 20, rest_length 0.5\n"
        "  Damping                                   coefficient 0.1\n"
        "  ConfigurationForce         forearm        value 'torque'\n"
        "  ConfigurationForce  motor  shoulder       value 'torque'\n"
        "\n"
        "  lam  constraint          name  on           values\n"
        "  0    PointConstraint           tip, anchor  axis (1, 0, 0)\n"
        "  1    DistanceConstraint  wire  tip, anchor  length kinematic length\n"
        "\n"
        "  u  input   drives\n"
        "  0  torque  ConfigurationForce on forearm, ConfigurationForce 'motor' on shoulder"
    )
