"""Whether the energy of a motion should be constant, or can only decrease."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array
from bough.description.element import Force
from bough.errors import BoughWarning, ModelError, warn
from bough.model.finite import infinite_energy
from bough.model.model import Model
from bough.motion.trajectory import Trajectory

Rows: TypeAlias = "npt.NDArray[np.intp]"

ROWS = 64  # number of instants at which the energies of users' potentials are checked
TIMES = 8  # number of times at which constraints are compared to see whether they depend on time
AT_REST = 1e-12  # specific energy of a rest, in J/kg: motions of some µm/s


def conservative(run: Trajectory) -> bool:
    """Whether nothing does work: no force that acts, no variables or constraints that are driven."""
    model = run.model
    if not undriven(run):
        return False
    if any(isinstance(element, Force) for element in model._elements):  # inputs may all be zero
        rows = _some(run, TIMES)
        try:
            v = _velocity(run, rows)
        except ModelError:  # the forces at a singular configuration are not known
            return False
        if _has_input(run) or model.generalized_force(run.q[rows], v, t=run.t[rows]).any():
            return False
    return True


def dissipative(run: Trajectory) -> bool:
    """Whether energy can only be lost: dampers and drag act, inputs are zero, and nothing is driven."""
    model = run.model
    forces = [
        record
        for element, record in zip(model._elements, model._records, strict=True)
        if isinstance(element, Force)
    ]
    if not forces or _has_input(run) or not undriven(run):
        return False
    return all(_brakes(record) for record in forces)


def _brakes(record: object) -> bool:
    """Whether a force brakes, or is zero if its inputs are."""
    if not isinstance(record, tuple):  # a user's element
        return False
    kind, _, _, _, values = record
    if kind in ("Damping", "LinearDamper"):
        return True
    return not any(values[:-1] if kind == "Drag" else values)  # the wind, in the case of drag


def _has_input(run: Trajectory) -> bool:
    """Whether an input is not zero, in any step."""
    return bool((run.u if run._driving is None else run._driving[0]).any())


def undriven(run: Trajectory) -> bool:
    """Whether no variables or constraints are driven; forces may act."""
    driven = run._driving is not None and len(run._driving.prescribed) > 0
    return not driven and (run.model.nc == 0 or _fixed_constraints(run))


def _fixed_constraints(run: Trajectory) -> bool:
    if not core.constraints_may_move(run.model._core):
        return True
    rows = _some(run, TIMES)
    held = run.model.constraint(np.broadcast_to(run.q[0], (len(rows), run.model.nq)), run.t[rows])
    return bool((held == held[0]).all())


def warn_of_infinite_energy(run: Trajectory) -> bool:
    """Warn if a user's potential, finite at the start, is not finite later; a finite gradient hides it."""
    model = run.model
    rows = _some(run, ROWS)
    with np.errstate(all="ignore"):
        energy = model.potential_energy(run.q[rows])
        if np.isfinite(energy).all():
            return False
        first = int(np.argmin(np.isfinite(energy)))
        row = rows[first]
        text = infinite_energy(model, np.asarray(run.q[row]), float(energy[first]))
    warn(
        f"{text} at t = {run.t[row]:.4g} s of a run of {model.name!r}: its energy is not known from there on, and"
        " its gradient belongs to no energy; correct the potential, or keep the motion where it is finite",
        BoughWarning,
    )
    return True


def _some(run: Trajectory, count: int) -> Rows:
    return np.linspace(0, len(run) - 1, min(len(run), count)).astype(np.intp)


def _velocity(run: Trajectory, rows: Rows) -> Array:
    """Velocities in some rows, without computing those of the others."""
    if run._rows("v") is not None:
        return np.asarray(run.v[rows])
    return run.model.velocity(run.q[rows], run.p[rows], t=run.t[rows])


def noticeable(change: float, kinetic: float, model: Model) -> bool:
    """Whether an energy change is large relative to the largest kinetic energy, in a run not at rest."""
    return change > core.COARSE_ENERGY * kinetic and kinetic > AT_REST * model.total_mass
