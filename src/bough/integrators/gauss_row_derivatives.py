"""Derivatives of a step of order 4, 6 or 8 of the midpoint rule with constraints or kinematic variables.

The stages are those of (GL2)-(GL6): velocities V_i of the dynamic variables, an impulse μ at the start, multipliers
λ_l at the nodes within. Kinematic variables go in a line, so that their velocities are (k1 − k0)/dt. With
G_l = Dh(N_l), C_l = λ_l·h_qq(N_l), C_0 = μ·h_qq(q0) and F = L_q + f, the residuals of (GL4) and (GL5) are

    R_i = L_v,i − p0 − dt Σ_j a_ij F_j − G_0ᵀμ − dt Σ_l g_il G_lᵀλ_l ,   h_k = h(N_k)                             (GD4)
    ∂R_i/∂V_j = δ_ij L_vv,i + dt a_ij (L_vq,i − F_v,j) − dt² Σ_m a_im a_mj F_q,m − dt² Σ_l g_il n_lj C_l          (GD5)
    ∂R_i/∂q0 = L_vq,i − dt Σ_j a_ij F_q,j − C_0 − dt Σ_l g_il C_l ,   ∂h_k/∂V_j = dt n_kj G_k ,  ∂h_k/∂q0 = G_k   (GD6)
    δp1 = δp0 + dt Σ_j b_j (F_q δQ_j + F_v δV_j + F_u δu) + G_0ᵀδμ + C_0 δq0 + dt Σ_l w_l (G_lᵀδλ_l + C_l δN_l)   (GD7)

so that Newton's matrix over all stages and multipliers gives all first derivatives. If rows depend on each other, the
least multipliers are taken, and the derivatives hold for moves along the constraints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.integrators.gauss_derivatives import CONVERGED, MOST, GaussLinearization

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator

DEPENDENT = 1e-11  # singular values that count as zero, relative


class Nodes(NamedTuple):
    """n and g of (GL1) at the Lobatto nodes 0 … s, and their weights w."""

    n: Array
    g: Array
    w: Array
    d: Array


def lobatto(c: Array, b: Array) -> Nodes:
    """The nodes of the constraints for Gauss' nodes c with weights b  (GL1)."""
    s = len(c)
    inner = np.polynomial.legendre.Legendre.basis(s).deriv().roots()
    x = np.concatenate([[-1.0], np.sort(np.real(inner)), [1.0]])
    w = 1.0 / (s * (s + 1) * np.polynomial.legendre.Legendre.basis(s)(x) ** 2)
    d, powers = 0.5 * (x + 1.0), np.arange(1, s + 1)
    n = (d[:, None] ** powers / powers) @ np.linalg.inv(c[:, None] ** (powers - 1))
    return Nodes(n, w * (1.0 - n.T / b[:, None]), w, d)


class Stages(NamedTuple):
    """What the residuals and their derivatives are made of, at one iterate."""

    p: Array  # L_v (s, nq)
    F: Array
    vv: Array
    vq: Array
    F_q: Array
    F_v: Array
    F_u: Array
    h: Array  # (s + 1, m) at the nodes
    G: Array
    C: Array  # (s, nq, nq): of the start and of the nodes within


