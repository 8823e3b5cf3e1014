"""Stores: resumed, told apart by all that a study is made of, and bounded in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.studies import ensemble as study_module
from support.studies import ANGLES, ARM, Integral, constant, highest


def calls(run: bough.Trajectory) -> dict[str, Any]:
    COUNTED.append(float(run.q[0, 0]))
    if STOP and run.q[0, 0] == STOP[0]:
        raise KeyboardInterrupt
    return {"end": run.q[-1, 0]}


COUNTED: list[float] = []
STOP: list[float] = []


def test_a_store_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    monkeypatch.setattr(study_module, "CHUNK_STEPS", 30)
    monkeypatch.setattr(study_module, "PARTS", 1)
    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    axes = {"q.shoulder": np.arange(1.0, 11.0), "parameter.length": [0.9, 1.1]}
    path = tmp_path / "study.zarr"
    STOP[:], COUNTED[:] = [6.0], []
    with pytest.raises(KeyboardInterrupt):
        bough.ensemble(problem, axes, keep=calls, store=path)
    STOP.clear()
    stored = (len(COUNTED) - 1) // 3 * 3
    COUNTED.clear()
    study = bough.ensemble(problem, axes, keep=calls, store=path)
    assert len(COUNTED) == 20 - stored  # nothing that was stored is made again
    expected = bough.ensemble(problem, axes, keep=calls)
    assert (study["end"] == expected["end"]).all()
    assert study.names == ("end",)
    COUNTED.clear()
    assert (bough.ensemble(problem, axes, keep=calls, store=path)["end"] == expected["end"]).all()
    assert COUNTED == []
    with xarray.open_zarr(path, consolidated=False) as data:
        assert (data["end"].values == expected["end"].ravel()).all()
        assert (data["parameter.length"].values == np.tile([0.9, 1.1], 10)).all()
        assert (data["status"].values == 1).all()
    others = (
        (problem.replace(dt=0.02), axes, calls, "another problem: start, drive or settings differ"),
        (problem, {**axes, "parameter.length": [0.9, 1.2]}, calls, "other axes or samples"),
        (problem, axes, highest, "another function keep="),
        (problem.replace(model=ARM.with_parameters(load=3.0)), axes, calls, "another model"),
    )
    for other, varied, keep, found in others:
        with pytest.raises(bough.BoughError, match=found):
            bough.ensemble(other, varied, keep=keep, store=path)


def test_stores_tell_functions_apart(tmp_path: Path) -> None:
    """By their code and by what they hold: gains of controllers, of closures, of functions within functions."""
    pytest.importorskip("zarr")
    axes = {"q.shoulder": [0.4, 0.8]}
    for number, (first, second) in enumerate(
        (
            (Integral(2.0), Integral(3.0)),
            (constant(2.0), constant(3.0)),
            (lambda t, state: [-state.q[0]], lambda t, state: [-state.q[1]]),
            ({"torque": constant(2.0)}, {"torque": constant(3.0)}),
            (np.sin, np.cos),
        )
    ):
        path = tmp_path / f"{number}.zarr"
        problem = bough.Problem(ARM, u=first, duration=0.1)
        bough.ensemble(problem, axes, store=path)
        bough.ensemble(problem, axes, store=path)
        with pytest.raises(bough.BoughError, match="another problem"):
            bough.ensemble(problem.replace(u=second), axes, store=path)


@pytest.mark.parametrize(("first", "second"), [(Integral(2.0), Integral(3.0)), (np.sin, np.cos)])
def test_stores_tell_controllers_of_an_axis_apart(first: Any, second: Any, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem, path = bough.Problem(ARM, q=[0.4, 0.1], duration=0.1), tmp_path / "study.zarr"
    bough.ensemble(problem, {"u": [first]}, store=path)
    bough.ensemble(problem, {"u": [first]}, store=path)
    with pytest.raises(bough.BoughError, match="other axes or samples"):
        bough.ensemble(problem, {"u": [second]}, store=path)


def test_a_store_leaves_other_files_alone(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    problem, axes = bough.Problem(ARM, duration=0.1), {"q.shoulder": [0.4]}
    thesis = tmp_path / "mine" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("x")
    for path, found in (
        (thesis.parent, "a folder with other files, not a store"),
        (thesis, "a file, not a store"),
        (tmp_path / "other.zarr", "a Zarr group that is not an ensemble"),
    ):
        if path.suffix == ".zarr":
            zarr.open_group(path, mode="w")
        with pytest.raises(bough.BoughError, match=found):
            bough.ensemble(problem, axes, store=path)
    assert thesis.read_text() == "x"


def test_motions_in_a_store(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    axes = {"q.shoulder": ANGLES, "parameter.load": [1.0, -1.0]}
    study = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    expected = bough.ensemble(problem, axes)
    assert np.array_equal(study.q, expected.q, equal_nan=True)
    assert np.array_equal(study.v, expected.v, equal_nan=True)
    again = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    assert again.messages == study.messages == expected.messages


MANY = """
import sys
import numpy as np
import bough

system = bough.System("pendulum")
system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
problem = bough.Problem(system.build(), duration=0.1, dt=0.01, every=10)
study = bough.ensemble(problem, {"q.angle": np.linspace(0, 1, int(sys.argv[1]))}, store=sys.argv[2])
assert study.statistics["runs"] == int(sys.argv[1])
(line,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(line.split()[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the largest memory of a process")
@pytest.mark.parametrize(
    ("fewer", "more", "allowed"),
    [
        (40_000, 100_000, 8.0),  # two chunks and five; the results of the others are 2 MiB
        pytest.param(100_000, 1_000_000, 48.0, marks=pytest.mark.verify),  # 32 MiB
    ],
)
def test_memory_is_bounded_by_a_store(tmp_path: Path, fewer: int, more: int, allowed: float) -> None:
    """Many runs take no more memory than few, but for their axis, some copies of it, and status, in MiB."""
    pytest.importorskip("zarr")
    largest = []
    for count in (fewer, more):
        words = [sys.executable, "-c", MANY, str(count), str(tmp_path / f"{count}.zarr")]
        made = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        largest.append(int(made.stdout) / 1024)
    assert largest[1] - largest[0] < allowed
