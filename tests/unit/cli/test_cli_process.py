"""The command line as a process: Ctrl-C, pipes, encodings, completion, the progress bar."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.cli._complete import models
from bough.progress import Progress
from support import console
from support.small_systems import write_all


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with some models."""
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path)


INTERRUPTED = """
import os, signal, threading, time
from bough.cli import main


def interrupt():
    begin = time.process_time()
    while time.process_time() < begin + 2.0:  # of this process, so that a busy machine changes nothing
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)


threading.Thread(target=interrupt, daemon=True).start()
main()
"""


def test_ctrl_c_keeps_what_was_computed() -> None:
    words = "simulate pendulum.json --q angle=1 --duration 1e4 --every 100 --dt 1e-5 -o run.npz"
    found = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words.split()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (found.returncode, found.stderr) == (1, "")
    assert found.stdout.startswith("pendulum: interrupted at t = ")
    assert found.stdout.endswith("  written            run.npz\n")
    assert bough.load_trajectory("run.npz").status == "interrupted"


def test_python_dash_m_and_a_closed_pipe() -> None:
    command = [sys.executable, "-m", "bough"]
    found = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    lines = found.stdout.splitlines()
    assert lines[0] == f"bough {bough.__version__}"
    assert lines[1].startswith("core ")
    assert f"numpy {np.__version__}" in lines[1]
    assert found.stderr == ""
    process = subprocess.Popen(
        [*command, "info", "pendulum.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait()


def test_a_tree_prints_where_its_lines_cannot_be_encoded() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "bough", "info", "pendulum.json"]
    found = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert b"?? ry(angle)\n" in found.stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("bough si", ["simulate"]),
        ("bough simulate pendulum.json --integrator t", ["trapezoidal"]),
        ("bough simulate driven.json --q ", ["angle=", "rail="]),
        ("bough assemble driven.json --hold ", ["angle"]),
        ("bough simulate nothing.json --q ", []),
        ("bough plot run.npz --panel v", ["velocity"]),
        ("bough simulate gallery:car", ["gallery:cart_pole"]),  # as zsh and fish ask
        (
            "bough simulate gallery : car",
            ["cart_pole"],
        ),  # as bash asks, which replaces what follows the colon
        ("bough simulate gallery : cart_pole --u ", ["force="]),
        ("bough simulate gallery : marionette --motion w", ["walk", "wave"]),
        ("bough simulate gallery : marionette --k back", ["back_string="]),
        ("bough simulate xgallery : car", []),
    ],
)
def test_completion(words: str, offered: list[str]) -> None:
    count = len(words.split(" ")) - 1
    asked = {"_BOUGH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    found = subprocess.run(
        [sys.executable, "-m", "bough"],
        capture_output=True,
        text=True,
        env={**os.environ, **asked},
        check=False,
    )
    assert found.stdout.split() == offered
    assert found.stderr == ""


def test_completion_offers_the_gallery_beside_files_and_leaves_the_rest_to_the_shell() -> None:
    Path("galaxy.sexp").write_text("(system)")
    assert models("") == models("pend") == []
    assert models("gal")[0] == "gallery:pendulum"
    assert models("gal")[-1] == "galaxy.sexp"
    assert models("gallery:kep") == ["gallery:kepler"]


def test_progress_bar_shows_time_speed_and_remaining_time(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("pendulum", 20.0, True, 2000) as progress:
        progress.update(5.0)
    text = capsys.readouterr().err
    assert "pendulum" in text
    assert "5 of 20 s" in text
    assert "steps/s" in text
    assert "remaining" in text


def test_no_progress_bar_outside_a_terminal() -> None:
    _, _, stderr = console.run("bough simulate pendulum.json --duration 1000 --dt 0.0005 --every 1000")
    assert stderr == ""
