"""Total mass, centre of mass and the total momenta: what Newton and Euler say of the system as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import SEEDS, Case, case
from support.compare import compare
from support.finite_difference import assert_derivative

# Along a curve q + v t + a t^2/2 a step in t has to be small to stay near the state.
STEP = 0.02
ALL_DYNAMIC = {"kinematic": False, "floating": True}


@pytest.fixture(params=SEEDS)
def c(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


@pytest.fixture(params=SEEDS)
def floating(request: pytest.FixtureRequest) -> Case:
    return case(request.param, joints=3, **ALL_DYNAMIC)


def test_linear_momentum_is_mass_times_velocity_of_the_centre(c: Case) -> None:
    P = c.model.linear_momentum(c.q, c.v)
    m = c.model.total_mass
    assert_derivative(
        lambda t: m * c.model.center_of_mass(c.q + c.v * t), P[None], [0.0], step=STEP, what="m d(com)/dt"
    )


def test_potential_energy_is_that_of_the_centre(c: Case) -> None:
    expected = -c.model.total_mass * c.model.center_of_mass(c.q) @ c.flat["gravity"]
    compare(c.model.potential_energy(c.q), expected, rtol=1e-13, scale=c.energy)


def along(c: Case, a: np.ndarray, quantity: str) -> object:
    """The quantity along a curve through the state with acceleration a."""
    return lambda t: getattr(c.model, quantity)(c.q + c.v * t + 0.5 * a * t**2, c.v + a * t)


def residual(c: Case, a: np.ndarray) -> float:
    """The forces a computed acceleration leaves unbalanced (see test_inverse_undoes_forward)."""
    return 1e-12 * c.length * (c.force + c.inertia * float(np.max(np.abs(a))))


def test_free_motion_keeps_both_momenta(floating: Case) -> None:
    """Nothing holds the tree: gravity alone changes its momenta, by m g and com x m g."""
    c = floating
    a = c.model.acceleration(c.q, c.v)
    weight = c.model.total_mass * c.flat["gravity"]
    moment = np.cross(c.model.center_of_mass(c.q), weight)
    assert_derivative(
        along(c, a, "linear_momentum"), weight[None], [0.0], step=STEP, df_error=residual(c, a), what="dP/dt"
    )
    assert_derivative(
        along(c, a, "angular_momentum"), moment[None], [0.0], step=STEP, df_error=residual(c, a), what="dL/dt"
    )


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_free_motion_without_gravity(seed: int) -> None:
    c = case(seed, joints=5, gravity=False, **ALL_DYNAMIC)
    assert not np.any(c.flat["gravity"])
    assert c.model.potential_energy(c.q) == 0.0
    a = c.model.acceleration(c.q, c.v)
    for quantity in ("linear_momentum", "angular_momentum"):
        assert_derivative(
            along(c, a, quantity),
            np.zeros((1, 3)),
            [0.0],
            step=STEP,
            df_error=residual(c, a),
            what=quantity,
        )


def test_force_on_the_base_is_the_rate_of_linear_momentum(floating: Case) -> None:
    """The base moves by tx, ty, tz first: their generalised forces are the total force on the tree."""
    c = floating
    tau = c.model.inverse_dynamics(c.q, c.v, c.a)
    base = [c.variables.index(f"base_t{axis}") for axis in "xyz"]
    total = tau[base] + c.model.total_mass * c.flat["gravity"]
    assert_derivative(along(c, c.a, "linear_momentum"), total[None], [0.0], step=STEP, what="dP/dt")


def test_momenta_are_linear_in_v(c: Case) -> None:
    for quantity in ("linear_momentum", "angular_momentum"):
        function = getattr(c.model, quantity)
        columns = np.array([function(c.q, e) for e in np.eye(c.nq)])
        scale = c.nq * c.model.total_mass * c.speed * c.length
        compare(c.v @ columns, function(c.q, c.v), rtol=1e-13, scale=scale, what=quantity)