class GaussRowLinearization(GaussLinearization):
    """`GaussLinearization` for models with constraints or kinematic variables."""

    def __init__(self, vi: VariationalIntegrator) -> None:
        super().__init__(vi)
        _, b, c = self._table
        self._nodes = lobatto(c, b)

    def _step(
        self, dt: float, t: float, y0: Array, control: Array, derivatives: bool
    ) -> tuple[Array, Array] | None:
        """The end of a step and its derivatives by (y0, u, k1), by Newton's method on (GD4)."""
        model, (_, b, _) = self._model, self._table
        s, nq, nd, m = len(b), model.nq, model.nd, model.nc
        q0, p0, u = y0[:nq], y0[nq:], control[: model.nu]
        V = np.zeros((s, nq))
        V[:, nd:] = (control[model.nu :] - q0[nd:]) / dt
        V[:] = model.velocity(q0, p0, V[0, nd:], t=t)
        lam = np.zeros((s, m))  # μ/dt, then λ_l
        for count in range(MOST):
            at = self._stages(dt, t, q0, V, lam, u)
            residual = self._residual(dt, p0, at, lam)
            step = _solve(self._matrix(dt, at), -residual[:, None])[:, 0]
            V[:, :nd] += step[: s * nd].reshape(s, nd)
            lam += step[s * nd :].reshape(s, m)
            rows = np.abs(residual[: s * nd]).reshape(s, nd)
            self._failure = (float(np.abs(residual).max()), int(rows.max(axis=0).argmax()), count + 1)
            if not np.isfinite(step).all():
                return None
            change = dt * np.abs(step[: s * nd]).max(initial=0.0)
            if change <= CONVERGED * max(1.0, float(np.abs(q0).max())):
                break
        else:
            if change > 1e-11 * max(1.0, float(np.abs(q0).max())):
                return None
        at = self._stages(dt, t, q0, V, lam, u)
        impulses = np.einsum("l,lmi,lm->i", self._weights(), at.G[:s], lam)
        p1 = p0 + dt * (b @ at.F + impulses)[:nd]
        y1 = np.concatenate([q0 + dt * b @ V, p1])
        y1[nd:nq] = control[model.nu :]
        return y1, self._jacobian(dt, at) if derivatives else np.zeros((len(y0), 0))

    def _weights(self) -> Array:
        """Of the impulses dt G_l^T λ_l in p1: one at the start, w_l at the nodes within  (GL6)."""
        return np.concatenate([[1.0], self._nodes.w[1:-1]])

    def _couplings(self) -> Array:
        """Of the same in stage i, (s, s): one for the impulse at the start, g_il  (GL4)."""
        s = len(self._table[1])
        return np.concatenate([np.ones((s, 1)), self._nodes.g[:, 1:s]], axis=1)

    def _stages(self, dt: float, t: float, q0: Array, V: Array, lam: Array, u: Array) -> Stages:
        model, (a, b, c) = self._model, self._table
        s = len(b)
        Q, N = q0 + dt * a @ V, q0 + dt * self._nodes.n @ V
        L, us, times = model.lagrangian_derivatives(Q, V), np.repeat(u[None], s, axis=0), t + c * dt
        F = L.dq + model.generalized_force(Q, V, us, times)
        F_q = L.dqdq + model.generalized_force_dq(Q, V, us, times)
        F_v = L.dqdv + model.generalized_force_dv(Q, V, us, times)
        F_u = model.generalized_force_du(Q, V, us, times)
        ends = t + self._nodes.d * dt
        C = np.einsum("lm,lmij->lij", lam, model.constraint_dqdq(N[:s], ends[:s]))
        h, G = model.constraint(N, ends), model.constraint_dq(N, ends)
        return Stages(L.dv, F, L.dvdv, np.swapaxes(L.dqdv, 1, 2), F_q, F_v, F_u, h, G, C)

    def _residual(self, dt: float, p0: Array, at: Stages, lam: Array) -> Array:
        """(GD4), constraints divided by dt."""
        a, nd, s = self._table[0], self._model.nd, len(lam)
        impulses = np.einsum("il,lmj,lm->ij", self._couplings(), at.G[:s], lam)
        R = (at.p - dt * (a @ at.F + impulses))[:, :nd] - p0
        return np.concatenate([R.reshape(-1), at.h[1:].reshape(-1) / dt])

    def _by_velocities(self, dt: float, at: Stages) -> tuple[Array, Array]:
        """The derivatives of R (s, nq, s, nq) and of h/dt (s, m, s, nq) by all V  (GD5), (GD6)."""
        a, n, g = self._table[0], self._nodes.n, self._couplings()
        s = len(a)
        R = dt * np.einsum("ij,ikl->ikjl", a, at.vq) - dt * np.einsum("ij,jkl->ikjl", a, at.F_v)
        R -= dt**2 * np.einsum("im,mkl,mj->ikjl", a, at.F_q, a)
        R -= dt**2 * np.einsum("ie,ekl,ej->ikjl", g, at.C, n[:s])
        R[np.arange(s), :, np.arange(s)] += at.vv
        return R, np.einsum("kj,kml->kmjl", n[1:], at.G[1:])

    def _matrix(self, dt: float, at: Stages) -> Array:
        nd, s, m = self._model.nd, len(at.F), self._model.nc
        R, h = self._by_velocities(dt, at)
        by_lam = -dt * np.einsum("il,lmj->ijlm", self._couplings(), at.G[:s])[:, :nd]
        top = np.concatenate(
            [R[:, :nd, :, :nd].reshape(s * nd, s * nd), by_lam.reshape(s * nd, s * m)], axis=1
        )
        low = np.concatenate([h[..., :nd].reshape(s * m, s * nd), np.zeros((s * m, s * m))], axis=1)
        return np.concatenate([top, low])

    def _jacobian(self, dt: float, at: Stages) -> Array:
        """The derivatives of (q1, p1) by (q0, p0, u, k1)  (GD6), (GD7)."""
        model, (a, b, _) = self._model, self._table
        nq, nd, nu, nk, m, s = model.nq, model.nd, model.nu, model.nk, model.nc, len(b)
        ns = nq + nd + nu + nk
        R_V, h_V = self._by_velocities(dt, at)
        dV = np.zeros((s, nq, ns))  # what is known of δV: kinematic variables
        dV[:, nd:, nd:nq], dV[:, nd:, ns - nk :] = -np.eye(nk) / dt, np.eye(nk) / dt
        R = np.einsum("ikjl,jls->iks", R_V, dV)[:, :nd]
        h = np.einsum("kmjl,jls->kms", h_V, dV)
        by_q0 = at.vq - dt * np.einsum("ij,jkl->ikl", a, at.F_q)
        by_q0 -= dt * np.einsum("il,lkj->ikj", self._couplings(), at.C)
        R[:, :, :nq] += by_q0[:, :nd]
        R[:, :, nq : nq + nd] -= np.eye(nd)
        R[:, :, nq + nd : nq + nd + nu] -= dt * np.einsum("ij,jku->iku", a, at.F_u)[:, :nd]
        h[:, :, :nq] += at.G[1:] / dt
        right = np.concatenate([R.reshape(s * nd, ns), h.reshape(s * m, ns)])
        found = _solve(self._matrix(dt, at), -right)
        dV[:, :nd] += found[: s * nd].reshape(s, nd, ns)
        dlam = found[s * nd :].reshape(s, m, ns)
        start = np.eye(nq, ns)
        dQ, dN = (
            start + dt * np.einsum("ij,jks->iks", a, dV),
            start + dt * np.einsum("lj,jks->lks", self._nodes.n[:s], dV),
        )
        dF = np.einsum("jkl,jls->jks", at.F_q, dQ) + np.einsum("jkl,jls->jks", at.F_v, dV)
        dF[:, :, nq + nd : nq + nd + nu] += at.F_u
        impulses = np.einsum("lmk,lms->lks", at.G[:s], dlam) + np.einsum("lkj,ljs->lks", at.C, dN)
        J = np.zeros((nq + nd, ns))
        J[:nq] = start + dt * np.einsum("j,jks->ks", b, dV)
        J[nq:] = dt * (np.einsum("j,jks->ks", b, dF) + np.einsum("l,lks->ks", self._weights(), impulses))[:nd]
        J[nq:, nq : nq + nd] += np.eye(nd)
        return J


def _solve(matrix: Array, right: Array) -> Array:
    """The least solution; rows that depend on each other leave multipliers open."""
    try:
        found = np.asarray(np.linalg.solve(matrix, right), dtype=float)
        if np.linalg.cond(matrix) < 1.0 / DEPENDENT:
            return found
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=DEPENDENT)[0], dtype=float)
