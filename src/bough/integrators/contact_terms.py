"""The terms of a step with contacts: rows of contacts and constraints, slots of the midpoint rule, how they change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.integrators.contact_made import Contact, Made
from bough.integrators.contact_parameters import ContactVariation

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator
    from bough.model.variation import Variation

LENGTH = 1e-3  # of differences of rows
PLACES = (
    (1.0, 8.0),
    (-1.0, -8.0),
    (2.0, -1.0),
    (-2.0, 1.0),
)  # of a difference of fourth order, and weights · 12


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
    D_t: Array  # of both


class ContactTerms:
    """The terms at given places.

    Attributes
    ----------
    coefficients : of each contact its first row, how many it has, its friction, and of dry friction the force or -1
    varied, count : the changes by parameters, and how many there are
    """

    def __init__(self, vi: VariationalIntegrator, by: Variation | None = None) -> None:
        self._vi, self.model = vi, vi.model
        self.coefficients = core.contact_coefficients(vi.model._core)
        self._rows = sum(rows for _, rows, _, _ in self.coefficients)
        self.where, self.alpha = vi._where, vi.alpha
        self.count = 0 if by is None else len(by.names)
        self.varied = None
        if by is not None and by.names:
            self.varied = ContactVariation(
                by, lambda model: ContactTerms(type(vi)(model, vi.dt, alpha=vi.alpha))
            )

    def by_parameters(self, quantity: Callable[[ContactTerms], Array]) -> Array:
        """The derivatives of an array by parameters, on a last axis; there must be some."""
        assert self.varied is not None
        return self.varied.of(quantity)

    def acting(self, frozen: Array, r: Array) -> tuple[Array, list[Contact]]:
        """Of statuses and features, those of contacts with impulses, and these contacts."""
        contacts = [
            Contact(first, rows, friction, dry, bool(frozen[i] == 2.0))
            for i, (first, rows, friction, dry) in enumerate(self.coefficients)
            if r[first] > 0.0 or dry >= 0.0
        ]
        acting = frozen.copy()
        acting[: len(self.coefficients)] = [
            float(r[first] > 0.0 or dry >= 0.0) for first, _, _, dry in self.coefficients
        ]
        return acting, contacts

    def rows(self, q: Array, t: float, made: Made) -> tuple[Array, Array]:
        """J_n and T of the contacts that act, (batch, rows, nv), and their velocities at v = 0."""
        return self.frozen_rows(q, t, made.frozen)

    def frozen_rows(self, q: Array, t: float, frozen: Array) -> tuple[Array, Array]:
        """The same for statuses and features."""
        model = self.model
        rows = self._rows
        J, rate = np.empty((len(q), rows, model.nv)), np.empty((len(q), rows))
        core.contact_rows(
            model._core,
            np.ascontiguousarray(q),
            np.full(len(q), t),
            np.tile(frozen, (len(q), 1)),
            J,
            rate,
        )
        return J, rate

    def rows_by_place(self, q: Array, t: float, frozen: Array) -> tuple[Array, Array]:
        """The derivatives of rows, (nv, rows, nv), and of their velocities, (nv, rows), by each variable."""
        n = len(q)
        J, rate = np.zeros((n, self._rows, n)), np.zeros((n, self._rows))
        for place, weight in PLACES:
            one, two = self.frozen_rows(q + place * LENGTH * np.eye(n), t, frozen)
            J += weight / (12.0 * LENGTH) * one
            rate += weight / (12.0 * LENGTH) * two
        return J, rate

    def by_time(self, of: Callable[[float], Array], t: float) -> Array:
        """The derivative of an array by time."""
        return np.asarray(sum(weight / (12.0 * LENGTH) * of(t + place * LENGTH) for place, weight in PLACES))

    def rows_by_time(self, q: Array, t: float, frozen: Array) -> tuple[Array, Array]:
        """The derivatives of rows, (rows, nv), and of their velocities, (rows,), by time."""
        J, rate = np.zeros((self._rows, self.model.nv)), np.zeros(self._rows)
        for place, weight in PLACES:
            (one,), (two,) = self.frozen_rows(q[None], t + place * LENGTH, frozen)
            J += weight / (12.0 * LENGTH) * one
            rate += weight / (12.0 * LENGTH) * two
        return J, rate

    def slots(self, made: Made, *, timed: bool = True) -> Slots:
        """(DF1); derivatives by time and dt are without those of forces by time unless `timed`."""
        model, dt = self.model, made.dt
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
        f_t = np.zeros(model.nv)
        if timed:
            f_t = self.by_time(lambda t: model.generalized_force(q, v, made.u, t), t)
        by_dt = 0.5 * (f - f_v @ v + alpha * dt * f_t)
        return Slots(
            np.stack([beta * dt * L_q, -L_v, 0.5 * dt * f]),
            beta**2 * dt * qq - beta * (qv + vq) + vv + from_0,
            alpha * beta * dt * qq + beta * qv - alpha * vq - vv + from_1,
            alpha * beta * dt * qq - alpha * qv + beta * vq - vv + from_0,
            alpha**2 * dt * qq + alpha * (qv + vq) + vv + from_1,
            0.5 * dt * model.generalized_force_du(q, v, made.u, t),
            beta * L_q - (beta * qv - vv) @ v + by_dt,
            alpha * L_q - (alpha * qv + vv) @ v + by_dt,
            0.5 * dt * f_t,
        )

    def held(self, made: Made) -> tuple[Array, Array, Array, Array]:
        """Dh at both ends, Hμ and the rate of the rows at the end."""
        model = self.model
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
