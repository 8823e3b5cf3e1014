"""No random mechanism shows a false energy in silence, and hardly any is warned about without reason."""

from __future__ import annotations

import pytest

from support.coarse_mechanisms import counts

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
    assert found["large error"] >= 60
    assert found["closed loops"] >= 250
    assert found["silent"] == 0, wrong
    assert found["false alarm"] <= 10, wrong
    assert found["told twice"] == 0
