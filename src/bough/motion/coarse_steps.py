"""A warning if the steps of a run are too long for its motion: docs/theory/coarse_steps.md.

The core checks the recorded rows, (CS1) to (CS4) and (CS6); this module writes the warning.

(CS5) dt (E_SMALL / e)^(1/order): the step that is proposed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import CoarseStepWarning, warn
from bough.motion.contact_trajectory import Impact
from bough.motion.energy_check import undriven
from bough.motion.feedback import SERVO, grown_loop, unstable_input
from bough.motion.inputs import Inputs
from bough.motion.servo_steps import stiffest
from bough.motion.trajectory import Trajectory

E_SMALL = 0.01  # energy error aimed at by a proposed step, relative to the largest kinetic energy
LEAST_SHOWN = 1e-4  # smallest fraction of the kinetic energy along chords that tells a frequency
FINE = 0.25  # w dt of the step proposed for a motion that is not resolved
SMALLEST, LARGEST = 1.0 / 32.0, 0.5  # range of proposed steps, relative to dt
TIMES = 8  # number of times at which gaps are compared to see whether they depend on time
ORDERS = {"semi-implicit-euler": 1, "rk4": 4}
NONE = np.zeros(0)


class Coarse(NamedTuple):
    """Steps that ended far from where the motion led: their number, and the start of the first."""

    number: int = 0
    time: float = 0.0


class Found(NamedTuple):
    """The defect found in the steps of a run, and the fraction of dt to try."""

    text: str
    part: float


def warn_of_coarse_steps(run: Trajectory, work: Array, given: Inputs, coarse: Coarse | None = None) -> None:
    """Warn at most once.

    Parameters
    ----------
    work : work of the forces up to each row
    given : the inputs of all steps
    coarse : the coarse steps, if the stepper counts them
    """
    found: Found | None = None
    model, settings = run.model, run.settings
    if (
        len(run.t) > 1
        and model.nd > 0
        and (model.nk + model.nc == 0 or undriven(run))
        and not (model.gaps and _gaps_move(run))
        and settings.get("locate", True)  # else landings take energy that is not counted
        and not (model._servos and _dissipates_by_design(run))
    ):
        rows = run._recorded or run.__dict__
        reduced = settings["integrator"] == "reduced"  # the angles of a base may jump from step to step
        begin = _begin(run) if model.gaps else 0
        columns = [run.t, rows["q"], rows.get("p", NONE), rows.get("v", NONE), rows["u"], work]
        if begin:
            columns = [column[begin:] for column in columns]
        t, q, p, v, u, work = columns
        kind, kinetic, off, worst, first, shown = core.check_steps(
            model._core,
            t,
            q,
            p,
            v,
            u,
            work,
            settings["every"] == 1,
            not reduced,
            model._lock_angle,
            *(_contacts(run, begin) if model.gaps else (NONE,) * 4),
        )
        if kind == core.Coarse.energy:
            found = _energy_finding(run, kinetic, off, begin + worst, begin + first)
        elif kind == core.Coarse.hidden:
            found = _resolution_finding(run, kinetic, shown)
    if found is None and coarse is not None and coarse.number > 0:
        found = _jumps(run, coarse)
    if found is not None:
        dt = settings["dt"]
        blamed = unstable_input(model, given, run.statistics["steps"] - 1, np.asarray(run.q[-1]), dt)
        if blamed is None or not blamed.alternates:
            do = f": dt = {dt:g} is too long for what happens there; try dt = {dt * found.part:.1g}"
        else:
            do = f"; {grown_loop(blamed, dt)}; lower the gains or try dt = {dt * found.part:.1g}; or {SERVO}"
        warn(found.text + do, CoarseStepWarning)


def _gaps_move(run: Trajectory) -> bool:
    """Whether gaps depend on time: contacts do work then."""
    rows = np.linspace(0, len(run.t) - 1, min(len(run.t), TIMES)).astype(np.intp)
    q = np.broadcast_to(np.asarray(run.q[0]), (len(rows), run.model.nq))
    gaps = run.model.gap(q, run.t[rows])
    return bool((gaps != gaps[0]).any())


def _begin(run: Trajectory) -> int:
    """The first row to check: after an impact at the start, of which the row there shows one side or the other."""
    return int(len(run.t) > 1 and any(isinstance(x, Impact) and x.t == run.t[0] for x in run.events))


def _contacts(run: Trajectory, begin: int) -> tuple[Array, Array, Array, Array]:
    """Statuses and lengths of steps, forces, losses, and whether the motion is smooth from each row to the next."""
    state, force, lost = (run.__dict__[f"contact_{name}"] for name in ("state", "rows", "lost"))
    smooth = np.zeros(len(run.t))
    status = state[:, : len(run.model.gaps)]
    smooth[:-1] = (status[1:] == status[:-1]).all(axis=1)
    impacts = [event.t for event in run.events if isinstance(event, Impact)]
    smooth[np.maximum(np.searchsorted(run.t, impacts) - 1, 0)] = 0.0
    state, force, lost = (np.ascontiguousarray(x[begin:]) for x in (state, force, lost))
    return state, force, lost, smooth[begin:]


def _dissipates_by_design(run: Trajectory) -> bool:
    """Whether a stiff servo dissipates energy within a step by design."""
    return stiffest(run.model, np.asarray(run.q[0]), run.settings["dt"]) is not None


def _jumps(run: Trajectory, coarse: Coarse) -> Found:
    parts = " or parts of them" if run.model.gaps else ""  # between impacts
    more = ", or had more impacts than they tell apart" if run.model.gaps else ""
    return Found(
        f"{coarse.number} of {run.statistics['steps']} steps{parts} of {run.model.name!r} ended far from where"
        f" the motion led{more}, the first from t = {coarse.time:.4g} s",
        0.25,
    )


def _energy_finding(run: Trajectory, kinetic: float, off: float, worst: int, first: int) -> Found:
    """The warning of an energy error (CS1)."""
    size = off / kinetic
    if math.isnan(size):  # the numbers are too large to square
        size = math.inf
    times = f"{size:.0%} of" if size < 10.0 else f"{size:.2g} times"
    text = (
        f"the energy of {run.model.name!r} is off by {times} its largest kinetic energy ({off:.2g} J,"
        f" {kinetic:.2g} J) at t = {run.t[worst]:.4g} s, by more than {core.COARSE_ENERGY:.0%} from"
        f" t = {run.t[first]:.4g} s on"
    )
    return Found(text, _part((E_SMALL / size) ** (1.0 / _order(run))))  # (CS5)


def _resolution_finding(run: Trajectory, kinetic: float, shown: float) -> Found:
    """The warning of steps that do not resolve the motion (CS4)."""
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
