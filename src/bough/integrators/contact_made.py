"""A step with contacts as it was made: what its derivatives are taken at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator
    from bough.model.model import Model


class Contact(NamedTuple):
    """A contact that acts during a step: its rows, and whether it sticks or slides."""

    first: int
    rows: int
    friction: float
    dry: float  # the largest force of dry friction, or negative
    slides: bool


class Made(NamedTuple):
    """One step with contacts, or a part of one."""

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


class Law(NamedTuple):
    """The impact law at a node; at the end of sliding, and where a contact unloads, nothing is struck."""

    v_before: Array
    v: Array
    impulse: Array  # over the rows of all contacts
    restitution: Array  # of each contact that took part, else -1
    passes: int
    theta: float
    plastic: bool


class Node(NamedTuple):
    """What happened within a step, and the state after it: `core.Stepper.trace`."""

    kind: str  # "part", "brief", "impact", "stop", "joined" or "unload"
    dt: float
    q: Array
    p: Array
    lam: Array
    status: Array  # and features
    force: Array
    slip: Array
    law: Law | None


class Stepped(NamedTuple):
    """A step between two states, with what it started from and the nodes within it, none if it is one part."""

    state: Any
    after: Any
    u: Array
    dt: float
    p0: Array  # of the stepper, which an impact at the start has changed
    before: Array  # statuses, the length of the step before, features
    slip: Array
    frozen: Array  # statuses and features after it
    drive: tuple[
        Array, float
    ]  # the mean velocities of kinematic variables in the step before, and its length
    halved: bool
    nodes: list[Node]

    def made(self, node: float, r: Array, frozen: Array, contacts: list[Contact]) -> Made:
        """The whole step as one part."""
        q0, p0, q1, p1 = (
            np.asarray(a, dtype=float) for a in (self.state.q, self.p0, self.after.q, self.after.p)
        )
        mu = -node * np.asarray(self.after.lam)
        t, u = float(self.state.t), np.asarray(self.u)
        return Made(q0, p0, q1, p1, u, t, self.dt, node, mu, r, self.slip, frozen, contacts)


def stepped(vi: VariationalIntegrator, state: Any, u: Array, k1: Array, dt: float) -> Stepped:
    """The step from a state, with what it tells of its parts."""
    model = vi.model
    stepper = vi._stepper()
    vi._restore(stepper, state)
    before = statuses(model, stepper)
    start = stepper.save(np.zeros(model.nk), np.zeros(model.nu))
    slip, p0 = np.array(start.contact_slip), np.array(stepper.state()[2])
    drive, time = stepper.drive()
    stepper.traced = True
    try:
        after = vi.step(state, u, k1 if model.nk else None, dt)
        nodes, halved = [node_of(*fields) for fields in stepper.trace()], len(stepper.parts) != 1
    finally:
        stepper.traced = False
    vi._restore(stepper, after)
    return Stepped(
        state,
        after,
        u,
        dt,
        p0,
        before,
        slip,
        statuses(model, stepper),
        (np.array(drive), time),
        halved,
        nodes,
    )


def node_of(
    kind: str, dt: float, q: Any, p: Any, lam: Any, status: Any, force: Any, slip: Any, law: Any
) -> Node:
    """A node of the trace, with arrays."""
    arrays = [np.array(x) for x in (q, p, lam, status, force, slip)]
    if law is None:
        return Node(kind, dt, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5], None)
    v_before, v, impulse, restitution, passes, theta, plastic = law
    of = Law(
        np.array(v_before), np.array(v), np.array(impulse), np.array(restitution), passes, theta, plastic
    )
    return Node(kind, dt, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5], of)


def statuses(model: Model, stepper: Any) -> Array:
    """Statuses, the length of the last step, and features of a stepper."""
    status, lost = np.empty(core.contact_state_size(model._core)), np.empty(2)
    stepper.contacts(status, lost)
    return status
