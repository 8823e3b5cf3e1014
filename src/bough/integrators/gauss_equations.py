"""The equations of a step of order 4, 6 or 8 of the midpoint rule, of any model without balls and contacts.

The stages are those of (GL2)-(GL6): velocities V_i of the dynamic variables, an impulse μ at the start, multipliers
λ_l at the nodes within. Kinematic variables go in a line, so that their velocities are (k1 − k0)/dt. With
G_l = Dh(N_l), C_l = λ_l·h_qq(N_l), C_0 = μ·h_qq(q0) and F = L_q + f, the residuals of (GL4) and (GL5) are

    R_i = L_v,i − p0 − dt Σ_j a_ij F_j − G_0ᵀμ − dt Σ_l g_il G_lᵀλ_l ,   h_k = h(N_k)                             (GD4)

and their derivatives follow from those of Q_i, V_i, N_l, each linear in the unknowns and in what is given:

    δQ_i = δq0 + dt Σ_j a_ij δV_j ,   δN_l = δq0 + dt Σ_j n_lj δV_j ,   δF_j = F_q δQ_j + F_v δV_j + F_u δu
    δR_i = L_vq δQ_i + L_vv δV_i − δp0 − dt Σ_j a_ij δF_j − G_0ᵀδμ − C_0 δq0 − dt Σ_l g_il (G_lᵀδλ_l + C_l δN_l)   (GD5)
    δh_k = G_k δN_k                                                                                               (GD6)
    δp1 = δp0 + dt Σ_j b_j δF_j + G_0ᵀδμ + C_0 δq0 + dt Σ_l w_l (G_lᵀδλ_l + C_l δN_l)                             (GD7)

Here the impulse at the start is dt λ_0, and constraints are divided by dt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough.arguments import Array

if TYPE_CHECKING:
    from bough.model.model import Model


class Table(NamedTuple):
    """Gauss' a, b, c, and at the Lobatto nodes d the matrices of (GL1)."""

    a: Array
    b: Array
    c: Array
    n: Array  # (s + 1, s)
    d: Array
    weights: Array  # of the impulses dt G_l^T λ_l in p1: one at the start, w_l at the nodes within  (GL6)
    couplings: Array  # of the same in stage i, (s, s): one for the start, g_il  (GL4)


def gauss_table(stages: int) -> Table:
    """The collocation at the roots of a Legendre polynomial, with constraints at Lobatto's nodes."""
    x, b = np.polynomial.legendre.leggauss(stages)
    c, b = 0.5 * (x + 1.0), 0.5 * b
    powers = np.arange(1, stages + 1)
    inverse = np.linalg.inv(c[:, None] ** (powers - 1))
    legendre = np.polynomial.legendre.Legendre.basis(stages)
    nodes = np.concatenate([[-1.0], np.sort(np.real(legendre.deriv().roots())), [1.0]])
    w = 1.0 / (stages * (stages + 1) * legendre(nodes) ** 2)
    d = 0.5 * (nodes + 1.0)
    n = (d[:, None] ** powers / powers) @ inverse
    g = w * (1.0 - n.T / b[:, None])
    weights = np.concatenate([[1.0], w[1:-1]])
    couplings = np.concatenate([np.ones((stages, 1)), g[:, 1:stages]], axis=1)
    return Table((c[:, None] ** powers / powers) @ inverse, b, c, n, d, weights, couplings)


class Given(NamedTuple):
    """What a step starts from: its length, its time, q0, p0, the inputs and the ends of kinematic variables."""

    dt: float
    t: float
    q0: Array
    p0: Array
    u: Array
    k1: Array


class Terms(NamedTuple):
    """What the residuals and their derivatives are made of, at one iterate."""

    Q: Array  # (s, nq)
    V: Array
    N: Array  # (s + 1, nq)
    p: Array  # L_v
    F: Array
    vv: Array
    vq: Array
    F_q: Array
    F_v: Array
    F_u: Array
    h: Array  # (s + 1, m)
    G: Array
    C: Array  # (s, nq, nq)


class Moves(NamedTuple):
    """The derivatives of what the stages are made of, by columns (..., columns)."""

    Q: Array
    V: Array
    N: Array
    lam: Array
    u: Array
    p0: Array


