"""Derivatives by JAX of formulas written with NumPy: NumPy's functions on a traced array become JAX's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from bough.arguments import Array
from bough.errors import unknown_name


class Traced(NDArrayOperatorsMixin):
    """A JAX array that NumPy functions accept, indexable by name if it has names."""

    def __init__(
        self, value: Any, places: Mapping[str, int] | None = None, base: Array | None = None
    ) -> None:
        self.value = value
        self.base = base  # the values, if this is the variable of differentiation
        self._places: Mapping[str, int] = {} if places is None else places

    def with_names(self, places: Mapping[str, int]) -> Traced:
        """The same array with names."""
        return Traced(self.value, places, self.base)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        import jax.numpy as jnp

        function = getattr(jnp, ufunc.__name__, None)
        if method != "__call__" or function is None or options:
            return NotImplemented
        return Traced(function(*map(bare, inputs)))

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        import jax.numpy as jnp

        found = getattr(jnp.linalg if "linalg" in function.__module__ else jnp, function.__name__)
        return wrapped(found(*map(bare, inputs), **{key: bare(value) for key, value in options.items()}))

    def __jax_array__(self) -> Any:
        return self.value

    def __getitem__(self, key: Any) -> Traced:
        if isinstance(key, str):
            if key not in self._places:
                raise unknown_name("variable or input", key, self._places, "an element")
            key = self._places[key]
        return Traced(self.value[key])

    def __len__(self) -> int:
        return len(self.value)

    def __getattr__(self, name: str) -> Any:  # shape, sum, T, reshape, ...
        if name.startswith("__") or name == "value":
            raise AttributeError(name)
        part = getattr(self.value, name)
        if not callable(part):
            return wrapped(part)
        return lambda *inputs, **options: wrapped(part(*map(bare, inputs), **options))


def bare(value: Any) -> Any:
    """The JAX array inside; also in lists and tuples."""
    if isinstance(value, Traced):
        return value.value
    if isinstance(value, list | tuple):
        return type(value)(map(bare, value))
    return value


def wrapped(value: Any) -> Any:
    """A result of JAX as a `Traced`; sizes and shapes are returned unchanged."""
    if isinstance(value, list):
        return [wrapped(item) for item in value]
    return Traced(value) if hasattr(value, "dtype") else value


def double() -> AbstractContextManager[Any]:
    """A context in which JAX, if it is loaded, computes in double precision."""
    if "jax" not in sys.modules:
        return nullcontext()
    import jax

    place = jax if hasattr(jax, "enable_x64") else jax.experimental  # its module before JAX 0.8
    enabled: AbstractContextManager[Any] = place.enable_x64(True)
    return enabled


def jacobian(f: Callable[[Any], Any], x: Array, order: int = 1) -> Array:
    """The derivatives of f by x, in the last axes."""
    import jax

    def function(value: Any) -> Any:
        return bare(f(Traced(value, base=x)))

    for _ in range(order):
        function = jax.jacfwd(function)
    with double():
        return np.array(function(np.asarray(x)), dtype=np.float64)


def compiled(formula: Callable[[Mapping[str, Any], Any], Any], by: str, order: int) -> Callable[..., Array]:
    """The derivatives of a formula of q, v, u, t and poses by q or v, compiled."""
    import jax

    def function(x: Any, state: dict[str, Any], poses: dict[Any, Any]) -> Any:
        at = {name: None if value is None else Traced(value) for name, value in state.items()}
        at[by] = Traced(x, base=Traced(state["q"]) if by == "q" else None)  # type: ignore[arg-type]
        return bare(formula(at, {key: Traced(value) for key, value in poses.items()}))

    derived: Any = function
    for _ in range(order):
        derived = jax.jacfwd(derived)
    derived = jax.jit(derived)

    def call(state: dict[str, Any], poses: dict[tuple[str, int], Array]) -> Array:
        with double():
            return np.array(derived(state[by], state, poses), dtype=np.float64)

    return call


def stack(entries: list[tuple[tuple[int, ...], Any]], shape: tuple[int, ...]) -> Any:
    """The array of this shape with these entries, zero elsewhere."""
    import jax.numpy as jnp

    array = jnp.zeros(shape)
    for place, value in entries:
        array = array.at[place].add(bare(value))
    return array


def array(value: Any) -> Any:
    """A traced result, or a nested list with traced numbers, as an array of JAX."""
    import jax.numpy as jnp

    return jnp.asarray(bare(value))


def is_tracer(value: Any) -> bool:
    """Whether a result contains traced values."""
    if "jax" not in sys.modules:
        return False
    import jax

    return isinstance(value, jax.core.Tracer)
