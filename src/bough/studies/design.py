"""What varies in an ensemble: a grid of axes, or rows of a table."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.description.parameter import ball_coordinates, ball_variables
from bough.description.rotation import FORMS, quaternion
from bough.errors import ModelError, nearest, quoted, unknown_name
from bough.method import ARGUMENTS
from bough.model.model import Model
from bough.problem import Problem
from bough.registry import options_of
from bough.studies.content import content_of
from bough.studies.rows import all_named, brief, named_rows, order_of

KINDS = ("q", "v", "p", "u", "k", "parameter")
OBSERVED = ("events", "t_eval", "dense")  # arguments of a problem that no axis varies
RUN = "run"  # the axis of a table


class Things(Sequence[Any]):
    """The values of an axis that are neither numbers nor words, such as controllers and starts by name.

    Like an array of objects; but Python's collector looks into a tuple, and not into an array.
    """

    dtype, ndim = np.dtype(object), 1

    def __init__(self, values: Iterable[Any]) -> None:
        self._values = tuple(values)

    @property
    def shape(self) -> tuple[int]:
        """The number of values."""
        return (len(self._values),)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Things(self._values[index])
        return Things(self._values[i] for i in index) if np.ndim(index) else self._values[index]

    def __repr__(self) -> str:
        return f"<{validate.counted(len(self), 'value')}>"


@dataclass(frozen=True)
class Design:
    """The runs of an ensemble, numbered from zero with the last axis fastest.

    Attributes
    ----------
    axes : the values of each axis by its name; of a table, the columns, which vary together
    table : whether `axes` are the columns of a table
    """

    axes: Mapping[str, Any]
    table: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of runs along each axis."""
        lengths = tuple(len(values) for values in self.axes.values())
        return lengths[:1] if self.table else lengths

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the axes."""
        return (RUN,) if self.table else tuple(self.axes)

    @property
    def count(self) -> int:
        """The number of runs."""
        return math.prod(self.shape)

    @property
    def replaces_velocities(self) -> bool:
        """Whether whole rows of q, or momenta, take the place of the velocities of the system's start."""
        return "q" in self.axes or any(name.partition(".")[0] == "p" for name in self.axes)

    def column(self, name: str, first: int, last: int) -> Any:
        """The values of one axis in the runs from `first` up to `last`."""
        numbers = np.arange(first, last)
        if not self.table:
            numbers = np.unravel_index(numbers, self.shape)[tuple(self.axes).index(name)]
        return self.axes[name][numbers]

    def changes(self, number: int) -> dict[str, Any]:
        """What a run changes in the problem, by the names of the axes."""
        return {name: self.column(name, number, number + 1)[0] for name in self.axes}

    def digest(self) -> str:
        """Equal for equal designs."""
        parts = [repr(self.table)]
        for name, values in self.axes.items():
            parts += [name, repr(values.shape), hashlib.sha256(_content(values).encode()).hexdigest()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _content(values: Any) -> str:
    """What tells the values of an axis apart, each of them as deep as it goes."""
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return content_of(values)
    return "\n".join(content_of(value) for value in values)


def design(problem: Problem, axes: Any, samples: Any) -> Design:
    """The checked design of an ensemble."""
    where = f"an ensemble of model {problem.model.name!r}"
    if (axes is None) == (samples is None):
        raise ModelError(
            asked=where,
            found="both axes and samples" if axes is not None else "neither axes nor samples",
            do="give axes such as {'q.angle': [0.1, 0.2]}, all combinations of which are run, or"
            " samples=table, one run for each row",
        )
    given = _columns(samples, where) if axes is None else axes
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            asked=f"axes={validate.shown(given)} in {where}",
            found="not a mapping from what varies to its values",
            do="give a dictionary such as {'q.angle': [0.1, 0.2], 'parameter.length': [0.8, 1.0]}",
        )
    checked = {str(name): _values(problem, name, values, where) for name, values in given.items()}
    _check_together(problem, checked, where)
    if axes is None and len({len(values) for values in checked.values()}) > 1:
        lengths = ", ".join(f"{name} {len(values)}" for name, values in checked.items())
        raise ModelError(
            asked=f"samples of {where}",
            found=f"columns of different lengths: {lengths}",
            do="give each column as many values as there are runs",
        )
    return Design(checked, axes is None)


