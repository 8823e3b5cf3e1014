"""Measured columns of many states at once, and their derivatives by state and by parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bough.arguments import Array
from bough.control._measurement import position_dq
from bough.control._velocity import velocities
from bough.model.model import Model

AXES = "xyz"
STEP = 1e-6  # of differences by parameters, relative


def measured(model: Model, x: Array, columns: Sequence[str]) -> Array:
    """The values (rows, columns) of states (rows, nx): "angle", "v.angle", "hand.x"."""
    q = np.ascontiguousarray(x[:, : model.nq])
    variables, v = model._variables_of(q), None
    out = np.empty((len(x), len(columns)))
    for i, name in enumerate(columns):
        if name in model.variables:
            out[:, i] = variables[:, model.index(name)]
        elif name.startswith("v."):
            v = model.velocity(q, x[:, model.nq :]) if v is None else v
            out[:, i] = v[:, model.index(name[2:])]
        else:
            frame, _, axis = name.rpartition(".")
            out[:, i] = model.pose(frame, q)[:, AXES.index(axis), 3]
    return out


def measured_by_state(model: Model, x: Array, columns: Sequence[str]) -> Array:
    """The derivatives of `measured`, (rows, columns, nx)."""
    out = np.zeros((len(x), len(columns), model.nv + model.nd))
    q = np.ascontiguousarray(x[:, : model.nq])
    by_state = None
    for i, name in enumerate(columns):
        if name in model.variables:
            out[:, i, model.index(name)] = 1.0
        elif name.startswith("v."):
            if by_state is None:
                by_state = velocities(model, x, np.zeros((len(x), model.nk)), np.zeros(len(x))).by_state
            out[:, i] = by_state[:, model.index(name[2:])]
        else:
            frame, _, axis = name.rpartition(".")
            out[:, i, : model.nv] = position_dq(model, frame, q)[:, AXES.index(axis)]
    return out


def explicit_derivative(
    model: Model, names: Sequence[str], values: Array, x: Array, columns: Sequence[str]
) -> Array:
    """The derivatives of `measured` by parameters at fixed states, (rows, columns, parameters)."""
    out = np.zeros((len(x), len(columns), len(names)))
    if all(name in model.variables for name in columns):
        return out
    for i in range(len(names)):
        h = STEP * (1.0 + abs(values[i]))
        sides = []
        for move in (h, -h):
            moved = values.copy()
            moved[i] += move
            other = model.with_parameters(**dict(zip(names, moved.tolist(), strict=True)))
            sides.append(measured(other, x, columns))
        out[..., i] = (sides[0] - sides[1]) / (2.0 * h)
    return out
