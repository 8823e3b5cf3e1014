"""The models of the tasks of optimal control that are compared with other solvers."""

from __future__ import annotations

import numpy as np

import bough


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


def closed_chain(*, superfluous: bool = False) -> bough.Model:
    """The closed chain of [JM09], seven angles and two loops, with a motor at each pivot of its three arms."""
    system = bough.gallery.closed_chain()
    if superfluous:
        system.add(bough.PointConstraint("O", "O2", axis=(0.6, 0.0, 0.8)))
    for pivot in ("J", "K", "A"):
        system.add(bough.ConfigurationForce(pivot, f"{pivot}_torque"))
    system.add(bough.Damping(0.05))
    return system.build()
