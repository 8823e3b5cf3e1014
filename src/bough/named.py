"""Arrays whose last axis also has names: `state.q["elbow"]`, `run.v["elbow"]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bough.errors import ModelError, unknown_name


class Names(NamedTuple):
    """The names along an axis, and the index of each.

    Attributes
    ----------
    kind : in the singular: "variable"
    where : the object they belong to, for messages
    """

    places: Mapping[str, int | slice]
    kind: str
    where: str


UNNAMED = Names({}, "", "")


class Named(np.ndarray[Any, np.dtype[np.float64]]):
    """An array whose last axis also has names.

    Rows of a table keep them, and so does what is computed element by element; other parts are plain arrays.
    """

    _names: Names = UNNAMED

    def __new__(cls, values: Any, names: Names) -> Named:
        array = np.asarray(values).view(cls)
        array._names = names
        return array

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if array.ndim == 0:
            return array[()]
        return Named(array, self._names) if array.shape == self.shape else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            place = self._place(key)
            return self.view(np.ndarray)[place if self.ndim == 1 else (..., place)]  # a number if 1-D
        part = super().__getitem__(key)
        if not isinstance(part, Named):
            return part
        if self.ndim > 1 and isinstance(key, int | slice | np.integer):
            part._names = self._names
            return part
        return np.asarray(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((..., self._place(key)) if isinstance(key, str) else key, value)

    def copy(self, order: Any = "C") -> Named:
        """A copy, with the names."""
        return Named(super().copy(order), self._names)

    def __copy__(self) -> Named:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any] | None, /) -> Named:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (np.asarray(self), self._names)

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def _place(self, name: str) -> int | slice:
        places, kind, where = self._names
        if self._names is UNNAMED:
            raise ModelError(
                asked=f"{name!r} of an array",
                found="an array without names: a part of another one, or of a state made without a model",
                do="use a number as index, or take the array from a state or a run of a model",
            )
        if name not in places:
            raise unknown_name(kind, name, places, where)
        return places[name]


class ModelNames(NamedTuple):
    """The names of the entries of v, p, k, u, lam and q of a model."""

    variables: Names
    dynamic: Names
    kinematic: Names
    inputs: Names
    constraints: Names
    coordinates: Names  # of q: those of v without balls


NO_MODEL = ModelNames(UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED)


def places(names: tuple[str, ...]) -> dict[str, int]:
    """The index of each name."""
    return {name: place for place, name in enumerate(names)}
