"""Arrays with time as their first axis: their checks, and their rates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, finite
from bough.errors import ModelError
from bough.motion.state import frozen


def rate(values: Array, t: Array) -> Array:
    """The derivative by time of rows of values: central differences, one-sided at the ends."""
    if len(t) < 2 or values.shape[1] == 0:
        return np.zeros_like(values)
    return np.asarray(np.gradient(values, t, axis=0, edge_order=2 if len(t) > 2 else 1))


def second_rate(values: Array, t: Array, at: Array) -> Array:
    """The second derivative by time of three rows of values or more, at other times: in lines between differences.

    The difference of three rows is that at the mean of their times, to second order for uneven steps too.
    """
    slopes = np.diff(values, axis=0) / np.diff(t)[:, None]
    found = 2.0 * np.diff(slopes, axis=0) / (t[2:] - t[:-2])[:, None]
    means = (t[:-2] + t[1:-1] + t[2:]) / 3.0
    if len(found) == 1:
        return np.repeat(found, len(at), axis=0)
    place = np.clip(
        np.searchsorted(means, at) - 1, 0, len(means) - 2
    )  # the ends continue the lines beside them
    part = (at - means[place]) / (means[place + 1] - means[place])
    return np.asarray(found[place] + part[:, None] * (found[place + 1] - found[place]))


def checked_rows(
    values: npt.ArrayLike, what: str, tail: tuple[int, ...], rows: int | None, t: Array | None = None
) -> Array:
    """A read-only array (rows, *tail) of finite numbers; `t` are the times of its rows, for messages."""
    try:
        array = frozen(values)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.ndim != 1 + len(tail) or array.shape[1:] != tail or (rows or len(array)) != len(array):
        expected = f"({'rows' if rows is None else rows}{', ' if tail else ','}{', '.join(map(str, tail))})"
        raise ModelError(
            asked=f"{what} of a trajectory",
            found=f"shape {array.shape}",
            do=f"give an array of shape {expected}",
        )
    if len(array) == 0:
        raise ModelError(asked=f"{what} of a trajectory", found="no rows", do="give one instant or more")
    if not finite(array):
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ModelError(
            asked=f"{what} of a trajectory",
            found=f"a number in row {row}{'' if t is None else f', t = {t[row]:g} s,'} that is not finite",
            do="give finite numbers",
        )
    return array


def slice_text(key: slice) -> str:
    """A slice as it is written."""
    parts = ["" if part is None else str(part) for part in (key.start, key.stop, key.step)]
    return ":".join(parts if parts[2] else parts[:2])
