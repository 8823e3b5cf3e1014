"""What is kept of each run of an ensemble: the numbers that a function of the user returns.

An error that this function raises is a row of the study. What it returns has to fit into arrays over all runs; if it
does not, that is a mistake in the function and not in a run, and the study ends at once with a `KeepError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.errors import BoughError
from bough.studies.design import RUN

# what the results of a study, as a data set and in a store, are called besides its axes
RESERVED = frozenset({"status", "message", "t", "time", RUN, "variable", "dynamic", "coordinate"})


class KeepError(BoughError):
    """What keep= returns cannot be gathered."""


def checked(kept: Any, axes: Iterable[str], motion: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """What keep= returned, as arrays of numbers; `motion` has the shapes of whole motions."""
    if not isinstance(kept, Mapping):
        raise KeepError(
            asked="keep= of an ensemble",
            found=f"a function that returns {validate.shown(kept)}, not a dictionary",
            do="return a dictionary of numbers, such as {'height': z.max()}",
        )
    taken = RESERVED.union(axes)
    numbers = {}
    for key, value in kept.items():
        name = str(key)
        if name in taken:
            raise KeepError(
                asked=f"{name!r}, which keep= of an ensemble returns",
                found="a name that the results have already: an axis, or one of their own",
                do=f"call it something else, such as {f'{name} at the end'!r}",
            )
        numbers[name] = array = _numbers(name, value)
        if name in motion and array.shape != motion[name]:
            raise KeepError(
                asked=f"{name!r}, which keep= of an ensemble returns",
                found=f"shape {array.shape}, but {name!r} is the name of whole motions, of shape {motion[name]}",
                do=f"call it something else, such as {f'{name} at the end'!r}",
            )
    return numbers


def _numbers(name: str, value: Any) -> Array:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise KeepError(
            asked=f"{name!r}, which keep= of an ensemble returns",
            found=f"{validate.shown(value)}, which is neither a number nor an array of numbers",
            do="return numbers; for words return their places in a list, for 'none' nan",
        ) from None


def other_shape(name: str, one: tuple[int, ...], other: tuple[int, ...]) -> KeepError:
    """The error for numbers that do not have the same shape in all runs."""
    return KeepError(
        asked=f"{name!r}, which keep= of an ensemble returns",
        found=f"shape {one} in one run and {other} in another",
        do="return the same shape for all runs: a summary such as run.q[-1] or run.q.max(axis=0)",
    )
