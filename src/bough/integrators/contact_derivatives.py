"""Derivatives of steps with contacts that stay as they are: closed ones are rows, sliding ones push along their slip.

A step with closed contacts is (CT1)-(CT5). While none of them opens, closes, sticks or slides otherwise, it is smooth.
With the slots D1_0, D1_1, … of the midpoint rule (M3), (M5), (M6), rows J_n, T at q0, s of (CT3) at q' = (q0 + q1)/2,
and n = σ/|σ|,

    K δd1 − Dh0ᵀδμ + J_n0ᵀδr_n + T0ᵀδr_t =
        −[δp0 + (D1_0 − Hμ + H_r) δq0 + D1_u δu + D1_k δk1 + D1_dt δdt]                                     (KD1)
    pressed:  J_n1 δq1 + φ_t δdt = 0 ,   of dry friction  δr_n = F (δdt + δh⁻)/2                            (KD2)
    δs = S_0 δq0 + S_1 δq1 + slide δdt ,   S_0 = −T' + W/2 ,  S_1 = T' + W/2 ,
        W = ∂(T'(q1 − q0) + dt slide')/∂q'                                                                  (KD3)
    sticks:   δs = 0                                                                                        (KD4)
    slides:   δr_t + m n δr_n + m r_n (1 − n nᵀ) δσ/|σ| = 0 ,   δσ = δs + s⁻ δdt                            (KD5)

beside the rows of constraints of (DF3), with H_r the derivative of J_n0ᵀr_n + T0ᵀr_t by q0; q1 and p1 follow as in
(DF4). H_r and W are differences of fourth order of J_n and T. δσ has dt δs⁻ too, by the slip of the step before, a
state of its own; at a start it is that of the velocities there, which depends on (q0, p0). So is the length h⁻ of the
step before, or of its last part: δr_n of dry friction has F δh⁻/2. If rows depend on each
other, as those of four corners of a box, their impulses are the least ones; q1 and p1 are unique: (KD14). A step says
by itself whether it is one part; one that impacts or stops split is in contact_saltation.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError
from bough.integrators.contact_impact import ImpactDerivatives, Place, at_rest
from bough.integrators.contact_made import Made, Stepped, statuses, stepped
from bough.integrators.contact_parameters import residual, slip
from bough.integrators.contact_saltation import through
from bough.integrators.contact_solve import solved_by
from bough.integrators.contact_terms import LENGTH, PLACES, ContactTerms, Slots

if TYPE_CHECKING:
    from bough.model.variation import Variation

ROUND_OFF = 1e-10  # of momenta: less than an impact changes them by


class ContactLinearization(ContactTerms):
    """The kernel of `bough.control.Step` and `linearize` for models with contacts."""

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

    def parameter_jacobian(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, by: Variation, out: Array
    ) -> tuple[int, int]:
        """The derivatives of (q1, p1, lam) by parameters, for a batch of steps."""
        varied = type(self)(self._vi, by)
        for row in range(len(x)):
            J = varied._jacobian(dt, float(t[row]), x[row], c[row])
            out[row] = J[:, J.shape[1] - varied.count :]
        return core.StepStatus.fine, -1

    def parameter_gradient(
        self, dt: float, t: Array, x: Array, c: Array, end: Array, w: Array, by: Variation, out: Array
    ) -> tuple[int, int]:
        """The gradients of w·(q1, p1, lam) by parameters."""
        J = np.empty((len(x), w.shape[1], len(by.names)))
        self.parameter_jacobian(dt, t, x, c, end, by, J)
        out[:] = np.einsum("bi,bij->bj", w, J)
        return core.StepStatus.fine, -1

    def linearize(
        self, state: Any, dt: float, control: Array, J: Array, x1: Array, lam: Array, J_theta: Array
    ) -> None:
        """All blocks of the step from a state with its history, and its end."""
        nu = self.model.nu
        step = stepped(self._vi, state, control[:nu], control[nu:], dt)
        found = self._of(step)
        J[:], J_theta[:] = found[:, : J.shape[1]], found[:, J.shape[1] :]
        x1[:] = np.concatenate([step.after.q, np.asarray(step.after.p)])
        lam[:] = step.after.lam

    def along(self, state: Any, dt: float, control: Array) -> tuple[Array, Any, Array]:
        """A step of a run: (q1, p1, s, h) by (q0, p0, s⁻, h⁻, u, k1, θ), the state after it, dv of `velocity_by`."""
        nu, nx, nc = self.model.nu, self.model.nv + self.model.nd, self.model.nc
        step = stepped(self._vi, state, control[:nu], control[nu:], dt)
        full = self._complete(step)[0]
        size = full.shape[1] - self._rows - 1 - self.count
        rows, after = np.delete(full, np.s_[nx : nx + nc], axis=0), size + self._rows + 1
        J = np.concatenate(
            [rows[:, :nx], rows[:, size:after], rows[:, nx : size - 2], rows[:, after:]], axis=1
        )
        return J, step.after, self._velocity_by(state, step.p0, step.before)

    def slips_of_start(self, state: Any) -> Array:
        """The derivatives of the slips at a start by (q, p, θ), of contacts that slide there."""
        stepper = self._vi._stepper()
        self._vi._restore(stepper, state)
        status = statuses(self.model, stepper)
        return self._slips_by(np.asarray(state.q, dtype=float), np.asarray(state.p), float(state.t), status)

    def velocity_by(self, state: Any) -> Array:
        """dv/d(q, p, h⁻, θ) at a state, whose velocities are those on its closed contacts."""
        stepper = self._vi._stepper()
        self._vi._restore(stepper, state)
        return self._velocity_by(state, np.array(stepper.state()[2]), statuses(self.model, stepper))

    def _velocity_by(self, state: Any, p: Array, status: Array) -> Array:
        n, v = len(self.coefficients), np.asarray(state.v, dtype=float)
        place = Place(np.asarray(state.q, dtype=float), p, float(state.t), float(status[n]))
        return ImpactDerivatives(self, place, status, status, at_rest(v, self._rows, n)).velocities()

    def _given(self, t: float, x: Array, c: Array) -> tuple[Any, Array, Array | None]:
        model = self.model
        state = self._vi.start(x[: model.nq], p=x[model.nq :], t=t)
        return state, c[: model.nu], c[model.nu :] if model.nk else None

    def _jacobian(self, dt: float, t: float, x: Array, c: Array) -> Array:
        state, u, _ = self._given(t, x, c)
        step = stepped(self._vi, state, u, c[self.model.nu :], dt)
        given = np.asarray(state.p)
        if np.abs(step.p0 - given).max(initial=0.0) > ROUND_OFF * np.abs(given).max(initial=0.0):
            self._check_start(t)
        return self._of(step, starts=True)

    def _of(self, step: Stepped, *, starts: bool = False) -> Array:
        """(q1, p1, lam) by (q0, p0, u, k1, dt, t, θ); starts : whether s⁻ is that of the start, and depends on it."""
        full, made = self._complete(step)
        full = full[: len(full) - self._rows - 1]
        size, nx = full.shape[1] - self._rows - 1 - self.count, self.model.nv + self.model.nd
        after = size + self._rows + 1
        if starts:
            by_start = full[:, size : after - 1] @ self.start_slips(made)
            full[:, :nx] += by_start[:, :nx]
            full[:, after:] += by_start[:, nx:]
        return np.concatenate([full[:, :size], full[:, after:]], axis=1)

    def _complete(self, step: Stepped) -> tuple[Array, Made]:
        """(q1, p1, lam, s, h) by (q0, p0, u, k1, dt, t, s⁻, h⁻, θ), and the step or its first part.

        s, h : the slips of contacts and the length of the step or its last part, which the next step starts from
        """
        self._check(step)
        if step.nodes:
            return through(self, step)
        made = self._made(step)
        J = self.jacobian(made)
        length = np.eye(1, J.shape[1], self.model.nv + self.model.nd + self.model.nu + self.model.nk)
        return np.concatenate([J, self.next_slips(made, J), length]), made

    def _made(self, step: Stepped) -> Made:
        """The step as one part, with the contacts that press in it."""
        n = len(self.coefficients)
        node = 0.5 * (step.before[n] + step.dt)
        r = node * np.array(step.after._memory.contact_force)
        return step.made(node, r, *self.acting(step.frozen, r))

    def _check_start(self, t: float) -> None:
        """A start that an impact changes."""
        raise self.refused(
            t, "an impact at the start of the step, which a move of the start shifts or removes"
        )

    def _check(self, step: Stepped) -> None:
        """Raise for steps that have no derivatives, by what the step itself says."""
        kinds = {node.kind for node in step.nodes}
        found = ""
        if step.halved:
            found = "a step that did not converge as a whole and was halved, which has no derivatives with contacts"
        elif kinds & {"brief", "joined"}:
            found = (
                "a contact that hits again and again, within a millionth of the step from its start, or that passes"
                " the end of its shapes"
            )
        if found:
            raise self.refused(float(step.state.t), found)

    def refused(self, t: float, found: str) -> ModelError:
        """A step that has no derivatives."""
        return ModelError(
            asked=f"derivatives of a step from t = {t:.6g} with {self._vi._where}",
            found=found,
            do="move the start a little or take another dt, so that other steps hold it, or take smoothing=, whose"
            " derivatives exist everywhere",
        )

    def start_slips(self, made: Made) -> Array:
        """The derivatives of s⁻ by (q0, p0, θ) at a start, (rows, ...)."""
        if not any(contact.slides for contact in made.contacts):
            return np.zeros((len(made.r), len(made.q0) + len(made.p0) + self.count))
        return self._slips_by(made.q0, made.p0, made.t, made.frozen)

    def _slips_by(self, q: Array, p: Array, t: float, status: Array) -> Array:
        x, n = np.concatenate([q, p]), len(q)
        out = np.zeros((self._rows, len(x)))
        for place, weight in PLACES:
            near = x + place * LENGTH * np.eye(len(x))
            at, momenta = np.ascontiguousarray(near[:, :n]), np.ascontiguousarray(near[:, n:])
            J, rate = self.frozen_rows(at, t, status)
            slips = np.einsum("bri,bi->br", J, self.model.velocity(at, momenta, t=t)) + rate
            out += weight / (12.0 * LENGTH) * slips.T
        if not self.count:
            return out

        def slips_of(terms: ContactTerms) -> Array:
            (J,), (rate,) = terms.frozen_rows(q[None], t, status)
            found: Array = J @ terms.model.velocity(q, p, t=t) + rate
            return found

        return np.concatenate([out, self.by_parameters(slips_of)], axis=1)

    def matrix(self, made: Made, at: Slots, J0: Array, Dh0: Array, Dh1: Array) -> Array:
        """The rows of (KD1) and of constraints in the matrix of a step, over (d1, μ, r); those of contacts are zero."""
        nd, nc, rows = self.model.nd, self.model.nc, len(made.r)
        T = np.zeros((nd + nc + rows, nd + nc + rows))
        T[:nd] = np.concatenate([at.D1_1[:nd, :nd], -Dh0[:, :nd].T, J0[:, :nd].T], axis=1)
        T[nd : nd + nc, :nd] = Dh1[:, :nd]
        return T

    def jacobian(self, made: Made) -> Array:
        """(q1, p1, lam) by (q0, p0, u, k1, dt, t, s⁻, h⁻, θ)."""
        model = self.model
        nq, nd, nu, nk, nc = model.nv, model.nd, model.nu, model.nk, model.nc
        size, rows = nq + nd + nu + nk + 2, len(made.r)
        p, u, k, dt, t = nq, nq + nd, nq + nd + nu, size - 2, size - 1
        at = self.slots(made)
        (J0,), _ = self.rows(made.q0[None], made.t, made)
        by_q0, _ = self.rows_by_place(made.q0, made.t, made.frozen)
        Dh0, Dh1, H_mu, h_t = self.held(made)
        T = self.matrix(made, at, J0, Dh0, Dh1)
        theta = size + rows + 1
        right = np.zeros((nd + nc + rows, theta + self.count))
        H_r = np.einsum("jri,r->ij", by_q0, made.r)
        right[:nd, :nq] = -(at.D1_0 - H_mu + H_r)[:nd]
        right[:nd, p : p + nd] = -np.eye(nd)
        right[:nd, u : u + nu] = -at.D_u[:nd]
        right[:nd, k : k + nk] = -at.D1_1[:nd, nd:]
        right[:nd, dt], right[:nd, t] = -at.D1_dt[:nd], -at.D_t[:nd] - self._impulses_by_time(made)
        right[nd : nd + nc, k : k + nk] = -Dh1[:, nd:]
        right[nd : nd + nc, dt] = right[nd : nd + nc, t] = -h_t
        self._close(made, T[nd + nc :], right[nd + nc :])
        if self.count:  # (KD16)
            by_theta = self.by_parameters(lambda terms: residual(terms, made))
            right[:, theta:] = -by_theta[: len(right)]
        solved = solved_by(T, right, nd, nq, self.undetermined(made.t))
        E1 = np.concatenate([solved[:nd], np.zeros((nk, right.shape[1]))])
        E1[nd:, k : k + nk] = np.eye(nk)
        P1 = at.D2_1[:nd] @ E1
        P1[:, :nq] += at.D2_0[:nd]
        P1[:, u : u + nu] += at.D_u[:nd]
        P1[:, dt] += at.D2_dt[:nd]
        P1[:, t] += at.D_t[:nd]
        if self.count:
            P1[:, theta:] += by_theta[len(right) :]
        lam = -solved[nd : nd + nc] / made.node
        for place in (dt, theta - 1):
            lam[:, place] += 0.5 * made.mu / made.node**2
        return np.concatenate([E1, P1, lam])

    def undetermined(self, t: float) -> Callable[[str], ModelError]:
        """What is raised if the rows of a step do not determine it."""
        return lambda found: ModelError(
            asked=f"derivatives of a step from t = {t:.6g} with {self._vi._where}",
            found=found,
            do="take smoothing=, whose contacts share their loads, or leave out a contact that others make superfluous",
        )

    def _impulses_by_time(self, made: Made) -> Array:
        """The derivative of J_n0ᵀr_n + T0ᵀr_t − Dh0ᵀμ by the time of the start."""
        model, nd = self.model, self.model.nd

        def impulses(t: float) -> Array:
            found: Array = self.rows(made.q0[None], t, made)[0][0].T @ made.r
            return found - model.constraint_dq(made.q0, t=t).T @ made.mu if model.nc else found

        return self.by_time(impulses, made.t)[:nd]

    def _close(self, made: Made, T: Array, right: Array) -> None:
        """(KD2), (KD4), (KD5); the rows of contacts that do not act keep their impulses at zero."""
        model = self.model
        nq, nd, nk, nc = model.nv, model.nd, model.nk, model.nc
        k, dt, first_r = nq + nd + model.nu, nq + nd + model.nu + nk, nd + nc
        (J1,), (rate1,) = self.rows(made.q1[None], made.t + made.dt, made)
        T[:, first_r:] = np.eye(len(made.r))
        for contact in made.contacts:
            i = contact.first
            if contact.dry >= 0.0:
                right[i, dt] = right[i, dt + 2 + len(made.r)] = 0.5 * contact.dry
                continue
            T[i] = 0.0
            T[i, :nd] = J1[i, :nd]
            right[i, k : k + nk] = -J1[i, nd:]
            right[i, dt] = right[i, dt + 1] = -rate1[i]
        if all(contact.rows == 1 for contact in made.contacts):
            return
        S0, S1, s, slide, s_t = self.slips(made)
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
                if on:
                    right[at, dt + 2 : dt + 2 + len(made.r)][:, at] -= made.dt * across
                T[at, first_r + contact.first] += m * normal
            else:
                across = np.eye(n)
                T[at] = 0.0
            T[at, :nd] += across @ S1[at, :nd]
            right[at, :nq] -= across @ S0[at]
            right[at, k : k + nk] -= across @ S1[at, nd:]
            right[at, dt] -= across @ by_dt
            right[at, dt + 1] -= across @ s_t[at]

    def next_slips(self, made: Made, J: Array) -> Array:
        """The derivatives of s/dt of contacts that slide, which the next step takes for s⁻."""
        model, out = self.model, np.zeros((len(made.r), J.shape[1]))
        sliding = [c for c in made.contacts if c.slides and c.rows > 1]
        if not sliding:
            return out
        S0, S1, s, by_dt, by_t = self.slips(made)
        dt = model.nv + model.nd + model.nu + model.nk
        change = S1 @ J[: model.nv]
        change[:, : model.nv] += S0
        change[:, dt] += by_dt - s / made.dt
        change[:, dt + 1] += by_t
        if self.count:
            change[:, -self.count :] += self.by_parameters(lambda terms: slip(terms, made))
        for contact in sliding:
            at = slice(contact.first + 1, contact.first + contact.rows)
            out[at] = change[at] / made.dt
        return out

    def slips(self, made: Made, *, timed: bool = True) -> tuple[Array, Array, Array, Array, Array]:
        """S_0, S_1, s, its derivatives by dt and by time  (KD3); these are without the rates of rows unless `timed`."""
        middle, t, move = 0.5 * (made.q0 + made.q1), made.t + 0.5 * made.dt, made.q1 - made.q0
        (T,), (slide,) = self.rows(middle[None], t, made)
        by_q, slide_q = self.rows_by_place(middle, t, made.frozen)
        W = np.einsum("jri,i->rj", by_q, move) + made.dt * slide_q.T

        def slip(t: float) -> Array:
            (T,), (slide,) = self.rows(middle[None], t, made)
            found: Array = T @ move + made.dt * slide
            return found

        s_t = self.by_time(slip, t) if timed else np.zeros(len(slide))
        return 0.5 * W - T, 0.5 * W + T, T @ move + made.dt * slide, slide + 0.5 * s_t, s_t
