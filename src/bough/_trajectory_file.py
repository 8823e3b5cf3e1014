"""Trajectories as files, by suffix: `.npz`, which can be read back and run again, `.csv` and `.nc`.

A `.npz` file holds arrays and JSON texts, no pickle:

========================= =============================================================================
t q v p lam u             the arrays of the trajectory
inputs, prescribed        inputs of all steps and kinematic values of all nodes, for `rerun` (if known)
header                    JSON as UTF-8 bytes: format number, version of bough, status, statistics
settings                  JSON as UTF-8 bytes
description               JSON as UTF-8 bytes: the system
body_position, ...        bodies and drift of a run in maximal coordinates; their names are in the header
========================= =============================================================================
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bough._trajectory_export import write_csv, write_netcdf
from bough._write import replacing
from bough.arguments import Array
from bough.elements import UnknownElement
from bough.errors import BoughError, ModelError, ParseError, quoted
from bough.maximal.motion import BodyMotion
from bough.reduced_state import ReducedTrajectory
from bough.system import System
from bough.trajectory import Trajectory

FORMAT = 1
ARRAYS = ("t", "q", "v", "p", "lam", "u")


def file_of(path: str | os.PathLike[str], asked: str) -> Path:
    """Where a trajectory given this path is written: `.npz` is added to a name without a suffix."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix in SUFFIXES:
        return target
    if suffix.strip(".") and not suffix[1].isdigit():  # "run_0.01" has none
        matlab = "; for MATLAB: scipy.io.savemat(path, {'t': run.t, 'q': run.q, 'v': run.v})"
        raise ModelError(
            asked=f"{asked} {os.fspath(path)!r}",
            found=f"the suffix {target.suffix!r}, of no kind of file that holds a trajectory",
            do=f"use one of {quoted(SUFFIXES)}{matlab if suffix == '.mat' else ''}",
        )
    return target.with_name(target.name + ".npz")


def save(run: Trajectory, path: str | os.PathLike[str]) -> Path:
    """Write a trajectory; the file appears only when it is complete."""
    target = file_of(path, "a trajectory in")
    with replacing(target) as part:
        SUFFIXES[target.suffix.lower()](run, part)
    return target


def _write_npz(run: Trajectory, path: Path) -> None:
    header = {
        "kind": "bough trajectory",
        "format": FORMAT,
        "status": run.status,
        "statistics": run.statistics,
    }
    contents = {name: getattr(run, name) for name in (*ARRAYS, *run.extra)}
    if run.bodies is not None:
        header["bodies"], header["events"] = list(run.bodies.names), run.bodies.events
        contents.update(run.bodies.arrays())
    if run._driving is not None:
        contents["inputs"], contents["prescribed"] = run._driving
    for name, data in (
        ("header", header),
        ("settings", run.settings),
        ("description", run.model.description),
    ):
        contents[name] = np.frombuffer(json.dumps(data).encode(), dtype=np.uint8)
    with open(path, "wb") as stream:
        np.savez(stream, **contents)


SUFFIXES = {".npz": _write_npz, ".csv": write_csv, ".nc": write_netcdf}


def load_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """The trajectory in a file written by `Trajectory.save`, with its model built again."""
    asked = f"trajectory file {os.fspath(path)!r}"
    contents = _contents(path, asked)
    header = _json(contents, "header", asked)
    if header.get("kind") != "bough trajectory":
        raise _foreign(asked, "its header is not that of a trajectory")
    if header.get("format") != FORMAT:
        raise ParseError(
            asked=asked,
            found=f"format {header.get('format')!r}; this version reads format {FORMAT}",
            do="use the version of bough that wrote it, or a newer one",
        )
    settings, description = _json(contents, "settings", asked), _json(contents, "description", asked)
    missing = [name for name in ARRAYS if name not in contents]
    if missing:
        raise _damaged(asked, f"no array {missing[0]!r}")
    driving = None
    if "inputs" in contents and "prescribed" in contents:
        driving = (contents["inputs"], contents["prescribed"])
    try:
        model = System.from_dict(description).build()
        columns = {name: contents[name] for name in ARRAYS[2:]}
        kind: type[Trajectory] = Trajectory
        if all(name in contents for name in ReducedTrajectory.extra):
            kind = ReducedTrajectory
            columns |= {name: contents[name] for name in kind.extra}
        return kind(
            model,
            contents["t"],
            contents["q"],
            status=header.get("status", ""),
            settings=settings,
            statistics=header.get("statistics", {}),
            driving=driving,
            bodies=_bodies(contents, header, asked),
            **columns,
        )
    except UnknownElement as error:
        raise ParseError(asked=asked, found=f"{error.asked}: {error.found}", do=error.do) from error
    except BoughError as error:
        text = f"the model or the numbers in it are not valid: {error.asked}: {error.found}"
        raise _damaged(asked, text) from error


def _bodies(contents: Mapping[str, Any], header: Mapping[str, Any], asked: str) -> BodyMotion | None:
    if "bodies" not in header:
        return None
    names = tuple(header["bodies"])
    arrays: list[Array] = []
    for name, numbers in (("body_position", 3), ("body_quaternion", 4), ("joint_drift", 2)):
        shape = (len(contents["t"]), len(names), numbers)
        if name not in contents or contents[name].shape != shape:
            raise _damaged(asked, f"no array {name!r} of shape {shape}")
        arrays.append(contents[name])
    position, quaternion, drift = arrays
    events = [(time, name) for time, name in header.get("events", ())]
    return BodyMotion(names, position, quaternion, drift, events)


def _contents(path: str | os.PathLike[str], asked: str) -> dict[str, Any]:
    if not Path(path).is_file():
        raise ParseError(
            asked=asked,
            found="a folder" if Path(path).is_dir() else "no such file",
            do="give the path of an .npz file written by run.save(path)",
        )
    suffix = Path(path).suffix.lower()
    if suffix in SUFFIXES and suffix != ".npz":
        raise _foreign(asked, f"a {suffix} file, which bough writes but does not read back")
    try:
        archive = np.load(path, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise _foreign(asked, "a single array")
        with archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError) as error:
        if zipfile.is_zipfile(path):
            raise _damaged(asked, _first_line(error)) from None
        raise _foreign(asked, "not an .npz file, or one that was cut off") from None


def _json(contents: Mapping[str, Any], name: str, asked: str) -> dict[str, Any]:
    if name not in contents:
        raise _foreign(asked, f"an .npz file without a {name!r}")
    try:
        data = json.loads(np.asarray(contents[name]).tobytes().decode())
    except ValueError as error:
        raise _damaged(asked, f"{name!r} is not JSON: {_first_line(error)}") from None
    if not isinstance(data, dict):
        raise _damaged(asked, f"{name!r} is not a JSON object")
    return data


def _foreign(asked: str, found: str) -> ParseError:
    return ParseError(asked=asked, found=found, do="give the path of an .npz file written by run.save(path)")


def _damaged(asked: str, found: str) -> ParseError:
    return ParseError(
        asked=asked, found=found, do="the file is damaged or was changed: save the run again, or repeat it"
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
