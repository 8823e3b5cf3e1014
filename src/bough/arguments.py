"""Array arguments of a model: names, shapes and batch axes, checked in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.errors import ModelError, unknown_name
from bough.validate import counted

Array = npt.NDArray[np.float64]
#: q, v and their like: an array with the variables last, or numbers by name (the others are zero).
Vector = npt.ArrayLike | Mapping[str, float]


def vector(value: Vector, names: Sequence[str], what: str, where: str, plural: str = "variables") -> Array:
    """`value` as a finite array of shape (..., len(names)).

    Parameters
    ----------
    what : the name of the argument, such as "q"
    where : the object that is asked, such as "model 'arm'"
    plural : what the names are, for messages
    """
    if isinstance(value, Mapping):
        return from_mapping(value, names, what, where, plural)
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        has = f"its {what}, .{what}, or " if hasattr(value, what) else ""  # of a state, say
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"{type(value).__name__} that is not an array of numbers",
            do=f"give {has}an array of {counted(len(names), 'number')}, or a mapping from names to numbers",
        ) from None
    if array.ndim == 0 and value is not None and is_one(names, plural):
        array = array[None]
    if array.ndim == 0 or array.shape[-1] != len(names):
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"shape {array.shape}, but the model has {counted(len(names), plural[:-1])}",
            do=f"give an array of shape (..., {len(names)}), or a mapping from names to numbers",
        )
    if not finite(array):
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        at = f" in row {place[:-1] if len(place) > 2 else place[0]}" if len(place) > 1 else ""
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"{array[place]} for {names[place[-1]]!r}{at}",
            do="give finite numbers",
        )
    return array


def is_one(names: Sequence[str], plural: str) -> bool:
    """Whether a number alone tells which: of one input, or of one kinematic variable."""
    return len(names) == 1 and plural in ("inputs", "kinematic variables")


def from_mapping(value: Mapping[str, Any], names: Sequence[str], what: str, where: str, plural: str) -> Array:
    """Numbers or columns by name as a finite array of shape (..., len(names)); those not named are zero."""
    columns: dict[int, Array | float] = {}
    index = {name: i for i, name in enumerate(names)}
    for name, entry in value.items():
        if name not in index:
            raise unknown_name(plural.rstrip("s"), str(name), names, f"{what} of {where}")
        if isinstance(entry, float) and math.isfinite(entry):
            columns[index[name]] = entry
            continue
        try:
            column = np.asarray(entry, dtype=np.float64)
        except (TypeError, ValueError):
            column = np.array(np.nan)
        if not finite(column):
            raise ModelError(
                asked=f"{what} of {where}",
                found=f"{entry!r} for {name!r}"
                if column.ndim == 0
                else f"a number that is not finite for {name!r}",
                do="give finite numbers",
            )
        columns[index[name]] = column
    shapes = [column.shape for column in columns.values() if not isinstance(column, float)]
    array = np.zeros((*(np.broadcast_shapes(*shapes) if shapes else ()), len(names)))
    for i, values in columns.items():
        array[..., i] = values
    return array


def finite(array: Array) -> bool:
    """Whether all numbers are finite; several times faster on few numbers than numpy's `all`."""
    return bool(np.count_nonzero(np.isfinite(array)) == array.size)


def batch(*arrays: Array) -> tuple[tuple[int, ...], list[Array]]:
    """The common batch axes of arrays (..., n), and each of them as a contiguous (rows, n) array."""
    if all(a.ndim == 1 for a in arrays):
        return (), [np.ascontiguousarray(a).reshape(1, -1) for a in arrays]
    try:
        shape = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    except ValueError:
        raise ModelError(
            asked="a batch of states",
            found=f"shapes that do not go together: {', '.join(str(a.shape) for a in arrays)}",
            do="give arrays whose axes before the last are equal, or one",
        ) from None
    rows = int(np.prod(shape))
    return shape, [
        np.ascontiguousarray(np.broadcast_to(a, (*shape, a.shape[-1]))).reshape(rows, a.shape[-1])
        for a in arrays
    ]
