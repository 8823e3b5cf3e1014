"""Derivatives of a step that impacts split: through its parts, the times at which they end, and the impacts.

Part j leads from the node (q, p)⁺ at time c_{j−1} of the step over τ_j to (q, p)⁻, with the derivatives (KD1)-(KD5) by
its own start, inputs, kinematic end, length and time. It ends where a gap closes; with J_n and φ_t of that gap there,

    δz⁻ = A δz⁺ + B (δu, δk_j) + z_t δc_{j−1} + z_τ δτ_j                                                      (KD10)
    J_n δq⁻ + φ_t δc_j = 0 ,   c_j = c_{j−1} + τ_j :
        δτ_j = −(J_n q̄ + φ_t δc_{j−1}) / (J_n q_τ + φ_t) ,   q̄ of δz⁻ at δτ_j = 0                            (KD11)

where k_j follows (EV3). The last part has δτ = δdt − δc. A part that ends where a contact stops has (CT9) for its
condition, with the slip s⁻ and the length h of the step before, and x = τ/(h + τ):

    s⁻·δU1 = 0 ,   δU1 = (1 + x) (δs − s δτ/τ)/τ + (s/τ − s⁻) (h δτ − τ δh)/(h + τ)²                          (KD15)

and δs of (KD3); (U1 − x s⁻)·δs⁻ is added. What an impact and a stop do to δz⁻ is in contact_impact.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.integrators.contact_impact import ImpactDerivatives, Place, only
from bough.integrators.contact_made import Law, Made, Node, Stepped
from bough.integrators.contact_parameters import gaps
from bough.integrators.contact_parameters import slip as slip_of

if TYPE_CHECKING:
    from bough.integrators.contact_derivatives import ContactLinearization

GRAZING = 1e-9  # of the largest velocity along a gap: a contact that touches without a hit


def through(kernel: ContactLinearization, step: Stepped) -> tuple[Array, Made]:
    """(q1, p1, lam, s, h) by (q0, p0, u, k1, dt, t, s⁻, h⁻, θ) of a step in parts; and the first part."""
    chain, parts = _Chain(kernel, step), _parts(step)
    if step.nodes[0].kind == "unload":
        chain.unload(step.nodes[0])
    made = first = chain.part(parts[0][0])
    for i, (part, event) in enumerate(parts):
        made = chain.part(part) if i else first
        chain.advance(made, part, event)
    return chain.jacobian(), first


def _parts(step: Stepped) -> list[tuple[Node, Node | None]]:
    """The parts of a step, each with the impact that it ends with."""
    nodes = step.nodes
    events = [*nodes[1:], None]
    return [
        (node, event if event is not None and event.law is not None else None)
        for node, event in zip(nodes, events, strict=True)
        if node.kind == "part"
    ]


class Closing(NamedTuple):
    """The derivatives of what is zero at the end of a part: through its start, by q at its end, its length and time."""

    start: Array
    q1: Array
    tau: float
    t: float


class _Chain:
    """Derivatives that grow part by part."""

    def __init__(self, kernel: ContactLinearization, step: Stepped) -> None:
        model = kernel.model
        self._kernel, self._step, self._model = kernel, step, model
        nx, rows = model.nv + model.nd, len(step.slip)
        first = nx + model.nu + model.nk + 2
        size = self._size = first + rows + 1 + kernel.count
        self._E = np.eye(nx, size)  # of (q, p) at the node
        self._slip_by = np.eye(rows, size, first)  # of s⁻
        self._before_by = np.eye(1, size, first + rows)[0]  # of the length of the part before
        self._c, self._elapsed = np.zeros(size), 0.0
        self._q, self._p = (np.asarray(x, dtype=float) for x in (step.state.q, step.p0))
        self._slip, self._before = step.slip, float(step.before[len(kernel.coefficients)])
        self._mu, self._weight = np.zeros(model.nc), 0.0
        self._mu_by, self._weight_by = np.zeros((model.nc, self._size)), np.zeros(self._size)
        self._drive, self._tau = _Drive(step, model, size), np.zeros(self._size)

    def part(self, node: Node) -> Made:
        """A part as a step of its own."""
        t, stands = float(self._step.state.t) + self._elapsed, 0.5 * (self._before + node.dt)
        r = stands * node.force
        acting, contacts = self._kernel.acting(node.status, r)
        mu = -stands * node.lam
        u = np.asarray(self._step.u)
        return Made(
            self._q, self._p, node.q, node.p, u, t, node.dt, stands, mu, r, self._slip, acting, contacts
        )

    def advance(self, made: Made, part: Node, event: Node | None) -> None:
        """A part, to an impact, to where a contact stops, or to the end of the step."""
        if event is None:
            self._advance(made, None)
            return
        law = event.law
        assert law is not None
        self._advance(
            made, self._stop(made, part, event) if event.kind == "stop" else self._gap(made, part, event, law)
        )
        self._node(Place(made.q1, made.p1, made.t + made.dt, made.dt), part.status, event, law, self._tau)

    def unload(self, node: Node) -> None:
        """The node that the step starts from, whose impulse is that of the step before it alone."""
        assert node.law is not None
        place = Place(self._q, self._p, float(self._step.state.t), self._before)
        self._node(place, self._step.before, node, node.law, self._before_by)

    def _node(self, place: Place, status: Array, event: Node, law: Law, tau: Array) -> None:
        """From momenta before a node to those after it; tau : the derivatives of the length of the part before."""
        rates = self._drive.rate_by(self._elapsed, self._c)
        impact = ImpactDerivatives(self._kernel, place, status, event.status, law)
        self._E = impact.moved(self._E, self._c, rates, tau)
        self._q, self._p, self._slip, self._before = event.q, event.p, event.slip, 0.0
        self._slip_by, self._before_by = np.zeros_like(self._slip_by), np.zeros(self._size)
        sliding = np.flatnonzero(event.slip)
        if len(sliding):
            self._slip_by[sliding] = impact.slips(self._E, self._c, rates)[sliding]

    def _gap(self, made: Made, part: Node, event: Node, law: Law) -> Closing:
        """(KD11)"""
        t = made.t + made.dt
        number = self._landing(part, law, t)
        first = self._kernel.coefficients[number][0]
        frozen = only(event.status, len(self._kernel.coefficients), [number])
        (J,), (rate,) = self._kernel.frozen_rows(made.q1[None], t, frozen)
        by_start = np.zeros(self._size)
        if self._kernel.count:
            phi = self._kernel.by_parameters(lambda terms: gaps(terms, made.q1, t, frozen))
            by_start[-self._kernel.count :] = phi[number]
        return Closing(by_start, J[first], float(rate[first]), float(rate[first]))

    def _stop(self, made: Made, part: Node, event: Node) -> Closing:
        """(KD15)"""
        kernel = self._kernel
        stops = [
            i for i in range(len(kernel.coefficients)) if part.status[i] == 2.0 and event.status[i] == 1.0
        ]
        if len(stops) != 1:
            raise kernel.refused(
                made.t, f"{len(stops)} contacts that stop at once, in an order that a move decides"
            )
        first, rows, _, _ = kernel.coefficients[stops[0]]
        at = slice(first + 1, first + rows)
        S0, S1, s, by_dt, by_t = (x[at] for x in kernel.slips(made))
        h, tau, slip = self._before, made.dt, made.slip[at]
        more = 1.0 + tau / (h + tau)
        by_tau = more * (by_dt - s / tau) / tau + (s / tau - slip) * h / (h + tau) ** 2
        w = slip * more / tau
        by_start = w @ S0 @ self._E[: self._model.nv]
        by_start += (more * s / tau - 2.0 * (more - 1.0) * slip) @ self._slip_by[at]
        by_start -= slip @ (s / tau - slip) * tau / (h + tau) ** 2 * self._before_by
        if kernel.count:
            by_start[-kernel.count :] += w @ kernel.by_parameters(lambda terms: slip_of(terms, made))[at]
        return Closing(by_start, w @ S1, float(slip @ by_tau), float(w @ by_t))

    def jacobian(self) -> Array:
        """All rows; lam is that of all parts, by the times that their nodes stand for."""
        lam = -self._mu_by / self._weight
        lam += np.outer(self._mu, self._weight_by) / self._weight**2
        return np.concatenate([self._E, lam, self._slip_by, self._tau[None]])

    def _advance(self, made: Made, closes: Closing | None) -> None:
        """(KD10), and the length of a part by what ends it; None: the end of the step."""
        model, kernel, size = self._model, self._kernel, self._size
        nv, nu, nk = model.nv, model.nu, model.nk
        nx = nv + model.nd
        J = kernel.jacobian(made)
        J = np.concatenate([J, kernel.next_slips(made, J)])
        lengths = [nx, nu, nk, 1, 1, len(made.r), 1]
        A, B_u, B_k, by_dt, by_t, by_slip, by_before, by_theta = np.split(J, np.cumsum(lengths), axis=1)
        inputs, ends = np.eye(nu, size, nx), np.eye(nk, size, nx + nu)
        end, moving = self._elapsed + made.dt, np.zeros(nk)
        if closes is not None:
            moving = self._drive.rate(end)
            ends = self._drive.value_by(end) + np.outer(moving, self._c)
        rows = A @ self._E + B_u @ inputs + B_k @ ends + by_t @ self._c[None] + by_slip @ self._slip_by
        rows[:, size - kernel.count :] += by_theta
        rows += by_before @ self._before_by[None]
        grow = by_dt[:, 0] + B_k @ moving
        if closes is None:
            length = -self._c
            length[nx + nu + nk] += 1.0
        else:
            falls = float(closes.q1 @ grow[:nv]) + closes.tau
            if abs(falls) <= GRAZING * (np.abs(closes.q1) @ np.abs(grow[:nv]) + abs(closes.tau)):
                raise kernel.refused(made.t, "a contact that is grazed: it touches without approaching")
            length = -(closes.start + closes.q1 @ rows[:nv] + closes.t * self._c) / falls
        rows = rows + np.outer(grow, length)
        node = made.node  # μ = −lam · node, node = (length before + τ)/2
        stands = 0.5 * (length + self._before_by)
        self._mu_by += -node * rows[nx : nx + model.nc] + np.outer(made.mu / node, stands)
        self._mu, self._weight = self._mu + made.mu, self._weight + node
        self._weight_by = self._weight_by + stands
        self._E, self._slip_by = rows[:nx], rows[nx + model.nc :]
        self._c, self._elapsed, self._tau = self._c + length, end, length

    def _landing(self, part: Node, law: Law, t: float) -> int:
        """The contact that ends a part; raises for impacts whose derivatives are not known."""
        n = len(self._kernel.coefficients)
        found = [
            i
            for i in range(n)
            if part.status[i] == 0.0 and law.restitution[i] >= 0.0 and self._kernel.coefficients[i][3] < 0.0
        ]
        if len(found) != 1:
            raise self._kernel.refused(
                t, f"{len(found)} contacts that close at once, in an order that a move decides"
            )
        if law.passes > 1 or law.theta < 1.0 or law.plastic:
            what = "is handed on among contacts" if law.passes > 1 else "the energy guard of friction limits"
            raise self._kernel.refused(t, f"an impact that {what}")
        return found[0]


class _Drive:
    """Kinematic variables within a split step, (EV3)."""

    def __init__(self, step: Stepped, model: Any, size: int) -> None:
        nd, nk = model.nd, model.nk
        self._dt, self._size, at = step.dt, size, model.nv + nd + model.nu
        self._k0, self._k1 = (np.asarray(x.q, dtype=float)[model.nq - nk :] for x in (step.state, step.after))
        self._slots = (slice(nd, nd + nk), slice(at, at + nk), at + nk)
        drive, self._time = step.drive
        self._mean = (self._k1 - self._k0) / step.dt
        self._bend = (self._mean - drive) / (0.5 * (step.dt + self._time))

    def rate(self, end: float) -> Array:
        """v_k."""
        return np.asarray(self._mean + (end - 0.5 * self._dt) * self._bend)

    def _by(self) -> tuple[Array, Array]:
        """The derivatives of the mean rates and of c of (EV3)."""
        nk = len(self._k0)
        mean, bend = np.zeros((nk, self._size)), np.zeros((nk, self._size))
        mean[:, self._slots[0]], mean[:, self._slots[1]] = -np.eye(nk) / self._dt, np.eye(nk) / self._dt
        mean[:, self._slots[2]] = -self._mean / self._dt
        whole = 0.5 * (self._dt + self._time)
        bend += mean / whole
        bend[:, self._slots[2]] -= 0.5 * self._bend / whole
        return mean, bend

    def value_by(self, end: float) -> Array:
        """The derivatives of k at a fixed time of the step."""
        mean, bend = self._by()
        out = end * mean - 0.5 * end * (self._dt - end) * bend
        out[:, self._slots[0]] += np.eye(len(self._k0))
        out[:, self._slots[2]] -= 0.5 * end * self._bend
        return np.asarray(out)

    def rate_by(self, end: float, c: Array) -> Array:
        """The derivatives of v_k at a time with derivatives c."""
        mean, bend = self._by()
        out = mean + (end - 0.5 * self._dt) * bend + np.outer(self._bend, c)
        out[:, self._slots[2]] -= 0.5 * self._bend
        return np.asarray(out)
