"""Free-floating systems for the tests of motion control."""

from __future__ import annotations

import numpy as np

import bough
from support import casadi_planner as oracle

START = np.array([0.3, 0.7, -0.4])
END = np.array([0.8, 0.2, 1.0])


def satellite(inputs: bool = True) -> bough.System:
    """A base with a two-degree shoulder and an elbow."""
    system = bough.System("satellite", gravity=(0, 0, 0))
    base = system.world.free("base", name="base", mass=10.0, inertia=(1.2, 1.0, 0.9))
    shoulder = base.tx(0.3).ty(0.1).tz(0.4).rz("yaw").ry("pitch")
    shoulder.tx(0.35, name="upper", mass=2.0, inertia=(0.02, 0.1, 0.1))
    shoulder.tx(0.7).ry("elbow").tx(0.3, name="fore", mass=1.5, inertia=(0.02, 0.08, 0.08))
    if inputs:
        for joint in ("yaw", "pitch", "elbow"):
            system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
    return system


def satellite_bodies() -> list[oracle.Body]:
    """The same satellite for the oracle."""
    move, turn = oracle.translation, oracle.rotation

    def upper(r):
        return move(0.3, 0.1, 0.4) @ turn(2, r[0]) @ turn(1, r[1]) @ move(0.35, 0, 0)

    def fore(r):
        return upper(r) @ move(0.35, 0, 0) @ turn(1, r[2]) @ move(0.3, 0, 0)

    return [
        oracle.Body(10.0, (1.2, 1.0, 0.9), lambda r: move(0, 0, 0)),
        oracle.Body(2.0, (0.02, 0.1, 0.1), upper),
        oracle.Body(1.5, (0.02, 0.08, 0.08), fore),
    ]
