"""Derivatives of steps with contacts that stay as they are: closed ones are rows, sliding ones push along their slip.

A step with closed contacts is (CT1)-(CT5). While none of them opens, closes, sticks or slides otherwise, it is smooth.
With the slots D1_0, D1_1, … of the midpoint rule (M3), (M5), (M6), rows J_n, T at q0, s of (CT3) at q' = (q0 + q1)/2,
and n = σ/|σ|,

    K δd1 − Dh0ᵀδμ + J_n0ᵀδr_n + T0ᵀδr_t =
        −[δp0 + (D1_0 − Hμ + H_r) δq0 + D1_u δu + D1_k δk1 + D1_dt δdt]                                     (KD1)
    pressed:  J_n1 δq1 + φ_t δdt = 0 ,   of dry friction  δr_n = F δdt/2                                    (KD2)
    δs = S_0 δq0 + S_1 δq1 + slide δdt ,   S_0 = −T' + W/2 ,  S_1 = T' + W/2 ,
        W = ∂(T'(q1 − q0) + dt slide')/∂q'                                                                  (KD3)
    sticks:   δs = 0                                                                                        (KD4)
    slides:   δr_t + m n δr_n + m r_n (1 − n nᵀ) δσ/|σ| = 0 ,   δσ = δs + s⁻ δdt                            (KD5)

beside the rows of constraints of (DF3), with H_r the derivative of J_n0ᵀr_n + T0ᵀr_t by q0; q1 and p1 follow as in
(DF4). H_r and W are differences of fourth order of J_n and T. The slip s⁻ of the step before is taken as given; at a
start it is that of the velocities there, and δσ has dt δs⁻ too, a difference along moves of (q0, p0). If rows depend
on each other, as those of four corners of a box, their impulses are the least ones; q1 and p1 are unique.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator
    from bough.model.model import Model

LENGTH = 1e-3  # of differences of rows
DEPENDENT = 1e-11  # singular values that count as zero, relative
LARGEST = 1e-8  # residual of (CT1) of a step that is one part, relative to its terms
PLACES = (
    (1.0, 8.0),
    (-1.0, -8.0),
    (2.0, -1.0),
    (-2.0, 1.0),
)  # of a difference of fourth order, and weights · 12


class Contact(NamedTuple):
    """A contact that acts during a step: its rows, and what it does."""

    first: int
    rows: int
    friction: float
    dry: float  # the largest force of dry friction, or negative
    slides: bool


class Made(NamedTuple):
    """One step with contacts."""

    q0: Array
    p0: Array
    q1: Array
    p1: Array
    u: Array
    t: float
    dt: float
    node: float  # the time that impulses at the start stand for
    mu: Array
    r: Array  # over the rows of all contacts
    slip: Array  # likewise, s⁻
    frozen: Array  # statuses and features
    contacts: list[Contact]


class Slots(NamedTuple):
    """The three terms of D1, and the derivatives of D1 and D2 of the midpoint rule."""

    D1: Array
    D1_0: Array
    D1_1: Array
    D2_0: Array
    D2_1: Array
    D_u: Array
    D1_dt: Array
    D2_dt: Array


class ContactLinearization:
    """The kernel of `bough.control.Step` and `linearize` for models with contacts."""

    def __init__(self, vi: VariationalIntegrator) -> None:
        self._vi, self._model = vi, vi.model
        self._coefficients = core.contact_coefficients(vi.model._core)

    def failure(self) -> tuple[float, int, int]:
        """Failures are raised by the steps themselves."""
        return 0.0, 0, 0

    def steps(self, dt: float, t: Array, x: Array, c: Array, x1: Array, lam: Array) -> tuple[int, int]:
        """The ends of a batch of steps, and their constraint forces."""
        for row in range(len(x)):
            state, u, k = self._given(float(t[row]), x[row], c[row])
            after = self._vi.step(state, u, k, dt)
            x1[row] = np.concatenate([after.q, np.asarray(after.p)])
            lam[row] = after.lam
        return core.StepStatus.fine, -1

    def jacobians(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, A: Array, B: Array, lam: Array
    ) -> tuple[int, int]:
        """A, B and the rows of lam of a batch of steps."""
        nx, size = x.shape[1], x.shape[1] + c.shape[1]
        for row in range(len(x)):
            J = self._jacobian(dt, float(t[row]), x[row], c[row])
            A[row], B[row] = J[:nx, :nx], J[:nx, nx:size]
            if len(lam):
                lam[row] = J[nx:, :size]
        return core.StepStatus.fine, -1

    def forward(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, ds: Array, out: Array
    ) -> tuple[int, int]:
        """J ds for a batch of steps."""
        for row in range(len(x)):
            out[row] = self._jacobian(dt, float(t[row]), x[row], c[row])[:, : ds.shape[1]] @ ds[row]
        return core.StepStatus.fine, -1

    def backward(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, w: Array, out: Array
    ) -> tuple[int, int]:
        """J^T w for a batch of steps."""
        for row in range(len(x)):
            out[row] = w[row] @ self._jacobian(dt, float(t[row]), x[row], c[row])[:, : out.shape[1]]
        return core.StepStatus.fine, -1

    def linearize(self, state: Any, dt: float, control: Array, J: Array, x1: Array, lam: Array) -> None:
        """All blocks of the step from a state with its history, and its end."""
        nu = self._model.nu
        made = self._make(state, control[:nu], control[nu:], dt)
        J[:] = self.jacobian(made)
        x1[:] = np.concatenate([made.q1, made.p1])
        lam[:] = -made.mu / made.node

    def _given(self, t: float, x: Array, c: Array) -> tuple[Any, Array, Array | None]:
        model = self._model
        state = self._vi.start(x[: model.nq], p=x[model.nq :], t=t)
        return state, c[: model.nu], c[model.nu :] if model.nk else None

    def _jacobian(self, dt: float, t: float, x: Array, c: Array) -> Array:
        state, u, _ = self._given(t, x, c)
        made = self._make(state, u, c[self._model.nu :], dt)
        return self.jacobian(made, self._start_slips(made))

    def _make(self, state: Any, u: Array, k1: Array, dt: float) -> Made:
        """The step from a state; steps that an impact, a stop or a halving splits are refused."""
        vi, model = self._vi, self._model
        stepper = vi.new_stepper()
        vi._restore(stepper, state)
        before = statuses(model, stepper)
        slip = np.array(stepper.save(np.zeros(model.nk), np.zeros(model.nu)).contact_slip)
        after = vi.step(state, u, k1 if model.nk else None, dt)
        vi._restore(stepper, after)
        frozen = statuses(model, stepper)
        n = len(self._coefficients)
        node = 0.5 * (before[n] + dt)
        r = node * np.array(after._memory.contact_force)
        contacts = [
            Contact(first, rows, friction, dry, bool(frozen[i] == 2.0))
            for i, (first, rows, friction, dry) in enumerate(self._coefficients)
            if r[first] > 0.0 or dry >= 0.0
        ]
        acting = frozen.copy()
        acting[:n] = [float(r[first] > 0.0 or dry >= 0.0) for first, _, _, dry in self._coefficients]
        made = made_of(state, after, u, dt, node, r, slip, acting, contacts)
        self._check(made)
        return made

    def _check(self, made: Made) -> None:
        """Raise if (CT1) does not hold over the whole step."""
        model = self._model
        nd = model.nd
        J, _ = self._rows(made.q0[None], made.t, made)
        terms = [made.p0, *self._slots(made).D1[:, :nd], J[0][:, :nd].T @ made.r]
        if model.nc:
            terms.append(-model.constraint_dq(made.q0, t=made.t)[:, :nd].T @ made.mu)
        size = np.abs(terms).sum(axis=0).max(initial=1e-300)
        if np.abs(np.sum(terms, axis=0)).max(initial=0.0) > LARGEST * size:
            raise ModelError(
                asked=f"derivatives of a step from t = {made.t:.6g} with {self._vi._where}",
                found="a step that an impact, the end of sliding or a halving splits into parts, which has no"
                " derivatives yet",
                do="take a smaller dt, so that other steps hold the impact, or smoothing=",
            )

    def _rows(self, q: Array, t: float, made: Made) -> tuple[Array, Array]:
        """J_n and T of the contacts that act, (batch, rows, nv), and their velocities at v = 0."""
        model, rows = self._model, len(made.r)
        J, rate = np.empty((len(q), rows, model.nv)), np.empty((len(q), rows))
        core.contact_rows(
            model._core,
            np.ascontiguousarray(q),
            np.full(len(q), t),
            np.tile(made.frozen, (len(q), 1)),
            J,
            rate,
        )
        return J, rate

    def _difference(self, q: Array, t: float, made: Made) -> tuple[Array, Array]:
        """The derivatives of J, (nv, rows, nv), and of the velocities, (nv, rows), by each variable."""
        n = len(q)
        J, rate = np.zeros((n, len(made.r), n)), np.zeros((n, len(made.r)))
        for place, weight in PLACES:
            one, two = self._rows(q + place * LENGTH * np.eye(n), t, made)
            J += weight / (12.0 * LENGTH) * one
            rate += weight / (12.0 * LENGTH) * two
        return J, rate

    def _slots(self, made: Made) -> Slots:
        """(DF1)"""
        model, dt = self._model, made.dt
        alpha = self._vi.alpha
        beta = 1.0 - alpha
        q, v = beta * made.q0 + alpha * made.q1, (made.q1 - made.q0) / dt
        t = made.t + alpha * dt
        L = model.lagrangian_derivatives(q, v)
        f = model.generalized_force(q, v, made.u, t)
        f_q, f_v = model.generalized_force_dq(q, v, made.u, t), model.generalized_force_dv(q, v, made.u, t)
        L_q, L_v = model.L_dq(q, v), model.L_dv(q, v)
        qq, qv, vq, vv = L.dqdq, L.dqdv, L.dqdv.T, L.dvdv / dt
        from_0, from_1 = 0.5 * (beta * dt * f_q - f_v), 0.5 * (alpha * dt * f_q + f_v)
        by_dt = 0.5 * (f - f_v @ v)
        return Slots(
            np.stack([beta * dt * L_q, -L_v, 0.5 * dt * f]),
            beta**2 * dt * qq - beta * (qv + vq) + vv + from_0,
            alpha * beta * dt * qq + beta * qv - alpha * vq - vv + from_1,
            alpha * beta * dt * qq - alpha * qv + beta * vq - vv + from_0,
            alpha**2 * dt * qq + alpha * (qv + vq) + vv + from_1,
            0.5 * dt * model.generalized_force_du(q, v, made.u, t),
            beta * L_q - (beta * qv - vv) @ v + by_dt,
            alpha * L_q - (alpha * qv + vv) @ v + by_dt,
        )

    def _start_slips(self, made: Made) -> Array:
        """The derivatives of s⁻ by (q0, p0), (rows, nq + nd), at a start."""
        model = self._model
        nq = model.nv
        x = np.concatenate([made.q0, made.p0])
        out = np.zeros((len(made.r), len(x)))
        if not any(contact.slides and contact.rows == 3 for contact in made.contacts):
            return out
        for place, weight in PLACES:
            near = x + place * LENGTH * np.eye(len(x))
            q, p = np.ascontiguousarray(near[:, :nq]), np.ascontiguousarray(near[:, nq:])
            J, rate = self._rows(q, made.t, made)
            slips = np.einsum("bri,bi->br", J, model.velocity(q, p, t=made.t)) + rate
            out += weight / (12.0 * LENGTH) * slips.T
        return out

    def jacobian(self, made: Made, slips: Array | None = None) -> Array:
        """(q1, p1, lam) by (q0, p0, u, k1, dt, t), the last of which is left at zero.

        slips : the derivatives of s⁻ by (q0, p0), by default zero
        """
        model = self._model
        nq, nd, nu, nk, nc = model.nv, model.nd, model.nu, model.nk, model.nc
        size, rows = nq + nd + nu + nk + 2, len(made.r)
        p, u, k, dt = nq, nq + nd, nq + nd + nu, size - 2
        at = self._slots(made)
        (J0,), _ = self._rows(made.q0[None], made.t, made)
        by_q0, _ = self._difference(made.q0, made.t, made)
        Dh0, Dh1, H_mu, h_t = self._held(made)
        T = np.zeros((nd + nc + rows, nd + nc + rows))
        right = np.zeros((nd + nc + rows, size))
        T[:nd] = np.concatenate([at.D1_1[:nd, :nd], -Dh0[:, :nd].T, J0[:, :nd].T], axis=1)  # (KD1)
        H_r = np.einsum("jri,r->ij", by_q0, made.r)
        right[:nd, :nq] = -(at.D1_0 - H_mu + H_r)[:nd]
        right[:nd, p : p + nd] = -np.eye(nd)
        right[:nd, u : u + nu] = -at.D_u[:nd]
        right[:nd, k : k + nk] = -at.D1_1[:nd, nd:]
        right[:nd, dt] = -at.D1_dt[:nd]
        T[nd : nd + nc, :nd] = Dh1[:, :nd]
        right[nd : nd + nc, k : k + nk] = -Dh1[:, nd:]
        right[nd : nd + nc, dt] = -h_t
        self._close(made, T[nd + nc :], right[nd + nc :], slips)
        solved = least(T, right)
        E1 = np.concatenate([solved[:nd], np.zeros((nk, size))])
        E1[nd:, k : k + nk] = np.eye(nk)
        P1 = at.D2_1[:nd] @ E1
        P1[:, :nq] += at.D2_0[:nd]
        P1[:, u : u + nu] += at.D_u[:nd]
        P1[:, dt] += at.D2_dt[:nd]
        lam = -solved[nd : nd + nc] / made.node
        lam[:, dt] += 0.5 * made.mu / made.node**2
        return np.concatenate([E1, P1, lam])

    def _held(self, made: Made) -> tuple[Array, Array, Array, Array]:
        """Dh at both ends, Hμ and the rate of the rows at the end."""
        model = self._model
        if not model.nc:
            none = np.zeros((0, model.nv))
            return none, none, np.zeros((model.nv, model.nv)), np.zeros(0)
        t1 = made.t + made.dt
        H_mu = np.tensordot(made.mu, model.constraint_dqdq(made.q0, t=made.t), 1)
        return (
            model.constraint_dq(made.q0, t=made.t),
            model.constraint_dq(made.q1, t=t1),
            H_mu,
            model.constraint_dt(made.q1, t=t1),
        )

    def _close(self, made: Made, T: Array, right: Array, slips: Array | None) -> None:
        """(KD2), (KD4), (KD5); the rows of contacts that do not act keep their impulses at zero."""
        model = self._model
        nq, nd, nk, nc = model.nv, model.nd, model.nk, model.nc
        k, dt, first_r = nq + nd + model.nu, right.shape[1] - 2, nd + nc
        (J1,), (rate1,) = self._rows(made.q1[None], made.t + made.dt, made)
        T[:, first_r:] = np.eye(len(made.r))
        for contact in made.contacts:
            i = contact.first
            if contact.dry >= 0.0:
                right[i, dt] = 0.5 * contact.dry
                continue
            T[i] = 0.0
            T[i, :nd] = J1[i, :nd]
            right[i, k : k + nk] = -J1[i, nd:]
            right[i, dt] = -rate1[i]
        if all(contact.rows == 1 for contact in made.contacts):
            return
        S0, S1, s, slide = self._slips(made)
        for contact in made.contacts:
            at = slice(contact.first + 1, contact.first + contact.rows)
            n = contact.rows - 1
            by_dt = slide[at]
            if contact.slides:
                m = 1.0 if contact.dry >= 0.0 else contact.friction
                r_n, r_t = made.r[contact.first], made.r[at]
                if m == 0.0:
                    continue
                normal = -r_t / np.linalg.norm(r_t)
                sigma = s[at] + made.dt * made.slip[at]
                on = bool(normal @ sigma >= (1.0 - 1e-6) * np.linalg.norm(sigma))  # as (CT4) took it
                by_dt = by_dt + made.slip[at] if on else by_dt
                sigma = sigma if on else s[at]
                across = m * r_n * (np.eye(n) - np.outer(normal, normal)) / np.linalg.norm(sigma)
                if on and slips is not None:
                    right[at, : nq + nd] -= made.dt * across @ slips[at]
                T[at, first_r + contact.first] += m * normal
            else:
                across = np.eye(n)
                T[at] = 0.0
            T[at, :nd] += across @ S1[at, :nd]
            right[at, :nq] -= across @ S0[at]
            right[at, k : k + nk] -= across @ S1[at, nd:]
            right[at, dt] -= across @ by_dt

    def _slips(self, made: Made) -> tuple[Array, Array, Array, Array]:
        """S_0, S_1, s and the velocities at v = 0  (KD3)."""
        middle, t, move = 0.5 * (made.q0 + made.q1), made.t + 0.5 * made.dt, made.q1 - made.q0
        (T,), (slide,) = self._rows(middle[None], t, made)
        by_q, slide_q = self._difference(middle, t, made)
        W = np.einsum("jri,i->rj", by_q, move) + made.dt * slide_q.T
        return 0.5 * W - T, 0.5 * W + T, T @ move + made.dt * slide, slide


def made_of(
    state: Any,
    after: Any,
    u: Array,
    dt: float,
    node: float,
    r: Array,
    slip: Array,
    frozen: Array,
    contacts: Any,
) -> Made:
    """The step between two states."""
    q0, p0, q1, p1 = (np.asarray(a, dtype=float) for a in (state.q, state.p, after.q, after.p))
    mu = -node * np.asarray(after.lam)
    return Made(q0, p0, q1, p1, np.asarray(u), float(state.t), dt, node, mu, r, slip, frozen, contacts)


def statuses(model: Model, stepper: Any) -> Array:
    """Statuses, the length of the last step, and features of a stepper."""
    status, lost = np.empty(core.contact_state_size(model._core)), np.empty(2)
    stepper.contacts(status, lost)
    return status


def least(T: Array, right: Array) -> Array:
    """The solution of T X = right; of least norm in the impulses if rows depend on each other."""
    scale = np.abs(T).max(axis=1, keepdims=True)
    scale[scale == 0.0] = 1.0
    return np.asarray(np.linalg.lstsq(T / scale, right / scale, rcond=DEPENDENT)[0])
