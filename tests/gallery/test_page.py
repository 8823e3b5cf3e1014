"""docs/gallery.md: a section for every system, and numbers that are measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bough import gallery
from support.gallery_table import Row, line, measured, read, same

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


def test_every_system_has_a_section_and_an_example() -> None:
    assert tuple(re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)) == gallery.names()
    assert {path.stem for path in (ROOT / "examples" / "gallery").glob("*.py")} == set(gallery.names())


def test_the_table_is_that_of_all_systems() -> None:
    rows = read(PAGE)
    assert tuple(row.name for row in rows) == gallery.names()
    assert all(line(row) in PAGE for row in rows)


@pytest.mark.parametrize("row", read(PAGE), ids=lambda row: row.name)
def test_the_numbers_are_those_of_a_run(row: Row) -> None:
    """`python -m support.gallery_table` prints them again."""
    entry = next(entry for entry in gallery.entries() if entry.name == row.name)
    found = measured(entry)
    assert found[:4] == row[:4]
    assert same(row.energy, found.energy), f"printed {row.energy}, measured {found.energy}"
    assert same(row.constraint, found.constraint), f"printed {row.constraint}, measured {found.constraint}"
