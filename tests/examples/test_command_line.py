"""Commands of docs/command_line.md print what the page shows; the example that ends each --help runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bough
from support import console

PAGE = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")
COMMANDS = (
    "simulate",
    "compare",
    "info",
    "check",
    "assemble",
    "plot",
    "view",
    "video",
    "convert",
    "gallery",
    "figures",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the models of the page, and a run."""
    monkeypatch.chdir(tmp_path)
    console.write_files(PAGE, tmp_path)
    return tmp_path


def test_the_page_prints_what_the_commands_print(folder: Path) -> None:
    printed = console.commands(PAGE)
    assert len(printed) >= 10
    for command, output in printed:
        code, stdout, stderr = console.run(command)
        assert (code, stderr) == (0, ""), command
        assert console.masked(stdout) == console.masked(output), command


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_an_example_that_runs(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bough.Viewer, "wait", lambda viewer: True)  # as if Ctrl-C came at once
    monkeypatch.setattr("webbrowser.open", lambda url: True)
    assert console.run("bough simulate pendulum.sexp --duration 1 -o run.npz")[0] == 0
    code, text, _ = console.run(f"bough {command} --help")
    assert code == 0
    last = text.strip().splitlines()[-1].strip()
    assert last.startswith(f"Example: bough {command} ")
    assert console.run(last.removeprefix("Example: "))[0] == 0


def test_help_lists_the_commands_in_the_order_of_use() -> None:
    _, text, _ = console.run("bough --help")
    assert tuple(re.findall(r"^  (\w+)  ", text.split("Commands:")[1], re.MULTILINE)) == COMMANDS
    assert "Exit codes: 0 fine, 1 failed run or check, 2 bad usage or bad file." in text
