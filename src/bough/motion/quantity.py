"""Quantities of a state by an expression, such as "pose tip z = 0.1": the events of the command line.

    elbow   q.elbow   v.elbow   p.elbow   pose FRAME x|y|z   speed FRAME   energy   t

A number after "=" is subtracted. The words "rising" or "falling" choose one direction of the zeros, and
"terminal" ends the run at the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bough.errors import ModelError, unknown_name
from bough.model.model import Model
from bough.motion.consistent_start import momenta
from bough.motion.state import State

AXES = ("x", "y", "z")
FORMS = "a variable, v.NAME, p.NAME, pose FRAME x, y or z, speed FRAME, energy or t"
DIRECTIONS = {"rising": 1, "falling": -1}
END = "terminal"


class Quantity:
    """A number that belongs to a state, less a value: a function of (t, state).

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> height = Quantity.of(system.build(), "pose bob z = -1 falling", "an example")
    >>> height(0.0, bough.State(0.0, [0.0])), height.direction
    (0.0, -1)
    """

    def __init__(
        self, text: str, read: Callable[[State], Any], value: float, terminal: int, direction: int
    ) -> None:
        self._text = text
        self._read = read
        self._value = value
        self.terminal = terminal
        self.direction = direction

    def __call__(self, t: float, state: State) -> float:
        return float(self._read(state)) - self._value

    def __repr__(self) -> str:
        return f"Quantity({self._text!r})"

    @classmethod
    def of(cls, model: Model, text: str, where: str) -> Quantity:
        """The quantity that a text names."""
        left, equals, right = text.partition("=")
        words = (right if equals else left).split()
        terminal = direction = 0
        while words and (words[-1] == END or words[-1] in DIRECTIONS):
            word = words.pop()
            terminal = 1 if word == END else terminal
            direction = DIRECTIONS.get(word, direction)
        value = 0.0
        if equals:
            value = _number(words, text, where)
            words = left.split()
        return cls(text, _reader(model, words, text, where), value, terminal, direction)


def _number(words: list[str], text: str, where: str) -> float:
    try:
        (word,) = words
        return float(word)
    except ValueError:
        raise ModelError(
            asked=f"{text!r} as {where}",
            found=f"{' '.join(words)!r} after '=', which is not a number",
            do="write a number there, such as 'pose tip z = 0.1'",
        ) from None


def _reader(model: Model, words: list[str], text: str, where: str) -> Callable[[State], Any]:
    """The function of the state that some words name."""
    known: dict[str, Callable[[State], Any]] = {
        "t": lambda state: state.t,
        "energy": lambda state: model.energy(state.q, state.v),
    }
    if len(words) == 1:
        symbol, dot, name = words[0].partition(".")
        if dot and symbol in ("q", "v", "p"):
            names = model.dynamic if symbol == "p" else model.variables
            if name not in names:
                raise unknown_name("variable", name, names, f"{text!r} as {where}")
            i = names.index(name)
            if symbol == "p":  # with the impulses of constraints, which those of a step are short of
                return lambda state: momenta(model, state)[i]
            return lambda state: getattr(state, symbol)[i]
        if words[0] in model.variables:
            i = model.index(words[0])
            return lambda state: state.q[i]
        if words[0] in known:
            return known[words[0]]
        if dot:
            raise _no_quantity(text, where)
        raise unknown_name("variable", words[0], (*model.variables, *known), f"{text!r} as {where}")
    if len(words) == 3 and words[0] == "pose" and words[2] in AXES:
        frame, axis = _frame(model, words[1], text, where), AXES.index(words[2])
        return lambda state: model.pose(frame, state.q)[axis, 3]
    if len(words) == 2 and words[0] == "speed":
        frame = _frame(model, words[1], text, where)
        return lambda state: _length(model.body_velocity(frame, state.q, state.v)[3:])
    raise _no_quantity(text, where)


def _length(vector: Any) -> float:
    return float((vector @ vector) ** 0.5)


def _frame(model: Model, name: str, text: str, where: str) -> str:
    if name not in model.frames:
        raise unknown_name("frame", name, model.frames, f"{text!r} as {where}")
    return name


def _no_quantity(text: str, where: str) -> ModelError:
    return ModelError(
        asked=f"{text!r} as {where}",
        found="no quantity of a state",
        do=f"write {FORMS}, then '= NUMBER' if it is not zero, then rising or falling, and terminal,"
        " if wanted: 'pose tip z = 0.1 falling'",
    )
