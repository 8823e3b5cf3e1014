"""Lesson: a string pulls, and never pushes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np

from bough.description.parameter import kinematic
from bough.description.system import System
from bough.elements.constraints import DistanceConstraint
from bough.lab.lesson import Curve, Lesson, Shown, Slider
from bough.simulate import simulate

LENGTH, DURATION, GRAVITY = 1.0, 4.0, 9.81

TEXT = """
A hand moves the upper end of a string up and down, z = A (1 − cos ωt). The load below follows, and the string
carries its weight and its inertia: **m (g + z″)**. The force comes out of the constraint, `run.lam`, and is
drawn beside this formula.

Move the hand faster. As soon as A ω² exceeds g the string would have to *push*: bough says when, with a
`SlackWarning`. *The strings of the marionette in [JM08] are of this kind.*
"""


def load(mass: float) -> System:
    """A load on a string whose upper end is moved."""
    system = System("load on a string", gravity=(0.0, 0.0, -GRAVITY))
    hand = system.world.tz(kinematic("hand"), name="hand")
    body = system.world.tx("x").ty("y").tz("z", name="load", mass=mass)
    system.add(DistanceConstraint(hand, body, LENGTH, wire=True, name="string"))
    return system


def _compute(values: Mapping[str, float]) -> Shown:
    mass, reach, omega = values["mass [kg]"], values["A [m]"], 2.0 * math.pi * values["frequency [1/s]"]
    model = load(mass).build()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        run = simulate(
            model,
            q={"z": -LENGTH},
            v={},
            k={"hand": lambda t: reach * (1.0 - math.cos(omega * t))},
            duration=DURATION,
            dt=0.002,
            progress=False,
        )
    pull = -np.asarray(run.lam[:, 0])
    formula = mass * (GRAVITY + reach * omega**2 * np.cos(omega * run.t))
    inside = slice(1, -1)  # the force of the first and the last row is that of half a step
    numbers = {
        "largest pull": f"{pull.max():.2f} N",
        "least": f"{pull.min():.2f} N",
        "A ω² / g": f"{reach * omega**2 / GRAVITY:.2f}",
        "the string": "would push: slack"
        if any("pushes" in str(each.message) for each in warned)
        else "is taut",
    }
    curve = Curve(
        "pull of the string [N]", run.t[inside], {"simulated": pull[inside], "m (g + z″)": formula[inside]}
    )
    return Shown(run, (curve,), numbers)


LESSON = Lesson(
    "strings",
    "Strings",
    TEXT,
    {
        "A [m]": Slider(0.0, 0.5, 0.01, 0.2),
        "frequency [1/s]": Slider(0.2, 2.0, 0.05, 0.8),
        "mass [kg]": Slider(0.5, 5.0, 0.5, 1.0),
    },
    _compute,
)
