"""Systems that every formulation can run: all bodies have inertia about all axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import bough
from support.transforms import Array


class Case(NamedTuple):
    """A model with a start that meets its constraints."""

    model: bough.Model
    q: Array
    v: Array


def double_pendulum() -> Case:
    system = bough.System("double pendulum")
    elbow = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.02)).tz(-0.5)
    elbow.ry("elbow").tz(-0.5, name="lower", mass=1.0, inertia=(0.1, 0.1, 0.02))
    return Case(system.build(), np.array([0.8, 0.3]), np.array([0.5, -1.0]))


def closed_chain() -> Case:
    """A four-bar linkage of rods, closed by a point constraint in its plane."""
    system = bough.System("four bars")
    crank = system.world.ry("crank")
    crank.tx(0.5, name="crank rod", mass=1.0, inertia=(0.02, 0.1, 0.1))
    coupler = crank.tx(1.0).ry("coupler")
    coupler.tx(0.75, name="coupler rod", mass=1.0, inertia=(0.02, 0.2, 0.2))
    rocker = system.world.tx(1.5, name="pivot").ry("rocker")
    rocker.tx(0.5, name="rocker rod", mass=1.0, inertia=(0.02, 0.1, 0.1))
    for axis in ((1, 0, 0), (0, 0, 1)):
        system.add(bough.PointConstraint(coupler.tx(1.5), rocker.tx(1.0), axis=axis, name=f"pin{axis[0]}"))
    model = system.build()
    start = model.assemble(q={"crank": 1.0, "coupler": -0.9, "rocker": 1.0}, hold="crank")
    return Case(model, start.q, start.v)


def free_chain() -> Case:
    """Three bodies adrift: a free one, one on a ball joint, one on a hinge."""
    system = bough.System("free chain", gravity=(0, 0, 0))
    base = system.world.free("base", name="base", mass=2.0, inertia=(0.3, 0.2, 0.4))
    arm = base.tx(0.5).spherical("ball").tx(0.4, name="arm", mass=1.0, inertia=(0.05, 0.1, 0.1))
    arm.tx(0.4).rz("hinge").tx(0.3, name="hand", mass=0.5, inertia=(0.02, 0.05, 0.05))
    model = system.build()
    q = {"base_rz": 0.2, "base_ry": -0.3, "ball_ry": 0.4, "hinge": 0.5}
    v = {"base_tx": 0.3, "base_rz": 0.7, "base_rx": -0.5, "ball_rx": 0.6, "ball_rz": -0.4, "hinge": 1.0}
    return Case(model, model.configuration(q), model.configuration(v))


def gyroscope() -> Case:
    """A fast top on a ball joint under gravity."""
    system = bough.System("gyroscope")
    tilt = system.world.rz("precession").ry("nutation").rz("spin")
    tilt.tz(0.3, name="disc", mass=1.0, inertia=(0.02, 0.02, 0.04))
    return Case(system.build(), np.array([0.1, 0.5, 0.0]), np.array([0.0, 0.0, 30.0]))


CASES: dict[str, Callable[[], Case]] = {
    "double pendulum": double_pendulum,
    "closed chain": closed_chain,
    "free chain": free_chain,
    "gyroscope": gyroscope,
}


def error(case: Case, run: bough.Trajectory, reference: bough.Trajectory) -> float:
    """The largest distance between the last places of all named frames of two runs."""
    frames = [name for name in case.model.frames if name[0] != "#"]
    poses = [case.model.pose(name, np.array([run.q[-1], reference.q[-1]])) for name in frames]
    return max(float(np.abs(pair[0] - pair[1]).max()) for pair in poses)
