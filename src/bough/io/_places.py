"""Positions in a file, for messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bough.errors import ModelError
from bough.io.sexpr import Form, Node, String

FIRST_WORD = re.compile(r"\w+")
KINEMATIC = re.compile(r"(?:bough\.)?kinematic\('([^']*)'\)")


class errors_at:
    """Give errors of the library the position of the item that they are about."""

    def __init__(self, node: Node, nodes: Mapping[str, Node]) -> None:
        self._node = node
        self._nodes = nodes

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ModelError):
            word = FIRST_WORD.match(error.asked)
            node = self._nodes.get(word[0], self._node) if word else self._node
            do = KINEMATIC.sub(r'(K "\1")', error.do)
            raise node.error(asked=error.asked, found=error.found, do=do) from error


def names_in(value: Any) -> list[str]:
    """The names in the value of a field."""
    if isinstance(value, dict):
        value = list(value.get("mapping", ()))
    return [name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str)]


def string_in(node: Node, text: str) -> Node:
    """The string inside an item, or the item if there is none."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, String) and item.value == text:
            return item
        if isinstance(item, Form):
            waiting.extend(reversed(item.items))
    return node
