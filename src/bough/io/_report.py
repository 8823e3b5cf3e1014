"""The report of an importer: one warning lists everything that was not used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bough.errors import BoughWarning, ModelError, ParseError, quoted, warn


class Report:
    """Collects what the import of one file left out.

    Parameters
    ----------
    path : Path
        The file; the warnings begin with its name.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unused: dict[str, list[str]] = {}  # what -> names, "" for a thing without one
        self._notes: list[str] = []

    def unused(self, what: str, name: str) -> None:
        """Note something of the kind `what` (in the plural) that was read but not used."""
        self._unused.setdefault(what, []).append(name)

    def note(self, text: str) -> None:
        """Note something about the import that the user should know."""
        self._notes.append(text)

    def warn(self) -> None:
        """Warn once of everything that was not used, and once for each note."""
        name = self._path.name
        if self._unused:
            parts = "; ".join(f"{what} ({named(names)})" for what, names in self._unused.items())
            warn(f"{name}: read but not used: {parts}", BoughWarning)
        for note in self._notes:
            warn(f"{name}: {note}", BoughWarning)


def named(names: Iterable[str], limit: int = 3) -> str:
    """`'a', 'b', 'c' and 4 more`; only their number if one has no name."""
    listed = list(names)
    return quoted(dict.fromkeys(listed), limit) if all(listed) else str(len(listed))


def check_variables(owners: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Raise if two joints have a variable of the same name: joints of several variables make names."""
    seen: dict[str, str] = {}
    for owner, variables in owners:
        for variable in variables:
            if variable in seen:
                raise ModelError(
                    asked=f"variable {variable!r}",
                    found=f"the joints {seen[variable]!r} and {owner!r} both have it",
                    do="rename one of them",
                )
            seen[variable] = owner


@contextmanager
def in_file(path: Path) -> Iterator[None]:
    """Turn the error of a system into an error of the file."""
    try:
        yield
    except ModelError as error:
        raise ParseError(asked=error.asked, found=error.found, do=error.do, path=os.fspath(path)) from error
