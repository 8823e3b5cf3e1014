"""The scissor lift of [JM09] VI.C in every engine, by its angle."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.arguments import Array
from bough.gallery import scissor_lift, scissor_lift_angle
from bough.model import Model
from bough.peers import with_inertia
from bough.simulate import simulate

THETA = 0.6


def lift(segments: int) -> Model:
    """The lift; the slider, which does not turn, has an inertia for those engines that need one."""
    return with_inertia(scissor_lift(segments, theta=THETA), 0.01).build()


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
    """From the horizontal, of the link that hangs on the pin."""
    pose = peer.pose("a1")
    return float(np.arctan2(-pose[2, 0], pose[0, 0]))
