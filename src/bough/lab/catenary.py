"""Lesson: a chain of rods at rest, beside the catenary."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.optimize import brentq

from bough.arguments import Array
from bough.gallery.cables import hanging_cable
from bough.lab.lesson import Curve, Lesson, Shown, Slider
from bough.motion.trajectory import Trajectory

LENGTH = 2.0

TEXT = """
Where does a chain hang? `model.equilibrium()` minimises its energy with the end held. With **more and shorter
links** it comes near the curve of Bernoulli, Huygens and Leibniz: z = a cosh(x / a). The distance falls with
the square of the number of links.

Pull the ends apart: the chain becomes flat, and the pull at its ends grows without bound.
"""


def catenary(x: Array, span: float, length: float) -> Array:
    """The height of the catenary between two points at height zero."""
    a = _parameter(span, length)
    return np.asarray(a * (np.cosh((x - span / 2.0) / a) - np.cosh(span / (2.0 * a))))


def _parameter(span: float, length: float) -> float:
    return float(brentq(lambda a: 2.0 * a * np.sinh(span / (2.0 * a)) - length, 1e-2 * span, 1e3 * span))


def _compute(values: Mapping[str, float]) -> Shown:
    links, span = round(values["links"]), values["span [m]"]
    model = hanging_cable(links, span=span, length=LENGTH).build()
    rest = model.equilibrium()
    run = Trajectory(model, [0.0], rest.q[None])
    names = [f"node{i}" for i in range(1, links)]
    nodes = np.array([(0.0, 0.0), *(model.pose(name, rest.q)[[0, 2], 3] for name in names), (span, 0.0)])
    exact = catenary(nodes[:, 0], span, LENGTH)
    pull = float(np.linalg.norm(rest.lam))
    numbers = {
        "sag": f"{-nodes[:, 1].min():.3f} m",
        "off the catenary": f"{np.abs(nodes[:, 1] - exact).max():.1e} m",
        "pull at an end": f"{pull:.2f} N",
        "rest": rest.stability,
    }
    curve = Curve("height [m]", nodes[:, 0], {"chain": nodes[:, 1], "catenary": exact}, over="x [m]")
    return Shown(run, (curve,), numbers)


LESSON = Lesson(
    "catenary",
    "The catenary",
    TEXT,
    {"links": Slider(4, 60, 1, 8), "span [m]": Slider(0.8, 1.95, 0.05, 1.5)},
    _compute,
)
