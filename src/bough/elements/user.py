"""Adapters through which the core calls elements written in Python.

The core calls the methods of a `UserPotential`, `UserForce` or `UserConstraint` with (q, v, u, t) as arrays
and takes arrays of exact shape. They call the methods of the user's element with an `Instant`, and compute
the derivatives that it does not define.
"""

from __future__ import annotations

import importlib.util
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.description.element import Constraint, Element, Force, Potential
from bough.elements import derivatives as _derivatives
from bough.elements import traced as _traced
from bough.elements.instant import Instant
from bough.errors import DerivativeWarning, ModelError, unknown_name, warn

if TYPE_CHECKING:
    from bough.model.model import Model

_warned: set[type] = set()


def user_element(element: Element) -> UserElement | None:
    """The adapter for an element; None if the element defines no formula."""
    for kind, (formula, wrapper) in {
        Potential: ("energy", UserPotential),
        Force: ("force", UserForce),
        Constraint: ("value", UserConstraint),
    }.items():
        if isinstance(element, kind) and callable(getattr(type(element), formula, None)):
            return wrapper(element)
    return None


class UserElement:
    """Base of the three kinds. It refers to the model weakly, because the model owns it through the core."""

    kind = ""
    rows = 1

    def __init__(self, element: Element) -> None:
        self.element = element
        self._model: weakref.ref[Model] | None = None
        self._poses: tuple[bytes, dict[tuple[str, int], Array]] = (b"", {})
        self._way: dict[str, str] = {}  # the method by which each derivative is computed
        self._compiled: dict[str, tuple[Any, list[tuple[str, int]]]] = {}  # by JAX, with the poses used

    def bind(self, model: Model) -> None:
        """Set the model that the element acts in; it can be evaluated only afterwards."""
        self._model = weakref.ref(model)

    @property
    def model(self) -> Model:
        """The model that the element acts in."""
        model = None if self._model is None else self._model()
        assert model is not None
        return model

    def _at(self, q: Any, v: Any = None, u: Any = None, t: float | None = None) -> Instant:
        """An instant; poses are cached for further instants at the same configuration."""
        real = q.real if isinstance(q, np.ndarray) else q.base
        key, memory = real.tobytes(), self._poses
        if memory[0] != key:
            memory = self._poses = (key, {})
        return Instant(self.model, q, v, u, t, what=self.element._text(), memo=memory[1])

    def _gives(self, method: str) -> bool:
        return callable(getattr(type(self.element), method, None))

    def _call(self, method: str, at: Instant, shape: tuple[int, ...]) -> Any:
        """The result of a user's method as an array of this shape, complex if `at` is."""
        with _traced.double():
            return self._array(getattr(self.element, method)(at), shape, method)

    def _real(self, method: str, at: Instant, shape: tuple[int, ...]) -> Array:
        """The result of a user's method at a real state."""
        array = self._call(method, at, shape)
        if np.iscomplexobj(array):
            raise self._wrong(method, "complex numbers", shape)
        return np.asarray(array, dtype=np.float64)

    def _array(self, result: Any, shape: tuple[int, ...], method: str) -> Any:
        if result is None:
            raise self._wrong(method, "nothing", shape)
        if isinstance(result, Mapping):
            given = dict(result)
            if method == "hessian":  # symmetric
                given |= {key[::-1]: x for key, x in result.items() if key[::-1] not in result}
            entries = [(self._place(key, shape, method), value) for key, value in given.items()]
            traced = any(isinstance(value, _traced.Traced) for _, value in entries)
            result = _traced.stack(entries, shape) if traced else _array_of_entries(entries, shape)
        elif isinstance(result, _traced.Traced) or _holds_traced(result):
            result = _traced.array(result)
        try:
            array = result if _traced.is_tracer(result) else np.asarray(result)
            if _bare(array.shape) != _bare(shape):
                raise self._wrong(method, f"shape {array.shape}", shape)
            array = array.reshape(shape)
            if isinstance(array, np.ndarray) and array.dtype.kind != "c":
                array = np.asarray(array, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise self._wrong(method, f"{type(result).__name__} that is not made of numbers", shape) from None
        return array

    def _place(self, key: Any, shape: tuple[int, ...], method: str) -> tuple[int, ...]:
        """The index of an entry given by name: "a" in a vector, ("a", "b") in a matrix."""
        names = key if isinstance(key, tuple) else (key,)
        places = self.model._places
        for name in names:
            if name not in places:
                raise unknown_name("variable", str(name), places, f"{method} of {self.element._text()}")
        found = tuple(places[name] for name in names)
        return (*(0 for _ in range(len(shape) - len(found))), *found)

    def _wrong(self, method: str, found: str, shape: tuple[int, ...]) -> ModelError:
        wanted = "a number" if not _bare(shape) else f"an array of shape {_bare(shape)}"
        by_name = (
            ", or a dictionary with names of variables as keys" if _bare(shape) and self.rows == 1 else ""
        )
        return ModelError(
            asked=f"{method} of {self.element._text()}",
            found=found,
            do=f"return {wanted}{by_name}",
        )

    def _computed_derivative(
        self,
        missing: str,
        method: str,
        shape: tuple[int, ...],
        q: Array,
        v: Any = None,
        u: Any = None,
        t: float | None = None,
        *,
        by: str = "q",
        order: int = 1,
    ) -> Array:
        """A derivative that the user does not define, computed from the method that is defined."""
        wanted = getattr(type(self.element), "derivatives", "auto")
        if wanted not in ("auto", *_derivatives.WAYS):
            ways = ("auto", *_derivatives.WAYS)
            raise unknown_name("way", str(wanted), ways, f"derivatives of {self.element._text()}")
        if wanted == "jax" and importlib.util.find_spec("jax") is None:
            raise ModelError(
                asked=f"derivatives = 'jax' in {self.element._text()}",
                found="JAX is not installed",
                do="pip install jax, or leave derivatives out",
            )

        def f(x: Any) -> Any:
            at = self._at(x, v, u, t) if by == "q" else self._at(q, x, u, t)
            return self._call(method, at, shape)

        x = q if by == "q" else v
        way = self._way.get(missing)
        if way is None:
            way = self._way[missing] = _derivatives.chosen(f, x, wanted)
            self._warn(method, way, missing)
        if way == "jax":
            return _exact(self._by_jax(f, missing, method, shape, (q, v, u, t), by, order))
        return _exact(_derivatives.first(f, x, way) if order == 1 else _derivatives.second(f, x, way))

    def _by_jax(
        self, f: Any, missing: str, method: str, shape: tuple[int, ...], state: Any, by: str, order: int
    ) -> Array:
        """A derivative by JAX, compiled from the second call on if the formula has no branches."""
        q, v, _, _ = state
        compiled = self._compiled.get(missing)
        if compiled is None:
            result = _traced.jacobian(f, q if by == "q" else v, order)
            poses = list(self._poses[1])  # the poses that the formula uses

            def of(at: Mapping[str, Any], memo: Any) -> Any:
                what = self.element._text()
                return self._call(method, Instant(self.model, **at, what=what, memo=memo), shape)

            self._compiled[missing] = (_traced.compiled(of, by, order), poses)
            return result
        function, poses = compiled
        if function is not None:
            at = self._at(q)
            memo = {key: at._derivative(*key) for key in poses}
            try:
                return np.asarray(function(dict(zip("qvut", state, strict=True)), memo))
            except Exception:  # the formula branches, or calls a function that JAX does not have
                self._compiled[missing] = (None, [])
        return _traced.jacobian(f, q if by == "q" else v, order)

    def _warn(self, method: str, way: str, missing: str) -> None:
        """Warn once for each class."""
        kind = type(self.element)
        if way == "jax" or kind in _warned or getattr(kind, "_quiet", False):
            return
        _warned.add(kind)
        how = {"complex": "complex steps", "difference": "finite differences"}[way]
        warn(
            f"{kind.__name__} has no method {missing}(at): derivatives are made by {how} of {method}(at),"
            " which takes many calls. Give the method, or import jax, for speed and accuracy;"
            " bough.check(model) verifies it",
            DerivativeWarning,
        )


class UserPotential(UserElement):
    """V(q)."""

    kind = "potential"

    def energy(self, q: Array, v: Any, u: Any, t: float) -> Array:
        """V, (1,)."""
        return np.zeros(1) if self._model is None else self._real("energy", self._at(q), ()).reshape(1)

    def gradient(self, q: Array, v: Any = None, u: Any = None, t: float = 0.0) -> Array:
        """dV/dq, (n,)."""
        if self._model is None:
            return np.zeros(len(q))
        if self._gives("gradient"):
            return self._real("gradient", self._at(q), (len(q),))
        return self._computed_derivative("gradient", "energy", (), q)

    def hessian(self, q: Array, v: Any, u: Any, t: float) -> Array:
        """d²V/dq dq, (n, n)."""
        n = len(q)
        if self._model is None:
            return np.zeros((n, n))
        if self._gives("hessian"):
            return self._real("hessian", self._at(q), (n, n))
        if self._gives("gradient"):
            return self._computed_derivative("hessian", "gradient", (n,), q)
        return self._computed_derivative("hessian", "energy", (), q, order=2)


class UserForce(UserElement):
    """f(q, v, u, t)."""

    kind = "force"

    def force(self, q: Array, v: Array, u: Any, t: float) -> Array:
        """f, (n,)."""
        return (
            np.zeros(len(q)) if self._model is None else self._real("force", self._at(q, v, u, t), (len(q),))
        )

    def force_dq(self, q: Array, v: Array, u: Any, t: float) -> Array:
        """df_i/dq_j, (n, n)."""
        return self._square("force_dq", q, v, u, t, "q")

    def force_dv(self, q: Array, v: Array, u: Any, t: float) -> Array:
        """df_i/dv_j, (n, n)."""
        return self._square("force_dv", q, v, u, t, "v")

    def _square(self, name: str, q: Array, v: Array, u: Any, t: float, by: str) -> Array:
        n = len(q)
        if self._model is None:
            return np.zeros((n, n))
        if self._gives(name):
            return self._real(name, self._at(q, v, u, t), (n, n))
        return self._computed_derivative(name, "force", (n,), q, v, u, t, by=by)

    def force_du(self, q: Array, v: Array, u: Array, t: float) -> Array:
        """df_i/du_j, (n, nu); by differences if the user does not define it."""
        if self._model is None:
            return np.zeros((len(q), len(u)))
        if self._gives("force_du"):
            return self._real("force_du", self._at(q, v, u, t), (len(q), len(u)))
        return _exact(_derivatives.differences(lambda x: self.force(q, v, x, t), u))

    def force_dt(self, q: Array, v: Array, u: Any, t: float) -> Array:
        """df/dt at fixed q, v and u, (n,): zero unless the formula reads the time."""
        at = None if self._model is None else self._at(q, v, u, t)
        if at is None or self._call("force", at, (len(q),)) is None or not at.timed:
            return np.zeros(len(q))
        time = np.array([t])
        return _exact(_derivatives.differences(lambda x: self.force(q, v, u, float(x[0])), time)[:, 0])


class UserConstraint(UserElement):
    """h(q, t) = 0."""

    kind = "constraint"

    def __init__(self, element: Element) -> None:
        super().__init__(element)
        self.rows = int(element.rows)  # type: ignore[attr-defined]
        self._timed = False
        self._last: tuple[bytes, float, Array] | None = None  # the last gradient, and the state it belongs to

    def _value(self, q: Any, t: float) -> Any:
        at = self._at(q, t=t)
        h = self._call("value", at, (self.rows,))
        self._timed |= at.timed
        return h

    def value(self, q: Array, v: Any, u: Any, t: float) -> Array:
        """h and its scale, (2, rows): the change of h if each variable changes by its own size, or by one."""
        if self._model is None:
            return np.zeros((2, self.rows))
        h = _exact(self._value(q, t))
        reach = np.maximum(np.abs(q), 1.0)
        return np.stack([h, np.abs(h) + np.abs(self._gradient_once(q, t)) @ reach])

    def gradient(self, q: Array, v: Any, u: Any, t: float) -> Array:
        """dh/dq, (rows, n)."""
        return np.zeros((self.rows, len(q))) if self._model is None else self._gradient_once(q, t)

    def _gradient_once(self, q: Array, t: float) -> Array:
        """The gradient, cached because value and gradient are requested in turn at the same state."""
        key, last = q.tobytes(), self._last
        if last is not None and last[0] == key and last[1] == t:
            return last[2]
        result = _exact(self._gradient(q, t))
        self._last = (key, t, result)
        return result

    def _gradient(self, q: Any, t: float) -> Any:
        if not self._gives("gradient"):
            return self._computed_derivative("gradient", "value", (self.rows,), q, t=t)
        at = self._at(q, t=t)
        return self._call("gradient", at, (self.rows, len(q)))

    def hessian(self, q: Array, v: Any, u: Any, t: float) -> Array:
        """d²h/dq dq, (rows, n, n)."""
        n = len(q)
        if self._model is None:
            return np.zeros((self.rows, n, n))
        if self._gives("hessian"):
            at = self._at(q, t=t)
            return self._real("hessian", at, (self.rows, n, n))
        if self._gives("gradient"):
            return self._computed_derivative("hessian", "gradient", (self.rows, n), q, t=t)
        return self._computed_derivative("hessian", "value", (self.rows,), q, t=t, order=2)

    def rate(self, q: Array, v: Any, u: Any, t: float) -> Array:
        """dh/dt at fixed q, (rows,)."""
        if self._model is None:
            return np.zeros(self.rows)
        if self._gives("rate"):
            at = self._at(q, t=t)
            return self._real("rate", at, (self.rows,))
        if not self._moves(q, t):
            return np.zeros(self.rows)
        return _derivatives.differences(lambda x: self._value(q, float(x[0])), np.array([t]))[:, 0]

    def bias(self, q: Array, v: Array, u: Any, t: float) -> Array:
        """d²h/dt² without accelerations: v^T h_qq v + 2 h_qt v + h_tt, (rows,)."""
        if self._model is None:
            return np.zeros(self.rows)
        out = np.asarray(self.hessian(q, v, u, t) @ v @ v)
        if self._moves(q, t):
            time = np.array([t])
            mixed = _derivatives.differences(lambda x: self._gradient(q, float(x[0])) @ v, time)[:, 0]
            if self._gives("rate"):
                twice = _derivatives.differences(lambda x: self.rate(q, v, u, float(x[0])), time)[:, 0]
            else:
                value = lambda x: self._value(q, float(x[0]))  # noqa: E731
                twice = _derivatives.second(value, time, "difference")[:, 0, 0]
            out = out + 2.0 * mixed + twice
        return out

    def _moves(self, q: Array, t: float) -> bool:
        """Whether h depends on time."""
        if not self._timed:
            self._value(q, t)
        return self._timed


def _bare(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without its ones: a user may return a row as a vector, or a number as an array of one entry."""
    return tuple(size for size in shape if size != 1)


def _array_of_entries(entries: list[tuple[tuple[int, ...], Any]], shape: tuple[int, ...]) -> Any:
    array = np.zeros(shape, dtype=np.result_type(np.float64, *(np.asarray(value) for _, value in entries)))
    for place, value in entries:
        array[place] = value
    return array


def _holds_traced(result: Any) -> bool:
    return isinstance(result, list | tuple) and any(
        isinstance(item, _traced.Traced) or _holds_traced(item) for item in result
    )


def _exact(array: Array) -> Array:
    return np.asarray(array, dtype=np.float64, order="C")
