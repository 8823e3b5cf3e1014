"""Ctrl-C in a study keeps what is done; the bar tells of it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.studies import ensemble as study_module
from support.studies import ARM


def test_ctrl_c_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "CHUNK_STEPS", 20)
    monkeypatch.setattr(study_module, "PARTS", 1)

    def keep(run: bough.Trajectory) -> dict[str, Any]:
        if run.q[0, 0] == 5.0:
            raise KeyboardInterrupt
        return {"start": run.q[0, 0]}

    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    with pytest.raises(KeyboardInterrupt) as caught:
        bough.ensemble(problem, {"q.shoulder": np.arange(10.0)}, keep=keep)
    study = caught.value.ensemble  # type: ignore[attr-defined]
    assert study.status.tolist() == ["finished"] * 4 + ["missing"] * 6
    assert study["start"][:4].tolist() == [0.0, 1.0, 2.0, 3.0]


INTERRUPTED = """
import sys
import numpy as np
import bough
from bough.studies import ensemble as study_module

study_module.CHUNK_STEPS = 500_000
system = bough.System("pendulum")
system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
problem = bough.Problem(system.build(), duration=10.0, dt=0.01, every=1000)
first = True


def told(study):
    print(study.statistics["runs"], np.isfinite(study.q).all(axis=(1, 2)).sum(), flush=True)


class Tell:  # after the first chunk
    def __init__(self, *given, **options): pass
    def update(self, done, note=""): print("go", flush=True)
    def close(self): pass


study_module.Progress = Tell
try:
    told(bough.ensemble(problem, {"q.angle": np.linspace(0, 1, 50_000)}, **eval(sys.argv[1])))
except KeyboardInterrupt as stopped:
    told(stopped.ensemble)
"""


@pytest.mark.parametrize("stored", [False, True])
def test_a_signal_keeps_what_is_done(stored: bool, tmp_path: Path) -> None:
    """Ctrl-C while the core runs on two threads."""
    options: dict[str, Any] = {"workers": 2}
    if stored:
        pytest.importorskip("zarr")
        options["store"] = str(tmp_path / "s.zarr")
    words = [sys.executable, "-c", INTERRUPTED, repr(options)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        process.send_signal(signal.SIGINT)
        *_, last = process.stdout.read().splitlines()
        assert process.wait(60) == 0
    done, finite = map(int, last.split())
    assert done == finite
    assert 0 < done < 50_000


def test_the_bar_tells_runs_failures_and_steps(capsys: pytest.CaptureFixture[str]) -> None:
    problem = bough.Problem(ARM, duration=0.1)
    bough.ensemble(problem, {"parameter.load": [1.0, -1.0, 2.0]}, progress=True)
    told = capsys.readouterr().err
    assert "arm: ensemble" in told
    assert re.search(r"3 of 3 runs, 1 failed, [\d,]+ steps/s", told)


def test_runs_with_functions_are_made_in_many_parts() -> None:
    """So that workers share them, and Ctrl-C keeps those that are made."""
    calls: list[float] = []

    def keep(run: bough.Trajectory) -> dict[str, float]:
        calls.append(run.t[-1])
        if len(calls) == 20:
            raise KeyboardInterrupt
        return {"end": run.q[-1, 0]}

    problem = bough.Problem(ARM, duration=0.1)
    with pytest.raises(KeyboardInterrupt) as caught:
        bough.ensemble(problem, {"q.shoulder": np.linspace(0.1, 0.9, 64)}, keep=keep)
    assert 10 <= (caught.value.ensemble.status == "finished").sum() < 20
