"""Files that are no trajectories, and runs that are not saved: the exact text of every message."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bough import ModelError, ParseError, load_trajectory
from support.damaged_runs import (
    WRITTEN,
    announced,
    bomb,
    flipped,
    foreign_archive,
    pendulum,
    pickled,
    rewritten,
    run,
    single_array,
    text_file,
    touching,
    twice,
    with_event,
    with_number,
    without,
)

nan = float("nan")


DAMAGED = "the file is damaged or was changed: save the run again, or repeat it"
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
