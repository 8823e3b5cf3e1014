"""The derivatives of accelerations and constraint forces by q, v and u.

Accelerations a and constraint forces lam solve, with dots along the motion, (q, v, t) += e (v, a, 1),

    r = (L_v)˙ - L_q - f - Dh^T lam = 0,   ḧ + 2 g1 ḣ + g2² h = 0                                             (AD1)
    r_q = (L_vq)˙ - L_qq - f_q - sum_r lam_r h_r,qq,   r_v = (L_vv)˙ + L_vq - L_qv - f_v,   r_u = -f_u         (AD2)
    ḧ_q = (Dh)¨,   ḧ_v = 2 (Dh)˙,   ḣ_q = (Dh)˙,   ḣ_v = Dh                                                   (AD3)
    [M, -Dh^T; Dh, 0] [da; dlam] = -[r_q; ḧ_q + 2 g1 (Dh)˙ + g2² Dh] dq - ...                                  (AD4)

and for rows that hold velocities, A v = 0, with B_ij = dA_i/dq_j in place of symmetric second derivatives,

    (A v)˙_q = a B + (v B)˙ at constant v,   (A v)˙_v = B v + v B                                             (AD5)

With balls, derivatives by q are along turns δ in the axes of the moved frame, which do not commute with the turn v of
the motion. With N x = x × v and N_a x = x × a in the rows of balls, zero in all others, and P = L_v,

    r = (L_v)˙ - L_q - N P - f - Dh^T lam                                                                     (AD6)
    r_q = ... + (L_vq) N - N L_vq,   r_v = ... - N M - P^                                                     (AD7)
    ḧ_q = (Dh)¨ + 2 (Dh)˙ N + Dh (N² + N_a),   ḧ_v = 2 (Dh)˙ + Dh N,   ḣ_q = (Dh)˙ + Dh N                     (AD8)
    (A v)˙_q = a B + (v B)˙ + (v B) N                                                                         (AD9)

where dots are of what derivatives by turns give, first by i, then by j.

The dots of L are exact (LA4); those of Dh are differences of high order along the motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array

if TYPE_CHECKING:
    from bough.model.model import Model

STEP = 0.02  # of the differences along the motion, as a part of its speed
FIRST = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
SECOND = np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]) / 180.0


class AccelerationDerivatives(NamedTuple):
    """The derivatives of accelerations (..., nv, .) and of constraint forces lam (..., nc, .) by q, v and u."""

    dq: Array
    dv: Array
    du: Array
    lam_dq: Array
    lam_dv: Array
    lam_du: Array


def acceleration_derivatives(
    model: Model, q: Array, v: Array, u: Array, a: Array, lam: Array, t: float, gains: tuple[float, float]
) -> AccelerationDerivatives:
    """At one state, whose accelerations a and constraint forces lam are known."""
    nv, nd, nu, nc = model.nv, model.nd, model.nu, model.nc
    L = model.lagrangian_derivatives(q, v)
    qv, vv = np.empty((nv, nv)), np.empty((nv, nv))
    core.lagrangian_along(model._core, q[None], v[None], v[None], a[None], qv, vv)
    time = np.array([t])
    f_q, f_v, f_u = np.empty((nv, nv)), np.empty((nv, nv)), np.empty((nv, nu))
    for quantity, out in (
        (core.generalized_force_dq, f_q),
        (core.generalized_force_dv, f_v),
        (core.generalized_force_du, f_u),
    ):
        quantity(model._core, q[None], v[None], u[None], time, out)
    L_vq = L.dqdv.T
    N = _turning(model, v)
    r_q, r_v = qv.T - L.dqdq - f_q, vv + L_vq - L.dqdv - f_v  # (AD2)
    if model._balls:
        r_q += _order_along(model, L_vq @ v + L.dvdv @ a) + L_vq @ N - N @ L_vq
        r_v += _turning(model, L.dv) - N @ L.dvdv  # (AD7)
    right = np.zeros((nd + nc, 2 * nv + nu))
    matrix = np.zeros((nd + nc, nd + nc))
    matrix[:nd, :nd] = L.dvdv[:nd, :nd]
    if nc:
        Dh, first, second = _rows_along(model, q, v, a, t)
        r_q = r_q - np.tensordot(lam, model.constraint_dqdq(q, t), 1)
        g1, g2 = gains
        if model._balls:  # (AD8)
            second = second + 2.0 * first @ N + Dh @ (N @ N + _turning(model, a))
        by_q = second + 2.0 * g1 * (first + Dh @ N) + g2**2 * Dh
        by_v = 2.0 * first + Dh @ N + 2.0 * g1 * Dh  # (AD3)
        if held := model._velocity_rows:
            DDh = model.constraint_dqdq(q, t)[held]
            turned = np.einsum("i,rik->rk", v, DDh)
            along = _turned_along(model, q, v, t) + turned @ N
            by_q[held] = np.einsum("i,rik->rk", a, DDh) + along + 2.0 * g1 * turned
            by_v[held] = first[held] + turned + 2.0 * g1 * Dh[held]  # (AD5), (AD9)
        right[nd:, :nv], right[nd:, nv : 2 * nv] = by_q, by_v
        matrix[:nd, nd:], matrix[nd:, :nd] = -Dh[:, :nd].T, Dh[:, :nd]
    right[:nd] = np.concatenate([r_q, r_v, -f_u], axis=1)[:nd]
    solved = (
        np.linalg.lstsq(matrix, -right, rcond=None)[0] if nc else np.linalg.solve(matrix, -right)
    )  # (AD4)
    all_a = np.zeros((nv, 2 * nv + nu))
    all_a[:nd] = solved[:nd]
    parts = [np.split(x, [nv, 2 * nv], axis=1) for x in (all_a, solved[nd:])]
    return AccelerationDerivatives(*parts[0], *parts[1])


def _turning(model: Model, x: Array) -> Array:
    """The matrix of y × x in the rows of each ball, zero elsewhere: N of (AD6)."""
    out = np.zeros((model.nv, model.nv))
    for i, _ in model._balls.values():
        out[i : i + 3, i : i + 3] = np.cross(np.eye(3), x[i : i + 3]).T
    return out


def _order_along(model: Model, rate: Array) -> Array:
    """What (L_vq)˙ of (LA4) lacks by the order of the axes of balls (BJ6), with rate = (L_v)˙."""
    out = np.zeros((model.nv, model.nv))
    for i, _ in model._balls.values():
        g = rate[i : i + 3]
        out[i, i + 1], out[i, i + 2], out[i + 1, i + 2] = -g[2], g[1], -g[0]
    return out


def _turned_along(model: Model, q: Array, v: Array, t: float) -> Array:
    """The derivative along v of v_i dA_i/dq, of the rows that hold velocities."""
    e = STEP / max(1.0, float(np.abs(v).max(initial=0.0)))
    near = model.integrate(q, e * np.arange(-3.0, 4.0)[:, None] * v)
    second = model.constraint_dqdq(near, t)[:, model._velocity_rows]
    return np.asarray(np.tensordot(FIRST, np.einsum("i,srik->srk", v, second), 1) / e)


def _rows_along(model: Model, q: Array, v: Array, a: Array, t: float) -> tuple[Array, Array, Array]:
    """Dh and its first and second derivative along the motion."""
    speed = max(1.0, float(np.abs(v).max(initial=0.0)), float(np.sqrt(np.abs(a).max(initial=0.0))))
    e = STEP / speed
    s = e * np.arange(-3.0, 4.0)
    rows = model.constraint_dq(model.integrate(q, s[:, None] * v + 0.5 * s[:, None] ** 2 * a), t + s)
    return rows[3], np.tensordot(FIRST, rows, 1) / e, np.tensordot(SECOND, rows, 1) / e**2
