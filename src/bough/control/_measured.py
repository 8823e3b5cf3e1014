"""Measured columns of many states at once, and their derivatives by state and by parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bough.arguments import Array
from bough.control._measurement import position_dq
from bough.control._velocity import velocities
from bough.errors import ModelError
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
    if all(name in model.variables for name in columns):
        return np.zeros((len(x), len(columns), len(names)))
    return by_parameters(model, names, values, STEP, lambda other: measured(other, x, columns))


def by_parameters(
    model: Model, names: Sequence[str], values: Array, step: float, of: Callable[[Model], Array]
) -> Array:
    """Differences of a function of the model by parameters, in a last axis; one-sided where it takes one side only."""

    def at(i: int, move: float) -> Array | None:
        moved = values.copy()
        moved[i] += move
        try:
            return of(model.with_parameters(**dict(zip(names, moved.tolist(), strict=True))))
        except ModelError:
            return None

    columns, here = [], of(model.with_parameters(**dict(zip(names, values.tolist(), strict=True))))
    for i in range(len(names)):
        h = step * (1.0 + abs(values[i]))
        above, below = at(i, h), at(i, -h)
        if above is not None and below is not None:
            columns.append((above - below) / (2.0 * h))
            continue
        side = h if above is not None else -h
        one, two = at(i, side), at(i, 2.0 * side)
        if one is None or two is None:
            raise ModelError(
                asked=f"the derivative by parameter {names[i]!r} of model {model.name!r}",
                found=f"values on either side of {values[i]:.6g} that the model refuses",
                do="give bounds that keep away from such values",
            )
        columns.append((4.0 * one - 3.0 * here - two) / (2.0 * side))
    return np.stack(columns, axis=-1)
