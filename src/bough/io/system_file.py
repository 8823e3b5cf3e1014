"""Systems in files of s-expressions: the syntax of [JM09] (Table II), extended to all that a system holds.

docs/format.md describes the language. Everything is read in one pass with an explicit stack, so that neither
the depth nor the size of a tree is limited; elements are added after all frames exist, so that they may name
frames that come later.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from bough import validate
from bough.description.balls import names_ball
from bough.description.frame import Frame
from bough.description.start import Start
from bough.description.system import System
from bough.errors import ModelError, unknown_name
from bough.io._files import Files, read_text
from bough.io._kinds import Kind, element_kinds, kind_of
from bough.io._places import errors_at, names_in, string_in
from bough.io._shape_form import Shape, add_shape
from bough.io._transforms import AS_GIVEN, OPTIONS, TRANSFORMS, option, parameter, steps
from bough.io._values import Values, named_field
from bough.io._writer import system_text
from bough.io.sexpr import Form, Node, Source, Symbol, cut, read, unknown_word
from bough.write import write_text

__all__ = ["load_sexp", "parse_system", "save_sexp", "system_text"]

# Alternative spellings of words, used by Listing 1 in [JM09].
SPELLINGS = {"mechanical-system": "system", "point-constaint": "point-constraint"}
STRUCTURE = ("let", "include", "at")
PARAMETER_WORD = "parameter"

# Exceptions of the constructor of a user's class if a file gives it unexpected values.
UNEXPECTED = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)

# The names of transform parameters in messages.
PARAMETER = ("parameter", "variable", "dynamic", "kinematic")


def load_sexp(path: str | PathLike[str], **parameters: float | str) -> System:
    """The system of a file of s-expressions; `parameters` replace the values of a `let` in it."""
    file = Path(path)
    return parse_system(read_text(file, fspath(path)), path=fspath(path), file=file, **parameters)


def save_sexp(system: System, path: str | PathLike[str]) -> None:
    """Write a system to a file of s-expressions."""
    write_text(path, system_text(system))


def parse_system(
    text: str, /, *, path: str = "text", file: Path | None = None, **parameters: float | str
) -> System:
    """The system that a text describes.

    Parameters
    ----------
    path : str
        What to call the text in messages.
    file : Path
        The file of the text; included files are beside it. Without it nothing can be included.
    """
    for name, value in parameters.items():
        if not validate.is_real(value) and not isinstance(value, str):
            raise ModelError(
                asked=f"{name}={validate.shown(value)} in load",
                found=f"parameter {name} is neither a number nor a string",
                do="give a number or a string",
            )
    given = {
        name: value if isinstance(value, str) else validate.real(value, name, "load")
        for name, value in parameters.items()
    }
    reader = _Reader(Path(path).stem, file, Values(given))
    with np.errstate(all="ignore"):  # huge numbers overflow in some checks, which then fail
        system = reader.system_of(Source(text, path))
    for name in given:
        if name.replace("_", "-") not in {seen.replace("_", "-") for seen in reader.values.seen}:
            raise unknown_name("parameter", name, reader.values.seen, f"load({path!r})")
    return system


class _Level(NamedTuple):
    """A list of expressions that is being read."""

    items: Iterator[Node]
    place: str  # "file", "system" or "frame"
    parent: Frame
    names: list[str]  # parameters to forget at its end
    included: bool = False  # whether it is the content of an included file


class _Pending(NamedTuple):
    """An element to be added when all frames exist."""

    kind: Kind
    form: Form
    data: dict[str, Any]
    nodes: dict[str, Node]


class _Reader:
    def __init__(self, name: str, file: Path | None, values: Values) -> None:
        self.values = values
        self._system = System(name if name.isprintable() and name.strip() else "system", gravity=None)
        self._files = Files(file)
        self._kinds = element_kinds()
        self._pending: list[_Pending] = []
        self._first: dict[tuple[str, str], Node] = {}  # the first item that gave a name, or gravity
        self._started = False
        self._start: _Pending | None = None
        self._folder = None if file is None else file.resolve().parent
        self._shapes: list[_Pending] = []

    def system_of(self, source: Source) -> System:
        """The system of a file."""
        items = read(source)
        waiting = [_Level(iter(items), "file", self._system.world, [])]
        while waiting:
            level = waiting[-1]
            node = next(level.items, None)
            if node is None:
                waiting.pop()
                self.values.unbind(level.names)
                if level.included:
                    self._files.close()
                continue
            below = self._read(node, level)
            if below is not None:
                waiting.append(below)
        if not self._started:
            at = source.text.find("(") if items else len(source.text)
            raise source.error(
                max(at, 0),
                asked="system",
                found="no system in the file",
                do="write (system ...) around the frames",
            )
        for pending in self._pending:
            self._add(pending)
        for pending in self._shapes:
            self._add_shape(pending)
        if self._start is not None:
            self._set_start(self._start)
        return self._system

    def _read(self, node: Node, level: _Level) -> _Level | None:
        """Process one expression; returns its content, to be read next."""
        form, head = _expression(node, level.place)
        word = SPELLINGS.get(head.word, head.word)
        if word == "let":
            names, body = self.values.bind(form)
            return _Level(iter(body), level.place, level.parent, names)
        if level.place == "file":
            return self._begin(form, head, word)
        if word in TRANSFORMS:
            frame, children = self._frame(form, level.parent)
            return _Level(iter(children), "frame", frame, []) if children else None
        if word == "include":
            return self._include(form, level)
        if word == "at":
            frame, body = self._at(form)
            return _Level(iter(body), "frame", frame, [])
        if word == "gravity" and not any(named_field(item, self._kinds[word]) for item in form.items):
            self._once("gravity", "gravity", head)
            self._need_system(head, level)
            self._system.gravity = self._numbers(form, 3, "(gravity 0 0 -9.81)")
        elif word == PARAMETER_WORD:
            self._need_system(head, level)
            self.values.declare(form, self._system)
        elif word == "name" and level.place == "system":
            self._once("name", "the system's name", head)
            with errors_at(head, {}):
                self._system.name = option(self.values, form, "name")
        elif word == "start":
            self._once("start", "start", head)
            self._need_system(head, level)
            kind = kind_of(Start)
            self._start = _Pending(kind, form, *self.values.arguments(form, kind))
        elif word == "shape":
            kind = kind_of(Shape)
            self._shapes.append(_Pending(kind, form, *self.values.arguments(form, kind)))
        elif word in self._kinds:
            self._pending.append(
                _Pending(self._kinds[word], form, *self.values.arguments(form, self._kinds[word]))
            )
        else:
            self._unknown(head, word, level)
        return None

    def _begin(self, form: Form, head: Symbol, word: str) -> _Level:
        if word == "system" and not self._started:
            self._started = True
            return _Level(iter(form.items[1:]), "system", self._system.world, [])
        if self._started:
            raise form.error(
                asked=f"({cut(head.text)[1:-1]} ...)",
                found="it stands after the end of the system",
                do="put it inside the parentheses of (system ...), of which a file has one",
            )
        known = {*TRANSFORMS, *STRUCTURE, *self._kinds, "gravity", "name", "start", "shape", PARAMETER_WORD}
        if word in known:
            raise head.error(
                asked=f"({word} ...)",
                found="it stands outside of a system",
                do=f"write (system ({word} ...))",
            )
        raise unknown_word(head, ("system", "mechanical-system", "let"), "word", "the file")

    # --- frames ---

    def _frame(self, form: Form, parent: Frame) -> tuple[Frame, list[Node]]:
        """Add the frames of one expression; returns the last one and the content of the expression."""
        found, place = steps(form)
        last = found[-1][0]
        options: dict[str, Any] = {}
        nodes: dict[str, Node] = {}
        children: list[Node] = []
        for item in form.items[place:]:
            head = item.items[0] if isinstance(item, Form) and item.items else None
            word = head.word if isinstance(head, Symbol) else ""
            if word not in OPTIONS:
                children.append(item)
                continue
            assert isinstance(item, Form)
            if word not in last.options:
                raise item.error(
                    asked=f"{word} of {last.word}",
                    found=f"a frame made by {last.word} has no {word}",
                    do="leave it out",
                )
            if word in options:
                raise item.error(asked=f"{word} of a frame", found="it is given twice", do="give it once")
            options[word] = option(self.values, item, word)
            nodes[word] = item.items[1] if len(item.items) > 1 else item
        if isinstance(options.get("mass"), list):
            if "inertia" in options:
                raise nodes["inertia"].error(
                    asked="inertia of a frame", found="(mass ...) gives it as well", do="give it once"
                )
            options["mass"], *options["inertia"] = options["mass"]
            nodes["inertia"] = nodes["mass"]
        body: dict[str, Any] = {}
        if options.pop(AS_GIVEN, False):
            body = {word: options.pop(word, None) for word in ("mass", "inertia", "com")}
        for transform, symbol, taken in found:
            is_last = symbol is found[-1][1]
            used, at = (options, nodes) if is_last else ({}, {})
            for name, node in zip(transform.parameters, taken, strict=True):
                at = {**at, **dict.fromkeys((name, *PARAMETER), node)}
            with errors_at(symbol, at):
                parameters = [parameter(self.values, node) for node in taken]
                label = parameters[0] if transform.word == "frame" else used.get("name")
                if isinstance(label, str):
                    self._once("frame", label, at["name"])
                parent = getattr(parent, transform.word)(*parameters, **used)
                if is_last and body:
                    parent.body_as_given(**body)
        return parent, children

    def _at(self, form: Form) -> tuple[Frame, list[Node]]:
        node = form.items[1] if len(form.items) > 1 else None
        name = None if node is None else self.values.plain(node)
        if node is None or not isinstance(name, str):
            raise form.error(
                asked="at",
                found="no name of a frame after the word",
                do='write (at "frame" ...), with a frame above',
            )
        with errors_at(node, {}):
            return self._system._find(name, "(at ...)"), form.items[2:]

    # --- elements ---

    def _add(self, pending: _Pending) -> None:
        """Add an element, after checking that the names in it exist."""
        kind, form, data, nodes = pending
        for field in kind.cls.frame_fields:
            for name in names_in(data.get(field)):
                with errors_at(string_in(nodes.get(field, form), name), {}):
                    self._system._find(name, kind.word)
        for field in (*kind.cls.variable_fields, *kind.cls.dynamic_fields):
            for name in names_in(data.get(field)):
                if name not in self._system.balls:  # an element tells itself whether it takes a ball
                    self._need_variable(name, nodes.get(field, form), kind.word)
        if isinstance(data.get("name"), str):
            self._once("element", data["name"], nodes["name"])
        with errors_at(form.items[0], nodes):
            try:
                element = kind.cls.from_dict({"type": kind.cls.__name__, **data})
                self._system.add(element)
            except UNEXPECTED as error:
                raise form.error(
                    asked=kind.word,
                    found=f"values that it does not take: {error}",
                    do="see the documentation of the element",
                ) from error

    def _add_shape(self, pending: _Pending) -> None:
        kind, form, data, nodes = pending
        for name in names_in(data["frame"]):
            with errors_at(string_in(nodes["frame"], name), {}):
                self._system._find(name, kind.word)
        with errors_at(form.items[0], nodes):
            add_shape(self._system, data, self._folder)

    def _set_start(self, pending: _Pending) -> None:
        """Set the start, which may name any variable of the file."""
        kind, form, data, nodes = pending
        for field in ("q", "v"):
            for name in names_in(data.get(field, {"mapping": {}})):
                if not names_ball(self._system, name, field):
                    self._need_variable(name, nodes[field], kind.word)
        with errors_at(form.items[0], nodes):
            plain = {
                key: value["mapping"] if isinstance(value, dict) else value for key, value in data.items()
            }
            self._system.start = Start(**plain)
            self._system.start.check(self._system)

    def _need_variable(self, name: str, node: Node, where: str) -> None:
        if self._system._kind_of(name) is None:
            variables = dict.fromkeys((*self._system._users, *self._system._prescribed))
            parts = unknown_name("variable", name, variables, where)
            raise string_in(node, name).error(asked=parts.asked, found=parts.found, do=parts.do)

    def _include(self, form: Form, level: _Level) -> _Level:
        node, file = self._files.included(form)
        text = self._files.text(node, file)
        path = str(Path(form.source.path).parent / node.value)
        return _Level(iter(read(Source(text, path))), level.place, level.parent, [], included=True)

    # --- checks ---

    def _once(self, what: str, name: str, node: Node) -> None:
        first = self._first.setdefault((what, name), node)
        if first is node:
            return
        place = f"line {first.line}" + (f" of {first.source.path}" if first.source is not node.source else "")
        if what in ("frame", "element"):
            raise node.error(
                asked=f"name {cut(name)}",
                found=f"another {what} has this name, in {place}",
                do="choose another name",
            )
        raise node.error(asked=name, found=f"it is given twice, first in {place}", do="give it once")

    def _numbers(self, form: Form, count: int, example: str) -> list[float]:
        items = form.items[1:]
        if len(items) == 1 and isinstance(items[0], Form):
            items = items[0].items
        word = form.items[0].word  # type: ignore[attr-defined]
        if len(items) != count:
            raise form.error(
                asked=word,
                found=f"{validate.counted(len(items), 'number')} where {count} are needed",
                do=f"write {example}",
            )
        return [self.values.number(item, word) for item in items]

    def _need_system(self, head: Symbol, level: _Level) -> None:
        if level.place != "system":
            raise head.error(
                asked=head.word,
                found="it stands inside a frame",
                do=f"write ({head.word} ...) directly in the system",
            )

    def _unknown(self, head: Symbol, word: str, level: _Level) -> NoReturn:
        if word in OPTIONS:
            raise head.error(
                asked=f"({word} ...)",
                found="it is an option of a frame and does not stand directly in one",
                do=f"write it inside the parentheses of a frame, such as (tz 1 ({word} ...))",
            )
        if word == "system":
            raise head.error(asked="(system ...)", found="it stands inside a system", do="leave it out")
        here = ("gravity", "name", "start", PARAMETER_WORD) if level.place == "system" else sorted(OPTIONS)
        words = (*TRANSFORMS, *STRUCTURE, *self._kinds, *here)
        raise unknown_word(head, words, "word", f"a {level.place}")


def _expression(node: Node, place: str) -> tuple[Form, Symbol]:
    """The expression, which has to be a list that begins with a word."""
    head = node.items[0] if isinstance(node, Form) and node.items else None
    if not isinstance(node, Form) or not isinstance(head, Symbol):
        raise node.error(
            asked=f"item of a {place}",
            found=f"{node.shown} where an expression is needed",
            do="write an expression that begins with a word, such as (tz -1.5)",
        )
    return node, head
