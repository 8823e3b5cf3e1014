"""The quantities that a motion should conserve, found from the model rather than from a run.

A momentum mu(q, v) is conserved if its rate along the exact dynamics is zero:

    d mu/dt = (mu(q + e v, v + e a) - mu(q - e v, v - e a)) / 2 e

in a number of states of the motion. Those that are zero for every velocity, such as the momentum across the
plane of a planar system, are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.comparison.distance import Distance
from bough.errors import ModelError
from bough.motion.energy_check import conservative
from bough.motion.trajectory import Trajectory
from bough.problem import Problem

STATES = 12  # number of states in which rates are computed
STEP = 1e-4  # e, relative to the time in which the forces build up the speed
NEGLIGIBLE = 1e-7  # rate that counts as zero, relative to the size of the forces
AXES = "xyz"


@dataclass(frozen=True)
class Conserved:
    """What a motion conserves.

    Attributes
    ----------
    energy : bool
    momenta : tuple of str
        Names of the conserved components.
    scales : array
        The scale of each drift.
    kinetic : float
        The largest kinetic energy, the scale of energy drifts.
    """

    energy: bool
    momenta: tuple[str, ...]
    scales: Array
    kinetic: float
    _places: tuple[int, ...]
    _all: Callable[[Array, Array], Array]

    def momentum_drift(self, run: Trajectory) -> Array:
        """The largest change of a conserved momentum since the start, relative to its scale, (rows,)."""
        mu = self._all(run.q, run.v)[:, self._places]
        return np.asarray((np.abs(mu - mu[0]) / self.scales).max(axis=1, initial=0.0))


def conserved(problem: Problem, run: Trajectory) -> Conserved:
    """The conserved quantities of a motion, tested along a run that is close to it."""
    model = problem.model
    states = run[:: max(1, len(run) // STATES)]
    kinetic = float(run.kinetic_energy().max())

    def momenta(q: Array, v: Array) -> Array:
        parts = (
            model.linear_momentum(q, v),
            model.angular_momentum(q, v),
            model.momentum(q, v)[:, : model.nd],
        )
        return np.concatenate(parts, axis=1)

    kept, inertia = np.zeros(6 + model.nd, dtype=bool), np.ones(6 + model.nd)
    if problem.arguments["k"] is None and model.total_mass > 0.0 and kinetic > 0.0:
        kept, inertia = _kept(problem, states, momenta, float(np.sqrt(2.0 * kinetic)))
    # generalised momenta are listed only if no spatial component is: they are usually the same
    places = np.flatnonzero(kept[:6]) if kept[:6].any() else 6 + np.flatnonzero(kept[6:])
    names = [
        *(f"linear {axis}" for axis in AXES),
        *(f"angular {axis}" for axis in AXES),
        *(f"of {name!r}" for name in model.dynamic),
    ]
    return Conserved(
        conservative(run),
        tuple(names[i] for i in places),
        np.sqrt(inertia[places] * 2.0 * kinetic),
        kinetic,
        tuple(int(i) for i in places),
        momenta,
    )


def _kept(
    problem: Problem, states: Trajectory, momenta: Callable[[Array, Array], Array], speed: float
) -> tuple[npt.NDArray[np.bool_], Array]:
    """The momenta whose rate is zero in these states, and the inertia that belongs to each.

    speed : the largest, in the metric of kinetic energy
    """
    model, q, v = problem.model, states.q, states.v
    M = model.mass_matrix(q)
    reach = float(Distance(model).radius(q).max())
    own = np.diagonal(M, axis1=1, axis2=2).max(axis=0)[: model.nd]
    inertia = np.concatenate([np.full(3, model.total_mass), np.full(3, model.total_mass * reach**2), own])
    try:
        a = model.acceleration(q, v, states.u, t=states.t)
    except ModelError:  # a singular configuration
        return np.zeros(len(inertia), dtype=bool), inertia
    weight = np.sqrt(model.total_mass) * float(np.linalg.norm(model._description["gravity"]))
    push = float(np.sqrt(np.einsum("si,sij,sj->s", a, M, a).max())) + weight + speed / problem.grid.duration
    e = STEP * speed / push
    ahead, behind = model.integrate(q, e * v), model.integrate(q, -e * v)
    rate = (momenta(ahead, v + e * a) - momenta(behind, v - e * a)) / (2.0 * e)
    directions = np.eye(model.nv)[: model.nd]
    possible = np.abs(momenta(np.broadcast_to(q[0], (model.nd, model.nq)), directions)).max(axis=0)
    moves = possible > NEGLIGIBLE * np.sqrt(inertia * own.max())
    return (np.abs(rate).max(axis=0) <= NEGLIGIBLE * np.sqrt(inertia) * push) & moves, inertia
