"""Every program in examples/ runs, writes only where it is told to, and stays short."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.rglob("*.py"))
PLOTTING = {"batch", "double_pendulum", "pictures"}


def run(example: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONWARNINGS": "error::DeprecationWarning:__main__"}
    return subprocess.run(
        [sys.executable, str(example), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_there_are_examples():
    assert {path.stem for path in EXAMPLES} >= PLOTTING


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_runs(example: Path, tmp_path: Path):
    arguments = ["plot.png"] if example.stem in PLOTTING else []
    result = run(example, tmp_path, *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()
    assert sorted(path.name for path in tmp_path.iterdir()) == arguments
    for name in arguments:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_demo_leaves_a_page_and_a_plot(tmp_path: Path):
    example = next(path for path in EXAMPLES if path.stem == "marionette")
    result = run(example, tmp_path, ".")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-2:] == ["marionette.html", "marionette.png"]
    page = (tmp_path / "marionette.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html")
    assert len(page) < 10_000_000
    assert (tmp_path / "marionette.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_is_short(example: Path):
    assert len(example.read_text(encoding="utf-8").splitlines()) < 60
