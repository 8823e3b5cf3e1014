"""What keep= returns: numbers of one shape in all runs, under names of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from support.studies import ARM

PROBLEM = bough.Problem(ARM, duration=0.1, dt=0.01)
AXES = {"q.shoulder": [0.2, 0.4, 0.6]}
KEPT = ", which keep= of an ensemble returns"
OWN = "a name that the results have already: an axis, or one of their own"
Keep = Callable[[bough.Trajectory], Any]


@pytest.mark.parametrize(
    ("keep", "asked", "found"),
    [
        (lambda run: {"status": 1.0}, f"'status'{KEPT}", OWN),
        (lambda run: {"time": 1.0}, f"'time'{KEPT}", OWN),
        (lambda run: {"q.shoulder": run.q[-1, 0]}, f"'q.shoulder'{KEPT}", OWN),
        (
            lambda run: {"q": run.q[-1]},
            f"'q'{KEPT}",
            "shape (2,), but 'q' is the name of whole motions, of shape (11, 2)",
        ),
        (
            lambda run: run.q[-1, 0] > 9,
            "keep= of an ensemble",
            "a function that returns False, not a dictionary",
        ),
        (
            lambda run: {"verdict": "fine"},
            f"'verdict'{KEPT}",
            "'fine', which is neither a number nor an array of numbers",
        ),
        (
            lambda run: {"path": run.q[: 1 + int(run.q[0, 0] > 0.3)]},
            f"'path'{KEPT}",
            "shape (1, 2) in one run and (2, 2) in another",
        ),
    ],
    ids=["status", "time", "axis", "motion", "no dictionary", "word", "shape"],
)
@pytest.mark.parametrize("stored", [False, True])
def test_what_cannot_be_gathered_ends_the_study(
    keep: Keep, asked: str, found: str, stored: bool, tmp_path: Path
) -> None:
    if stored:
        pytest.importorskip("zarr")
    store = tmp_path / "s.zarr" if stored else None
    with pytest.raises(bough.BoughError) as caught:
        bough.ensemble(PROBLEM, AXES, keep=keep, store=store)
    assert (caught.value.asked, caught.value.found) == (asked, found)


def test_shapes_are_compared_within_a_chunk_as_between_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a study ends does not depend on how its runs are divided."""
    from bough.studies import ensemble as study_module

    for parts in (1, 32):
        monkeypatch.setattr(study_module, "PARTS", parts)
        with pytest.raises(bough.BoughError, match="in one run and"):
            bough.ensemble(PROBLEM, AXES, keep=lambda run: {"x": np.zeros(int(10 * run.q[0, 0]))})


def test_motions_may_be_kept_by_hand(tmp_path: Path) -> None:
    """q, p and v of a study that keeps them beside other numbers are those of a study without keep=."""
    pytest.importorskip("xarray")
    study = bough.ensemble(PROBLEM, AXES, keep=lambda run: {"q": run.q, "p": run.p, "work": 1.0})
    expected = bough.ensemble(PROBLEM, AXES)
    assert (study.q == expected.q).all()
    assert (study.v == expected.v).all()
    assert study.to_xarray().q.dims == ("q.shoulder", "time", "variable")
    alone = bough.ensemble(PROBLEM, AXES, keep=lambda run: {"q": run.q})
    assert set(alone.to_xarray().data_vars) == {"q", "status"}
    with pytest.raises(bough.ModelError, match="its motions were not kept"):
        alone.v  # noqa: B018


def last(run: bough.Trajectory) -> dict[str, float]:
    return {"end": run.q[-1, 0]}


def test_steps_are_an_axis_of_numbers(tmp_path: Path) -> None:
    """The steps of each run are its own; in plots, data sets and stores they are numbers."""
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    axes: dict[str, Any] = {"dt": [0.01, 0.005], "integrator": ["midpoint", "rk4"]}
    study = bough.ensemble(PROBLEM, axes, keep=last, store=tmp_path / "s.zarr")
    for i, dt in enumerate(axes["dt"]):
        for j, integrator in enumerate(axes["integrator"]):
            run = bough.simulate(ARM, duration=0.1, dt=dt, integrator=integrator)
            assert study["end"][i, j] == run.q[-1, 0]
    drawn = study.plot("end").axes[0]
    assert [line.get_label() for line in drawn.lines] == axes["integrator"]
    assert study.to_xarray()["dt"].values.tolist() == axes["dt"]
    with xarray.open_zarr(tmp_path / "s.zarr", consolidated=False) as data:
        assert data["dt"].values.tolist() == [0.01, 0.01, 0.005, 0.005]
    orders = bough.ensemble(PROBLEM, {"order": [2, 4]}, keep=last)
    assert orders.failed == []
