"""Where a system rests: the least potential energy that the constraints allow.

    V_q = Dh^T lam,   h = 0                              free variables only                              (E1)
    W = V_qq - sum_r lam_r h_r,qq,   D N = 0,   N^T M N = 1
    dq = -N (N^T W N)^-1 N^T V_q                         Newton's step along the constraints              (E2)
    q + a dq, back onto h = 0 by least steps             halved until the energy falls                    (E3)

Where the curvature N^T W N is negative, its absolute value makes (E2) descend. Its eigenvalues at the end are
the squares of the angular frequencies of small vibrations: one below zero means that it is unstable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough._projection import Places, free_places, inverse_root
from bough.arguments import Array, Vector
from bough.errors import ConvergenceError

if TYPE_CHECKING:
    from bough.model import Model

TOLERANCE = 1e-11  # of (E1), relative to what a change of the variables by one (or by themselves) makes of it
ROUND_OFF = 1e-8  # the same where no step makes it smaller
RANK = 1e-10
ZERO = 1e-9  # eigenvalues below this part of the largest count as zero
ITERATIONS = 200
STEP = 0.7  # the largest change of a variable in one step, relative to its size or one
HALVINGS = 30


@dataclass(frozen=True)
class Equilibrium:
    """A configuration at rest.

    Attributes
    ----------
    q : array (nq,)
    lam : array (nc,)
        The constraint forces, with the sign of `acceleration_and_multipliers`.
    energy : float
        The potential energy.
    eigenvalues : array
        Squares of the angular frequencies of small vibrations, smallest first, one for each direction that
        the constraints leave free.
    stability : str
        "stable", "unstable", or "neutral" where the smallest eigenvalue is zero to round-off.
    iterations : int
    """

    q: Array
    lam: Array
    energy: float
    eigenvalues: Array
    stability: str
    iterations: int = field(default=0, compare=False)

    @property
    def stable(self) -> bool:
        """Whether the energy grows in every direction."""
        return self.stability == "stable"


class Point(NamedTuple):
    """A configuration that meets the constraints, with all that a step from it needs."""

    q: Array
    energy: float
    slope: Array  # V_q of the free variables
    lam: Array
    rest: Array  # V_q - Dh^T lam
    size: Array  # what `rest` is measured by
    W: Array
    N: Array

    @property
    def error(self) -> float:
        """How far from (E1), relative."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.max(np.where(self.rest == 0.0, 0.0, np.abs(self.rest) / self.size), initial=0.0))


def equilibrium(model: Model, q: Vector | None, hold: str | Iterable[str], t: float = 0.0) -> Equilibrium:
    """The equilibrium that the energy falls to from q; see `Model.equilibrium`."""
    where = f"equilibrium() of model {model.name!r}"
    held = [hold] if isinstance(hold, str) else list(hold)
    free = free_places(model, held, where)
    q0 = model.assemble(q, hold=held, t=t).q
    search = Search(model, free, t)
    point, iterations = search.newton(search.point(q0))
    if point.error > ROUND_OFF:
        better, more = search.newton(search.point(search.by_scipy(q0)))
        iterations += more
        point = better if better.error < point.error else point
    if point.error > ROUND_OFF:
        raise _unfinished(search, point, iterations, where)
    return search.result(point, iterations)


