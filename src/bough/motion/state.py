"""One instant of a motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.named import NO_MODEL, ModelNames, Named


class VariationalMemory(NamedTuple):
    """What `MidpointVI` and `TrapezoidalVI` know of the steps before, as the core gives it."""

    t: float
    q: list[float]
    p: list[float]
    lam: list[float]
    dt_before: float
    past: list[float]
    age: list[float]
    made_up: bool
    given: list[float]
    peak: float
    shift: list[float]


class GaussMemory(NamedTuple):
    """What `MidpointVI` of order 4, 6 or 8 knows of the step before, as the core gives it."""

    t: float
    q: list[float]
    p: list[float]
    t_rest: float
    q_rest: list[float]
    p_rest: list[float]
    dt_before: float
    dt_earlier: float
    contraction: float
    newton: int
    rates: list[float]
    impulses: list[float]


class ReducedMemory(NamedTuple):
    """What `ReducedVI` knows of the steps before, as the core gives it."""

    t: float
    g: list[float]
    r: list[float]
    mu: list[float]
    p: list[float]
    dt_before: float
    past: list[float]


Memory = VariationalMemory | GaussMemory | ReducedMemory


class State:
    """A small value: time, configuration, velocity, and momentum and constraint forces where they are known.

    States are passed and returned, never changed: all arrays are read-only. Those of a state of a model also
    take names: `state.q["elbow"]`, `state.lam["wire"]`.

    Attributes
    ----------
    t : float
    q, v : array (nq,)
    p : array (nd,) or None
        The momenta of the dynamic variables, as an integrator carries them.
    lam : array (nc,) or None
        The constraint forces: from an integrator, those during the step that led here, zero at the start;
        from a trajectory, the row of `Trajectory.lam`, those during the step that starts here; of order 4, 6
        or 8, those at this instant.
    """

    __slots__ = ("_force", "_lam", "_memory", "_names", "_p", "_q", "_t", "_v", "_velocity")

    def __init__(
        self,
        t: float,
        q: npt.ArrayLike,
        v: npt.ArrayLike | Callable[[], Array] | None = None,
        p: npt.ArrayLike | None = None,
        lam: npt.ArrayLike | Callable[[], Array] | None = None,
        *,
        memory: Memory | None = None,
        names: ModelNames = NO_MODEL,
    ) -> None:
        self._t = float(t)
        self._names = names
        self._q = frozen(q)
        self._p = None if p is None else frozen(p)
        self._force = lam if callable(lam) else None  # called at most once, when lam is asked for
        self._lam: Array | None = None if lam is None or callable(lam) else frozen(lam)
        self._velocity = v if callable(v) else None  # likewise
        self._v: Array | None = None if callable(v) else frozen(np.zeros_like(self._q) if v is None else v)
        self._memory = memory  # what an integrator needs for its next guess; others start from the rest

    @property
    def t(self) -> float:
        """The time."""
        return self._t

    @property
    def q(self) -> Named:
        """The configuration."""
        return Named(self._q, self._names.variables)

    @property
    def v(self) -> Named:
        """The velocity."""
        if self._v is None:
            assert self._velocity is not None
            self._v = frozen(self._velocity())
        return Named(self._v, self._names.variables)

    @property
    def p(self) -> Named | None:
        """The momenta of the dynamic variables."""
        return None if self._p is None else Named(self._p, self._names.dynamic)

    @property
    def lam(self) -> Named | None:
        """The constraint forces."""
        if self._lam is None and self._force is not None:
            self._lam = frozen(self._force())
        return None if self._lam is None else Named(self._lam, self._names.constraints)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.t == other.t
            and np.array_equal(self.q, other.q)
            and np.array_equal(self.v, other.v)
            and _same(self.p, other.p)
            and _same(self.lam, other.lam)
        )

    def __hash__(self) -> int:
        return hash((self.t, self.q.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self._q, np.asarray(self.v), self._p, self._lam)
        return _restored, (self.t, *arrays, self._memory, self._names)

    def __repr__(self) -> str:
        def short(values: Array) -> str:
            return np.array2string(values, precision=6, threshold=8, edgeitems=3, separator=", ")

        return f"State(t={self.t:g}, q={short(self.q)}, v={short(self.v)})"


def frozen(values: npt.ArrayLike) -> Array:
    """A read-only array with these numbers; one that is read-only already is not copied."""
    array = np.asarray(values, dtype=np.float64)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _restored(
    t: float, q: Array, v: Array, p: Array, lam: Array, memory: Memory | None, names: ModelNames
) -> State:
    return State(t, q, v, p, lam, memory=memory, names=names)
