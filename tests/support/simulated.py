"""Small models that the tests of `simulate` run."""

from __future__ import annotations

import bough


def pendulum(length: float = 1.0) -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-length, name="bob", mass=2.0)
    return system.build()


def double_pendulum() -> bough.Model:
    system = bough.System("double-pendulum")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    return system.build()


def cart() -> bough.Model:
    """A pendulum whose pivot is moved along x."""
    system = bough.System("cart")
    system.world.tx(bough.kinematic("x"), mass=1.0).ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def motor() -> bough.Model:
    system = bough.System("motor")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    system.add(bough.ConfigurationForce("forearm", "twist"))
    return system.build()
