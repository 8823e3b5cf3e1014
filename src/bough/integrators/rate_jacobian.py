"""The Jacobian of the continuous equations of motion, for the implicit methods of SciPy."""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.model.model import Model


def rate_jacobian(
    model: Model, q: Array, v: Array, u: Array, ak: Array, t: float, gains: tuple[float, float]
) -> Array:
    """d(v, a)/d(q, v) over the dynamic variables, (2 nd, 2 nd), by the derivatives of the accelerations."""
    nd = model.nd
    by = model.acceleration_derivatives(q, v, u, ak=ak if model.nk else None, baumgarte=gains, t=t)
    J = np.zeros((2 * nd, 2 * nd))
    J[:nd, nd:] = np.eye(nd)
    J[nd:, :nd], J[nd:, nd:] = by.dq[:nd, :nd], by.dv[:nd, :nd]
    return J
