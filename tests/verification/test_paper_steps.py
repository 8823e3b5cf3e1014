"""Steps of the core are those of the papers' discrete equations, solved slowly and independently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.compare import compare
from support.paper_step import PaperStep
from support.random_systems import Moving, random_system

RULES = [("midpoint", 0.5), ("midpoint", 0.3), ("midpoint", 1.0), ("trapezoidal", 0.5)]

# The core solves to 1e-12 of the momenta, the reference to round-off of a residual of a few hundred terms;
# the difference of configurations is that divided by mass / dt, of velocities and momenta that over dt.
AGREEMENT = 1e-10

SYSTEMS: dict[str, dict[str, Any]] = {
    "bare tree": {"springs": False, "damping": False, "inputs": False, "shared": False},
    "joint springs": {"shared": False, "kinematic": False},
    "shared variables": {},
    "constraints": {"constraints": 2, "shared": False},
    "everything": {"constraints": 3, "driven_length": True},
}


def integrator(moving: Moving, method: str, alpha: float, dt: float) -> Any:
    if method == "midpoint":
        return bough.MidpointVI(moving.model, dt, alpha, tolerance=1e-12)
    return bough.TrapezoidalVI(moving.model, dt, tolerance=1e-12)


def check_steps(moving: Moving, method: str, alpha: float, sizes: list[float]) -> None:
    vi = integrator(moving, method, alpha, sizes[0])
    reference = PaperStep(moving.system, method, alpha)
    nd, nc = moving.model.nd, moving.model.nc
    state = vi.start(moving.q, moving.v)
    q, p = state.q.copy(), state.p.copy()
    before = 0.0
    for n, dt in enumerate(sizes):
        k1 = moving.k(state.t + dt)
        guess = (state.q + dt * state.v)[:nd]
        state = vi.step(state, u=moving.u, k=k1, dt=dt)
        q, p, mu = reference.step(q, p, dt, k1, moving.u, guess)
        what = f"step {n}"
        compare(state.q, q, rtol=AGREEMENT, scale=max(1.0, float(np.max(np.abs(q)))), what=f"q of {what}")
        compare(state.p, p, rtol=AGREEMENT, scale=max(1.0, float(np.max(np.abs(p)))), what=f"p of {what}")
        if nc:
            # the force is the impulse over the time the node stands for
            force = -mu / (0.5 * (before + dt))
            size = max(1.0, float(np.max(np.abs(force))))
            compare(state.lam, force, rtol=AGREEMENT / dt, scale=size, what=f"lam of {what}")
            residual = np.abs(reference.constraints(state.q)[0])
            assert np.all(residual <= 1e-12 * moving.model.constraint_scale(state.q))
        before = dt


@pytest.mark.parametrize(("method", "alpha"), RULES)
@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize("seed", [4])
def test_steps(seed: int, kind: str, method: str, alpha: float) -> None:
    check_steps(random_system(seed, 7, **SYSTEMS[kind]), method, alpha, [0.02, 0.02, 0.013])


@pytest.mark.verify
@pytest.mark.parametrize(("method", "alpha"), RULES)
@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_steps(seed: int, kind: str, method: str, alpha: float) -> None:
    sizes = list(np.random.default_rng(seed).uniform(0.004, 0.03, 8))
    check_steps(random_system(seed, 6 + seed % 3, **SYSTEMS[kind]), method, alpha, sizes)
