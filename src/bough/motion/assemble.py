"""The nearest configuration that meets the constraints, and the nearest velocities along them.

Near is meant by the metric of kinetic energy. With M(q0) = L L^T at the guess q0, and y = L^T (q - q0), the
distance is |y| and the rows of the constraints are J = Dh L^-T. From the guess,

    reach     dy = -J^T (J J^T + mu)^+ h        least-norm steps until h = 0, damped if they fail         (A1)
    approach  dy = -N (N^T H N)^-1 N^T y        Newton's step along the constraints to the least |y|      (A2)
              with J N = 0,  H = 1 + sum_r lam_r d2h_r/dy dy,  J^T lam = -y;  then (A1) again
    velocity  dv = -L^-T J^+ (Dh v + h_t)       at the solution                                           (A3)

At a guess where rows depend on each other, though elsewhere they do not (a straight arm), (A1) has no
direction or an arbitrary one. Guesses around it are then tried, farther and farther out, and the nearest
solution is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector
from bough.description.element import Constraint
from bough.description.parameter import Kinematic
from bough.description.rotation import dexp
from bough.description.start import from_start
from bough.elements.constraints import DistanceConstraint
from bough.errors import ModelError, quoted
from bough.model.finite import check_constraints
from bough.model.lower import constraint_labels
from bough.model.model import Model
from bough.model.projection import (
    Places,
    free_places,
    inverse_root,
    projected_velocity,
    relative_rows,
    round_off,
    rows,
)
from bough.model.units import turning
from bough.motion.assemble_contacts import ROUNDS, HeldContacts, penetrated, pulling
from bough.motion.single_state import single_configuration, single_velocity
from bough.motion.state import State

TOLERANCE = 1e-13  # bound on h, relative to the terms that cancel in it
ROUND_OFF = 1e-11  # the same bound if no step makes h smaller
RANK = 1e-9  # relative size below which a singular value counts as zero
SINGULAR = 1e-6  # the same for velocities: a singular q is found to half the digits only
ITERATIONS = 200
STEP = 1.0  # the largest change of a variable in one step: rad, or the size of the system
SIZES = (0.01, 0.1, 0.5, 1.5)  # sizes of the steps to other guesses, in the same unit
TRIES = 6  # number of guesses of each size
SHOWN = 8  # largest number of variables and constraints in a message


class Attempt(NamedTuple):
    """The result of the steps from one guess."""

    y: Array
    h: Array
    met: bool


def assemble(
    model: Model,
    q: Vector | None,
    v: Vector | None,
    hold: str | Iterable[str],
    t: float = 0.0,
    called: str = "assemble()",
) -> State:
    """The state nearest to (q, v) that meets the constraints; see `Model.assemble`.

    `called` is the function that the user called, for messages.
    """
    where = f"{called} of model {model.name!r}"
    q, v = from_start(model, q, v)
    q0 = single_configuration(model, q, where)
    v0 = single_velocity(model, v, where)
    free = free_places(model, hold, where)
    if model.nc == 0 and not model.gaps:
        return State(t, q0, v0, names=model._names)
    if model.nc:
        _check_lengths(model, q0, where)
        check_constraints(model, model.constraint(q0, t), where)
    guess, q0 = q0, _assembled(model, q0, free, t, where)
    beyond = penetrated(model, q0, t) if model.gaps else []
    if beyond:
        q0 = _outside(model, guess, beyond, free, t, where)
    v0 = _velocity(model, q0, v0, free, where, t) if model.nc else v0
    return State(t, q0, v0, names=model._names)


def _assembled(model: Model, q: Array, free: Places, t: float, where: str) -> Array:
    """The nearest configuration that meets the constraints."""
    if model.nc == 0 or not (np.abs(model.constraint(q, t)) > TOLERANCE * round_off(model, q, t)).any():
        return q
    space = Space(model, q, free, t)
    best = _nearest(space)
    if not best.met:
        raise _unmet(space, best, where)
    return space.configuration(best.y)


def _outside(model: Model, guess: Array, held: list[int], free: Places, t: float, where: str) -> Array:
    """The nearest configuration that meets the constraints and is beyond no contact (CT8)."""
    q = guess
    for _ in range(ROUNDS):
        contacts: Any = HeldContacts(model, held)
        q = _assembled(contacts, guess, free, t, where)
        beyond = [i for i in penetrated(model, q, t) if i not in held]
        space = Space(contacts, guess, free, t)
        y = space.from_free(model.difference(guess, q)[free])
        pull = pulling(space.rows(y), y, model.nc)
        if not beyond and not pull:
            return q
        held = sorted({*(i for k, i in enumerate(held) if k not in pull), *beyond})
    raise ModelError(
        asked=where,
        found=f"no configuration found that is beyond none of {quoted(model.gaps)}",
        do="start from a q nearer to one, or hold fewer variables",
    )


def mobility(model: Model, q: Array) -> int | npt.NDArray[np.int64]:
    """The dynamic variables less the rank of the constraints; see `Model.mobility`."""
    D = relative_rows(model, q)[..., : model.nd]
    free = model.nd - (np.linalg.svd(D, compute_uv=False) > RANK).sum(axis=-1)
    return int(free) if free.ndim == 0 else free


class Space:
    """The configurations around a guess, by the metric of kinetic energy there."""

    def __init__(self, model: Model, q: Array, free: Places, t: float) -> None:
        self.model = model
        self.t = t
        self.guess = q
        self.free = free
        self.inverse = inverse_root(model.mass_matrix(q)[np.ix_(free, free)])
        size = model.constraint_scale(q, t).max()
        self.unit = np.where(turning(model)[free], 1.0, size if size > 0.0 else 1.0)

    def configuration(self, y: Array) -> Array:
        """q of y."""
        if self.model.balls:
            return self.model.integrate(self.guess, self._move(y))
        q = self.guess.copy()
        q[self.free] += self.inverse @ y
        return q

    def _move(self, y: Array) -> Array:
        """The displacement (nv,) of y."""
        move = np.zeros(self.model.nv)
        move[self.free] = self.inverse @ y
        return move

    def rows(self, y: Array) -> Array:
        """J, (nc, n); zero for rows that hold velocities alone."""
        Dh = rows(self.model, self.configuration(y), self.t)
        Dh[self.model._velocity_rows] = 0.0
        if self.model.balls:
            move = self._move(y)
            for i, _ in self.model._balls.values():  # (BJ3)
                Dh[:, i : i + 3] = Dh[:, i : i + 3] @ dexp(-move[i : i + 3])
        return np.asarray(Dh[:, self.free] @ self.inverse)

    def from_free(self, change: Array) -> Array:
        """y of a change of the free variables."""
        return np.asarray(np.linalg.solve(self.inverse, change))

    def rank(self, y: Array) -> int:
        """The rank of J."""
        return int(np.linalg.matrix_rank(self.rows(y), rtol=RANK)) if len(self.free) else 0

    def reach(self, y: Array, iterations: int = ITERATIONS) -> Attempt:
        """Steps (A1) from y to a configuration where the constraints hold."""
        model, damping = self.model, 0.0
        h = model.constraint(self.configuration(y), self.t)
        for _ in range(iterations if len(self.free) else 0):
            J = self.rows(y)
            U, s, Vt = np.linalg.svd(J, full_matrices=False)
            kept = s > RANK * s[0]
            U, s, Vt = U[:, kept], s[kept], Vt[kept]
            error = float(h @ h)
            done = self.met(y, h, TOLERANCE)
            if not kept.any() or np.linalg.norm(U.T @ h) <= 1e-12 * np.sqrt(error):
                break  # no direction lowers |h|
            while True:
                step = -Vt.T @ (s / (s**2 + damping * s[0] ** 2) * (U.T @ h))
                if np.abs(self.inverse @ step / self.unit).max() <= STEP:
                    tried = model.constraint(self.configuration(y + step), self.t)
                    if float(tried @ tried) < error * (1.0 - 1e-6):
                        break
                damping = max(5.0 * damping, 1e-6)
                if done or damping > 1e9:
                    return Attempt(y, h, self.met(y, h, ROUND_OFF))
            y, h, damping = y + step, tried, 0.1 * damping if damping > 1e-6 else 0.0
            if done:
                break  # one step beyond the tolerance, down to round-off
        return Attempt(y, h, self.met(y, h, ROUND_OFF))

    def approach(self, found: Attempt) -> Attempt:
        """Steps (A2) along the constraints to the nearest configuration."""
        for _ in range(ITERATIONS):
            y = found.y
            U, s, Vt = np.linalg.svd(self.rows(y))
            rank = int((s > RANK * s[0]).sum())
            N = Vt[rank:].T
            slope = N.T @ y
            if np.linalg.norm(slope) <= 1e-12 * np.linalg.norm(y):
                break
            lam = -U[:, :rank] @ (Vt[:rank] @ y / s[:rank])
            step = N @ _descent(N.T @ (np.eye(len(y)) + self.curvature(y, lam)) @ N, slope)
            for part in 0.5 ** np.arange(12):
                tried = self.reach(y + part * step, 20)
                if tried.met and np.linalg.norm(tried.y) < np.linalg.norm(y):
                    break
            else:
                break
            found = tried
        return found

    def closest(self, y: Array) -> Attempt:
        """Newton's steps to the least |h|, for constraints that cannot be met."""
        model = self.model
        h = model.constraint(self.configuration(y), self.t)
        for _ in range(ITERATIONS if len(self.free) else 0):
            J = self.rows(y)
            step = _descent(J.T @ J + self.curvature(y, h), J.T @ h)
            for part in 0.5 ** np.arange(12):
                tried = model.constraint(self.configuration(y + part * step), self.t)
                if tried @ tried < h @ h:
                    break
            else:
                break
            y, h = y + part * step, tried
        return Attempt(y, h, False)

    def curvature(self, y: Array, weights: Array) -> Array:
        """The sum over the rows of weight times second derivative by y, (n, n)."""
        q = self.configuration(y)
        total = np.tensordot(weights, np.nan_to_num(self.model.constraint_dqdq(q, self.t)), 1)
        if self.model.balls:
            slope = np.nan_to_num(weights @ rows(self.model, q, self.t))
            total = self._by_vectors(total, slope, self._move(y))
        return np.asarray(self.inverse.T @ total[np.ix_(self.free, self.free)] @ self.inverse)

    def _by_vectors(self, second: Array, slope: Array, move: Array) -> Array:
        """Second derivatives by the rotation vectors of balls, from those along their axes and the first ones."""
        turn, own = np.eye(self.model.nv), np.zeros_like(second)
        for i, _ in self.model._balls.values():  # of dexp(-move)^T slope
            ball, tiny = slice(i, i + 3), 1e-6 * np.eye(3)
            turn[ball, ball] = dexp(-move[ball])
            own[ball, ball] = np.transpose(
                [
                    (dexp(-move[ball] - step) - dexp(-move[ball] + step)).T @ slope[ball] / 2e-6
                    for step in tiny
                ]
            )
        return np.asarray(turn.T @ second @ turn + own)

    def met(self, y: Array, h: Array, tolerance: float) -> bool:
        """Whether the constraints hold."""
        return bool((np.abs(h) <= tolerance * round_off(self.model, self.configuration(y), self.t)).all())


