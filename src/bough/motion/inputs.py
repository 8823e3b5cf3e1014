"""Inputs u and prescribed values k of a run, in every form a user may give them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bough import validate
from bough.arguments import Array, vector
from bough.errors import ModelError, unknown_name
from bough.model.model import Model
from bough.motion.consistent_start import single
from bough.motion.grid import Grid
from bough.motion.state import State


class Inputs(NamedTuple):
    """The inputs of each step: held from its start to its end.

    Attributes
    ----------
    rows : array
        (0, 0) without inputs, (1, nu) when they are constant, else (steps, nu).
    function : callable or None
        Returns the inputs of a step from its start, (t, state) -> (nu,); the values are stored in `rows`.
    resets : functions without arguments
        The methods `reset` of controllers with a memory, which are called before each run.
    """

    rows: Array
    function: Callable[[float, State], Array] | None = None
    resets: tuple[Callable[[], Any], ...] = ()

    @property
    def changing(self) -> bool:
        """Whether the inputs may differ from step to step."""
        return len(self.rows) > 1 or self.function is not None

    def again(self) -> Inputs:
        """A copy for another run, with rows of its own for the values of a function, which starts without a past."""
        if self.function is None:
            return self
        for reset in self.resets:
            reset()
        return Inputs(np.zeros_like(self.rows), self.function, self.resets)

    def of_step(self, step: int, t: float, state: Callable[[], State]) -> Array:
        """The inputs of one step."""
        if self.function is not None:
            self.rows[step] = self.function(t, state())
        row: Array = self.rows[step if len(self.rows) > 1 else 0] if len(self.rows) else self.rows.reshape(0)
        return row

    def at(self, steps: Any) -> Array:
        """The inputs of several steps, (len(steps), nu)."""
        if len(self.rows) > 1:
            rows: Array = self.rows[np.minimum(steps, len(self.rows) - 1)]
            return rows
        held = np.empty((len(steps), self.rows.shape[1]))
        held[:] = self.rows if len(self.rows) else 0.0
        return held


def inputs(model: Model, u: Any, grid: Grid, where: str) -> Inputs:
    """The inputs of a run from an array (nu,) or (steps, nu), a mapping, or a function u(t) or u(t, state).

    A function of time alone, such as a spline, is called for all steps at once, before the run.
    """
    names, steps = model.inputs, grid.steps
    if not names:
        if u is None or (isinstance(u, Mapping) and not u) or (not callable(u) and np.size(u) == 0):
            return Inputs(np.zeros((0, 0)))
        raise ModelError(
            asked=f"u in {where}",
            found=f"model {model.name!r} has no inputs",
            do="leave u out, or add a force with an input, such as ConfigurationForce('joint', 'torque')",
        )
    if u is None:
        return Inputs(np.zeros((1, len(names))))
    if callable(u):
        return _from_function(u, names, grid, where)
    if isinstance(u, Mapping) and any(callable(value) for value in u.values()):
        return _from_functions(u, names, grid, where)
    return Inputs(_table(u, names, steps, "u", where, "inputs"))


def _from_function(u: Callable[..., Any], names: Sequence[str], grid: Grid, where: str) -> Inputs:
    """The inputs that one function gives for all names."""
    if takes_state(u, "u", where):

        def function(t: float, state: State) -> Array:
            value = called(u, (t, state), "u", where)
            return row_of(value, names, f"u({t:g}, state)", where, "inputs")

        return Inputs(np.zeros((grid.steps, len(names))), function, _resets([u]))
    rows = np.zeros((grid.steps, len(names)))
    for step, t in enumerate(grid.nodes()[:-1].tolist()):
        rows[step] = row_of(called(u, (t,), "u", where), names, f"u({t:g})", where, "inputs")
    return Inputs(rows)


def _from_functions(u: Mapping[str, Any], names: Sequence[str], grid: Grid, where: str) -> Inputs:
    """The inputs of a mapping with functions of t or (t, state) among its values."""
    columns: dict[str, Any] = {}
    feedback: dict[int, tuple[str, Callable[..., Any]]] = {}
    times = grid.nodes()[:-1].tolist()
    for name, value in u.items():
        if not callable(value):
            columns[name] = value
        elif takes_state(value, f"u[{validate.shown(name)}]", where):
            feedback[_index(name, names, "u", where)] = (name, value)
        else:
            _index(name, names, "u", where)
            what = f"u[{name!r}]"
            columns[name] = [
                validate.real(item(called(value, (t,), what, where)), f"{what}({t:g})", where) for t in times
            ]
    fixed = _table(columns, names, grid.steps, "u", where, "inputs")
    if not feedback:
        return Inputs(fixed)

    def function(t: float, state: State) -> Array:
        row: Array = fixed[0 if len(fixed) == 1 else round((t - grid.t0) / grid.dt)].copy()
        for i, (name, value) in feedback.items():
            given = item(called(value, (t, state), f"u[{name!r}]", where))
            row[i] = validate.real(given, f"u[{name!r}]({t:g}, state)", where)
        return row

    resets = _resets(value for _, value in feedback.values())
    return Inputs(np.zeros((grid.steps, len(names))), function, resets)


def _resets(controllers: Iterable[Any]) -> tuple[Callable[[], Any], ...]:
    found = (getattr(controller, "reset", None) for controller in controllers)
    return tuple(reset for reset in found if callable(reset))


def takes_state(function: Callable[..., Any], what: str = "u", where: str = "simulate") -> bool:
    """Whether a function is one of (t, state), and not of t alone; one that begins with the state is refused.

    What follows t with a default, as in the call of a SciPy spline, keeps it, unless it is named state.
    """
    if isinstance(function, np.ufunc):
        return function.nin > 1
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C
        return True
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if places and places[0].name == "state":
        names = ", ".join(p.name for p in places)
        raise ModelError(
            asked=f"{what} in {where}",
            found=f"a function of ({names}), which would be called with the time in place of the state",
            do="write it as a function of (t, state) for feedback, such as u=lambda t, state: ...",
        )
    return len(places) > 1 and (places[1].default is inspect.Parameter.empty or places[1].name == "state")


def called(function: Callable[..., Any], arguments: tuple[Any, ...], what: str, where: str) -> Any:
    """The value of a user's function of t or of (t, state); one that takes other arguments is refused."""
    try:
        return function(*arguments)
    except (AttributeError, TypeError) as error:
        inputs = what.startswith("u")
        names = _other_arguments(function, len(arguments)) if isinstance(error, TypeError) else None
        if names is not None:
            call = "the time alone" if len(arguments) == 1 else "(t, state)"
            raise ModelError(
                asked=f"{what} in {where}",
                found=f"a function of ({', '.join(names)}), which is called with {call}",
                do="write it as a function of t, or of (t, state) for feedback, such as u=lambda t, state: ..."
                if inputs
                else "write it as a function of t, such as k=lambda t: ...",
            ) from None
        if len(arguments) > 1 or "'float' object" not in str(error):
            raise
        raise ModelError(
            asked=f"{what} in {where}",
            found=f"a function of one argument is called with the time t, and this one fails: {error}",
            do="write it as a function of (t, state) for feedback, such as u=lambda t, state: ..."
            if inputs
            else "write it as a function of t alone",
        ) from error


