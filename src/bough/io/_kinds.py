"""The words of the file format for elements and functions, made from the fields of their classes.

A class is written as its name in small letters with hyphens, LinearSpring as linear-spring, and so are its
fields. The annotation of a field says how deep lists are nested in it, and how many numbers it holds.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from typing import Any, NamedTuple

from bough.description import element as elements
from bough.description.functions import Function

BASES = ("Potential", "Force", "Constraint", "UnilateralConstraint")
WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
MODULE = re.compile(r"\b\w+\.(?=\w)")
ALIAS = re.compile(r"\b\w+\b")


class Field(NamedTuple):
    """One field of a class."""

    name: str
    depth: int  # the least depth of nested lists
    width: int | None  # the number of entries of a list, if that is fixed
    mapping: bool  # whether it is a mapping from names to values
    needed: bool
    default: Any


class Kind(NamedTuple):
    """A class and its fields by their words."""

    word: str
    cls: type[Any]
    fields: dict[str, Field]
    positional: tuple[Field, ...]
    any_field: bool  # whether it is a user's class with an __init__ of its own


def element_kinds() -> dict[str, Kind]:
    """All element classes defined so far, including the user's."""
    known = {name: cls for name, cls in elements._kinds.items() if name not in BASES and name[0] != "_"}
    return {kind.word: kind for kind in map(kind_of, known.values())}


def function_kinds() -> dict[str, Kind]:
    """The functions of one number."""
    return {kind.word: kind for kind in map(kind_of, Function.__subclasses__())}


def kind_of(cls: type[Any]) -> Kind:
    """The words of a class."""
    if cls not in _kinds:
        _kinds[cls] = _kind(cls)
    return _kinds[cls]


_kinds: dict[type[Any], Kind] = {}


def _kind(cls: type[Any]) -> Kind:
    made_of_fields = elements._made_of_fields(cls)
    fields: dict[str, Field] = {}
    positional = []
    for item in dataclasses.fields(cls):
        if not item.init:
            continue
        field = fields[word_of(item.name)] = _field(cls, item)
        if not item.kw_only and made_of_fields:
            positional.append(field)
    return Kind(word_of(cls.__name__), cls, fields, tuple(positional), not made_of_fields)


def word_of(name: str) -> str:
    """`linear-spring` for LinearSpring, `rest-length` for rest_length."""
    return WORD_START.sub("-", name).lower().replace("_", "-")


def _field(cls: type, field: dataclasses.Field[Any]) -> Field:
    alternatives = [part for part in _split(_annotation(cls, field), "|") if part != "None"]
    lists = [part for part in alternatives if not part.startswith("Mapping[")]
    inside = [_inside(part) for part in lists]
    fixed = [len(entries) for entries in inside if entries and entries[-1] != "..."]
    return Field(
        field.name,
        depth=min(map(_depth, lists), default=0),
        width=fixed[0] if len(fixed) == len(lists) == 1 else None,
        mapping=len(lists) < len(alternatives),
        needed=not elements._has_default(field),
        default=field.default,
    )


def _annotation(cls: type, field: dataclasses.Field[Any]) -> str:
    """The annotation as text, with names that stand for other text replaced."""
    annotation: Any = field.type
    text = annotation.__name__ if type(annotation) is type else str(annotation)
    owner = next((base for base in cls.__mro__ if field.name in inspect.get_annotations(base)), cls)
    names = vars(sys.modules[owner.__module__]) if owner.__module__ in sys.modules else {}

    def replaced(match: re.Match[str]) -> str:
        meaning = names.get(match[0])
        return meaning if isinstance(meaning, str) else match[0]

    return ALIAS.sub(replaced, MODULE.sub("", text))


def _depth(text: str) -> int:
    entries = _inside(text)
    return 1 + min(map(_depth, _split(entries[0], "|"))) if entries else 0


def _inside(text: str) -> list[str]:
    """The entries of `tuple[...]` or `Sequence[...]`; none for anything else."""
    for word in ("tuple[", "Sequence[", "list["):
        if text.startswith(word) and text.endswith("]"):
            entries = _split(text[len(word) : -1], ",")
            return entries if word == "tuple[" else [*entries, "..."]
    return []


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that are not inside brackets."""
    parts, level, start = [], 0, 0
    for place, letter in enumerate(text):
        level += (letter == "[") - (letter == "]")
        if letter == separator and level == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]
