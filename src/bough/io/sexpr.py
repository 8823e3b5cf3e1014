"""S-expressions: a reader that keeps the position of every item. Linear in time, at any depth.

    form -> ( item* )       item -> form | number | "string" | symbol       ; comment to the end of the line

In a string, a quote is written \\", a backslash \\\\, and any other character may be written \\u{2603}.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches

from bough.errors import ParseError, nearest, quoted

TOKEN = re.compile(
    r"""[ \t\r\n\f]+ | ;[^\n]*          # nothing
    | (\()                              # 1
    | (\))                              # 2
    | "((?:[^"\\\n]|\\[^\n])*)"         # 3 string
    | ([^\s()";]+)                      # 4 number or symbol
    | (.)                               # 5 anything else
    """,
    re.VERBOSE,
)
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))")


class Source:
    """The text of a file."""

    __slots__ = ("path", "text")

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path

    def error(self, start: int, *, asked: str, found: str, do: str) -> ParseError:
        """The error for the text at a position."""
        begin = self.text.rfind("\n", 0, start) + 1
        end = self.text.find("\n", start)
        line = self.text[begin : len(self.text) if end < 0 else end].rstrip("\r")
        return ParseError(
            asked=asked,
            found=found,
            do=do,
            path=self.path,
            line=self.line(start),
            column=start - begin + 1,
            source=line,
        )

    def line(self, start: int) -> int:
        """The line number of a position, from one."""
        return self.text.count("\n", 0, start) + 1


class Node:
    """An item that was read, with its position."""

    __slots__ = ("source", "start")

    source: Source
    start: int

    def error(self, *, asked: str, found: str, do: str) -> ParseError:
        """The error for this part of the file."""
        return self.source.error(self.start, asked=asked, found=found, do=do)

    @property
    def line(self) -> int:
        """Its line number, from one."""
        return self.source.line(self.start)

    @property
    def shown(self) -> str:
        """A short description, for messages."""
        raise NotImplementedError


class Number(Node):
    """A finite number."""

    __slots__ = ("value",)

    def __init__(self, value: float, source: Source, start: int) -> None:
        self.value = value
        self.source = source
        self.start = start

    @property
    def shown(self) -> str:
        return f"the number {self.value:g}"


class String(Node):
    """Text in quotes."""

    __slots__ = ("value",)

    def __init__(self, value: str, source: Source, start: int) -> None:
        self.value = value
        self.source = source
        self.start = start

    @property
    def shown(self) -> str:
        return f"the string {cut(self.value)}"


class Symbol(Node):
    """A word; `word` is in lower case."""

    __slots__ = ("text", "word")

    def __init__(self, text: str, source: Source, start: int) -> None:
        self.text = text
        self.word = text.lower()
        self.source = source
        self.start = start

    @property
    def shown(self) -> str:
        return f"the word {cut(self.text)}"


class Form(Node):
    """A list in parentheses."""

    __slots__ = ("items",)

    def __init__(self, source: Source, start: int) -> None:
        self.items: list[Node] = []
        self.source = source
        self.start = start

    @property
    def shown(self) -> str:
        head = self.items[0] if self.items else None
        if head is None:
            return "the empty list ()"
        return f"the expression ({head.text[:37]} ...)" if isinstance(head, Symbol) else "a list"


def cut(text: str) -> str:
    """The text in quotes for messages, not too long."""
    return repr(text) if len(text) <= 40 else f"{text[:37]!r}..."


def unknown_word(symbol: Symbol, words: Iterable[str], what: str, where: str) -> ParseError:
    """The error for a word that does not exist, with the nearest ones that do."""
    known = sorted(words)
    close = nearest(symbol.text, known) or get_close_matches(symbol.word, known, cutoff=0.4)
    verb = "is" if len(close) == 1 else "are"
    return symbol.error(
        asked=f"{what} {cut(symbol.text)} in {where}",
        found=f"there is no such {what}; the nearest {verb} {quoted(close)}"
        if close
        else f"there is no such {what}; there are {quoted(known, 20)}",
        do="correct the spelling" if close else "use one of these",
    )


def read(source: Source) -> list[Node]:
    """All items of a text."""
    top = Form(source, 0)
    inner, opened = top, [top]
    # For every open form its column if it is the first on its line, otherwise -1.
    columns = [-1]
    suspect: Form | None = None
    begin, fresh = 0, True
    text = source.text
    for match in TOKEN.finditer(text):
        kind, start = match.lastindex, match.start()
        if kind is None:
            newline = text.rfind("\n", start, match.end())
            if newline >= 0:
                begin, fresh = newline + 1, True
            continue
        if kind == 1:
            column = start - begin if fresh else -1
            # A form that begins a line, not to the right of the form it would belong to: the sign of a
            # parenthesis left open, in text that is indented.
            if suspect is None and 0 <= column <= columns[-1] > 0:
                suspect = inner
            form = Form(source, start)
            inner.items.append(form)
            opened.append(form)
            columns.append(column)
            inner = form
        elif kind == 2:
            opened.pop()
            columns.pop()
            if not opened:
                raise source.error(
                    start,
                    asked="this parenthesis",
                    found="it closes nothing: all that were opened are closed",
                    do="remove it, or look above for one that closes too early",
                )
            inner = opened[-1]
        elif kind == 4:
            inner.items.append(_atom(match[4], source, start))
        elif kind == 3:
            value = match[3]
            inner.items.append(
                String(_unescaped(value, source, start) if "\\" in value else value, source, start)
            )
        else:
            raise _stray(match[5], source, start)
        fresh = False
    if inner is not top:
        raise (suspect or inner).error(
            asked="this parenthesis",
            found="it is not closed" if suspect is None else "it seems not to be closed: one ) is missing",
            do="add the missing ) where the expression ends",
        )
    return top.items


def _atom(text: str, source: Source, start: int) -> Node:
    if NUMBER.match(text) is None:
        return Symbol(text, source, start)
    value = float(text)
    if not math.isfinite(value):
        raise source.error(
            start,
            asked=f"number {text[:40]}",
            found="it is too large for a double-precision number",
            do="give a number below 1.7e308",
        )
    return Number(value, source, start)


def _unescaped(text: str, source: Source, start: int) -> str:
    def character(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else -1
        if code > 0x10FFFF or (code < 0 and match[2] not in '"\\'):
            raise source.error(
                start + 1 + match.start(),
                asked=f"{match[0]} in a string",
                found="this is not a character",
                do='write \\" for a quote, \\\\ for a backslash, or \\u{2603} with the number of a character',
            )
        return chr(code) if code >= 0 else match[2]

    return ESCAPE.sub(character, text)


def _stray(character: str, source: Source, start: int) -> ParseError:
    if character == '"':
        return source.error(
            start,
            asked="this string",
            found="it is not closed on its line",
            do='add the missing "; a quote inside a string is written \\"',
        )
    return source.error(
        start,
        asked=f"character {character!r}",
        found="it has no meaning in this place",
        do="replace it by a space, or put it into quotes",
    )


def written(text: str) -> str:
    """A string as it is written in a file."""
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}"
