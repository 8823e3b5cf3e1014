"""Motions through contacts for `bough.control.optimize`: steps whose contacts are smoothed, and their stages.

A step with contacts has no derivative where a contact opens, closes, sticks or slides, and none by a contact that is
not made yet. The step on the central path of its contacts, (CT1) with (KD6) and (KD7), is a smooth function of
x = (q, p) and c for every κ > 0 and tends to the step itself for κ → 0; σ is s alone, so that x is all of its state.
p of a node holds half of the impulses there, which at rest are κ/φ of a contact of gap φ, and none along it:

    M v = p + ½ J_nᵀ κ/φ                                                                                    (OC3)

is the velocity that an end asks for. `through_contacts` of _through_contacts.py lowers κ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._costs import Expansion, Setting
from bough.control._ends import Ends
from bough.control._stages import Derivatives, Slopes, Stages, cost_hessians
from bough.errors import ConvergenceError, ModelError, quoted
from bough.integrators.contact_made import Contact, Made, statuses
from bough.integrators.contact_parameters import gaps
from bough.integrators.contact_smoothing import SmoothedContacts
from bough.integrators.rows_and_starts import start_stepper

if TYPE_CHECKING:
    from bough.control._newton import Newton, Point
    from bough.control._step import Step

CLOSED = 1e-9  # m or rad: gaps of an end that count as closed


class SmoothedSteps(SmoothedContacts):
    """Steps x1 = f(x, c) whose contacts are on their central path, with c = (u, k1 − k0)."""

    def acting_at(self, t: float, q: Array, p: Array) -> tuple[Array, list[Contact]]:
        """Statuses and features of the contacts at a node, and all that may act from there."""
        n, frozen = len(self.coefficients), np.ones(core.contact_state_size(self.model._core))
        if len(frozen) > n + 1:  # shapes, whose features a start finds
            stepper = self._vi._stepper()
            start_stepper(self.model, stepper, t, q, p, np.zeros(self.model.nk))
            frozen = statuses(self.model, stepper)
            frozen[:n] = frozen[n + 1 :] != 0.0
        acting = [fields for i, fields in enumerate(self.coefficients) if frozen[i]]
        contacts = [Contact(*fields, slides=False) for fields in acting]
        return frozen, contacts

    def step(self, t: float, dt: float, x: Array, c: Array, guess: Made | None) -> Made:
        """The step from a state; raises `ConvergenceError`. guess : a step near it"""
        model = self.model
        q0, p0 = np.ascontiguousarray(x[: model.nq]), np.ascontiguousarray(x[model.nq :])
        frozen, contacts = self.acting_at(t, q0, p0)
        q1 = q0 + dt * model.velocity(q0, p0, t=t) if guess is None else guess.q1 + (q0 - guess.q0)
        q1[model.nd :] = q0[model.nd :] + c[model.nu :]
        r, mu = np.zeros(self._rows), np.zeros(model.nc)
        if guess is not None:
            r, mu = guess.r.copy(), guess.mu
        u, slip = np.ascontiguousarray(c[: model.nu]), np.zeros(self._rows)
        made = self._solve(Made(q0, p0, q1, p0, u, t, dt, dt, mu, r, slip, frozen, contacts))
        return made._replace(p1=self._end(made))

    def _end(self, made: Made) -> Array:
        """p1 = D2."""
        model, alpha = self.model, self.alpha
        q, v = (1.0 - alpha) * made.q0 + alpha * made.q1, (made.q1 - made.q0) / made.dt
        f = model.generalized_force(q, v, made.u, made.t + alpha * made.dt)
        p1: Array = alpha * made.dt * model.L_dq(q, v) + model.L_dv(q, v) + 0.5 * made.dt * f
        return p1[: model.nd]

    def derivatives(self, made: Made) -> tuple[Array, Array]:
        """J = dx1/d(x, c), (nx, nx + nc), and the same of the constraint forces."""
        model = self.model
        nx, nz = model.nv + model.nd, model.nv + model.nd + model.nu + model.nk
        J = self.jacobian(made)[:, :nz]
        J[:, model.nd : model.nv] += J[:, nz - model.nk :]  # k1 = k0 + move
        return J[:nx], J[nx:]

    def node_impulses(self, x: Array, t: float) -> tuple[Array, Array]:
        """½ J_nᵀ κ/φ at a state and its derivative by q  (OC3)."""
        model = self.model
        q = np.ascontiguousarray(x[: model.nq])
        frozen, contacts = self.acting_at(t, q, np.ascontiguousarray(x[model.nq :]))
        phi, (J,) = gaps(self, q, t, frozen), self.frozen_rows(q[None], t, frozen)[0]
        by_place, _ = self.rows_by_place(q, t, frozen)
        value, by_q = np.zeros(model.nv), np.zeros((model.nv, model.nv))
        acting = {contact.first for contact in contacts if contact.dry < 0.0}
        for i, (first, *_) in enumerate(self.coefficients):
            if first in acting:
                r = 0.5 * self._kappa / phi[i]
                value += r * J[first]
                by_q += r * (by_place[:, first].T - np.outer(J[first], J[first]) / phi[i])
        return value[: model.nd], by_q[: model.nd]


class SmoothedKernels:
    """What Newton's method takes from `Kernels`, for smoothed steps: roll-outs, and no kernels of the core."""

    pairs = reach = None

    def __init__(self, step: Step, kappa: float, before: SmoothedKernels | None = None) -> None:
        self.steps, self.rollout = SmoothedSteps(step.integrator, kappa), self
        self._made: list[Made] = (
            [] if before is None else before._made
        )  # the last motion rolled out to its end
        self._failure = (float("nan"), 0, 0)

    def failure(self) -> tuple[float, int, int]:
        """Residual, row and iterations of the last step that failed."""
        return self._failure

    def made(self, t0: float, dt: float, x: Array, c: Array) -> list[Made]:
        """The steps of a motion that was rolled out; they are solved again unless it is the last one."""
        out = []
        for k, control in enumerate(c):
            last = self._made[k] if k < len(self._made) else None
            if last is None or not _same(last, x[k], x[k + 1]):
                last = self.steps.step(t0 + k * dt, dt, x[k], control, last)
            out.append(last)
        return out

    def run(
        self,
        t0: float,
        dt: float,
        x: Array,
        c: Array,
        d: Array,
        G: Array,
        length: float,
        to_x: Array,
        to_c: Array,
        lam: Array,
    ) -> tuple[int, int]:
        """(OR1) from to_x[0], as `core.Rollout.run`."""
        made = []
        for k in range(len(c)):
            to_c[k] = c[k] + (length * d[k] if d.size else 0.0)
            if G.size:
                to_c[k] -= G[k] @ (to_x[k] - x[k])
            try:
                guess = self._made[k] if k < len(self._made) else None
                now = self.steps.step(t0 + k * dt, dt, to_x[k], to_c[k], guess)
            except ConvergenceError as error:
                self._failure = (error.residual, 0, error.iterations)
                return core.StepStatus.no_convergence, k
            to_x[k + 1] = np.concatenate([now.q1, now.p1])
            lam[k] = -now.mu / dt
            made.append(now)
        self._made = made
        return core.StepStatus.fine, -1


