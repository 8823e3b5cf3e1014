"""Executors: the same bits on each of them; what cannot be sent to one is refused by name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.studies import ensemble as study_module
from support.studies import ARM, CASES, HARD, Held, Pull, arm, highest


def test_executors_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "CHUNK_STEPS", 100)  # several chunks
    problem = bough.Problem(ARM, {"forearm": 0.2}, duration=0.2, dt=0.01)
    axes = {"q.shoulder": np.linspace(-1, 1, 23), "parameter.length": [0.8, 1.1]}
    expected = bough.ensemble(problem, axes, keep=highest, workers=1)
    motions = bough.ensemble(problem, axes, workers=1)
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, get_context("spawn")) as processes:
        for executor in (threads, processes):
            found = bough.ensemble(problem, axes, keep=highest, executor=executor)
            for name in ("height", "energy", "end"):
                assert found[name].tobytes() == expected[name].tobytes()
            assert (bough.ensemble(problem, axes, executor=executor).q == motions.q).all()
    for index in ((0, 0), (22, 1), (7, 1)):
        assert expected["height"][index] == highest(expected.rerun(index))["height"]
        assert (motions.q[index] == motions.rerun(index).q).all()


@pytest.mark.parametrize("name", HARD)
def test_executors_give_the_same_bits_of_what_runs_alone(
    name: str, monkeypatch: pytest.MonkeyPatch, processes: ProcessPoolExecutor
) -> None:
    monkeypatch.setattr(study_module, "CHUNK_STEPS", 20)
    make, axes = CASES[name]
    problem = make()
    expected = bough.ensemble(problem, axes, workers=1)
    with ThreadPoolExecutor(2) as threads:
        for executor in (threads, processes):
            found = bough.ensemble(problem, axes, executor=executor)
            assert found.failed == []
            assert found.q.tobytes() == expected.q.tobytes()
            assert found.p.tobytes() == expected.p.tobytes()


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        yield pool


def test_what_cannot_be_sent_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    lock = threading.Lock()  # which no pickle can hold
    problem = bough.Problem(ARM, duration=0.1)
    with ProcessPoolExecutor(1) as executor, pytest.raises(bough.BoughError, match="keep of an ensemble"):
        bough.ensemble(problem, {"q.shoulder": [1.0]}, keep=lambda run: {"x": lock}, executor=executor)


@dataclass(frozen=True)
class Holding(Pull):
    """A user's potential with such a thing in it."""

    held: Any = field(default_factory=Held)

    def _text(self) -> str:
        return "the holding potential"


def test_what_cannot_be_sent_is_named() -> None:
    system = arm()
    system.add(Holding(2.0))
    driven = bough.Problem(ARM, u={"torque": Held()}, duration=0.1)
    element = bough.Problem(system.build(), duration=0.1)
    with ProcessPoolExecutor(1) as executor:
        for problem, asked, found in (
            (driven, "u of the problem of an ensemble on ProcessPoolExecutor", "held"),
            (element, "problem of an ensemble on ProcessPoolExecutor", "the holding potential"),
        ):
            with pytest.raises(bough.BoughError) as caught:
                bough.ensemble(problem, {"q.shoulder": [1.0]}, executor=executor)
            assert caught.value.asked == asked
            assert found in caught.value.found
            assert caught.value.do.startswith("define functions and classes at the top level of a module")


def kills_itself(run: bough.Trajectory) -> dict[str, float]:
    """What ends its process at two starts, as a crash in a library of the user's would."""
    if run.q[0, 0] in (0.25, 0.75):
        os._exit(1)
    return {"end": run.q[-1, 0]}


@pytest.mark.parametrize("stored", [False, True])
def test_a_run_that_kills_its_process_is_a_row(stored: bool, tmp_path: Path) -> None:
    """All others are made as by threads, on a pool that takes the place of the one that broke."""
    if stored:
        pytest.importorskip("zarr")
    angles = np.arange(0, 40) / 16.0  # 0.25 and 0.75 among them
    options: dict[str, Any] = {"keep": kills_itself, "store": tmp_path / "s.zarr" if stored else None}
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        study = bough.ensemble(
            bough.Problem(ARM, duration=0.1), {"q.shoulder": angles}, executor=executor, **options
        )
    assert study.failed == [(4,), (12,)]
    assert all(
        text.startswith("the process that made this run died: Broken") for text in study.messages.values()
    )
    fine = [i for i in range(40) if i not in (4, 12)]
    expected = bough.ensemble(bough.Problem(ARM, duration=0.1), {"q.shoulder": angles[fine]}, keep=at_the_end)
    assert study["end"][fine].tobytes() == expected["end"].tobytes()
    if stored:
        again = bough.ensemble(bough.Problem(ARM, duration=0.1), {"q.shoulder": angles}, **options)
        assert again.messages == study.messages  # nothing is made again, in this process either


def at_the_end(run: bough.Trajectory) -> dict[str, float]:
    return {"end": run.q[-1, 0]}


def dies() -> None:
    os._exit(1)


def test_processes_that_cannot_start_are_told() -> None:
    pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=dies)
    with pool as executor, pytest.raises(bough.BoughError) as caught:
        bough.ensemble(bough.Problem(ARM, duration=0.1), {"q.shoulder": [1.0]}, executor=executor)
    assert caught.value.found.startswith("its processes die before they do anything: ")


class Deferred:
    """An executor of another library, whose futures are its own."""

    def submit(self, *task: Any) -> str:
        return "later"


def shut() -> ThreadPoolExecutor:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    return executor


@pytest.mark.parametrize(
    ("executor", "found", "do"),
    [
        (
            4,
            "neither an executor, a client or cluster of Dask nor the address of a scheduler",
            "give concurrent",
        ),
        ("threads", "a text that is not the address of a scheduler", "give it like 'tcp://host:8786'"),
        (
            ProcessPoolExecutor,
            "the class ProcessPoolExecutor, not an executor made of it",
            "give ProcessPoolExecutor()",
        ),
        (shut(), "it takes no tasks: cannot schedule new futures after shutdown", "make the study while"),
        (Deferred(), "its submit() returns 'later', not a future of concurrent.futures", "give concurrent"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_executors_are_refused(executor: Any, found: str, do: str) -> None:
    with pytest.raises(bough.BoughError) as caught:
        bough.ensemble(bough.Problem(ARM, duration=0.1), {"q.shoulder": [1.0]}, executor=executor)
    assert caught.value.asked.startswith("executor=")
    assert caught.value.found == found
    assert caught.value.do.startswith(do)
