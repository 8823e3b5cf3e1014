"""Motions with stops by other means: DOP853 of SciPy with events, restitution and held contacts done by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

import bough
from support.transforms import Array

SLOW = 1e-5  # what approaches more slowly does not bounce: a row of bounces has an end


def with_stops(
    model: bough.Model, q: Array, v: Array, duration: float, bounds: tuple[int, float, float], e: float
) -> Array:
    """(q, v) at the end: variable `bounds[0]` of a model without contacts stays between two bounds."""
    which, lower, upper = bounds
    J = np.zeros(model.nq)
    J[which] = 1.0
    t, y, held = 0.0, np.concatenate([q, v]), 0.0

    def free(y: Array) -> Array:
        return np.asarray(model.acceleration(y[: model.nq], y[model.nq :]))

    def force(y: Array) -> float:
        compliance = np.linalg.inv(model.mass_matrix(y[: model.nq]))[which, which]
        return float(-free(y)[which] / compliance)

    def rates(t: float, y: Array) -> Array:
        a = free(y)
        if held:
            a = a + np.linalg.solve(model.mass_matrix(y[: model.nq]), J * force(y))
        return np.concatenate([y[model.nq :], a])

    while t < duration - 1e-12:
        events: list[Callable[[float, Array], float]] = (
            [lambda t, y, side=held: side * force(y)]
            if held
            else [lambda t, y: y[which] - lower, lambda t, y: upper - y[which]]
        )
        for event in events:
            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        part = solve_ivp(rates, (t, duration), y, "DOP853", rtol=1e-12, atol=1e-13, events=events)
        t, y = float(part.t[-1]), part.y[:, -1].copy()
        if part.status != 1:
            break
        if held:
            held = 0.0
            continue
        M = model.mass_matrix(y[: model.nq])
        side = 1.0 if len(part.t_events[0]) else -1.0
        U = y[model.nq + which]
        bounce = e if abs(U) > SLOW else 0.0
        y[model.nq :] += np.linalg.solve(M, J) * (-(1.0 + bounce) * U / np.linalg.inv(M)[which, which])
        if bounce == 0.0:
            y[model.nq + which] = 0.0
            held = side if side * force(y) > 0.0 else 0.0
    return y
