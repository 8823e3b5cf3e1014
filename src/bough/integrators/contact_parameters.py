"""How steps with contacts change with the parameters of a model, at fixed ends and impulses.

With R the residuals of (CT1), of constraints and of the laws that the contacts obey, and (d1, μ, r) the unknowns, the
derivatives of a step, or of a part of one, by a parameter θ are

    T (δd1, δμ, δr) = −R_θ δθ ,   δp1 = D2_1 δq1 + D2_θ δθ                                                    (KD16)

A part also ends at another time, by φ_θ in (KD11), and the terms of (KD12), (KD13) change with θ. All are differences
of fourth order over models at near values (PG1), which have other masses, lengths, friction or restitution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.integrators.contact_made import Made
from bough.model.model import Model

if TYPE_CHECKING:
    from bough.integrators.contact_terms import ContactTerms
    from bough.model.variation import Variation


class ContactVariation:
    """The changes of the terms of steps by parameters."""

    def __init__(self, by: Variation, at: Callable[[Model], ContactTerms]) -> None:
        self.by, self._at = by, at
        self._near: dict[int, ContactTerms] = {}

    def of(self, quantity: Callable[[ContactTerms], Array]) -> Array:
        """The derivatives of an array, on a last axis."""
        return self.by.difference(lambda near: quantity(self._terms(near)))

    def _terms(self, model: Model) -> ContactTerms:
        if id(model) not in self._near:
            self._near[id(model)] = self._at(model)
        return self._near[id(model)]


def residual(terms: ContactTerms, made: Made) -> Array:
    """R over (d1, μ, r), and D2 after it."""
    model, nd, dt, alpha = terms.model, terms.model.nd, made.dt, terms.alpha
    q, v, t = (1.0 - alpha) * made.q0 + alpha * made.q1, (made.q1 - made.q0) / dt, made.t + alpha * dt
    L_q, L_v, f = model.L_dq(q, v), model.L_dv(q, v), model.generalized_force(q, v, made.u, t)
    (J0,), _ = terms.rows(made.q0[None], made.t, made)
    momenta = (1.0 - alpha) * dt * L_q - L_v + 0.5 * dt * f + J0.T @ made.r
    held = np.zeros(0)
    if model.nc:
        momenta = momenta - model.constraint_dq(made.q0, t=made.t).T @ made.mu
        held = model.constraint(made.q1, t=made.t + dt)
    D2 = alpha * dt * L_q + L_v + 0.5 * dt * f
    return np.concatenate([momenta[:nd], held, _laws(terms, made), D2[:nd]])


def _laws(terms: ContactTerms, made: Made) -> Array:
    """What is zero of each row of the contacts that act."""
    out, numbers = np.zeros(len(made.r)), {first: i for i, (first, *_) in enumerate(terms.coefficients)}
    phi, s = gaps(terms, made.q1, made.t + made.dt, made.frozen), slip(terms, made)
    for contact in made.contacts:
        _, _, friction, dry = terms.coefficients[numbers[contact.first]]
        at = slice(contact.first + 1, contact.first + contact.rows)
        out[contact.first] = -dry * made.node if dry >= 0.0 else phi[numbers[contact.first]]
        if not contact.slides:
            out[at] = s[at]
            continue
        m = 1.0 if dry >= 0.0 else friction
        sigma = s[at] + made.dt * made.slip[at]
        if made.r[at] @ sigma > -(1.0 - 1e-6) * np.linalg.norm(made.r[at]) * np.linalg.norm(sigma):
            sigma = s[at]  # as (CT4) took it
        size = float(np.linalg.norm(sigma))
        if size > 0.0:
            out[at] = m * made.r[contact.first] * sigma / size
    return out


def slip(terms: ContactTerms, made: Made) -> Array:
    """s of (CT3)."""
    (T,), (slide,) = terms.rows(0.5 * (made.q0 + made.q1)[None], made.t + 0.5 * made.dt, made)
    return np.asarray(T @ (made.q1 - made.q0) + made.dt * slide)


def gaps(terms: ContactTerms, q: Array, t: float, frozen: Array) -> Array:
    """φ of all contacts."""
    phi: Array = np.empty(len(terms.coefficients))
    core.frozen_gap(terms.model._core, q[None], np.array([t]), frozen[None], phi[None])
    return phi


def velocity_terms(terms: ContactTerms, q: Array, v: Array, t: float, frozen: Array) -> Array:
    """(M v)_d, Dh v + h_t and U, at fixed velocities."""
    model = terms.model
    (J,), (rate,) = terms.frozen_rows(q[None], t, frozen)
    held = model.constraint_dq(q, t=t) @ v + model.constraint_dt(q, t=t) if model.nc else np.zeros(0)
    return np.concatenate([(model.mass_matrix(q) @ v)[: model.nd], held, J @ v + rate])


def impulse_terms(terms: ContactTerms, q: Array, impulse: Array, y: Array, t: float, frozen: Array) -> Array:
    """(Jᵀρ + Dhᵀy)_d, at fixed impulses."""
    (J,), _ = terms.frozen_rows(q[None], t, frozen)
    found = J.T @ impulse
    if terms.model.nc:
        found = found + terms.model.constraint_dq(q, t=t).T @ y
    return np.asarray(found[: terms.model.nd])


def coefficients(terms: ContactTerms) -> Array:
    """Restitution, friction and dry friction of all contacts, (contacts, 3)."""
    rows = [(friction, dry) for _, _, friction, dry in terms.coefficients]
    return np.column_stack([core.contact_restitutions(terms.model._core), np.array(rows).reshape(-1, 2)])
