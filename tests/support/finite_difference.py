"""The one finite-difference helper: central differences, extrapolated, with an error estimate.

    D(h)   = (f(x + h e) - f(x - h e)) / 2h                    error c2 h^2 + c4 h^4 + ...
    D_k,m  = (4^m D_k+1,m-1 - D_k,m-1) / (4^m - 1)              each column removes one even power of h

With four steps h, h/2, h/4, h/8 the truncation error is O(h^8); what remains is the round-off of f divided by
the smallest step. The reported error is the larger change made by the last extrapolation plus that round-off.

Where a value takes a whole step or a run, `slope` makes do with four of them, and its caller states the error:

    f'(0)  = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h + h^4 f^(5)/30
    f'(0)  = (-25 f(0) + 48 f(h) - 36 f(2h) + 16 f(3h) - 3 f(4h)) / 12h + h^4 f^(5)/5      from one side
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

LEVELS = 4
EPS = float(np.finfo(float).eps)


def derivative(
    f: Callable[[Array], Any], x: ArrayLike, step: float = 0.1, roundoff: float = 32.0
) -> tuple[Array, Array]:
    """Derivative of an array-valued function of a vector.

    Parameters
    ----------
    f
        Function of a vector of shape (n,) with values of any shape S.
    x
        Where to differentiate.
    step
        Largest step; the function should be smooth over it.
    roundoff
        Error of one evaluation of f in units of machine precision times the largest entry of f (or times one,
        if that is larger: f is a sum of terms of order one).

    Returns
    -------
    value, error
        Both of shape (n, *S): entry [i] belongs to x_i.
    """
    x = np.array(x, dtype=float)
    values, errors = [], []
    for i in range(x.size):
        table: list[Array] = []
        largest = 1.0
        for level in range(LEVELS):
            h = step / 2.0**level
            ahead, behind = x.copy(), x.copy()
            ahead[i] += h
            behind[i] -= h
            up, down = np.asarray(f(ahead), dtype=float), np.asarray(f(behind), dtype=float)
            largest = max(
                largest, float(np.max(np.abs(up), initial=0.0)), float(np.max(np.abs(down), initial=0.0))
            )
            table.append((up - down) / (ahead[i] - behind[i]))
        noise = roundoff * EPS * largest / (step / 2.0 ** (LEVELS - 1))
        for m in range(1, LEVELS):
            previous = table
            table = [
                (4.0**m * previous[k + 1] - previous[k]) / (4.0**m - 1.0) for k in range(len(previous) - 1)
            ]
        values.append(table[0])
        change = np.maximum(np.abs(table[0] - previous[0]), np.abs(table[0] - previous[1]))
        errors.append(change + noise)
    return np.array(values), np.array(errors)


def slope(f: Callable[[float], Any], h: float, *, one_sided: bool = False, order: int = 4) -> Array:
    """df/ds at s = 0 of an array-valued function of a number, of fourth or sixth order."""
    if one_sided:
        zero, one, two, three, four = (np.array(f(a * h), dtype=float) for a in range(5))
        return np.asarray((-25.0 * zero + 48.0 * one - 36.0 * two + 16.0 * three - 3.0 * four) / (12.0 * h))
    if order == 6:
        ahead, behind = ([np.array(f(a * sign * h), dtype=float) for a in (1, 2, 3)] for sign in (1.0, -1.0))
        first, second, third = (a - b for a, b in zip(ahead, behind, strict=True))
        return np.asarray((45.0 * first - 9.0 * second + third) / (60.0 * h))
    one, minus, two, back = (np.array(f(a * h), dtype=float) for a in (1.0, -1.0, 2.0, -2.0))
    return np.asarray((8.0 * (one - minus) - (two - back)) / (12.0 * h))


def slopes(f: Callable[[float], Mapping[str, Any]], h: float, *, one_sided: bool = False) -> dict[str, Array]:
    """The slopes of several quantities by name, which one evaluation gives together."""
    made = {0.0: f(0.0)}

    def of(name: str, s: float) -> Any:
        if s not in made:
            made[s] = f(s)
        return made[s][name]

    return {name: slope(lambda s, name=name: of(name, s), h, one_sided=one_sided) for name in made[0.0]}


def assert_derivative(
    f: Callable[[Array], Any],
    df: Any,
    x: ArrayLike,
    *,
    step: float = 0.1,
    roundoff: float = 32.0,
    resolution: float = 1e-7,
    df_error: float = 0.0,
    what: str = "derivative",
) -> None:
    """Assert that df is the derivative of f at x, to the error the finite difference itself reports.

    Parameters
    ----------
    df
        Array of shape (n, *S), or a function of x that gives it.
    resolution
        The finite difference must know the derivative to this fraction of its largest entry (or of one, if
        that is larger); otherwise the comparison would prove nothing and the assertion fails as well.
    df_error
        Absolute error of df itself, where it is known to be worse than that of the difference.
    """
    given = np.asarray(df(np.array(x, dtype=float)) if callable(df) else df, dtype=float)
    value, error = derivative(f, x, step, roundoff)
    assert given.shape == value.shape, f"{what}: shape {given.shape}, expected {value.shape}"
    if value.size == 0:
        return
    scale = max(1.0, float(np.max(np.abs(value))))
    assert np.max(error) <= resolution * scale, (
        f"{what}: the finite difference is only known to {np.max(error):.2e} of {scale:.2e}; use another step"
    )
    wrong = np.abs(given - value) - error - df_error
    if np.any(wrong > 0.0) or not np.all(np.isfinite(given)):
        at = np.unravel_index(int(np.argmax(np.where(np.isfinite(wrong), wrong, np.inf))), wrong.shape)
        raise AssertionError(
            f"{what} is wrong at {tuple(int(n) for n in at)}: given {given[at]:.15g}, "
            f"finite difference {value[at]:.15g} with error {error[at]:.1e}"
        )
