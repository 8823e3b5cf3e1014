"""The words of the file format for frames, made from the methods of `Frame`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

from bough.description.frame import Frame
from bough.description.plain_value import value_of
from bough.io._values import Values
from bough.io.sexpr import NUMBER, Form, Node, Number, String, Symbol, unknown_word
from bough.validate import counted

WORDS = ("tx", "ty", "tz", "rx", "ry", "rz", "frame", "fixed", "twist", "revolute", "prismatic")
JOINTS = ("cylindrical", "helical", "spherical", "planar", "free", "ball", "floating")

SHARED = "shared"  # option: the variable also moves another frame
AS_GIVEN = "as-given"  # option: keep an inertia that no physical body can have (`Frame.body_as_given`)

# The allowed counts of numbers of each option.
COUNTS = {
    "mass": (1, 4),
    "com": (3,),
    "axis": (3,),
    "ratio": (1,),
    "offset": (1,),
    "pitch": (1,),
    "inertia": (3,),
}
EXAMPLES = {
    "mass": "(mass 1.5) or (mass 1.5 0.1 0.1 0.2)",
    "com": "(com 0 0 0.5)",
    "axis": "(axis 0 0 1)",
    "ratio": "(ratio 2)",
    "offset": "(offset 0.1)",
    "pitch": "(pitch 0.01)",
    "inertia": "(inertia 0.1 0.1 0.2) or three rows (inertia (0.1 0 0) (0 0.1 0) (0 0 0.2))",
}


class Transform(NamedTuple):
    """A method of `Frame`: the parameters that follow its word, and its options."""

    word: str
    parameters: tuple[str, ...]
    options: frozenset[str]


def _transform(word: str) -> Transform:
    found = list(inspect.signature(getattr(Frame, word)).parameters.values())[1:]
    needed = tuple(item.name for item in found if item.default is inspect.Parameter.empty)
    options = {item.name for item in found} - set(needed)
    return Transform(word, needed, frozenset(options | {AS_GIVEN} if "inertia" in options else options))


TRANSFORMS = {word: _transform(word) for word in (*WORDS, *JOINTS)}
OPTIONS = frozenset().union(*(transform.options for transform in TRANSFORMS.values()))


def steps(form: Form) -> tuple[list[tuple[Transform, Symbol, list[Node]]], int]:
    """The transforms of a frame expression, each with its parameters, and the index of the rest."""
    found = []
    items, place = form.items, 0
    while place < len(items):
        symbol = items[place]
        if not isinstance(symbol, Symbol):
            break
        transform = TRANSFORMS.get(symbol.word)
        if transform is None:
            raise unknown_word(symbol, TRANSFORMS, "transform", "a frame")
        stop = place + 1 + len(transform.parameters)
        taken = items[place + 1 : stop]
        if len(taken) < len(transform.parameters) or any(_is_option(item) for item in taken):
            names = " ".join(transform.parameters)
            raise symbol.error(
                asked=f"transform {symbol.word}",
                found="no parameter after the word",
                do='write a number or a name in quotes, such as (tz -1.5) or (rz "angle")'
                if transform.parameters == ("param",)
                else f"write ({symbol.word} {names})",
            )
        found.append((transform, symbol, taken))
        place = stop
    if place < len(items) and isinstance(items[place], Number | String):
        last = found[-1][0]
        raise items[place].error(
            asked=f"transform {last.word}",
            found=f"{items[place].shown} after its {counted(len(last.parameters), 'parameter')}",
            do="leave it out, or write another transform before it",
        )
    return found, place


def _is_option(node: Node) -> bool:
    head = node.items[0] if isinstance(node, Form) and node.items else None
    return isinstance(head, Symbol) and (head.word in OPTIONS or head.word in TRANSFORMS)


def parameter(values: Values, node: Node) -> Any:
    """The parameter of a transform."""
    if isinstance(node, Number | String):
        return node.value
    return value_of(values.plain(node))


def option(values: Values, form: Form, word: str) -> Any:
    """The value of an option of a frame: text for its name, True for a word alone, otherwise numbers."""
    items = form.items[1:]
    if word == "name":
        value = values.plain(items[0]) if len(items) == 1 else None
        if not isinstance(value, str):
            raise form.error(
                asked="name",
                found=_found(items, "1 string"),
                do='write one name in quotes, such as (name "arm")',
            )
        return value
    if word in (AS_GIVEN, SHARED):
        if items:
            raise form.error(asked=word, found=f"{items[0].shown} after the word", do=f"write ({word})")
        return True
    counts = COUNTS[word]
    if word == "inertia" and len(items) == 3 and all(isinstance(item, Form) for item in items):
        rows = [values.plain(item) for item in items]
        if all(isinstance(row, list) for row in rows):
            return rows
    if len(items) == 1 and counts[-1] > 1 and isinstance(items[0], Form):
        value = values.plain(items[0])
        if isinstance(value, list):
            items = items[0].items
    if len(items) not in counts:
        wanted = " or ".join(map(str, counts))
        raise form.error(
            asked=word,
            found=_found(items, f"{wanted} {'is' if counts == (1,) else 'are'}"),
            do=f"write {EXAMPLES[word]}",
        )
    if word == "mass":
        # Table II of [JM09] gives the mass as a string.
        items = [_as_number(item) for item in items]
    numbers = [values.number(item, f"{word} of a frame") for item in items]
    return numbers[0] if len(numbers) == 1 else numbers


def _as_number(node: Node) -> Node:
    if isinstance(node, String) and NUMBER.match(node.value):
        return Number(float(node.value), node.source, node.start)
    return node


def _found(items: Sequence[Node], wanted: str) -> str:
    if wanted.endswith("string"):
        return f"{items[0].shown} where {wanted} is needed" if items else f"nothing where {wanted} is needed"
    return f"{counted(len(items), 'number')} where {wanted} needed"
