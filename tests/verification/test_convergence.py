"""Order of convergence, and agreement with the continuous dynamics as dt goes to zero.

The truth is DOP853 on the model's accelerations: another discretisation of the same system, at 1e-12.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import bough
from support.random_systems import Moving, random_system, with_all_transforms
from support.transforms import Array

DURATION = 0.4
JOINTS = 9
SEED = 40

# All seven kinds of moving transform, shared variables and kinematic ones in each; what acts on them differs.
SYSTEMS: dict[str, dict[str, Any]] = {
    "tree": {"springs": False, "damping": False, "inputs": False},
    "springs and damping": {},
    "constraints": {"constraints": 3, "driven_length": True},
}
RULES = [("midpoint", 0.5, 2), ("midpoint", 0.3, 1), ("midpoint", 1.0, 1), ("trapezoidal", None, 2)]

# Between dt and dt / 2 the next power of dt changes the slope by some dt / (time scale of the motion), which
# at the smallest dt is a percent.
SLOPE = 0.03


@cache
def system(kind: str, seed: int) -> Moving:
    return random_system(with_all_transforms(seed, JOINTS), JOINTS, **SYSTEMS[kind])


@cache
def truth(kind: str, seed: int) -> bough.Trajectory:
    """Start, middle and end; the kinematic variables follow a spline through nodes 1 ms apart."""
    moving = system(kind, seed)
    return bough.simulate(
        moving.model,
        **moving.start,
        duration=DURATION,
        dt=0.001,
        every=200,
        integrator="dop853",
        rtol=1e-12,
        atol=1e-13,
    )


def found(
    kind: str, seed: int, method: str, alpha: float | None, counts: tuple[int, ...]
) -> list[bough.Trajectory]:
    """Start, middle and end with several numbers of steps."""
    moving = system(kind, seed)
    return [
        bough.simulate(
            moving.model,
            **moving.start,
            duration=DURATION,
            dt=DURATION / count,
            every=count // 2,
            integrator=method,
            alpha=alpha,
        )
        for count in counts
    ]


def slopes(values: list[Array], exact: Array) -> Array:
    errors = np.array([np.linalg.norm(value - exact) for value in values])
    return np.log2(errors[:-1] / errors[1:])


def check_order(kind: str, seed: int, method: str, alpha: float | None, order: int) -> None:
    runs = found(kind, seed, method, alpha, (40, 80, 160) if order == 2 else (160, 320, 640))
    exact = truth(kind, seed)
    for what in ("q", "v"):
        measured = slopes([getattr(run, what)[-1] for run in runs], getattr(exact, what)[-1])
        assert abs(measured[-1] - order) < SLOPE, f"{what}: slopes {measured}"
    if runs[0].model.nc:
        _, lam = exact.model.acceleration_and_multipliers(
            exact.q[1], exact.v[1], exact.u[1], ak=system(kind, seed).ak(exact.t[1])
        )
        measured = slopes([run.lam[1] for run in runs], lam)
        assert measured[-1] > order - SLOPE, f"lam: slopes {measured}"


def check_limit(kind: str, seed: int, method: str) -> None:
    """Both rules are symmetric, their errors even in dt: two extrapolations leave dt^6, here round-off."""
    runs, exact = found(kind, seed, method, None, (160, 320, 640)), truth(kind, seed)
    a, b, c = (run.q[-1] for run in runs)
    limit = (64.0 * c - 20.0 * b + a) / 45.0
    # DOP853 keeps 1e-12 a step, some hundred steps; the runs keep 1e-12 of the momenta a step
    np.testing.assert_allclose(limit, exact.q[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize(("method", "alpha", "order"), RULES)
def test_order(kind: str, method: str, alpha: float | None, order: int) -> None:
    check_order(kind, SEED, method, alpha, order)


@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize("method", ["midpoint", "trapezoidal"])
def test_limit_is_the_continuous_motion(kind: str, method: str) -> None:
    check_limit(kind, SEED, method)


def test_variable_step_sizes_keep_the_order() -> None:
    """Steps of a smoothly varying size: the error is of second order in the mean size."""
    moving, exact = system("springs and damping", SEED), truth("springs and damping", SEED)
    nd, ends = moving.model.nd, []
    for count in (40, 80, 160):
        t = np.linspace(0.0, 1.0, count + 1)
        t = DURATION * (t + 0.1 * np.sin(2.0 * np.pi * t))  # sizes from 0.37 to 1.63 of the mean
        vi = bough.MidpointVI(moving.model, 0.01)
        state = vi.start(moving.q, moving.v)
        for now, then in pairwise(t):
            state = vi.step(state, u=moving.u, k=moving.k(then), dt=then - now)
        assert state.t == pytest.approx(DURATION, abs=1e-14)
        ends.append(state.q[:nd])
    assert abs(slopes(ends, exact.q[-1][:nd])[-1] - 2.0) < SLOPE


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(100, 1100, 100))
@pytest.mark.parametrize("kind", SYSTEMS)
def test_many_orders(kind: str, seed: int) -> None:
    for method, alpha, order in RULES:
        check_order(kind, seed, method, alpha, order)
    for method in ("midpoint", "trapezoidal"):
        check_limit(kind, seed, method)
