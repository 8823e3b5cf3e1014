"""Elements and descriptions that cannot be: the exact text of every message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bough import ModelError, System
from bough.description.element import Constraint, Force, Potential
from support.messages import Case, check_message
from support.small_systems import anchored_arm as arm

nan, inf = float("nan"), float("inf")


@dataclass(frozen=True)
class Strut(Constraint):
    first: Any
    second: Any
    length: float = 1.0
    frame_fields = ("first", "second")


@dataclass(frozen=True)
class Oil(Force):
    coefficients: Any
    variable_fields = ("coefficients",)


@dataclass(frozen=True)
class Anything(Potential):
    value: Any = None


def described(frame: Any = None, **keys: Any) -> System:
    """The system of a description with one frame."""
    return System.from_dict({"name": "s", "frames": [] if frame is None else [frame], **keys})


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "not an element": (
        lambda: arm().add(3),
        "add 3 to system 'arm'",
        "this is not a potential, force, constraint or contact",
        "add an instance of a potential, force, constraint or contact",
    ),
    "class instead of element": (
        lambda: arm().add(Strut),
        "add the class Strut to system 'arm'",
        "this is not a potential, force, constraint or contact",
        "add an instance of a potential, force, constraint or contact, such as Strut(...)",
    ),
    "frame instead of element": (
        lambda: arm().add(arm().frame("elbow")),
        "add <Frame elbow: tz(-1) on frame #1> to system 'arm'",
        "this is not a potential, force, constraint or contact",
        "add an instance of a potential, force, constraint or contact",
    ),
    "unknown frame": (
        lambda: arm().add(Strut("tip", "ancor", name="wire")),
        "frame 'ancor' in field 'second' of Strut 'wire'",
        "no frame has this name; the nearest is 'anchor'",
        "correct the spelling",
    ),
    "frame of another system": (
        lambda: arm().add(Strut("tip", System("other").world.rz("a", name="hand"))),
        "frame 'hand' in field 'second' of Strut",
        "this frame belongs to another system, 'other'",
        "use a frame of system 'arm', or the name of one",
    ),
    "number instead of frame": (
        lambda: arm().add(Strut("tip", 3)),
        "frame 3 in field 'second' of Strut",
        "neither a frame nor the name of one",
        "give a frame, or its name as a string",
    ),
    "unknown variable": (
        lambda: arm().add(Oil({"sholder": 0.1})),
        "variable 'sholder' in field 'coefficients' of Oil",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    "no variables at all": (
        lambda: System("s").add(Oil("a")),
        "variable 'a' in field 'coefficients' of Oil",
        "there is no variable",
        "add a variable first",
    ),
    "number instead of variable": (
        lambda: arm().add(Oil(0.1)),
        "variable 0.1 in field 'coefficients' of Oil",
        "not the name of a variable",
        "give the name of a variable as a string",
    ),
    "nan": (
        lambda: Strut("a", "b", nan),
        "length in Strut(...)",
        "length is nan",
        "give length in finite numbers",
    ),
    "infinity deep inside": (
        lambda: Anything(value={"a": (1.0, np.array([1.0, inf]))}),
        "value in Anything(...)",
        "value contains inf",
        "give value in finite numbers",
    ),
    "empty name": (
        lambda: Strut("a", "b", name=""),
        "name='' in Strut(...)",
        "name is empty",
        "give name at least one letter",
    ),
    "function in a description": (
        lambda: Anything(value=lambda x: x, name="law").to_dict(),
        "description of value of Anything 'law'",
        "the function <lambda>, which is not made of numbers and strings",
        "define the function at the top level of a module",
    ),
    "thing in a description": (
        lambda: Anything(value={1, 2}, name="law").to_dict(),
        "description of value of Anything 'law'",
        "a value of type set, which is not made of numbers and strings",
        "give the element's class its own to_dict and from_dict",
    ),
    "class name taken by bough": (
        lambda: type("Potential", (Force,), {"__module__": "mine"}),
        "class Potential in module mine",
        "bough has an element Potential of its own",
        "give the class another name",
    ),
    "description a list": (
        lambda: System.from_dict([]),
        "description of a system",
        "[]",
        "give a dictionary with 'name', 'frames'",
    ),
    "no name": (
        lambda: System.from_dict({"frames": []}),
        "description of a system",
        "no 'name'",
        "give 'name' as well",
    ),
    "unknown key": (
        lambda: described(colour=1),
        "description of a system",
        "the unknown 'colour'",
        "use only 'bough', 'name', 'parameters', 'gravity', 'frames', 'elements', 'start', 'shapes'",
    ),
    "newer format": (
        lambda: described(bough=2),
        "description of a system",
        "format 2; this version reads format 1",
        "use the version of bough that wrote it, or a newer one",
    ),
    "frames a string": (
        lambda: described(frames="abc"),
        "frames of a description",
        "'abc'",
        "give frames as a list",
    ),
    "frame a number": (
        lambda: described(3),
        "frame 1 of a description",
        "3",
        "give a dictionary with 'parent', 'transform'",
    ),
    "parent not before child": (
        lambda: described({"parent": 1, "transform": "tx", "parameter": 1.0}),
        "frame 1 of a description",
        "parent 1",
        "give the number of an earlier frame: 0 (world)",
    ),
    "parent a bool": (
        lambda: described({"parent": False, "transform": "tx", "parameter": 1.0}),
        "frame 1 of a description",
        "parent False",
        "give the number of an earlier frame: 0 (world)",
    ),
    "unknown transform": (
        lambda: described({"parent": 0, "transform": "tw", "parameter": 1.0}),
        "frame 1 of a description",
        "transform 'tw'",
        "use one of 'tx', 'ty', 'tz', 'rx', 'ry', 'rz', 'fixed', 'twist', 'ball'",
    ),
    "transform a list": (
        lambda: described({"parent": 0, "transform": ["tx"], "parameter": 1.0}),
        "frame 1 of a description",
        "transform ['tx']",
        "use one of 'tx', 'ty', 'tz', 'rx', 'ry', 'rz', 'fixed', 'twist', 'ball'",
    ),
    "no parameter": (
        lambda: described({"parent": 0, "transform": "tx"}),
        "frame 1 of a description",
        "no 'parameter'",
        "give 'parameter' as well",
    ),
    "twist with nothing": (
        lambda: described({"parent": 0, "transform": "twist"}),
        "frame 1 of a description",
        "no 'parameter', 'xi'",
        "give 'parameter', 'xi' as well",
    ),
    "parameter of unknown form": (
        lambda: described({"parent": 0, "transform": "tx", "parameter": {"dynamic": "x"}}),
        "parameter of frame 1 of a description",
        "no 'kinematic'",
        "give 'kinematic' as well",
    ),
    "unknown key of a frame": (
        lambda: described({"parent": 0, "transform": "tx", "parameter": 1.0, "colour": 2}),
        "frame 1 of a description",
        "the unknown 'colour'",
        "use only 'parent', 'transform', 'parameter', 'ratio', 'offset', 'pose', 'xi', 'name',"
        " 'mass', 'com', 'inertia', 'as_given'",
    ),
    "nan in a description": (
        lambda: described({"parent": 0, "transform": "tx", "parameter": nan, "name": "x"}),
        "parameter=nan in tx(nan, name='x') on world",
        "parameter is not finite",
        "give parameter as a finite number",
    ),
    "element a number": (
        lambda: described(elements=[3]),
        "element of a description",
        "no 'type' in 3",
        "give a dictionary with the name of the element's class as 'type'",
    ),
    "unknown type of element": (
        lambda: described(elements=[{"type": "Strutt"}]),
        "element type 'Strutt' in a description",
        "no element type has this name; the nearest is 'Strut'",
        "import the module that defines class Strutt first, or correct the spelling",
    ),
    "unknown field of an element": (
        lambda: described(elements=[{"type": "Strut", "first": "world", "second": "world", "len": 2}]),
        "field 'len' in Strut of a description",
        "no field has this name; the nearest is 'length'",
        "correct the spelling",
    ),
    "field missing": (
        lambda: described(elements=[{"type": "Strut", "first": "world"}]),
        "Strut of a description",
        "no 'second'",
        "give 'second' as well",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


def test_message_of_a_duplicate_name() -> None:
    system = arm()
    system.add(Oil({}, name="o"))
    with pytest.raises(ModelError) as caught:
        system.add(Strut("tip", "anchor", name="o"))
    assert str(caught.value) == (
        "add Strut 'o' to system 'arm'\n  found: another element has this name\n  do: choose another name"
    )
