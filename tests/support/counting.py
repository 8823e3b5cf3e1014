"""Work counted instead of timed: calls and characters, which are the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(function: Callable[[], Any]) -> int:
    """How many calls, of functions in Python and in C, and resumptions of generators `function` makes."""
    counted = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return counted


class Name(str):
    """A name whose comparisons are calls, so that a search through a list of names is counted.

    `str(name)`, by which names are checked, is the same name.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return self

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)

    __hash__ = str.__hash__


class Text(str):
    """A text that counts the characters that its methods look at, each of which is one call."""

    looked_at = 0

    def count(self, part: str, start: int = 0, end: int | None = None) -> int:
        self._look(start, end)
        return str.count(self, part, start, end)

    def find(self, part: str, start: int = 0, end: int | None = None) -> int:
        self._look(start, end)
        return str.find(self, part, start, end)

    def rfind(self, part: str, start: int = 0, end: int | None = None) -> int:
        self._look(start, end)
        return str.rfind(self, part, start, end)

    def __getitem__(self, places: Any) -> str:
        part = str.__getitem__(self, places)
        self.looked_at += len(part)
        return part

    def _look(self, start: int, end: int | None) -> None:
        self.looked_at += len(range(*slice(start, end).indices(len(self))))
