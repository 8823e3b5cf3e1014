"""How velocities and constraint forces at the end of a step follow from the derivatives of (q, p) there.

Columns are those of a step: q0, p0, u, k1, dt, the time of the start, then parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough.arguments import Array

if TYPE_CHECKING:
    from bough.model.model import Model
    from bough.model.variation import Variation

TIME = 1e-5  # step of differences in time, in s


class End(NamedTuple):
    """The end of a step: q, p, velocities of kinematic variables, inputs, time, and the length of the step."""

    q: Array
    p: Array
    vk: Array
    u: Array
    t: float
    dt: float


def momenta_by_parameters(model: Model, by: Variation, q: Array, v: Array) -> Array:
    """∂(M v)/∂θ of the dynamic variables, at fixed v."""
    if not by.names:
        return np.zeros((model.nd, 0))
    return by.difference(lambda near: (near.mass_matrix(q) @ v)[: model.nd])


def velocity_rows(model: Model, end: End, J: Array, by: Variation) -> Array:
    """dv/ds: v solves M v + M_k v_k = p + Dh^T y, Dh v + h_t = 0, as `model.velocity` does.  (DF5)

    J : the derivatives of (q, p), (nv + nd, columns)
    """
    nq, nd, nk, nc = model.nv, model.nd, model.nk, model.nc
    q, t = end.q, end.t
    dq, dp = J[:nq], J[nq : nq + nd]
    dvk = np.zeros((nk, J.shape[1]))
    dvk[:, nd:nq] = -np.eye(nk) / end.dt
    dvk[:, nq + nd + model.nu :][:, :nk] = np.eye(nk) / end.dt
    times = slice(nq + nd + model.nu + nk, nq + nd + model.nu + nk + 2)
    dvk[:, times.start] = -end.vk / end.dt
    v = model.velocity(q, end.p, end.vk, t=t)
    M, Dh = model.mass_matrix(q), model.constraint_dq(q, t=t)
    matrix = np.block([[M[:nd, :nd], -Dh[:, :nd].T], [Dh[:, :nd], np.zeros((nc, nc))]])
    y = np.linalg.lstsq(Dh[:, :nd].T, M[:nd] @ v - end.p, rcond=None)[0] if nc else np.zeros(0)
    DDh = model.constraint_dqdq(q, t=t) if nc else np.zeros((0, nq, nq))
    first = dp - (model.L_dqdv(q, v).T[:nd] - np.tensordot(y, DDh, 1)[:nd]) @ dq - M[:nd, nd:] @ dvk
    second = -np.einsum("cij,i->cj", DDh, v) @ dq - Dh[:, nd:] @ dvk
    theta = slice(times.stop, None)
    first[:, theta] -= momenta_by_parameters(model, by, q, v)
    if nc and by.names:
        Dh_theta = by.difference(lambda near: near.constraint_dq(q, t=t))
        first[:, theta] += np.einsum("c,cij->ij", y, Dh_theta[:, :nd])
        second[:, theta] -= np.einsum("cij,i->cj", Dh_theta, v)
        second[:, theta] -= by.difference(lambda near: near.constraint_dt(q, t=t))
    if nc:
        h_tt = (model.constraint_dt(q, t=t + TIME) - model.constraint_dt(q, t=t - TIME)) / (2.0 * TIME)
        second[:, times] -= h_tt[:, None]
    dv = np.linalg.lstsq(matrix, np.concatenate([first, second]), rcond=None)[0][:nd]
    return np.concatenate([dv, dvk])


def multiplier_rows(model: Model, end: End, J: Array, dv: Array, by: Variation) -> Array:
    """The derivatives of λ(q, v, u, t) of the continuous dynamics at the end, as steps of stages give it.  (GD9)"""
    nq, nd, nu, q, u, t = model.nv, model.nd, model.nu, end.q, end.u, end.t
    v = model.velocity(q, end.p, end.vk, t=t)
    of = model.acceleration_derivatives(q, v, u, t=t)
    rows: Array = of.lam_dq @ J[:nq] + of.lam_dv @ dv
    rows[:, nq + nd : nq + nd + nu] += of.lam_du
    first = nq + nd + nu + model.nk

    def lam(of: Model, time: float) -> Array:
        return of.acceleration_and_multipliers(q, v, u, t=time)[1]

    rows[:, first : first + 2] += ((lam(model, t + TIME) - lam(model, t - TIME)) / (2.0 * TIME))[:, None]
    if by.names:
        rows[:, first + 2 :] += by.difference(lambda near: lam(near, t))
    return rows
