"""What bough calls what is asked for under another name, as in `bough.Damper`."""

from __future__ import annotations

from collections.abc import Iterable

from bough.errors import nearest

#: What other programs call it, in lower case, and how it is written here.
OTHER_WORDS = {
    "actuator": "ConfigurationForce('joint', 'input') or Servo",
    "motor": "ConfigurationForce('joint', 'input') or Servo",
    "torque": "ConfigurationForce('joint', 'input')",
    "joint": "methods of frames, such as frame.ry('angle') or frame.tx('slide')",
    "revolute": "frame.rx('angle'), frame.ry('angle') and frame.rz('angle')",
    "hinge": "frame.rx('angle'), frame.ry('angle') and frame.rz('angle')",
    "prismatic": "frame.tx('slide'), frame.ty('slide') and frame.tz('slide')",
    "body": "a frame with a mass, such as world.tz(-1.0, mass=2.0)",
    "link": "a frame with a mass, such as world.tz(-1.0, mass=2.0)",
    "world": "system.world of a bough.System",
    "simulator": "bough.simulate, or MidpointVI for single steps",
    "step": "MidpointVI(model, dt).step(state)",
    "solve": "bough.simulate(model, duration=..., dt=...)",
    "urdf": "bough.load('robot.urdf')",
    "mjcf": "bough.load('robot.xml')",
}


def no_such_name(name: str, known: Iterable[str]) -> AttributeError:
    """The error for an attribute that the package does not have, with what may be meant."""
    asked = name.lower()
    names = [each for each in known if len(asked) > 3 and asked in each.lower()] or nearest(name, known)
    words = dict.fromkeys(text for word, text in OTHER_WORDS.items() if word in asked)
    hint = "; ".join(filter(None, [", ".join(f"bough.{each}" for each in names), *words]))
    return AttributeError(f"module 'bough' has no attribute {name!r}" + (f"; it has {hint}" if hint else ""))