class Search:
    """The free variables of a model and their energy."""

    def __init__(self, model: Model, free: Places, t: float) -> None:
        self.model = model
        self.free = free
        self.t = t
        self._still = np.zeros(model.nq)

    def rows(self, q: Array) -> Array:
        """Dh of the free variables; zero where it does not exist."""
        return np.nan_to_num(self.model.constraint_dq(q, self.t)[:, self.free])

    def point(self, q: Array) -> Point:
        """All about one configuration."""
        model, free, n = self.model, self.free, len(self.free)
        both = np.ix_(free, free)
        slope = -model.L_dq(q, self._still)[free]
        H = -model.L_dqdq(q, self._still)[both]
        D = self.rows(q)
        lam = np.zeros(model.nc)
        if model.nc and n:
            lam[:] = np.linalg.lstsq(D.T, slope, rcond=RANK)[0]
        bent = np.nan_to_num(model.constraint_dqdq(q, self.t))
        W = H - np.tensordot(lam, bent, 1)[both]
        terms = np.abs(H) + np.tensordot(np.abs(lam), np.abs(bent), 1)[both]
        reach = np.maximum(np.abs(q[free]), 1.0)
        size = np.abs(slope) + terms @ reach + np.abs(D.T) @ np.abs(lam)
        L_inverse = inverse_root(model.mass_matrix(q)[both])
        N = L_inverse @ _null(D @ L_inverse)
        return Point(q, float(model.potential_energy(q)), slope, lam, slope - D.T @ lam, size, W, N)

    def newton(self, point: Point) -> tuple[Point, int]:
        """Steps (E2), (E3) until no step makes it better."""
        for iteration in range(ITERATIONS):
            done = point.error <= TOLERANCE  # then one step more, down to round-off
            down = point.N.T @ point.slope
            values, vectors = np.linalg.eigh(point.N.T @ point.W @ point.N)
            floor = max(1e-8 * float(np.abs(values).max(initial=0.0)), 1e-300)
            step = -point.N @ (vectors @ ((vectors.T @ down) / np.maximum(np.abs(values), floor)))
            reach = np.maximum(np.abs(point.q[self.free]), 1.0)
            step *= min(1.0, STEP / max(float(np.max(np.abs(step) / reach, initial=0.0)), 1e-300))
            better = self._line_search(point, step, float(point.slope @ step))
            if better is None:
                return point, iteration
            point = better
            if done:
                return point, iteration + 1
        return point, ITERATIONS

    def _line_search(self, point: Point, step: Array, slope: float) -> Point | None:
        flat = -slope <= 1e-9 * max(abs(point.energy), float(point.size @ np.ones(len(step))))
        for part in 0.5 ** np.arange(HALVINGS):
            q = point.q.copy()
            q[self.free] += part * step
            met = self.restored(q)
            if met is None:
                continue
            energy = float(self.model.potential_energy(met))
            if not np.isfinite(energy):
                continue
            falls = energy <= point.energy + 1e-4 * part * slope
            if falls or flat:  # on the flat bottom, the energy is known to fewer digits than its slope
                tried = self.point(met)
                if tried.error < point.error or (falls and not flat):
                    return tried
        return None

    def restored(self, q: Array) -> Array | None:
        """The nearest configuration that meets the constraints, if a few steps lead there."""
        model, free = self.model, self.free
        if model.nc == 0:
            return q
        h = model.constraint(q, self.t)
        for _ in range(25):
            D = self.rows(q)
            size = model.constraint_scale(q, self.t) + np.abs(D) @ np.maximum(np.abs(q[free]), 1.0)
            if (np.abs(h) <= 1e-14 * size).all():
                return q
            tried = q.copy()
            tried[free] -= np.linalg.lstsq(D, h, rcond=RANK)[0]
            left = model.constraint(tried, self.t)
            if not np.abs(left).max() < np.abs(h).max():
                break
            q, h = tried, left
        return q if (np.abs(h) <= 1e-11 * size).all() else None

    def by_scipy(self, q: Array) -> Array:
        """The same by a method of SciPy, which is slower and seldom stuck."""
        from scipy import optimize

        model, free = self.model, self.free

        def whole(x: Array) -> Array:
            full = q.copy()
            full[free] = x
            return full

        constraints = (
            [
                {
                    "type": "eq",
                    "fun": lambda x: model.constraint(whole(x), self.t),
                    "jac": lambda x: self.rows(whole(x)),
                }
            ]
            if model.nc
            else []
        )
        found = optimize.minimize(
            lambda x: float(model.potential_energy(whole(x))),
            q[free],
            jac=lambda x: -model.L_dq(whole(x), self._still)[free],
            method="SLSQP",
            constraints=constraints,
            options={"maxiter": 2000, "ftol": 1e-14},
        )
        met = self.restored(whole(found.x)) if np.isfinite(found.x).all() else None
        return q if met is None else met

    def result(self, point: Point, iterations: int) -> Equilibrium:
        """What the user is told."""
        values = np.asarray(np.linalg.eigvalsh(point.N.T @ point.W @ point.N), dtype=np.float64)
        zero = ZERO * float(np.abs(values).max(initial=0.0))
        least = float(values.min(initial=np.inf))
        stability = "stable" if least > zero else "neutral" if least >= -zero else "unstable"
        return Equilibrium(point.q, point.lam, point.energy, values, stability, iterations)


def _null(J: Array) -> Array:
    """An orthonormal basis of the directions that rows J leave free, as columns."""
    if min(J.shape) == 0:
        return np.eye(J.shape[1])
    _, s, Vt = np.linalg.svd(J)
    return np.asarray(Vt[int((s > RANK * s[0]).sum()) :].T)


def _unfinished(search: Search, point: Point, iterations: int, where: str) -> ConvergenceError:
    model = search.model
    worst = int(np.argmax(np.abs(point.rest) / np.where(point.size > 0.0, point.size, 1.0)))
    name = model.variables[search.free[worst]]
    flat = abs(point.rest[worst]) >= 0.1 * point.size[worst]
    return ConvergenceError(
        asked=where,
        found=f"no equilibrium after {iterations} iterations: the force on {name!r} is still"
        f" {-point.rest[worst]:.3g} at {name} = {point.q[search.free[worst]]:.6g}, V = {point.energy:.6g} J"
        + ("; the energy may have no minimum" if flat else ""),
        do=f"hold {name!r} or give it a spring or a constraint"
        if flat
        else "start from a q nearer to the equilibrium",
        iterations=iterations,
        residual=point.error,
    )
