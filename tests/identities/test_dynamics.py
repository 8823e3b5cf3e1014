"""Identities of mechanics that tie different algorithms of the core to each other."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import SEEDS, Case, case
from support.compare import compare
from support.finite_difference import assert_derivative

# Both sides of an identity are sums of some hundred rounded terms of the given scale.
ROUNDING = 1e-13
# Along a curve q + v t + a t^2/2 a step in t has to be small to stay near the state.
STEP = 0.02


@pytest.fixture(params=SEEDS)
def c(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


def test_kinetic_energy_is_half_v_M_v(c: Case) -> None:
    M = c.model.mass_matrix(c.q)
    compare(0.5 * c.v @ M @ c.v, c.model.kinetic_energy(c.q, c.v), rtol=ROUNDING, scale=c.energy)


def test_mass_matrix_is_L_dvdv_symmetric_positive_definite(c: Case) -> None:
    M = c.model.mass_matrix(c.q)
    compare(c.model.L_dvdv(c.q, c.v), M, rtol=ROUNDING)
    assert np.array_equal(M, M.T)
    np.linalg.cholesky(M)


def test_L_dqdq_is_symmetric(c: Case) -> None:
    H = c.model.L_dqdq(c.q, c.v)
    compare(H, H.T, rtol=ROUNDING, scale=c.energy)


def test_momentum_is_M_v(c: Case) -> None:
    compare(
        c.model.momentum(c.q, c.v), c.model.mass_matrix(c.q) @ c.v, rtol=ROUNDING, scale=c.momentum * c.nq
    )


def test_inverse_dynamics_is_euler_lagrange(c: Case) -> None:
    """d/dt L_dv - L_dq, expanded ([JM09] eq. 28)."""
    model, q, v, a = c.model, c.q, c.v, c.a
    expected = model.mass_matrix(q) @ a + model.L_dqdv(q, v).T @ v - model.L_dq(q, v)
    compare(model.inverse_dynamics(q, v, a), expected, rtol=ROUNDING, scale=c.force * c.nq)


def test_bias_is_what_inverse_dynamics_adds_to_M_a(c: Case) -> None:
    model, q, v, a = c.model, c.q, c.v, c.a
    assert np.array_equal(model.bias(q, v), model.inverse_dynamics(q, v, np.zeros(c.nq)))
    expected = model.mass_matrix(q) @ a + model.bias(q, v)
    compare(model.inverse_dynamics(q, v, a), expected, rtol=ROUNDING, scale=c.force * c.nq)
    batch = model.bias(np.stack([q, -q]), v)
    assert np.array_equal(batch[0], model.bias(q, v))


def test_forward_undoes_inverse(c: Case) -> None:
    tau = c.model.inverse_dynamics(c.q, c.v, c.a)
    a = c.model.acceleration(c.q, c.v, force=tau, ak=c.a[c.nd :])
    compare(a, c.a, rtol=ROUNDING * c.condition, scale=c.force / c.inertia)


def test_inverse_undoes_forward(c: Case) -> None:
    """The residual force is at round-off: the O(n) solve is as good as a backward stable one."""
    a = c.model.acceleration(c.q, c.v, force=c.u)
    tau = c.model.inverse_dynamics(c.q, c.v, a)
    scale = c.force + c.inertia * np.max(np.abs(a))
    compare(tau[: c.nd], c.u[: c.nd], rtol=10.0 * ROUNDING, scale=scale)
    assert np.array_equal(a[c.nd :], np.zeros(c.nq - c.nd))


def test_no_input_means_no_force(c: Case) -> None:
    none = c.model.acceleration(c.q, c.v)
    assert np.array_equal(none, c.model.acceleration(c.q, c.v, force=np.zeros(c.nq)))
    assert np.array_equal(none, c.model.acceleration(c.q, c.v, force={}, ak={}))


def test_forces_on_kinematic_variables_change_nothing(c: Case) -> None:
    on_all, on_dynamic = c.u, np.where(np.arange(c.nq) < c.nd, c.u, 0.0)
    accelerations = [c.model.acceleration(c.q, c.v, force=f, ak=c.a[c.nd :]) for f in (on_all, on_dynamic)]
    assert np.array_equal(*accelerations)


def test_power_is_the_rate_of_energy(c: Case) -> None:
    """Along a curve with velocity v and acceleration a the energy changes by tau . v."""
    tau = c.model.inverse_dynamics(c.q, c.v, c.a)

    def energy(t: np.ndarray) -> float:
        return c.model.energy(c.q + c.v * t + 0.5 * c.a * t**2, c.v + c.a * t)

    assert_derivative(energy, [tau @ c.v], [0.0], step=STEP, what="dE/dt")


def test_mass_matrix_rate_minus_twice_coriolis_is_skew(c: Case) -> None:
    """C(v) w from the inverse dynamics by polarisation (Christoffel form), dM/dt by differences along v."""
    model, q, v = c.model, c.q, c.v
    zero = np.zeros(c.nq)
    weight = model.inverse_dynamics(q, zero, zero)

    def quadratic(w: np.ndarray) -> np.ndarray:
        return model.inverse_dynamics(q, w, zero) - weight

    C = np.array([0.5 * (quadratic(v + e) - quadratic(v) - quadratic(e)) for e in np.eye(c.nq)]).T
    C_transpose_sum = C + C.T  # dM/dt - 2C is skew exactly when dM/dt = C + C^T
    assert_derivative(
        lambda t: model.mass_matrix(q + v * t), C_transpose_sum[None], [0.0], step=STEP, what="dM/dt"
    )


def test_gravity_enters_only_where_it_should(c: Case) -> None:
    """The velocity-dependent bias is even in v; the rest is the gradient of the potential."""
    model, q, v = c.model, c.q, c.v
    zero = np.zeros(c.nq)
    ahead, back = model.inverse_dynamics(q, v, zero), model.inverse_dynamics(q, -v, zero)
    compare(ahead, back, rtol=ROUNDING, scale=c.force)
    compare(model.inverse_dynamics(q, zero, zero), -model.L_dq(q, zero), rtol=ROUNDING, scale=c.force)
