"""Newton's method for a configuration at rest. The equations are those of docs/theory/statics.md.

    g = V_q - f(q, 0, u, t),   g = Dh^T lam,   h = 0         free variables only                         (ST1)
    K = V_qq - f_q - sum_r lam_r h_r,qq                                                                  (ST2)
    F = sum over the elements and bodies of |their part of g| + |Dh|^T |lam|                             (ST3)
    s_i = (T_ii + F_i / reach_i)^(-1/2),   T the sizes of the terms of K;   Dh S N = 0,  N^T N = 1       (ST4)
    dq = -S N B^-1 N^T S g,   B = |sym A| + skew A,   A = N^T S K S N                                    (ST5)
    V(q + a dq) - V(q) - (the work of f along the way) < 0   a halved until it holds                     (ST6)
    |g - Dh^T lam|_i <= tolerance F_i                        converged                                   (ST7)

No mass occurs. Stiffness is the scale of the variables, and forces are measured by the forces that cancel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array
from bough.description.element import Force
from bough.model.model import Model
from bough.model.projection import Places, relative_rows, round_off, sizes
from bough.model.units import turning

TOLERANCE = 1e-11  # tolerance of (ST7)
ACCEPTED = 1e-8  # tolerance of (ST7) if no step makes the error smaller
ROUND_OFF = 16.0  # units in the last place by which a force that no step makes smaller may be off
TO_GO = 1e-7  # largest remaining step in that case, relative to the reach of a variable
CLOSED = 1e-14  # of the terms that cancel in a constraint: what `restored` leaves of it
RANK = 1e-9  # relative size below which a singular value of the constraints counts as zero
NO_STIFFNESS = 1e-13  # eigenvalues of (ST5) below this part of the terms that cancel in them count as zero
SYMMETRIC = 1e-9  # largest skew part of (ST5) that counts as none
ITERATIONS = 300
STEP = 0.7  # the largest change of a variable in one step, relative to its reach
HALVINGS = 30
EPSILON = float(np.finfo(np.float64).eps)
GAUSS = np.polynomial.legendre.leggauss(3)


class Point(NamedTuple):
    """A configuration that meets the constraints, with the quantities that a step from it needs."""

    q: Array
    energy: float
    slope: Array  # g of the free variables
    lam: Array
    rest: Array  # g - Dh^T lam
    size: Array  # F
    noise: Array  # round-off of `rest`
    K: Array
    terms: Array  # scale of the round-off of K
    scale: Array  # S
    N: Array

    @property
    def errors(self) -> Array:
        """The error in (ST7) of each free variable."""
        measure = self.size + self.noise / TOLERANCE
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.rest == 0.0, 0.0, np.abs(self.rest) / measure))

    @property
    def error(self) -> float:
        """The largest of the errors."""
        return float(self.errors.max(initial=0.0))

    @property
    def stiffness(self) -> Array:
        """A of (ST5)."""
        along = self.scale[:, None] * self.N
        return np.asarray(along.T @ self.K @ along)

    @property
    def skew(self) -> float:
        """The size of the skew part of the stiffness, which no potential has."""
        A = self.stiffness
        return float(np.abs(A - A.T).max(initial=0.0))

    def cancelled(self, vectors: Array) -> Array:
        """The size of the terms that cancel in the stiffness along eigenvectors of (ST5)."""
        along = np.abs(self.scale[:, None] * (self.N @ vectors))
        return np.asarray(np.sum(along * (self.terms @ along), axis=0))


class Descent(NamedTuple):
    """B of (ST5) in factors, at a point."""

    point: Point
    values: Array  # |eigenvalues| of the symmetric part
    vectors: Array
    skew: Array
    moving: npt.NDArray[np.bool_]  # eigenvectors with stiffness, or with a force

    def solve(self, slope: Array) -> Array:
        """B^-1 of N^T S slope; zero along eigenvectors that have neither stiffness nor force."""
        along = self.vectors[:, self.moving]
        down = along.T @ (self.point.N.T @ (self.point.scale * slope))
        B = np.diag(self.values[self.moving]) + along.T @ self.skew @ along
        return np.asarray(along @ np.linalg.solve(B, down))

    def step(self) -> Array:
        """Newton's step (ST5) of the free variables."""
        return np.asarray(-self.point.scale * (self.point.N @ self.solve(self.point.slope)))

    def decrement(self, slope: Array) -> float:
        """The energy decrease of a step under these forces, in J: Newton's decrement."""
        return float((self.point.N.T @ (self.point.scale * slope)) @ self.solve(slope))


