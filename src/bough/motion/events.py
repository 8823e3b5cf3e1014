"""Instants of a run at which a function of the state passes through zero.

The signs of g are compared at the nodes of a step and at some instants within it; a pair of roots between two
of them is not seen. A root is enclosed by them and located on states of the full accuracy of the method, to
the spacing of the numbers of t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bough import validate
from bough.errors import EventError, ModelError
from bough.model.model import Model
from bough.motion.quantity import Quantity
from bough.motion.state import State


class Event(NamedTuple):
    """A zero of an event function during a run.

    Attributes
    ----------
    t : float
    state : State
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

    def __init__(self, functions: Sequence[EventFunction], where: str) -> None:
        self.found: list[Event] = []
        self._functions = functions
        self._where = where
        self._last = [0.0] * len(functions)  # values at the end of the last step
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
        sketch: Callable[[float], State],
        exact: Callable[[float], State],
    ) -> None:
        """Find the events of a step; raises `Ended` at a terminal one.

        Parameters
        ----------
        end, after : the time and the state at the end of the step
        before : the time of its start
        inner : times within it, ascending
        sketch : the state at such a time, cheap
        exact : the state at any time of the step, of the full accuracy of the method
        """
        times = [*inner, end]
        found: list[Event] = []
        states = [*map(sketch, inner), after]
        for i in range(len(self._functions)):
            values = [self._value(i, t, state) for t, state in zip(times, states, strict=True)]
            if any(crossed(self._last[i], value) for value in values) or self._last[i] == 0.0:
                if sketch is not exact:
                    values = [*(self._value(i, t, exact(t)) for t in inner), values[-1]]
                found += self._zeros(i, before, times, values, exact)
            self._last[i] = values[-1]
        found.sort(key=lambda event: event.t)
        for event in found:
            self.found.append(event)
            self._counts[event.which] += 1
            if self._counts[event.which] == self._functions[event.which].terminal:
                raise Ended(event)

    def _zeros(
        self, i: int, before: float, times: list[float], values: list[float], exact: Callable[[float], State]
    ) -> list[Event]:
        """The events of one function in a step, from its values at some instants."""
        g, found = self._functions[i], []
        start, last = before, self._last[i]
        for t, value in zip(times, values, strict=True):
            if crossed(last, value) and g.direction * last <= 0.0:
                when = (
                    t if value == 0.0 else root(lambda x: self._value(i, x, exact(x)), start, last, t, value)
                )
                found.append(Event(float(when), exact(when), g.name, i))
            start, last = t, value
        return found

    def _value(self, i: int, t: float, state: State) -> float:
        """The value of an event function, checked."""
        g = self._functions[i]
        asked = f"event function {g.name!r} at t = {t:.6g} in {self._where}"
        keep = "the motion so far is in .trajectory of this exception"
        try:
            value = g.function(t, state)
        except Exception as error:
            raise EventError(
                asked=asked,
                found=f"it raised {type(error).__name__}: {error}",
                do=f"correct the function; {keep}",
            ) from error
        if not validate.is_real(value) or np.isnan(value):
            raise EventError(
                asked=asked,
                found=f"it returned {validate.shown(value)}, which is not a number",
                do=f"return one number, whose zeros are the events; {keep}",
            )
        return float(value)


def plain_event(model: Model, event: Event) -> Event:
    """An event with a state of plain numbers, as it is kept with a run."""
    state = event.state
    p = model.momentum(state.q, state.v)[: model.nd] if state.p is None else state.p
    arrays = (np.array(x) for x in (state.q, state.v, p))
    return event._replace(state=State(event.t, *arrays, names=model._names))


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
