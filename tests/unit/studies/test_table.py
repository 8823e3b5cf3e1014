"""Ensembles as tables: a row for each run, of a grid and of samples."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import bough


@pytest.fixture(scope="module")
def problem() -> bough.Problem:
    system = bough.System("pendulum")
    length = system.parameter("length", 1.0)
    system.world.ry("angle").tz(-length, name="bob", mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    return bough.Problem(system.build(), duration=0.2, dt=0.01)


def kept(run: bough.Trajectory) -> dict[str, object]:
    return {"end": run["angle"][-1], "tip": run.pose("bob")[-1, :3, 3]}


def test_a_grid_is_written_to_the_last_bit(problem: bough.Problem, tmp_path: Path) -> None:
    axes = {"q.angle": [0.1, 0.2, 0.3], "parameter.length": [1.0, 0.7]}
    study = bough.ensemble(problem, axes, keep=kept)
    path = study.save(tmp_path / "study.csv")
    with open(path, newline="", encoding="utf-8") as stream:
        names, *rows = list(csv.reader(stream))
    assert names == ["q.angle", "parameter.length", "end", "tip[0]", "tip[1]", "tip[2]", "status"]
    assert len(rows) == 6
    for number, row in enumerate(rows):
        run = study.rerun(number)
        i, j = divmod(number, 2)
        assert [float(value) for value in row[:2]] == [axes["q.angle"][i], axes["parameter.length"][j]]
        assert float(row[2]) == run["angle"][-1] == study["end"][i, j]
        assert [float(value) for value in row[3:6]] == run.pose("bob")[-1, :3, 3].tolist()
        assert row[6] == "finished"


def test_samples_with_controllers_and_whole_motions(problem: bough.Problem) -> None:
    pytest.importorskip("pandas")
    laws = [lambda t, state, gain=gain: [-gain * state.q["angle"]] for gain in (0.0, 5.0, 9.0)]
    study = bough.ensemble(problem, samples={"q.angle": [0.1, 0.2, 0.3], "u": laws})
    table = study.to_pandas()
    assert table.index.name == "run"
    assert table["u"].tolist() == [0, 1, 2]  # of what is no number the index
    assert table["q.angle"].tolist() == [0.1, 0.2, 0.3]
    assert table["end.q.angle"].tolist() == study.end("q.angle").tolist()
    assert table["end.p.angle"].tolist() == study["p"][:, -1, 0].tolist()


def test_runs_that_failed_are_rows_too(problem: bough.Problem, tmp_path: Path) -> None:
    def picky(run: bough.Trajectory) -> dict[str, float]:
        if run["angle"][0] > 0.15:
            raise ValueError("too far")
        return {"end": run["angle"][-1]}

    study = bough.ensemble(problem, {"q.angle": [0.1, 0.2]}, keep=picky)
    with open(study.save(tmp_path / "study.csv"), newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["status"] for row in rows] == ["finished", "failed"]
    assert np.isnan(float(rows[1]["end"]))


def test_other_files_are_refused(problem: bough.Problem, tmp_path: Path) -> None:
    study = bough.ensemble(problem, {"q.angle": [0.1]}, keep=kept)
    with pytest.raises(bough.ModelError, match=r"the suffix '.xlsx'"):
        study.save(tmp_path / "study.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_plot_over_controllers_has_their_places(problem: bough.Problem) -> None:
    laws = [lambda t, state, gain=gain: [-gain * state.q["angle"]] for gain in (0.0, 5.0, 9.0)]
    study = bough.ensemble(problem, {"u": laws, "q.angle": [0.1, 0.2]}, keep=kept)
    axes = study.plot("end").axes[0]
    assert axes.get_xlabel() == "q.angle"  # numbers; controllers have none
    assert [line.get_label() for line in axes.lines] == ["0", "1", "2"]
    alone = bough.ensemble(problem.replace(q={"angle": 0.1}), {"u": laws}, keep=kept).plot("end").axes[0]
    assert [label.get_text() for label in alone.get_xticklabels()] == ["0", "1", "2"]
    line = (
        bough.ensemble(problem.replace(q={"angle": 0.1}), {"u": laws}, keep=kept).plot("end").axes[0].lines[0]
    )
    assert line.get_ydata().tolist() == study["end"][:, 0].tolist()
