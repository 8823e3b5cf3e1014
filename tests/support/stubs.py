"""What Python sees of the compiled core, in the words of a stub: `make stubs` writes it to src/bough/_core_base.pyi."""

from __future__ import annotations

import re
from pathlib import Path

from nanobind.stubgen import StubGen

from bough._core import core

FILE = Path(__file__).parents[2] / "src" / "bough" / "_core_base.pyi"
HEAD = """# The compiled core, as mypy sees it: `make stubs` writes it, tests/unit/test_stubs.py compares.

from collections.abc import Sequence
import enum
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

# arrays in row-major order, read or written
In: TypeAlias = NDArray[numpy.float64]
InInt: TypeAlias = NDArray[numpy.int32]
Out: TypeAlias = NDArray[numpy.float64]
View: TypeAlias = NDArray[numpy.float64]  # of memory of the core, read-only
"""
ALIASES = {
    "Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]": "In",
    "Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]": "InInt",
    "Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]": "Out",
    "Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]": "View",
}


def stub() -> str:
    generator = StubGen(module=core)
    generator.put(core)
    text: str = generator.get().replace("*args)", "*args: object)")
    for long, short in ALIASES.items():
        text = text.replace(long, short)
    text = re.sub(r"Annotated\[(NDArray\[numpy\.\w+\]), dict\(shape=\(None,\)\)\]", r"\1", text)  # new arrays
    body = text[re.search(r"^(class|def|[A-Za-z_]+:) ", text, re.MULTILINE).start() :]  # type: ignore[union-attr]
    return HEAD + "\n" + body.rstrip() + "\n"


if __name__ == "__main__":
    FILE.write_text(stub(), encoding="utf-8")
