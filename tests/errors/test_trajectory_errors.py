"""Trajectories and files of them that cannot be: the exact text of every message."""

from __future__ import annotations

import json
import sys
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bough import (
    BoughError,
    Box,
    Capsule,
    Contact,
    Model,
    ModelError,
    ParseError,
    Point,
    System,
    Trajectory,
    load_trajectory,
    simulate,
)
from support.broken_runs import npy, read, written
from support.messages import Case, check_message

nan = float("nan")
WRITTEN = "give the path of an .npz file written by run.save(path)"


def pendulum() -> Model:
    system = System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def run(model: Model) -> Trajectory:
    """Ten steps."""
    return simulate(model, duration=1.0, dt=0.1)


# what is asked, and the three parts of the message
CASES: dict[str, Case] = {
    "column": (
        lambda: run(pendulum())["angel"],
        "variable 'angel' in model 'pendulum'",
        "no variable has this name; the nearest is 'angle'",
        "correct the spelling",
    ),
    "slice": (
        lambda: run(pendulum())[20:],
        "run[20:] of a trajectory",
        "no row of 11 is in this range",
        "choose rows from 0 to 10",
    ),
    "panel": (
        lambda: run(pendulum()).plot("positions"),
        "panel 'positions' in plot() of a trajectory of 'pendulum'",
        "no panel has this name; the names are 'configuration', 'velocity', 'energy', 'constraint',"
        " 'multiplier', 'gap', 'contact', 'input'",
        "use one of these names",
    ),
    "no panel": (
        lambda: run(pendulum()).plot("constraint"),
        "plot('constraint') of a trajectory of 'pendulum'",
        "nothing of this kind in the model",
        "choose from configuration, velocity, energy",
    ),
    "suffix": (
        lambda: run(pendulum()).save("run.JSON"),
        "a trajectory in 'run.JSON'",
        "the suffix '.JSON', of no kind of file that holds a trajectory",
        "use one of '.npz', '.csv', '.nc'",
    ),
    "MATLAB": (
        lambda: run(pendulum()).save("run.mat"),
        "a trajectory in 'run.mat'",
        "the suffix '.mat', of no kind of file that holds a trajectory",
        "use one of '.npz', '.csv', '.nc'; for MATLAB: scipy.io.savemat(path, {'t': run.t, 'q': run.q, 'v':"
        " run.v})",
    ),
    "no folder": (
        lambda: run(pendulum()).save("missing/folder/run.npz"),
        "a file at 'missing/folder/run.npz'",
        "there is no folder 'missing/folder'",
        "make the folder first, or give a path in one that exists",
    ),
    "no path": (
        lambda: load_trajectory(pendulum()),
        "load_trajectory(<Model 'pendulum': 1 dynamic and 0 kinematic variables, 3 frames>)",
        "not a path",
        WRITTEN,
    ),
    "rerun of part": (
        lambda: run(pendulum())[:3].rerun(),
        "rerun() of a trajectory",
        "a part of a run, or numbers that no simulation made",
        "rerun the whole trajectory that simulate() returned or load_trajectory() read",
    ),
    "trajectory shape": (
        lambda: Trajectory(pendulum(), [0.0, 1.0], [[0.0]]),
        "q of a trajectory",
        "shape (1, 1)",
        "give an array of shape (2, 1)",
    ),
    "trajectory empty": (
        lambda: Trajectory(pendulum(), [], []),
        "t of a trajectory",
        "no rows",
        "give one instant or more",
    ),
    "trajectory status": (
        lambda: Trajectory(pendulum(), [0.0], [[0.0]], status="done"),
        "Trajectory",
        "status 'done'",
        "use one of finished, event, failed, interrupted",
    ),
    "nan t": (
        lambda: Trajectory(pendulum(), [0.0, nan], [[0.0], [1.0]]),
        "t of a trajectory",
        "a number in row 1 that is not finite",
        "give finite numbers",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    check_message(*CASES[case])


# --- files that are no trajectories ---

DAMAGED = "the file is damaged or was changed: save the run again, or repeat it"


def rewritten(path: Path, **members: Any) -> Path:
    """A saved pendulum with some members replaced."""
    with np.load(run(pendulum()).save(path)) as archive:
        contents = {name: archive[name] for name in archive.files}
    for name, value in members.items():
        text = json.dumps(value) if isinstance(value, dict | list) else value
        contents[name] = np.frombuffer(text.encode(), dtype=np.uint8) if isinstance(text, str) else text
    np.savez(path, **contents)
    return path


def text_file(path: Path) -> Path:
    path.write_text("t,q\n0,1\n")
    return path


def foreign_archive(path: Path) -> Path:
    np.savez(path, x=np.zeros(3))
    return path


def single_array(path: Path) -> Path:
    with open(path, "wb") as stream:
        np.save(stream, np.zeros(3))
    return path


def pickled(path: Path) -> Path:
    np.savez(path, header=np.array([{}], dtype=object))
    return path


def flipped(path: Path) -> Path:
    """One changed byte in the middle of q."""
    run(pendulum()).save(path)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        data[archive.getinfo("q.npy").header_offset + 190] ^= 0xFF
    path.write_bytes(data)
    return path


def bomb(path: Path) -> Path:
    """A few kilobytes that would be gigabytes."""
    size = 2 * 10**8
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("t.npy", "w") as stream:
        stream.write(npy("<f8", (size // 8,), b""))
        for _ in range(20):
            stream.write(bytes(size // 20))
    return path


def announced(path: Path) -> Path:
    """A header that announces terabytes."""
    members = read(run(pendulum()).save(path).read_bytes())
    members["t.npy"] = npy("<f8", (10**12,), bytes(80))
    path.write_bytes(written(members))
    return path


def twice(path: Path) -> Path:
    run(pendulum()).save(path)
    with zipfile.ZipFile(path, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("q.npy", b"")
    return path


def bouncing(path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """A saved run with a quaternion, contacts, an impact and an event, some of its arrays changed."""
    system = System("bouncing")
    system.world.tz("z", name="point", mass=1.0)
    system.world.ball("top", mass=1.0, inertia=(1.0, 2.0, 3.0))
    system.add(Contact("point", Point(), restitution=0.5, name="tip"))
    found = simulate(system.build(), {"z": 0.05}, duration=0.2, events=["z = 0.02"])
    with np.load(found.save(path)) as archive:
        contents = {name: archive[name].copy() for name in archive.files}
    change(contents)
    np.savez(path, **contents)
    return path


def touching(number: float) -> Callable[[Path], Path]:
    """A saved run of a ball on a box, with another number of a feature."""
    system = System("table")
    system.world.tz(-0.1, name="table")
    system.world.tx("x").tz("z", name="body", mass=1.0)
    system.add(Contact("body", Capsule(0.1, 0.2), ("table", Box((1.0, 1.0, 0.2))), name="pair"))
    model = system.build()

    def made(path: Path) -> Path:
        with np.load(simulate(model, {"z": 0.25}, duration=0.2).save(path)) as archive:
            contents = {name: archive[name].copy() for name in archive.files}
        contents["contact_state"][3, -1] = number
        np.savez(path, **contents)
        return path

    return made


def with_number(name: str, place: tuple[int, ...], value: float) -> Callable[[Path], Path]:
    def changed(contents: dict[str, Any]) -> None:
        contents[name][place] = value

    return lambda path: bouncing(path, changed)


def without(*names: str) -> Callable[[Path], Path]:
    return lambda path: bouncing(path, lambda contents: [contents.pop(name) for name in names])


def with_event(time: Any) -> Callable[[Path], Path]:
    def changed(contents: dict[str, Any]) -> None:
        header = json.loads(bytes(contents["header"]))
        header["found"][0][0] = time
        contents["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)

    return lambda path: bouncing(path, changed)


NOT_VALID = "the model or the numbers in it are not valid:"
HEADER = {"kind": "bough trajectory", "format": 1, "status": "finished", "statistics": {}}

FILES: dict[str, tuple[Callable[[Path], Path], str, str]] = {
    "missing": (lambda path: path, "no such file", WRITTEN),
    "folder": (lambda path: path.mkdir() or path, "a folder", WRITTEN),
    "empty": (lambda path: path.touch() or path, "not an .npz file, or one that was cut off", WRITTEN),
    "csv": (
        lambda path: run(pendulum()).save(path.with_suffix(".csv")),
        "a .csv file, which bough writes but does not read back",
        WRITTEN,
    ),
    "text": (text_file, "not an .npz file, or one that was cut off", WRITTEN),
    "foreign archive": (foreign_archive, "an .npz file without a 'header'", WRITTEN),
    "single array": (single_array, "a single array", WRITTEN),
    "pickle": (
        pickled,
        "array 'header' is of type '|O'; a run is made of 64-bit floating point numbers and texts",
        DAMAGED,
    ),
    "changed byte": (flipped, "Bad CRC-32 for file 'q.npy'", DAMAGED),
    "other header": (
        lambda path: rewritten(path, header={"kind": "something else"}),
        "its header is not that of a trajectory",
        WRITTEN,
    ),
    "newer format": (
        lambda path: rewritten(path, header={**HEADER, "format": 2}),
        "format 2; this version reads format 1",
        "use the version of bough that wrote it, or a newer one",
    ),
    "no JSON": (
        lambda path: rewritten(path, settings="[1"),
        "'settings' is not JSON: Expecting ',' delimiter: line 1 column 3 (char 2)",
        DAMAGED,
    ),
    "JSON of another kind": (
        lambda path: rewritten(path, settings=[1]),
        "'settings' is not a JSON object",
        DAMAGED,
    ),
    "other shape": (
        lambda path: rewritten(path, q=np.zeros((11, 2))),
        "array 'q' has shape (11, 2) in place of (11, 1)",
        DAMAGED,
    ),
    "nan": (
        lambda path: rewritten(path, v=np.full((11, 1), nan)),
        "array 'v' holds nan in row 0",
        DAMAGED,
    ),
    "other model": (
        lambda path: rewritten(path, description={"name": "s", "frames": [{"parent": 7, "transform": "tx"}]}),
        "the model or the numbers in it are not valid: frame 1 of a description: parent 7",
        DAMAGED,
    ),
    "unknown status": (
        lambda path: rewritten(path, header={**HEADER, "status": "done"}),
        "the model or the numbers in it are not valid: Trajectory: status 'done'",
        DAMAGED,
    ),
    "complex": (
        lambda path: rewritten(path, q=np.zeros((11, 1), dtype=complex)),
        "array 'q' is of type '<c16'; a run is made of 64-bit floating point numbers and texts",
        DAMAGED,
    ),
    "decreasing times": (
        lambda path: rewritten(path, t=np.linspace(1.0, 0.0, 11)),
        "array 't' holds times that decrease",
        DAMAGED,
    ),
    "other times": (
        lambda path: rewritten(path, t=np.linspace(0.0, 2.0, 11)),
        f"{NOT_VALID} the settings of the run: 11 instants that are not those of 10 steps of 0.1 s",
        DAMAGED,
    ),
    "inputs too short": (
        lambda path: rewritten(path, inputs=np.zeros((0, 1))),
        f"{NOT_VALID} the settings of the run: inputs of shape (0, 1) for 10 steps and 0 inputs",
        DAMAGED,
    ),
    "prescribed too short": (
        lambda path: rewritten(path, prescribed=np.zeros((3, 1))),
        f"{NOT_VALID} the settings of the run: kinematic values of shape (3, 1) for 10 steps and 0 kinematic variables",
        DAMAGED,
    ),
    "no settings": (
        lambda path: rewritten(path, settings={}),
        f"{NOT_VALID} the settings of the run: no 'integrator' among the settings of the run",
        DAMAGED,
    ),
    "settings of no integrator": (
        lambda path: rewritten(path, settings={**run(pendulum()).settings, "max_iterations": -3}),
        f"{NOT_VALID} max_iterations=-3 in MidpointVI of model 'pendulum':"
        " max_iterations is not a whole number of 1 or more",
        DAMAGED,
    ),
    "deep": (
        lambda path: rewritten(path, description="[" * 5000),
        "'description' is not JSON that can be read: lists in lists too deep",
        DAMAGED,
    ),
    "less deep": (
        lambda path: rewritten(path, description="[" * 70 + "]" * 70),
        "'description' holds lists in lists, 64 deep and more",
        DAMAGED,
    ),
    "compressed": (bomb, "entry 't' is compressed or encrypted, as bough writes none", DAMAGED),
    "announced": (
        announced,
        "array 't' has shape (1000000000000,), which its 208 bytes do not hold",
        DAMAGED,
    ),
    "statistics": (
        lambda path: rewritten(path, header={**HEADER, "statistics": 3}),
        "statistics that are not a JSON object",
        DAMAGED,
    ),
    "bodies": (
        lambda path: rewritten(path, header={**HEADER, "bodies": ["bob"]}),
        "no array 'body_position' of shape (11, 1, 3)",
        DAMAGED,
    ),
    "poses": (
        lambda path: rewritten(path, g=np.zeros((11, 4, 4))),
        "the poses of a free base, incomplete or of a model without one",
        DAMAGED,
    ),
    "twice": (twice, "two entries 'q'", DAMAGED),
    "contacts without impacts": (
        without("impact_hits"),
        "arrays of contacts, incomplete or of a model without any",
        DAMAGED,
    ),
    "contacts of a model without any": (
        lambda path: rewritten(path, contact_rows=np.zeros((11, 1))),
        "arrays of contacts, incomplete or of a model without any",
        DAMAGED,
    ),
    "status of a contact": (
        with_number("contact_state", (1, 0), 7.0),
        "array 'contact_state' holds a status other than 0, 1 and 2",
        DAMAGED,
    ),
    "part of a status": (
        with_number("contact_state", (1, 0), 0.5),
        "array 'contact_state' holds a status other than 0, 1 and 2",
        DAMAGED,
    ),
    **{
        f"feature {number}": (
            touching(number),
            "array 'contact_state' holds numbers of features that the shapes do not have",
            DAMAGED,
        )
        for number in (
            -1.0,
            0.5,
            1.5,
            7.0,
            10.0 + 16 * 2,
            6.0 + 16.0 * 2**20 * 12,
            1.0 + 16 * 99,
            1e15,
            1e300,
        )
    },
    "step before a contact": (
        with_number("contact_state", (1, 1), -0.01),
        "array 'contact_state' holds a step of negative length",
        DAMAGED,
    ),
    "nan of a contact": (
        with_number("contact_rows", (2, 0), nan),
        "array 'contact_rows' holds nan in row 2",
        DAMAGED,
    ),
    "impact before the run": (
        with_number("impact_numbers", (0, 0), -1.0),
        "times of impacts that decrease, or are not within those of the run",
        DAMAGED,
    ),
    "passes of an impact": (
        with_number("impact_numbers", (0, 1), 1e300),
        "array 'impact_numbers' holds passes, guards or flags that no impact has",
        DAMAGED,
    ),
    "hits of an impact": (
        with_number("impact_hits", (0, 0), 3.0),
        "array 'impact_hits' holds other numbers than 0, 1 and 2",
        DAMAGED,
    ),
    "quaternion": (
        with_number("q", (3, 1), 1.1),
        "array 'q' holds a quaternion of 'top' that is not of unit length",
        DAMAGED,
    ),
    "quaternion of an event": (
        with_number("event_q", (0, 1), 1.1),
        "array 'event_q' holds a quaternion of 'top' that is not of unit length",
        DAMAGED,
    ),
    "event after the run": (
        with_event(3.0),
        "times of events that decrease, or are not within those of the run",
        DAMAGED,
    ),
    "event beyond all numbers": (
        with_event(10**400),
        "'found' that is not a list of times, names and numbers of events",
        DAMAGED,
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_message_of_a_file(case: str, tmp_path: Path) -> None:
    make, found, do = FILES[case]
    path = make(tmp_path / "run.npz")
    with pytest.raises(ParseError) as caught:
        load_trajectory(path)
    assert str(caught.value) == f"trajectory file {str(path)!r}\n  found: {found}\n  do: {do}"


@pytest.mark.parametrize("make", [bomb, announced])
def test_nothing_is_allocated_for_what_a_file_announces(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path / "run.npz")
    tracemalloc.start()
    try:
        with pytest.raises(ParseError):
            load_trajectory(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2e6


def test_names_of_any_length_are_cut(tmp_path: Path) -> None:
    element = {"type": "9" * 5000}
    system = {"name": "s", "frames": [], "elements": [element]}
    with pytest.raises(ParseError) as caught:
        load_trajectory(rewritten(tmp_path / "run.npz", description=system))
    assert len(str(caught.value)) < 1500


def test_a_run_backwards_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        run(pendulum())[::-1].save(tmp_path / "run.npz")
    assert caught.value.found == "times that decrease: a run backwards, which could not be read back"
    assert list(tmp_path.iterdir()) == []


def test_rerun_checks_what_drives_it() -> None:
    model = pendulum()
    made = run(model)
    odd = Trajectory(
        model,
        made.t,
        made.q,
        v=made.v,
        settings=made.settings,
        driving=(np.zeros((0, 0)), np.zeros((3, 1)), None),
    )
    with pytest.raises(ModelError) as caught:
        odd.rerun()
    assert str(caught.value) == (
        "rerun()\n"
        "  found: kinematic values of shape (3, 1) for 10 steps and 0 kinematic variables\n"
        "  do: give a run as simulate() made it"
    )


def test_message_without_xarray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(BoughError) as caught:
        run(pendulum()).to_xarray()
    assert str(caught.value) == (
        "to_xarray() of a trajectory\n"
        "  found: the package xarray is not installed\n"
        "  do: install it: pip install 'bough[xarray]'"
    )
