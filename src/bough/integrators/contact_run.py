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
    from bough.motion.trajectory import Trajectory


class ContactRun(NamedTuple):
    """The derivatives of (x1, s) by (x, s⁻, c) in all steps, with slips s, and dv/dx at all nodes."""

    J: Array
    velocities: Array

    @property
    def blocks(self) -> tuple[Array, Array]:
        """A = dx1/dx and B = dx1/dc, at given slips of the steps before."""
        nx, nz = self.velocities.shape[2], self.J.shape[1]
        return self.J[:, :nx, :nx], self.J[:, :nx, nz:]

    def forward(self, S: Array) -> Array:
        """(RD2): S at all nodes from S at the first; columns are the start, controls in all steps, and others."""
        nx, nz = self.velocities.shape[2], self.J.shape[1]
        now, nodes = np.zeros((nz, S.shape[1])), np.empty((len(self.J) + 1, *S.shape))
        now[:nx] = nodes[0] = S
        for i, J in enumerate(self.J):
            now = J[:, :nz] @ now
            now[:, nx : nx + J.shape[1] - nz] += J[:, nz:]
            nodes[i + 1] = now[:nx]
        return nodes

    def backward(self, weights: Array) -> tuple[Array, Array]:
        """(RD1) with weights at all nodes: the gradients by the start, without its weights, and by controls."""
        nx, nz = self.velocities.shape[2], self.J.shape[1]
        lam, by_control = np.zeros(nz), np.empty((len(self.J), self.J.shape[2] - nz))
        for i in range(len(self.J) - 1, -1, -1):
            lam[:nx] += weights[i + 1]
            by_control[i], lam = lam @ self.J[i][:, nz:], lam @ self.J[i][:, :nz]
        return lam[:nx], by_control


def contact_run(run: Trajectory, vi: VariationalIntegrator, dt: Array, control: Array) -> ContactRun:
    """All steps of a run."""
    model, kernel = vi.model, ContactLinearization(vi)
    state = _start(run, vi)
    nx, rows = model.nv + model.nd, sum(rows for _, rows, _, _ in kernel.coefficients)
    J = np.empty((len(dt), nx + rows, nx + rows + model.nu + model.nk))
    velocities = np.empty((len(dt) + 1, model.nv, nx))
    for i, (length, c) in enumerate(zip(dt, control, strict=True)):
        J[i], after, velocities[i] = kernel.along(state, float(length), c)
        if i == 0:
            J[0, :, :nx] += J[0, :, nx : nx + rows] @ kernel.slips_of_start(state)
        state = after
    velocities[-1] = kernel.velocity_by(state)
    if not np.array_equal(np.asarray(state.q), np.asarray(run.q)[-1]):
        raise ModelError(
            asked=f"derivatives of a run of model {model.name!r} with contacts",
            found="a run that its start and its inputs do not lead to again",
            do="differentiate the run as simulate() returned it, on the machine that made it",
        )
    return ContactRun(J, velocities)


def _start(run: Trajectory, vi: VariationalIntegrator) -> State:
    """The first state of a run, as its first step found it."""
    model, stepper = vi.model, vi._stepper()
    t, q, v, p = float(run.t[0]), np.array(run.q[0]), np.array(run.v[0]), np.array(run.p[0])
    start_stepper(model, stepper, t, q, p, v[model.nd :])
    memory = stepper.save(v[model.nd :], np.zeros(model.nu))
    return State(t, q, v, p, np.zeros(model.nc), memory=memory, names=model._names)