def arguments(model: Model, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Problem.replace` for the changes of one run."""
    given: dict[str, Any] = {}
    parameters = {}
    for name, value in changes.items():
        kind, dot, variable = name.partition(".")
        if not dot:
            given[name] = value.item() if isinstance(value, np.generic) else value
        elif kind == "parameter":
            parameters[variable] = float(value)
        else:
            given.setdefault(kind, {})[variable] = value if np.ndim(value) else float(value)
    if parameters:
        given["model"] = model.with_parameters(**parameters)
    return given


def inner_dims(model: Model) -> dict[str, str]:
    """The names of the last axis of motions: a quaternion has more coordinates than rates."""
    return {"q": "coordinate" if model.balls else "variable", "p": "dynamic", "v": "variable"}


def known_names(model: Model, kind: str) -> Sequence[str]:
    """The names that axes of a kind may have."""
    return {
        "q": model.coordinates,
        "v": model.variables,
        "p": model.dynamic,
        "u": model.inputs,
        "k": model.kinematic,
        "parameter": tuple(model.parameters),
    }[kind]


def _columns(samples: Any, where: str) -> dict[str, Any]:
    """The columns of a table: a mapping, a list of mappings, a data frame or a structured array."""
    if isinstance(samples, Mapping):
        return dict(samples)
    if hasattr(samples, "columns"):  # a data frame
        return {str(name): np.asarray(samples[name]) for name in samples.columns}
    if isinstance(samples, np.ndarray) and samples.dtype.names:
        return {name: samples[name] for name in samples.dtype.names}
    rows = list(samples) if isinstance(samples, Sequence) and not isinstance(samples, str) else []
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise ModelError(
            asked=f"samples={validate.shown(samples)} in {where}",
            found="not a table",
            do="give a mapping from names to columns, a list of dictionaries, or a data frame",
        )
    for number, row in enumerate(rows):
        if row.keys() != rows[0].keys():
            other = sorted(map(str, row.keys() ^ rows[0].keys()))
            raise ModelError(
                asked=f"samples[{number}] in {where}",
                found=f"{quoted(other)} in this row or in the first, but not in both",
                do="give every row the same names",
            )
    return {name: [row[name] for row in rows] for name in rows[0]}


def _values(problem: Problem, name: Any, values: Any, where: str) -> Any:
    """The checked values of an axis, an array with the runs first."""
    model = problem.model
    kind, dot, variable = str(name).partition(".")
    if not isinstance(name, str) or (dot and kind not in KINDS):
        raise _unknown_axis(model, str(name), [f"{kind}.NAME" for kind in KINDS], where)
    if dot:
        if variable in model.balls and kind in ("q", "v"):
            return _of_ball(values, kind, variable, name, where)
        known = known_names(model, kind)
        if variable not in known:
            what = {
                "p": "dynamic variable",
                "u": "input",
                "k": "kinematic variable",
                "parameter": "parameter",
            }
            if not known:
                raise ModelError(
                    asked=f"axis {name!r} in {where}",
                    found=f"the model has no {what.get(kind, 'variable')}s",
                    do=f"name a number of the system, system.parameter({variable!r}, VALUE), and put it where the"
                    " number stands"
                    if kind == "parameter"
                    else "vary something else",
                )
            if variable in model.balls and kind == "p":
                raise ModelError(
                    asked=f"axis {name!r} in {where}",
                    found=f"{variable!r} is a ball, whose momenta are varied one by one",
                    do=f"vary {quoted(f'p.{rate}' for rate in ball_variables(variable))}",
                )
            if meant := _meant(model, (variable,)):
                raise _did_you_mean(name, meant, where)
            if kind in ("q", "v"):
                known = (*known, *model.balls)
            raise unknown_name(what.get(kind, "variable"), variable, known, f"axis {name!r} of {where}")
        return _numbers(values, (), name, where)
    if name in ("q", "v", "p"):
        if all_named(values):
            return Things(named_rows(model, name, values, where))
        return _numbers(values, (len(known_names(model, name)),), name, where, order_of(model, name))
    options = {*ARGUMENTS, *options_of(problem.settings["integrator"])} - {"q", "v", "p", *OBSERVED}
    if name not in options:
        forms = [*(f"{kind}.NAME" for kind in KINDS), "q", "v", "p", *sorted(options)]
        raise _unknown_axis(model, name, forms, where)
    listed = list(values) if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) else []
    if not listed:
        raise _no_values(name, values, where)
    if not all(
        np.ndim(value) == 0 and not callable(value) and not isinstance(value, Mapping) for value in listed
    ):
        return Things(listed)
    numbers = all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in listed)
    if numbers or all(isinstance(value, str) for value in listed):
        return np.array(listed)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column


def _meant(model: Model, names: Iterable[str]) -> dict[str, str]:
    """The axes of what has one of these names, and what it is."""
    kinds = {"parameter": ("a parameter", model.parameters), "u": ("an input", model.inputs)}
    kinds["q"] = ("a variable", (*model.coordinates, *model.balls))
    return {
        f"{kind}.{name}": f"{what} {name!r}"
        for name in names
        for kind, (what, known) in kinds.items()
        if name in known
    }


def _did_you_mean(name: str, meant: Mapping[str, str], where: str) -> ModelError:
    return ModelError(
        asked=f"axis {name!r} in {where}",
        found=f"no axis has this name; the model has {' and '.join(meant.values())}",
        do=f"did you mean {' or '.join(map(repr, meant))}?",
    )


def _unknown_axis(model: Model, name: str, forms: Sequence[str], where: str) -> ModelError:
    """The error for an axis that does not exist, with the one of what it may name."""
    known = (*model.parameters, *model.inputs, *model.coordinates, *model.balls)
    meant = _meant(model, (name, name.partition(".")[2])) or _meant(model, nearest(name, (*forms, *known), 1))
    return _did_you_mean(name, meant, where) if meant else unknown_name("axis", name, forms, where)


def _of_ball(values: Any, kind: str, ball: str, name: str, where: str) -> Array:
    """The rotations (runs, 4), or the rates (runs, 3), of a ball."""
    if kind == "v":
        return _numbers(values, (3,), name, where)
    if hasattr(values, "as_quat"):
        rotations = quaternion(values, f"axis {name!r}", where)
    else:
        listed = values if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) else ()
        if len(listed) == 0:
            raise _no_rotations(ball, values, name, where)
        rotations = np.array([quaternion(value, f"axis {name!r}", where) for value in listed])
    if rotations.ndim != 2:
        raise _no_rotations(ball, values, name, where)
    rotations.flags.writeable = False
    return rotations


def _no_rotations(ball: str, values: Any, name: str, where: str) -> ModelError:
    return ModelError(
        asked=f"axis {name!r} = {brief(values)} in {where}",
        found=f"not one or more rotations of the ball {ball!r}",
        do=f"give a list of rotations, each {FORMS}",
    )


def _check_together(problem: Problem, axes: Iterable[str], where: str) -> None:
    """Refuse axes of which one overrides another, or what the problem was given."""
    names: dict[str, list[str]] = {}
    for name in axes:
        names.setdefault(name.partition(".")[0], []).append(name)
    for kind in ("q", "v", "p", "u", "k"):
        parts = [name for name in names.get(kind, ()) if name != kind]
        if parts and kind in names[kind]:
            raise ModelError(
                asked=f"axes {kind!r} and {quoted(parts)} in {where}",
                found=f"{kind!r} gives all of them",
                do=f"vary {kind!r}, or single ones",
            )
    for kind in ("q", "v"):
        for ball in problem.model.balls:
            of_ball = {f"{kind}.{part}" for part in (*ball_coordinates(ball), *ball_variables(ball))}
            found = sorted(of_ball & set(names.get(kind, ())))
            if found and f"{kind}.{ball}" in names[kind]:
                raise ModelError(
                    asked=f"axes {kind + '.' + ball!r} and {quoted(found)} in {where}",
                    found=f"{kind + '.' + ball!r} gives all of the ball",
                    do=f"vary {kind + '.' + ball!r}, or single ones",
                )
    if "v" in names and "p" in names:
        raise ModelError(
            asked=f"axes {quoted(names['v'])} and {quoted(names['p'])} in {where}",
            found="both velocities and momenta",
            do="vary one of them",
        )
    for kind, other, what in (("v", "p", "momenta"), ("p", "v", "velocities")):
        if kind in names and problem.arguments[other] is not None:
            raise ModelError(
                asked=f"axis {quoted(names[kind])} in {where}",
                found=f"a problem that is given {what}, {other}",
                do=f"vary {other}, or leave {other} out of the problem",
            )


def _numbers(values: Any, row: tuple[int, ...], name: str, where: str, order: str = "") -> Array:
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(None)
    if (
        array.ndim != 1 + len(row)
        or array.shape[1:] != row
        or len(array) == 0
        or array.dtype.kind not in "iuf"
    ):
        raise _no_values(name, values, where, row, order)
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        place = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
        raise ModelError(
            asked=f"axis {name!r} in {where}",
            found=f"value {place[0]} is {float(array[place])!r}",
            do="give finite numbers",
        )
    array.flags.writeable = False
    return array


def _no_values(name: str, values: Any, where: str, row: tuple[int, ...] = (), order: str = "") -> ModelError:
    rows = f"rows of {validate.counted(row[0], 'number')} each" if row else ""
    by_name = f", in the order of model.{order}, or of mappings from names to numbers" if order else ""
    return ModelError(
        asked=f"axis {name!r} = {brief(values)} in {where}",
        found=f"not one or more {'rows' if row else 'values'}",
        do=f"give a list or an array of {rows}{by_name}"
        if row
        else "give a list or an array, such as [0.1, 0.2]",
    )
