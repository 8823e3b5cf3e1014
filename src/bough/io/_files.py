"""The files that a system is read from: the one asked for, and those that it includes beside itself."""

from __future__ import annotations

import re
from pathlib import Path

from bough.errors import ParseError
from bough.io.sexpr import Form, Source, String, cut

INCLUDES = 256  # largest number of includes in one system; a file included twice counts twice
NOT_PLAIN = re.compile(r"[/\\:\0]")


class Files:
    """The included files that are open.

    Only files in the folder of the first one can be included, by their plain names, so that no file can make
    bough read anything else.
    """

    def __init__(self, first: Path | None) -> None:
        self._folder = None if first is None else first.parent
        self._open = [] if first is None else [first.resolve()]
        self._count = 0

    def included(self, form: Form) -> tuple[String, Path]:
        """The file of `(include "file")`, which is open from now on, and the item that names it."""
        node = form.items[1] if len(form.items) == 2 else form
        if not isinstance(node, String):
            raise form.error(
                asked="include", found="not one name of a file in quotes", do='write (include "part.sexp")'
            )
        asked, name = f"include {cut(node.value)}", node.value
        if NOT_PLAIN.search(name) or not name.lower().endswith(".sexp"):
            raise node.error(
                asked=asked,
                found="not the plain name of a .sexp file: only files beside this one can be included",
                do='put the file beside this one and write its name alone, such as (include "part.sexp")',
            )
        if self._folder is None:
            raise node.error(asked=asked, found="this text is not in a file", do="load it from a file")
        file = (self._folder / name).resolve()
        if file.parent != self._folder.resolve():
            raise node.error(
                asked=asked, found="it is a link to another folder", do="put the file itself beside this one"
            )
        self._count += 1
        if file in self._open or self._count > INCLUDES:
            raise node.error(
                asked=asked,
                found="the file includes itself" if file in self._open else f"more than {INCLUDES} includes",
                do="remove this include",
            )
        self._open.append(file)
        return node, file

    def text(self, node: String, file: Path) -> str:
        """The text of an included file."""
        try:
            return read_text(file, str(Path(node.source.path).parent / node.value))
        except ParseError as error:
            if error.line is not None:
                raise
            raise node.error(asked=f"include {cut(node.value)}", found=error.found, do=error.do) from None

    def close(self) -> None:
        """Close the file that was opened last."""
        self._open.pop()


def read_text(file: Path, path: str) -> str:
    """The text of a file, called `path` in messages."""
    asked = f"load({path!r})"
    try:
        raw = file.read_bytes() if file.is_file() else None
    except (OSError, ValueError) as error:
        found = f"the file cannot be read: {error}"
        raise ParseError(asked=asked, found=found, do="give another file") from None
    if raw is None:
        raise ParseError(asked=asked, found="there is no such file", do="check the path")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8-sig", "replace")
        raise Source(before, path).error(
            len(before),
            asked=f"byte 0x{raw[error.start]:02x}",
            found="it is not text in UTF-8",
            do="save the file in UTF-8",
        ) from None
