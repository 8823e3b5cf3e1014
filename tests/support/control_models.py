"""Small models with inputs, for tests of feedback, optimal control and identification."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.control_models import closed_chain, double_pendulum_cart, driven_pendulum, four_bar

import bough
from bough.control import Effort, Track

__all__ = [
    "SWING",
    "closed_chain",
    "crane",
    "double_pendulum_cart",
    "driven_pendulum",
    "folded",
    "four_bar",
    "lift",
    "on_circle",
    "raised_lift",
    "rod_on_slides",
]

SWING: dict[str, Any] = {  # of the cart-pole, from hanging to upright
    "q": {"angle": np.pi},
    "duration": 2.0,
    "dt": 0.05,
    "cost": [Effort(0.05), Track({"x": 0.0}, weight=0.1)],
    "end": {"x": 0.0, "angle": 0.0},
}


def rod_on_slides(*, superfluous: bool = False) -> bough.Model:
    """The pendulum of one link in two coordinates: a body on slides along x and z and a hinge, held on a circle.

    superfluous : whether a third row repeats the sum of the other two
    """
    system = bough.System("rod on slides", gravity=(0, 0, -9.81))
    body = system.world.tx("x").tz("z").ry("turn", name="body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    top = body.tz(1.0, name="top")
    pivot = system.world.tz(0.0, name="pivot")
    for axis in ((1, 0, 0), (0, 0, 1), *([(0.6, 0, 0.8)] if superfluous else [])):
        system.add(bough.PointConstraint(top, pivot, axis=axis))
    system.add(bough.ConfigurationForce("turn", "torque0"))
    return system.build()


def on_circle(angle: float) -> dict[str, float]:
    """The configuration of `rod_on_slides` at an angle of the pendulum."""
    return {"x": -np.sin(angle), "z": -np.cos(angle), "turn": angle}


def crane() -> bough.Model:
    """A load on a rope below a trolley whose place is prescribed."""
    system = bough.System("trolley", gravity=(0, 0, -9.81))
    trolley = system.world.tx(bough.kinematic("trolley"), name="trolley")
    trolley.ry("swing").tz(-2.0, name="load", mass=5.0)
    return system.build()


def lift(loops: int, theta: float = 1.0) -> bough.Model:
    """A scissor lift whose slider is pushed."""
    system = bough.gallery.scissor_lift(loops, theta=theta)
    system.add(bough.SpatialWrench("slider", fx="push"))
    return system.build()


def folded(loops: int, theta: np.ndarray) -> np.ndarray:
    """The configurations (rows, variables) of a lift at angles theta (rows,) of its first link."""
    fold = np.pi - 2.0 * theta
    columns = []
    for n in range(loops):
        turned = fold if n % 2 == 0 else -fold
        columns += [theta if n == 0 else -turned, turned]
    return np.stack(columns, axis=1)


def raised_lift(loops: int, dt: float = 0.02, **options: Any) -> tuple[bough.Model, dict[str, Any], float]:
    """A lift that its slider raises through sixty degrees, what `optimize` is given for it, and its last angle.

    The search begins at a smooth motion. A limit keeps away from the line of all links, where the rows lose their
    rank.
    """
    model, goal = lift(loops, 1.35), 1.35 - float(np.radians(60.0))
    s = np.linspace(0.0, 1.0, round(1.5 / dt) + 1)
    path = folded(loops, 1.35 + (goal - 1.35) * s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
    given = {
        "duration": 1.5,
        "dt": dt,
        "cost": Effort(1e-4),
        "guess": {"q": path},
        "upper": {"theta": 1.5},
        "end": {"theta": goal, "v.theta": 0.0},
        "rest": False,
    }
    return model, {**given, **options}, goal
