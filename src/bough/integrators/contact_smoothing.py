"""Smoothed derivatives of steps with contacts: those of the step on the central path of its contacts.

Statuses of contacts do not appear here. Every contact presses a little, and its impulses r, gap φ(q1) and slip σ obey

    r_n φ = κ                                                                                               (KD6)
    r_t (κ + √(κ² + R²|σ|²)) + R² σ = 0 ,   R = m r_n ,   of dry friction R = F w                           (KD7)

in place of (CT2) and (CT5). (KD7) is where σ·r_t − κ ln(R² − |r_t|²) is least, the barrier of the disc |r_t| ≤ R for
most dissipation: for κ → 0 it is Coulomb's law. Newton's method finds the solution of these and (CT1) near the step,
with r_n > 0 and a slack y = φ > 0, and the differentials

    φ δr_n + r_n (J_n1 δq1 + φ_t δdt) = 0                                                                   (KD8)
    G δr_t + r_t δG + 2 R σ δR + R² δσ = 0 ,   G = κ + √(κ² + R²|σ|²) ,
        δG = (R |σ|² δR + R² σ·δσ)/(G − κ)                                                                  (KD9)

take the place of (KD2), (KD4), (KD5). κ belongs to the call for derivatives, never to a simulation. An impact within
the step is not located: it is that of a step without restitution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.errors import ConvergenceError
from bough.integrators.contact_derivatives import ContactLinearization
from bough.integrators.contact_made import Contact, Made, Stepped
from bough.integrators.contact_parameters import gaps
from bough.integrators.contact_solve import least

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator

MOST = 60  # iterations
AWAY = (
    1e4,
    1e3,
    1e2,
    1e1,
    1.0,
)  # of κ: the central path from far away, where Newton's method does not reach it at once
CONVERGED = 1e-12  # the last correction, relative
BOUNDARY = 0.9  # how far a correction goes towards r_n = 0 or φ = 0


class SmoothedContacts(ContactLinearization):
    """The kernel of derivatives with smoothing=κ."""

    def __init__(self, vi: VariationalIntegrator, kappa: float) -> None:
        super().__init__(vi)
        self._kappa = kappa

    def _check_start(self, t: float) -> None:
        """Nothing is struck."""

    def _check(self, step: Stepped) -> None:
        """The smoothed step is one part, whatever the step beside it is."""

    def _complete(self, step: Stepped) -> tuple[Array, Made]:
        made = self._made(step)
        J = self.jacobian(made)
        return np.concatenate([J, np.zeros((len(made.r) + 1, J.shape[1]))]), made

    def _made(self, step: Stepped) -> Made:
        """The smoothed step near the step from a state; p1 is that of the latter."""
        n, frozen = len(self.coefficients), step.frozen
        features = frozen[n + 1 :] if len(frozen) > n + 1 else np.ones(n)
        acting = frozen.copy()
        acting[:n] = features != 0.0  # those without features, and those whose feature was found
        contacts = [
            Contact(first, rows, friction, dry, bool(step.before[i] == 2.0))
            for i, (first, rows, friction, dry) in enumerate(self.coefficients)
            if acting[i]
        ]
        node = 0.5 * (step.before[n] + step.dt)
        r = node * np.array(step.after._memory.contact_force)
        return self._solve(step.made(node, r, acting, contacts))

    def _solve(self, made: Made) -> Made:
        """(CT1), (KD6), (KD7), at once or along the central path."""
        try:
            return self._newton(made)
        except ConvergenceError:
            pass
        kappa = self._kappa
        try:
            for factor in AWAY:
                self._kappa = factor * kappa
                made = self._newton(made)
        finally:
            self._kappa = kappa
        return made

    def _newton(self, made: Made) -> Made:
        """(CT1), (KD6), (KD7) by Newton's method with slacks for the gaps."""
        model, kappa = self.model, self._kappa
        nd, nc = model.nd, model.nc
        number = {first: i for i, (first, *_) in enumerate(self.coefficients)}
        normal = [c.first for c in made.contacts if c.dry < 0.0]
        y, r = np.zeros(len(made.r)), made.r.copy()
        phi = gaps(self, made.q1, made.t + made.dt, made.frozen)
        for i in normal:
            y[i] = max(phi[number[i]], np.sqrt(kappa) * 1e-2)
            r[i] = max(r[i], kappa / y[i])
        for contact in made.contacts:
            if contact.dry >= 0.0:
                r[contact.first] = contact.dry * made.node
        made = made._replace(r=r)
        for _ in range(MOST):
            residual, T = self._system(made, y)
            move = least(T, -residual[:, None])[:, 0]
            dd, dmu, dr = np.split(move[: nd + nc + len(r)], [nd, nd + nc])
            (J1,), _ = self.rows(made.q1[None], made.t + made.dt, made)
            phi = gaps(self, made.q1, made.t + made.dt, made.frozen)
            factor, dy = 1.0, np.zeros_like(y)
            for i in normal:
                dy[i] = phi[number[i]] - y[i] + J1[i, :nd] @ dd
                for value, change in ((y[i], dy[i]), (made.r[i], dr[i])):
                    if change < 0.0:
                        factor = min(factor, -BOUNDARY * value / change)
            q1 = made.q1.copy()
            q1[:nd] += factor * dd
            made = made._replace(q1=q1, mu=made.mu + factor * dmu, r=made.r + factor * dr)
            y = y + factor * dy
            size = max(1.0, float(np.abs(q1).max(initial=0.0)))
            if factor == 1.0 and np.abs(dd).max(initial=0.0) <= CONVERGED * size:
                break
        else:
            raise ConvergenceError(
                asked=f"smoothing={kappa:g} of a step from t = {made.t:.6g} with {self._vi._where}",
                found=f"Newton's method did not reach the central path of the contacts in {MOST} iterations",
                do="give another smoothing, larger or smaller by ten, or a smaller dt",
                time=made.t,
                iterations=MOST,
                residual=float(np.abs(dd).max()),
            )
        return made

    def _system(self, made: Made, y: Array) -> tuple[Array, Array]:
        """The residual and its derivatives by (d1, μ, r), with slacks eliminated."""
        model = self.model
        nd, nc, rows = model.nd, model.nc, len(made.r)
        at, (J0,) = self.slots(made, timed=False), self.rows(made.q0[None], made.t, made)[0]
        Dh0, Dh1, _, _ = self.held(made)
        T = self.matrix(made, at, J0, Dh0, Dh1)
        right = np.zeros((nd + nc + rows, model.nv + nd + model.nu + model.nk + 3 + rows))
        residual = np.zeros(nd + nc + rows)
        residual[:nd] = made.p0 + at.D1.sum(axis=0)[:nd] + J0[:, :nd].T @ made.r
        if nc:
            residual[:nd] -= Dh0[:, :nd].T @ made.mu
            residual[nd : nd + nc] = model.constraint(made.q1, t=made.t + made.dt)
        slips = self._sigma(made, timed=False) if any(c.rows > 1 for c in made.contacts) else None
        self._close(made, T[nd + nc :], right[nd + nc :], y, slips)
        phi, number = (
            gaps(self, made.q1, made.t + made.dt, made.frozen),
            {first: i for i, (first, *_) in enumerate(self.coefficients)},
        )
        sigma = np.zeros(rows) if slips is None else slips[2]
        for contact in made.contacts:
            i, row = contact.first, nd + nc + contact.first
            R = contact.dry * made.node if contact.dry >= 0.0 else contact.friction * made.r[i]
            if contact.dry < 0.0:  # y r_n = κ with y = φ + J dd
                off = phi[number[i]] - y[i]
                residual[row] = made.r[i] * y[i] - self._kappa + made.r[i] * off
            tangent = slice(i + 1, i + contact.rows)
            s, r_t = sigma[tangent], made.r[tangent]
            G = self._kappa + np.sqrt(self._kappa**2 + R**2 * (s @ s))
            residual[nd + nc + i + 1 : nd + nc + i + contact.rows] = r_t * G + R**2 * s
        return residual, T

    def _sigma(self, made: Made, *, timed: bool = True) -> tuple[Array, Array, Array, Array, Array]:
        """S_0, S_1, σ and its derivatives by dt and by time."""
        S0, S1, s, slide, s_t = self.slips(made, timed=timed)
        for contact in made.contacts:
            at = slice(contact.first + 1, contact.first + contact.rows)
            if contact.slides:
                s[at] += made.dt * made.slip[at]
                slide[at] += made.slip[at]
        return S0, S1, s, slide, s_t

    def _close(
        self,
        made: Made,
        T: Array,
        right: Array,
        y: Array | None = None,
        slips: tuple[Array, Array, Array, Array, Array] | None = None,
    ) -> None:
        """(KD8), (KD9); y : slacks in the place of gaps, slips : what `_sigma` found"""
        model, kappa = self.model, self._kappa
        nq, nd, nk, nc = model.nv, model.nd, model.nk, model.nc
        k, dt, first_r = nq + nd + model.nu, nq + nd + model.nu + nk, nd + nc
        (J1,), (rate1,) = self.rows(made.q1[None], made.t + made.dt, made)
        T[:, first_r:] = np.eye(len(made.r))
        phi, number = (
            gaps(self, made.q1, made.t + made.dt, made.frozen),
            {first: i for i, (first, *_) in enumerate(self.coefficients)},
        )
        for contact in made.contacts:
            i = contact.first
            if contact.dry >= 0.0:
                right[i, dt] = 0.5 * contact.dry
                continue
            T[i] = 0.0
            T[i, :nd] = made.r[i] * J1[i, :nd]
            T[i, first_r + i] = phi[number[i]] if y is None else y[i]
            right[i, k : k + nk] = -made.r[i] * J1[i, nd:]
            right[i, dt] = right[i, dt + 1] = -made.r[i] * rate1[i]
        if all(contact.rows == 1 for contact in made.contacts):
            return
        S0, S1, sigma, by_dt, s_t = self._sigma(made) if slips is None else slips
        for contact in made.contacts:
            i, at = contact.first, slice(contact.first + 1, contact.first + contact.rows)
            m = 0.0 if contact.dry >= 0.0 else contact.friction
            R = contact.dry * made.node if contact.dry >= 0.0 else m * made.r[i]
            s, r_t = sigma[at], made.r[at]
            root = np.sqrt(kappa**2 + R**2 * (s @ s))
            by_R = r_t * R * (s @ s) / root + 2.0 * R * s
            by_s = R**2 * (np.outer(r_t, s) / root + np.eye(len(s)))
            T[at] = 0.0
            T[at, first_r:][:, at] = (kappa + root) * np.eye(len(s))
            T[at, first_r + i] = m * by_R
            T[at, :nd] += by_s @ S1[at, :nd]
            right[at, :nq] -= by_s @ S0[at]
            right[at, k : k + nk] -= by_s @ S1[at, nd:]
            right[at, dt + 1] -= by_s @ s_t[at]
            right[at, dt] -= by_s @ by_dt[at] + (by_R * 0.5 * contact.dry if contact.dry >= 0.0 else 0.0)
            if contact.slides:
                right[at, dt + 2 : dt + 2 + len(made.r)][:, at] -= made.dt * by_s
