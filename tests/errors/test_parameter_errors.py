"""Parameters that cannot be: the exact text of every message."""

from __future__ import annotations

import math

import pytest

import bough
from support.messages import Case, check_message

SYSTEM = bough.System("errors")
LENGTH = SYSTEM.parameter("length", 1.0)
BOB = SYSTEM.world.ry("angle").tz(-LENGTH, name="bob", mass=bough.sqrt(LENGTH))
MODEL = SYSTEM.build()


def foreign() -> None:
    bough.System("other").world.tx("x", mass=LENGTH)


def direction() -> None:
    system = bough.System("plane")
    tilt = system.parameter("tilt", 0.1)
    block = system.world.tx("x", mass=1.0).tz("z", mass=1.0, name="block")
    system.add(bough.PlaneConstraint(block, "world", normal=(tilt, 0, 1)))
    system.build()


def negative() -> None:
    system = bough.System("spring", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", stiffness=system.parameter("k", 1.0)))
    system.build().with_parameters(k=-1.0)


def massless() -> None:
    system = bough.System("cart", gravity=None)
    system.world.tx("x", mass=system.parameter("m", 1.0))
    system.build().with_parameters(m=0.0)


ERRORS: list[Case] = [
    (
        lambda: MODEL.with_parameters(lenght=2.0),
        "parameter 'lenght' in with_parameters of model 'errors'",
        "no parameter has this name; the nearest is 'length'",
        "correct the spelling",
    ),
    (
        lambda: MODEL.with_parameters(length="long"),  # type: ignore[arg-type]
        "parameter 'length'='long' in with_parameters of model 'errors'",
        "parameter 'length' is not a number",
        "give parameter 'length' as a real number",
    ),
    (
        lambda: MODEL.with_parameters(length=math.inf),
        "parameter 'length'=inf in with_parameters of model 'errors'",
        "parameter 'length' is not finite",
        "give parameter 'length' as a finite number",
    ),
    (
        lambda: MODEL.with_parameters(length=-1.0),
        "the formula sqrt(length)",
        "its value is not a finite real number at length = -1",
        "give the parameters other values",
    ),
    (
        lambda: SYSTEM.parameter("length", 2.0),
        "parameter 'length' of system 'errors'",
        "a parameter of this name exists, with the value 1",
        "use system.parameters['length'], or choose another name",
    ),
    (
        foreign,
        "parameter 'length' in tx('x') on world",
        "it belongs to another system; 'other' has no parameter of this name",
        "declare it with system.parameter('length', value) of this system",
    ),
    (
        direction,
        "parameter tilt in 'normal' of PlaneConstraint",
        "a direction or a table, which is normalised or interpolated before it is used",
        "give numbers there; a direction that depends on a parameter is that of a frame turned by rx, ry or"
        " rz(parameter)",
    ),
    (
        negative,
        "stiffness=-1.0 in ConfigurationSpring",
        "stiffness is negative",
        "give stiffness as zero or more, in N m/rad or N/m",
    ),
    (
        massless,
        "build 'cart'",
        "the mass matrix is singular: a motion of 'x' moves no mass",
        "give a frame outboard of it a mass or inertia that resists this motion, or make the variable kinematic"
        " or constant; a URDF file can be loaded with massless='merge' or massless=1e-6",
    ),
]


@pytest.mark.parametrize("case", ERRORS)
def test_messages(case: Case) -> None:
    check_message(*case)


def test_axes_refuse_parameters() -> None:
    system = bough.System("axis")
    with pytest.raises(bough.ModelError):
        system.world.revolute("x", axis=(system.parameter("tilt", 0.1), 0, 1))
    with pytest.raises(bough.ModelError):
        bough.Box((system.parameters["tilt"], 1.0, 1.0))


def test_formulas_have_a_limit() -> None:
    system = bough.System("large")
    formula = system.parameter("x", 0.1)
    for _ in range(39):
        formula = formula + 1.0
    with pytest.raises(bough.ModelError, match="operations"):
        formula + 1.0
    wide = system.parameters["x"]
    for _ in range(7):
        wide = wide * wide
    with pytest.raises(bough.ModelError, match="operations"):
        (wide * wide) * (wide * wide)
