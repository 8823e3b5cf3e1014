"""Machines on strings that only pull: a crane, a block and tackle, a platform on cables."""

from __future__ import annotations

import math

from bough.description.parameter import kinematic
from bough.description.shapes import Box
from bough.description.start import Start
from bough.description.system import System
from bough.elements.forces import ConfigurationForce, Damping
from bough.elements.joint_limit import JointLimit
from bough.elements.string import String
from bough.errors import ModelError


def crane(
    *,
    trolley: float = 200.0,
    load: float = 500.0,
    rope: float = 6.0,
    drum: float = 0.2,
    inertia: float = 10.0,
    speed: float = 1.0,
) -> System:
    """A crane: a trolley on a beam, and on it a winch whose rope carries a load. Its inputs are `hoist` and `drive`.

    A constant torque carries the load; `hoist` adds to it, and `drive` pushes the trolley.

    Parameters
    ----------
    trolley, load : float
        Masses.
    rope : float
        The length of the rope that is out at the start.
    drum, inertia : float
        The radius of the drum and its moment of inertia.
    speed : float
        Of the load at the start, sideways.
    """
    system = System("crane")
    car = system.world.tz(8.0).tx("trolley", name="trolley", mass=trolley)
    system.shape(car, Box((1.0, 0.6, 0.3)))
    car.ry("winch", name="drum", mass=20.0, inertia=(inertia, inertia, inertia))
    weight = system.world.tx("x").tz("z", name="load", mass=load)
    system.shape(weight, Box((0.8, 0.8, 0.8)))
    system.add(String(car, weight, rope, drum={"winch": drum}, name="rope"))
    torque = load * 9.81 * drum
    system.add(ConfigurationForce("winch", -torque, name="brake"))
    system.add(ConfigurationForce("winch", "hoist", name="motor"))
    system.add(ConfigurationForce("trolley", "drive", name="wheels"))
    system.add(Damping({"winch": 20.0, "trolley": 50.0}, name="friction"))
    system.start = Start(q={"z": 8.0 - rope}, v={"x": speed}, duration=10.0)
    return system


def block_and_tackle(
    *, falls: int = 4, load: float = 100.0, weight: float = 25.5, height: float = 3.0
) -> System:
    """A load on a block that hangs in several falls of one rope, and a weight on the end of it that pulls.

    The load rises by g (n m - M) / (M + n² m) with n falls, the load M and the weight m, until its block meets
    a stop at nine tenths of the way to the upper one.

    Parameters
    ----------
    falls : int
        How often the rope runs between the blocks; an even number.
    load, weight : float
        Masses; without friction the weight carries `falls` times itself.
    height : float
        Of the upper block over the lower one.
    """
    if falls != int(falls) or falls < 2 or falls % 2:
        raise ModelError(
            asked=f"falls={falls:g} in gallery.block_and_tackle()",
            found="falls is not an even number above zero",
            do="give falls as 2, 4, 6, ...",
        )
    system = System("block_and_tackle")
    top = system.world.tz(0.0, name="upper block")
    block = system.world.tz(-height).tz("lift", name="lower block", mass=load)
    end = system.world.tx(0.5).tz("fall", name="weight", mass=weight)
    sheave = system.world.tx(0.5).tz(0.0, name="sheave")
    via = [block, top] * (int(falls) // 2) + [sheave]
    length = falls * height + 0.5 + 0.5
    system.add(String(top, end, length, via=via, name="rope"))
    system.add(JointLimit("lift", upper=0.9 * height, name="stop"))
    system.start = Start(q={"fall": -0.5}, duration=10.0)
    return system


def cable_robot(
    *, width: float = 4.0, height: float = 3.0, platform: float = 0.6, mass: float = 5.0, push: float = 1.0
) -> System:
    """A platform in a frame, held by four cables of prescribed lengths, of which the lower ones are slack at first.

    Parameters
    ----------
    width, height : float
        Of the frame.
    platform, mass : float
        The length of the platform and its mass.
    push : float
        The speed of the platform at the start, sideways.
    """
    system = System("cable_robot")
    body = (
        system.world.tx("x")
        .tz("z")
        .ry("tilt", name="platform", mass=mass, inertia=(mass * platform**2 / 12.0,) * 3)
    )
    system.shape(body, Box((platform, 0.1 * platform, 0.2 * platform)))
    start = {"z": 0.5 * height}
    for name, sx, top in (("nw", -1.0, True), ("ne", 1.0, True), ("sw", -1.0, False), ("se", 1.0, False)):
        corner = system.world.tx(0.5 * sx * width).tz(height if top else 0.0, name=f"{name} corner")
        side = 0.1 if top else -0.1
        eye = body.tx(0.5 * sx * platform).tz(side * platform, name=f"{name} eye")
        system.add(String(corner, eye, kinematic(f"{name}_cable"), name=f"{name} cable"))
        apart = math.hypot(0.5 * (width - platform), 0.5 * height - 0.1 * platform)
        start[f"{name}_cable"] = apart if top else 1.05 * apart
    system.add(Damping({"x": 1.0, "z": 1.0, "tilt": 0.1}, name="air"))
    system.start = Start(q=start, v={"x": push}, duration=10.0)
    return system
