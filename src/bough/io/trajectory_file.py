"""Trajectories as files, by suffix: `.npz`, which can be read back and run again, `.csv` and `.nc`.

A `.npz` file holds arrays and JSON texts, no pickle:

========================= =============================================================================
t q v p lam u             the arrays of the trajectory
inputs, prescribed        inputs of all steps and kinematic values of all nodes, for `rerun` (if known)
stage_inputs, ...         drive between the nodes, of a run of order 4, 6 or 8
part0_inputs, ...         the same of each part of a joined run; their first rows are in the header
header                    JSON as UTF-8 bytes: format number, version of bough, status, statistics
settings                  JSON as UTF-8 bytes
description               JSON as UTF-8 bytes: the system
contact_rows, ...         forces, statuses and losses of contacts; impacts, of which `impact_numbers` has
                          time, passes, guard, energy lost and whether it was ended without restitution
event_q, ...              states of the events; their times and names are in the header
body_position, ...        bodies and drift of a run in maximal coordinates; their names are in the header
========================= =============================================================================
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.description.plain import DEPTH, deeper_than
from bough.description.plain_value import UnknownElement
from bough.description.system import System
from bough.errors import BoughError, ModelError, ParseError, quoted
from bough.integrators.gauss import of_stages
from bough.io import _contact_file as contact_file
from bough.io import _motion_file as motion_file
from bough.io.npz import MAGIC, Archive, Damaged
from bough.model.model import Model
from bough.motion.contact_trajectory import ContactTrajectory, in_time
from bough.motion.contact_trajectory import shapes as contact_shapes
from bough.motion.events import Event
from bough.motion.parts import Part
from bough.motion.reduced_state import ReducedTrajectory
from bough.motion.stages import Stages
from bough.motion.trajectory import Driving, Trajectory
from bough.motion.trajectory_export import write_csv, write_netcdf
from bough.repeat import check_driving, checked_settings, driving_grid
from bough.write import replacing

FORMAT = 1
ARRAYS = ("t", "q", "v", "p", "lam", "u")
STAGES = ("inputs", "timed", "end", "nodes")
PARTS = 100  # largest number of parts of a joined run whose drives are written


def file_of(path: str | os.PathLike[str], asked: str) -> Path:
    """The path to which a trajectory is written: `.npz` is added to a name without a suffix."""
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
    if (np.diff(run.t) < 0.0).any():
        raise ModelError(
            asked=f"a trajectory in {path.suffix!r}",
            found="times that decrease: a run backwards, which could not be read back",
            do="save the run itself and take run[::-1] of what load_trajectory reads; or write .csv or .nc",
        )
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
    found = [event for event in run.events if isinstance(event, Event)]
    if found:
        header["found"] = [[event.t, event.name, event.which] for event in found]
        for name in ("q", "v", "p"):
            contents[f"event_{name}"] = np.array([getattr(event.state, name) for event in found])
        forces = [event.state.lam for event in found]
        if all(lam is not None for lam in forces):
            contents["event_lam"] = np.array(forces)
    if isinstance(run, ContactTrajectory):
        contents |= contact_file.arrays(run)
    if run._driving is not None:
        contents |= _drive_arrays(run._driving, "")
    if 0 < len(run._parts) <= PARTS:
        header["parts"] = [part.row for part in run._parts]
        for i, part in enumerate(run._parts):
            contents |= _drive_arrays(part.driving, f"part{i}_")
    for name, data in (
        ("header", header),
        ("settings", run.settings),
        ("description", run.model.description),
    ):
        contents[name] = np.frombuffer(json.dumps(data).encode(), dtype=np.uint8)
    with open(path, "wb") as stream:
        np.savez(stream, **contents)


def _drive_arrays(driving: Driving, prefix: str) -> dict[str, Array]:
    """The drive of a run, or of a part with this prefix, by the names of its arrays."""
    found = {f"{prefix}inputs": driving.inputs, f"{prefix}prescribed": driving.prescribed}
    if driving.stages is not None:
        found |= {f"{prefix}stage_{name}": getattr(driving.stages, name) for name in STAGES}
    return found


SUFFIXES = {".npz": _write_npz, ".csv": write_csv, ".nc": write_netcdf}


def load_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """The trajectory in a file written by `Trajectory.save`, with its model built again.

    Everything in the file is checked; any defect raises a `ParseError`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> run = bough.simulate(model, {"angle": 0.5}, duration=0.5, dt=0.05)
    >>> _ = run.save("swing.npz")
    >>> bool((bough.load_trajectory("swing.npz").q == run.q).all())
    True
    """
    if not isinstance(path, str | os.PathLike):
        raise ModelError(
            asked=f"load_trajectory({validate.shown(path)})",
            found="not a path",
            do="give the path of an .npz file written by run.save(path)",
        )
    asked = f"trajectory file {os.fspath(path)!r}"
    file = Path(path)
    if not file.is_file():
        raise _foreign(asked, "a folder" if file.is_dir() else "no such file")
    suffix = file.suffix.lower()
    if suffix in SUFFIXES and suffix != ".npz":
        raise _foreign(asked, f"a {suffix} file, which bough writes but does not read back")
    try:
        stream = file.open("rb")
    except OSError as error:
        found = f"the file cannot be read: {error.strerror}"
        raise ParseError(asked=asked, found=found, do="give another file, or the right to read it") from None
    with stream:
        if not zipfile.is_zipfile(stream):
            stream.seek(0)
            single = stream.read(len(MAGIC)) == MAGIC
            raise _foreign(asked, "a single array" if single else "not an .npz file, or one that was cut off")
        try:
            return _read(Archive(stream, os.fstat(stream.fileno()).st_size), asked)
        except Damaged as error:
            raise _damaged(asked, str(error)) from None


def _read(archive: Archive, asked: str) -> Trajectory:
    """The trajectory of an archive."""
    header = _json(archive, "header", asked)
    if header.get("kind") != "bough trajectory":
        raise _foreign(asked, "its header is not that of a trajectory")
    if header.get("format") != FORMAT:
        raise ParseError(
            asked=asked,
            found=f"format {validate.shown(header.get('format'))}; this version reads format {FORMAT}",
            do="use the version of bough that wrote it, or a newer one",
        )
    settings, description = _json(archive, "settings", asked), _json(archive, "description", asked)
    for name in ARRAYS:
        if name not in archive:
            raise Damaged(f"no array {name!r}")
    try:
        model = System.from_dict(description).build()
        return _trajectory(archive, header, settings, model)
    except UnknownElement as error:
        raise ParseError(
            asked=asked, found=_cut(f"{error.asked}: {error.found}"), do=_cut(error.do)
        ) from error
    except BoughError as error:
        text = f"the model or the numbers in it are not valid: {error.asked}: {error.found}"
        raise _damaged(asked, text) from error


def _trajectory(
    archive: Archive, header: dict[str, Any], settings: dict[str, Any], model: Model
) -> Trajectory:
    """The trajectory of a model: no array is read before its shape is known to be right."""
    rows = archive.shape("t")[:1] or (0,)
    shapes: dict[str, tuple[int, ...]]
    shapes = {"q": (model.nq,), "v": (model.nv,), "p": (model.nd,), "lam": (model.nc,), "u": (model.nu,)}
    kind: type[Trajectory] = Trajectory
    if any(name in archive for name in ReducedTrajectory.extra):
        if not model.base_variables or not all(name in archive for name in ReducedTrajectory.extra):
            raise Damaged("the poses of a free base, incomplete or of a model without one")
        kind = ReducedTrajectory
        shapes |= {"g": (4, 4), "xi": (6,), "mu": (6,)}
    if any(name in archive for name in contact_file.NAMES):
        if not model.gaps or not all(name in archive for name in contact_file.NAMES):
            raise Damaged("arrays of contacts, incomplete or of a model without any")
        kind = ContactTrajectory
        shapes |= contact_shapes(model)
    columns = {"t": archive.numbers("t", rows)}
    if (np.diff(columns["t"]) < 0.0).any():
        raise Damaged("array 't' holds times that decrease")
    columns |= {name: archive.numbers(name, (*rows, *tail)) for name, tail in shapes.items()}
    motion_file.check_orientations(model, columns)
    if kind is ContactTrajectory:
        contact_file.check(model, columns)
    statistics = header.get("statistics", {})
    if not isinstance(statistics, dict):
        raise Damaged("statistics that are not a JSON object")
    driving: Driving | None = None
    parts: tuple[Part, ...] = ()
    if "inputs" in archive and "prescribed" in archive:
        settings, driving = _driving(archive, settings, model, columns["t"], "")
    elif "parts" in header:
        settings, parts = _parts(archive, header, settings, model, columns["t"])
    t = columns["t"]
    run = kind(
        model,
        columns.pop("t"),
        columns.pop("q"),
        status=header.get("status", ""),
        settings=settings,
        statistics=statistics,
        driving=driving,
        parts=parts,
        bodies=motion_file.bodies(archive, header, rows, model),
        **columns,
    )
    run.events = motion_file.events(archive, header, model, t)
    if isinstance(run, ContactTrajectory):
        run.events = in_time(run.events, contact_file.impacts(archive, model, t))
    return run


def _driving(
    archive: Archive, settings: Mapping[str, Any], model: Model, t: Array, prefix: str
) -> tuple[dict[str, Any], Driving]:
    """The checked settings and the drive of a run, or of a part whose arrays have this prefix."""
    where = "the settings of the run"
    for name in (f"{prefix}inputs", f"{prefix}prescribed"):
        if name not in archive:
            raise Damaged(f"no array {name!r}")
    checked = checked_settings(model, settings, where)
    given = archive.shape(f"{prefix}inputs"), archive.shape(f"{prefix}prescribed")
    check_driving(model, checked, t, *given, where)
    told = checked
    if settings["dt"] is None:  # of a run whose steps were chosen, so many
        if not validate.is_whole(settings["steps"]):
            raise Damaged("steps that are not a number of steps")
        told = {**checked, "dt": None, "steps": settings["steps"]}
    return told, Driving(
        archive.numbers(f"{prefix}inputs", given[0]),
        archive.numbers(f"{prefix}prescribed", given[1]),
        _stages(archive, checked, model, given, prefix),
    )


def _parts(
    archive: Archive, header: Mapping[str, Any], settings: dict[str, Any], model: Model, t: Array
) -> tuple[dict[str, Any], tuple[Part, ...]]:
    """The checked settings and the parts of a joined run."""
    rows, joined = header["parts"], settings.get("joined")
    if not isinstance(rows, list) or not all(validate.is_whole(row) for row in rows):
        raise Damaged("'parts' that are not a list of rows")
    bounds = [*rows, len(t) - 1]
    if len(rows) > PARTS or bounds[0] != 0 or any(a > b for a, b in pairwise(bounds)):
        raise Damaged("'parts' that are not rows in their order, from the first on")
    if (
        not isinstance(joined, list)
        or len(joined) != len(rows)
        or not all(isinstance(x, dict) for x in joined)
    ):
        raise Damaged("settings that are not those of the parts of a joined run")
    found, parts = [], []
    for i, (first, last) in enumerate(pairwise(bounds)):
        checked, driving = _driving(archive, joined[i], model, t[first : last + 1], f"part{i}_")
        found.append(checked)
        parts.append(Part(first, driving))
    return {**settings, "joined": found}, tuple(parts)


def _stages(
    archive: Archive,
    settings: dict[str, Any],
    model: Model,
    given: tuple[tuple[int, ...], ...],
    prefix: str,
) -> Stages | None:
    """The drive of a run of higher order between its nodes."""
    if not of_stages(settings):
        return None
    steps, s = driving_grid(settings, "the settings of the run").steps, settings["order"] // 2
    for name in STAGES:
        if f"{prefix}stage_{name}" not in archive:
            raise Damaged(f"no array '{prefix}stage_{name}'")
    timed = archive.shape(f"{prefix}stage_timed") != (0,)
    driven = given[1][0] > 0
    shapes = {
        "inputs": (steps, s, model.nu) if timed else (0,),
        "timed": (model.nu,) if timed else (0,),
        "end": (model.nu,) if timed else (0,),
        "nodes": (steps, s, model.nk) if driven else (0,),
    }
    return Stages(*(archive.numbers(f"{prefix}stage_{name}", shapes[name]) for name in STAGES))


def _json(archive: Archive, name: str, asked: str) -> dict[str, Any]:
    if name not in archive:
        raise _foreign(asked, f"an .npz file without a {name!r}")
    try:
        data = json.loads(archive.text(name).decode())
    except RecursionError:
        raise Damaged(f"{name!r} is not JSON that can be read: lists in lists too deep") from None
    except ValueError as error:
        raise Damaged(f"{name!r} is not JSON: {error}") from None
    if deeper_than(data, DEPTH):
        raise Damaged(f"{name!r} holds lists in lists, {DEPTH} deep and more")
    if not isinstance(data, dict):
        raise Damaged(f"{name!r} is not a JSON object")
    return data


def _foreign(asked: str, found: str) -> ParseError:
    return ParseError(asked=asked, found=found, do="give the path of an .npz file written by run.save(path)")


def _damaged(asked: str, found: str) -> ParseError:
    return ParseError(
        asked=asked,
        found=_cut(found),
        do="the file is damaged or was changed: save the run again, or repeat it",
    )


def _cut(text: str) -> str:
    """A text shortened for messages: names in a file may have any length."""
    return text if len(text) <= 600 else f"{text[:400]} ... {text[-100:]}"
