"""All formulations converge with order one to the same motion, on trees, loops and spinning bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.formulations import CASES, Case, error

DURATION = 0.5
STEPS = (2e-3, 1e-3, 5e-4)
METHODS: dict[str, dict[str, Any]] = {
    "velocity": {"integrator": "velocity"},
    "velocity, projected": {"integrator": "velocity", "stabilization": "projection"},
    "velocity, gyroscopic term implicit": {"integrator": "velocity", "gyroscopic": "implicit"},
    "penalty-explicit": {"integrator": "penalty-explicit"},
    "penalty-implicit": {"integrator": "penalty-implicit"},
}


@pytest.fixture(scope="module")
def cases() -> dict[str, tuple[Case, bough.Trajectory]]:
    made = {name: make() for name, make in CASES.items()}
    return {
        name: (
            case,
            bough.simulate(case.model, case.q, case.v, duration=DURATION, dt=0.1, integrator="dop853"),
        )
        for name, case in made.items()
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CASES)
def test_order(cases: dict[str, tuple[Case, bough.Trajectory]], name: str, method: str) -> None:
    case, reference = cases[name]
    # soft springs add an error of second order, which is out of the way at shorter steps
    steps = np.array(STEPS) / 8.0 if method == "penalty-explicit" else STEPS
    runs = [
        bough.simulate(case.model, case.q, case.v, duration=DURATION, dt=dt, **METHODS[method])
        for dt in steps
    ]
    errors = np.array([error(case, run, reference) for run in runs])
    orders = np.log2(errors[:-1] / errors[1:])
    assert np.all((orders > 0.9) & (orders < 1.15)), orders


@pytest.mark.parametrize("method", METHODS)
def test_drift_is_of_second_order(cases: dict[str, tuple[Case, bough.Trajectory]], method: str) -> None:
    case, _ = cases["double pendulum"]
    drift = [
        bough.simulate(case.model, case.q, case.v, duration=DURATION, dt=dt, **METHODS[method])
        .bodies.drift[..., 0]
        .max()
        for dt in STEPS
    ]
    if method == "velocity, projected":
        assert max(drift) < 1e-12
    else:
        orders = np.log2(np.array(drift[:-1]) / drift[1:])
        assert np.all((orders > 1.8) & (orders < 2.2)), orders


def test_constraint_forces_converge(cases: dict[str, tuple[Case, bough.Trajectory]]) -> None:
    case, reference = cases["closed chain"]
    for stabilization in (None, "projection"):
        errors = []
        for dt in STEPS:
            run = bough.simulate(
                case.model,
                case.q,
                case.v,
                duration=DURATION,
                dt=dt,
                integrator="velocity",
                stabilization=stabilization,
            )
            errors.append(np.abs(run.lam[-1] - reference.lam[-1]).max() / np.abs(reference.lam[-1]).max())
        assert errors[-1] < 0.02
        assert 1.6 < errors[-2] / errors[-1] < 2.4


def test_implicit_gyroscopic_term_loses_energy_where_the_explicit_one_gains_it() -> None:
    """A free body without torques, spun about no principal axis: its energy is constant."""
    system = bough.System("spun", gravity=(0, 0, 0))
    system.world.free("b", name="b", mass=1.0, inertia=(1.0, 2.0, 3.0))
    model = system.build()
    v = model.configuration({"b_rx": 2.0, "b_ry": 3.0, "b_rz": 1.0})
    change = {}
    for term in ("explicit", "implicit"):
        run = bough.simulate(model, v=v, duration=1.0, dt=0.01, integrator="velocity", gyroscopic=term)
        change[term] = run.energy()[-1] / run.energy()[0] - 1.0
    assert 1e-3 < change["explicit"] < 0.2
    assert -0.2 < change["implicit"] < -1e-3
