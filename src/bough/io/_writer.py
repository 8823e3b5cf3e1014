"""Systems as text that reads back as the same system, frame for frame in the order of their creation."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.description.element import Element
from bough.description.expression import Expression, plain_expression
from bough.description.frame import Frame
from bough.description.parameter import Kinematic, variable_name
from bough.description.plain import description
from bough.description.plain_value import plain_value
from bough.description.start import Start
from bough.errors import ModelError
from bough.io._arithmetic import formula_text, number_text
from bough.io._kinds import Field, Kind, function_kinds, kind_of
from bough.io._shape_form import Shape as ShapeForm
from bough.io.sexpr import written

if TYPE_CHECKING:
    from bough.description.shapes import Shape
    from bough.description.system import System

LEVELS = 30  # largest number of indentation levels, so that the text stays linear in size
WIDTH = 100
ELEMENTARY = ("tx", "ty", "tz", "rx", "ry", "rz")


def system_text(system: System) -> str:
    """The system as s-expressions."""
    data = description(system, [])
    lines = [f"(system (name {written(system.name)})"]
    for name, value in data.get("parameters", {}).items():
        lines.append(f"  (parameter {written(name)} {number_text(value)})")
    lines.append(f"  (gravity {_spaced_numbers(data['gravity'])})")
    _write_frames(system, lines)
    lines.extend(_element_text(element) for element in system.elements)
    lines.extend(_shape_text(shape) for shape in system.shapes)
    lines.extend(_start_text(system.start))
    lines[-1] += ")"
    return "\n".join(lines) + "\n"


# --- frames ---


def _write_frames(system: System, lines: list[str]) -> None:
    """One line per frame.

    Frames stand in the order of their creation: one that belongs to a frame whose parentheses are closed by
    then goes into `(at "parent" ...)`. A transform on which only the next one depends shares its line.
    """
    frames = system._frames
    opened: list[int] = []  # frames whose parentheses are open
    level_of: dict[int, int] = {}  # their indices in this list
    joined = ""  # transforms to be written on the line of the next frame
    for frame in frames[1:]:
        if not joined:
            keep = level_of[frame._parent] + 1 if frame._parent in level_of else 0
            lines[-1] += ")" * (len(opened) - keep)
            for index in opened[keep:]:
                del level_of[index]
            del opened[keep:]
            if not opened and frame._parent != 0:
                lines.append(f"  (at {written(frames[frame._parent].label)}")
                _open(frame._parent, opened, level_of)
        if len(joined) < WIDTH // 2 and _is_step(frame):
            joined += f"{_transform_text(frame)} "
            continue
        indent = "  " * (1 + min(len(opened), LEVELS))
        lines.append(f"{indent}({' '.join((joined + _transform_text(frame), *_options(frame)))}")
        joined = ""
        _open(frame._index, opened, level_of)
    lines[-1] += ")" * len(opened)


def _open(index: int, opened: list[int], level_of: dict[int, int]) -> None:
    level_of[index] = len(opened)
    opened.append(index)


def _is_step(frame: Frame) -> bool:
    """Whether a frame is only a transform towards the one created after it."""
    return (
        frame._kind in ELEMENTARY
        and frame._children == [frame._index + 1]
        and not any(True for _ in _options(frame))
    )


def _transform_text(frame: Frame) -> str:
    geometry = frame._geometry
    if frame._kind == "fixed":
        assert geometry is not None
        if _is_frame(frame):
            return f"frame {written(frame._name or '')}"
        rows = frame._formulas.get("pose", geometry.tolist())
        return f"fixed ({' '.join(f'({_spaced_numbers(row)})' for row in rows)})"
    value = frame._formulas.get("parameter", frame._parameter)
    if isinstance(value, Kinematic):
        parameter = f"(K {written(value.name)})"
    else:
        parameter = written(value) if isinstance(value, str) else _number(value or 0.0)
    if geometry is not None:
        return f"twist ({_spaced_numbers(frame._formulas.get('xi', geometry.tolist()))}) {parameter}"
    return f"{frame._kind} {parameter}"


def _is_frame(frame: Frame) -> bool:
    """Whether `(frame "name")` describes a frame completely: a named frame that coincides with its parent."""
    pose = None if "pose" in frame._formulas else frame.pose
    return frame._name is not None and pose is not None and np.array_equal(pose, np.eye(4))


def _options(frame: Frame) -> Iterable[str]:
    if frame._name is not None and not _is_frame(frame):
        yield f"(name {written(frame._name)})"
    given = frame._formulas
    ratio, offset = given.get("ratio", frame._ratio), given.get("offset", frame._offset)
    if ratio != 1.0:
        yield f"(ratio {_number(ratio)})"
    if offset != 0.0:
        yield f"(offset {_number(offset)})"
    variable = None if frame._parameter is None else variable_name(frame._parameter)
    again = variable is not None and frame._kind != "ball" and frame._system._users[variable] != frame._index
    if again and ratio == 1.0 and offset == 0.0:
        yield "(shared)"
    mass = given.get("mass", frame._mass)
    inertia: Any = given.get("inertia", None if frame._inertia is None else frame._inertia.tolist())
    com = given.get("com", None if frame._com is None else frame._com.tolist())
    if mass != 0.0 or com is not None or inertia is not None:
        moments = frame.inertia.diagonal()
        if "inertia" in given and not isinstance(inertia[0], tuple):
            yield f"(mass {_number(mass)} {_spaced_numbers(inertia)})"
            inertia = None
        elif frame._inertia is not None and np.array_equal(frame._inertia, np.diag(moments)):
            yield f"(mass {_number(mass)} {_spaced_numbers(moments.tolist())})"
            inertia = None
        else:
            yield f"(mass {_number(mass)})"
    if inertia is not None:
        yield f"(inertia {' '.join(f'({_spaced_numbers(row)})' for row in inertia)})"
    if com is not None:
        yield f"(com {_spaced_numbers(com)})"
    if frame._as_given:
        yield "(as-given)"


# --- elements ---


def _element_text(element: Element) -> str:
    data = element.to_dict()
    kind = kind_of(type(element))
    del data["type"]
    where = element._text()
    named = {*element.frame_fields, *element.variable_fields, *element.dynamic_fields}
    parts = []
    for field in kind.positional:
        if field.name not in named or data.get(field.name) is None:
            break
        parts.append(_bare(data.pop(field.name), field, where))
    parts.extend(_fields(data, kind, where))
    line = f"  ({' '.join((kind.word, *parts))})"
    return line if len(line) <= WIDTH else "\n    ".join((f"  ({kind.word}", *parts)) + ")"


def _shape_text(shape: Shape) -> str:
    data = shape.to_dict()
    if data["pose"] == np.eye(4).tolist():
        del data["pose"]
    first = f"(shape {written(data.pop('frame'))} {written(data.pop('kind'))}"
    parts = _fields(data, kind_of(ShapeForm), f"shape on {shape.frame}")
    line = f"  {' '.join((first, *parts))})"
    return line if len(line) <= WIDTH else "\n    ".join((f"  {first}", *parts)) + ")"


def _start_text(start: Start) -> list[str]:
    """One line, or one for each field if that is too long; none for a start of all zeros."""
    data = start.to_dict()
    if not data:
        return []
    marked = {name: {"mapping": data[name]} if name in ("q", "v") else data[name] for name in data}
    parts = _fields(marked, kind_of(Start), "the start")
    line = f"  (start {' '.join(parts)})"
    return [line if len(line) <= WIDTH else "\n    ".join(("  (start", *parts)) + ")"]


def _fields(data: dict[str, Any], kind: Kind, where: str) -> list[str]:
    """`(word value)` for every field that differs from its default."""
    fields = {field.name: (word, field) for word, field in kind.fields.items()}
    parts = []
    for name, value in data.items():
        word, field = fields.get(name, (name.replace("_", "-"), None))
        if field is None or field.default is dataclasses.MISSING or value != plain_value(field.default, name):
            parts.append(f"({word} {_rest_of_form(value, field, where)})")
    return parts


def _bare(value: Any, field: Field, where: str) -> str:
    """A value as the rest of an expression: a list or a mapping without parentheses around its entries."""
    entries = isinstance(value, list) and field.depth == 1 and field.width is None
    return _rest_of_form(value, field, where) if entries or isinstance(value, dict) else _datum(value, where)


def _rest_of_form(value: Any, field: Field | None, where: str) -> str:
    if isinstance(value, list) and field is not None and field.mapping:
        return f"(list {_join(value, where)})"
    if isinstance(value, list) and (len(value) > 1 or (value and field is not None and field.depth == 1)):
        return _join(value, where)
    if isinstance(value, dict) and value.get("mapping") and field is not None and field.mapping:
        return _pairs(value["mapping"], where)
    return _datum(value, where)


def _datum(value: Any, where: str) -> str:
    """A value as one item."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return written(value)
    if isinstance(value, float | int):
        return _number(value)
    if isinstance(value, list):
        return f"({_join(value, where)})" if value else "(list)"
    if "formula" in value:
        return formula_text(value["formula"])
    if "kinematic" in value:
        return f"(K {written(value['kinematic'])})"
    if "mapping" in value:
        return f"(map {_pairs(value['mapping'], where)})" if value["mapping"] else "(map)"
    if "function" in value:
        data = dict(value["function"])
        kind = next(kind for kind in function_kinds().values() if kind.cls.__name__ == data["type"])
        del data["type"]
        return f"({' '.join((kind.word, *_fields(data, kind, where)))})"
    raise ModelError(
        asked=f"file of {where}",
        found="it holds a function of Python, which a file cannot hold",
        do="add the element in Python after loading the file",
    )


def _join(values: Sequence[Any], where: str) -> str:
    return " ".join(_datum(value, where) for value in values)


def _pairs(mapping: dict[str, Any], where: str) -> str:
    return " ".join(f"({written(key)} {_datum(value, where)})" for key, value in mapping.items())


def _spaced_numbers(numbers: Iterable[Any]) -> str:
    return " ".join(map(_number, numbers))


def _number(value: Any) -> str:
    """A number, or a formula of parameters."""
    if isinstance(value, Expression):
        value = plain_expression(value)
    elif isinstance(value, dict):
        value = value["formula"]
    return formula_text(value)
