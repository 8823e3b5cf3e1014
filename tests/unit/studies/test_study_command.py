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
    assert "10 runs (5 x 2), 0 failed" in out.stdout
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


def test_a_loop_is_assembled_as_by_simulate(tmp_path: Path) -> None:
    """The start of the file is off the constraints; the axis is kept."""
    system = bough.System("crank and slider")
    system.world.ry("crank").tx(0.1, name="pin", mass=0.1)
    system.world.tx("ram", name="ram", mass=1.0)
    system.add(bough.DistanceConstraint("pin", "ram", length=0.2))
    system.start = bough.Start(q={"ram": 0.25})
    bough.save(system, tmp_path / "crank.sexp")
    words = [str(tmp_path / "crank.sexp"), "--duration", "0.01"]
    assert CliRunner().invoke(app, ["simulate", *words, "--q", "crank=0.4"]).exit_code == 0
    out = CliRunner().invoke(app, ["study", *words, "--over", "q.crank=0.4,0.8", "--show", "q.ram", "--json"])
    assert out.exit_code == 0, out.output
    ends = json.loads(out.stdout)["end"]["q.ram"]
    for angle, found in ((0.4, ends["max"]), (0.8, ends["min"])):
        assert found == pytest.approx(
            0.1 * np.cos(angle) + np.sqrt(0.04 - 0.01 * np.sin(angle) ** 2), abs=1e-3
        )
