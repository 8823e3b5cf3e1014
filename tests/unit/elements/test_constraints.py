"""The classes of constraints: their fields, plain data and text, and lengths that are kinematic variables."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bough
from bough import DistanceConstraint, ModelError, PointConstraint, System, kinematic
from bough.model.flatten import flatten
from support.counting import Name, calls


@pytest.fixture
def system() -> System:
    system = System("arm")
    system.world.ry("shoulder").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(kinematic("rail"), name="anchor")
    return system


def test_they_are_constraints() -> None:
    assert issubclass(PointConstraint, bough.Constraint)
    assert issubclass(DistanceConstraint, bough.Constraint)


def test_point_constraint(system: System) -> None:
    point = system.add(PointConstraint(system.frame("tip"), "anchor", axis=(3, 0, -4)))
    assert (point.a, point.b, point.axis) == ("tip", "anchor", (0.6, 0.0, -0.8))
    assert PointConstraint("a", "b", np.array([0, 2, 0])).axis == (0.0, 1.0, 0.0)
    assert PointConstraint("a", "b", (1e300, 0, 0)).axis == (1.0, 0.0, 0.0)
    assert PointConstraint("a", "b", (0, 0, 5e-324)).axis == (0.0, 0.0, 1.0)


@given(st.tuples(*[st.floats(-10, 10)] * 3).filter(any))
def test_the_axis_has_length_one_and_is_not_rounded_again(axis: tuple[float, float, float]) -> None:
    point = PointConstraint("a", "b", axis)
    assert np.linalg.norm(point.axis) == pytest.approx(1.0, abs=4e-16)
    assert PointConstraint.from_dict(point.to_dict()) == point


def test_distance_constraint(system: System) -> None:
    wire = system.add(DistanceConstraint("tip", system.world, length=2, name="wire"))
    assert wire == DistanceConstraint("tip", "world", 2.0, name="wire")
    assert type(wire.length) is float


def test_a_length_may_be_a_variable_of_the_tree(system: System) -> None:
    system.add(DistanceConstraint("tip", "anchor", kinematic("rail")))
    assert system.variables == ("shoulder", "rail")


def test_a_length_may_be_a_new_variable(system: System) -> None:
    for name in ("left", "right", "left"):
        system.add(DistanceConstraint("tip", "anchor", kinematic(name)))
    assert system.kinematic == ("rail", "left", "right")
    assert system.variables == ("shoulder", "rail", "left", "right")
    assert repr(system) == "<System 'arm': 4 frames, 4 variables>"
    assert "1 dynamic and 3 kinematic variables" in str(system)
    flat = flatten(system)
    assert flat.variable_names == system.variables
    assert (flat.arrays["n_dynamic"], flat.arrays["n_variables"]) == (1, 4)
    assert flat.arrays["variable"].tolist() == [-1, 0, -1, 1]
    for twin in (
        copy.deepcopy(system),
        pickle.loads(pickle.dumps(system)),
        System.from_dict(system.to_dict()),
    ):
        assert twin.variables == system.variables


def test_new_variables_follow_those_of_frames_added_later(system: System) -> None:
    system.add(DistanceConstraint("tip", "anchor", kinematic("length")))
    system.world.tz(kinematic("lift"))
    assert system.kinematic == ("rail", "lift", "length")
    system.world.tz(kinematic("length"))
    assert system.kinematic == ("rail", "lift", "length")
    system.world.tz(kinematic("last"))
    assert system.kinematic == ("rail", "lift", "length", "last")
    assert System.from_dict(system.to_dict()).kinematic == system.kinematic


def test_a_refused_element_brings_no_variable(system: System) -> None:
    system.add(DistanceConstraint("tip", "anchor", 1.0, name="wire"))
    for bad in (
        DistanceConstraint("tip", "anchor", kinematic("length"), name="wire"),
        DistanceConstraint("tip", "tip", kinematic("length")),
        DistanceConstraint("tip", "nowhere", kinematic("length")),
    ):
        with pytest.raises(ModelError):
            system.add(bad)
    assert system.variables == ("shoulder", "rail")
    system.world.tx("length")  # still free, for a dynamic variable as well


def test_a_model_has_the_new_variable(system: System) -> None:
    system.add(DistanceConstraint("tip", "anchor", kinematic("length"), name="wire"))
    model = system.build()
    assert model.kinematic == ("rail", "length")
    q = {"shoulder": 0.4, "rail": 0.1}
    assert np.array_equal(model.pose("tip", q), model.pose("tip", {**q, "length": 3.0}))
    assert not model.mass_matrix(q)[2].any()
    assert pickle.loads(pickle.dumps(model)) == model


def test_description(system: System) -> None:
    system.add(PointConstraint("tip", "anchor", (0, 0, 2)))
    system.add(DistanceConstraint("tip", "anchor", 1.3, name="rod"))
    system.add(DistanceConstraint("tip", "world", kinematic("length")))
    assert system.to_dict()["elements"] == [
        {"type": "PointConstraint", "a": "tip", "b": "anchor", "axis": [0.0, 0.0, 1.0]},
        {"type": "DistanceConstraint", "name": "rod", "a": "tip", "b": "anchor", "length": 1.3},
        {"type": "DistanceConstraint", "a": "tip", "b": "world", "length": {"kinematic": "length"}},
    ]
    assert System.from_dict(json.loads(json.dumps(system.to_dict()))).elements == system.elements


def test_text(system: System) -> None:
    system.add(PointConstraint("tip", "anchor", (0, 0, 2)))
    system.add(DistanceConstraint("tip", "anchor", 1.3, name="rod"))
    system.add(DistanceConstraint("tip", "world", kinematic("length")))
    assert str(system).splitlines()[-3:] == [
        "PointConstraint  tip, anchor  axis (0, 0, 1)",
        "DistanceConstraint 'rod'  tip, anchor  length 1.3",
        "DistanceConstraint  tip, world  length kinematic length",
    ]


def test_a_long_list_of_elements_is_cut(system: System) -> None:
    for _ in range(42):
        system.add(PointConstraint("tip", "anchor", (0, 0, 2)))
    assert str(system).splitlines()[-1] == "... and 2 more elements"
    assert str(system).count("PointConstraint") == 40


def test_adding_is_linear() -> None:
    """Ten times the elements are ten times the work; a search through those there are would be a hundred."""

    def added(count: int) -> None:
        system = System("net")
        system.world.tx("x", name="tip")
        for i in range(count):
            length = kinematic(Name(f"length {i}"))
            system.add(DistanceConstraint("tip", "world", length, name=Name(f"wire {i}")))
        assert len(system.variables) == count + 1

    assert calls(lambda: added(2000)) < 10.1 * calls(lambda: added(200))
