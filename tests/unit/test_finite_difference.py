"""The finite-difference helper: accurate, honest about its error, and able to fail."""

from __future__ import annotations

import numpy as np
import pytest

from support.finite_difference import assert_derivative, derivative, slope, slopes


def wave(x: np.ndarray) -> np.ndarray:
    return np.array([[np.sin(2.0 * x[0]) * x[1], np.exp(x[1])], [x[0] ** 3, 1.0]])


def wave_dx(x: np.ndarray) -> np.ndarray:
    return np.array(
        [
            [[2.0 * np.cos(2.0 * x[0]) * x[1], 0.0], [3.0 * x[0] ** 2, 0.0]],
            [[np.sin(2.0 * x[0]), np.exp(x[1])], [0.0, 0.0]],
        ]
    )


AT = np.array([0.3, -0.8])


def test_error_is_small_and_covers_the_truth() -> None:
    value, error = derivative(wave, AT)
    assert np.all(np.abs(value - wave_dx(AT)) <= error)
    assert np.max(error) < 1e-9


def test_accepts_the_derivative_as_array_or_function() -> None:
    assert_derivative(wave, wave_dx, AT)
    assert_derivative(wave, wave_dx(AT), AT)


@pytest.mark.parametrize("entry", [(0, 0, 0), (0, 1, 1), (1, 0, 1)])
def test_finds_one_wrong_entry(entry: tuple[int, ...]) -> None:
    wrong = wave_dx(AT)
    wrong[entry] += 1e-8
    with pytest.raises(AssertionError, match="is wrong at"):
        assert_derivative(wave, wrong, AT)


def test_refuses_nan_and_wrong_shape() -> None:
    wrong = wave_dx(AT)
    wrong[0, 0, 0] = np.nan
    with pytest.raises(AssertionError, match="is wrong at"):
        assert_derivative(wave, wrong, AT)
    with pytest.raises(AssertionError, match="shape"):
        assert_derivative(wave, wave_dx(AT)[0], AT)


def test_refuses_to_judge_what_it_cannot_resolve() -> None:
    with pytest.raises(AssertionError, match="only known to"):
        assert_derivative(lambda x: np.sin(200.0 * x), np.diag(200.0 * np.cos(200.0 * AT)), AT)


@pytest.mark.parametrize("one_sided", [False, True])
def test_slopes_are_of_fourth_order(one_sided: bool) -> None:
    """The error is -h^4 f^(5)/30, from one side -h^4 f^(5)/5, to the next power of h."""

    def f(s: float) -> np.ndarray:
        return np.array([np.exp(s), np.sin(2.0 * s)])

    fifth, h = np.array([1.0, 32.0]), 0.02
    off = slope(f, h, one_sided=one_sided) - [1.0, 2.0]
    expected = -fifth * h**4 / (5.0 if one_sided else 30.0)
    assert np.abs(off - expected).max() < 8.0 * h * np.abs(expected).max()
    by_name = slopes(lambda s: {"both": f(s), "one": f(s)[:1]}, h, one_sided=one_sided)
    assert np.array_equal(by_name["both"] - [1.0, 2.0], off)
    assert by_name["one"].shape == (1,)
