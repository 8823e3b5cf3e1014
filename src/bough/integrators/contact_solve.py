"""Solutions of the linear systems of steps with contacts, whose rows may depend on each other.

With T over (d1, μ, r), rows that depend on each other, as those of four corners of a box, leave combinations of μ and r
undetermined. The motion is determined if nothing of the null space of T moves d1,

    T x = 0  =>  x_d = 0                                                                                     (KD14)

and a column of the right-hand side has a solution if it is consistent: those of momenta, inputs, kinematic variables
and time must be. Moves of q0 are if they keep the contacts together; the columns of others are those of least squares.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bough.arguments import Array

DEPENDENT = 1e-11  # singular values that count as zero, relative
FREE = 1e-7  # a part of a vector of the null space that moves
INCONSISTENT = 1e-8  # of the right-hand side


def solved_by(
    T: Array, right: Array, motion: int, moves: int, undetermined: Callable[[str], Exception]
) -> Array:
    """The solution of T X = right, of least norm; raises if it is not one, or not the only one in d1.

    motion, moves : the first columns of T are those of d1, and the first ones of the right-hand side those of q0
    undetermined : the error to raise, by what was found
    """
    rows = _scales(T, 1)
    U, s, Vt = np.linalg.svd(T / rows)
    rank = int((s > DEPENDENT * s.max(initial=0.0)).sum())
    found = right / rows
    size = np.abs(found).max(axis=0, initial=0.0)
    turned = U.T @ found
    if rank < len(s):
        off = np.abs(turned[rank:]).max(axis=0, initial=0.0)[moves:] > INCONSISTENT * size[moves:]
        if off.any():
            raise undetermined(
                "contacts and constraints that no motion meets all at once: their rows contradict"
            )
        null = Vt[rank:] * _scales(T / rows, 0)  # in impulses of one size
        free = np.abs(null[:, :motion]).max(initial=0.0)
        if free > FREE * np.abs(null).max():
            raise undetermined("contacts and constraints that leave the motion of the step undetermined")
    return np.asarray(Vt[:rank].T @ (turned[:rank] / s[:rank, None]))


def least(T: Array, right: Array) -> Array:
    """The solution of T X = right of least norm, without a look at what it is."""
    rows = _scales(T, 1)
    return np.asarray(np.linalg.lstsq(T / rows, right / rows, rcond=DEPENDENT)[0])


def _scales(T: Array, axis: int) -> Array:
    """The largest entries along an axis, one where there is none."""
    scale = np.abs(T).max(axis=axis, keepdims=True, initial=0.0)
    scale[scale == 0.0] = 1.0
    return np.asarray(scale)
