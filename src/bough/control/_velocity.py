"""Velocities of states (q, p), their derivatives, and back: docs/theory/control.md, section 9."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bough.arguments import Array
from bough.model.model import Model

CHUNK = 64  # states at a time: second derivatives of constraints are large
WELL = 1e-8  # what an inverse may leave of the identity


class Velocities(NamedTuple):
    """Velocities at several states x = (q, p), and the two derivatives between (q, v) and (q, p).

    v : (rows, nv)
    by_state : (rows, nd, nx), of the dynamic velocities by x  (OV1)
    momentum_by_q : (rows, nd, nv), of p by q at fixed v and fixed impulses of the constraints  (OV2)
    momentum_by_v : (rows, nd, nv), of p by all velocities, those of kinematic variables among them
    """

    v: Array
    by_state: Array
    momentum_by_q: Array
    momentum_by_v: Array


def velocities(model: Model, x: Array, vk: Array, t: Array) -> Velocities:
    """The velocities at states x, (rows, nx); vk (rows, nk) are those of the kinematic variables."""
    parts = [
        _some(model, x[i : i + CHUNK], vk[i : i + CHUNK], t[i : i + CHUNK]) for i in range(0, len(x), CHUNK)
    ]
    return Velocities(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _some(model: Model, x: Array, vk: Array, t: Array) -> Velocities:
    nq, nd, m = model.nv, model.nd, model.nc
    q, p = np.ascontiguousarray(x[:, : model.nq]), np.ascontiguousarray(x[:, model.nq :])
    v = model.velocity(q, p, vk, t=t)
    M = model.mass_matrix(q)
    by_q = np.swapaxes(model.L_dqdv(q, v), 1, 2)[:, :nd]
    right = np.zeros((len(x), nd + m, nq + nd))
    right[:, :nd, nq:] = np.eye(nd)
    matrix = np.zeros((len(x), nd + m, nd + m))
    matrix[:, :nd, :nd] = M[:, :nd, :nd]
    if m:
        Dh, DDh = model.constraint_dq(q, t=t), model.constraint_dqdq(q, t=t)
        D = Dh[:, :, :nd]
        right_y = np.einsum("bri,bi->br", D, p - np.einsum("bij,bj->bi", M[:, :nd], v))
        y = np.einsum("brs,bs->br", _inverses(D @ np.swapaxes(D, 1, 2)), right_y)  # of least squares
        by_q = by_q + np.einsum("br,brij->bij", y, DDh)[:, :nd]
        matrix[:, :nd, nd:] = -np.swapaxes(Dh[:, :, :nd], 1, 2)
        matrix[:, nd:, :nd] = Dh[:, :, :nd]
        right[:, nd:, :nq] = -np.einsum("brij,bi->brj", DDh, v)
    right[:, :nd, :nq] = -by_q
    inverse = _inverses(matrix) if m else np.linalg.inv(matrix)
    return Velocities(v, (inverse @ right)[:, :nd], by_q, M[:, :nd])


def _inverses(A: Array) -> Array:
    """The inverses of symmetric or regular matrices (rows, n, n); pseudo-inverses of those that are singular.

    Rows that depend on each other make them so. A pseudo-inverse takes fifty times as long.
    """
    try:
        inverse = np.asarray(np.linalg.inv(A), dtype=float)
    except np.linalg.LinAlgError:  # one of them is singular to the last digit
        return np.asarray(np.linalg.pinv(A, rcond=1e-12), dtype=float)
    left = np.abs(A @ inverse - np.eye(A.shape[1])).max(axis=(1, 2), initial=0.0)
    singular = ~(left < WELL)
    if singular.any():
        inverse[singular] = np.linalg.pinv(A[singular], rcond=1e-12)
    return inverse