def _nearest(space: Space) -> Attempt:
    """The nearest solution found, or the attempt that came closest to one."""
    start = np.zeros(len(space.free))
    attempts = [_solution(space, start)]
    if attempts[0].met and space.rank(start) >= space.rank(attempts[0].y):
        return attempts[0]
    random = np.random.default_rng(0)
    for size in SIZES:
        for _ in range(TRIES):
            change = size * space.unit * random.uniform(-1.0, 1.0, len(space.free))
            attempts.append(_solution(space, space.from_free(change)))
        if any(attempt.met for attempt in attempts):
            break
    found = [attempt for attempt in attempts if attempt.met]
    if not found:
        return space.closest(min(attempts, key=lambda attempt: float(attempt.h @ attempt.h)).y)
    least = min(float(np.linalg.norm(attempt.y)) for attempt in found)
    return next(attempt for attempt in found if np.linalg.norm(attempt.y) <= least * (1.0 + 1e-6))


def _solution(space: Space, y: Array) -> Attempt:
    found = space.reach(y)
    return space.approach(found) if found.met else found


def _descent(hessian: Array, slope: Array) -> Array:
    """Newton's step, modified to descend if the curvature is small or negative."""
    values, vectors = np.linalg.eigh(hessian)
    return np.asarray(-vectors @ (vectors.T @ slope / np.maximum(np.abs(values), 1e-3)))