class GaussEquations:
    """The residuals of one step, their derivatives, and the end that the stages lead to."""

    def __init__(self, model: Model, table: Table, given: Given) -> None:
        self.model, self.table, self.given = model, table, given
        self.s, self.nz = len(table.b), len(table.b) * (model.nd + model.nc)

    def velocities(self, dynamic: Array) -> Array:
        """V (s, nq) of the dynamic ones."""
        given, nd = self.given, self.model.nd
        line = (given.k1 - given.q0[nd:]) / given.dt
        return np.concatenate([dynamic, np.broadcast_to(line, (self.s, self.model.nk))], axis=1)

    def terms(self, dynamic: Array, lam: Array) -> Terms:
        """All terms, for velocities of the dynamic variables (s, nd) and multipliers (s, m)."""
        model, (dt, t, q0, _, u, _), table = self.model, self.given, self.table
        V = self.velocities(dynamic)
        Q, N = q0 + dt * table.a @ V, q0 + dt * table.n @ V
        L, us, times = (
            model.lagrangian_derivatives(Q, V),
            np.repeat(u[None], self.s, axis=0),
            t + table.c * dt,
        )
        F = L.dq + model.generalized_force(Q, V, us, times)
        F_q = L.dqdq + model.generalized_force_dq(Q, V, us, times)
        F_v = L.dqdv + model.generalized_force_dv(Q, V, us, times)
        F_u = model.generalized_force_du(Q, V, us, times)
        ends = t + table.d * dt
        C = np.einsum("lm,lmij->lij", lam, model.constraint_dqdq(N[:-1], ends[:-1]))
        h, G = model.constraint(N, ends), model.constraint_dq(N, ends)
        return Terms(Q, V, N, L.dv, F, L.dvdv, np.swapaxes(L.dqdv, 1, 2), F_q, F_v, F_u, h, G, C)

    def residual(self, at: Terms, lam: Array) -> Array:
        """(GD4), constraints divided by dt."""
        dt, nd, table = self.given.dt, self.model.nd, self.table
        impulses = np.einsum("il,lmj,lm->ij", table.couplings, at.G[:-1], lam)
        R = (at.p - dt * (table.a @ at.F + impulses))[:, :nd] - self.given.p0
        return np.concatenate([R.reshape(-1), at.h[1:].reshape(-1) / dt])

    def end(self, at: Terms, lam: Array) -> Array:
        """(q1, p1)."""
        dt, nd, table = self.given.dt, self.model.nd, self.table
        impulses = np.einsum("l,lmi,lm->i", table.weights, at.G[:-1], lam)
        q1 = self.given.q0 + dt * table.b @ at.V
        q1[nd:] = self.given.k1
        return np.concatenate([q1, self.given.p0 + dt * (table.b @ at.F + impulses)[:nd]])

    def moves(self) -> Moves:
        """By the unknowns (V, λ), then by (q0, p0, u, k1)."""
        model, dt, table = self.model, self.given.dt, self.table
        nq, nd, nu, nk, m, s, nz = model.nq, model.nd, model.nu, model.nk, model.nc, self.s, self.nz
        columns = nz + nq + nd + nu + nk
        start = np.zeros((nq, columns))
        start[:, nz : nz + nq] = np.eye(nq)
        dV, dlam = np.zeros((s, nq, columns)), np.zeros((s, m, columns))
        for i in range(s):
            dV[i, :nd, i * nd : (i + 1) * nd] = np.eye(nd)
            dlam[i, :, s * nd + i * m : s * nd + (i + 1) * m] = np.eye(m)
        dV[:, nd:, nz + nd : nz + nq] = -np.eye(nk) / dt
        dV[:, nd:, columns - nk :] = np.eye(nk) / dt
        du, dp0 = np.zeros((nu, columns)), np.zeros((nd, columns))
        du[:, columns - nk - nu : columns - nk] = np.eye(nu)
        dp0[:, nz + nq : nz + nq + nd] = np.eye(nd)
        dQ, dN = (start + dt * np.einsum("lj,jkc->lkc", x, dV) for x in (table.a, table.n))
        return Moves(dQ, dV, dN, dlam, du, dp0)

    def residual_moves(self, at: Terms, d: Moves) -> tuple[Array, Array]:
        """The derivatives of the residuals (GD5), (GD6), and of (q1, p1) (GD7)."""
        dt, nd, table = self.given.dt, self.model.nd, self.table
        dF = at.F_q @ d.Q + at.F_v @ d.V + at.F_u @ d.u
        impulses = np.swapaxes(at.G[:-1], 1, 2) @ d.lam + at.C @ d.N[:-1]
        R = at.vq @ d.Q + at.vv @ d.V - dt * np.einsum("ij,jkc->ikc", table.a, dF)
        R = (R - dt * np.einsum("il,lkc->ikc", table.couplings, impulses))[:, :nd] - d.p0
        h = at.G[1:] @ d.N[1:] / dt
        columns = R.shape[-1]
        p1 = np.einsum("j,jkc->kc", table.b, dF) + np.einsum("l,lkc->kc", table.weights, impulses)
        end = np.concatenate([d.N[-1], d.p0 + dt * p1[:nd]])
        return np.concatenate([R.reshape(-1, columns), h.reshape(-1, columns)]), end
