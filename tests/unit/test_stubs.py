"""The stub that mypy checks calls of the core with is that of the core."""

from __future__ import annotations

import pytest

pytest.importorskip("nanobind", reason="needs nanobind, which writes stubs")

from support.stubs import FILE, stub


def test_the_stub_is_that_of_the_core() -> None:
    assert FILE.read_text(encoding="utf-8") == stub(), (
        "the bindings have changed: write the stub anew by `make stubs`"
    )
