"""A warning if the steps of a run are too long for its motion: docs/theory/coarse_steps.md.

    e = E(q, p) - E(q0, p0) - W          the energy that nothing explains, W from (S5)                        (CS1)
    s = |(p+ - 2 p + p-) . (q+ - q)|     rows where it is largest are checked, and some at equal distances    (CS2)
    c = (p + p+) . (q+ - q) / (4 dt)     the kinetic energy along a chord, 1 / (1 + (w dt / 2)^2) of that of
                                         the nodes if the motion has the frequency w                          (CS3)
    dt (E_SMALL / e)^(1/order)           the step that is proposed                                            (CS4)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bough._conservative import AT_REST, COARSE_ENERGY, Rows, unmoved
from bough._core import core
from bough.arguments import Array
from bough.errors import CoarseStepWarning, warn
from bough.trajectory import Trajectory

E_SMALL = 0.01  # of the largest kinetic energy: the energy error that a proposed step aims at
EVEN_ROWS = 48  # at equal distances
ROUGH_ROWS = 32  # of the largest (CS2)
CHUNK = 8192  # rows of which (CS2) is computed at a time
SEEN = 0.5  # of the kinetic energy of the nodes that chords show; less is a motion that the steps jump over
CHORDS = 8  # steps from which on that is judged
FINE = 0.25  # w dt of a step that is proposed for such a motion
SMALLEST, LARGEST = 1.0 / 32.0, 0.5  # of dt: steps that are proposed
ORDERS = {"semi-implicit-euler": 1, "rk4": 4}


class Coarse(NamedTuple):
    """Steps that ended far from where the motion led: how many, and when the first one started."""

    count: int = 0
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
    found = _energy(run, work) or _jumps(run, coarse)
    if found is None:
        return
    dt = run.settings["dt"]
    warn(
        f"{found.text}: dt = {dt:g} is too long for what happens there; try dt = {dt * found.part:.1g}",
        CoarseStepWarning,
    )


def _jumps(run: Trajectory, coarse: Coarse | None) -> Found | None:
    if coarse is None or coarse.count == 0:
        return None
    return Found(
        f"{coarse.count} of {run.statistics['steps']} steps of {run.model.name!r} ended far from where the"
        f" motion led, the first from t = {coarse.time:.4g} s",
        0.25,
    )


def _energy(run: Trajectory, work: Array) -> Found | None:
    """Whether the energy is off (CS1), or chords show too little of it (CS3)."""
    if len(run) < 2 or run.model.nd == 0 or not unmoved(run):
        return None
    rows = _rows(run)
    kinetic, potential = _energies(run, rows)
    largest = float(kinetic.max(initial=0.0))
    if not largest > AT_REST * run.model.total_mass:
        return None
    off = np.abs(kinetic + potential - (kinetic[0] + potential[0]) - work[rows])  # (CS1)
    worst = int(np.argmax(off))
    size = off[worst] / largest
    if size > COARSE_ENERGY:
        percent = f"{size:.0%}" if size < 10.0 else f"{size:.1g} times"
        text = (
            f"the energy of {run.model.name!r} is off by {percent} of its largest kinetic energy"
            f" ({off[worst]:.2g} of {largest:.2g} J) at t = {run.t[rows[worst]]:.4g} s"
        )
        return Found(text, _part((E_SMALL / size) ** (1.0 / _order(run))))  # (CS4)
    return _hidden(run, rows, kinetic)


def _hidden(run: Trajectory, rows: Rows, kinetic: Array) -> Found | None:
    """Whether the steps jump over most of the motion (CS3)."""
    starts = rows[:-1]  # of steps; the last row is always among them
    if run.settings["every"] != 1 or len(starts) < CHORDS or "p" not in run.__dict__:
        return None
    chords = (run.p[starts] + run.p[starts + 1]) * (run.q[starts + 1] - run.q[starts])[:, : run.model.nd]
    steps = (run.t[starts + 1] - run.t[starts])[:, None]
    shown = float((chords / (4.0 * steps)).sum() / max(kinetic[:-1].sum(), np.finfo(float).tiny))
    if shown > SEEN:
        return None
    turn = 2.0 * math.sqrt(1.0 / max(shown, 1e-6) - 1.0)  # w dt
    text = (
        f"the steps of {run.model.name!r} show {max(shown, 0.0):.0%} of its kinetic energy, at most"
        f" {kinetic.max():.2g} J, from t = {run.t[0]:.4g} s on: what moves swings by {turn:.2g} rad in each step"
    )
    return Found(text, _part(FINE / turn))


def _order(run: Trajectory) -> float:
    settings = run.settings
    if settings.get("alpha", 0.5) != 0.5:
        return 1
    return ORDERS.get(settings["integrator"], settings.get("order", 2))


def _part(part: float) -> float:
    return min(max(part, SMALLEST), LARGEST) if math.isfinite(part) else SMALLEST


def _rows(run: Trajectory) -> Rows:
    """Rows at which the energy is checked, in order, the first and the last among them."""
    count = len(run)
    if count <= EVEN_ROWS + ROUGH_ROWS:
        return np.arange(count)
    even = np.linspace(0, count - 1, EVEN_ROWS).astype(np.intp)
    score = _roughness(run)
    rough = np.argpartition(score, -ROUGH_ROWS)[-ROUGH_ROWS:] + 1
    return np.unique(np.concatenate([even, rough]))


def _roughness(run: Trajectory) -> Array:
    """(CS2) of all rows but the first and the last; of a method without momenta, with velocities."""
    nd = run.model.nd
    p = run.p if "p" in run.__dict__ else run.v[:, :nd]
    score = np.empty(len(run) - 2)
    for first in range(0, len(score), CHUNK):
        part = slice(first, first + CHUNK + 2)
        bend = np.diff(p[part], 2, axis=0)
        score[first : first + CHUNK] = np.einsum("ij,ij->i", bend, np.diff(run.q[part, :nd], axis=0)[1:])
    return np.abs(score, out=score)


def _energies(run: Trajectory, rows: Rows) -> tuple[Array, Array]:
    """Kinetic and potential energy in some rows; none of singular configurations, which have no velocities.

    The core is called directly: of a run of ten steps, checks of arguments would take a third.
    """
    model, q = run.model, run.q[rows]
    potential = np.empty(len(rows))
    core.potential_energy(model._core, q, potential)
    if "v" in run.__dict__:
        v = np.ascontiguousarray(run.v[rows])
        kinetic = np.empty(len(rows))
        core.kinetic_energy(model._core, q, v, kinetic)
        return kinetic, potential
    p, v = run.p[rows], np.zeros_like(q)  # what is kinematic does not move
    failed, _ = core.velocity_from_momentum(model._core, q, p, np.ascontiguousarray(run.t[rows]), v)
    if failed >= 0:
        return np.zeros(0), np.zeros(0)
    return 0.5 * np.einsum("ij,ij->i", p, v[:, : model.nd]), potential
