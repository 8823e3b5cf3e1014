"""The classes of forces: their fields, plain data, inputs and text."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bough
from bough import ConfigurationForce, Damping, System, kinematic


@pytest.fixture
def system() -> System:
    system = System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(kinematic("rail"), name="anchor")
    return system


def test_they_are_forces() -> None:
    assert issubclass(Damping, bough.Force)
    assert issubclass(ConfigurationForce, bough.Force)
    assert bough.Force().inputs() == ()


def test_damping_of_all_variables(system: System) -> None:
    damping = system.add(Damping(np.float64(1)))
    assert type(damping.coefficient) is float
    assert damping == Damping(1)
    assert damping.inputs() == ()


def test_damping_of_some_variables(system: System) -> None:
    given = {"shoulder": 1, "forearm": np.float64(0.5)}
    damping = system.add(Damping(given))
    given["shoulder"] = -3
    assert damping.coefficient == {"shoulder": 1.0, "forearm": 0.5}
    assert system.add(Damping({})).coefficient == {}


def test_configuration_force(system: System) -> None:
    constant = system.add(ConfigurationForce("shoulder", 3))
    assert (constant.value, constant.inputs()) == (3.0, ())
    assert type(constant.value) is float
    driven = system.add(ConfigurationForce("forearm", "torque"))
    assert (driven.value, driven.inputs()) == ("torque", ("torque",))


def test_an_input_may_have_the_name_of_a_variable(system: System) -> None:
    assert system.add(ConfigurationForce("shoulder", "shoulder")).inputs() == ("shoulder",)


def test_description(system: System) -> None:
    system.add(Damping(0.1))
    system.add(Damping({"shoulder": 0.2}, name="bearing"))
    system.add(ConfigurationForce("forearm", "torque"))
    system.add(ConfigurationForce("forearm", 2.0))
    assert system.to_dict()["elements"] == [
        {"type": "Damping", "coefficient": 0.1},
        {"type": "Damping", "name": "bearing", "coefficient": {"mapping": {"shoulder": 0.2}}},
        {"type": "ConfigurationForce", "variable": "forearm", "value": "torque"},
        {"type": "ConfigurationForce", "variable": "forearm", "value": 2.0},
    ]
    assert System.from_dict(json.loads(json.dumps(system.to_dict()))).elements == system.elements


def test_text(system: System) -> None:
    system.add(Damping(0.1))
    system.add(Damping({"shoulder": 0.2, "forearm": 0.3}, name="bearings"))
    system.add(ConfigurationForce("forearm", "torque", name="motor"))
    assert str(system).splitlines()[-3:] == [
        "Damping  coefficient 0.1",
        "Damping 'bearings'  coefficient {shoulder: 0.2, forearm: 0.3}",
        "ConfigurationForce 'motor'  forearm  value 'torque'",
    ]
