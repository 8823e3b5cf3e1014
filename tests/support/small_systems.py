"""Small systems, and those of the command line as files."""

from __future__ import annotations

import json
from pathlib import Path

import bough
from support.mechanisms import closed_chain


def pendulum() -> bough.System:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system


def anchored_arm() -> bough.System:
    """Two links, and an anchor on a rail."""
    system = bough.System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(bough.kinematic("rail"), name="anchor")
    return system


def driven() -> bough.System:
    """An arm on a rail, with an input and damping."""
    system = bough.System("driven")
    system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    system.add(bough.Damping(0.1))
    return system


def doubled() -> bough.System:
    """A slider on a rail, held on it twice."""
    system = bough.System("doubled")
    slider = system.world.tx("x").tz("z", name="slider", mass=1.0)
    for name in ("rail", "again"):
        system.add(bough.PointConstraint(slider, "world", axis=(0, 0, 1), name=name))
    return system


def stretched() -> bough.System:
    """A pendulum on a wire that grows until it is too long, at t = 1.95 s."""
    system = bough.System("stretched")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    hook = system.world.tx(1.0, name="hook")
    length = bough.PiecewisePolynomial((0.0, 3.0), ((2.0**0.5, 0.3),))
    system.add(bough.DistanceConstraint("bob", hook, length, name="wire"))
    return system


def write_all(folder: Path) -> None:
    """Write `pendulum.json`, `driven.json`, `doubled.json` and `closed_chain.json`."""
    for system in (pendulum(), driven(), doubled(), closed_chain().system):
        (folder / f"{system.name.replace(' ', '_')}.json").write_text(json.dumps(system.to_dict()))
