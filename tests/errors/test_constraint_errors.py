"""Constraints that cannot be: the exact text of every message."""

from __future__ import annotations

import pytest

from bough import DistanceConstraint, PointConstraint, System, kinematic
from support.messages import Case, check_message
from support.small_systems import anchored_arm as arm

nan = float("nan")


def with_winch() -> System:
    system = arm()
    system.add(DistanceConstraint("tip", "anchor", kinematic("length"), name="winch"))
    return system


def bare_frame_by_object_and_label() -> None:
    system = arm()
    bare = system.world.tx(1.0)
    system.add(PointConstraint(bare, bare.label, (1, 0, 0)))


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "unknown frame": (
        lambda: arm().add(PointConstraint("tipp", "anchor", (1, 0, 0))),
        "frame 'tipp' in field 'a' of PointConstraint",
        "no frame has this name; the nearest is 'tip'",
        "correct the spelling",
    ),
    "frame of another system": (
        lambda: arm().add(DistanceConstraint("tip", System("other").world.frame("hook"), 1.0, name="wire")),
        "frame 'hook' in field 'b' of DistanceConstraint 'wire'",
        "this frame belongs to another system, 'other'",
        "use a frame of system 'arm', or the name of one",
    ),
    "no frame": (
        lambda: DistanceConstraint("tip", None, 1.0),  # type: ignore[arg-type]
        "frame None in field 'b' of DistanceConstraint",
        "neither a frame nor the name of one",
        "give a frame, or its name as a string",
    ),
    "both ends on one frame": (
        lambda: arm().add(DistanceConstraint("tip", "tip", 1.0, name="wire")),
        "DistanceConstraint 'wire' between 'tip' and 'tip'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "both ends on one frame without a name": (
        bare_frame_by_object_and_label,
        "PointConstraint between '#6' and '#6'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "zero axis": (
        lambda: PointConstraint("tip", "anchor", (0, 0, 0), name="pin"),
        "axis in PointConstraint 'pin'",
        "axis is (0, 0, 0), which has no direction",
        "give axis a component other than zero; its length does not matter",
    ),
    "axis of two numbers": (
        lambda: PointConstraint("tip", "anchor", (0, 1)),  # type: ignore[arg-type]
        "axis in PointConstraint",
        "axis has shape (2,)",
        "give axis as 3 numbers, such as (0, 0, 1)",
    ),
    "axis a letter": (
        lambda: PointConstraint("tip", "anchor", "x"),  # type: ignore[arg-type]
        "axis='x' in PointConstraint",
        "axis is not made of real numbers",
        "give axis as 3 numbers, such as (0, 0, 1)",
    ),
    "axis with nan": (
        lambda: PointConstraint("tip", "anchor", (0, nan, 1)),
        "axis in PointConstraint(...)",
        "axis contains nan",
        "give axis in finite numbers",
    ),
    "zero length": (
        lambda: DistanceConstraint("tip", "anchor", 0),
        "length=0 in DistanceConstraint",
        "length is zero: between coinciding points the constraint has no direction",
        "use PointConstraint, which lets points coincide along one, two or three directions",
    ),
    "negative length": (
        lambda: DistanceConstraint("tip", "anchor", -1.3, name="wire"),
        "length=-1.3 in DistanceConstraint 'wire'",
        "length is negative",
        "give length above zero, in m",
    ),
    "length a string": (
        lambda: DistanceConstraint("tip", "anchor", "len"),  # type: ignore[arg-type]
        "length='len' in DistanceConstraint",
        "a length that is neither a number, a kinematic variable nor a function of time",
        "give a number above zero, in m, bough.kinematic('len'), or a function such as bough.Sinusoid(...)",
    ),
    "length missing": (
        lambda: DistanceConstraint("tip", "anchor", None),  # type: ignore[arg-type]
        "length=None in DistanceConstraint",
        "a length that is neither a number, a kinematic variable nor a function of time",
        "give a number above zero, in m, bough.kinematic('name'), or a function such as bough.Sinusoid(...)",
    ),
    "length nan": (
        lambda: DistanceConstraint("tip", "anchor", nan),
        "length in DistanceConstraint(...)",
        "length is nan",
        "give length in finite numbers",
    ),
    "length a dynamic variable": (
        lambda: arm().add(DistanceConstraint("tip", "anchor", kinematic("shoulder"), name="wire")),
        "kinematic variable 'shoulder' in DistanceConstraint 'wire'",
        "'shoulder' is already a dynamic variable, in ry(shoulder) on world",
        "choose another name, or write kinematic('shoulder') in every place",
    ),
    "dynamic variable that is a length": (
        lambda: with_winch().world.tx("length"),
        "dynamic variable 'length' in tx('length') on world",
        "'length' is already a kinematic variable, in DistanceConstraint 'winch'",
        "choose another name, or write kinematic('length') in every place",
    ),
    "name taken": (
        lambda: with_winch().add(PointConstraint("tip", "anchor", (1, 0, 0), name="winch")),
        "add PointConstraint 'winch' to system 'arm'",
        "another element has this name",
        "choose another name",
    ),
    "length of zero in a description": (
        lambda: System.from_dict(
            {
                "name": "s",
                "frames": [],
                "elements": [{"type": "DistanceConstraint", "a": "world", "b": "world", "length": 0.0}],
            }
        ),
        "length=0.0 in DistanceConstraint",
        "length is zero: between coinciding points the constraint has no direction",
        "use PointConstraint, which lets points coincide along one, two or three directions",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
