"""Listing 1 of paper 002 from the command line: no start given, 120 s."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import console

PAGE = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    console.write_files(PAGE, tmp_path)


def test_mobility() -> None:
    code, stdout, _ = console.run("bough info closed_chain.sexp")
    assert code == 0
    assert "\nmobility 3: 7 dynamic variables less 4 independent of 4 constraint rows\n" in stdout


def test_two_minutes_from_all_angles_zero() -> None:
    code, stdout, stderr = console.run("bough simulate closed_chain.sexp --duration 120 --json")
    assert (code, stderr) == (0, "")
    found = json.loads(stdout)
    assert (found["status"], found["steps"], found["assembled"]) == ("finished", 12000, True)
    assert found["constraint_error"]["relative"] <= 1e-12
    assert found["constraint_error"]["max"] <= 1e-11  # of lengths that add up to 12 m
