"""The first steps in maximal coordinates have the acceleration of the generalised ones, on random systems.

Velocities are those that the joints allow where a step began, so that the turning of the joints (the Coriolis
and centrifugal terms) shows in the second step: (v2 - v1) / dt is the acceleration up to a term of order dt,
which extrapolation from dt and dt / 2 removes. With projection the first step has it already.
"""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.random_systems import Moving, random_system
from support.transforms import Array

DT = 2e-4


def measured(moving: Moving, v: Array, dt: float, stabilization: str | None) -> tuple[Array, Array]:
    """Accelerations of the dynamic variables, and constraint forces."""
    model = moving.model
    engine = bough.MaximalEngine(model, dt=dt, stabilization=stabilization, beta=0.0)
    states = [engine.start(moving.q, v)]
    for n in (1, 2):
        states.append(engine.step(u=moving.u, k=moving.k(n * dt) if model.nk else None))
    begin, end = states[:2] if stabilization else states[1:]
    assert end.lam is not None
    return (end.v - begin.v)[: model.nd] / dt, end.lam


@pytest.mark.parametrize("stabilization", [None, "projection"])
@pytest.mark.parametrize("constraints", [0, 2])
@pytest.mark.parametrize("seed", range(12))
def test_acceleration(seed: int, constraints: int, stabilization: str | None) -> None:
    moving = random_system(seed, 7, constraints=constraints)
    model = moving.model
    nd = model.nd
    v = model.velocity(moving.q, model.momentum(moving.q, moving.v)[:nd], moving.v[nd:])
    a, lam = model.acceleration_and_multipliers(moving.q, v, moving.u, ak=moving.ak(0.0))
    (long_a, long_lam), (short_a, short_lam) = (measured(moving, v, dt, stabilization) for dt in (DT, DT / 2))
    size, force = max(1.0, np.abs(a).max()), max(1.0, np.abs(lam).max(initial=0.0))
    assert np.abs(2.0 * short_a - long_a - a[:nd]).max() < 1e-4 * size
    assert np.abs(2.0 * short_lam - long_lam - lam).max(initial=0.0) < 1e-4 * force
