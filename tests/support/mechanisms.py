"""Mechanisms with known motions, for long runs."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

import bough
from bough import gallery
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


def listing_1() -> bough.System:
    """The device of [JM09] Fig. 6 with the four constraints of Listing 1, which has no start."""
    whole = gallery.closed_chain().to_dict()
    system = bough.System.from_dict({key: whole[key] for key in ("bough", "name", "gravity", "frames")})
    for first, second in (("G", "G2"), ("O", "O2")):
        for axis in ((1, 0, 0), (0, 0, 1)):
            system.add(bough.PointConstraint(first, second, axis=axis))
    return system


def closed_chain() -> bough.Model:
    """The system of Listing 1."""
    return listing_1().build()


def assembled(model: bough.Model, guess: dict[str, float]) -> Array:
    """A configuration near a guess that meets the constraints, by least squares."""
    found = least_squares(
        model.constraint, model.configuration(guess), model.constraint_dq, xtol=3e-16, ftol=3e-16, gtol=3e-16
    )
    assert np.max(np.abs(found.fun)) < 1e-13
    return found.x
