"""Small motions that have joints and elements of every kind among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import bough

I = (0.1, 0.12, 0.15)


class Motion(NamedTuple):
    system: bough.System
    q: Any = None
    v: Any = None
    u: Any = None
    k: Any = None
    penalties: bool = True


def forces() -> Motion:
    system = bough.System("forces")
    b = system.world.ry("a").tz(-0.5, name="b", mass=1.0, inertia=I)
    c = b.tz(-0.5).rx("c").tx(0.3, name="c", mass=0.7, inertia=I)
    hook = system.world.tx(1.0, name="hook")
    system.add(bough.LinearSpring(c, hook, stiffness=20.0, rest_length=0.5))
    system.add(bough.ConfigurationSpring("c", 3.0))
    system.add(bough.TorsionSpring(b, c, 2.0))
    system.add(bough.Damping(0.2))
    system.add(bough.ConfigurationForce("a", "tau"))
    system.add(bough.BodyWrench(c, fx=1.0, ty="w"))
    system.add(bough.SpatialWrench(b, fy=0.5))
    system.add(bough.PointForce(c, fz=2.0, point=(0.1, 0.2, 0.0)))
    system.add(bough.LinearDamper(b, hook, 0.5))
    system.add(bough.Drag(c, 0.3))
    system.add(bough.CentralGravity(system.world.tx(-2.0, name="sun"), c, mu=3.0))
    return Motion(system, {"a": 0.4, "c": 0.3}, {"a": 1.0, "c": -1.0}, {"tau": 1.0, "w": 0.5})


def on_a_massless_link() -> Motion:
    """A spring that pulls at a link without mass, inside a chain of two joints."""
    system = bough.System("massless")
    middle = system.world.ry("a").tx(0.5, name="middle")
    middle.rz("b").tx(0.5, name="end", mass=1.0, inertia=I)
    system.add(bough.LinearSpring(middle, system.world.tz(1.0, name="hook"), stiffness=30.0, rest_length=0.2))
    return Motion(system, {"a": 0.3, "b": 0.2}, {"b": 1.0})


def shared() -> Motion:
    system = bough.System("shared")
    b = system.world.ry("a").tx(0.5, name="b", mass=1.0, inertia=I)
    c = b.tx(0.5).ry("a", ratio=-2.0, offset=0.3).tx(0.5, name="c", mass=1.0, inertia=I)
    c.rz("d").ty(0.2, name="d", mass=0.5, inertia=I)
    return Motion(system, {"a": 0.4, "d": 0.1}, {"a": 1.0, "d": -1.0})


def prescribed() -> Motion:
    system = bough.System("prescribed")
    b = system.world.tx(bough.kinematic("rail")).ry("a").tz(-0.5, name="b", mass=1.0, inertia=I)
    b.tz(-0.5).tz(bough.kinematic("reach")).ry("c").tz(-0.4, name="c", mass=1.0, inertia=I)
    k = {"rail": lambda t: 0.3 * np.sin(4 * t), "reach": lambda t: -0.1 * t * t}
    return Motion(system, {"a": 0.4}, {"a": 1.0}, k=k)


def massless_fork() -> Motion:
    """Two bodies hang from a link without mass."""
    system = bough.System("fork")
    fork = system.world.rx("u")
    fork.ry("y").tz(-0.5, name="b", mass=1.0, inertia=I)
    fork.rz("z").tx(0.5, name="c", mass=1.0, inertia=I)
    return Motion(system, {"u": 0.4, "y": 0.2, "z": 0.1}, {"u": 1.0, "y": -0.5}, penalties=False)


def point_masses() -> Motion:
    system = bough.System("points")
    elbow = system.world.rx("x").ry("y").tz(-1.0, name="elbow", mass=1.0)
    elbow.rx("x2").tz(-1.0, name="tip", mass=1.0)
    return Motion(system, {"x": 0.4, "x2": 0.5}, {"y": 1.0}, penalties=False)


def universal() -> Motion:
    system = bough.System("universal")
    b = system.world.rx("x").ry("y").tz(-0.5, name="b", mass=1.0, inertia=I)
    b.tz(-0.5).rx("x2").ry("y2").tz(-0.5, name="c", mass=1.0, inertia=I)
    return Motion(system, {"x": 0.4, "y": 0.2, "x2": -0.6}, {"x": 1.0, "y": -0.5, "y2": 2.0})


def helical() -> Motion:
    system = bough.System("helical")
    nut = system.world.helical("h", pitch=0.2, name="n", mass=1.0, inertia=I)
    nut.tx(0.4).prismatic("p", axis=(1, 1, 0), name="s", mass=0.5, inertia=I)
    return Motion(system, {"h": 0.4}, {"h": 3.0, "p": 0.3})


def gears() -> Motion:
    system = bough.System("gears")
    system.world.rx("g", name="w1", mass=1.0, inertia=I).ty(0.3, mass=0.3)
    system.world.tx(1.0).rx("h", name="w2", mass=1.0, inertia=I)
    system.add(bough.GearConstraint({"g": 1.0, "h": 2.0}))
    return Motion(system, None, {"g": 3.0, "h": -1.5})


def cam() -> Motion:
    system = bough.System("cam")
    system.world.rx("angle", name="cam", mass=1.0, inertia=I)
    system.world.tx(0.5).tz("lift", name="valve", mass=0.5, inertia=I)
    system.add(bough.CamConstraint("lift", "angle", bough.Sinusoid(amplitude=0.1, frequency=1.0, mean=0.2)))
    return Motion(system, {"angle": 0.0, "lift": 0.2}, {"angle": 4.0, "lift": 0.4})


def moving_wire() -> Motion:
    system = bough.System("wire")
    bob = system.world.tx("x").ty("y").tz("z", name="bob", mass=1.0, inertia=I)
    system.add(
        bough.DistanceConstraint(
            bob, "world", length=bough.Sinusoid(amplitude=0.1, frequency=3.0, mean=1.0), name="wire"
        )
    )
    q = {"x": 0.6, "z": -0.8}
    return Motion(system, q, {"x": 0.18, "z": -0.24, "y": 1.0})


def winch() -> Motion:
    """A wire whose length is a kinematic variable."""
    system = bough.System("winch")
    bob = system.world.tx("x").tz("z", name="bob", mass=1.0, inertia=I)
    system.add(bough.DistanceConstraint(bob, "world", length=bough.kinematic("length"), name="wire"))
    q = {"x": 0.6, "z": -0.8, "length": 1.0}
    return Motion(system, q, None, k={"length": lambda t: 1.0 - 0.2 * t * t})


def welded() -> Motion:
    system = bough.System("welded")
    b = system.world.ry("a").tx(0.5, name="b", mass=1.0, inertia=I)
    b.tx(0.5).rz("c").tx(0.5, name="c", mass=1.0, inertia=I)
    d = system.world.free("f", name="d", mass=1.0, inertia=I)
    system.add(bough.WeldConstraint(d, b))
    return Motion(system, {"f_tx": 0.5}, {"a": 1.0, "f_tz": -0.5, "f_ry": 1.0, "c": 1.0})


def on_a_plane() -> Motion:
    system = bough.System("plane")
    b = system.world.free("f", name="b", mass=1.0, inertia=I)
    system.add(bough.PlaneConstraint(b, "world", normal=(0.0, 0.6, 0.8)))
    system.add(bough.ParallelConstraint(b, "world", axis=(0, 0, 1)))
    return Motion(system, None, {"f_tx": 1.0, "f_rz": 2.0})


MOTIONS: list[Callable[[], Motion]] = [
    forces,
    on_a_massless_link,
    shared,
    prescribed,
    massless_fork,
    point_masses,
    universal,
    helical,
    gears,
    cam,
    moving_wire,
    winch,
    welded,
    on_a_plane,
]


def nonlinear() -> Motion:
    """Springs by polynomials, a beam, and forces of every form that `forces` leaves out."""
    system = bough.System("nonlinear")
    b = system.world.ry("a").tz(-0.5, name="b", mass=1.0, inertia=I)
    c = b.tz(-0.5).rx("c").tx(0.3, name="c", mass=0.7, inertia=I)
    hook = system.world.tx(1.0, name="hook")
    system.add(bough.NonlinearSpring(c, hook, polynomial=(0, 20, 0, 30), rest_length=0.5))
    system.add(bough.NonlinearConfigurationSpring("c", polynomial=(0, 2, 0, 3)))
    system.add(bough.HybridWrench(c, fx=1.0, ty=0.5))
    system.add(bough.FunctionForce("a", lambda t, q, v: np.sin(t) - 0.3 * v["a"]))
    return Motion(system, {"a": 0.4, "c": 0.3}, {"a": 1.0, "c": -1.0})


def beam() -> Motion:
    system = bough.System("beam")
    tip = system.world.free("f", name="tip", mass=1.0, inertia=I)
    system.add(bough.BeamElement("world", tip, length=1.0, axial=100.0, bending=8.0, torsion=5.0))
    return Motion(system, {"f_tx": 1.0}, {"f_tz": 0.3, "f_rx": 0.5})


def bead() -> Motion:
    system = bough.System("bead")
    b = system.world.tx("x").ty("y").tz("z", name="bead", mass=0.1)
    system.add(bough.LineConstraint(b, "world", axis=(1, 0, -1), origin=(0, 0, 1)))
    return Motion(system, {"z": 1.0}, {"x": 0.5, "z": -0.5})


def thread() -> Motion:
    system = bough.System("thread")
    system.world.cylindrical("turn", "advance", name="nut", mass=1.0, inertia=I)
    left = system.world.tx(1.0).ry("left")
    left.tz(-0.5, mass=1.0, inertia=I)
    system.world.tx(2.0).ry("right").tz(-0.3, mass=1.0, inertia=I)
    system.add(bough.ScrewConstraint("turn", "advance", pitch=0.1))
    system.add(bough.EqualityConstraint(("left", "right")))
    return Motion(system, {"left": 0.5, "right": 0.5}, {"turn": 3.0, "advance": 0.3})


def held_finger() -> Motion:
    """A tendon over two joints, one of them held by a servo."""
    system = bough.System("finger")
    middle = system.world.ry("knuckle").tz(-0.5, mass=1.0, inertia=I)
    middle.ry("joint").tz(-0.3, mass=0.5, inertia=I)
    system.add(bough.GearSpring({"knuckle": 1.0, "joint": 0.6}, stiffness=5.0))
    system.add(bough.Servo("knuckle", kp=20.0, kd=2.0, target="goal"))
    return Motion(system, {"knuckle": 0.4, "joint": 0.2}, None, {"goal": 0.5})


# Kinds of elements that are not in MOTIONS.
FURTHER: list[Callable[[], Motion]] = [nonlinear, beam, bead, thread, held_finger]
