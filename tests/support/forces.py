"""What the tests of force elements share: derivatives on random trees, and the balance of work and energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

import bough
from support.finite_difference import assert_derivative
from support.random_trees import random_state, random_tree
from support.transforms import Array

SEEDS = range(6)


def tree(seed: int, **options: Any) -> tuple[bough.System, list[str]]:
    """A random system, kinematic and shared variables included, and its frames that move, deepest first."""
    grown = random_tree(seed, **{"joints": 6, **options})
    names = []
    for n in range(len(grown.nodes) - 1, -1, -1):
        above = n
        while above >= 0 and not isinstance(grown.nodes[above].parameter, str):
            above = grown.nodes[above].parent
        if above >= 0:
            names.append(f"n{n}")
    return grown.system(), names


def assert_force_derivatives(system: bough.System, seed: int, u: Any = None, **state: Array) -> None:
    """df/dq and df/dv of all forces of a system against differences, at a random state."""
    model = system.build()
    q, v, _ = random_state(model.nq, seed)
    q, v = state.get("q", q), state.get("v", v)
    assert_derivative(
        lambda x: model.generalized_force(x, v, u),
        np.swapaxes(model.generalized_force_dq(q, v, u), -1, -2),
        q,
        step=0.02,
        what="df/dq",
    )
    assert_derivative(
        lambda x: model.generalized_force(q, x, u),
        np.swapaxes(model.generalized_force_dv(q, v, u), -1, -2),
        v,
        step=0.02,
        what="df/dv",
    )


def assert_work_balance(
    system: bough.System,
    power: Callable[[bough.Model, Array, Array], Any],
    seed: int,
    u: Any = None,
    duration: float = 1.0,
) -> None:
    """The work of the forces along a motion of the continuous dynamics is the change of energy.

    `power` is that of the forces at (model, q, v), found without their generalised forces. The system has no
    kinematic variables: what moves them would do work as well.
    """
    model = system.build()
    assert model.nk == 0
    q, v, _ = random_state(model.nq, seed)
    run = bough.simulate(
        model, 0.4 * q, 0.4 * v, u=u, duration=duration, dt=0.005, integrator="dop853", rtol=1e-12, atol=1e-13
    )
    rate = np.array([float(power(model, q, v)) for q, v in zip(run.q, run.v, strict=True)])
    work = make_interp_spline(run.t, rate, k=5).antiderivative()(run.t)
    gained = run.energy() - run.energy()[0]
    scale = np.abs(rate).max() * duration
    assert scale > 0.01
    size = np.abs(model.kinetic_energy(run.q, run.v)).max() + np.abs(model.potential_energy(run.q)).max()
    np.testing.assert_allclose(gained, work, rtol=0, atol=1e-8 * scale + 1e-10 * size)
