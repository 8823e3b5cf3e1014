"""Balls on the command line: starts by name, and every command on a model and a run with them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bough
from support import console
from support.balls import floating_arm

TURN = "0.6,0.8,0,0"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bough.save(floating_arm(), "arm.sexp")
    tied = floating_arm()
    tied.add(bough.DistanceConstraint("lower", "world", 1.2, name="wire"))
    bough.save(tied, "tied.sexp")


def run(command: str) -> str:
    code, stdout, stderr = console.run(command)
    assert code == 0, stderr
    return stdout


def test_a_start_by_name() -> None:
    """--q takes quaternions and --v rates of a ball; the run is that of the same start in Python."""
    run(
        f"bough simulate arm.sexp --q base={TURN} --q elbow=0.3 --v base=0.1,0.2,0.3 --duration 0.2 --dt 0.01 -o a.npz"
    )
    start = {"base": (0.6, 0.8, 0.0, 0.0), "elbow": 0.3}
    expected = bough.simulate(
        floating_arm().build(), q=start, v={"base": (0.1, 0.2, 0.3)}, duration=0.2, dt=0.01
    )
    np.testing.assert_array_equal(bough.load_trajectory("a.npz").q, expected.q)
    run("bough simulate a.npz -o b.npz")
    np.testing.assert_array_equal(bough.load_trajectory("b.npz").q, expected.q)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--q base=1,0,0,up", "'1.0,0.0,0.0,up' is not a row of finite numbers"),
        ("--q base=1,0,0,1", "a quaternion of length 1.41421356"),
        ("--q base=0.5", "where a rotation is needed"),
        ("--v base=1,2", "three numbers"),
        ("--q elbow=1,0", "'1,0' is not a finite number"),
    ],
)
def test_what_is_refused(words: str, text: str) -> None:
    code, _, stderr = console.run(f"bough simulate arm.sexp {words} --duration 0.02 --dt 0.01")
    assert code == 2
    assert text in stderr


def test_assemble() -> None:
    """Coordinates and rates, which are not as many, in rows of their own."""
    text = run(f"bough assemble tied.sexp --q base={TURN} --q base_tx=0.5 --v base=0,0,1")
    assert "the constraints hold to" in text
    names = [line.split()[0] for line in text.splitlines()[2:]]
    model = bough.load("tied.sexp").build()
    assert set(names) == {*model.coordinates, *model.variables}
    found = json.loads(run(f"bough assemble tied.sexp --q base={TURN} --q base_tx=0.5 --v base=0,0,1 --json"))
    assert tuple(found["q"]) == model.coordinates
    assert tuple(found["v"]) == model.variables
    assert np.abs(model.constraint(found["q"])).max() < 1e-9


def test_every_command() -> None:
    run("bough simulate arm.sexp --v base=0.1,2,0.3 --duration 0.2 --dt 0.01 -o run.npz")
    model, motion = bough.load("arm.sexp").build(), bough.load_trajectory("run.npz")
    assert "ball(base)" in run("bough info arm.sexp")
    assert "sound" in run("bough check arm.sexp")
    assert "midpoint" in run(
        f"bough compare arm.sexp --q base={TURN} --v base=0.1,2,0.3 --duration 0.1 --dt 0.01"
    )
    run("bough plot run.npz -o run.svg")
    run("bough convert arm.sexp arm.json")
    description = json.loads(Path("arm.json").read_text(encoding="utf-8"))
    assert bough.System.from_dict(description).build().digest == model.digest
    run("bough convert run.npz run.csv")
    columns = np.genfromtxt("run.csv", delimiter=",", names=True, deletechars="")
    assert columns.dtype.names is not None
    np.testing.assert_array_equal(columns["q.base_qw"], motion["base_qw"])
    np.testing.assert_array_equal(columns["v.shoulder_wz"], motion["v.shoulder_wz"])
    study = run(
        "bough study arm.sexp --over v.base_wx=0:1:3 --duration 0.05 --dt 0.01 --show q.base_qw --quiet"
    )
    assert "3" in study