def _same(made: Made, x0: Array, x1: Array) -> bool:
    """Whether a step leads from one state to another."""
    given = np.concatenate([made.q0, made.p0, made.q1, made.p1])
    return np.array_equal(given, np.concatenate([x0, x1]))


class SmoothedStages(Stages):
    """The stages over all moves of smoothed steps, without second derivatives of the motion."""

    def __init__(self, newton: Newton, now: Point, kernels: SmoothedKernels) -> None:
        super().__init__(newton, now)
        task = self.task
        made = kernels.made(task.setting.times[0], task.step.dt, now.x, now.c)
        found = [kernels.steps.derivatives(one) for one in made]
        self.J = np.stack([J for J, _ in found])
        self.by_force = np.stack([lam for _, lam in found]) if task.bounds.forces else np.zeros(0)

    def _differentiate(self, cost: Expansion, slopes: Slopes, last: Array, second: bool) -> Derivatives:
        """(OB1) with smoothed steps."""
        steps, nx = len(self.J), self.size
        b = self.slope(slopes)
        costate, gradient = np.empty((steps + 1, nx)), np.empty((steps, self.now.c.shape[1]))
        costate[-1] = last
        for k in range(steps - 1, -1, -1):
            whole = b[k] + costate[k + 1] @ self.J[k]
            costate[k], gradient[k] = whole[:nx], whole[nx:]
        self.H = self._of_costs(cost)
        return Derivatives(b, costate, gradient)

    def _of_costs(self, cost: Expansion) -> Array:
        identity = np.broadcast_to(np.eye(self.size), (len(self.J) + 1, self.size, self.size))
        return cost_hessians(self.task, identity, self.J, cost)


class SmoothedEnds(Ends):
    """Ends whose velocities are those of (OC3)."""

    def __init__(self, at: Setting, steps: SmoothedSteps, end: Any, rest: bool, weight: Any) -> None:
        super().__init__(at, end, rest, weight)
        self.steps = steps
        self._refuse_closed(at)

    def _refuse_closed(self, at: Setting) -> None:
        """Raise if an end that gives all variables lies on a contact, where a smoothed motion never is."""
        model = at.model
        if not self.hard or len(self.q) < model.nv or self.frames:
            return
        q = np.zeros(model.nq)
        q[self.q] = self.target[: len(self.q)]
        phi = model.gap(q, t=float(at.times[-1]))
        closed = [name for name, gap in zip(model.gaps, phi, strict=True) if gap < CLOSED]
        if closed:
            raise ModelError(
                asked=f"end of {at.where}",
                found=f"all variables, at a place where {quoted(closed)} {'is' if len(closed) == 1 else 'are'} closed",
                do="leave out variables that the contact gives, or add end_weight, which makes the end a cost",
            )

    def _free(self, x: Array) -> tuple[Array, Array]:
        """The state with the momenta of (OC3), and their derivative by q."""
        impulses, by_q = self.steps.node_impulses(x, float(self.at.times[-1]))
        moved = x.copy()
        moved[self.at.model.nq :] += impulses
        return moved, by_q

    def values(self, x: Array) -> Array:
        """e, (rows,)."""
        return super().values(self._free(x)[0])

    def jacobian(self, x: Array) -> Array:
        """de/dx, (rows, nx)."""
        moved, by_q = self._free(x)
        C = super().jacobian(moved)
        nv = self.at.model.nv
        C[:, :nv] += C[:, nv:] @ by_q
        return C

    def second(self, x: Array, nu: Array, directions: Array | None = None) -> Array:
        """None: Gauss and Newton's step leaves second derivatives out."""
        size = self.at.model.nv + self.at.model.nd if directions is None else directions.shape[1]
        return np.zeros((size, size))
