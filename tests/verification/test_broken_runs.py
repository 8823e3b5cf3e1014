"""Whatever is in an .npz file, reading it gives a run or a ParseError, and a run read can be used."""

from __future__ import annotations

import resource
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import pytest

import bough
from bough.motion.contact_trajectory import ContactTrajectory
from support.broken_runs import bases, broken

ADAPTIVE = ("dop853",)  # whose work has no bound where a changed model is stiff


@pytest.fixture(scope="module")
def files() -> list[bytes]:
    return bases()


def outcome(path: Path) -> str:
    """What comes of a file: "run", or how the error begins."""
    try:
        run = bough.load_trajectory(path)
    except bough.ParseError as error:
        return f"too long: {error}" if len(str(error)) > 3000 else error.found.split(":")[0][:24]
    try:
        run.energy()
        use(run)
        if run.settings.get("integrator") not in ADAPTIVE:
            run.rerun(progress=False)
    except bough.BoughError:
        return "run that does not repeat"
    return "run"


def use(run: bough.Trajectory) -> None:
    """What is read of a run: its texts, its states, its events and its contacts."""
    assert str(run)
    assert len(run[-1].q) == run.model.nq
    assert all(run.t[0] - 1e-6 <= event.t <= run.t[-1] + 1e-6 for event in run.events)
    assert all(isinstance(event.name, str) for event in run.events)
    if isinstance(run, ContactTrajectory):
        assert set(run.contact_status.ravel()) <= {"open", "stick", "slide"}
        assert all(run.contact_force(name).normal.shape == run.t.shape for name in run.model.gaps)
        assert run.gaps().shape == (len(run), len(run.model.gaps))


def tried(files: list[bytes], seeds: range) -> Counter[str]:
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, "run.npz")
        for seed in seeds:
            path.write_bytes(broken(files, seed))
            try:
                found[outcome(path)] += 1
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error!r}") from error
    assert not [text for text in found if text.startswith("too long")]
    return found


def test_the_files_are_right_before_they_are_broken(files: list[bytes], tmp_path: Path) -> None:
    outcomes = []
    for number, data in enumerate(files):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(data)
        outcomes.append(outcome(path))
    assert outcomes == ["run"] * (len(files) - 1) + ["run that does not repeat"]  # the last is a part


def test_broken_runs(files: list[bytes]) -> None:
    found = tried(files, range(500))
    assert found["run"] > 10
    assert len(found) > 20  # the mistakes are of many kinds


@pytest.mark.verify
def test_many_broken_runs(files: list[bytes]) -> None:
    tried(files, range(100_000, 102_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = tried(files, range(102_000, 200_000))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert found["run"] > 1000
    assert grown < 50_000  # kB
