"""The configuration whose frames are nearest to measured places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.optimize

from bough.arguments import Array
from bough.control._measured import measured
from bough.model.model import Model

KEPT = 1e-6  # weight of moves that no frame tells, which are then none


def nearest_pose(
    model: Model, q: Array, places: Sequence[int], columns: Sequence[str], values: Array
) -> Array:
    """q with variables at `places` moved so that columns such as "hand.x" have these values, in least squares."""

    def pose(moves: Array) -> Array:
        dq = np.zeros(model.nv)
        dq[list(places)] = moves
        return np.asarray(model.integrate(q, dq))

    def missed(moves: Array) -> Array:
        at = pose(moves)
        found = measured(model, np.concatenate([at, np.zeros(model.nd)])[None], columns)[0] - values
        return np.concatenate([found, np.nan_to_num(model.constraint(at)), KEPT * moves])

    none = np.zeros(len(places))
    tries = [none, *(sign * np.full(len(places), 0.5) for sign in (1.0, -1.0))]
    best = min((scipy.optimize.least_squares(missed, one) for one in tries), key=lambda one: one.cost)
    return pose(best.x)