def _other_arguments(function: Callable[..., Any], count: int) -> list[str] | None:
    """The names of the arguments of a function that cannot be called with so many of them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C
        return None
    try:
        signature.bind(*range(count))
    except TypeError:
        return list(signature.parameters)
    return None


def row_of(value: Any, names: Sequence[str], what: str, where: str, plural: str) -> Array:
    """The return value of a function for all names; a single name may get a number."""
    return single(
        [value] if len(names) == 1 and validate.is_real(value) else value, names, what, where, plural
    )


def item(value: Any) -> Any:
    """The number in an array of one, which a spline through one column returns."""
    return value.item() if isinstance(value, np.ndarray) and value.size == 1 else value


def prescribed(model: Model, k: Any, start: Array, given: Array, grid: Grid, where: str) -> Array:
    """The values of the kinematic variables at all nodes, (steps + 1, nk); (0, nk) when they are held.

    Parameters
    ----------
    start : their values in the start configuration
    given : whether the user gave each of these values
    """
    names, plural = model.kinematic, "kinematic variables"
    if k is None or (isinstance(k, Mapping) and not k):
        return np.zeros((0, len(names)))
    if not names:
        raise ModelError(
            asked=f"k in {where}",
            found=f"model {model.name!r} has no kinematic variables",
            do="leave k out, or write bough.kinematic('name') for a variable whose motion is prescribed",
        )
    moved = np.ones(len(names), dtype=bool)
    if callable(k):
        times = grid.nodes().tolist()
        values = np.array(
            [row_of(called(k, (t,), "k", where), names, f"k({t:g})", where, plural) for t in times]
        )
    elif isinstance(k, Mapping):
        moved[:] = False
        columns: dict[str, Any] = {}
        for name, value in k.items():
            moved[_index(name, names, "k", where, plural)] = True
            columns[name] = value
            if callable(value):
                what = f"k[{name!r}]"
                times = grid.nodes().tolist()
                columns[name] = [
                    validate.real(item(called(value, (t,), what, where)), f"{what}({t:g})", where)
                    for t in times
                ]
        values = _table(columns, names, grid.steps + 1, "k", where, plural)
        values = np.broadcast_to(values, (grid.steps + 1, len(names))).copy()
        values[:, ~moved] = start[~moved]
    else:
        values = _table(k, names, grid.steps + 1, "k", where, plural)
        if len(values) == 1:
            values = np.broadcast_to(values, (grid.steps + 1, len(names))).copy()
    off = moved & given & (np.abs(values[0] - start) > 1e-9 * np.maximum(1.0, np.abs(start)))
    if off.any():
        i = int(np.argmax(off))
        raise ModelError(
            asked=f"k in {where}",
            found=f"{names[i]!r} starts at {values[0, i]:g} in k, but at {start[i]:g} in q",
            do="give the same value in both, or leave it out of q",
        )
    return values


def _index(name: Any, names: Any, what: str, where: str, plural: str = "inputs") -> int:
    if name not in names:
        raise unknown_name(plural[:-1], str(name), names, f"{what} of {where}")
    place: int = names.index(name)
    return place


def _table(value: Any, names: Any, rows: int, what: str, where: str, plural: str) -> Array:
    """Numbers for all names, constant (1, n) or one row per step or node (rows, n)."""
    if isinstance(value, Mapping):
        for name, column in value.items():
            shape = np.shape(column)
            if name in names and shape not in ((), (rows,)):
                raise ModelError(
                    asked=f"{what}[{name!r}] in {where}",
                    found=f"shape {shape}",
                    do=f"give one number, or {rows} of them: {_rows_text(what)}",
                )
    elif _shape(value) not in ((), (len(names),), (1, len(names)), (rows, len(names))):
        raise ModelError(
            asked=f"{what} in {where}",
            found=f"shape {_shape(value)}",
            do=f"give shape ({len(names)},) or ({rows}, {len(names)}): {_rows_text(what)}",
        )
    # a copy, so that a run does not change with the array that it was given
    return np.array(np.atleast_2d(vector(value, names, what, where, plural)), order="C")


def _shape(value: Any) -> tuple[int, ...]:
    try:
        return tuple(np.shape(value))
    except ValueError:  # rows of different lengths: `vector` says so
        return ()


def _rows_text(what: str) -> str:
    return (
        "one row for each step" if what == "u" else "one row for the start and one for the end of each step"
    )
