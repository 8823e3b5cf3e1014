"""The parameters of a model: where they enter its numbers, and the same model with other numbers.

An `Entry` says that one number of the flat arrays (`Flat.arrays`), of gravity or of an element's record is a
formula of parameters. `derivative_entries` lists them all with their exact derivatives (PX2), for everything
that differentiates by parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough import validate
from bough.description.element import Element, Names
from bough.description.expression import Expression
from bough.description.formulas import at, item_at, names_in, numbers_in, symbolic
from bough.description.start import Start
from bough.errors import ModelError, unknown_name
from bough.validate import Array

if TYPE_CHECKING:
    from bough.description.system import System
    from bough.model.flatten import Flat

#: The flat array of each field of a frame that may hold formulas.
ARRAYS = {
    "parameter": "value",
    "ratio": "ratio",
    "offset": "offset",
    "pose": "pose",
    "xi": "screw",
    "mass": "mass",
    "com": "com",
    "inertia": "inertia",
}


class Entry(NamedTuple):
    """One number of a model that depends on parameters.

    Attributes
    ----------
    array : str
        A name of `Flat.arrays`: "value" (of a constant transform), "ratio", "offset", "pose", "screw", "mass",
        "com", "inertia", "gravity"; or "element".
    place : tuple of int
        The index in that array: the frame first; of an element, its number and the index in its values.
    expression : Expression
    """

    array: str
    place: tuple[int, ...]
    expression: Expression


class FrameFormulas(NamedTuple):
    """The formulas of one frame, with the numbers that are checked together with them."""

    place: int  # in depth-first order
    text: str
    formulas: Mapping[str, Any]
    names: frozenset[str]  # of the parameters in them
    body: tuple[float, Array | None, Array | None]  # mass, inertia, com
    as_given: bool


class Parametric(NamedTuple):
    """All formulas of a system, apart from those of its elements, which have them themselves."""

    frames: tuple[FrameFormulas, ...]
    gravity: Any  # three numbers or formulas; None if all are numbers
    start: Start
    arrays: dict[str, Any]  # `Flat.arrays` at the values that the system was built with

    def entries(self, values: Mapping[str, float]) -> list[Entry]:
        """Where parameters enter the flat arrays and gravity, at these values."""
        found = []
        for frame in self.frames:
            for field, formula in frame.formulas.items():
                for index, part in _parts(_as_stored(field, at(formula, values)), (frame.place,)):
                    found.append(Entry(ARRAYS[field], index, part))
        found += [Entry("gravity", index, part) for index, part in _parts(at(self.gravity, values), ())]
        return found

    def at(self, values: Mapping[str, float], changed: frozenset[str]) -> Parametric:
        """With the flat arrays at these values, after all checks of numbers.

        changed : the names of the parameters whose values differ
        """
        arrays = dict(self.arrays)
        frames = [frame for frame in self.frames if frame.names & changed]
        for name in {ARRAYS[field] for frame in frames for field in frame.formulas}:
            arrays[name] = arrays[name].copy()
        for frame in frames:
            _put_frame(arrays, frame, values)
        if names_in(self.gravity) & changed:
            arrays["gravity"] = np.array(numbers_in(at(self.gravity, values)), dtype=np.float64)
        start = item_at(self.start, values) if names_in(self.start) & changed else self.start
        return self._replace(arrays=arrays, start=start)


def parametric(system: System, flat: Flat) -> Parametric | None:
    """The formulas of a system; None if it has no parameters."""
    if not system._parameters:
        return None
    frames = tuple(
        FrameFormulas(
            place,
            frame._text(),
            dict(frame._formulas),
            names_in(frame._formulas),
            (frame._mass, frame._inertia, frame._com),
            frame._as_given,
        )
        for place, frame in enumerate(system.frames)
        if frame._formulas
    )
    return Parametric(frames, system._formulas.get("gravity"), system.start, flat.arrays)


def checked_values(known: Mapping[str, float], given: Mapping[str, Any], where: str) -> dict[str, float]:
    """The values of all parameters with some of them replaced."""
    for name in given:
        if name not in known:
            if not known:
                raise ModelError(
                    asked=f"parameter {name!r} of {where}",
                    found="the system has no parameters",
                    do="declare one with system.parameter(name, value) and use it in place of a number",
                )
            raise unknown_name("parameter", name, known, where)
    changes = {name: validate.real(value, f"parameter {name!r}", where) for name, value in given.items()}
    return {**known, **changes}


def element_names(names: Names, arrays: Mapping[str, Any]) -> Names:
    """The names of a system whose masses are those of other arrays."""
    return names._replace(masses=arrays["mass"].tolist(), coms=arrays["com"].tolist())


def element_entries(
    elements: Sequence[Element], records: Sequence[Any], names: Names, entries: Iterable[Entry]
) -> list[Entry]:
    """Where parameters enter the values of elements.

    names : with formulas in place of masses, for elements whose values depend on them
    """
    masses, coms = list(names.masses), [list(com) for com in names.coms]
    heavy = False
    for entry in entries:
        if entry.array == "mass":
            masses[entry.place[0]], heavy = entry.expression, True  # type: ignore[call-overload]
        elif entry.array == "com":
            coms[entry.place[0]][entry.place[1]], heavy = entry.expression, True  # type: ignore[call-overload]
    names = names._replace(masses=masses, coms=coms)
    found = []
    for number, (element, record) in enumerate(zip(elements, records, strict=True)):
        if not isinstance(record, tuple) or not (element._formulas or heavy):
            continue
        values = _symbolic_values(element, names, record)
        found += [Entry("element", (number, *index), part) for index, part in _parts(values, ())]
    return found


def elements_at(
    elements: Iterable[Element], values: Mapping[str, float], changed: frozenset[str]
) -> tuple[Element, ...]:
    """The elements with the numbers of other values, each checked again."""
    return tuple(
        item_at(element, values) if element._formulas and names_in(element._formulas) & changed else element
        for element in elements
    )


def _symbolic_values(element: Element, names: Names, record: Any) -> Any:
    """The values of a record with formulas in place of numbers."""
    try:
        formal = symbolic(element).record(names)
        same = formal[:4] == record[:4] and numbers_in(tuple(formal[4])) == tuple(record[4])
    except (TypeError, ValueError):
        same = False
    if not same:
        fields = " and ".join(repr(field) for field in element._formulas) or "the masses it uses"
        used = ", ".join(sorted(names_in(element._formulas)))
        raise ModelError(
            asked=f"parameter {used} in {fields} of {element._text()}",
            found="a direction or a table, which is normalised or interpolated before it is used",
            do="give numbers there; a direction that depends on a parameter is that of a frame turned by"
            " rx, ry or rz(parameter)",
        )
    return formal[4]


def _put_frame(arrays: dict[str, Any], frame: FrameFormulas, values: Mapping[str, float]) -> None:
    """Write the numbers of one frame into the flat arrays, after checking them as `Frame` does."""
    place, where = frame.place, frame.text
    new = {field: numbers_in(at(formula, values)) for field, formula in frame.formulas.items()}
    if "parameter" in new:
        arrays["value"][place] = validate.real(new["parameter"], "parameter", where)
    if "ratio" in new:
        arrays["ratio"][place] = validate.ratio(new["ratio"], where)
    if "offset" in new:
        arrays["offset"][place] = validate.real(new["offset"], "offset", where)
    if "pose" in new:
        arrays["pose"][place] = validate.pose(new["pose"], where)
    if "xi" in new:
        arrays["screw"][place] = validate.screw(new["xi"], where)
    if new.keys() & {"mass", "inertia", "com"}:
        mass, inertia, com = (
            new.get(field, kept) for field, kept in zip(("mass", "inertia", "com"), frame.body, strict=True)
        )
        mass, tensor, centre = validate.body(mass, inertia, com, where, frame.as_given)
        if "mass" in new:
            arrays["mass"][place] = mass
        if "inertia" in new:
            arrays["inertia"][place] = 0.0 if tensor is None else tensor
        if "com" in new:
            arrays["com"][place] = 0.0 if centre is None else centre


def _as_stored(field: str, formula: Any) -> Any:
    """A formula in the shape of its flat array."""
    if field != "inertia":
        return formula
    if np.ndim(np.array(formula, dtype=object)) == 1:
        return tuple(tuple(moment if i == j else 0.0 for j in range(3)) for i, moment in enumerate(formula))
    return tuple(tuple(0.5 * formula[i][j] + 0.5 * formula[j][i] for j in range(3)) for i in range(3))


def _parts(value: Any, index: tuple[int, ...]) -> Iterable[tuple[tuple[int, ...], Expression]]:
    """The formulas in nested tuples, each with its place."""
    if isinstance(value, Expression):
        yield index, value
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            yield from _parts(part, (*index, place))
