"""Forces on frames that cannot be: the exact text of every message."""

from __future__ import annotations

import pytest

from bough import (
    BodyWrench,
    Drag,
    HybridWrench,
    LinearDamper,
    ModelError,
    PointForce,
    SpatialWrench,
    System,
    kinematic,
)
from support.messages import Case, check_message

inf = float("inf")


def arm() -> System:
    system = System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    return system


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "wrench on an unknown frame": (
        lambda: arm().add(BodyWrench("tpi", fx=1.0, name="jet")),
        "frame 'tpi' in field 'frame' of BodyWrench 'jet'",
        "no frame has this name; the nearest is 'tip'",
        "correct the spelling",
    ),
    "wrench on a number": (
        lambda: HybridWrench(3, fx=1.0),  # type: ignore[arg-type]
        "frame 3 in field 'frame' of HybridWrench",
        "neither a frame nor the name of one",
        "give a frame, or its name as a string",
    ),
    "wrench on the world": (
        lambda: arm().add(SpatialWrench("world", fx=1.0)),
        "SpatialWrench on 'world'",
        "the world does not move, so that the force changes nothing",
        "give a frame that a variable moves",
    ),
    "component neither number nor input": (
        lambda: BodyWrench("tip", ty=[1.0]),  # type: ignore[arg-type]
        "ty=[1.0] in BodyWrench",
        "ty is neither a number nor the name of an input",
        "give a number (constant) or a string (input)",
    ),
    "component a kinematic variable": (
        lambda: HybridWrench("tip", fx=kinematic("x")),  # type: ignore[arg-type]
        "fx=kinematic('x') in HybridWrench",
        "fx is neither a number nor the name of an input",
        "give a number (constant) or a string (input)",
    ),
    "component infinite": (
        lambda: SpatialWrench("tip", fz=inf),
        "fz in SpatialWrench(...)",
        "fz is inf",
        "give fz in finite numbers",
    ),
    "component without a name": (
        lambda: BodyWrench("tip", fx=""),
        "fx='' in BodyWrench",
        "fx is empty",
        "give fx at least one letter",
    ),
    "point force on an unknown frame": (
        lambda: arm().add(PointForce("elbwo", fx=1.0)),
        "frame 'elbwo' in field 'frame' of PointForce",
        "no frame has this name; the nearest is 'elbow'",
        "correct the spelling",
    ),
    "point force on the world": (
        lambda: arm().add(PointForce("world", fx=1.0, name="hand")),
        "PointForce 'hand' on 'world'",
        "the world does not move, so that the force changes nothing",
        "give a frame that a variable moves",
    ),
    "point of two numbers": (
        lambda: PointForce("tip", fx=1.0, point=(1.0, 2.0)),  # type: ignore[arg-type]
        "point in PointForce",
        "point has shape (2,)",
        "give point as 3 numbers, a point in the frame",
    ),
    "unknown axes": (
        lambda: PointForce("tip", fx=1.0, axes="wrold"),
        "axes 'wrold' in PointForce",
        "no axes has this name; the nearest is 'world'",
        "correct the spelling",
    ),
    "axes not a name": (
        lambda: PointForce("tip", fx=1.0, axes=1),  # type: ignore[arg-type]
        "axes '1' in PointForce",
        "no axes has this name; the names are 'world', 'body'",
        "use one of these names",
    ),
    "damper on one frame": (
        lambda: arm().add(LinearDamper("tip", "tip", 1.0)),
        "LinearDamper between 'tip' and 'tip'",
        "both ends are on one frame, so that nothing depends on the configuration",
        "give two different frames",
    ),
    "damper on an unknown frame": (
        lambda: arm().add(LinearDamper("tip", "wrld", 1.0)),
        "frame 'wrld' in field 'b' of LinearDamper",
        "no frame has this name; the nearest is 'world'",
        "correct the spelling",
    ),
    "negative damper": (
        lambda: LinearDamper("tip", "world", -1.0, name="strut"),
        "coefficient=-1.0 in LinearDamper 'strut'",
        "coefficient is negative",
        "give coefficient as zero or more, in N s/m",
    ),
    "damper with an input": (
        lambda: LinearDamper("tip", "world", "valve"),  # type: ignore[arg-type]
        "coefficient='valve' in LinearDamper",
        "coefficient is not a number",
        "give coefficient as a real number",
    ),
    "negative drag": (
        lambda: Drag("tip", -1.0),
        "coefficient=-1.0 in Drag",
        "coefficient is negative",
        "give coefficient as zero or more, in N s²/m²",
    ),
    "drag on an unknown frame": (
        lambda: arm().add(Drag("tpi", 1.0)),
        "frame 'tpi' in field 'frame' of Drag",
        "no frame has this name; the nearest is 'tip'",
        "correct the spelling",
    ),
    "drag on the world": (
        lambda: arm().add(Drag("world", 1.0)),
        "Drag on 'world'",
        "the world does not move, so that the force changes nothing",
        "give a frame that a variable moves",
    ),
    "wind of one number": (
        lambda: Drag("tip", 1.0, wind=3.0),  # type: ignore[arg-type]
        "wind=3.0 in Drag",
        "not three components",
        "give 3 numbers in m/s or names of inputs, such as (5.0, 0.0, 'gust')",
    ),
    "wind of two numbers": (
        lambda: Drag("tip", 1.0, wind=(3.0, 1.0)),  # type: ignore[arg-type]
        "wind=(3.0, 1.0) in Drag",
        "not three components",
        "give 3 numbers in m/s or names of inputs, such as (5.0, 0.0, 'gust')",
    ),
    "wind of three letters": (
        lambda: Drag("tip", 1.0, wind="xyz"),  # type: ignore[arg-type]
        "wind='xyz' in Drag",
        "not three components",
        "give 3 numbers in m/s or names of inputs, such as (5.0, 0.0, 'gust')",
    ),
    "wind with a component of another kind": (
        lambda: Drag("tip", 1.0, wind=(3.0, None, 1.0)),  # type: ignore[arg-type]
        "wind[1]=None in Drag",
        "wind[1] is neither a number nor the name of an input",
        "give a number (constant) or a string (input)",
    ),
    "wind of rows": (
        lambda: Drag("tip", 1.0, wind=(3.0, (1.0, 2.0), 1.0)),  # type: ignore[arg-type]
        "wind[1]=(1.0, 2.0) in Drag",
        "wind[1] is neither a number nor the name of an input",
        "give a number (constant) or a string (input)",
    ),
    "wind infinite": (
        lambda: Drag("tip", 1.0, wind=(inf, 0.0, 0.0)),
        "wind in Drag(...)",
        "wind contains inf",
        "give wind in finite numbers",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


def test_components_are_given_by_name() -> None:
    with pytest.raises(ModelError, match="too many positional arguments"):
        BodyWrench("tip", 1.0)  # type: ignore[misc]
