"""One instant of a motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError
from bough.motion.columns import place_of
from bough.named import NO_MODEL, ModelNames, Named


class PackedMemory(NamedTuple):
    """A state of the core in plain values, for pickling: its class and its numbers."""

    kind: str
    numbers: list[float]


class ReducedMemory(NamedTuple):
    """The memory of earlier steps that `ReducedVI` carries, as the core returns it."""

    t: float
    g: list[float]
    r: list[float]
    mu: list[float]
    p: list[float]
    dt_before: float
    past: list[float]


class Maker(Protocol):
    """The integrator that made a state and derives velocity and constraint forces from its numbers."""

    model: Any

    def velocity_of(self, memory: Any) -> Array: ...

    def multipliers_of(self, state: State) -> Array: ...


class State:
    """An immutable value: time, configuration, velocity, and momentum and constraint forces if known.

    States are passed and returned, never changed: all arrays are read-only. Those of a state of a model also
    take names: `state.q["elbow"]`, `state.lam["wire"]`; so does a state itself: `state["elbow"]`, `state["v.elbow"]`.

    Attributes
    ----------
    t : float
    q, v : array (nq,), (nv,)
    p : array (nd,) or None
        The momenta of the dynamic variables, as an integrator carries them: with constraints or contacts
        short of the impulse that these give at this instant.
    lam : array (nc,) or None
        The constraint forces: from an integrator, those during the step that led here, zero at the start;
        from a trajectory, the row of `Trajectory.lam`, those during the step that starts here; of order 4, 6
        or 8, those at this instant.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> vi = bough.MidpointVI(model, dt=0.01)
    >>> state = vi.start({"angle": 0.5})
    >>> state.t, state.q, state.v
    (0.0, array([0.5]), array([0.]))
    >>> bough.simulate(model, state, duration=0.5, dt=0.01)  # goes on from there
    <Trajectory of 'pendulum': 51 instants, t = 0 to 0.5 s, finished>
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
        memory: Any = None,
        names: ModelNames = NO_MODEL,
    ) -> None:
        self._t = float(t)
        self._names = names
        self._q = frozen(q)
        self._p = None if p is None else frozen(p)
        self._force = lam if callable(lam) else None  # called at most once, when lam is read
        self._lam: Array | None = None if lam is None or callable(lam) else frozen(lam)
        self._velocity = v if callable(v) else None  # likewise
        self._v: Array | None = None if callable(v) else frozen(np.zeros_like(self._q) if v is None else v)
        self._memory = memory  # state of an integrator beyond t, q and p, from which it continues

    @property
    def t(self) -> float:
        """The time."""
        return self._t

    @property
    def q(self) -> Named:
        """The configuration."""
        return Named(self._q, self._names.coordinates)

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

    __iter__ = None  # a state is no sequence

    def __getitem__(self, name: str) -> Any:
        """state["elbow"]: a number of q; state["v.elbow"], "p.elbow", "lam.wire" and "k.slide" those of the others."""
        if not isinstance(name, str):
            raise ModelError(
                asked=f"state[{name!r}]",
                found="a state is one instant, whose numbers have names",
                do="write state.q[0], state.v[0] or state['NAME']; run[0] is a state of a run",
            )
        if not self._names.coordinates.places:
            raise ModelError(
                asked=f"state[{name!r}]",
                found="a state that was made without a model, whose numbers have no names",
                do="write state.q[0], or take a state of a run, of model.assemble() or of an integrator",
            )
        symbol, place = place_of(self._names, name, "state")
        if symbol == "k":
            held = self._names.coordinates.places[name.partition(".")[2]]
            return np.asarray(self.q)[held]
        values = None if symbol == "u" else getattr(self, symbol)
        if values is None:
            raise ModelError(
                asked=f"state[{name!r}] of {self._names.coordinates.where}",
                found="inputs are no part of a state" if symbol == "u" else f"a state without {symbol}",
                do=f"write run[{name!r}], which a run has"
                if symbol == "u"
                else f"take a state of a run, which has {symbol}",
            )
        return np.asarray(values)[place]

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
        arrays = (plain(part) for part in (self.q, self.v, self.p, self.lam))
        return _unpickle, (self.t, *arrays, packed(self._memory), self._names)

    def __repr__(self) -> str:
        def short(values: Array) -> str:
            return np.array2string(values, precision=6, threshold=8, edgeitems=3, separator=", ")

        return f"State(t={self.t:g}, q={short(self.q)}, v={short(self.v)})"


class SteppedState(State):
    """The state after a step: its numbers stay in the core, and arrays are made on demand."""

    __slots__ = ("_maker",)

    def __init__(self, memory: Any, maker: Maker) -> None:
        self._memory = memory
        self._maker = maker
        self._names = maker.model._names
        self._v = self._lam = None

    @property
    def t(self) -> float:
        """The time."""
        return float(self._memory.t)

    @property
    def q(self) -> Named:
        """The configuration."""
        return Named(self._memory.q, self._names.coordinates)

    @property
    def v(self) -> Named:
        """The velocity."""
        if self._v is None:
            self._v = frozen(self._maker.velocity_of(self._memory))
        return Named(self._v, self._names.variables)

    @property
    def p(self) -> Named:
        """The momenta of the dynamic variables."""
        return Named(self._memory.p, self._names.dynamic)

    @property
    def lam(self) -> Named:
        """The constraint forces."""
        if self._lam is None:
            self._lam = frozen(self._maker.multipliers_of(self))
        return Named(self._lam, self._names.constraints)


def packed(memory: Any) -> Any:
    """The memory of a state in plain values."""
    if hasattr(memory, "numbers"):
        return PackedMemory(type(memory).__name__, memory.numbers())
    return memory


def plain(values: Array | None) -> Array | None:
    """An array without names."""
    return None if values is None else np.asarray(values)


def frozen(values: npt.ArrayLike) -> Array:
    """A read-only array with these numbers; one that is read-only already is not copied."""
    array = np.asarray(values, dtype=np.float64)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _unpickle(t: float, q: Array, v: Array, p: Array, lam: Array, memory: Any, names: ModelNames) -> State:
    if isinstance(memory, PackedMemory):
        memory = getattr(core, memory.kind)(memory.numbers)
    return State(t, q, v, p, lam, memory=memory, names=names)
