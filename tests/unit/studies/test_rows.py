"""Whole starts as the values of an axis: rows of numbers, and mappings by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from support.studies import AB, ARM, HOPPER, LOOP, TOP, arm

TURN = Rotation.from_euler("xyz", (0.1, 0.2, 0.3))
CASES: dict[str, tuple[bough.Problem, dict[str, list[dict[str, Any]]]]] = {
    "lanes": (
        bough.Problem(ARM, {"forearm": 0.4}, {"shoulder": 2.0}, duration=0.2, dt=0.01),
        {
            "q": [{"shoulder": np.float64(0.1)}, {"forearm": 1, "shoulder": 0.2}, {}],
            "v": [{}, {"forearm": 1.0}],
        },
    ),
    "momenta": (bough.Problem(ARM, p=[0.5, 0.1], duration=0.2, dt=0.01), {"p": [{"forearm": 0.3}, {}]}),
    "an array as the start": (
        bough.Problem(ARM, [0.3, 0.4], duration=0.2, dt=0.01),
        {"q": [{"shoulder": 0.1}]},
    ),
    "constraints": (
        bough.Problem(LOOP, AB[0], duration=0.1, dt=0.01, assemble=True),
        {"q": [{"a": 0.45}, {"b": -1.0}]},
    ),
    "contacts": (
        bough.Problem(HOPPER, {"z": 0.5}, duration=0.3, dt=0.01),
        {"q": [{"x": 0.1}, {"x": 0.2, "z": 0.4}], "v": [{"x": 1.0}]},
    ),
    "balls": (
        bough.Problem(TOP, {"hull_tx": 1.0}, duration=0.05, dt=0.01),
        {"q": [{"shoulder": TURN}, {"hull_tz": 2.0}], "v": [{"shoulder": (0.1, 0.2, 0.3)}]},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_starts_by_name_change_single_values_of_the_problem(name: str) -> None:
    """Each run is that of the problem with these values replaced, bit for bit where it is not in lanes."""
    problem, axes = CASES[name]
    study = bough.ensemble(problem, axes)
    assert study.failed == []
    for index in np.ndindex(study.shape):
        changes = {axis: axes[axis][i] for axis, i in zip(axes, index, strict=True)}
        alone = problem.replace(**changes)
        assert (study.q[index][0] == alone.q).all()
        assert (study.p[index][0] == alone.p).all()
        assert abs(study.q[index] - alone.run().q).max() < 1e-12
        assert (study.q[index] == study.rerun(index).q).all()


def test_starts_by_name_are_copied_and_go_into_tables() -> None:
    problem, _ = CASES["lanes"]
    rows = [{"shoulder": 0.1}, {"shoulder": 0.2}]
    study = bough.ensemble(problem, samples=[{"q": row, "parameter.load": 0.5} for row in rows])
    rows[0]["shoulder"] = 9.0
    assert study.problem_at(0).q.tolist() == [0.1, 0.4]
    assert study.to_pandas()["q"].tolist() == [0, 1]


ROWS: list[Any] = [np.array([[0.1, 0.4], [0.2, 0.4]]), [{"shoulder": 0.1}, {"shoulder": 0.2}]]


@pytest.mark.parametrize("rows", ROWS, ids=["numbers", "by name"])
@pytest.mark.parametrize("keep", [None, lambda run: {"end": run.q[-1]}], ids=["motions", "kept"])
def test_whole_rows_go_into_stores(rows: Any, keep: Any, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem, _ = CASES["lanes"]
    path = tmp_path / "study.zarr"
    bough.ensemble(problem, {"q": rows}, keep=keep, store=path)
    study = bough.ensemble(problem, {"q": rows}, keep=keep, store=path)
    expected = bough.ensemble(problem, {"q": rows}, keep=keep)
    assert set(study.names) == set(expected.names)
    for name in study.names:
        assert (study[name] == expected[name]).all()
    with pytest.raises(bough.BoughError, match="a store of other axes or samples"):
        bough.ensemble(problem, {"q": rows[:1]}, keep=keep, store=path)


@pytest.mark.parametrize("axes", [{"q": [[0.1, 0.2]]}, {"p.forearm": [0.3]}, {"p": [{"forearm": 0.3}]}])
def test_rows_and_momenta_replace_the_velocities_of_the_start(axes: dict[str, Any]) -> None:
    """As `simulate` does: an array as q, or p, replaces the whole start of the system."""
    system = arm()
    system.start = bough.Start(v={"shoulder": 1.0})
    problem = bough.Problem(system.build(), duration=0.1, dt=0.01)
    study = bough.ensemble(problem, axes)
    ((name, (value,)),) = axes.items()
    kind, _, variable = name.partition(".")
    alone = bough.Problem(
        problem.model, **{kind: {variable: value} if variable else value}, duration=0.1, dt=0.01
    )
    assert study.p[0, 0].tolist() == alone.p.tolist() != problem.p.tolist()


def test_whole_rows_are_a_dimension_beside_the_motion() -> None:
    """The motion is data, not a coordinate; a row is chosen by its number."""
    pytest.importorskip("xarray")
    problem = bough.Problem(ARM, duration=0.05, dt=0.01)
    study = bough.ensemble(problem, {"q": [[0.1, 0.2], [0.3, 0.4]], "v": [{"forearm": 1.0}]})
    data = study.to_xarray()
    assert set(data.data_vars) == {"q", "p", "v", "status"}
    assert data["q"].dims == ("q0", "v0", "time", "variable")
    assert data.coords["q0"].values.tolist() == [0, 1]
    chosen = data["q"].sel(q0=1, v0=0, variable="shoulder")
    assert (chosen.values == study.q[1, 0, :, 0]).all()
    kept = bough.ensemble(problem, {"q": [{"shoulder": 0.1}, {}]}, keep=lambda run: {"end": run.q[-1, 0]})
    assert kept.to_xarray()["end"].dims == ("q0",)