def _velocity(model: Model, q: Array, v: Array, free: Places, where: str, t: float) -> Array:
    """The velocities nearest to v that keep the constraints (A3); those of held variables stay."""
    kept = projected_velocity(model, q, v, free, SINGULAR, t)
    D, D_t = rows(model, q, t), model.constraint_dt(q, t)
    rate = D @ kept + D_t
    speed = np.abs(v) + np.abs(kept)
    round_off = (
        1e-14 * np.abs(D).sum(axis=1) * speed.max(initial=0.0)
    )  # of rows that the motion hardly touches
    off = np.abs(rate) > 1e-9 * (np.abs(D) @ speed + np.abs(D_t)) + round_off
    if off.any():
        worst = int(np.argmax(np.where(off, np.abs(rate), 0.0)))
        near = projected_velocity(model, q, v, free, t=t)  # with the rows that count as dependent at q
        singular = np.abs(near).max() > 1e3 * speed.max()
        raise ModelError(
            asked=f"v in {where}",
            found=f"no velocities of the other variables keep constraint {model.constraints[worst]!r}:"
            f" it changes by {rate[worst]:.3g} m/s"
            + (", and the position is almost singular" if singular else ""),
            do=("start farther from that position, " if singular else "")
            + "give other velocities to the held and the kinematic variables, or hold fewer of them",
        )
    return kept


