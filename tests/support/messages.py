"""Errors by the exact text of their three parts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import bough

# what is asked for, and the three parts of the message
Case = tuple[Callable[[], object], str, str, str]


def check_message(
    ask: Callable[[], object],
    asked: str,
    found: str,
    do: str,
    kind: type[bough.BoughError] = bough.ModelError,
) -> None:
    """Ask for something that cannot be, and compare all of what is said."""
    with pytest.raises(kind) as caught:
        ask()
    assert str(caught.value) == f"{asked}\n  found: {found}\n  do: {do}"


def file_message(path: str, text: str, place: str, found: str, do: str) -> str:
    """The whole message of a mistake at line:column."""
    line, column = map(int, place.split(":"))
    lines = text.splitlines()
    shown = f"    {lines[line - 1]}\n    {' ' * (column - 1)}^\n" if line <= len(lines) else ""
    return f"{path}:{place}: reading a model file\n{shown}  found: {found}\n  do: {do}"
