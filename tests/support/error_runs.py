"""Small models and runs that go wrong by one argument."""

from __future__ import annotations

from typing import Any

from bough import (
    ConfigurationForce,
    DistanceConstraint,
    MidpointVI,
    Model,
    State,
    System,
    Trajectory,
    kinematic,
    simulate,
)


def arm() -> Model:
    system = System("arm")
    rail = system.world.tx(kinematic("rail"), mass=1.0)
    elbow = rail.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.add(ConfigurationForce("shoulder", "torque"))
    return system.build()


def pendulum() -> Model:
    system = System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def heavy() -> Model:
    system = System("heavy")
    system.world.ry("angle").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    return system.build()


def hanging(wire: float = 1.5) -> Model:
    """A pendulum of length 1 on a wire, of length 1.5 if nothing else is said."""
    system = System("hanging")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(DistanceConstraint("bob", "world", wire, name="wire"))
    return system.build()


def run(model: Model | None = None, **settings: Any) -> Trajectory:
    """Ten steps."""
    return simulate(arm() if model is None else model, **{"duration": 1.0, "dt": 0.1, **settings})


def step(**options: Any) -> State:
    vi = MidpointVI(arm(), 0.1)
    return vi.step(vi.start(), **options)
