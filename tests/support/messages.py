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
