"""Whether the energy of a motion should stay what it is."""

from __future__ import annotations

import numpy as np

from bough.elements import Force
from bough.trajectory import Trajectory

TIMES = 8  # at which constraints are compared to find out whether they depend on time


def conservative(run: Trajectory) -> bool:
    """Whether nothing does work: no force that acts, no variables or constraints that are driven."""
    model = run.model
    if run._driving is not None and len(run._driving[1]) > 0:
        return False
    rows = np.unique(np.linspace(0, len(run) - 1, TIMES).astype(int))
    if any(isinstance(element, Force) for element in model.system.elements):  # inputs may all be zero
        q, t = run.q[rows], run.t[rows]
        if run.u.any() or model.generalized_force(q, model.velocity(q, run.p[rows], t=t), t=t).any():
            return False
    held = model.constraint(np.broadcast_to(run.q[0], (len(rows), model.nq)), run.t[rows])
    return bool((held == held[0]).all())
