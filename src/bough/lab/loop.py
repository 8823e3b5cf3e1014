"""Lesson: closing a loop."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bough.arguments import Array
from bough.description.parameter import kinematic
from bough.description.system import System
from bough.elements.constraints import PointConstraint
from bough.errors import BoughError
from bough.lab.lesson import Curve, Lesson, Shown, Slider
from bough.motion.trajectory import Trajectory

GROUND, POSITIONS = 1.0, 121
TURN = 4.0  # duration of a turn in the picture, in s
PLANE = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))

TEXT = """
A loop is a tree with a constraint: crank and coupler on one branch, the rocker on another, and a pin between
their ends. `model.assemble` finds the nearest configuration that meets it, so that a crank turned by hand
takes the rocker along.

The shortest link can turn all the way if it and the longest are **no longer than the other two** (Grashof).
Lengthen the crank and see where it locks. The rocker is drawn beside Freudenstein's equation.
"""


def four_bar(crank: float, coupler: float, rocker: float) -> System:
    """A four-bar linkage whose crank is turned."""
    system = System("four-bar")
    end = system.world.ry(kinematic("crank")).tx(crank, name="crank end", mass=0.2)
    tip = end.ry("coupler").tx(coupler, name="coupler end", mass=0.5)
    other = system.world.tx(GROUND).ry("rocker").tx(rocker, name="rocker end", mass=0.4)
    system.add(PointConstraint(tip, other, axes=PLANE, name="pin"))
    return system


def freudenstein(angle: Array, crank: float, coupler: float, rocker: float) -> Array:
    """The angle of the rocker that is up, NaN where the loop cannot close.

    With the crank at c = (a cos φ, -a sin φ), the pin is c + b e and (g, 0) + r e′, hence |(g, 0) + r e′ − c| = b:
    with d = c − (g, 0), |d|² + r² − 2 r d·e′ = b² gives the angle between e′ and d.
    """
    x, z = crank * np.cos(angle) - GROUND, -crank * np.sin(angle)
    far = np.hypot(x, z)
    cosine = (far**2 + rocker**2 - coupler**2) / (2.0 * rocker * far)
    reachable = np.abs(cosine) <= 1.0
    between = np.arccos(np.clip(cosine, -1.0, 1.0))
    return np.where(reachable, -(np.arctan2(z, x) - between), np.nan)


def _compute(values: Mapping[str, float]) -> Shown:
    lengths = [values[f"{name} [m]"] for name in ("crank", "coupler", "rocker")]
    model = four_bar(*lengths).build()
    angles = np.linspace(0.0, 2.0 * np.pi, POSITIONS)
    closes = np.isfinite(freudenstein(angles, *lengths))
    if closes.any() and not closes.all():  # from where it begins to close to where it locks
        angles = angles + angles[int(np.argmax(closes & ~np.roll(closes, 1)))]
    exact = freudenstein(angles, *lengths)
    found: list[Array] = []
    q = {"coupler": -0.6, "rocker": float(np.nan_to_num(exact[0]))}
    for angle in angles:
        try:
            state = model.assemble({**q, "crank": float(angle)}, hold=("crank",)).q
        except BoughError:
            break
        found.append(state)
        q = dict(zip(model.variables, state.tolist(), strict=True))
    locked = float(angles[len(found)]) if len(found) < POSITIONS else None
    rows = np.array(found) if found else model.configuration({})[None]
    run = Trajectory(model, np.linspace(0.0, TURN * len(rows) / POSITIONS, len(rows)), rows)
    rocker = np.full(POSITIONS, np.nan)
    rocker[: len(found)] = [row[model.variables.index("rocker")] for row in found]
    away = np.angle(np.exp(1j * (rocker - exact)))
    shortest, longest = min(*lengths, GROUND), max(*lengths, GROUND)
    grashof = 2.0 * (shortest + longest) <= sum(lengths) + GROUND
    numbers = {
        "shortest + longest − the others": f"{2.0 * (shortest + longest) - sum(lengths) - GROUND:+.2f} m",
        "Grashof": "the shortest link turns" if grashof else "no link turns all the way",
        "the crank": _how(locked, bool(found)),
        "the pin is open by": f"{np.abs(model.constraint(rows)).max():.0e} m",
    }
    curve = Curve(
        "angle of the rocker [rad]",
        angles,
        {"assembled": rocker, "Freudenstein": rocker - away},
        over="angle of the crank [rad]",
    )
    return Shown(run, (curve,), numbers)


def _how(locked: float | None, closed: bool) -> str:
    if not closed:
        return "the loop cannot be closed"
    return "turns" if locked is None else f"locks at {np.degrees(locked) % 360.0:.0f}°"


LESSON = Lesson(
    "loop",
    "Closing a loop",
    TEXT,
    {
        "crank [m]": Slider(0.1, 0.9, 0.05, 0.3),
        "coupler [m]": Slider(0.4, 1.5, 0.05, 1.0),
        "rocker [m]": Slider(0.3, 1.2, 0.05, 0.7),
    },
    _compute,
)
