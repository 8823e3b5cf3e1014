"""Small models with inputs, for tests of feedback, optimal control and identification."""

from __future__ import annotations

from typing import Any

import numpy as np

import bough
from bough.control import Effort, Track

SWING: dict[str, Any] = {  # of the cart-pole, from hanging to upright
    "q": {"angle": np.pi},
    "duration": 2.0,
    "dt": 0.05,
    "cost": [Effort(0.05), Track({"x": 0.0}, weight=0.1)],
    "end": {"x": 0.0, "angle": 0.0},
}


def driven_pendulum(links: int = 1, damping: float = 0.0) -> bough.Model:
    """Hanging links of 1 m and 1 kg with a torque at each joint."""
    system = bough.System(f"driven pendulum of {links}", gravity=(0, 0, -9.81))
    frame = system.world
    for i in range(links):
        frame = frame.ry(f"q{i}").tz(-1.0, name=f"bob{i}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        system.add(bough.ConfigurationForce(f"q{i}", f"torque{i}"))
    if damping:
        system.add(bough.Damping(damping))
    return system.build()


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


def double_pendulum_cart() -> bough.Model:
    """Two rods, one upon the other, on a cart with a motor; upright at zero."""
    system = bough.System("double pendulum on a cart", gravity=(0, 0, -9.81))
    cart = system.world.tx("x", name="cart", mass=1.0)
    lower = cart.ry("lower").tz(0.3, name="first", mass=0.2, inertia=(0.006, 0.006, 1e-4))
    lower.tz(0.3).ry("upper").tz(0.3, name="second", mass=0.2, inertia=(0.006, 0.006, 1e-4))
    system.add(bough.ConfigurationForce("x", "force"))
    return system.build()


def four_bar(*, superfluous: bool = False) -> tuple[bough.Model, np.ndarray]:
    """A four-bar linkage in its three angles with a motor at the crank, and a configuration of it at rest."""
    system = bough.System("four bar", gravity=(0, 0, -9.81))
    end = system.world
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.8)):
        end = end.ry(name).tx(length / 2, mass=length).tx(length / 2, name=f"{name}_end")
    ground = system.world.tx(0.9, name="ground")
    for axis in ((1, 0, 0), (0, 0, 1), *([(0.6, 0, 0.8)] if superfluous else [])):
        system.add(bough.PointConstraint(end, ground, axis=axis))
    system.add(bough.ConfigurationForce("crank", "torque"))
    system.add(bough.Damping(0.05))
    model = system.build()
    rest = model.equilibrium(model.assemble({"crank": -0.5, "coupler": 0.2, "rocker": 1.8}).q)
    return model, np.array(rest.q)


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


def closed_chain(*, superfluous: bool = False) -> bough.Model:
    """The closed chain of [JM09], seven angles and two loops, with a motor at each pivot of its three arms."""
    system = bough.gallery.closed_chain()
    if superfluous:
        system.add(bough.PointConstraint("O", "O2", axis=(0.6, 0.0, 0.8)))
    for pivot in ("J", "K", "A"):
        system.add(bough.ConfigurationForce(pivot, f"{pivot}_torque"))
    system.add(bough.Damping(0.05))
    return system.build()
