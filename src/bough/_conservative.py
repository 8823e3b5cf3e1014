"""Whether the energy of a motion should stay what it is."""

from __future__ import annotations

import numpy as np

from bough.elements import Force
from bough.trajectory import Trajectory

TIMES = 8  # at which constraints are compared to find out whether they depend on time


def conservative(run: Trajectory) -> bool:
    """Whether nothing does work on the system: no forces, no variables or constraints that are driven."""
    model = run.model
    if any(isinstance(element, Force) for element in model.system.elements):
        return False
    if run._driving is not None and len(run._driving[1]) > 0:
        return False
    rows = np.unique(np.linspace(0, len(run) - 1, TIMES).astype(int))
    held = model.constraint(np.broadcast_to(run.q[0], (len(rows), model.nq)), run.t[rows])
    return bool((held == held[0]).all())
