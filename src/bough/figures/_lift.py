"""The scissor lift of [JM09] VI.C in every engine, by its angle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.description.frame import Frame
from bough.description.start import Start
from bough.description.system import System
from bough.elements.constraints import PointConstraint
from bough.gallery import scissor_lift, scissor_lift_angle
from bough.model.model import Model
from bough.simulate import simulate

THETA = 0.6


def lift(segments: int) -> Model:
    """The lift of the gallery."""
    return scissor_lift(segments, theta=THETA).build()


def lift_of_bodies(segments: int) -> Model:
    """The same mechanism in a form that other engines accept: the slider is a body of its own on a rail.

    Two chains of links zig-zag down from the pin and from the slider, pinned to each other at their middles.
    The slider does not turn; its inertia is there because these engines ask for one.
    """
    system = System("scissor_lift", gravity=(0.0, 0.0, -9.81))
    slider = system.world.tx("slider", name="slider", mass=1.0, inertia=(0.01, 0.01, 0.01))
    ends: dict[str, Frame] = {"a": system.world, "b": slider}
    q = {"slider": math.cos(THETA)}
    for n in range(1, segments + 1):
        for chain, end in ends.items():
            right = (n % 2 == 1) == (chain == "a")
            fold = 2.0 * THETA - math.pi
            q[f"{chain}{n}"] = (THETA if right else math.pi - THETA) if n == 1 else fold if right else -fold
            link = end.ry(f"{chain}{n}")
            link.tx(0.5, name=f"{chain}{n}", mass=1.0, inertia=(0.0, 0.01, 0.01))
            ends[chain] = link.tx(1.0)
        system.add(PointConstraint(f"a{n}", f"b{n}", axes=((1, 0, 0), (0, 0, 1)), name=f"pin{n}"))
    system.start = Start(q=q)
    return system.build()


def exact(t: Array, segments: int) -> Array:
    """The angle of the exact solution."""
    return scissor_lift_angle(t, segments, theta=THETA)


def ours(model: Model, duration: float, steps: int, every: int = 1, order: int = 2) -> tuple[Array, Array]:
    """Times and angles of the midpoint rule, up to a step that fails."""
    run = simulate(model, duration=duration, dt=duration / steps, every=every, order=order, on_failure="stop")
    return run.t, run["theta"]


def theirs(peer: Any, count: int, every: int) -> Array:
    """The angle of the first link now, and after each of `count` times `every` steps."""
    angles = [_angle(peer)]
    for _ in range(count):
        peer.step(every)
        angles.append(_angle(peer))
    return np.array(angles)


def _angle(peer: Any) -> float:
    """The angle from the horizontal of the link that hangs on the pin."""
    pose = peer.pose("a1")
    return float(np.arctan2(-pose[2, 0], pose[0, 0]))
