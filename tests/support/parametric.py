"""A system with parameters of every kind."""

from __future__ import annotations

import bough


def arm(wire: bool) -> bough.System:
    """Parameters in formulas, in an angle, in a screw, in gravity, and a payload of zero."""
    system = bough.System("arm")
    length, mass, angle = (system.parameter(*x) for x in (("length", 0.7), ("mass", 1.3), ("angle", 0.3)))
    moment, load, screw = (system.parameter(*x) for x in (("moment", 0.02), ("load", 0.0), ("screw", 0.05)))
    system.gravity = (0.1, 0.0, -system.parameter("g", 9.81))
    base = system.world.tx(0.1).rz(angle).ry("a", ratio=system.parameter("ratio", 1.2), offset=angle / 2)
    elbow = base.tz(-length, name="elbow", mass=mass * length, inertia=(moment, 2.0 * moment, 0.03))
    hand = elbow.tx(length / 3).rx("b").tz(-0.5, name="hand", mass=0.4, inertia=(0.01, 0.02, 0.03))
    hand.tx(0.1, name="load", mass=load)
    screwed = hand.rz(0.2).twist((0.1, 0.3, 0.4, 0.2, 0.1, screw), "c")
    screwed.tz(-0.3, name="tip", mass=0.7, inertia=(0.01, 0.02, 0.03))
    system.add(bough.Damping(system.parameter("damping", 0.3)))
    system.add(bough.ConfigurationForce("a", "torque"))
    if wire:
        pin = system.world.tz(0.5 * length, name="pin")
        system.add(bough.DistanceConstraint("tip", pin, system.parameter("wire", 1.9)))
    return system
