"""What a chunk of an ensemble is made of and becomes: a task, the problems of its runs, and its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import BoughError, BoughWarning, ModelError, quoted, warn
from bough.model.model import Model
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.studies.design import Design, arguments
from bough.studies.keep import other_shape

MISSING, FINISHED, FAILED = 0, 1, 2  # status of a run
STATUS = ("missing", "finished", "failed")
START = ("q", "v", "p")


class NotKeptError(ModelError):
    """The constraints do not let a run start where its axes say."""


@dataclass
class Lost:
    """The runs of a chunk that lost a named value of their start: how many, and what the first says."""

    count: int = 0
    first: ModelError | None = None

    def add(self, error: ModelError | None, count: int = 1) -> None:
        """Count runs."""
        self.count += count
        self.first = self.first or error


class Task(NamedTuple):
    """Runs `first` up to `last` of an ensemble."""

    problem: Problem
    design: Design
    first: int
    last: int
    keep: Callable[[Trajectory], Mapping[str, Any]] | None
    threads: int = 1


@dataclass
class Part:
    """The results of a chunk: arrays with the runs first, NaN in those that failed."""

    first: int
    last: int
    status: Any  # int8
    messages: dict[int, str] = field(default_factory=dict)  # of the runs that failed, by number
    values: dict[str, Array] = field(default_factory=dict)
    steps: int = 0
    coarse: int = 0  # runs whose steps are too long
    refused: Lost = field(default_factory=Lost)  # runs that cannot start where their axes say
    changed: Lost = field(default_factory=Lost)  # runs that start elsewhere than the problem says

    def fail(self, number: int, why: str | Exception) -> None:
        """Note that a run failed."""
        self.status[number - self.first] = FAILED
        self.messages[number] = message_of(why) if isinstance(why, Exception) else why
        if isinstance(why, NotKeptError):
            self.refused.add(why)

    def put(self, name: str, number: int, value: Any) -> None:
        """Write one run's value; its shape is that of the first run."""
        value = np.asarray(value, dtype=np.float64)
        if name not in self.values:
            self.values[name] = np.full((self.last - self.first, *value.shape), np.nan)
        if self.values[name].shape[1:] != value.shape:
            raise other_shape(name, self.values[name].shape[1:], value.shape)
        self.values[name][number - self.first] = value


def problem_of(problem: Problem, design: Design, number: int, model: Model | None = None) -> Problem:
    """The problem of one run; `model` is its model, if it is made already."""
    changes = design.changes(number)
    if model is not None:
        changes = {name: value for name, value in changes.items() if not name.startswith("parameter.")}
    given = arguments(problem.model, changes)
    own = problem._replaced(**given) if model is None else problem._replaced(**given, model=model)
    for name, unkept in own._unkept.items():
        if name in given:
            raise NotKeptError(asked=unkept.asked, found=unkept.found, do=unkept.do)
    return own


def note_changed(part: Part, problem: Problem, own: Problem) -> None:
    """Note what the problem names and one of its runs does not have at the start."""
    for name, unkept in own._unkept.items():
        if name not in problem._unkept:
            part.changed.add(unkept)
            return


def check_lost(name: str, design: Design, refused: Lost, changed: Lost) -> None:
    """Raise if no run can start where its axes say; warn if some cannot, or start elsewhere than the problem says."""
    where = f"an ensemble of model {name!r}"
    if refused.first is not None and refused.count == design.count:
        raise ModelError(
            asked=f"axes {quoted(design.axes)} of {where}",
            found=f"no run can start where they say: in the first, {refused.first.found}",
            do="vary as many q and v as the mechanism has degrees of freedom, model.mobility(q): the others follow",
        )
    if refused.first is not None:
        warn(
            f"{refused.count} of {design.count} runs of {where} failed, for they cannot start where their axes say: in"
            f" the first of them, {refused.first.found}; study.messages has them all",
            BoughWarning,
        )
    if changed.first is not None:
        warn(
            f"{changed.count} of {design.count} runs of {where} start elsewhere than the problem says: in the first of"
            f" them, {changed.first.found}; {changed.first.do}",
            BoughWarning,
        )


def message_of(error: Exception) -> str:
    """An error in one line."""
    if isinstance(error, BoughError):
        return f"{error.asked}: {error.found}"
    return f"{type(error).__name__}: {error}"
