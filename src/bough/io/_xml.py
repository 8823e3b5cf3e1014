"""XML with positions: every element knows its file, line and column.

A document type is refused, and with it every entity, so that a file can neither expand to more than it is
nor name other files. Nothing is read but the file itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from bough.errors import ParseError, nearest, quoted

LARGEST_FILE = 100_000_000  # largest size of a file, in bytes
DEEPEST = 400  # largest nesting depth of elements; MuJoCo's reader takes 500


@dataclass(slots=True)
class Node:
    """An element of an XML file."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    column: int
    children: list[Node] = field(default_factory=list)

    def all(self, tag: str) -> list[Node]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Node | None:
        """The first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[Node]:
        """This element and everything in it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def text(self, name: str) -> str:
        """An attribute that must be there and not be blank."""
        value = self.attributes.get(name)
        if value is None or not value.strip():
            found = "without" if value is None else "with an empty"
            raise self.error(f"<{self.tag}> {found} {name!r}", f'give <{self.tag}> {name}="..."', name)
        return value

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """`count` finite numbers of an attribute; without a default it must be there."""
        if default is not None and name not in self.attributes:
            return default
        words = self.text(name).split()
        values = []
        for word in words:
            try:
                value = float(word) if "_" not in word else float("nan")
            except ValueError:
                value = float("nan")
            if not abs(value) < float("inf"):
                raise self.error(
                    f"{name}={self.attributes[name]!r} in <{self.tag}>: {word!r} is not a finite number",
                    f"give {count} finite number{'s' if count > 1 else ''}",
                    name,
                )
            values.append(value)
        if len(values) != count:
            raise self.error(
                f"{name}={self.attributes[name]!r} in <{self.tag}>: {len(values)} numbers",
                f"give {count} number{'s' if count > 1 else ''}",
                name,
            )
        return tuple(values)

    def number(self, name: str, default: float | None = None) -> float:
        """One finite number of an attribute."""
        return self.numbers(name, 1, None if default is None else (default,))[0]

    def error(self, found: str, do: str, attribute: str | None = None) -> ParseError:
        """The error that points at this element, or at one of its attributes."""
        line, column = self.line, self.column
        if attribute in self.attributes:
            line, column = _attribute(self, attribute)
        return parse_error(self.path, found, do, line, column)

    def unknown(self, what: str, attribute: str, known: list[str]) -> ParseError:
        """The error for an attribute with an unknown name, with the nearest names."""
        name = self.attributes[attribute]
        close = nearest(name, known)
        if close:
            found = f"no {what} has the name {name!r}; the nearest {'is' if len(close) == 1 else 'are'}"
            return self.error(f"{found} {quoted(close)}", "correct the spelling", attribute)
        return self.error(f"no {what} has the name {name!r}", f"use one of {quoted(known)}", attribute)


def parse_error(path: Path, found: str, do: str, line: int | None = None, column: int = 1) -> ParseError:
    """A ParseError at a place of a file; columns count from one."""
    return ParseError(
        asked="reading a model file",
        found=found,
        do=do,
        path=os.fspath(path),
        line=line,
        column=None if line is None else column,
        source=None if line is None else _line(path, line),
    )


def read_xml(path: Path, root: str) -> Node:
    """The root element of a file, which must have this tag."""
    data = read_bytes(path)
    parser = expat.ParserCreate()
    reader = _Reader(path, parser)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        text = expat.errors.messages[error.code] if error.code in expat.errors.messages else str(error)
        do = "correct the XML at this place"
        if reader.open and text in ("no element found", "mismatched tag"):
            last = reader.open[-1]
            do = f"close <{last.tag}> of line {last.line}"
        raise parse_error(path, f"not well-formed XML: {text}", do, error.lineno, error.offset + 1) from None
    except (LookupError, ValueError):
        raise parse_error(path, "an encoding that cannot be read", "save the file as UTF-8", 1) from None
    assert reader.root is not None
    if reader.root.tag != root:
        raise reader.root.error(
            f"<{reader.root.tag}> where <{root}> should be", f"give a file that begins <{root}>"
        )
    return reader.root


def read_bytes(path: Path) -> bytes:
    """The content of a file of at most `LARGEST_FILE` bytes."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise parse_error(path, "not a file", "give the path of a file")
        if size > LARGEST_FILE:
            raise parse_error(path, f"{size} bytes", f"give a file of at most {LARGEST_FILE} bytes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise parse_error(
            path, reason[:1].lower() + reason[1:], "give the path of a file that exists"
        ) from None


def to_text(root: Node) -> tuple[str, list[Node]]:
    """The element as XML, and the node that each of its lines comes from."""
    lines: list[str] = []
    nodes: list[Node] = []
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, closing = waiting.pop()
        nodes.append(node)
        if closing:
            lines.append(f"</{node.tag}>")
            continue
        attributes = "".join(
            f" {name}={quoteattr(value, {chr(10): ' ', chr(13): ' ', chr(9): ' '})}"
            for name, value in node.attributes.items()
        )
        lines.append(f"<{node.tag}{attributes}{'' if node.children else '/'}>")
        if node.children:
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(node.children))
    return "\n".join(lines), nodes


class _Reader:
    """Builds the tree from what expat reports."""

    def __init__(self, path: Path, parser: Any) -> None:
        self.path = path
        self.parser = parser
        self.root: Node | None = None
        self.open: list[Node] = []
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        node = Node(tag, attributes, self.path, line, column)
        if len(self.open) == DEEPEST:
            raise node.error(f"<{tag}> within {DEEPEST} other elements", f"nest at most {DEEPEST} elements")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _doctype(self, *_: object) -> None:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        raise parse_error(
            self.path,
            "a document type (<!DOCTYPE>), which can hold entities and name other files",
            "remove it, with the entities",
            line,
            column,
        )


def _attribute(node: Node, name: str) -> tuple[int, int]:
    """Line and column of an attribute, or of the element if it is not found."""
    for line in range(node.line, node.line + 20):
        text = _line(node.path, line)
        if text is None:
            break
        start = node.column - 1 if line == node.line else 0
        found = re.search(rf"\b{re.escape(name)}\s*=", text[start:])
        if found is not None:
            return line, start + found.start() + 1
    return node.line, node.column


def _line(path: Path, line: int) -> str | None:
    """One line of a file, for messages."""
    try:
        with path.open("rb") as file:
            for number, content in enumerate(file, start=1):
                if number == line:
                    return content[:10_000].decode("utf-8", "replace").rstrip("\r\n")
    except OSError:
        pass
    return None
