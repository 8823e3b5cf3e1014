"""Instants of a run at which a function of the state passes through zero.

The signs of g are compared at the nodes of a step and at some instants within it; a pair of roots between two
of them is not seen. A root is enclosed by them and located on states of the full accuracy of the method, to
the spacing of the numbers of t.

A value that the last digits of the state or of the time can make is zero: at the start, such as that of a run
which goes on from a terminal event, it is no event until g has left zero, and at a node it is an event of that node.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array
from bough.errors import EventError, ModelError
from bough.model.model import Model
from bough.motion.consistent_start import momenta
from bough.motion.quantity import Quantity
from bough.motion.state import State

CLOSE = 4.0  # units in the last place of t by which an instant may miss a node
NEAR = 1e-9  # of the largest value in a step, up to which another one may be zero to round-off
DIGITS = 8.0  # round-off of a step, in units in the last place
START_DIGITS = 2048.0  # of the start, which may stem from a motion at a time of some thousand seconds


class Event(NamedTuple):
    """A zero of an event function during a run.

    Attributes
    ----------
    t : float
    state : State
        With the constraint forces at this instant, unless the model has contacts.
    name : str
        The name of the function, or the expression.
    which : int
        Its place among `events`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> run = bough.simulate(model, {"angle": 0.5}, duration=1.0, dt=0.01, events=["angle"])
    >>> event = run.events[0]
    >>> round(event.t, 6), event.name
    (0.509505, 'angle')
    """

    t: float
    state: State
    name: str
    which: int


class EventFunction(NamedTuple):
    """A function g(t, state) whose zeros are events.

    Attributes
    ----------
    terminal : after how many of them the run ends; 0: never
    direction : 1: only where g rises; -1: only where it falls; 0: both
    """

    function: Callable[[float, State], Any]
    name: str
    terminal: int
    direction: int

    def settings(self) -> dict[str, Any]:
        """Everything but the function, in plain values."""
        return {"name": self.name, "terminal": self.terminal, "direction": self.direction}


class Ended(Exception):
    """The run ends with a terminal event."""

    def __init__(self, event: Event) -> None:
        super().__init__(event.name)
        self.event = event


def event_functions(model: Model, events: Any, where: str) -> tuple[EventFunction, ...]:
    """The event functions of a run, checked."""
    if events is None:
        return ()
    if callable(events) or isinstance(events, str):
        events = (events,)
    if not isinstance(events, Sequence | np.ndarray):
        raise _not_a_function("events", events, where)
    return tuple(_event_function(model, g, i, where) for i, g in enumerate(events))


def _event_function(model: Model, g: Any, index: int, where: str) -> EventFunction:
    what = f"events[{index}]"
    if isinstance(g, str):
        quantity = Quantity.of(model, g, f"{what} of {where}")
        return EventFunction(quantity, g, quantity.terminal, quantity.direction)
    if not callable(g):
        raise _not_a_function(what, g, where)
    name = getattr(g, "__name__", type(g).__name__)
    terminal, direction = getattr(g, "terminal", False), getattr(g, "direction", 0.0)
    if not isinstance(terminal, bool | np.bool_) and (not validate.is_whole(terminal) or terminal < 0):
        raise ModelError(
            asked=f"terminal={validate.shown(terminal)} of {what} in {where}",
            found="neither True nor False nor the number of events after which the run ends",
            do="set g.terminal = True",
        )
    if not validate.is_real(direction) or np.isnan(direction):
        raise ModelError(
            asked=f"direction={validate.shown(direction)} of {what} in {where}",
            found="not a number",
            do="set g.direction = 1 for zeros where g rises, -1 where it falls, 0 for both",
        )
    return EventFunction(g, what if name == "<lambda>" else name, int(terminal), int(np.sign(direction)))


def _not_a_function(what: str, given: Any, where: str) -> ModelError:
    return ModelError(
        asked=f"{what}={validate.shown(given)} in {where}",
        found="not a function",
        do="give functions g(t, state) that return a number, or expressions such as 'pose tip z = 0.1':"
        " events=[g]",
    )


class Observer:
    """The event functions of a run at work.

    Attributes
    ----------
    found : the events so far
    """

    def __init__(self, model: Model, functions: Sequence[EventFunction]) -> None:
        self.found: list[Event] = []
        self.expressions = all(
            isinstance(g.function, Quantity) for g in functions
        )  # which read q and v alone
        self._model = model
        self._functions = functions
        self._last = [0.0] * len(functions)  # values at the end of the last step
        self._left = [False] * len(functions)  # whether the function has left the zero of the start
        self._counts = [0] * len(functions)

    def begin(self, t: float, state: State) -> None:
        """The start, where a zero is no event."""
        self._last = [self._value(i, t, state) for i in range(len(self._functions))]

    def look(
        self,
        end: float,
        after: State,
        before: float,
        inner: Sequence[float],
        sketch: Callable[[Sequence[float]], Sequence[State]] | None,
        exact: Callable[[float], State],
    ) -> None:
        """Find the events of a step; raises `Ended` at a terminal one.

        Parameters
        ----------
        end, after : the time and the state at the end of the step
        before : the time of its start
        inner : times within it, ascending
        sketch : the states at such times, cheap; None: the exact ones
        exact : the state at any time of the step, of the full accuracy of the method
        """
        times = [*inner, end]
        found: list[Event] = []
        states = [*(map(exact, inner) if sketch is None else sketch(inner)), after]
        for i in range(len(self._functions)):
            values = [self._value(i, t, state) for t, state in zip(times, states, strict=True)]
            last = self._last[i]
            size = max(abs(last), *map(abs, values))
            small = abs(values[-1]) <= NEAR * size or (not self._left[i] and abs(last) <= NEAR * size)
            if small or last == 0.0 or any(crossed(last, value) for value in values):
                if sketch is not None:
                    values = [*(self._value(i, t, exact(t)) for t in inner), values[-1]]
                noise = self._round_off(i, after, [before, *times], [last, *values])
                last, *values = (0.0 if abs(value) <= noise else value for value in (last, *values))
                found += self._zeros(i, before, last, times, values, exact)
            self._last[i] = values[-1]
            self._left[i] |= values[-1] != 0.0
        found.sort(key=lambda event: event.t)
        for event in found:
            self.found.append(event)
            self._counts[event.which] += 1
            if self._counts[event.which] == self._functions[event.which].terminal:
                raise Ended(event)

    def _zeros(
        self,
        i: int,
        start: float,
        last: float,
        times: list[float],
        values: list[float],
        exact: Callable[[float], State],
    ) -> list[Event]:
        """The events of one function in a step, from its values at the start and at some instants."""
        g, found = self._functions[i], []
        for t, value in zip(times, values, strict=True):
            if crossed(last, value) and g.direction * last <= 0.0:
                when = (
                    t if value == 0.0 else root(lambda x: self._value(i, x, exact(x)), start, last, t, value)
                )
                found.append(Event(float(when), exact(when), g.name, i))
            start, last = t, value
        return found

    def _round_off(self, i: int, state: State, times: list[float], values: list[float]) -> float:
        """How large a value is that the last digits of t, q and v make, near a state at the end of a step.

        Of positions these are digits of a radian or of the size of the system, of velocities those of such a move
        in the step, and of larger numbers their own.
        """
        model, value = self._model, values[-1]
        digits = DIGITS if self._left[i] else START_DIGITS
        ends = zip(times[:-1], times[1:], values[:-1], values[1:], strict=True)
        slope = max(abs(y1 - y0) / (x1 - x0) for x0, x1, y0, y1 in ends)
        noise = DIGITS * math.ulp(max(abs(times[0]), abs(times[-1]))) * slope
        step = digits * float(np.finfo(float).eps)
        q, v = np.asarray(state.q), np.asarray(state.v)
        sizes = np.ones(model.nv)
        sizes[: model.nd] = 1.0 / np.asarray(core.variable_units(model._core))[: model.nd]
        far = sizes if model._balls else np.maximum(sizes, np.abs(q))
        fast = np.maximum(sizes / (times[-1] - times[0]), np.abs(v))
        for k in range(model.nv):
            move = np.zeros(model.nv)
            move[k] = step
            moved = model.integrate(q, far * move) if model._balls else q + far * move
            for nearby in ((moved, v), (q, v + fast * move)):
                noise += abs(self._nearby(i, state, *nearby, value) - value)
        return noise

    def _nearby(self, i: int, state: State, q: Array, v: Array, value: float) -> float:
        """The value at another configuration or velocity; of a function that takes no such state, the same."""
        p = None if self.expressions else self._model.momentum(q, v)[: self._model.nd]
        near = self._like(state, q, v, p)
        try:
            found = float(self._functions[i].function(state.t, near))
        except Exception:  # such as one that reads more of a state than every state has
            return value
        return found if np.isfinite(found) else value

    def _like(self, state: State, q: Array, v: Array, p: Array | None) -> State:
        """A state with other numbers; constraint forces are computed if they are read."""
        lam = None if type(state) is State and state.lam is None else lambda: np.asarray(state.lam)
        return State(state.t, q, v, p, lam, names=self._model._names)

    def _value(self, i: int, t: float, state: State) -> float:
        """The value of an event function, checked."""
        g, model = self._functions[i], self._model
        if (model.nc or model.gaps) and state.p is not None and not isinstance(g.function, Quantity):
            state = self._like(state, np.asarray(state.q), np.asarray(state.v), momenta(model, state))
        asked = f"event function {g.name!r} at t = {t:.6g} in a simulation of model {model.name!r}"
        keep = "the motion so far is in .trajectory of this exception"
        try:
            value = g.function(t, state)
        except Exception as error:
            raise EventError(
                asked=asked,
                found=f"it raised {type(error).__name__}: {error}",
                do=f"correct the function; {keep}",
            ) from error
        if type(value) is float and math.isfinite(value):
            return value
        if not validate.is_real(value) or not np.isfinite(value):
            infinite = validate.is_real(value) and np.isinf(value)
            raise EventError(
                asked=asked,
                found=f"it returned {validate.shown(value)}, which is {'infinite' if infinite else 'not a number'}",
                do=f"return one {'finite ' if infinite else ''}number, whose zeros are the events; {keep}",
            )
        return float(value)


def within(
    before: State, after: State, start: float, end: float, side: Callable[[float], State]
) -> Callable[[float], State]:
    """The state at a time of a step: at its ends what is there, between them that of a side step.

    A side step shorter than the spacing of the numbers of t is none.
    """
    close = CLOSE * math.ulp(max(abs(start), abs(end)))

    def exact(t: float) -> State:
        if abs(t - end) <= close:
            return after
        return before if abs(t - start) <= close else side(t)

    return exact


def plain_event(model: Model, event: Event, u: Array, ak: Array | None) -> Event:
    """An event with a state of plain numbers, as it is kept with a run.

    Its constraint forces are those of `forces_at`, with inputs u and kinematic accelerations ak.
    """
    state = event.state
    p = model.momentum(state.q, state.v)[: model.nd] if state.p is None else state.p
    q, v, p = (np.array(x) for x in (state.q, state.v, p))
    lam = forces_at(model, q, v, u, ak, event.t)
    return event._replace(state=State(event.t, q, v, p, lam, names=model._names))


def forces_at(model: Model, q: Array, v: Array, u: Array, ak: Array | None, t: float) -> Array | None:
    """The constraint forces of the continuous dynamics.

    Without constraints, with contacts, which these do not know, and in a singular configuration there are none.
    """
    if model.nc == 0 or model.gaps:
        return None
    try:
        return model.acceleration_and_multipliers(q, v, u, ak=ak, t=t)[1]
    except ModelError:
        return None


def crossed(last: float, value: float) -> bool:
    """Whether a function reached or passed zero from a value that was not zero."""
    return value <= 0.0 if last > 0.0 else last < 0.0 <= value


def root(f: Callable[[float], float], a: float, fa: float, b: float, fb: float) -> float:
    """A zero of f between a and b, where it has values of opposite signs, to the spacing of the numbers."""
    # T. R. Chandrupatla, A new hybrid quadratic/bisection algorithm (1997)
    a, b, fa, fb = b, a, fb, fa
    c, fc, part = a, fa, 0.5
    while True:
        x = a + part * (b - a)
        fx = f(x)
        if (fx > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        best, least = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        if least == 0.0 or b == c:
            return best
        limit = np.spacing(abs(best)) / abs(b - c)
        if limit > 0.5:
            return best
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:  # inverse quadratic interpolation
            part = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            part = 0.5
        part = min(1.0 - limit, max(limit, part))
