"""How the numbers of a model change with its parameters, for everything that differentiates by them.

The model is compiled at a few values around those that it has; the weights of a difference of fourth order then
give the change of every number in it (PG1), which is exact but for round-off for masses, moments, offsets and
all that elements are linear in.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.description.element import Constraint, Force, Potential
from bough.description.formulas import names_in
from bough.errors import ModelError, unknown_name
from bough.model.parameters import Entry

if TYPE_CHECKING:
    from bough.model.model import Model

STEP = 1e-3  # of the difference, as a part of the parameter
SMALLEST = 1e-3  # size that a parameter is taken to have at least, unless it is zero
# Places around a parameter and their weights: on both sides, or on one of them where the other is no model.
CENTRAL = ((1.0, 8.0 / 12.0), (-1.0, -8.0 / 12.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0))
ONE_SIDED = ((1.0, 4.0), (2.0, -3.0), (3.0, 4.0 / 3.0), (4.0, -0.25), (0.0, -25.0 / 12.0))
GEOMETRY = ("value", "ratio", "offset", "pose", "screw")
TURNS = 4  # the first kind of transform that turns


class Variation:
    """The variations of a model by some of its parameters.

    Attributes
    ----------
    names : tuple of str
    core : the same for the core
    """

    def __init__(self, model: Model, names: tuple[str, ...]) -> None:
        self.names = names
        self._model = weakref.ref(model)
        self._near: dict[str, list[tuple[Model, float]]] = {}
        self.core = core.VariedModel(model._core)
        entries: dict[str, list[Entry]] = {name: [] for name in names}
        for entry in model.parameter_entries:
            for name in entry.expression.names & entries.keys():
                entries[name].append(entry)
        own = {name for element in model._elements for name in names_in(element._formulas)}
        frames = _Frames(model)
        for name in names:
            if name in own or not frames.add(
                self.core, name, entries[name], _step(model, name, entries[name])
            ):
                near = self.near(name)
                others = [other for other, _ in near]
                moved = any(entry.array in GEOMETRY for entry in entries[name])
                self.core.add(
                    [(other._core, weight) for other, weight in near], _changed(model, others, moved)
                )

    def near(self, name: str) -> list[tuple[Model, float]]:
        """The model at other values of a parameter, each with its weight."""
        if name not in self._near:
            model = self._model()
            assert model is not None
            entries = [entry for entry in model.parameter_entries if name in entry.expression.names]
            self._near[name] = _near(model, name, _step(model, name, entries))
        return self._near[name]

    def difference(self, quantity: Callable[[Model], Any]) -> Array:
        """The derivative of a quantity of a model by the parameters, which are on its last axis."""
        columns = [
            sum(weight * np.asarray(quantity(other)) for other, weight in self.near(name))
            for name in self.names
        ]
        if not columns:
            model = self._model()
            return np.zeros((*np.shape(quantity(model)), 0))  # type: ignore[arg-type]
        return np.stack(columns, axis=-1)


class _Frames:
    """The numbers of the frames of a model, for parameters that enter nothing else."""

    NUMBERS = ("value", "ratio", "offset", "pose", "mass", "com", "inertia", "gravity")

    def __init__(self, model: Model) -> None:
        records = model._records
        # Elements on frames, and those of users, see where frames are; Gravity of some frames has their masses.
        self.seen = any(not isinstance(record, tuple) or bool(record[1]) for record in records)
        self.weighed = any(isinstance(record, tuple) and record[0] == "Gravity" for record in records)
        if model._parametric is not None:
            arrays = model._parametric.arrays
            self.tree = tuple(arrays[name] for name in ("parent", "kind", "variable"))
            self.numbers = [np.array(arrays[name], dtype=float) for name in self.NUMBERS]
            self.screw = arrays["screw"]

    def add(self, varied: Any, name: str, entries: list[Entry], step: float) -> bool:
        """Add a parameter whose variation the core knows; False if it changes elements or a screw."""
        arrays = {entry.array for entry in entries}
        if not arrays <= set(self.NUMBERS) or (self.weighed and entries):
            return False
        if self.seen and arrays & set(GEOMETRY):
            return False
        if not entries:
            varied.add([], ([], [], []))
            return True
        places = []
        for entry in entries:
            array = self.NUMBERS.index(entry.array)
            place = int(np.ravel_multi_index(entry.place, self.numbers[array].shape))
            places.append((array, place, entry.expression.derivatives()[name]))
        varied.add_of_frames(self.tree, self.numbers, self.screw, places, step)
        return True


def variation(model: Model, names: Iterable[str] | None, where: str) -> Variation:
    """The variation by all parameters, or by those named."""
    chosen = (
        tuple(model.parameters) if names is None else (names,) if isinstance(names, str) else tuple(names)
    )
    for name in chosen:
        if name not in model.parameters:
            raise unknown_name("parameter", str(name), model.parameters, where)
    found: Variation | None = model._variations.get(chosen)
    if found is None:
        found = model._variations[chosen] = Variation(model, chosen)
    return found


def _step(model: Model, name: str, entries: list[Entry]) -> float:
    """The step of the difference; the size of an angle says nothing about how far it may move."""
    value = model.parameters[name]
    step = STEP * (max(abs(value), SMALLEST) if value else 1.0)
    kinds = model._parametric.arrays["kind"] if model._parametric is not None else ()
    turns = any(e.array in ("value", "offset") and kinds[e.place[0]] >= TURNS for e in entries)
    return min(step, STEP) if turns else step


def _near(model: Model, name: str, step: float) -> list[tuple[Model, float]]:
    """The model at other values of a parameter, each with its weight."""
    value = model.parameters[name]
    failure: ModelError | None = None
    for places, sign in ((CENTRAL, 1.0), (ONE_SIDED, 1.0), (ONE_SIDED, -1.0)):
        try:
            return [
                (model.with_parameters(**{name: value + sign * place * step}), weight / (sign * step))
                for place, weight in places
            ]
        except ModelError as error:
            failure = error
    raise ModelError(
        asked=f"derivatives of model {model.name!r} by parameter {name!r}",
        found=f"no model at values around {value:g}: {failure.found if failure else ''}",
        do="give the parameter another value",
    ) from failure


def _changed(model: Model, others: list[Model], moved: bool) -> tuple[list[int], list[int], list[int]]:
    """The potentials, forces and constraints that change with a parameter, by their numbers among each.

    moved : whether it moves frames
    """
    kinds = (Potential, Force, Constraint)
    counts, found = [0, 0, 0], ([], [], [])  # type: tuple[list[int], tuple[list[int], list[int], list[int]]]
    for number, element in enumerate(model._elements):
        kind = next((i for i, base in enumerate(kinds) if isinstance(element, base)), None)
        if kind is None:  # contacts, whose changes are taken over whole models
            continue
        record = model._records[number]
        if isinstance(record, tuple):
            differs = any(other._records[number] != record for other in others) or (moved and bool(record[1]))
        else:  # written in Python, where all poses are seen
            differs = moved or any(other._elements[number] is not element for other in others)
        if differs:
            found[kind].append(counts[kind])
        counts[kind] += 1
    return found
