"""Commands of docs/command_line.md print what the page shows; the example that ends each --help runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bough
from support import console

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
COLUMNS = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
COMMANDS = (
    "simulate",
    "study",
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
    "lab",
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


def fields(data: Any) -> Iterator[str]:
    """The names of all fields; the names of variables in q and v are none."""
    if isinstance(data, list):
        for item in data:
            yield from fields(item)
    elif isinstance(data, dict):
        for name, value in data.items():
            yield name
            if name not in ("q", "v"):
                yield from fields(value)


@pytest.mark.parametrize("command", ["simulate", "compare", "info", "check", "assemble", "gallery"])
def test_the_page_names_every_field_of_json(command: str, folder: Path) -> None:
    more = {"gallery": "", "compare": "closed_chain.sexp --duration 0.1 --integrators midpoint --effort 0.01"}
    code, stdout, stderr = console.run(f"bough {command} {more.get(command, 'closed_chain.sexp')} --json")
    assert code == 0, stderr
    table = PAGE.split(f"| `{command} --json`")[1].split("\n\n")[0]
    pages = table + (COLUMNS if command == "compare" else "")  # the page of the columns that the table names
    assert [name for name in fields(json.loads(stdout)) if f"`{name}`" not in pages] == []


def test_the_page_names_every_command() -> None:
    assert tuple(re.findall(r"^\| `bough (\w+)", PAGE, re.MULTILINE)) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_an_example_that_runs(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bough.Viewer, "wait", lambda viewer: True)  # as if Ctrl-C came at once
    monkeypatch.setattr("bough.lab.page.Lab.wait", lambda lab: True)
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
