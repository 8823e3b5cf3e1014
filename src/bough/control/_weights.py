"""Weights of states and controls, by name or as arrays, checked in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bough.arguments import Array, finite
from bough.errors import ModelError, unknown_name


def weight_vector(
    value: Any, names: Sequence[str], what: str, where: str, groups: Sequence[str] = ()
) -> Array:
    """Weights of named things, (n,), none below zero: one number for all, an array, or numbers by name.

    groups : names of several of them together, which messages offer
    """
    size = len(names)
    if isinstance(value, Mapping):
        out = np.zeros(size)
        for name, number in value.items():
            if name not in names:
                raise unknown_name("weight", str(name), (*groups, *names), f"{what} of {where}")
            out[list(names).index(name)] = _numbers(number, f"{what} of {where}", (), name)
        return _not_negative(out, names, what, where)
    array = _numbers(value, f"{what} of {where}", None, "")
    if array.ndim == 0:
        array = np.full(size, float(array))
    if array.shape != (size,):
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"shape {array.shape} for {size} weights: {', '.join(names[:8])}",
            do=f"give a number, an array ({size},), or numbers by name",
        )
    return _not_negative(array, names, what, where)


def weight_matrix(
    value: Any,
    names: Sequence[str],
    what: str,
    where: str,
    *,
    definite: bool = False,
    groups: Sequence[str] = (),
) -> Array:
    """A symmetric matrix of weights, (n, n), positive semidefinite: also as a number, (n,), or by name."""
    size = len(names)
    array = None if isinstance(value, Mapping) else _numbers(value, f"{what} of {where}", None, "")
    if array is None or array.ndim < 2:
        matrix = np.diag(weight_vector(value, names, what, where, groups))
    else:
        matrix = array
    if matrix.shape != (size, size):
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"shape {matrix.shape}, but it weighs {size} numbers: {', '.join(names[:8])}",
            do=f"give a number, an array ({size},) or ({size}, {size}), or numbers by name",
        )
    largest = float(np.abs(matrix).max(initial=0.0))
    if not np.allclose(matrix, matrix.T, atol=1e-12 * max(largest, 1e-300)):
        raise ModelError(
            asked=f"{what} of {where}", found="a matrix that is not symmetric", do="give (W + W.T) / 2"
        )
    smallest = float(np.linalg.eigvalsh(matrix).min(initial=np.inf)) if size else np.inf
    if smallest < -1e-12 * largest or (definite and smallest <= 0.0):
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"the smallest eigenvalue {smallest:.3g}",
            do="give positive weights" if definite else "give weights that are not negative",
        )
    return matrix


def numbers_of(value: Any, asked: str) -> Array:
    """A value as an array of numbers of any shape."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(
            asked=asked, found=f"{_short(value)}, which is no number", do="give numbers"
        ) from None


def _numbers(value: Any, asked: str, shape: tuple[int, ...] | None, name: str) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not finite(array) or (shape is not None and array.shape != shape):
        of = f" for {name!r}" if name else ""
        raise ModelError(asked=asked, found=f"{_short(value)}{of}", do="give finite numbers, not negative")
    return array


def _not_negative(array: Array, names: Sequence[str], what: str, where: str) -> Array:
    if (array < 0.0).any():
        i = int(np.argmax(array < 0.0))
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"{array[i]:g} for {names[i]!r}",
            do="give weights that are not negative",
        )
    return array


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
