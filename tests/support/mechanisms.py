"""Mechanisms with known motions, for long runs."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

import bough
from support.transforms import Array


def pendulum(links: int) -> bough.Model:
    """Links of 1 m with 1 kg and inertia 0.1 at the lower end, hinges about y."""
    system = bough.System(f"pendulum of {links}")
    frame = system.world
    for n in range(links):
        frame = frame.ry(f"q{n}").tz(-1.0, name=f"m{n}", mass=1.0, inertia=(0.1, 0.1, 0.1))
    return system.build()


CHAIN = {
    "J": 0.4,
    "H": -0.8,
    "K": -0.3,
    "M": -1.0,
    "A": 0.6,
    "C": 0.5,
    "E": 0.6,
}  # the closed chain, nearly assembled


def closed_chain() -> bough.Model:
    """The device of [JM09] Fig. 6, frame by frame as in Listing 1."""
    system = bough.System("closed chain", gravity=(0.0, 0.0, -9.81))
    j = system.world.ry("J", name="J")
    j.tz(-0.5, name="I", mass=1.0)
    h = j.tz(-1.0).ry("H", name="H")
    h.tz(-1.0, name="G", mass=1.0)
    h.tz(-2.0, name="O2")
    k = system.world.tx(-1.5).ry("K", name="K")
    k.tz(-1.0, name="L", mass=1.0)
    m = k.tz(-2.0).ry("M", name="M")
    m.tz(-0.5, name="N", mass=1.0)
    m.tz(-1.0, name="O")
    a = system.world.tx(1.5).ry("A", name="A")
    a.tz(-1.0, name="B", mass=1.0)
    c = a.tz(-2.0).ry("C", name="C")
    c.tz(-0.375, name="D", mass=1.0)
    e = c.tz(-0.75).ry("E", name="E")
    e.tz(-0.5, name="F", mass=1.0)
    e.tz(-1.0, name="G2")
    for first, second in (("G", "G2"), ("O", "O2")):
        for axis in ((1, 0, 0), (0, 0, 1)):
            system.add(bough.PointConstraint(first, second, axis=axis))
    return system.build()


def assembled(model: bough.Model, guess: dict[str, float]) -> Array:
    """A configuration near a guess that meets the constraints, by least squares."""
    found = least_squares(
        model.constraint, model.configuration(guess), model.constraint_dq, xtol=3e-16, ftol=3e-16, gtol=3e-16
    )
    assert np.max(np.abs(found.fun)) < 1e-13
    return found.x
