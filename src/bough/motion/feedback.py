"""The blame for a failed step, if held inputs are to blame for it.

An input that is held for dt changes the momenta by f dt, with f its part of the generalised forces. Alone it
gives a motion from rest the energy dt^2/2 f^T M^-1 f. This is a measure for all inputs alike, moments or forces,
and it is many times the kinetic energy of a motion that feedback with too high gains drives to and fro.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bough.arguments import Array
from bough.model.model import Model
from bough.motion.inputs import Inputs

GROWN = 30.0  # growth of an input, relative to its usual size, that marks unstable feedback
RECENT = 5  # number of steps before a failure that are examined
SERVO = (
    "let bough.Servo(variable, kp, kd, ...) hold the variable, which is evaluated inside the step and stable at"
    " any gain"
)


class Growth(NamedTuple):
    """An input that feedback drove up: its usual size, its last size, and whether its sign alternates."""

    name: str
    before: float
    now: float
    alternates: bool


def grown_inputs(names: Sequence[str], given: Inputs, step: int) -> list[Growth]:
    """The inputs of feedback that grew by orders of magnitude before a step failed.

    A loop that is unstable grows by a factor in each step until something else limits it, so that the lowest
    quarter of its inputs is far below the last ones. If it was limited for most of the run, they are compared
    with the first input: inputs that change sign in every step, at last or while they grew, belong to no
    resolved motion.
    """
    if given.function is None or step < 1:
        return []
    rows = given.rows[: step + 1]
    sizes, recent = np.abs(rows), rows[-RECENT:]
    usual, last = np.quantile(sizes, 0.25, axis=0), np.abs(recent).max(axis=0)
    flips = (recent[1:] * recent[:-1] < 0.0).mean(axis=0) >= 0.5
    flips |= _alternate_while_growing(rows)
    usual = np.where(flips & (sizes[0] > 0.0), np.minimum(usual, sizes[0]), usual)
    grown = (usual > 0.0) & (last >= GROWN * usual)
    return [
        Growth(names[i], float(usual[i]), float(last[i]), bool(flips[i]))
        for i in np.flatnonzero(grown).tolist()
    ]


def _alternate_while_growing(rows: Array) -> Array:
    """Whether inputs owe most of their growth, by its logarithm, to steps that change their sign, at least three."""
    sizes = np.abs(rows)
    largest = np.maximum.accumulate(sizes, axis=0)
    began = largest[:-1] > 0.0
    growth = np.where(
        began, np.log(np.where(began, largest[1:], 1.0) / np.where(began, largest[:-1], 1.0)), 0.0
    )
    changes = (growth > 0.0) & (rows[1:] * rows[:-1] < 0.0)
    return np.asarray(
        (changes.sum(axis=0) >= 3) & (2.0 * (growth * changes).sum(axis=0) >= growth.sum(axis=0))
    )


def unstable_input(model: Model, given: Inputs, step: int, q: Array, dt: float) -> Growth | None:
    """Of the inputs that grew before a step failed, the one that gives the motion most energy.

    Where variables are coupled, the inputs of stable loops grow with that of an unstable one, and if they were
    near zero they grow by more.
    """
    grown = grown_inputs(model.inputs, given, step)
    if len(grown) < 2:
        return grown[0] if grown else None
    rows = given.rows[max(0, step + 1 - RECENT) : step + 1]
    most = np.max([input_energies(model, q, row, dt) for row in rows], axis=0)
    return max(grown, key=lambda growth: float(most[model.inputs.index(growth.name)]))


def grown_loop(growth: Growth, dt: float) -> str:
    """The words for an input of unstable feedback."""
    return (
        f"feedback drove input {growth.name!r} from {growth.before:.2g} to {growth.now:.2g}: inputs are held for"
        f" a step, and a loop whose gains are high for dt = {dt:g} grows"
    )


def input_energies(model: Model, q: Array, u: Array, dt: float, t: float = 0.0) -> Array:
    """The energy that each input alone, held for dt, gives a motion from rest at q, (nu,)."""
    still, alone = np.zeros(model.nv), np.vstack([np.diag(u), np.zeros(model.nu)])
    forces = model.generalized_force(np.broadcast_to(q, (len(alone), model.nq)), still, alone, t)
    forces = (forces[:-1] - forces[-1])[:, : model.nd]
    return 0.5 * dt * dt * np.asarray(np.sum(forces * _over_mass(model, q, forces), axis=-1))


def overdriven(model: Model, q: Array, p: Array, u: Array, dt: float, t: float) -> str:
    """The text for a failed step whose inputs give more energy than the motion has and all else gives; or "".

    p are the momenta at the start of the step.
    """
    if not u.any():
        return ""
    energies = input_energies(model, q, u, dt, t)
    worst = int(np.argmax(energies))
    still = np.zeros(model.nv)
    others = (model.L_dq(q, still) + model.generalized_force(q, still, np.zeros(model.nu), t))[: model.nd]
    motion = 0.5 * float(p @ _over_mass(model, q, p))
    given = 0.5 * dt * dt * float(others @ _over_mass(model, q, others))
    if not energies[worst] > motion + given:
        return ""
    return (
        f"; input {model.inputs[worst]!r} = {u[worst]:.2g} is held for the step, in which alone it gives"
        f" {energies[worst]:.2g} J to a motion of {motion:.2g} J"
    )


def _over_mass(model: Model, q: Array, forces: Array) -> Array:
    """M^-1 of rows of forces on the dynamic variables; the least solution if M is singular."""
    M = model.mass_matrix(q)[: model.nd, : model.nd]
    return np.asarray(np.linalg.lstsq(M, forces.T, rcond=None)[0].T)
