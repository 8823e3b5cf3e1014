"""The largest stable step of an explicit method, from the equations of motion linearised at a state.

With a_q and a_v the derivatives of the acceleration, a disturbance y = (dq, dv) obeys y' = J y, and one step
of the method multiplies it by a matrix: docs/theory/generalised.md, (G4) and (G5).
"""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError
from bough.model.model import Model

DIFFERENCE = 1e-6
LARGEST = 200  # largest number of dynamic variables for which the limit is computed
ROUND_OFF = 1e-5  # relative error of an eigenvalue: double eigenvalues at zero are known only to this
HALVINGS, BISECTIONS = 60, 40


def largest_stable_dt(
    model: Model, method: str, q: Array, v: Array, u: Array, t: float, dt: float
) -> float | None:
    """The limit of "rk4" or "semi-implicit-euler" at a state; None if dt is within it or it is unknown."""
    if model.nd > LARGEST:
        return None
    try:
        a_q, a_v = _derivatives(model, q, v, u, t)
    except ModelError:  # a singular configuration
        return None
    if _stable(method, a_q, a_v, dt):
        return None
    low = dt
    for _ in range(HALVINGS):
        low /= 2.0
        if _stable(method, a_q, a_v, low):
            break
    else:
        return None
    high = 2.0 * low
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _stable(method, a_q, a_v, middle) else (low, middle)
    return low


def _derivatives(model: Model, q: Array, v: Array, u: Array, t: float) -> tuple[Array, Array]:
    """da/dq and da/dv over the dynamic variables, by central differences."""
    nd = model.nd
    found = []
    for place, x in enumerate((q, v)):
        e = DIFFERENCE * np.maximum(1.0, np.abs(x[:nd]))
        moved = np.repeat(x[None], 2 * nd, axis=0)
        moved[np.arange(nd), np.arange(nd)] += e
        moved[nd + np.arange(nd), np.arange(nd)] -= e
        qs, vs = (np.broadcast_to(s, moved.shape) for s in ((moved, v) if place == 0 else (q, moved)))
        a = model.acceleration(qs, vs, u, t=t)[:, :nd]
        found.append(((a[:nd] - a[nd:]) / (2.0 * e[:, None])).T)
    return found[0], found[1]


def _stable(method: str, a_q: Array, a_v: Array, dt: float) -> bool:
    """Whether one step makes a disturbance grow no more than the motion itself does."""
    if not (np.isfinite(a_q).all() and np.isfinite(a_v).all()):
        return False
    n, one = len(a_q), np.eye(len(a_q))
    rates = np.linalg.eigvals(np.block([[np.zeros((n, n)), one], [a_q, a_v]]))
    if method == "rk4":
        z = dt * rates
        factor = np.abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))).max()  # (G5)
    else:
        step = np.block([[one + dt * dt * a_q, dt * (one + dt * a_v)], [dt * a_q, one + dt * a_v]])  # (G4)
        factor = np.abs(np.linalg.eigvals(step)).max()
    allowed = dt * (max(0.0, float(rates.real.max())) + ROUND_OFF * float(np.abs(rates).max()))
    return bool(factor <= np.exp(allowed))
