"""`bough compare` as a user and as a program reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bough
from bough.cli import compare as command
from support import console
from support.small_systems import write_all


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path)


def test_table_and_files() -> None:
    line = "bough compare pendulum.json --q angle=0.5 --duration 1 --integrators midpoint,rk4"
    code, stdout, stderr = console.run(f"{line} --plot c.png --html c.html")
    assert (code, stderr) == (0, "")
    lines = stdout.splitlines()
    assert lines[0] == "pendulum: 1 s with dt = 0.01 s"
    assert [row.split()[0] for row in lines[2:4]] == ["midpoint", "rk4"]
    assert lines[-2:] == ["  written    c.png", "  written    c.html"]
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")
    assert Path("c.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_and_assembly() -> None:
    line = "bough compare closed_chain.json --q J=0.3 --duration 0.5 --integrators rk4,rk4+projection"
    code, stdout, stderr = console.run(f"{line} --effort 0.2 --json")
    assert (code, stderr) == (0, "")
    found = json.loads(stdout)
    assert found["file"] == "closed_chain.json"
    assert found["interrupted"] is False
    rows = {row["label"]: row for row in found["rows"]}
    assert rows["rk4"]["constraint_drift"] > 1e-9
    assert rows["rk4+projection"]["constraint_drift"] < 1e-13


def test_all_failed() -> None:
    system = bough.System("spring", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", 1e8))
    Path("spring.json").write_text(json.dumps(system.to_dict()))
    code, stdout, _ = console.run(
        "bough compare spring.json --q x=1 --duration 1 --integrators rk4 --effort 0.2"
    )
    assert code == 1
    assert "failed: t = 0.1" in stdout
    assert "the motion blew up: with dt = 0.01 'rk4' is not stable here" in stdout


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*arguments: object, **options: object) -> bough.Comparison:
        found = bough.compare(*arguments, **options)  # type: ignore[arg-type]
        stop = KeyboardInterrupt()
        stop.comparison = found  # type: ignore[attr-defined]
        raise stop

    monkeypatch.setattr(command, "compare", stopped)
    line = "bough compare pendulum.json --q angle=0.5 --duration 0.5 --integrators rk4"
    code, stdout, stderr = console.run(line)
    assert (code, stderr) == (1, "interrupted: - stands for what was not reached\n")
    assert "rk4" in stdout


ERRORS = {
    "bough compare pendulum.json --integrators rk5": (
        "integrator 'rk5' in a comparison of model 'pendulum'",
        "no integrator has this name; the nearest are 'rk45', 'rk4'",
        "correct the spelling",
    ),
    "bough compare pendulum.json --plot c.gif": (
        "--plot 'c.gif'",
        "the suffix '.gif'",
        "use one of '.png', '.pdf', '.svg'",
    ),
    "bough compare pendulum.json --html no/c.html": (
        "--html 'no/c.html'",
        "there is no folder 'no'",
        "give the path of a file in a folder that exists",
    ),
}


@pytest.mark.parametrize("line", ERRORS)
def test_bad_usage(line: str) -> None:
    code, stdout, stderr = console.run(line)
    asked, found, do = ERRORS[line]
    assert (code, stdout) == (2, "")
    assert stderr == f"error: {asked}\n  found: {found}\n  do: {do}\n"


def test_completion_of_a_list() -> None:
    assert command._names("midpoint,semi") == ["midpoint,semi-implicit-euler"]
    assert "all" in command._names("")
