"""The results of a study: data sets with names, and plots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bough
from support.studies import ANGLES, ARM, TOP, highest


def test_balls_have_names_in_results(tmp_path: Path) -> None:
    """A quaternion has four coordinates and three rates."""
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    problem = bough.Problem(TOP, v={"hull_wx": 5.0}, duration=0.1)
    study = bough.ensemble(problem, {"v.hull_wy": [0.1, 0.2]}, store=tmp_path / "top.zarr")
    assert study.q.shape == (2, 11, TOP.nq)
    assert study.v.shape == (2, 11, TOP.nv)
    assert study.end("q.hull_qx").tolist() == study.q[:, -1, TOP.coordinates.index("hull_qx")].tolist()
    assert study.end("v.shoulder_wx").tolist() == study.v[:, -1, TOP.variables.index("shoulder_wx")].tolist()
    data = study.to_xarray()
    assert data.q.dims == ("v.hull_wy", "time", "coordinate")
    assert (data.q.sel(coordinate="hull_qw").values == study.q[:, :, 3]).all()
    assert (data.v.sel(variable="hull_wx").values == study.v[:, :, 3]).all()
    with xarray.open_zarr(tmp_path / "top.zarr", consolidated=False) as stored:
        assert stored.q.dims == ("run", "time", "coordinate")
        assert (stored.q.values == study.q).all()


def test_xarray_and_plots() -> None:
    problem = bough.Problem(ARM, duration=0.1)
    study = bough.ensemble(problem, {"q.shoulder": ANGLES, "parameter.length": [0.8, 1.2]})
    data = study.to_xarray()
    assert data.q.dims == ("q.shoulder", "parameter.length", "time", "variable")
    part = data.q.sel({"q.shoulder": 0.3, "parameter.length": 1.2, "variable": "forearm"})
    assert (part.values == study.q[1, 1, :, 1]).all()
    axes = study.plot("q.forearm").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("q.shoulder", "q.forearm")
    assert axes.get_title() == "arm: q.forearm at the end"
    assert axes.get_legend().get_title().get_text() == "parameter.length"
    for k, length in enumerate(("0.8", "1.2")):
        assert axes.lines[k].get_label() == length
        assert (axes.lines[k].get_ydata() == study.q[:, k, -1, 1]).all()
    grid = {"q.shoulder": np.linspace(0.1, 0.7, 7), "parameter.length": np.linspace(0.8, 1.3, 6)}
    study = bough.ensemble(problem, grid)
    axes = study.plot("q.forearm").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("q.shoulder", "parameter.length")
    shown = axes.collections[0].get_array()
    assert (np.asarray(shown).ravel() == study.q[:, :, -1, 1].T.ravel()).all()
    line = bough.ensemble(problem, {"q.shoulder": ANGLES}, keep=highest).plot("height").axes[0].lines[0]
    assert line.get_xdata().tolist() == ANGLES
    assert line.get_marker() == "o"
    assert type(line.figure).__name__ == "NotebookFigure"  # which a notebook shows once
    assert line.axes.get_title() == "arm: height"
    table = bough.ensemble(problem, samples={"q.shoulder": ANGLES}, keep=highest).plot("height").axes[0]
    assert sum(bar.get_height() for bar in table.patches) == 3


def test_powers_are_drawn_by_their_logarithm() -> None:
    """Values with one ratio get a logarithmic axis, in a map with cells about each of them; others and words do not."""
    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    loads = np.geomspace(0.01, 10.0, 4)
    methods = ["midpoint", "rk4", "trapezoidal", "rk45", "dop853", "radau"]
    drawn = bough.ensemble(problem, {"parameter.load": np.geomspace(0.01, 10.0, 7), "integrator": methods})
    borders = drawn.plot("q.forearm").axes[0].collections[0].get_coordinates()[0, :, 0]
    np.testing.assert_allclose(borders, 10.0 ** (0.5 * np.arange(8) - 2.25), rtol=1e-12)
    assert [tick.get_text() for tick in drawn.plot("q.forearm").axes[0].get_yticklabels()] == methods
    axes = {"integrator": ["midpoint", "rk4"], "parameter.load": loads}
    drawn = bough.ensemble(problem, axes).plot("q.forearm").axes[0]
    assert (drawn.get_xscale(), drawn.get_yscale()) == ("log", "linear")
    assert [line.get_label() for line in drawn.lines] == ["midpoint", "rk4"]
    assert [each.get_text() for each in drawn.get_xticklabels()] == [
        "0.01",
        "0.1",
        "1",
        "10",
    ]  # the values themselves
    line = bough.ensemble(problem, {"parameter.load": loads}).plot("q.forearm").axes[0]
    even = bough.ensemble(problem, {"parameter.load": np.linspace(1.0, 2.0, 4)}).plot("q.forearm").axes[0]
    assert (line.get_xscale(), even.get_xscale()) == ("log", "linear")


def test_a_plot_tells_of_failed_runs_and_needs_no_marks_in_a_long_line() -> None:
    problem = bough.Problem(ARM, duration=0.1)
    drawn = bough.ensemble(problem, {"parameter.load": np.linspace(-0.1, 2.0, 100)}).plot("q.forearm").axes[0]
    assert drawn.get_title() == "arm: q.forearm at the end (5 of 100 runs failed)"
    assert drawn.lines[0].get_marker() == "None"
