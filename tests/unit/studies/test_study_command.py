"""`bough study`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from support.studies import arm


def test_command_line(tmp_path: Path) -> None:
    bough.save(arm(), tmp_path / "arm.sexp")
    words = [
        "study",
        str(tmp_path / "arm.sexp"),
        "--over",
        "q.shoulder=-1:1:5",
        "--over",
        "parameter.length=0.8,1.0",
    ]
    words += ["--duration", "0.2", "--store", str(tmp_path / "s.zarr"), "--plot", str(tmp_path / "map.png")]
    words += ["--show", "q.forearm"]
    out = CliRunner().invoke(app, words)
    assert out.exit_code == 0, out.output
    assert "10 runs, 0 failed" in out.stdout
    assert (tmp_path / "map.png").stat().st_size > 1000
    study = bough.ensemble(
        bough.Problem(bough.load(tmp_path / "arm.sexp").build(), duration=0.2),
        {"q.shoulder": np.linspace(-1, 1, 5), "parameter.length": [0.8, 1.0]},
    )
    assert f"{np.mean(study.end('q.forearm')):.6g}" in out.stdout
    bad = CliRunner().invoke(app, ["study", str(tmp_path / "arm.sexp"), "--over", "q.shoulder"])
    assert bad.exit_code == 2


@pytest.mark.parametrize("values", ["0:1", "0:1:2:3", "0:1:many", ""])
def test_values_of_an_axis_are_explained(tmp_path: Path, values: str) -> None:
    bough.save(arm(), tmp_path / "arm.sexp")
    bad = CliRunner().invoke(app, ["study", str(tmp_path / "arm.sexp"), "--over", f"q.shoulder={values}"])
    assert bad.exit_code != 0
    assert "FIRST:LAST:COUNT" in bad.output


def test_steps_vary_on_the_command_line(tmp_path: Path) -> None:
    """Motions of different lengths are not kept, but their ends are told."""
    bough.save(arm(), tmp_path / "arm.sexp")
    words = [
        "study",
        str(tmp_path / "arm.sexp"),
        "--q",
        "shoulder=1",
        "--over",
        "dt=0.01,0.005",
        "--over",
        "order=2,4",
    ]
    out = CliRunner().invoke(app, [*words, "--duration", "0.2", "--show", "q.forearm", "--json"])
    assert out.exit_code == 0, out.output
    told = json.loads(out.stdout)
    ends = [
        bough.simulate(arm().build(), {"shoulder": 1.0}, duration=0.2, dt=dt, order=order)["forearm"][-1]
        for dt in (0.01, 0.005)
        for order in (2, 4)
    ]
    assert told["failed"] == 0
    assert told["end"]["q.forearm"]["max"] == max(ends)
    assert told["end"]["q.forearm"]["min"] == min(ends)
