"""The Jacobian of the continuous equations of motion, for the implicit methods of SciPy."""

from __future__ import annotations

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.model.model import Model
from bough.model.units import turning

DIFFERENCE = 6e-6  # relative step of central differences: the cube root of machine epsilon


def rate_jacobian(
    model: Model, q: Array, v: Array, u: Array, ak: Array, t: float, gains: tuple[float, float]
) -> Array:
    """d(v, a)/d(q, v) over the dynamic variables, (2 nd, 2 nd): accelerations by central differences.

    The step is a part of one radian, of the largest distance or of the largest velocity, never of the
    variable itself: an angle of 1e-9 or of 1e5 rad moves the same geometry.
    """
    nd, nq = model.nd, model.nq
    turns = turning(model)[:nd] > 0.0
    distance = max(1.0, float(np.abs(q[:nd][~turns]).max(initial=0.0)))
    speed = max(1.0, float(np.abs(v).max(initial=0.0)))
    steps = DIFFERENCE * np.concatenate([np.where(turns, 1.0, distance), np.full(nd, speed)])
    y = np.concatenate([q[:nd], v[:nd]])
    moved = np.concatenate([y + np.diag(steps), y - np.diag(steps)])
    rows = len(moved)
    all_q, all_v, a = (np.broadcast_to(x, (rows, nq)).copy() for x in (q, v, np.zeros(nq)))
    all_q[:, :nd], all_v[:, :nd], a[:, nd:] = moved[:, :nd], moved[:, nd:], ak
    time, none, lam = np.full(rows, t), np.zeros((rows, nq)), np.zeros((rows, model.nc))
    inputs = np.broadcast_to(u, (rows, len(u))).copy()
    failed = core.acceleration(model._core, all_q, all_v, none, inputs, time, *gains, a, lam)
    model._check_singular("acceleration", failed, (rows,))
    width = np.concatenate([all_q[:, :nd], all_v[:, :nd]], axis=1)
    across = np.diagonal(width[: 2 * nd] - width[2 * nd :])
    J = np.zeros((2 * nd, 2 * nd))
    J[:nd, nd:] = np.eye(nd)
    J[nd:] = ((a[: 2 * nd, :nd] - a[2 * nd :, :nd]) / across[:, None]).T
    return J
