"""Derivatives of formulas that a user gave without them.

    jax          exact; if the user has imported JAX and the formula goes through it
    complex      df/dx = Im f(x + i h) / h with h = 1e-30: exact; if the formula takes complex numbers
    difference   D_k = (f(x + h_k) - f(x - h_k)) / 2 h_k,  h_k = h / 2^k,  extrapolated to h = 0

A formula that takes complex numbers may still treat them wrongly (abs, norm). A method is therefore used
only after its result agrees with differences, at the requested state and around it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.elements import traced as _traced

WAYS = ("jax", "complex", "difference")
SMALL = 1e-30
STEPS = (0.02, 1e-3, 3e-5)  # largest steps of the differences, tried until one is exact enough
LEVELS = 4
ENOUGH = 1e-10
SECOND = 4e-3
SAMPLES = 3

Function = Callable[[Any], Any]


def ways(wanted: str) -> tuple[str, ...]:
    """The methods to try, best first."""
    if wanted != "auto":
        return (wanted,)
    return WAYS if "jax" in sys.modules else WAYS[1:]


def first(f: Function, x: Array, way: str) -> Array:
    """df/dx, (*S, n) for f of shape S."""
    if way == "jax":
        return _traced.jacobian(f, x)
    if way == "complex":
        columns = []
        for i in range(len(x)):
            z = x.astype(np.complex128)
            z[i] += 1j * SMALL
            columns.append(np.imag(f(z)) / SMALL)
        return np.stack(columns, axis=-1) if columns else np.zeros((*np.shape(f(x)), 0))
    return differences(f, x)


def second(f: Function, x: Array, way: str) -> Array:
    """d²f/dx dx, (*S, n, n), symmetric."""
    if way == "jax":
        return _traced.jacobian(f, x, 2)
    if way == "complex":
        H = differences(lambda y: first(f, y, way), x)
        return np.asarray(0.5 * (H + np.swapaxes(H, -1, -2)))
    return _second_differences(f, x)


def chosen(f: Function, x: Array, wanted: str) -> str:
    """The method for f near x: the first one that works and agrees with differences."""
    *exact, last = ways(wanted)
    random = np.random.default_rng(0)
    places = [x, *(x + random.normal(scale=0.3, size=(SAMPLES, len(x))))]
    for way in exact:
        if all(_agrees(f, y, way) for y in places):
            return way
    return last


def _agrees(f: Function, x: Array, way: str) -> bool:
    try:
        expected = differences(f, x)
    except Exception:
        return True  # f is not defined here, so this point decides nothing
    if not np.isfinite(expected).all():
        return True
    try:
        with np.errstate(all="ignore"):
            given = first(f, x, way)
    except Exception:
        return False
    size = max(1e-3, float(np.abs(expected).max(initial=0.0)))
    return bool((np.abs(given - expected) <= 1e-5 * size).all())


def differences(f: Function, x: Array) -> Array:
    """Central differences, extrapolated; df/dx in the last axis."""
    return estimated(f, x)[0]


def estimated(f: Function, x: Array) -> tuple[Array, float]:
    """Central differences, and the change that the last extrapolation made."""
    best: tuple[Array, float] | None = None
    for step in STEPS:
        value, error = _extrapolate(f, x, step)
        if best is None or error < best[1]:
            best = (value, error)
        if error <= ENOUGH * float(np.abs(value).max(initial=0.0)):
            break
    assert best is not None
    return best


def _extrapolate(f: Function, x: Array, step: float) -> tuple[Array, float]:
    columns, worst = [], 0.0
    for i in range(len(x)):
        size = step * max(1.0, abs(float(x[i])))
        table = []
        for level in range(LEVELS):
            ahead, behind = x.copy(), x.copy()
            ahead[i] += size / 2.0**level
            behind[i] -= size / 2.0**level
            table.append((np.asarray(f(ahead)) - np.asarray(f(behind))) / (ahead[i] - behind[i]))
        before = table
        for m in range(1, LEVELS):
            before = table
            table = [(4.0**m * b - a) / (4.0**m - 1.0) for a, b in itertools.pairwise(table)]
        columns.append(table[0])
        change = np.max(np.abs(table[0] - before[-1]), initial=0.0)
        worst = max(worst, float(change)) if np.isfinite(change) else np.inf
    return (np.stack(columns, axis=-1) if columns else np.zeros((*np.shape(f(x)), 0))), worst


def has_kink(f: Function, x: Array) -> bool:
    """Whether the slopes of f on the two sides of x differ along some axis, as those of |x| at zero.

    Their difference shrinks with the step if f is smooth.
    """
    middle = np.asarray(f(x))
    for i in range(len(x)):
        differences = []
        for step in (1e-3, 1e-5):
            ahead, behind = x.copy(), x.copy()
            ahead[i] += step
            behind[i] -= step
            bend = (np.asarray(f(ahead)) + np.asarray(f(behind)) - 2.0 * middle) / step
            differences.append(float(np.abs(bend).max(initial=0.0)))
        if (
            differences[1] > 1e-3 * float(np.abs(middle).max(initial=0.0))
            and differences[1] > 0.5 * differences[0]
        ):
            return True
    return False


def _second_differences(f: Function, x: Array) -> Array:
    n = len(x)
    H = np.zeros((*np.shape(f(x)), n, n))
    sizes = SECOND * np.maximum(1.0, np.abs(x))
    middle = np.asarray(f(x))

    def moved(*changes: tuple[int, float]) -> Array:
        y = x.copy()
        for place, change in changes:
            y[place] += change
        return np.asarray(f(y))

    def mixed(i: int, j: int, a: float, b: float) -> Array:
        if i == j:
            return (moved((i, a)) - 2.0 * middle + moved((i, -a))) / a**2
        ahead = moved((i, a), (j, b)) - moved((i, a), (j, -b))
        return (ahead - moved((i, -a), (j, b)) + moved((i, -a), (j, -b))) / (4.0 * a * b)

    for i in range(n):
        for j in range(i + 1):
            a, b = float(sizes[i]), float(sizes[j])
            H[..., i, j] = H[..., j, i] = (4.0 * mixed(i, j, a / 2, b / 2) - mixed(i, j, a, b)) / 3.0
    return H
