"""An ensemble as a table with a row for each run: what varied, what was kept, and how the run ended."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.errors import ModelError
from bough.packages import package
from bough.studies.design import RUN
from bough.write import replacing

if TYPE_CHECKING:
    from bough.studies.result import Ensemble

ENDS = {
    "q": "coordinates",
    "v": "variables",
    "p": "dynamic",
}  # of motions the end is in the table, under names that no axis has


def columns(study: Ensemble) -> Iterator[tuple[str, Any]]:
    """The columns by name, each with a value for every run, in the order of their numbers."""
    numbers = np.arange(len(study))
    places = np.unravel_index(numbers, study.shape)
    for name, values in study.axes.items():
        if name == RUN:
            continue
        place = numbers if study.dims == (RUN,) else places[study.dims.index(name)]
        given = np.asarray(values) if isinstance(values, np.ndarray | list | tuple) else np.empty((0, 0))
        # of what is no number and no text, such as controllers, the index
        yield name, given[place] if given.ndim == 1 and given.dtype.kind in "biufUS" else place
    for name in study.names:
        if name in ENDS and study[name].ndim == len(study.shape) + 2:
            for variable in getattr(study.problem.model, ENDS[name]):
                yield f"end.{name}.{variable}", study.end(f"{name}.{variable}").reshape(-1)
            continue
        values = study[name].reshape(len(study), -1)
        inner = study[name].shape[len(study.shape) :]
        for entry, column in zip(np.ndindex(inner), values.T, strict=True):
            yield name + (f"[{','.join(map(str, entry))}]" if entry else ""), column
    yield "status", study.status.reshape(-1)


def write_csv(study: Ensemble, path: str | os.PathLike[str]) -> Path:
    """Write the table as CSV, every number to its last bit."""
    target = Path(path)
    if target.suffix.lower() != ".csv":
        raise ModelError(
            asked=f"an ensemble in {os.fspath(path)!r}",
            found=f"the suffix {target.suffix!r}" if target.suffix else "a name without a suffix",
            do="give a name that ends in .csv; for NetCDF: study.to_xarray().to_netcdf(path)",
        )
    named = list(columns(study))
    with replacing(target) as part, open(part, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(name for name, _ in named)
        writer.writerows(zip(*(values.tolist() for _, values in named), strict=True))
    return target


def to_pandas(study: Ensemble) -> Any:
    """The table as a data frame."""
    pandas = package("pandas", "to_pandas() of an ensemble", "pandas")
    return pandas.DataFrame(dict(columns(study)), index=pandas.Index(range(len(study)), name=RUN))
