"""The classes of potentials: their fields, plain data and text."""

from __future__ import annotations

import dataclasses
import json
import pickle

import numpy as np
import pytest

import bough
from bough import ConfigurationSpring, LinearSpring, ModelError, System, kinematic


@pytest.fixture
def system() -> System:
    system = System("arm")
    system.world.ry("shoulder").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(kinematic("rail"), name="anchor")
    return system


def test_they_are_potentials() -> None:
    assert issubclass(LinearSpring, bough.Potential)
    assert issubclass(ConfigurationSpring, bough.Potential)


def test_linear_spring(system: System) -> None:
    tip = system.frame("tip")
    spring = system.add(LinearSpring(tip, "anchor", stiffness=np.float32(20), rest_length=1, name="coil"))
    assert spring == LinearSpring("tip", "anchor", 20.0, 1.0, name="coil")
    assert type(spring.stiffness) is type(spring.rest_length) is float
    assert LinearSpring(tip, "anchor", 1.0).rest_length == 0.0


def test_configuration_spring(system: System) -> None:
    spring = system.add(ConfigurationSpring("shoulder", 5, rest=-1))
    assert (spring.variable, spring.stiffness, spring.rest) == ("shoulder", 5.0, -1.0)
    assert ConfigurationSpring("shoulder", 5).rest == 0.0


def test_a_configuration_spring_may_act_on_a_kinematic_variable(system: System) -> None:
    assert system.add(ConfigurationSpring("rail", 5.0)).variable == "rail"


def test_zero_stiffness_is_a_spring(system: System) -> None:
    assert system.add(LinearSpring("tip", "world", 0.0)).stiffness == 0.0


def test_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        LinearSpring("a", "b", 1.0).stiffness = -1.0  # type: ignore[misc]


def test_description(system: System) -> None:
    system.add(LinearSpring("tip", system.frame("tip").tx(0.1), 20.0, 0.5))
    system.add(ConfigurationSpring("shoulder", 5.0, 0.3, name="joint"))
    assert system.to_dict()["elements"] == [
        {"type": "LinearSpring", "a": "tip", "b": "#4", "stiffness": 20.0, "rest_length": 0.5},
        {
            "type": "ConfigurationSpring",
            "name": "joint",
            "variable": "shoulder",
            "stiffness": 5.0,
            "rest": 0.3,
        },
    ]
    assert System.from_dict(json.loads(json.dumps(system.to_dict()))).elements == system.elements
    assert pickle.loads(pickle.dumps(system)).elements == system.elements


def test_text(system: System) -> None:
    system.add(LinearSpring("tip", "anchor", 20.0, 0.5, name="coil"))
    system.add(ConfigurationSpring("shoulder", 5.0))
    assert str(system).splitlines()[-2:] == [
        "LinearSpring 'coil'  tip, anchor  stiffness 20, rest_length 0.5",
        "ConfigurationSpring  shoulder  stiffness 5, rest 0",
    ]


def test_an_error_leaves_the_system_as_it_was(system: System) -> None:
    system.add(LinearSpring("tip", "anchor", 1.0, name="coil"))
    before = system.to_dict()
    with pytest.raises(ModelError, match="another element has this name"):
        system.add(LinearSpring("tip", "anchor", 2.0, name="coil"))
    assert system.to_dict() == before
