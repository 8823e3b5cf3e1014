"""Second derivatives of a step of order 4, 6 or 8, contracted with a covector w of its end.

With y, η the covectors that solve r_zᵀ (y, η) = −e_zᵀ w (GD8), all curvature of w·(q1, p1) is that of w·e + (y, η)·r
at fixed y and η, along the moves of the stages. Collected at each stage and at each node,

    c_j = dt (b_j w_p − Σ_i a_ij y_i) ,   d_l = dt (w_l w_p − Σ_i g_il y_i)                                       (GD10)
    δ²(w·e) = Σ_j (δQ_j, δV_j, δu)ᵀ Φ_j (δQ_j, δV_j, δu) + Σ_l δN_lᵀ H_l δN_l + Σ_l (B_l + B_lᵀ)                  (GD11)
    Φ_j: second derivatives of c_j·(L_q + f) + y_j·L_v ,   H_l = λ_l·D³h(N_l)[d_l] + η_l·h_qq(N_l)/dt ,
    B_l = δλ_lᵀ (h_qq(N_l) d_l) δN_l                                                                              (GD12)

with η_0 = 0, and λ, B at all nodes but the last. Φ is exact, as for order 2 (phi_hessian.hpp), and so is h_qq; D³h
along d_l is a difference of fourth order of h_qq.
"""

from __future__ import annotations

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.integrators.gauss_equations import GaussEquations, Moves, Terms
from bough.model.variation import CENTRAL

LENGTH = 1e-3  # of the difference along d, as a part of its largest entry


def curvature(
    equations: GaussEquations, at: Terms, lam: Array, d: Moves, stages: Array, adjoint: Array, w: Array
) -> Array:
    """The second derivatives of w.(q1, p1) by (q0, p0, u, k1).

    Parameters
    ----------
    d : the moves of the stages by the unknowns and by what is given
    stages : the derivatives of the unknowns by what is given
    adjoint : (y, η)
    w : (nq + nd,)
    """
    model, s, nz, table = equations.model, equations.s, equations.nz, equations.table
    (dt, t, _, _, u, _), nq, nd, nu, m = equations.given, model.nq, model.nd, model.nu, model.nc
    along = [part[..., nz:] + part[..., :nz] @ stages for part in (d.Q, d.V, d.N, d.lam, d.u)]
    dQ, dV, dN, dlam, du = along
    y, eta = np.zeros((s, nq)), adjoint[s * nd :].reshape(s, m)
    y[:, :nd] = adjoint[: s * nd].reshape(s, nd)
    w_p = np.zeros(nq)
    w_p[:nd] = w[nq:]
    c = dt * (table.b[:, None] * w_p - table.a.T @ y)  # (GD10)
    e = dt * (table.weights[:, None] * w_p - table.couplings.T @ y)
    phi = np.empty((s, 2 * nq + nu, 2 * nq + nu))
    times, us = t + table.c * dt, np.repeat(u[None], s, axis=0)
    core.phi_hessian(model._core, at.Q, np.ascontiguousarray(at.V), us, times, c, y, c, phi)
    moved = np.concatenate([dQ, dV, np.broadcast_to(du, (s, *du.shape))], axis=1)
    total = np.einsum("jac,jab,jbd->cd", moved, phi, moved, optimize=True)  # (GD11)
    if m:
        ends = t + table.d * dt
        h_qq = model.constraint_dqdq(at.N, ends)
        H = np.zeros((s + 1, nq, nq))
        H[1:] = np.einsum("lm,lmij->lij", eta, h_qq[1:]) / dt
        H[:-1] += _third_along(equations, at.N[:-1], ends[:-1], lam, e)
        total += np.einsum("lic,lij,ljd->cd", dN, H, dN, optimize=True)
        B = np.einsum("lmc,lmij,li,ljd->cd", dlam, h_qq[:-1], e, dN[:-1], optimize=True)  # (GD12)
        total += B + B.T
    return np.asarray(0.5 * (total + total.T))


def _third_along(equations: GaussEquations, N: Array, t: Array, lam: Array, along: Array) -> Array:
    """λ·D³h[d] at each node, (s, nq, nq)."""
    size = np.abs(along).max(axis=1)
    e = LENGTH / np.where(size > 0.0, size, 1.0)
    total = np.zeros((len(N), N.shape[1], N.shape[1]))
    for place, weight in CENTRAL:
        h_qq = equations.model.constraint_dqdq(N + (place * e)[:, None] * along, t)
        total += np.einsum("l,lm,lmij->lij", weight / e, lam, h_qq)
    return total
