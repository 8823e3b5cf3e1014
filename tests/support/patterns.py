"""Whether a regular expression is matched in work linear in the text: seen from its form, without a clock."""

from __future__ import annotations

import importlib
import re
import sys
from itertools import chain, combinations
from typing import Any

parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

ALPHABET = frozenset(map(chr, range(256)))
CATEGORIES = {"SPACE": str.isspace, "DIGIT": str.isdecimal, "WORD": lambda c: c.isalnum() or c == "_"}


def ambiguities(pattern: re.Pattern[str]) -> list[str]:
    """The characters of a pattern that may follow another one in two ways.

    Where there are none, from each beginning a text is matched along one path alone: when the matcher goes
    back, whatever else it tries fails at the next character. Each alternative at the beginning then looks at
    each character a fixed number of times. Ways are counted with the loops that they go through: (a+)+ has
    one `a`, which follows itself in two ways.
    """
    form = Form()
    form.sequence(parser.parse(pattern.pattern, pattern.flags))
    found = []
    for place, following in enumerate(form.following):
        for one, other in combinations(following, 2):
            common = form.places[one] & form.places[other]
            if common:
                found.append(f"{min(common)!r} after {min(form.places[place])!r}")
    return found


class Form:
    """The places of a pattern where a character is matched, and for each those that follow, by each way.

    A part of a pattern is (whether it matches nothing, its first places, its last places).
    """

    def __init__(self) -> None:
        self.places: list[frozenset[str]] = []
        self.following: list[list[int]] = []

    def sequence(self, items: Any) -> tuple[bool, list[int], list[int]]:
        empty, first, last = True, [], []
        for name, value in items:
            part_empty, part_first, part_last = self.part(str(name), value)
            self.join(last, part_first)
            first = first + part_first if empty else first
            last = last + part_last if part_empty else part_last
            empty = empty and part_empty
        return empty, first, last

    def part(self, name: str, value: Any) -> tuple[bool, list[int], list[int]]:
        if name == "AT":  # the end of the text
            return True, [], []
        if name == "SUBPATTERN":
            return self.sequence(value[-1])
        if name == "BRANCH":
            empty, first, last = zip(*map(self.sequence, value[1]), strict=True)
            return any(empty), [*chain(*first)], [*chain(*last)]
        if name == "MAX_REPEAT":
            least, most, items = value
            empty, first, last = self.sequence(items)
            if most > 1:
                self.join(last, first)
            return empty or least == 0, first, last
        self.places.append(characters(name, value))
        self.following.append([])
        place = [len(self.places) - 1]
        return False, place, place

    def join(self, before: list[int], after: list[int]) -> None:
        for place in before:
            self.following[place] += after


def characters(name: str, value: Any) -> frozenset[str]:
    """Those that one place matches."""
    if name == "LITERAL":
        return frozenset({chr(value)})
    if name == "NOT_LITERAL":
        return ALPHABET - {chr(value)}
    if name == "ANY":
        return ALPHABET - {"\n"}
    if name == "RANGE":
        return frozenset(map(chr, range(value[0], value[1] + 1)))
    if name == "CATEGORY":
        kind = str(value).removeprefix("CATEGORY_")
        some = frozenset(filter(CATEGORIES[kind.removeprefix("NOT_")], ALPHABET))
        return ALPHABET - some if kind.startswith("NOT_") else some
    assert name == "IN", f"{name} in a pattern is not known here"
    negated = str(value[0][0]) == "NEGATE"
    some = frozenset().union(*(characters(str(n), v) for n, v in value[negated:]))
    return ALPHABET - some if negated else some
