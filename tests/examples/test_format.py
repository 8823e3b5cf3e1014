"""Every model file printed in the documentation loads, builds and survives being written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bough.io._kinds import element_kinds, function_kinds
from bough.io._transforms import OPTIONS, TRANSFORMS
from bough.io.system_file import parse_system, system_text

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```lisp\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", FILES, ids=[str(number) for number in range(len(FILES))])
def test_file(text: str) -> None:
    system = parse_system(text, path="format.sexp")
    assert parse_system(system_text(system)).to_dict() == system.to_dict()
    if system.variables:
        system.build()


def test_no_form_is_left_out() -> None:
    own = [kind for kind in element_kinds().values() if kind.cls.__module__.split(".")[0] == "bough"]
    words = {kind.word for kind in (*own, *function_kinds().values())} - {"function-force"}
    words |= (
        OPTIONS
        | set(TRANSFORMS)
        | {"system", "let", "at", "start", "duration", "dt", "shape", "size", "pose", "color"}
    )
    text = " ".join(FILES)
    assert {word for word in words if not re.search(rf"[( ]{word}[ )]", text + " ")} - {"system"} == set()
    assert "(include " in PAGE
