"""Functions of one number: values, derivatives, forms, and what they refuse."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, CubicSpline, PchipInterpolator, make_interp_spline

from bough import PiecewisePolynomial, Sinusoid
from bough.description.functions import Function, function_from_dict
from support.finite_difference import assert_derivative
from support.messages import Case, check_message

X = np.array([0.0, 0.5, 1.5, 2.0, 3.0])
Y = np.array([1.0, 2.0, 0.0, -1.0, 1.0])


@pytest.mark.parametrize(
    "function",
    [Sinusoid(0.3, 2.0, 0.4, 1.0), PiecewisePolynomial((0.0, 1.0), ((1.0, -2.0, 0.5, 3.0, 0.1),))],
    ids=["sinusoid", "polynomial"],
)
def test_derivatives(function: Function) -> None:
    for order in range(3):
        for x in (-0.4, 0.3, 2.0):
            slope = np.atleast_1d(function(x, order + 1))
            assert_derivative(lambda x, n=order: function(x[0], n), slope, [x], step=0.05)


@pytest.mark.parametrize(
    "spline",
    [
        CubicSpline(X, Y),
        CubicSpline(X, Y, bc_type="periodic"),
        PchipInterpolator(X, Y),
        Akima1DInterpolator(X, Y),
        make_interp_spline(X, Y, k=3),
        make_interp_spline(X, Y, k=2),
    ],
    ids=lambda spline: type(spline).__name__,
)
def test_splines_of_scipy(spline: object) -> None:
    function = PiecewisePolynomial.from_scipy(spline)
    x = np.linspace(0.0, 3.0, 50)
    for order in range(3):
        assert np.allclose(function(x, order), spline(x, order), rtol=0, atol=1e-12)  # type: ignore[operator]


def test_table() -> None:
    assert np.allclose(PiecewisePolynomial.through(X, Y)(X), Y)
    periodic = PiecewisePolynomial.through(X, Y, periodic=True)
    assert np.allclose(periodic(X + 6.0), Y)
    for order in range(3):
        assert np.allclose(periodic(3.0 - 1e-9, order), periodic(3.0, order), atol=1e-6)


@pytest.mark.parametrize("function", [Sinusoid(0.3, 2.0, 0.4, 1.0), PiecewisePolynomial.through(X, Y)])
def test_plain_data(function: Function) -> None:
    assert function_from_dict(json.loads(json.dumps(function.to_dict()))) == function
    assert pickle.loads(pickle.dumps(function)) == function
    assert hash(function) == hash(function_from_dict(function.to_dict()))


CASES: dict[str, Case] = {
    "amplitude a string": (
        lambda: Sinusoid("large", 1.0),  # type: ignore[arg-type]
        "amplitude='large' in Sinusoid",
        "amplitude is not a number",
        "give amplitude as a real number",
    ),
    "one break": (
        lambda: PiecewisePolynomial((0.0,), ()),
        "breaks in PiecewisePolynomial",
        "fewer than two breaks",
        "give two or more increasing numbers",
    ),
    "breaks that fall": (
        lambda: PiecewisePolynomial((0.0, 2.0, 1.0), ((1.0,), (1.0,))),
        "breaks in PiecewisePolynomial",
        "breaks that do not increase",
        "give two or more increasing numbers",
    ),
    "too few pieces": (
        lambda: PiecewisePolynomial((0.0, 1.0, 2.0), ((1.0,),)),
        "coefficients in PiecewisePolynomial",
        "1 row for 2 pieces",
        "give each piece a row with its coefficients of the powers 0, 1, 2, ...",
    ),
    "a row without numbers": (
        lambda: PiecewisePolynomial((0.0, 1.0), ((),)),
        "coefficients in PiecewisePolynomial",
        "a row without numbers",
        "give each piece a row with its coefficients of the powers 0, 1, 2, ...",
    ),
    "a jump": (
        lambda: PiecewisePolynomial((0.0, 1.0, 2.0), ((1.0,), (1.5,))),
        "PiecewisePolynomial",
        "the value jumps by 0.5 at 1",
        "give pieces that meet with equal value and slope",
    ),
    "a corner": (
        lambda: PiecewisePolynomial((0.0, 1.0, 2.0), ((0.0, 1.0), (1.0, -1.0))),
        "PiecewisePolynomial",
        "the slope jumps by 2 at 1",
        "give pieces that meet with equal value and slope",
    ),
    "a period with a jump": (
        lambda: PiecewisePolynomial((0.0, 1.0), ((0.0, 1.0),), periodic=True),
        "PiecewisePolynomial",
        "the value jumps by 1 at 0",
        "give pieces that meet with equal value and slope",
    ),
    "a table of unequal columns": (
        lambda: PiecewisePolynomial.through([0, 1, 2], [0, 1]),
        "PiecewisePolynomial.through",
        "3 and 2 numbers",
        "give x in increasing order, and a y for each, two or more",
    ),
    "a table out of order": (
        lambda: PiecewisePolynomial.through([0, 2, 1], [0, 1, 2]),
        "PiecewisePolynomial.through",
        "x that does not increase",
        "give x in increasing order, and a y for each, two or more",
    ),
    "a period that does not close": (
        lambda: PiecewisePolynomial.through([0, 1, 2], [0, 1, 2], periodic=True),
        "PiecewisePolynomial.through",
        "a periodic table that begins with 0 and ends with 2",
        "end the table with the value it begins with, one period later",
    ),
    "a spline of vectors": (
        lambda: PiecewisePolynomial.from_scipy(CubicSpline(X, np.stack([Y, Y], axis=1))),
        "PiecewisePolynomial.from_scipy(CubicSpline)",
        "not a spline of SciPy with scalar values",
        "give a PPoly, CubicSpline, Akima1DInterpolator, ... or a BSpline of one-dimensional y",
    ),
    "an unknown function": (
        lambda: function_from_dict({"type": "Spiral"}),
        "function of a description",
        "type 'Spiral'",
        "use one of Sinusoid, PiecewisePolynomial",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])
