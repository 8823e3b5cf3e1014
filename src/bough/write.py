"""Atomic writing: a file is written beside its target and then renamed; a full disk leaves the old file."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bough.errors import ModelError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of a new file that takes the place of `path` when the block ends without an error.

    It has the same suffix and, if there is an old file, the same permissions. A link stays a link: the file
    that it points to is replaced. What is not a file, such as a pipe, is written to directly. A folder that is
    missing is an error before anything is written.
    """
    target = Path(os.path.realpath(path))
    old = target.exists()
    if target.is_dir():
        raise ModelError(
            asked=f"a file at {os.fspath(path)!r}", found="a folder", do="give the path of a file in it"
        )
    if not target.parent.is_dir():
        raise ModelError(
            asked=f"a file at {os.fspath(path)!r}",
            found=f"there is no folder {str(Path(path).parent)!r}",
            do="make the folder first, or give a path in one that exists",
        )
    if old and not target.is_file():
        yield target
        return
    if old and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    part = target.with_name(f".{target.stem}.{os.getpid()}.{threading.get_ident()}.part{target.suffix}")
    try:
        yield part
        if old:
            shutil.copymode(target, part)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8; lines end as they do in the text."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="")
