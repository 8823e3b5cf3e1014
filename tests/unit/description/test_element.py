"""The base of all elements: names of frames and variables, and plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bough import Frame, ModelError, System, kinematic
from bough.description.element import Constraint, Element, Force, Potential
from bough.description.parameter import Kinematic


@dataclass(frozen=True)
class Wire(Constraint):
    """Two frames, positional or by name."""

    first: Frame | str
    second: Frame | str
    length: float | Kinematic = 1.0
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    frame_fields = ("first", "second")


@dataclass(frozen=True)
class Rubbing(Force):
    """A coefficient per variable."""

    coefficients: Mapping[str, float]
    variable_fields = ("coefficients",)


@dataclass(frozen=True)
class Cloud(Potential):
    """Several frames, several variables, and any value."""

    frames: tuple[Frame | str, ...] = ()
    variables: tuple[str, ...] = ()
    variable: str | None = None
    value: Any = None
    frame_fields = ("frames",)
    variable_fields = ("variables", "variable")


@pytest.fixture
def system() -> System:
    system = System("arm")
    system.world.ry("shoulder").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(kinematic("rail"), name="anchor")
    return system


def test_kinds() -> None:
    assert issubclass(Potential, Element)
    assert issubclass(Force, Element)
    assert issubclass(Constraint, Element)
    assert Potential().name is None
    assert Force(name="wind").name == "wind"


def test_frames_become_names(system: System) -> None:
    wire = Wire(system.frame("tip"), "anchor", length=1.3, name="wire")
    added = system.add(wire)
    assert added == Wire("tip", "anchor", length=1.3, name="wire")
    assert system.elements == (added,)
    assert wire.first is system.frame("tip")  # what the user holds is not changed
    assert hash(added) == hash(Wire("tip", "anchor", length=1.3, name="wire"))


def test_a_frame_without_a_name_goes_by_its_label(system: System) -> None:
    bare = system.frame("tip").tx(1.0)
    added = system.add(Wire(bare, system.world))
    assert (added.first, added.second) == (bare.label, "world")
    assert system.frame(bare.label) is bare
    assert System.from_dict(system.to_dict()).frame(bare.label).kind == "tx"


def test_several_frames_and_variables(system: System) -> None:
    added = system.add(Cloud([system.frame("tip"), "anchor"], ("shoulder", "rail"), "rail"))  # type: ignore[arg-type]
    assert added.frames == ("tip", "anchor")
    assert system.add(Rubbing({"shoulder": 0.1})).coefficients == {"shoulder": 0.1}


@pytest.mark.parametrize(
    "make",
    [
        lambda: Wire("tip", "anchor", length=1.3, name="wire"),
        lambda: Wire("tip", "anchor", length=kinematic("rail"), axis=(0.0, 0.5, 1.0)),
        lambda: Rubbing({"shoulder": 0.2, "rail": 0.3}),
        lambda: Cloud(("tip", "anchor"), ("rail",), "shoulder"),
        lambda: Cloud(value={"kinematic": 0.2}),
        lambda: Cloud(value={"kinematic": "name", "mapping": {"mapping": (1, True, None)}}),
        lambda: Cloud(value=((1.0, 2.0), ({}, ()))),
    ],
)
def test_description(system: System, make: Callable[[], Element]) -> None:
    element = system.add(make())
    again = System.from_dict(json.loads(json.dumps(system.to_dict())))
    assert again.elements == (element,)
    assert again.to_dict() == system.to_dict()


def test_plain_data_of_an_element() -> None:
    assert Wire("tip", "anchor", kinematic("rail"), name="wire").to_dict() == {
        "type": "Wire",
        "name": "wire",
        "first": "tip",
        "second": "anchor",
        "length": {"kinematic": "rail"},
        "axis": [1.0, 0.0, 0.0],
    }
    assert Rubbing({"a": 0.5}).to_dict() == {"type": "Rubbing", "coefficients": {"mapping": {"a": 0.5}}}


def test_arrays_become_tuples_in_a_description() -> None:
    data = Cloud(value=np.array([[1.0, 2.0], [3.0, 4.0]])).to_dict()
    assert data["value"] == [[1.0, 2.0], [3.0, 4.0]]
    assert Cloud.from_dict(data).value == ((1.0, 2.0), (3.0, 4.0))


def test_an_element_may_describe_itself(system: System) -> None:
    @dataclass(frozen=True)
    class Law(Potential):
        law: Callable[[float], float] = abs

        def to_dict(self) -> dict[str, Any]:
            return {"type": "Law", "law": self.law.__name__}

        @classmethod
        def from_dict(cls, data: Mapping[str, Any]) -> Law:
            return cls({"abs": abs}[data["law"]])

    system.add(Law())
    assert System.from_dict(system.to_dict()).elements == (Law(),)


def test_a_class_may_be_defined_again() -> None:
    """As when a cell of a notebook runs twice."""
    for length in (1, 2):

        @dataclass(frozen=True, slots=True)
        class Again(Constraint):
            value: int = length

    assert System.from_dict({"name": "s", "frames": [], "elements": [{"type": "Again"}]}).elements == (
        Again(),
    )
    assert Again().value == 2


def test_elements_are_printed_after_the_tree(system: System) -> None:
    system.add(Rubbing({"shoulder": 0.1}, name="oil"))
    assert str(system).splitlines()[-1] == "Rubbing 'oil'  coefficients {shoulder: 0.1}"


def test_names_of_elements_are_unique_but_optional(system: System) -> None:
    for _ in range(2):
        system.add(Wire("tip", "anchor"))
    system.add(Wire("tip", "anchor", name="tip"))  # the name of a frame is free
    with pytest.raises(ModelError, match="another element has this name"):
        system.add(Rubbing({}, name="tip"))
    assert len(system.elements) == 3
