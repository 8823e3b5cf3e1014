"""Forces that cannot be: the exact text of every message."""

from __future__ import annotations

import pytest

from bough import ConfigurationForce, Damping, DistanceConstraint, kinematic
from support.messages import Case, check_message
from support.small_systems import anchored_arm as arm

inf = float("inf")


def force_on_a_length() -> None:
    system = arm()
    system.add(DistanceConstraint("tip", "anchor", kinematic("length")))
    system.add(ConfigurationForce("length", 1.0))


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "negative damping": (
        lambda: Damping(-0.1, name="oil"),
        "coefficient=-0.1 in Damping 'oil'",
        "coefficient is negative",
        "give coefficient as zero or more, in N m s/rad or N s/m",
    ),
    "negative damping of a variable": (
        lambda: Damping({"shoulder": 0.1, "forearm": -0.1}),
        "coefficient['forearm']=-0.1 in Damping",
        "coefficient['forearm'] is negative",
        "give coefficient['forearm'] as zero or more, in N m s/rad or N s/m",
    ),
    "damping not a number": (
        lambda: Damping({"shoulder": "much"}),  # type: ignore[dict-item]
        "coefficient['shoulder']='much' in Damping",
        "coefficient['shoulder'] is not a number",
        "give coefficient['shoulder'] as a real number",
    ),
    "damping a list": (
        lambda: Damping([0.1, 0.2]),  # type: ignore[arg-type]
        "coefficient=[0.1, 0.2] in Damping",
        "neither a number nor a mapping from variables to numbers",
        "give a number for all dynamic variables, or a dictionary such as {'shoulder': 0.2}",
    ),
    "damping infinite": (
        lambda: Damping({"shoulder": inf}),
        "coefficient in Damping(...)",
        "coefficient contains inf",
        "give coefficient in finite numbers",
    ),
    "damping of an unknown variable": (
        lambda: arm().add(Damping({"shoulder": 0.1, "foream": 0.1})),
        "variable 'foream' in field 'coefficient' of Damping",
        "no variable has this name; the nearest is 'forearm'",
        "correct the spelling",
    ),
    "damping of a number": (
        lambda: arm().add(Damping({0: 0.1})),  # type: ignore[dict-item]
        "variable 0 in field 'coefficient' of Damping",
        "not the name of a variable",
        "give the name of a variable as a string",
    ),
    "damping of a kinematic variable": (
        lambda: arm().add(Damping({"rail": 0.1}, name="oil")),
        "variable 'rail' in field 'coefficient' of Damping 'oil'",
        "'rail' is a kinematic variable: its motion is prescribed, and no force changes it",
        "name a dynamic variable",
    ),
    "force on an unknown variable": (
        lambda: arm().add(ConfigurationForce("sholder", "torque", name="motor")),
        "variable 'sholder' in field 'variable' of ConfigurationForce 'motor'",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    "force on a frame": (
        lambda: arm().add(ConfigurationForce(arm().frame("tip"), 1.0)),  # type: ignore[arg-type]
        "variable <Frame tip: tz(-1) on frame #3> in field 'variable' of ConfigurationForce",
        "not the name of a variable",
        "give the name of a variable as a string",
    ),
    "force on a kinematic variable": (
        lambda: arm().add(ConfigurationForce("rail", "push")),
        "variable 'rail' in field 'variable' of ConfigurationForce",
        "'rail' is a kinematic variable: its motion is prescribed, and no force changes it",
        "name a dynamic variable",
    ),
    "force on a prescribed length": (
        force_on_a_length,
        "variable 'length' in field 'variable' of ConfigurationForce",
        "'length' is a kinematic variable: its motion is prescribed, and no force changes it",
        "name a dynamic variable",
    ),
    "input not a string": (
        lambda: ConfigurationForce("shoulder", ("torque",)),  # type: ignore[arg-type]
        "value=('torque',) in ConfigurationForce",
        "value is neither a number nor the name of an input",
        "give a number (constant) or a string (input)",
    ),
    "input a bool": (
        lambda: ConfigurationForce("shoulder", True),
        "value=True in ConfigurationForce",
        "value is neither a number nor the name of an input",
        "give a number (constant) or a string (input)",
    ),
    "input a kinematic variable": (
        lambda: ConfigurationForce("shoulder", kinematic("rail")),  # type: ignore[arg-type]
        "value=kinematic('rail') in ConfigurationForce",
        "value is neither a number nor the name of an input",
        "give a number (constant) or a string (input)",
    ),
    "input without a name": (
        lambda: ConfigurationForce("shoulder", ""),
        "value='' in ConfigurationForce",
        "value is empty",
        "give value at least one letter",
    ),
    "constant infinite": (
        lambda: ConfigurationForce("shoulder", -inf, name="motor"),
        "value in ConfigurationForce(...)",
        "value is -inf",
        "give value in finite numbers",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
