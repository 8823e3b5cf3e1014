"""No random mechanism shows a false energy in silence, and hardly any is warned about without reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.coarse_mechanisms import counts, documented

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "coarse_steps.md"

FIRST = 10000  # of seeds that no number in the check was chosen by


def test_some_mechanisms() -> None:
    found, wrong = counts(range(FIRST, FIRST + 60))
    assert found["large error"] >= 3
    assert found["closed loops"] >= 15
    assert found["told twice"] == 0
    assert wrong == []


@pytest.mark.verify
def test_a_thousand_mechanisms() -> None:
    found, wrong = counts(range(FIRST, FIRST + 1000))
    assert found["silent"] == 0, wrong
    assert found["false alarm"] <= 10, wrong
    assert found["told twice"] == 0
    page = documented(PAGE.read_text(encoding="utf-8"), FIRST, 1000)
    assert (found["all"], found["closed loops"]) == (page["all"], page["closed loops"])
    for what in ("large error", "told", "false alarm"):  # but for a few that other round-off leads elsewhere
        assert abs(found[what] - page[what]) <= 3, what
