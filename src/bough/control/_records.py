"""Measured motions for `bough.control.identify`: trajectories, arrays, CSV files, tables of pandas."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.errors import BoughWarning, ModelError, ParseError, quoted, unknown_name, warn
from bough.model.model import Model
from bough.motion.trajectory import Trajectory
from bough.validate import counted

AXES = "xyz"


@dataclass
class Record:
    """A measured motion: times, values by column (NaN where there is none), inputs and kinematic variables.

    columns : "angle", "v.angle", or "hand.x" of a frame
    """

    t: Array
    columns: tuple[str, ...]
    values: Array
    u: Array
    k: Array | None
    start: tuple[Array | None, Array | None]


def records(model: Model, runs: Any, measure: Sequence[str] | None, where: str) -> list[Record]:
    """All measured motions, from one or several."""
    listed = list(runs) if isinstance(runs, list | tuple) else [runs]
    if not listed:
        raise ModelError(asked=f"runs of {where}", found="none", do="give a Trajectory, arrays, or a file")
    return [_record(model, run, measure, where) for run in listed]


def _record(model: Model, run: Any, measure: Sequence[str] | None, where: str) -> Record:
    if isinstance(run, Trajectory):
        table = {name: run.q[:, i] for i, name in enumerate(run.model.variables)}
        table |= {f"u.{name}": run.u[:, i] for i, name in enumerate(run.model.inputs)}
        start = (np.asarray(run.q[0]), np.asarray(run.v[0]))
        table = {"t": np.asarray(run.t), **table}
        if measure is not None:
            for name in measure:
                if name.startswith("v."):
                    table[name] = run[name]
                elif name in run.model.frames:
                    table[name] = run.pose(name)[:, :3, 3]
        return _of_table(model, table, measure, start, where)
    if isinstance(run, str | os.PathLike):
        return _of_table(model, _read(os.fspath(run)), measure, (None, None), where)
    if hasattr(run, "to_numpy") and hasattr(run, "columns"):  # pandas
        table = {str(name): np.asarray(run[name], dtype=float) for name in run.columns}
        if "t" not in table:
            table["t"] = np.asarray(run.index, dtype=float)
        return _of_table(model, table, measure, (None, None), where)
    if isinstance(run, Mapping):
        return _of_table(model, run, measure, (run.get("q"), run.get("v")), where)
    raise ModelError(
        asked=f"runs of {where}",
        found=f"{type(run).__name__}",
        do="give a Trajectory, a mapping from names to arrays, a CSV file, or a pandas.DataFrame",
    )


def _of_table(
    model: Model, table: Mapping[str, Any], measure: Sequence[str] | None, start: tuple[Any, Any], where: str
) -> Record:
    if "t" not in table:
        raise ModelError(
            asked=f"runs of {where}", found="no column 't'", do="give the times of the rows as 't', in s"
        )
    t = np.asarray(table["t"], dtype=float)
    if t.ndim != 1 or len(t) < 2 or not np.all(np.diff(t) > 0.0):
        raise ModelError(
            asked=f"t of a run of {where}", found="times that do not ascend", do="give at least two, in order"
        )
    columns: dict[str, Array] = {}
    inputs: dict[str, Array] = {}
    driven: dict[str, Array] = {}
    for name, value in table.items():
        if name in ("t", "q", "v"):
            continue
        rows = np.asarray(value, dtype=float)
        if len(rows) != len(t) or rows.ndim > 2:
            raise ModelError(
                asked=f"{name!r} of a run of {where}",
                found=f"shape {rows.shape} for {len(t)} times",
                do="give one row for each time",
            )
        if not _placed(model, name, rows, (columns, inputs, driven), where) and measure is None:
            raise _unknown_column(model, name, where)
    chosen = _chosen(columns, measure, where)
    absent = [name for name in model.inputs if name not in inputs]
    if absent:
        warn(
            f"{where}: a run has no column of {counted(len(absent), 'input')}, {quoted(absent)}, which"
            f" {'is' if len(absent) == 1 else 'are'} taken as zero; if a motor was off, give a column of zeros",
            BoughWarning,
        )
    u = np.zeros((len(t), model.nu))
    for name, rows in inputs.items():
        u[:, model.inputs.index(name)] = rows
    k = None
    if driven:
        k = np.stack([driven[name] for name in model.kinematic if name in driven], axis=1)
        if k.shape[1] != model.nk:
            raise ModelError(
                asked=f"runs of {where}",
                found=f"values of {len(driven)} of {model.nk} kinematic variables",
                do="give all of them, or none: then they are held",
            )
    return Record(t, tuple(chosen), np.stack(list(chosen.values()), axis=1), u, k, start)


def _placed(
    model: Model,
    name: str,
    rows: Array,
    into: tuple[dict[str, Array], dict[str, Array], dict[str, Array]],
    where: str,
) -> bool:
    """Put a column among the measured ones, the inputs or the kinematic variables; whether it is one of these."""
    columns, inputs, driven = into
    plain = name[2:] if name.startswith("q.") else name
    frame, _, axis = name.rpartition(".")
    if name.startswith("u.") and name[2:] in model.inputs:
        inputs[name[2:]] = _held(name, rows, where)
    elif name in model.inputs and name not in model.variables:
        inputs[name] = _held(name, rows, where)
    elif plain in model.kinematic:
        driven[plain] = rows
    elif plain in model.variables or (name.startswith("v.") and name[2:] in model.dynamic):
        columns[plain] = rows
    elif name in model.frames and rows.ndim == 2:
        columns |= {f"{name}.{one}": rows[:, i] for i, one in enumerate(AXES)}
    elif frame in model.frames and axis in AXES:
        columns[name] = rows
    else:
        return name.startswith(("p.", "lam.", "v."))  # of an exported run: known, and not measured
    return True


def _unknown_column(model: Model, name: str, where: str) -> ModelError:
    known = (*model.variables, *model.inputs, *model.frames)
    error = unknown_name("column", name, known, f"runs of {where}")
    return ModelError(
        asked=error.asked,
        found=error.found,
        do="rename it, or tell which columns are measured, such as measure=[...]: others are then left out",
    )


def _held(name: str, rows: Array, where: str) -> Array:
    """An input, held between rows: that of the last one does nothing, and may be missing."""
    missing = np.flatnonzero(~np.isfinite(rows[:-1]))
    if len(missing):
        raise ModelError(
            asked=f"input {name!r} of a run of {where}",
            found=f"no value in row {missing[0]}"
            + (f" and {len(missing) - 1} more" if missing[1:].size else ""),
            do="give inputs at every instant; NaN marks measurements that are missing, not inputs",
        )
    return np.nan_to_num(rows)


def _chosen(columns: dict[str, Array], measure: Sequence[str] | None, where: str) -> dict[str, Array]:
    if measure is None:
        chosen = {name: rows for name, rows in columns.items() if not name.startswith("v.")} or columns
    else:
        chosen = {}
        for name in measure:
            found = {c: r for c, r in columns.items() if c == name or c.rpartition(".")[0] == name}
            if not found:
                raise unknown_name("column", name, columns, f"measure of {where}")
            chosen |= found
    if not chosen:
        raise ModelError(
            asked=f"runs of {where}",
            found="no measured column",
            do="give values of variables, velocities ('v.angle') or frames ('hand.x')",
        )
    return chosen


def _read(path: str) -> dict[str, Array]:
    """The columns of a CSV file with a row of names."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row and not row[0].lstrip().startswith("#")]
    except OSError as error:
        raise ParseError(
            asked="a file of measurements", found=str(error), do="give the path of a CSV file", path=path
        ) from None
    if len(rows) < 2:
        raise ParseError(
            asked="a file of measurements",
            found="fewer than two rows",
            do="give names, then numbers",
            path=path,
        )
    names = [name.strip() for name in rows[0]]
    try:
        numbers = np.array([[float(cell) if cell.strip() else np.nan for cell in row] for row in rows[1:]])
    except ValueError as error:
        raise ParseError(
            asked="a file of measurements", found=str(error), do="give numbers below the names", path=path
        ) from None
    if numbers.ndim != 2 or numbers.shape[1] != len(names):
        raise ParseError(
            asked="a file of measurements",
            found="rows of different lengths",
            do="give one number per name",
            path=path,
        )
    return dict(zip(names, numbers.T, strict=True))
