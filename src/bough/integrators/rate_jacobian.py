"""The Jacobian of the continuous equations of motion, for the implicit methods of SciPy.

The state is y = (q, v) of the dynamic variables, with a quaternion Q = (w, x) for each ball. A change of Q turns it by
δ in its own axes, and with (BJ9)

    δ = 2 (w dx − x dw − x × dx) / |Q|² ,   dQ' = ½ dQ (0, ω) + ½ Q (0, dω)                                   (AD10)

so that the derivatives of accelerations by turns (AD7) are those by quaternions, of any length.
"""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.model.model import Model


def rate_jacobian(
    model: Model, q: Array, v: Array, u: Array, ak: Array, t: float, gains: tuple[float, float]
) -> Array:
    """d(q', a)/d(q, v) over the dynamic variables, by the derivatives of the accelerations.

    q may have quaternions of any length; (2 nd, 2 nd) without balls, one more row and column for each of them.
    """
    nd, size = model.nd, model.nq - model.nk
    unit = np.array(q)
    for _, k in model._balls.values():
        unit[k : k + 4] /= np.linalg.norm(unit[k : k + 4])
    by = model.acceleration_derivatives(unit, v, u, ak=ak if model.nk else None, baumgarte=gains, t=t)
    turns, rates, own = _coordinates(model, q, v)
    J = np.zeros((size + nd, size + nd))
    J[:size, :size], J[:size, size:] = own, rates
    J[size:, :size], J[size:, size:] = by.dq[:nd, :nd] @ turns, by.dv[:nd, :nd]
    return J


def _coordinates(model: Model, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Moves by q, (nd, nq - nk), and q' by v and by q: (AD10)."""
    nd, size = model.nd, model.nq - model.nk
    if not model._balls:
        return np.eye(nd), np.eye(nd), np.zeros((nd, nd))
    turns, rates, own = np.zeros((nd, size)), np.zeros((size, nd)), np.zeros((size, size))
    single, places = model._single
    dynamic = places < size
    turns[single[dynamic], places[dynamic]] = rates[places[dynamic], single[dynamic]] = 1.0
    for i, k in model._balls.values():
        w, x, rate = q[k], q[k + 1 : k + 4], v[i : i + 3]
        across = np.cross(np.eye(3), x)  # y -> x × y
        turns[i : i + 3, k] = -2.0 * x / (w * w + x @ x)
        turns[i : i + 3, k + 1 : k + 4] = 2.0 * (w * np.eye(3) - across) / (w * w + x @ x)
        rates[k, i : i + 3] = -0.5 * x
        rates[k + 1 : k + 4, i : i + 3] = 0.5 * (w * np.eye(3) + across)
        own[k, k + 1 : k + 4], own[k + 1 : k + 4, k] = -0.5 * rate, 0.5 * rate
        own[k + 1 : k + 4, k + 1 : k + 4] = -0.5 * np.cross(np.eye(3), rate)
    return turns, rates, own
