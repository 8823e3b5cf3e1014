"""Runs as CSV and NetCDF: names, and every number to its last bit."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.io.trajectory_file import file_of
from support.mechanisms import closed_chain


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    """A run with everything: a kinematic variable, an input, a constraint."""
    system = bough.System("all")
    rail = system.world.tx(bough.kinematic("rail"))
    rail.ry("angle").tz(-1.0, name="bob", mass=1.0).ry('odd, "name"').tz(-1.0, name="tip", mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    system.add(bough.DistanceConstraint("tip", rail, 1.5, name="wire"))
    model = system.build()
    q = model.assemble(q={"angle": 0.5, 'odd, "name"': -1.0}).q
    return bough.simulate(model, q, u={"torque": 0.1}, duration=1.0, dt=0.1)


def test_csv_has_named_columns_and_all_digits(run: bough.Trajectory, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.csv")
    assert path == tmp_path / "run.csv"
    with open(path, newline="", encoding="utf-8") as stream:
        head, *rows = csv.reader(stream)
    odd = 'odd, "name"'
    names = ["t", "q.angle", f"q.{odd}", "q.rail", "v.angle", f"v.{odd}", "v.rail"]
    assert head == [*names, "p.angle", f"p.{odd}", "lam.wire", "u.torque"]
    values = np.column_stack([run.t, run.q, run.v, run.p, run.lam, run.u])
    assert np.array_equal(np.array(rows, dtype=float), values)
    assert list(tmp_path.iterdir()) == [path]


def test_csv_of_a_run_without_constraints_and_inputs(tmp_path: Path) -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    run = bough.simulate(system.build(), {"angle": 0.5}, duration=0.1)
    lines = run.save(tmp_path / "run.CSV").read_text().splitlines()
    assert lines[0] == "t,q.angle,v.angle,p.angle"
    assert lines[1] == "0.0,0.5,0.0,0.0"
    assert len(lines) == 12


@pytest.mark.parametrize("model", ["all", "closed_chain"])
def test_netcdf_has_named_dimensions(run: bough.Trajectory, model: str, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    if model == "closed_chain":
        run = bough.simulate(closed_chain(), duration=0.1, assemble=True)
    with xarray.open_dataset(run.save(tmp_path / "run.nc")) as data:
        name = run.model.variables[0]
        assert np.array_equal(data["q"].sel(variable=name), run[name])
        for symbol in ("t", "v", "p", "lam"):
            assert np.array_equal(data[symbol], getattr(run, symbol))
        assert data.attrs["model"] == model
        assert data.attrs["status"] == "finished"
        assert '"integrator": "midpoint"' in data.attrs["settings"]
        assert data["t"].attrs["units"] == "s"
        assert ("u" in data) == (run.model.nu > 0)


@pytest.mark.parametrize("engine", ["scipy", "h5netcdf"])
def test_netcdf_with_what_is_installed(run: bough.Trajectory, engine: str, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    if importlib.util.find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")
    with xarray.open_dataset(run.save(tmp_path / "run.nc")) as data:
        data.load().to_netcdf(tmp_path / "again.nc", engine=engine)
    with xarray.open_dataset(tmp_path / "again.nc", engine=engine) as data:
        assert np.array_equal(data["q"], run.q)


def test_netcdf_without_xarray(
    run: bough.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(bough.BoughError) as caught:
        run.save(tmp_path / "run.nc")
    assert str(caught.value) == (
        "a trajectory as NetCDF (.nc)\n"
        "  found: the package xarray is not installed\n"
        "  do: install it: pip install 'bough[netcdf]'; or choose .npz or .csv, which need nothing"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_name_without_a_suffix_gets_one() -> None:
    assert file_of("run", "-o") == Path("run.npz")
    assert file_of("run.", "-o") == Path("run..npz")
    assert file_of("run_dt_0.01", "-o") == Path("run_dt_0.01.npz")
    for name in ("a.npz", "a.csv", "a.nc", "A.NPZ"):
        assert file_of(name, "-o") == Path(name)
