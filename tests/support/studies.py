"""Problems of ensembles, of every kind that is made in its own way; in a module that other processes import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import bough


def arm() -> bough.System:
    """Two links with a length to choose, damped and driven."""
    system = bough.System("arm")
    length = system.parameter("length", 1.0)
    elbow = system.world.ry("shoulder").tz(-length, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-0.5 * length, name="tip", mass=system.parameter("load", 0.5))
    system.add(bough.Damping(0.02))
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    return system


def loop() -> bough.System:
    """A pendulum of two links whose tip slides on a rail of prescribed height."""
    system = bough.System("loop")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    tip = elbow.ry("b").tz(-system.parameter("length", 1.0), name="tip", mass=1.0)
    rail = system.world.tz(-1.0).tz(bough.kinematic("height"), name="rail")
    system.add(bough.PointConstraint(tip, rail, axis=(0, 0, 1)))
    return system


@dataclass(frozen=True)
class Pull(bough.Potential):
    """A user's potential."""

    stiffness: float

    def energy(self, at: Any) -> Any:
        return self.stiffness * at.q["shoulder"] ** 2

    def gradient(self, at: Any) -> Any:
        return {"shoulder": 2 * self.stiffness * at.q["shoulder"]}

    def hessian(self, at: Any) -> Any:
        return {("shoulder", "shoulder"): 2 * self.stiffness}


def own_element() -> bough.Model:
    system = arm()
    system.add(Pull(system.parameter("pull", 2.0)))
    return system.build()


def top() -> bough.System:
    """A floating body with an arm on a ball."""
    system = bough.System("top")
    hull = system.world.floating("hull", name="hull", mass=1.0, inertia=(0.1, 0.2, 0.3))
    hull.tx(0.4).ball("shoulder").tz(
        -0.3, name="hand", mass=system.parameter("load", 0.2), inertia=(0.01,) * 3
    )
    return system


def hopper() -> bough.System:
    """A ball on a string that bounces on a floor, beside a stop: contacts of three kinds."""
    system = bough.System("hopper")
    ball = system.world.tx("x").tz("z", name="ball", mass=1.0)
    bounce = system.parameter("bounce", 0.7)
    system.add(bough.PlaneContact(ball, radius=0.1, friction=0.3, restitution=bounce, name="floor"))
    system.add(bough.String(system.world.tz(2.0, name="hook"), ball, length=1.95, name="string"))
    system.add(bough.JointLimit("x", upper=0.5))
    return system


def climbing(t: float) -> float:
    return 0.1 * t


ARM = arm().build()
LOOP = loop().build()
TOP = top().build()
HOPPER = hopper().build()
ANGLES = [-1.2, 0.3, 0.8]
AB = [LOOP.assemble(q={"a": a, "b": -2 * a}).q for a in (0.4, 0.6)]
CASES: dict[str, tuple[Callable[[], bough.Problem], dict[str, Any]]] = {
    "starts": (
        lambda: bough.Problem(ARM, v={"forearm": 1.0}, duration=0.5, dt=0.01, every=7),
        {"q.shoulder": ANGLES, "v.shoulder": [0.0, 2.0]},
    ),
    "rows": (
        lambda: bough.Problem(ARM, duration=0.5, dt=0.01),
        {"q": [[0.1, 0.2], [0.3, -0.4]], "v": [[0, 0], [1, 2]]},
    ),
    "momenta": (
        lambda: bough.Problem(ARM, p=[0.5, 0.1], duration=0.5),
        {"q.shoulder": ANGLES, "p.forearm": [0, 1]},
    ),
    "inputs": (lambda: bough.Problem(ARM, {"shoulder": 1.0}, duration=0.3), {"u.torque": [0.0, 2.0, -1.0]}),
    "short last step": (lambda: bough.Problem(ARM, duration=0.305, dt=0.01, every=4), {"q.forearm": ANGLES}),
    "changing inputs": (
        lambda: bough.Problem(ARM, u={"torque": np.sin}, duration=0.3),
        {"q.shoulder": ANGLES, "parameter.length": [0.8, 1.2]},
    ),
    "parameters": (
        lambda: bough.Problem(ARM, {"shoulder": 1.0}, {"forearm": -1.0}, duration=0.3),
        {"parameter.length": [0.7, 1.0, 1.3], "parameter.load": [0.1, 2.0]},
    ),
    "trapezoidal": (
        lambda: bough.Problem(ARM, duration=0.3, integrator="trapezoidal", order=4),
        {"q.shoulder": ANGLES},
    ),
    "constraints": (
        lambda: bough.Problem(LOOP, AB[0], k={"height": climbing}, duration=0.3),
        {"v.a": [0.0, 0.5]},
    ),
    "constrained starts": (lambda: bough.Problem(LOOP, AB[0], duration=0.3), {"q": AB}),
    "order 4": (lambda: bough.Problem(ARM, duration=0.3, order=4), {"q.shoulder": ANGLES}),
    "rk4": (lambda: bough.Problem(ARM, duration=0.3, integrator="rk4"), {"q.shoulder": ANGLES}),
    "feedback": (
        lambda: bough.Problem(ARM, u=lambda t, state: [-state.q[0]], duration=0.3),
        {"q.shoulder": ANGLES},
    ),
    "user's element": (
        lambda: bough.Problem(own_element(), duration=0.3),
        {"q.shoulder": ANGLES, "parameter.pull": [1.0, 3.0]},
    ),
    "kinematic": (lambda: bough.Problem(LOOP, AB[0], duration=0.1, assemble=True), {"q.height": [0.0, 0.05]}),
    "balls": (
        lambda: bough.Problem(TOP, v={"hull_wx": 5.0, "hull_wy": 0.1}, duration=0.1),
        {"q": [TOP.neutral(), TOP.random(np.random.default_rng(1))], "v.shoulder_wz": [0.0, 2.0]},
    ),
    "loads on balls": (
        lambda: bough.Problem(TOP, v={"hull_wx": 5.0}, duration=0.1),
        {"parameter.load": [0.1, 0.3], "q.hull_tx": [0.0, 1.0]},
    ),
    "contacts": (
        lambda: bough.Problem(HOPPER, {"z": 0.5}, {"x": 1.0}, duration=0.8),
        {"q.z": [0.15, 0.6], "v.x": [0.0, 2.0], "parameter.bounce": [0.0, 0.9]},
    ),
}
HARD = ("balls", "contacts", "constraints", "user's element")  # what runs one after the other


def highest(run: bough.Trajectory) -> dict[str, Any]:
    return {"height": run.pose("tip")[:, 2, 3].max(), "energy": run.energy()[-1], "end": run.q[-1]}


class Integral:
    """A controller with a memory."""

    def __init__(self, gain: float) -> None:
        self.gain = gain
        self.sum = 0.0

    def reset(self) -> None:
        self.sum = 0.0

    def __call__(self, t: float, state: bough.State) -> list[float]:
        self.sum += 0.01 * state.q[0]
        return [-self.gain * self.sum]


def constant(gain: float) -> Callable[[float, bough.State], list[float]]:
    return lambda t, state: [-gain * state.q[0]]


class Held:
    """What no pickle can hold."""

    def __reduce__(self) -> Any:
        raise TypeError("held")

    def __call__(self, t: float) -> float:
        return t