class Search:
    """The free variables of a model and the forces on them."""

    def __init__(self, model: Model, free: Places, u: Array, t: float, q: Array) -> None:
        self.model = model
        self.free = free
        self.u = u
        self.t = t
        self.driven = any(isinstance(element, Force) for element in model._elements)
        self._still = np.zeros(model.nv)
        self._unit = extents(model, q)[free]
        self._balances = [record for record in model._records if _is_balance(record)]

    def reach(self, q: Array) -> Array:
        """The size of each free variable: its own, or one radian, or how far the system reaches."""
        return np.maximum(sizes(self.model, q)[self.free], self._unit)

    def moved(self, q: Array, step: Array) -> Array:
        """q after a step of the free variables; balls turn in their own axes."""
        move = np.zeros(self.model.nv)
        move[self.free] = step
        return self.model.integrate(q, move)

    def force(self, q: Array) -> Array:
        """f(q, 0, u, t), (..., nv)."""
        still = np.zeros((*q.shape[:-1], self.model.nv))
        return np.asarray(self.model.generalized_force(q, still, self.u, self.t)) if self.driven else still

    def point(self, q: Array) -> Point:
        """The point at one configuration."""
        model, free = self.model, self.free
        both = np.ix_(free, free)
        slope = -(model.L_dq(q, self._still) + self.force(q))[free]  # g of (ST1)
        H = -model.L_dqdq(q, self._still)[both]
        f_q = model.generalized_force_dq(q, self._still, self.u, self.t)[both] if self.driven else 0.0 * H
        bent = np.nan_to_num(model.constraint_dqdq(q, self.t))[:, free[:, None], free]
        D = np.nan_to_num(model.constraint_dq(q, self.t)[:, free])
        reach, alone = self.reach(q), self._sizes(q)[free]
        lam = np.zeros(model.nc)
        for _ in range(2):  # T depends on the multipliers, which are scaled by it
            terms = np.abs(H) + np.abs(f_q) + np.tensordot(np.abs(lam), np.abs(bent), 1)
            size = alone + np.abs(D.T) @ np.abs(lam)
            scale = _scale(np.diag(terms) + size / reach)
            N, lam, left = self._split(q, D, scale, slope)
        size = alone + np.abs(D.T) @ np.abs(lam)  # (ST3)
        K = H - f_q - np.tensordot(lam, bent, 1)  # (ST2)
        if model.balls:
            K = self._in_one_order(K, left)
        # The effect of the last digits of the variables on the forces, and the round-off of the total work. Constraints
        # hold variables to CLOSED alone.
        terms[np.diag_indices_from(terms)] += float(size @ reach) / reach**2
        digits = max(EPSILON, CLOSED / ROUND_OFF) if model.nc else EPSILON
        noise = digits * (terms @ reach)
        energy = float(model.potential_energy(q))
        return Point(q, energy, slope, lam, left, size, noise, K, terms, scale, N)

    def _in_one_order(self, K: Array, left: Array) -> Array:
        """K with the derivatives along two axes of a ball in the order in which they couple these less (ST11).

        The orders differ by (BJ6), which is zero at rest. About its own axis a symmetric body turns freely, and the
        other order couples this turn with the force that lets the body fall.
        """
        model = self.model
        whole, force = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
        whole[np.ix_(self.free, self.free)], force[self.free] = K, left
        for i, _ in model._balls.values():
            for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                half, a, b = 0.5 * force[i + c], i + a, i + b
                mean = 0.5 * (whole[a, b] + whole[b, a])
                shift = half if abs(mean + half) < abs(mean - half) else -half
                whole[a, b] += half + shift
                whole[b, a] += shift - half
        return whole[np.ix_(self.free, self.free)]

    def _sizes(self, q: Array) -> Array:
        """The parts of g, element by element and body by body."""
        size = np.empty((1, self.model.nv))
        core.static_force_size(self.model._core, q[None], self.u[None], np.array([self.t]), size)
        for _, frames, _, _, values in self._balances:
            for frame, (mass, *centre) in zip(frames, np.reshape(values[3:], (-1, 4)).tolist(), strict=True):
                moved = self.model.pose_dq(self.model.frames[frame], q)[:, :3] @ [*centre, 1.0]
                size[0] += np.abs(mass * (moved @ values[:3]))
        for i, _ in self.model._balls.values():  # a row has terms of all three axes
            size[0, i : i + 3] = size[0, i : i + 3].max()
        return np.asarray(size[0])

    def _split(self, q: Array, D: Array, scale: Array, slope: Array) -> tuple[Array, Array, Array]:
        """N, the multipliers, and the remaining slope, in the metric of the scale."""
        n = len(self.free)
        if min(D.shape) == 0:
            return np.eye(n), np.zeros(len(D)), slope
        relative = relative_rows(self.model, q, self.t)[:, self.free]
        rank = int((np.linalg.svd(relative, compute_uv=False) > RANK).sum())
        U, s, Vt = np.linalg.svd(D * scale)
        rank = min(rank, int((s > 0.0).sum()))
        N = Vt[rank:].T
        lam = U[:, :rank] @ ((Vt[:rank] @ (scale * slope)) / s[:rank])
        return N, lam, N @ (N.T @ (scale * slope)) / scale

    def descent(self, point: Point) -> Descent:
        """B of (ST5)."""
        A = point.stiffness
        skew = 0.5 * (A - A.T) if point.skew > SYMMETRIC else np.zeros_like(A)
        values, vectors = np.linalg.eigh(0.5 * (A + A.T))
        values, zero = np.abs(values), NO_STIFFNESS * point.cancelled(vectors)
        along = point.N @ vectors
        least = np.abs(along).T @ (point.scale * (ROUND_OFF * point.noise + TOLERANCE * point.size))
        moving = (values > zero) | (np.abs(along.T @ (point.scale * point.slope)) > least)
        return Descent(point, np.maximum(values, zero), vectors, skew, moving)

    def newton(self, point: Point) -> tuple[Point, int]:
        """Steps (ST5), (ST6) until the point has converged and no step improves it much."""
        for iteration in range(ITERATIONS):
            better = self._line_search(point)
            if better is None:
                return point, iteration
            if point.error <= TOLERANCE and better.error > 0.5 * point.error:
                return min(better, point, key=lambda p: p.error), iteration + 1
            point = better
        return point, ITERATIONS

    def _line_search(self, point: Point) -> Point | None:
        descent = self.descent(point)
        step = descent.step()
        reach = self.reach(point.q)
        step *= min(1.0, STEP / max(float(np.max(np.abs(step) / reach, initial=0.0)), 1e-300))
        slope, decrement = float(point.slope @ step), descent.decrement(point.rest)
        # Near the minimum, the energy is known to fewer digits than its slope.
        flat = -slope <= 1e-10 * (abs(point.energy) + float(point.size @ reach))
        for part in 0.5 ** np.arange(HALVINGS):
            met = self.restored(self.moved(point.q, part * step), point.scale)
            if met is None:
                continue
            if flat:
                tried = self.point(met)
                if descent.decrement(tried.rest) < (1.0 - 0.1 * part) * decrement:
                    return tried
            elif self.change(point, met) <= 1e-4 * part * slope:
                return self.point(met)
        return None

    def change(self, point: Point, q: Array) -> float:
        """(ST6): the potential energy gained from a point to q, less the work of the forces on the way."""
        gained = float(self.model.potential_energy(q)) - point.energy
        if self.driven:
            places, weights = GAUSS
            way = self.model.difference(point.q, q)
            forces = self.force(self.model.integrate(point.q, np.outer(0.5 * (1.0 + places), way)))
            gained -= float(0.5 * weights @ (forces @ way))
        return gained if np.isfinite(gained) else np.inf

    def restored(self, q: Array, scale: Array) -> Array | None:
        """The nearest configuration that meets the constraints, if a few steps lead there."""
        model, free = self.model, self.free
        if model.nc == 0:
            return q
        h = model.constraint(q, self.t)
        size = round_off(model, q, self.t)
        for _ in range(25):
            if (np.abs(h) <= CLOSED * size).all():
                return q
            D = np.nan_to_num(model.constraint_dq(q, self.t)[:, free])
            tried = self.moved(q, -scale * np.linalg.lstsq(D * scale, h, rcond=RANK)[0])
            left = model.constraint(tried, self.t)
            if not np.abs(left).max() < np.abs(h).max():
                break
            q, h = tried, left
            size = round_off(model, q, self.t)
        return q if (np.abs(h) <= 1e-11 * size).all() else None

    def converged(self, point: Point) -> bool:
        """Whether the forces cancel (ST7), and no step that matters is left."""
        forces = np.abs(point.rest) <= ACCEPTED * point.size + ROUND_OFF * point.noise
        left = float(np.max(np.abs(self.descent(point).step()) / self.reach(point.q), initial=0.0))
        return left <= (TO_GO if forces.all() else ROUND_OFF * EPSILON)


def extents(model: Model, q: Array) -> Array:
    """One radian, or how far the system reaches, for each variable, (nv,)."""
    far = float(np.linalg.norm(model.poses(list(model.frames), q)[:, :3, 3], axis=1).max(initial=0.0))
    return np.where(turning(model) > 0.0, 1.0, far if far > 0.0 else 1.0)


def _scale(stiffness: Array) -> Array:
    """S of (ST4); a variable on which nothing acts is as stiff as the softest of the others."""
    some = stiffness[stiffness > 0.0]
    return np.asarray(1.0 / np.sqrt(np.where(stiffness > 0.0, stiffness, some.min() if len(some) else 1.0)))


def _is_balance(record: object) -> bool:
    """Whether a record of the core is gravity on several bodies, whose weights may cancel."""
    return isinstance(record, tuple) and record[0] == "Gravity" and len(record[1]) > 1
