"""Trajectories for other programs: CSV with named columns, NetCDF with named dimensions.

These files hold the numbers of a run; only `.npz` also holds its model and can be read back.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.motion.trajectory import Trajectory
from bough.packages import package


def columns(run: Trajectory) -> Iterator[tuple[str, Array]]:
    """The columns of a table: t, then q.NAME, v.NAME, p.NAME, lam.NAME, u.NAME."""
    model = run.model
    yield "t", run.t
    parts = (
        ("q", run.q, model.coordinates),
        ("v", run.v, model.variables),
        ("p", run.p, model.dynamic),
        ("lam", run.lam, model.constraints),
        ("u", run.u, model.inputs),
    )
    for symbol, values, names in parts:
        for index, name in enumerate(names):
            yield f"{symbol}.{name}", values[:, index]


def write_csv(run: Trajectory, path: Path) -> None:
    """One line of names, then one line for each instant, every number to its last bit."""
    named = list(columns(run))
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(name for name, _ in named)
        writer.writerows(np.column_stack([values for _, values in named]).tolist())


def to_pandas(run: Trajectory) -> Any:
    """The table of `columns` as a data frame; see `Trajectory.to_pandas`."""
    pandas = package("pandas", "to_pandas() of a trajectory", "pandas")
    (_, times), *others = columns(run)
    names, values = [name for name, _ in others], [values for _, values in others]
    table = np.column_stack(values) if values else np.zeros((len(run), 0))
    frame = pandas.DataFrame(table, index=pandas.Index(times, name="t"), columns=names)
    frame.attrs = {"model": run.model.name, "status": run.status}
    return frame


def to_xarray(run: Trajectory) -> Any:
    """A data set with named coordinates; see `Trajectory.to_xarray`."""
    xarray = package("xarray", "to_xarray() of a trajectory", "xarray")
    model = run.model
    coordinates = {
        "t": run.t,
        "variable": np.array(model.variables, dtype=str),
        "dynamic": np.array(model.dynamic, dtype=str),
        "constraint": np.array(model.constraints, dtype=str),
        "input": np.array(model.inputs, dtype=str),
    }
    if model.balls:
        coordinates["coordinate"] = np.array(model.coordinates, dtype=str)
    dimensions = {
        "q": "coordinate" if model.balls else "variable",
        "v": "variable",
        "p": "dynamic",
        "lam": "constraint",
        "u": "input",
    }
    arrays = {name: (("t", last), np.asarray(getattr(run, name))) for name, last in dimensions.items()}
    return xarray.Dataset(arrays, coordinates, attrs={"model": model.name, "status": run.status})


def write_netcdf(run: Trajectory, path: Path) -> None:
    """The dataset of `Trajectory.to_xarray`; dimensions without entries are left out."""
    need_xarray()
    data = to_xarray(run)
    empty = [name for name, size in data.sizes.items() if size == 0]
    data = data.drop_dims(empty).assign_attrs(settings=json.dumps(run.settings))
    data["t"].attrs["units"] = "s"
    data.to_netcdf(path)


def need_xarray() -> None:
    """Raise if NetCDF cannot be written."""
    package(
        "xarray", "a trajectory as NetCDF (.nc)", "netcdf", "; or choose .npz or .csv, which need nothing"
    )