def _check_lengths(model: Model, q: Array, where: str) -> None:
    """Raise if a prescribed length is not above zero."""
    constraints = [element for element in model.system.elements if isinstance(element, Constraint)]
    labels, row = constraint_labels(constraints), 0
    for element in constraints:
        label, row = labels[row], row + element.rows
        if not (isinstance(element, DistanceConstraint) and isinstance(element.length, Kinematic)):
            continue
        name = element.length.name
        length = q[model._coordinate_places[name]]
        if length <= 0.0:
            raise ModelError(
                asked=where,
                found=f"{name!r}, the length of constraint {label!r}, is {length:g} m",
                do=f"give it above zero, such as q={{{name!r}: 1.0}}",
            )


def _unmet(space: Space, best: Attempt, where: str) -> ModelError:
    model, q = space.model, space.configuration(best.y)
    size = np.abs(best.h)
    off = [int(row) for row in np.argsort(-size, kind="stable") if size[row] > 1e-6 * size.max()]
    several = len(off) > 1
    values = zip(model.coordinates[:SHOWN], q.round(9) + 0.0, strict=False)
    at = ", ".join(f"{name} = {x:.6g}" for name, x in values)
    left = [f"{model.constraints[row]!r} is off by {best.h[row]:.3g} m" for row in off[:SHOWN]]
    advice = [
        f"correct the {'constraints' if several else 'constraint'} or the frames"
        + (" they connect" if several else " it connects")
    ]
    held = [name for i, name in enumerate(model.dynamic) if i not in space.free]
    if held:
        advice.append(f"let go of {quoted(held)}")
    if model.nk:
        advice.append(f"give {quoted(model.kinematic)} another value")
    error = ModelError(
        asked=where,
        found=f"no configuration meets constraint{'s' if several else ''}"
        f" {quoted([model.constraints[row] for row in off])}{' together' if several else ''};"
        f" at the closest one found, {at}{', ...' if model.nv > SHOWN else ''}, {', '.join(left)}",
        do=", ".join([*advice, "or start from a q nearer to a solution"]),
    )
    error.closest = q  # type: ignore[attr-defined]
    return error
