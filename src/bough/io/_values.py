"""Values in a file: numbers, strings, lists, variables, functions, names of `let`, parameters, arithmetic.

A value becomes what a description holds (`Element.to_dict`): lists, numbers and strings, and dictionaries for
kinematic variables, mappings and functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from bough.description.expression import PARAMETER, Expression
from bough.errors import ParseError, quoted, unknown_name
from bough.io._arithmetic import ARITHMETIC, CONSTANTS, computed
from bough.io._kinds import Field, Kind, function_kinds
from bough.io._places import errors_at
from bough.io.sexpr import Form, Node, Number, String, Symbol, cut, unknown_word
from bough.validate import counted

if TYPE_CHECKING:
    from bough.description.system import System

DEPTH = 40  # largest nesting depth of lists in a value
FORMS = ("d", "k", "list", "map", PARAMETER)


class Values:
    """The parameters defined at a position of a file, and the values of expressions there.

    Parameters
    ----------
    given : mapping
        Values from outside, which replace those of a `let` in the file.
    """

    def __init__(self, given: Mapping[str, float | str]) -> None:
        self._given = {name.replace("_", "-"): value for name, value in given.items()}
        self._stacks: dict[str, list[float | str | Expression]] = {}
        self._parameters: dict[str, Expression] = {}  # those of the system
        self.seen: dict[str, None] = {}  # all names that any `let` defined
        self._functions = function_kinds()

    # --- parameters ---

    def bind(self, form: Form) -> tuple[list[str], list[Node]]:
        """Define the parameters of `(let ((name value) ...) body ...)`; gives their names and the body."""
        pairs = form.items[1] if len(form.items) > 1 else None
        if not isinstance(pairs, Form):
            raise form.error(
                asked="let",
                found="no list of parameters after the word",
                do="write (let ((L 0.5) (m 2)) ...)",
            )
        names = []
        for pair in pairs.items:
            if not isinstance(pair, Form) or len(pair.items) != 2 or not isinstance(pair.items[0], Symbol):
                raise pair.error(
                    asked="parameter of let",
                    found=f"{pair.shown} where a name and its value are needed",
                    do="write each parameter as (name value), such as (L 0.5)",
                )
            symbol = pair.items[0]
            name = symbol.text
            if symbol.word in CONSTANTS or symbol.word in ARITHMETIC:
                raise symbol.error(
                    asked=f"parameter {cut(name)}",
                    found="this word has a meaning of its own",
                    do="choose another name",
                )
            value = self.plain(pair.items[1])
            if isinstance(value, bool) or not isinstance(value, float | str | Expression):
                raise pair.items[1].error(
                    asked=f"parameter {cut(name)}",
                    found=f"{pair.items[1].shown}, which is neither a number nor a string",
                    do="give a number or a string",
                )
            self.seen[name] = None
            value = self._given.get(name.replace("_", "-"), value)
            self._stacks.setdefault(name, []).append(value)
            names.append(name)
        return names, form.items[2:]

    def declare(self, form: Form, system: System) -> None:
        """Declare the parameter of `(parameter "name" value)`, which the word `name` stands for from there on."""
        items = form.items[1:]
        if len(items) != 2 or not isinstance(items[0], String):
            raise form.error(
                asked="parameter of the system",
                found="not a name in quotes and a number",
                do='write (parameter "length" 1.5)',
            )
        name = items[0].value
        value = self.number(items[1], f"parameter {cut(name)}")
        if isinstance(value, Expression):
            raise items[1].error(
                asked=f"parameter {cut(name)}",
                found="a value that depends on other parameters",
                do=f"give a number, or name the formula with (let (({name} ...)) ...)",
            )
        self.seen[name] = None
        given = self._given.get(name.replace("_", "-"), value)
        if isinstance(given, str):
            raise items[1].error(
                asked=f"parameter {cut(name)}", found=f"the text {given!r}", do="give a number"
            )
        with errors_at(items[0], {}):
            self._parameters[name] = system.parameter(name, given)

    def unbind(self, names: Iterable[str]) -> None:
        """Forget the innermost definitions of these parameters."""
        for name in names:
            self._stacks[name].pop()

    # --- values ---

    def plain(self, node: Node, depth: int = 0) -> Any:
        """The value of an item, in plain lists, numbers and strings."""
        if isinstance(node, Number | String):
            return node.value
        if isinstance(node, Symbol):
            return self._symbol(node)
        assert isinstance(node, Form)
        if depth > DEPTH:
            raise node.error(
                asked="value",
                found=f"lists nested more than {DEPTH} deep",
                do="give numbers, strings, and lists of these",
            )
        head = node.items[0] if node.items else None
        if isinstance(head, Symbol):
            word, items = head.word, node.items[1:]
            if word in ("d", "k") and len(items) == 1 and isinstance(items[0], String):
                return items[0].value if word == "d" else {"kinematic": items[0].value}
            if word in ARITHMETIC:
                return self._arithmetic(head, items, depth)
            if word == PARAMETER:
                return self._parameter(node, items)
            if word == "list":
                return [self.plain(item, depth + 1) for item in items]
            if word == "map":
                return self._mapping(items, depth)
            if word in self._functions:
                kind = self._functions[word]
                data, _ = self.arguments(node, kind, depth + 1)
                return {"function": {"type": kind.cls.__name__, **data}}
            if not self._begins_value(head):
                raise self._unknown(head, (*ARITHMETIC, *FORMS, *self._functions))
        return [self.plain(item, depth + 1) for item in node.items]

    def number(self, node: Node, what: str, depth: int = 0) -> Any:
        """The value of an item that has to be a number, or a formula of parameters."""
        if isinstance(node, Number):
            return node.value
        value = self.plain(node, depth)
        if not isinstance(value, float | Expression) or isinstance(value, bool):
            raise node.error(
                asked=what,
                found=f"{node.shown}, which is not a number",
                do="write a number, such as -1.5 or 2e-3",
            )
        return value

    def _begins_value(self, head: Symbol) -> bool:
        """Whether a list that begins with this word can be a value."""
        return (
            bool(self._stacks.get(head.text))
            or head.text in self._parameters
            or head.word in CONSTANTS
            or head.word in ARITHMETIC
            or head.word in FORMS
            or head.word in self._functions
        )

    def _symbol(self, symbol: Symbol) -> Any:
        stack = self._stacks.get(symbol.text)
        if stack:
            return stack[-1]
        if symbol.text in self._parameters:
            return self._parameters[symbol.text]
        if symbol.word in CONSTANTS:
            return CONSTANTS[symbol.word]
        raise self._unknown(symbol, ())

    def _parameter(self, node: Form, items: Sequence[Node]) -> Expression:
        """`(parameter "name")`, for a name that is no word."""
        name = items[0].value if len(items) == 1 and isinstance(items[0], String) else None
        if name is None:
            raise node.error(
                asked="parameter in a value",
                found="not one name in quotes",
                do='write (parameter "name"); declare it with (parameter "name" 1) in the system above',
            )
        if name not in self._parameters:
            parts = unknown_name("parameter", name, self._parameters, "a value")
            raise items[0].error(asked=parts.asked, found=parts.found, do=parts.do)
        return self._parameters[name]

    def _unknown(self, symbol: Symbol, words: Sequence[str]) -> ParseError:
        text = symbol.text
        if text[0] in "+-.0123456789" and len(text) > 1:
            return symbol.error(
                asked=cut(text), found="this is not a number", do="write a number, such as -1.5 or 2e-3"
            )
        if text[0] in "“”„‘’'`":
            return symbol.error(
                asked=cut(text),
                found="quotes that are not straight",
                do='write names in straight quotes: "name"',
            )
        here = [*(name for name, stack in self._stacks.items() if stack), *self._parameters]
        if here or words:
            return unknown_word(symbol, (*here, *words), "word" if words else "parameter", "a value")
        return symbol.error(
            asked=f"{cut(text)} in a value",
            found="neither a number, a string, nor a parameter of a let around it",
            do=f"write a number, a name in quotes, or (let (({text[:20]} 1)) ...) around the expression",
        )

    def _arithmetic(self, head: Symbol, items: Sequence[Node], depth: int) -> Any:
        numbers = [self.number(item, f"({head.word} ...)", depth + 1) for item in items]
        return computed(head, numbers)

    def _mapping(self, items: Sequence[Node], depth: int) -> dict[str, Any]:
        """`("name" value) ...` in the form of a description."""
        entries: dict[str, Any] = {}
        for item in items:
            key = item.items[0] if isinstance(item, Form) and len(item.items) == 2 else None
            name = None if key is None else self.plain(key, depth + 1)
            if not isinstance(item, Form) or not isinstance(name, str):
                raise item.error(
                    asked="entry of a list of names with values",
                    found=item.shown,
                    do='write each as ("name" value)',
                )
            if name in entries:
                raise item.error(
                    asked=f"entry {cut(name)}", found="this name is given twice", do="give each name once"
                )
            entries[name] = self.plain(item.items[1], depth + 1)
        return {"mapping": entries}

    # --- fields of a class ---

    def arguments(self, form: Form, kind: Kind, depth: int = 0) -> tuple[dict[str, Any], dict[str, Node]]:
        """The fields that an expression gives, as values and as the items that stand for them.

        Fields come in the order of the class, or by their names as (field value).
        """
        data: dict[str, Any] = {}
        nodes: dict[str, Node] = {}
        waiting = iter(kind.positional)
        items, place = form.items, 1
        while place < len(items):
            item = items[place]
            field = named_field(item, kind)
            if field is not None:
                assert isinstance(item, Form)
                taken, place = item.items[1:], place + 1
            else:
                head = item.items[0] if isinstance(item, Form) and item.items else None
                if isinstance(head, Symbol) and not self._begins_value(head):
                    raise unknown_word(head, kind.fields, "field", kind.word)
                field = next(waiting, None)
                if field is None:
                    _too_many(item, kind)
                taken = _run(items, place, field)
                place += len(taken)
            if field.name in data:
                raise item.error(
                    asked=f"{field.name} of {kind.word}", found="it is given twice", do="give it once"
                )
            data[field.name] = self._field_value(item, taken, field, kind, depth)
            nodes[field.name] = item if len(taken) == 1 or item not in taken else _together(taken)
        missing = [word for word, field in kind.fields.items() if field.needed and field.name not in data]
        if missing and not kind.any_field:
            raise form.error(
                asked=kind.word,
                found=f"no {' and no '.join(missing)}",
                do=f"give {' and '.join(f'({word} ...)' for word in missing)} as well",
            )
        return data, nodes

    def _field_value(self, item: Node, taken: Sequence[Node], field: Field, kind: Kind, depth: int) -> Any:
        if not taken:
            raise item.error(
                asked=f"{field.name} of {kind.word}",
                found="no value",
                do=f"write ({field.name.replace('_', '-')} value)",
            )
        if field.mapping and isinstance(taken[0], Form):
            if len(taken) == 1 and taken[0].items and isinstance(taken[0].items[0], Form):
                taken = taken[0].items
            head = taken[0].items[0] if isinstance(taken[0], Form) and taken[0].items else None
            if isinstance(head, String) or len(taken) > 1:
                return self._mapping(taken, depth)
        values = [self.plain(node, depth) for node in taken]
        value = values[0] if len(values) == 1 else values
        while _depth(value) < field.depth:
            value = [value]
        if field.width is not None and isinstance(value, list) and len(value) != field.width:
            raise item.error(
                asked=f"{field.name} of {kind.word}",
                found=f"{counted(len(value), 'number')} where {field.width} are needed",
                do=f"give {field.width} numbers",
            )
        return value


def named_field(item: Node, kind: Kind) -> Field | None:
    """The field that an item gives by its name."""
    head = item.items[0] if isinstance(item, Form) and item.items else None
    if not isinstance(head, Symbol):
        return None
    word = head.word.replace("_", "-")
    if kind.any_field and word not in kind.fields:
        return Field(head.text.replace("-", "_"), 0, None, False, False, None)
    return kind.fields.get(word)


def _run(items: list[Node], place: int, field: Field) -> list[Node]:
    """The items that a field takes by position: one, or several if it holds a list written without ()."""
    first = items[place]
    stop = place + 1
    if isinstance(first, Form):
        while field.mapping and _is_pair(first) and stop < len(items) and _is_pair(items[stop]):
            stop += 1
    elif field.depth:
        while (
            stop < len(items)
            and not isinstance(items[stop], Form)
            and (field.width is None or stop < place + field.width)
        ):
            stop += 1
    return items[place:stop]


def _together(items: Sequence[Node]) -> Form:
    form = Form(items[0].source, items[0].start)
    form.items = list(items)
    return form


def _is_pair(node: Node) -> bool:
    return isinstance(node, Form) and len(node.items) == 2 and isinstance(node.items[0], String)


def _depth(value: Any) -> int:
    if value is None or isinstance(value, dict):
        return DEPTH
    depth = 0
    while isinstance(value, list):
        depth += 1
        value = value[0] if value else None
    return depth


def _too_many(item: Node, kind: Kind) -> NoReturn:
    words = [word for word, field in kind.fields.items() if field in kind.positional]
    raise item.error(
        asked=kind.word,
        found=f"{item.shown} after {counted(len(words), 'value')} without a name, and there are no more",
        do=f"leave it out; the order is {', '.join(words)}"
        if words
        else f"give its name, one of {quoted(kind.fields)}",
    )
