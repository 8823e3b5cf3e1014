"""The stability of a configuration at rest.

With C = -N^T S f_v S N, and M and K along the constraints likewise,

    K = K^T positive, C + C^T >= 0                             stable: the energy is least               (ST8)
    K = K^T with a negative eigenvalue, C = C^T >= 0           unstable                                  (ST9)
    det(M s^2 + C s + K) = 0                                   otherwise by the signs of Re s           (ST10)

The signs of the eigenvalues of K do not depend on the masses (Sylvester), so that (ST8) and (ST9) are
decided in the scale of the stiffness. At a singular position, where the constraints have a lower rank than
around it, not every direction that their rows leave free can move: positive suffices, negative is inconclusive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.elements.user import UserElement
from bough.model.projection import inverse_root
from bough.motion.statics import NO_STIFFNESS, SYMMETRIC, Point, Search

DIFFERENCES = 1e-6  # replaces NO_STIFFNESS if a user's element may be differentiated numerically
REAL_PART = 1e-7  # real parts below this part of the largest |s| count as zero
EQUAL = 1e-6  # squares of frequencies closer than this, relative, are not told apart
PROBE = 0.05  # distance at which forces are tested for a potential, relative to the reach of the variables


def has_potential(search: Search, point: Point) -> bool:
    """Whether the forces near a point are those of a potential: their derivative is symmetric there."""
    if not search.driven or len(search.free) == 0:
        return True
    return all(search.point(q).skew <= SYMMETRIC for q in (point.q, *_around(search, point)))


def _around(search: Search, point: Point) -> Iterator[Array]:
    """Two nearby configurations that meet the constraints, if there are any."""
    reach = search.reach(point.q)
    for sign in (1.0, -1.0):
        move = sign * PROBE * reach * np.cos(np.arange(len(reach)))  # in a direction along no axis
        met = search.restored(search.moved(point.q, move), point.scale)
        if met is not None:
            yield met


def singular(search: Search, point: Point) -> bool:
    """Whether the constraints have a higher rank nearby."""
    if search.model.nc == 0:
        return False
    return any(search.point(q).N.shape[1] < point.N.shape[1] for q in _around(search, point))


def stability_at(search: Search, point: Point, potential: bool) -> tuple[str, npt.NDArray[Any]]:
    """The stability of an equilibrium, and the squares of its angular frequencies."""
    model, free = search.model, search.free
    along = point.scale[:, None] * point.N
    A, M = point.stiffness, along.T @ model.mass_matrix(point.q)[np.ix_(free, free)] @ along
    C = damping_along(search, point)
    inverse = inverse_root(M)
    if not potential:
        values = np.linalg.eigvals(inverse.T @ A @ inverse)
        values = values.real if np.abs(values.imag).max() <= 1e-9 * np.abs(values).max() else values
        return _stability_of_linearisation(inverse, A, C), np.sort(values)
    signs = _signs(search, point)
    if (signs <= 0).any() and singular(search, point):
        stability = "not judged"
    elif _least(C + C.T) < 0.0 or (not _equal(C, C.T) and (signs < 0).any()):
        stability = _stability_of_linearisation(inverse, A, C)
    else:  # (ST8), (ST9)
        stability = "unstable" if (signs < 0).any() else "neutral" if (signs == 0).any() else "stable"
    return stability, vibrations(A, M, bool((signs > 0).all()))[0]


def damping_along(search: Search, point: Point) -> Array:
    """C, the damping of small motions along the constraints."""
    free, along = search.free, point.scale[:, None] * point.N
    if not search.driven:
        return np.zeros((along.shape[1], along.shape[1]))
    still = np.zeros(search.model.nv)
    f_v = search.model.generalized_force_dv(point.q, still, search.u, search.t)
    return np.asarray(-along.T @ f_v[np.ix_(free, free)] @ along)


def _signs(search: Search, point: Point) -> npt.NDArray[np.intp]:
    """The signs of the eigenvalues of the stiffness, 0 for those that are round-off."""
    return signs_and_directions(search, point)[0]


def signs_and_directions(search: Search, point: Point) -> tuple[npt.NDArray[np.intp], Array]:
    """The signs of the eigenvalues of the symmetric stiffness, 0 for those that are round-off, and its eigenvectors."""
    A = point.stiffness
    values, vectors = np.linalg.eigh(0.5 * (A + A.T))
    differences = any(isinstance(record, UserElement) for record in search.model._records)
    zero = (DIFFERENCES if differences else NO_STIFFNESS) * point.cancelled(vectors)
    return np.where(np.abs(values) <= zero, 0, np.sign(values)).astype(np.intp), vectors


def vibrations(A: Array, M: Array, positive: bool) -> tuple[Array, Array]:
    """The squares of the angular frequencies, and the moves; small ones of a stable system by the compliance.

    An eigenvalue is known to round-off of the largest: those of A by M lose the slow vibrations, those of
    M by A the quick ones.
    """
    inverse = inverse_root(M)
    direct, moves = np.linalg.eigh(inverse.T @ A @ inverse)
    moves = inverse @ moves
    if not positive or len(direct) == 0:
        return np.asarray(direct, dtype=np.float64), moves
    inverse = inverse_root(0.5 * (A + A.T), NO_STIFFNESS)
    compliance, slow_moves = np.linalg.eigh(inverse.T @ M @ inverse)
    slow = 1.0 / np.maximum(compliance[::-1], 1e-300)
    count = int((slow**2 < slow[0] * max(direct[-1], slow[0])).sum())
    while 0 < count < len(slow) and direct[count] <= (1.0 + EQUAL) * slow[count - 1]:
        count += 1  # moves of one frequency are those of one basis
    moves = np.hstack([inverse @ slow_moves[:, ::-1][:, :count], moves[:, count:]])
    return np.concatenate([slow[:count], direct[count:]]), moves


def _stability_of_linearisation(inverse: Array, K: Array, C: Array) -> str:
    """The stability by (ST10), the equations of small motions; "not judged" if they leave it open."""
    n = len(K)
    K, C = inverse.T @ K @ inverse, inverse.T @ C @ inverse
    s = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]]))
    zero = REAL_PART * np.abs(s).max(initial=0.0)
    most = float(s.real.max(initial=-np.inf))
    return "unstable" if most > zero else "stable" if most < -zero else "not judged"


def _least(A: Array) -> float:
    """The smallest eigenvalue, zero if it is round-off."""
    values = np.linalg.eigvalsh(A)
    least = float(values.min(initial=0.0))
    return least if least < -1e-12 * float(np.abs(values).max(initial=0.0)) else 0.0


def _equal(A: Array, B: Array) -> bool:
    return bool(np.abs(A - B).max(initial=0.0) <= 1e-12 * np.abs(A).max(initial=0.0))
