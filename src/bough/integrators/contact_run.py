"""The steps of a run with contacts and their derivatives, for `run.sensitivity` and `control.linearize`.

Such a run is made again from its start: what its contacts do in a step depends on the steps before it, not on the node
alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError
from bough.integrators.contact_derivatives import ContactLinearization
from bough.integrators.rows_and_starts import start_stepper
from bough.motion.state import State

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator
    from bough.model.variation import Variation
    from bough.motion.trajectory import Trajectory


class ContactRun(NamedTuple):
    """The derivatives of z1 = (x1, s, h) by (z, c, θ) in all steps, and of v by (z, θ) at all nodes.

    s, h : slips of contacts, and the length of the step before, or of its last part
    """

    J: Array
    velocities: Array
    states: int
    parameters: int

    @property
    def blocks(self) -> tuple[Array, Array]:
        """A = dx1/dx and B = dx1/dc, at given slips and lengths of the steps before."""
        nx, nz = self.states, self.J.shape[1]
        return self.J[:, :nx, :nx], self.J[:, :nx, nz : self.J.shape[2] - self.parameters]

    def forward(self, S: Array) -> tuple[Array, Array]:
        """(RD2): of x and v at all nodes from S at the first; columns are start, controls in all steps, parameters."""
        nx, nz = self.states, self.J.shape[1]
        now, nodes = np.zeros((nz, S.shape[1])), np.empty((len(self.J) + 1, *S.shape))
        now[:nx] = nodes[0] = S
        v = np.empty((len(nodes), self.velocities.shape[1], S.shape[1]))
        for i, rates in enumerate(self.velocities):
            if i:
                J = self.J[i - 1]
                now = J[:, :nz] @ now
                now[:, nx : nx + J.shape[1] - nz] += J[:, nz:]
            nodes[i], v[i] = now[:nx], rates[:, :nz] @ now
            v[i, :, S.shape[1] - self.parameters :] += rates[:, nz:]
        return nodes, v

    def backward(self, weights: Array, of_v: Array) -> tuple[Array, Array, Array]:
        """(RD1) with weights of x and v at all nodes: gradients by the start, by controls and by parameters."""
        nx, nz = self.states, self.J.shape[1]
        lam, by = np.zeros(nz), np.empty((len(self.J), self.J.shape[2] - nz))
        theta = np.einsum("ri,rij->j", of_v, self.velocities[:, :, nz:])
        for i in range(len(self.J), -1, -1):
            if i < len(self.J):
                by[i], lam = lam @ self.J[i][:, nz:], lam @ self.J[i][:, :nz]
            lam[:nx] += weights[i]
            lam += of_v[i] @ self.velocities[i][:, :nz]
        last = by.shape[1] - self.parameters
        return lam[:nx], by[:, :last], theta + by[:, last:].sum(axis=0)


def contact_run(
    run: Trajectory, vi: VariationalIntegrator, dt: Array, control: Array, by: Variation | None = None
) -> ContactRun:
    """All steps of a run."""
    model, kernel = vi.model, ContactLinearization(vi, by)
    state = _start(run, vi)
    nx, rows = model.nv + model.nd, sum(rows for _, rows, _, _ in kernel.coefficients)
    nz = nx + rows + 1
    J = np.empty((len(dt), nz, nz + model.nu + model.nk + kernel.count))
    velocities = np.zeros((len(dt) + 1, model.nv, nz + kernel.count))
    places = [*range(nx), *range(nz - 1, nz + kernel.count)]  # v does not depend on slips
    for i, (length, c) in enumerate(zip(dt, control, strict=True)):
        J[i], after, velocities[i][:, places] = kernel.along(state, float(length), c)
        if i == 0:
            by_start = J[0, :, nx : nz - 1] @ kernel.slips_of_start(state)
            J[0, :, :nx] += by_start[:, :nx]
            J[0, :, J.shape[2] - kernel.count :] += by_start[:, nx:]
        state = after
    velocities[-1][:, places] = kernel.velocity_by(state)
    if not np.array_equal(np.asarray(state.q), np.asarray(run.q)[-1]):
        raise ModelError(
            asked=f"derivatives of a run of model {model.name!r} with contacts",
            found="a run that its start and its inputs do not lead to again",
            do="differentiate the run as simulate() returned it, on the machine that made it",
        )
    return ContactRun(J, velocities, nx, kernel.count)


def _start(run: Trajectory, vi: VariationalIntegrator) -> State:
    """The first state of a run, as its first step found it."""
    model, stepper = vi.model, vi._stepper()
    t, q, v, p = float(run.t[0]), np.array(run.q[0]), np.array(run.v[0]), np.array(run.p[0])
    start_stepper(model, stepper, t, q, p, v[model.nd :])
    memory = stepper.save(v[model.nd :], np.zeros(model.nu))
    return State(t, q, v, p, np.zeros(model.nc), memory=memory, names=model._names)
