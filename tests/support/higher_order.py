"""Motions that measure the order of an integrator: a chain, loops, forces, inputs, prescribed motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import bough
from support.mechanisms import assembled
from support.transforms import Array

I = (0.1, 0.1, 0.1)


def _nothing(t: float) -> Array:
    return np.zeros(0)


@dataclass
class Case:
    """A model, the arguments of `simulate` and, for the truth, u(t) and vk(t), ak(t) of k(t)."""

    model: bough.Model
    start: dict[str, Any]
    u: Callable[[float], Array] = field(default=_nothing)
    k: Callable[[float], tuple[Array, Array, Array]] = field(
        default=lambda t: (np.zeros(0), np.zeros(0), np.zeros(0))
    )

    def truth(self, times: Array) -> Array:
        """Configurations at these times, from DOP853 on the accelerations; constraints are projected."""
        model, nd = self.model, self.model.nd
        if model.nc:
            run = bough.simulate(
                model,
                **self.start,
                duration=times[-1],
                dt=times[1],
                integrator="dop853",
                rtol=1e-13,
                atol=1e-14,
                stabilization="projection",
            )
            return run.q
        q0 = bough.MidpointVI(model, 0.1).start(self.start.get("q"))

        def rate(t: float, y: Array) -> Array:
            k, vk, ak = self.k(t)
            q, v = np.append(y[:nd], k), np.append(y[nd:], vk)
            return np.append(y[nd:], model.acceleration(q, v, self.u(t), ak=ak)[:nd])

        begin = np.append(np.asarray(q0.q)[:nd], np.zeros(nd))
        found = solve_ivp(rate, (0.0, times[-1]), begin, "DOP853", times, rtol=1e-13, atol=1e-14)
        return np.column_stack([found.y[:nd].T, [self.k(t)[0] for t in times]])


def pendulum_of_five() -> Case:
    system = bough.System("pendulum")
    link = system.world
    for n in range(5):
        link = link.ry(f"a{n}").tz(-1.0, mass=1.0)
    return Case(system.build(), {"q": {"a0": np.pi / 4}})


def slider_crank() -> Case:
    system = bough.System("slider crank")
    crank = system.world.ry("crank")
    crank.tz(-0.5, mass=1.0, inertia=I)
    rod = crank.tz(-1.0).ry("rod")
    rod.tz(-0.5, mass=1.0, inertia=I)
    system.add(bough.PointConstraint(rod.tz(-1.0), system.world.frame("rail"), axis=(1, 0, 0)))
    model = system.build()
    return Case(model, {"q": assembled(model, {"crank": 0.3, "rod": -0.6})})


def four_bar() -> Case:
    system = bough.System("four-bar")
    first = system.world.ry("crank")
    first.tz(-0.25, mass=1.0, inertia=(0.02, 0.02, 0.01))
    second = first.tz(-0.5).ry("coupler")
    middle = second.tz(-0.6, mass=2.0, inertia=(0.2, 0.2, 0.01))
    third = system.world.tx(1.0).ry("rocker")
    third.tz(-0.45, mass=1.5, inertia=I)
    ends = second.tz(-1.2), third.tz(-0.9)
    for axis in ((1, 0, 0), (0, 0, 1)):
        system.add(bough.PointConstraint(*ends, axis=axis))
    hook = system.world.tz(-1.5, name="hook")
    system.add(bough.LinearSpring(middle, hook, 20.0, 0.3))
    system.add(bough.LinearDamper(middle, hook, 2.0))
    system.add(bough.Damping({"crank": 0.1}))
    model = system.build()
    return Case(model, {"q": assembled(model, {"crank": 0.4, "coupler": -1.5, "rocker": 0.2})})


def driven_arm() -> Case:
    """A cart that moves as prescribed, an elbow that a motor turns."""
    system = bough.System("arm")
    shoulder = system.world.tx(bough.kinematic("cart")).ry("shoulder")
    shoulder.tz(-0.5, mass=1.0, inertia=I)
    shoulder.tz(-1.0).ry("elbow").tz(-0.4, mass=0.7, inertia=(0.05, 0.05, 0.05))
    system.add(bough.ConfigurationForce("elbow", "torque"))
    system.add(bough.Damping({"shoulder": 0.2}))
    start = {
        "q": {"shoulder": 0.5, "elbow": 0.3},
        "v": {"cart": 0.6},
        "u": {"torque": lambda t: 2.0 * np.sin(3.0 * t)},
        "k": {"cart": lambda t: 0.3 * np.sin(2.0 * t)},
    }
    return Case(
        system.build(),
        start,
        lambda t: np.array([2.0 * np.sin(3.0 * t)]),
        lambda t: (
            np.array([0.3 * np.sin(2.0 * t)]),
            np.array([0.6 * np.cos(2.0 * t)]),
            np.array([-1.2 * np.sin(2.0 * t)]),
        ),
    )


def moving_constraint() -> Case:
    """Two links whose end hangs from a wire that a winch pulls in and lets out."""
    system = bough.System("winch")
    first = system.world.ry("a")
    first.tz(-0.5, mass=1.0, inertia=I)
    end = first.tz(-1.0).ry("b").tz(-1.0, name="end", mass=0.5)
    length = bough.Sinusoid(amplitude=0.2, frequency=3.0, mean=1.2)
    system.add(bough.DistanceConstraint(end, system.world.tx(0.2, name="hook"), length))
    model = system.build()
    return Case(model, {"q": assembled(model, {"a": 0.8, "b": -1.6})})


CASES = {
    case.__name__: case for case in (pendulum_of_five, slider_crank, four_bar, driven_arm, moving_constraint)
}
