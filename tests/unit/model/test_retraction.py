"""The exponential and the Cayley map against matrix functions, finite differences and each other."""

import numpy as np
import pytest
from scipy.linalg import expm

import bough
from support.finite_difference import assert_derivative
from support.transforms import adjoint, hat

KINDS = ("cayley", "exp")
SIZES = (1e-9, 1e-5, 1e-2, 0.3, 0.999, 1.001, 2.0, 3.0, np.pi - 1e-6)


def twists(size, seed=0):
    x = np.random.default_rng(seed).normal(size=(4, 6))
    x[:, :3] *= size / np.linalg.norm(x[:, :3], axis=1, keepdims=True)
    return x


@pytest.mark.parametrize("size", SIZES)
def test_values_are_those_of_the_matrix_functions(size):
    for x in twists(size):
        X = hat(x)
        np.testing.assert_allclose(bough.Retraction("exp")(x), expm(X), atol=2e-15 * 10)
        cayley = np.linalg.solve(np.eye(4) - X / 2, np.eye(4) + X / 2)
        np.testing.assert_allclose(bough.Retraction("cayley")(x), cayley, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_the_inverse_map_gives_the_twist_back(kind, size):
    tau, x = bough.Retraction(kind), twists(size)
    # Round-off of the pose is magnified by the Cayley map's derivative, 1 + |w|²/4, at no size here above 4.
    np.testing.assert_allclose(tau.inverse(tau(x)), x, atol=2e-14)
    np.testing.assert_allclose(tau(-x) @ tau(x), np.broadcast_to(np.eye(4), (4, 4, 4)), atol=1e-14)


def test_logarithm_of_half_turns():
    tau = bough.Retraction("exp")
    for axis in np.vstack([np.eye(3), -np.eye(3), twists(1.0)[:, :3]]):
        for angle in (np.pi, np.pi - 1e-9, np.pi - 1e-14):
            x = np.r_[angle * axis, 0.3, -2.0, 0.7]
            found = tau.inverse(tau(x))
            if found[:3] @ axis < 0:  # the same half turn about the opposite axis
                found[:3], x[:3] = -found[:3], x[:3]
            np.testing.assert_allclose(found[:3], x[:3], atol=1e-14)
            np.testing.assert_allclose(tau(tau.inverse(tau(x))), tau(x), atol=1e-14)


def test_cayley_close_to_a_half_turn():
    tau = bough.Retraction("cayley")
    x = np.r_[2e6 * np.array([0.6, 0.0, 0.8]), 0.3, -2.0, 0.7]  # pi less 2e-6
    np.testing.assert_allclose(tau.inverse(tau(x))[:3], x[:3], rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_derivatives(kind, size):
    tau = bough.Retraction(kind)
    for x, y in zip(twists(size), twists(1.0, seed=5), strict=True):
        moved = np.stack([hat(column) @ tau(x) for column in tau.d(x).T])  # (Y1)
        assert_derivative(tau, moved, x)
        np.testing.assert_allclose(tau.d(x) @ tau.d_inverse(x), np.eye(6), atol=2e-13)
        for quantity, change in ((tau.d, tau.dd), (tau.d_inverse, tau.dd_inverse)):
            assert_derivative(
                lambda e, f=quantity, x=x, y=y: f(x + e * y), change(x, y)[None], [0.0], step=0.05
            )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_inverse_derivatives_at_x_and_minus_x(kind, size):
    """(Y2): dtau_x^-1 Ad(tau(x)) = dtau_-x^-1."""
    tau = bough.Retraction(kind)
    for x in twists(size):
        np.testing.assert_allclose(tau.d_inverse(x) @ adjoint(tau(x)), tau.d_inverse(-x), atol=3e-14)


def test_series_and_closed_forms_meet():
    """The exponential's coefficients change from series to closed form at |w| = 1."""
    tau = bough.Retraction("exp")
    axis, rest = np.array([0.48, -0.6, 0.64]), np.array([0.3, -1.0, 0.2])
    below, above = (np.r_[(1 + e) * axis, rest] for e in (-1e-15, 1e-15))
    y = np.r_[0.2, 0.5, -0.3, 1.0, 0.4, -0.7]
    for quantity in (tau, tau.d, tau.d_inverse, lambda x: tau.dd(x, y), lambda x: tau.dd_inverse(x, y)):
        np.testing.assert_allclose(quantity(below), quantity(above), atol=2e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_rotations_alone(kind):
    tau, w = bough.Retraction(kind), np.array([[0.3, -0.5, 0.9], [1.0, 0.1, 0.0]])
    full = np.concatenate([w, np.zeros((2, 3))], axis=1)
    np.testing.assert_array_equal(tau(w), tau(full)[:, :3, :3])
    np.testing.assert_allclose(tau.inverse(tau(w)), w, atol=1e-15)
    np.testing.assert_array_equal(tau.d(w), tau.d(full)[:, :3, :3])
    np.testing.assert_array_equal(tau.dd_inverse(w, w[::-1]), tau.dd_inverse(full, full[::-1])[:, :3, :3])


def test_messages():
    with pytest.raises(bough.ModelError) as error:
        bough.Retraction("caley")
    assert str(error.value) == (
        "retraction 'caley' in tau\n  found: no retraction has this name; the nearest is 'cayley'\n"
        "  do: correct the spelling"
    )
    with pytest.raises(bough.ModelError) as error:
        bough.Retraction("exp")([1.0, 2.0])
    assert str(error.value) == (
        "x of a retraction\n  found: shape (2,)\n"
        "  do: give twists of shape (..., 6), or angular velocities of shape (..., 3)"
    )
    with pytest.raises(bough.ModelError) as error:
        bough.Retraction("exp").inverse(np.eye(2))
    assert str(error.value) == (
        "g of a retraction\n  found: shape (2, 2)\n"
        "  do: give poses of shape (..., 4, 4), or rotations of shape (..., 3, 3)"
    )
