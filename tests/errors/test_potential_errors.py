"""Potentials that cannot be: the exact text of every message."""

from __future__ import annotations

import pytest

from bough import ConfigurationSpring, LinearSpring, System
from support.messages import Case, check_message
from support.small_systems import anchored_arm as arm

nan = float("nan")


def both_ends_on_one_frame() -> None:
    system = arm()
    system.add(LinearSpring(system.frame("tip"), "tip", 1.0, name="coil"))


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "unknown frame": (
        lambda: arm().add(LinearSpring("tip", "ancor", 1.0, name="coil")),
        "frame 'ancor' in field 'b' of LinearSpring 'coil'",
        "no frame has this name; the nearest is 'anchor'",
        "correct the spelling",
    ),
    "frame of another system": (
        lambda: arm().add(LinearSpring(arm().frame("tip"), "anchor", 1.0)),
        "frame 'tip' in field 'a' of LinearSpring",
        "this frame belongs to another system, 'arm'",
        "use a frame of system 'arm', or the name of one",
    ),
    "no frame": (
        lambda: LinearSpring(None, "tip", 1.0),  # type: ignore[arg-type]
        "frame None in field 'a' of LinearSpring",
        "neither a frame nor the name of one",
        "give a frame, or its name as a string",
    ),
    "several frames": (
        lambda: LinearSpring("tip", ("elbow", "anchor"), 1.0),  # type: ignore[arg-type]
        "frame ('elbow', 'anchor') in field 'b' of LinearSpring",
        "neither a frame nor the name of one",
        "give a frame, or its name as a string",
    ),
    "both ends on one frame": (
        both_ends_on_one_frame,
        "LinearSpring 'coil' between 'tip' and 'tip'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "negative stiffness": (
        lambda: LinearSpring("tip", "anchor", -2.0, name="coil"),
        "stiffness=-2.0 in LinearSpring 'coil'",
        "stiffness is negative",
        "give stiffness as zero or more, in N/m",
    ),
    "stiffness not a number": (
        lambda: LinearSpring("tip", "anchor", "stiff"),  # type: ignore[arg-type]
        "stiffness='stiff' in LinearSpring",
        "stiffness is not a number",
        "give stiffness as a real number",
    ),
    "stiffness nan": (
        lambda: LinearSpring("tip", "anchor", nan),
        "stiffness in LinearSpring(...)",
        "stiffness is nan",
        "give stiffness in finite numbers",
    ),
    "negative rest length": (
        lambda: LinearSpring("tip", "anchor", 1.0, -0.5),
        "rest_length=-0.5 in LinearSpring",
        "rest_length is negative",
        "give rest_length as zero or more, in m",
    ),
    "unknown variable": (
        lambda: arm().add(ConfigurationSpring("sholder", 1.0)),
        "variable 'sholder' in field 'variable' of ConfigurationSpring",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    "variable not a name": (
        lambda: ConfigurationSpring(3, 1.0),  # type: ignore[arg-type]
        "variable 3 in field 'variable' of ConfigurationSpring",
        "not the name of a variable",
        "give the name of a variable as a string",
    ),
    "several variables": (
        lambda: ConfigurationSpring(("shoulder", "forearm"), 1.0),  # type: ignore[arg-type]
        "variable ('shoulder', 'forearm') in field 'variable' of ConfigurationSpring",
        "not the name of a variable",
        "give the name of a variable as a string",
    ),
    "negative stiffness of a variable": (
        lambda: ConfigurationSpring("shoulder", -1.0, name="joint"),
        "stiffness=-1.0 in ConfigurationSpring 'joint'",
        "stiffness is negative",
        "give stiffness as zero or more, in N m/rad or N/m",
    ),
    "rest not a number": (
        lambda: ConfigurationSpring("shoulder", 1.0, True),
        "rest=True in ConfigurationSpring",
        "rest is not a number",
        "give rest as a real number",
    ),
    "description without stiffness": (
        lambda: System.from_dict(
            {"name": "s", "frames": [], "elements": [{"type": "LinearSpring", "a": "world", "b": "world"}]}
        ),
        "LinearSpring of a description",
        "no 'stiffness'",
        "give 'stiffness' as well",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
