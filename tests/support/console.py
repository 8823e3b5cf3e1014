"""Command lines in pages of the documentation: ```console blocks, and the files that they use."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from bough.cli import app

FILE = re.compile(r"<!--\s*file:\s*(?P<name>\S+)\s*-->\n```\w*\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)

# what differs between machines: times, the round-off of constraints; and what depends on details of solvers
MASKS = (
    (re.compile(r"^(  Newton iterations +).*$", re.MULTILINE), r"\1..."),
    (re.compile(r"all \d+ agree with finite differences"), "all ... agree with finite differences"),
    (re.compile(r"^(  run time +).*$", re.MULTILINE), r"\1..."),
    (re.compile(r"^(  constraint error +).*$", re.MULTILINE), r"\1..."),
    (re.compile(r"(the constraints hold to ).*$", re.MULTILINE), r"\1..."),
)


class Printed(NamedTuple):
    """A command and the output printed below it."""

    command: str
    output: str


def write_files(page: str, folder: Path) -> None:
    """Write the files that a page shows into a folder."""
    for match in FILE.finditer(page):
        (folder / match["name"]).write_text(match["text"], encoding="utf-8")


def commands(page: str) -> list[Printed]:
    """The commands of a page in order."""
    found = []
    for block in CONSOLE.findall(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append(Printed(command, output))
    return found


def run(command: str) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of a line that begins with `bough`."""
    program, *words = shlex.split(command)
    assert program == "bough"
    result = CliRunner().invoke(app, words, prog_name="bough")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def output(command: str, code: int = 0) -> str:
    """The standard output of a line that ends with this exit code."""
    found, stdout, stderr = run(command)
    assert found == code, stderr
    return stdout


def masked(text: str) -> str:
    """A text without what differs between machines."""
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text
