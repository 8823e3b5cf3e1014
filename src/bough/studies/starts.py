"""The starts of a chunk of runs that the core makes, each consistent with the constraints of its model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import BoughError
from bough.model.model import Model
from bough.motion.state import State
from bough.studies.design import Things, known_names
from bough.studies.task import FAILED, START, Part, Task, note_changed, problem_of


class Starts(NamedTuple):
    """The starts of some runs, as the core takes them."""

    numbers: Any  # int array
    models: list[Model]
    model: Any  # int array, by run
    q: Array
    p: Array


def starts_of(task: Task, part: Part) -> Starts:
    """Consistent starts; runs without one have failed."""
    problem, design = task.problem, task.design
    models, model_of = _models(task, part, range(task.first, task.last))
    places = np.flatnonzero(part.status != FAILED)
    numbers, index = places + task.first, model_of[places]
    varied = any(name.partition(".")[0] in (*START, "parameter") for name in design.axes)
    alike = (
        problem.model.nc == 0
        and not isinstance(problem.arguments["q"], State)
        and not problem.model.start._formulas
        and not (problem.model.start.v and design.replaces_velocities)
    )
    if varied and not alike:
        return _each(task, part, numbers.tolist(), models, model_of)
    q = np.tile(problem.q, (len(numbers), 1))
    v = np.tile(problem.v, (len(numbers), 1))
    p = np.tile(problem.p, (len(numbers), 1))
    for name in design.axes:
        kind, dot, variable = name.partition(".")
        if kind in START:
            into = {"q": q, "v": v, "p": p}[kind]
            values = design.column(name, task.first, task.last)[places]
            names = known_names(problem.model, kind)
            if dot:
                into[:, names.index(variable)] = values
            elif isinstance(values, Things):
                for row, named in zip(into, values, strict=True):
                    row[[names.index(each) for each in named]] = list(named.values())
            else:
                into[:] = values
    by_momenta = problem.arguments["p"] is not None or any(
        name.partition(".")[0] == "p" for name in design.axes
    )
    moving = not by_momenta and v.any()
    for place, model in enumerate(models):
        rows = np.flatnonzero(index == place)
        if moving:
            p[rows] = model.momentum(q[rows], v[rows])[:, : model.nd]
            p[rows[~v[rows].any(axis=1)]] = 0.0
        energy = np.empty(len(rows))
        core.potential_energy(model._core, np.ascontiguousarray(q[rows]), energy)
        for row in rows[~np.isfinite(energy)]:
            part.fail(int(numbers[row]), "the potential energy is not finite at the start")
    fine = part.status[places] != FAILED
    return Starts(numbers[fine], models, index[fine], q[fine], p[fine])


def _each(task: Task, part: Part, numbers: list[int], models: list[Model], model_of: Any) -> Starts:
    """The starts of runs with constraints, each made consistent on its own."""
    found, q, p = [], [], []
    for number in numbers:
        try:
            own = problem_of(task.problem, task.design, number, models[model_of[number - task.first]])
        except Exception as error:
            part.fail(number, error)
            continue
        note_changed(part, task.problem, own)
        found.append(number)
        q.append(own.q)
        p.append(own.p)
    model = task.problem.model
    made = np.array(found, dtype=np.intp)
    rows = (np.array(q).reshape(-1, model.nv), np.array(p).reshape(-1, model.nd))
    return Starts(made, models, model_of[made - task.first], *rows)


def _models(task: Task, part: Part, numbers: range) -> tuple[list[Model], Any]:
    """The models of the runs, each once, and the place of each run's model among them."""
    names = [name for name in task.design.axes if name.startswith("parameter.")]
    model = task.problem.model
    if not names:
        return [model], np.zeros(len(numbers), dtype=np.intp)
    columns = [task.design.column(name, task.first, task.last).tolist() for name in names]
    models: list[Model] = []
    known: dict[tuple[float, ...], int] = {}
    refused: dict[tuple[float, ...], BoughError] = {}
    places = []
    for number, values in zip(numbers, zip(*columns, strict=True), strict=True):
        if values not in known:
            try:
                chosen = {name.partition(".")[2]: value for name, value in zip(names, values, strict=True)}
                models.append(model.with_parameters(**chosen))
                known[values] = len(models) - 1
            except BoughError as error:
                known[values], refused[values] = -1, error
        if values in refused:
            part.fail(number, refused[values])
        places.append(known[values])
    return models, np.array(places, dtype=np.intp)
