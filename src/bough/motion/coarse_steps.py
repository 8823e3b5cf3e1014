"""A warning if the steps of a run are too long for its motion: docs/theory/coarse_steps.md.

(CS1) e = E - E0 - W: the energy that nothing explains; W is the work of forces, as of (S6).
(CS2) dt (P0 + 4 P + P1) / 6: that work in a step, from powers at its ends and in the middle of the cubic
      curve between them. It differs from that of the chord if damping or springs make a step jump.
(CS3) |(p+ - 2 p + p-) . (q+ - q)|: rows in which this is largest are checked, and some at equal distances.
(CS4) T((q + q+) / 2, (q+ - q) / dt): the kinetic energy along a chord, 1 / (1 + (w dt / 2)^2) of that of the
      nodes in a motion of the frequency w.
(CS5) dt (E_SMALL / e)^(1/order): the step that is proposed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import CoarseStepWarning, warn
from bough.motion.energy_check import AT_REST, COARSE_ENERGY, Rows, unmoved
from bough.motion.gimbal_lock import near_lock
from bough.motion.servo_steps import stiffest
from bough.motion.trajectory import Trajectory

E_SMALL = 0.01  # of the largest kinetic energy: the energy error that a proposed step aims at
ALL_ROWS = 40  # all rows of a run of no more are checked
EVEN_ROWS = (16, 48)  # at equal distances, at least and at most: one for every 32 rows of a run
ROUGH_ROWS = (16, 32)  # of the largest (CS3), likewise
CHUNK = 8192  # rows of which (CS3) is computed at a time
SEEN = 0.3  # of the kinetic energy of the nodes that chords show, (CS4) at w dt = 3: half a turn in each step
LEAST_SHOWN = 1e-4  # of it, from which a frequency is told
CHORDS = 8  # steps from which on that is judged
FINE = 0.25  # w dt of a step that is proposed for such a motion
SMALLEST, LARGEST = 1.0 / 32.0, 0.5  # of dt: steps that are proposed
ORDERS = {"semi-implicit-euler": 1, "rk4": 4}


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
    found = _energy(run, work) or _jumps(run, coarse)
    if found is None:
        return
    dt = run.settings["dt"]
    warn(
        f"{found.text}: dt = {dt:g} is too long for what happens there; try dt = {dt * found.part:.1g}",
        CoarseStepWarning,
    )


def _jumps(run: Trajectory, coarse: Coarse | None) -> Found | None:
    if coarse is None or coarse.number == 0:
        return None
    return Found(
        f"{coarse.number} of {run.statistics['steps']} steps of {run.model.name!r} ended far from where the"
        f" motion led, the first from t = {coarse.time:.4g} s",
        0.25,
    )


def _energy(run: Trajectory, work: Array) -> Found | None:
    """Whether the energy is off (CS1), or chords show too little of it (CS4)."""
    if len(run) < 2 or run.model.nd == 0 or not unmoved(run):
        return None
    if stiffest(run.model, run.q[0], run.settings["dt"]) is not None:
        return None  # a servo that spends energy in a step on purpose
    rows, v, kinetic, potential = _energies(run, _without_lock(run, _rows(run)))
    largest = float(kinetic.max())
    if largest <= AT_REST * run.model.total_mass:
        return None
    energy = kinetic + potential
    if work.any():
        energy -= _work(run, rows, v, work)
    off = np.abs(energy - energy[0])
    worst = int(off.argmax())
    size = float(off[worst]) / largest
    if size <= COARSE_ENERGY:
        return _hidden(run, rows, kinetic)
    if math.isnan(size):  # of numbers too large to square
        size = math.inf
    first = int(np.argmax(~(off <= COARSE_ENERGY * largest)))
    times = f"{size:.0%} of" if size < 10.0 else f"{size:.2g} times"
    text = (
        f"the energy of {run.model.name!r} is off by {times} its largest kinetic energy ({off[worst]:.2g} J,"
        f" {largest:.2g} J) at t = {run.t[rows[worst]]:.4g} s, by more than {COARSE_ENERGY:.0%} from"
        f" t = {run.t[rows[first]]:.4g} s on"
    )
    return Found(text, _part((E_SMALL / size) ** (1.0 / _order(run))))  # (CS5)


def _hidden(run: Trajectory, rows: Rows, kinetic: Array) -> Found | None:
    """Whether the steps jump over most of the motion (CS4)."""
    starts = rows[:-1]  # of steps; the last row is always among them
    settings = run.settings
    if settings["every"] != 1 or settings["integrator"] == "reduced" or len(starts) < CHORDS:
        return None  # angles of a base may be other ones a step later
    q, chords = np.asarray(run.q), np.empty(len(starts))
    before, after = q[starts], q[starts + 1]
    rate = (after - before) / (run.t[starts + 1] - run.t[starts])[:, None]
    core.kinetic_energy(run.model._core, 0.5 * (before + after), rate, chords)
    along, at_nodes = float(chords.sum()), float(kinetic[:-1].sum())
    if not along < SEEN * at_nodes:
        return None
    shown = along / at_nodes
    turn = 2.0 * math.sqrt(1.0 / max(shown, LEAST_SHOWN) - 1.0)  # w dt
    text = (
        f"the steps of {run.model.name!r} from t = {run.t[0]:.4g} s on show {shown:.0%} of its kinetic energy"
        f" of up to {kinetic.max():.2g} J: it swings by about {turn:.2g} rad in each of them"
    )
    return Found(text, _part(FINE / turn))


def _order(run: Trajectory) -> int:
    settings = run.settings
    if settings.get("alpha", 0.5) != 0.5:
        return 1
    return ORDERS.get(settings["integrator"], int(settings.get("order", 2)))


def _part(part: float) -> float:
    return min(max(part, SMALLEST), LARGEST) if math.isfinite(part) else SMALLEST


def _work(run: Trajectory, rows: Rows, v: Array, work: Array) -> Array:
    """The work of the forces up to some rows, corrected by (CS2): a step stands for those up to the next."""
    found, first = work[rows], rows[:-1]
    if run.settings["every"] != 1:  # the states of single steps are not known
        return found
    last, v0 = first + 1, v[:-1]
    known, v1, *_ = _energies(run, last)
    if len(known) < len(last):
        return found
    q0, q1, t0, t1, u = run.q[first], run.q[last], run.t[first], run.t[last], run.u[first]
    dt = (t1 - t0)[:, None]
    qm, vm = 0.5 * (q0 + q1) + dt * (v0 - v1) / 8.0, 1.5 * (q1 - q0) / dt - 0.25 * (v0 + v1)
    middle = _power(run, qm, vm, u, 0.5 * (t0 + t1))
    simpson = dt[:, 0] / 6.0 * (_power(run, q0, v0, u, t0) + 4.0 * middle + _power(run, q1, v1, u, t1))
    found[1:] += np.cumsum(np.diff(rows) * (simpson - (work[last] - work[first])))
    return found


def _power(run: Trajectory, q: Array, v: Array, u: Array, t: Array) -> Array:
    force = np.empty_like(q)
    core.generalized_force(run.model._core, q, v, u, t, force)
    return np.asarray(np.einsum("ij,ij->i", force, v))


def _rows(run: Trajectory) -> Rows:
    """Rows at which the energy is checked, in order, the first two and the last among them."""
    count = len(run)
    if count <= ALL_ROWS:
        return np.arange(count)
    evenly, roughest = (min(most, least + count // 32) for least, most in (EVEN_ROWS, ROUGH_ROWS))
    even = np.arange(evenly) * (count - 1) // (evenly - 1)
    rough = np.argpartition(_roughness(run), -roughest)[-roughest:] + 1
    return np.sort(np.concatenate([even, rough, (1,)]))  # some may be there twice


def _without_lock(run: Trajectory, rows: Rows) -> Rows:
    """Rows, but for the first, in which the angles of a base are not near lock: rates tell little there."""
    if not run.model.base_variables or run.settings["integrator"] == "reduced":
        return rows
    return np.asarray(rows[(rows == 0) | ~near_lock(run)[rows]])


def _roughness(run: Trajectory) -> Array:
    """(CS3) of all rows but the first and the last; of a method without momenta, with velocities."""
    nd = run.model.nd
    p = run.p if "p" in run.__dict__ else run.v[:, :nd]
    score = np.empty(len(run) - 2)
    for first in range(0, len(score), CHUNK):
        part = slice(first, first + CHUNK + 2)
        change, move = p[part][1:] - p[part][:-1], run.q[part, :nd]
        np.einsum(
            "ij,ij->i", change[1:] - change[:-1], move[2:] - move[1:-1], out=score[first : first + CHUNK]
        )
    return np.abs(score, out=score)


def _energies(run: Trajectory, rows: Rows) -> tuple[Rows, Array, Array, Array]:
    """Velocities, kinetic and potential energy, and the rows of them: those whose mass matrix is regular.

    The core is called directly: checks of arguments would take a third of a run of ten steps.
    """
    model, q, t = run.model, np.asarray(run.q)[rows], run.t[rows]
    known = "v" in run.__dict__
    v = np.asarray(run.v)[rows] if known else np.zeros(q.shape)  # what is kinematic does not move
    kinetic, potential = np.empty((2, len(rows)))
    failed = core.motion_energies(
        model._core, q, q if known else np.asarray(run.p)[rows], t, known, v, kinetic, potential
    )
    if failed >= 0:
        return _energies(run, np.delete(rows, failed))
    return rows, v, kinetic, potential
