"""A warning if the steps of a run are too long for its motion: docs/theory/coarse_steps.md.

The core looks at the recorded rows, (CS1) to (CS4); here is what is said about it.

(CS5) dt (E_SMALL / e)^(1/order): the step that is proposed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import CoarseStepWarning, warn
from bough.motion.energy_check import unmoved
from bough.motion.servo_steps import stiffest
from bough.motion.trajectory import Trajectory

E_SMALL = 0.01  # of the largest kinetic energy: the energy error that a proposed step aims at
LEAST_SHOWN = 1e-4  # of the kinetic energy along chords, from which a frequency is told
FINE = 0.25  # w dt of a step that is proposed for a motion that steps jump over
SMALLEST, LARGEST = 1.0 / 32.0, 0.5  # of dt: steps that are proposed
ORDERS = {"semi-implicit-euler": 1, "rk4": 4}
NONE = np.zeros(0)


class Coarse(NamedTuple):
    """Steps that ended far from where the motion led: how many, and when the first one started."""

    number: int = 0
    time: float = 0.0


class Found(NamedTuple):
    """What is wrong with the steps of a run, and which part of dt to try."""

    text: str
    part: float


def warn_of_coarse_steps(run: Trajectory, work: Array, coarse: Coarse | None = None) -> None:
    """Warn at most once.

    Parameters
    ----------
    work : of the forces up to each row
    coarse : from a stepper that counts
    """
    found: Found | None = None
    model, settings, known = run.model, run.settings, run.__dict__
    if len(run.t) > 1 and model.nd > 0 and unmoved(run) and not (model._servos and _spends_on_purpose(run)):
        reduced = settings["integrator"] == "reduced"  # angles of a base may be other ones a step later
        kind, *numbers, shown = core.check_steps(
            model._core,
            run.t,
            run.q,
            known.get("p", NONE),
            known.get("v", NONE),
            run.u,
            work,
            settings["every"] == 1,
            not reduced,
            -1 if reduced else model._lock_angle,
        )
        if kind == core.Coarse.energy:
            found = _energy(run, *numbers)
        elif kind == core.Coarse.hidden:
            found = _hidden(run, numbers[0], shown)
    if found is None and coarse is not None and coarse.number > 0:
        found = _jumps(run, coarse)
    if found is not None:
        dt = settings["dt"]
        warn(
            f"{found.text}: dt = {dt:g} is too long for what happens there; try dt = {dt * found.part:.1g}",
            CoarseStepWarning,
        )


def _spends_on_purpose(run: Trajectory) -> bool:
    """Whether a servo spends energy within a step, because its gains are beyond what a step resolves."""
    return stiffest(run.model, np.asarray(run.q[0]), run.settings["dt"]) is not None


def _jumps(run: Trajectory, coarse: Coarse) -> Found:
    return Found(
        f"{coarse.number} of {run.statistics['steps']} steps of {run.model.name!r} ended far from where the"
        f" motion led, the first from t = {coarse.time:.4g} s",
        0.25,
    )


def _energy(run: Trajectory, kinetic: float, off: float, worst: int, first: int) -> Found:
    """An energy that is off (CS1)."""
    size = off / kinetic
    if math.isnan(size):  # of numbers too large to square
        size = math.inf
    times = f"{size:.0%} of" if size < 10.0 else f"{size:.2g} times"
    text = (
        f"the energy of {run.model.name!r} is off by {times} its largest kinetic energy ({off:.2g} J,"
        f" {kinetic:.2g} J) at t = {run.t[worst]:.4g} s, by more than {core.COARSE_ENERGY:.0%} from"
        f" t = {run.t[first]:.4g} s on"
    )
    return Found(text, _part((E_SMALL / size) ** (1.0 / _order(run))))  # (CS5)


def _hidden(run: Trajectory, kinetic: float, shown: float) -> Found:
    """Steps that jump over most of the motion (CS4)."""
    turn = 2.0 * math.sqrt(1.0 / max(shown, LEAST_SHOWN) - 1.0)  # w dt
    text = (
        f"the steps of {run.model.name!r} from t = {run.t[0]:.4g} s on show {shown:.0%} of its kinetic energy"
        f" of up to {kinetic:.2g} J: it swings by about {turn:.2g} rad in each of them"
    )
    return Found(text, _part(FINE / turn))


def _order(run: Trajectory) -> int:
    settings = run.settings
    if settings.get("alpha", 0.5) != 0.5:
        return 1
    return ORDERS.get(settings["integrator"], int(settings.get("order", 2)))


def _part(part: float) -> float:
    return min(max(part, SMALLEST), LARGEST) if math.isfinite(part) else SMALLEST
