"""Derivatives of an impact: from positions and momenta before it to momenta after it.

At the node of an impact, velocities are first projected on the contacts that were closed, and the impact law acts then,
with impulses ρ and r:

    (M v⁻)_d = p⁻ + Dhᵀy + Jᵀρ ,   (M v⁺)_d = p⁻ + Dhᵀy⁺ + Jᵀ(ρ + r) ,   Dh v + h_t = 0 at both                (KD12)
    pressed:  U_n⁻ = 0 ,  struck:  U_n⁺ + e U_n⁻ = 0 ,  sticks:  U_t = 0 ,  slides:  r_t + m r_n U_t/|U_t| = 0  (KD13)

with U = J v + rate; dry friction gives ρ_t = −F τ/2 U_t/|U_t| while it slides. What presses, is struck, sticks or
slides stays so. p⁺ = (M v⁺)_d starts the next part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.integrators.contact_made import Law
from bough.integrators.contact_parameters import coefficients, impulse_terms, velocity_terms
from bough.integrators.contact_solve import solved_by

if TYPE_CHECKING:
    from bough.integrators.contact_derivatives import ContactLinearization

STILL = 1e-9  # of what the velocities of a contact are sums of, along its normal too: what counts as at rest
PRESSES = 1e-10  # of the largest momentum: an impulse


class Moves(NamedTuple):
    """How the node moves: columns by all that a step depends on."""

    q: Array
    p: Array
    t: Array
    vk: Array
    tau: Array  # the length of the part before


class Kick(NamedTuple):
    """Velocities after impulses, and the conditions that found them."""

    v: Array
    impulse: Array  # of this kick
    total: Array  # with those before it
    pressed: list[int]  # contacts whose normal rows hold
    tangent: list[int]  # contacts whose tangents have impulses
    bound: Array  # the largest friction of each contact, over its normal impulse, or for dry friction itself


class Place(NamedTuple):
    """A node: where and when it is, and the length of the step, or part, before it."""

    q: Array
    p: Array
    t: float
    length: float


class ImpactDerivatives:
    """(KD12), (KD13) at one node.

    before, after : statuses and features before and after the impact
    """

    def __init__(
        self, kernel: ContactLinearization, at: Place, before: Array, after: Array, law: Law
    ) -> None:
        self._kernel, self._model, self._law = kernel, kernel.model, law
        self._q, self._p, self._t, self._length = at
        n = range(len(kernel.coefficients))
        self._closed = [i for i in n if before[i] != 0.0 or self._dry(i)]
        self._struck = [i for i in n if law.restitution[i] >= 0.0]
        self._frozen = only(after, len(n), sorted({*self._closed, *self._struck}))
        (self._J,), (self._rate,) = kernel.frozen_rows(self._q[None], self._t, self._frozen)
        self._M = self._model.mass_matrix(self._q)

    def moved(self, E: Array, c: Array, vk_by: Array, tau: Array) -> Array:
        """The derivatives of (q, p) after the impact.

        E : those of (q, p) before it; c, vk_by, tau : those of the time, of the velocities of kinematic variables, and
        of the length of the part that it ends
        """
        model, law = self._model, self._law
        nv, nd = model.nv, model.nd
        moves = Moves(E[:nv], E[nv:], c, vk_by, tau)
        rho, dv, drho = self._before(moves)
        U_before = self._J @ dv + self._rows_by(law.v_before, moves)
        after = self._kick(law.v, law.impulse, rho + law.impulse, self._struck)
        e = np.zeros(len(self._J))
        for i in self._struck:
            e[self._kernel.coefficients[i][0]] = law.restitution[i]
        rebound = e[:, None] * U_before
        if self._kernel.count:
            self._add_restitution(rebound)
        dv, _ = self._kicked(after, moves, drho, rebound)
        out = E.copy()
        out[nv:] = self._M[:nd] @ dv + model.L_dqdv(self._q, law.v).T[:nd] @ moves.q
        if self._kernel.count:
            out[nv:, -self._kernel.count :] += self._by_theta(law.v)[:nd]
        return out

    def _add_restitution(self, rebound: Array) -> None:
        """U_n⁻ δe of contacts whose restitution is that of the model."""
        U, own = self._J @ self._law.v_before + self._rate, coefficients(self._kernel)[:, 0]
        by = self._kernel.by_parameters(coefficients)
        for i in self._struck:
            if self._law.restitution[i] == own[i]:
                first = self._kernel.coefficients[i][0]
                rebound[first, -self._kernel.count :] += U[first] * by[i, 0]

    def _by_theta(self, v: Array) -> Array:
        """The derivatives of (M v)_d, Dh v + h_t and U by parameters."""
        return self._kernel.by_parameters(
            lambda terms: velocity_terms(terms, self._q, v, self._t, self._frozen)
        )

    def slips(self, E: Array, c: Array, vk_by: Array) -> Array:
        """The derivatives of U after the impact, from those of (q, p) there."""
        model, v = self._model, self._law.v
        nv, nd = model.nv, model.nd
        moves = Moves(E[:nv], E[nv:], c, vk_by, c)
        change = E[nv:] - self._M[:nd, nd:] @ vk_by - model.L_dqdv(self._q, v).T[:nd] @ E[:nv]
        if self._kernel.count:
            change[:, -self._kernel.count :] -= self._by_theta(v)[:nd]
        dv = np.concatenate([np.linalg.solve(self._M[:nd, :nd], change), vk_by])
        return np.asarray(self._J @ dv + self._rows_by(v, moves))

    def velocities(self) -> Array:
        """The derivatives of v before the impact by (q, p, length before, θ), with kinematic velocities held."""
        model = self._model
        nx = model.nv + model.nd
        E, none = (
            np.eye(nx, nx + 1 + self._kernel.count),
            np.zeros((1 + model.nk, nx + 1 + self._kernel.count)),
        )
        tau = np.eye(1, E.shape[1], nx)[0]
        moves = Moves(E[: model.nv], E[model.nv :], none[0], none[1:], tau)
        return self._before(moves)[1]

    def _before(self, moves: Moves) -> tuple[Array, Array, Array]:
        """ρ, and the changes of v⁻ and of ρ."""
        none, v = np.zeros((len(self._J), moves.q.shape[1])), self._law.v_before
        rho = self._projected(v)
        dv, drho = self._kicked(self._kick(v, rho, rho, self._closed), moves, none, none)
        return rho, dv, drho

    def _dry(self, contact: int) -> bool:
        return bool(self._kernel.coefficients[contact][3] >= 0.0)

    def _projected(self, v: Array) -> Array:
        """ρ, over all rows, by the laws of contacts that slide; of least norm if others share a load."""
        model, nd = self._model, self._model.nd
        rho, columns = np.zeros(len(self._J)), []
        U, rest = self._J @ v + self._rate, self._rest(v)
        for i in self._closed:
            first, at = self._kernel.coefficients[i][0], self._rows_of(i, normal=False)
            speed = float(np.linalg.norm(U[at]))
            slides = bool(at) and speed > STILL * rest[self._rows_of(i, normal=True)].max()
            _, _, friction, dry = self._kernel.coefficients[i]
            if self._dry(i) and slides:
                rho[at] = -0.5 * dry * self._length * U[at] / speed
            elif slides:
                column = np.zeros(len(self._J))
                column[first], column[at] = 1.0, -friction * U[at] / speed
                columns.append(column)
            else:
                columns += [np.eye(len(self._J))[r] for r in self._rows_of(i, normal=not self._dry(i))]
        if columns:
            rows = np.array(columns)
            parts = [self._J[:, :nd].T @ rows.T]
            if model.nc:
                parts.append(model.constraint_dq(self._q, t=self._t)[:, :nd].T)
            left = self._M[:nd] @ v - self._p - self._J[:, :nd].T @ rho
            rho += np.linalg.lstsq(np.concatenate(parts, axis=1), left, rcond=None)[0][: len(rows)] @ rows
        return rho

    def _rest(self, v: Array) -> Array:
        """What the velocities of rows are sums of; v may be round-off alone, momenta without impulses are not."""
        nd = self._model.nd
        free = np.linalg.solve(self._M[:nd, :nd], self._p)
        return np.asarray(
            np.abs(self._J) @ np.abs(v) + np.abs(self._J[:, :nd]) @ np.abs(free) + np.abs(self._rate)
        )

    def _rows_of(self, contact: int, *, normal: bool) -> list[int]:
        first, rows, _, _ = self._kernel.coefficients[contact]
        return list(range(first if normal else first + 1, first + rows))

    def _kick(self, v: Array, impulse: Array, total: Array, contacts: list[int]) -> Kick:
        """What holds at velocities v."""
        least = PRESSES * np.abs(self._p).max(initial=0.0)
        pressed, tangent, bound = [], [], np.zeros(len(self._kernel.coefficients))
        for i in contacts:
            first, rows, friction, dry = self._kernel.coefficients[i]
            presses = not self._dry(i) and impulse[first] > least
            if presses:
                pressed.append(i)
            bound[i] = 0.5 * dry * self._length if self._dry(i) else friction
            if rows > 1 and (presses or self._dry(i)) and bound[i] > 0.0:
                tangent.append(i)
        return Kick(v, impulse, total, pressed, tangent, bound)

    def _rows_by(self, v: Array, moves: Moves) -> Array:
        """The change of J v + rate at fixed v."""
        by_q, rate_q = self._kernel.rows_by_place(self._q, self._t, self._frozen)
        J_t, rate_t = self._kernel.rows_by_time(self._q, self._t, self._frozen)
        W = np.einsum("jri,i->rj", by_q, v) + rate_q.T
        out = np.asarray(W @ moves.q + np.outer(J_t @ v + rate_t, moves.t))
        if self._kernel.count:
            out[:, -self._kernel.count :] += self._by_theta(v)[self._model.nd + self._model.nc :]
        return out

    def _smooth(self, kick: Kick, moves: Moves, before: Array, T: Array, right: Array) -> None:
        """The rows of momenta and of constraints of (KD12)."""
        model = self._model
        nd, nc = model.nd, model.nc
        q, t, v = self._q, self._t, kick.v
        J, M = self._J, self._M
        by_q, _ = self._kernel.rows_by_place(q, t, self._frozen)
        J_t, _ = self._kernel.rows_by_time(q, t, self._frozen)
        T[:nd, :nd], T[:nd, nd + nc :] = M[:nd, :nd], -J[:, :nd].T
        at_q = np.einsum("jri,r->ij", by_q, kick.total) - model.L_dqdv(q, v).T
        right[:nd] = moves.p + at_q[:nd] @ moves.q - M[:nd, nd:] @ moves.vk
        right[:nd] += J[:, :nd].T @ before + np.outer((J_t.T @ kick.total)[:nd], moves.t)
        if not nc:
            self._add_parameters(kick, np.zeros(0), right)
            return
        Dh = model.constraint_dq(q, t=t)
        y = np.linalg.lstsq(Dh[:, :nd].T, (M @ v)[:nd] - self._p - J[:, :nd].T @ kick.total, rcond=None)[0]
        Dh_t = self._kernel.by_time(lambda t: model.constraint_dq(q, t=t), t)
        h_tt = self._kernel.by_time(lambda t: model.constraint_dt(q, t=t), t)
        DDh = model.constraint_dqdq(q, t=t)
        T[:nd, nd : nd + nc], T[nd : nd + nc, :nd] = -Dh[:, :nd].T, Dh[:, :nd]
        right[:nd] += np.tensordot(y, DDh, 1)[:nd] @ moves.q + np.outer((Dh_t.T @ y)[:nd], moves.t)
        right[nd : nd + nc] = -(np.einsum("rij,i->rj", DDh, v) + Dh_t) @ moves.q - Dh[:, nd:] @ moves.vk
        right[nd : nd + nc] -= np.outer(Dh_t @ v + h_tt, moves.t)
        self._add_parameters(kick, y, right)

    def _add_parameters(self, kick: Kick, y: Array, right: Array) -> None:
        """The columns of parameters in the rows of momenta and of constraints."""
        if not self._kernel.count:
            return
        nd, nc = self._model.nd, self._model.nc
        right[: nd + nc, -self._kernel.count :] -= self._by_theta(kick.v)[: nd + nc]
        right[:nd, -self._kernel.count :] += self._kernel.by_parameters(
            lambda terms: impulse_terms(terms, self._q, kick.total, y, self._t, self._frozen)
        )

    def _kicked(self, kick: Kick, moves: Moves, before: Array, rebound: Array) -> tuple[Array, Array]:
        """The changes of velocities and impulses.

        before : those of impulses before this kick; rebound : e δU_n⁻ of struck rows
        """
        model, J = self._model, self._J
        nd, nk, nc, rows = model.nd, model.nk, model.nc, len(self._J)
        T = np.zeros((nd + nc + rows, nd + nc + rows))
        right = np.zeros((nd + nc + rows, moves.q.shape[1]))
        self._smooth(kick, moves, before, T, right)
        by, held = self._rows_by(kick.v, moves) + J[:, nd:] @ moves.vk, nd + nc
        U = J @ kick.v + self._rate
        sums = self._rest(kick.v)
        T[held:, held:] = np.eye(rows)
        for i in kick.pressed:
            first = self._kernel.coefficients[i][0]
            T[held + first] = 0.0
            T[held + first, :nd] = J[first, :nd]
            right[held + first] = -by[first] - rebound[first]
        for i in kick.tangent:
            first, at = self._kernel.coefficients[i][0], self._rows_of(i, normal=False)
            place = held + np.array(at)
            slip, speed = U[at], float(np.linalg.norm(U[at]))
            if speed <= STILL * sums[self._rows_of(i, normal=True)].max():  # sticks
                T[place] = 0.0
                T[place, :nd] = J[at, :nd]
                right[place] = -by[at]
                continue
            normal = slip / speed
            load = kick.bound[i] if self._dry(i) else kick.bound[i] * kick.impulse[first]
            across = load * (np.eye(len(at)) - np.outer(normal, normal)) / speed
            T[place, :nd] += across @ J[at, :nd]
            right[place] -= across @ by[at]
            if self._dry(i):
                right[place] -= np.outer(kick.bound[i] / self._length * normal, moves.tau)
            else:
                T[place, held + first] += kick.bound[i] * normal
            if self._kernel.count:
                _, friction, dry = self._kernel.by_parameters(coefficients)[i]
                more = 0.5 * self._length * dry if self._dry(i) else kick.impulse[first] * friction
                right[place, -self._kernel.count :] -= np.outer(normal, more)
        solved = solved_by(T, right, nd, model.nv, self._kernel.undetermined(self._t))
        return np.concatenate([solved[:nd], moves.vk]).reshape(nd + nk, -1), solved[held:]


def at_rest(v: Array, rows: int, contacts: int) -> Law:
    """A node at which nothing is struck."""
    return Law(v, v, np.zeros(rows), np.full(contacts, -1.0), 0, 1.0, False)


def only(status: Array, contacts: int, chosen: list[int]) -> Array:
    """Statuses and features with these contacts closed and all others open."""
    found = status.copy()
    found[:contacts] = 0.0
    found[chosen] = 1.0
    return found
