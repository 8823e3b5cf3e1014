"""An ensemble on a Dask cluster of processes: the bits of threads, also if a worker or the client is killed."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import bough

cloudpickle = pytest.importorskip("cloudpickle")
distributed = pytest.importorskip("distributed")
pytest.importorskip("zarr")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages that Dask consists of

PATIENCE = 600.0  # s, after which a test gives up
# What this process, a client in another one and the workers share. `kept` writes down each run that it is called for.
STUDY = """
import os, time
import numpy as np
import bough
from bough.studies import ensemble as study_module

study_module.CHUNK_STEPS = {chunk_steps}
system = bough.System("pendulum")
system.world.ry("angle").tz(-system.parameter("length", 1.0), name="bob", mass=1.0)
problem = bough.Problem(system.build(), duration=0.1, dt=0.01, every=10)
axes = {{"q.angle": np.linspace(-3.0, 3.0, {angles}), "parameter.length": np.linspace(0.9, 1.1, {lengths})}}


def kept(run):
    time.sleep({pause})
    with open({log!r}, "ab", buffering=0) as log:
        log.write(b"%r %r\\n" % (float(run.q[0, 0]), run.model.parameters["length"]))
    if run.q[0, 0] > 2.5:
        raise ValueError("too far")
    return {{"end": run.q[-1, 0]}}
"""
CLIENT = """
import sys
sys.path.insert(0, {folder!r})
import cloudpickle, study
cloudpickle.register_pickle_by_value(study)
import bough
bough.ensemble(study.problem, study.axes, keep={keep}, store={store!r}, executor={address!r})
"""


class Shared:
    """A study in a module of its own, with the log of its calls and the path of its store."""

    def __init__(self, folder: Path, **numbers: Any) -> None:
        self.folder, self.log, self.store = folder, folder / "log", folder / "study.zarr"
        path = folder / "study.py"
        path.write_text(STUDY.format(log=str(self.log), **numbers), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("study", path)
        assert spec is not None
        assert spec.loader is not None
        self.module: ModuleType = importlib.util.module_from_spec(spec)
        sys.modules["study"] = self.module
        spec.loader.exec_module(self.module)
        cloudpickle.register_pickle_by_value(self.module)

    def close(self) -> None:
        cloudpickle.unregister_pickle_by_value(self.module)
        del sys.modules["study"]

    def ensemble(self, keep: Callable[..., Any] | None, **options: Any) -> bough.Ensemble:
        return bough.ensemble(self.module.problem, self.module.axes, keep=keep, **options)

    def calls(self) -> Counter[bytes]:
        """How often each run was made."""
        return Counter(self.log.read_bytes().splitlines() if self.log.exists() else [])

    def chunks(self) -> int:
        """The number of chunks that are stored."""
        return sum(1 for path in (self.store / "status").rglob("c/*") if path.is_file())

    def wait_for(self, chunks: int) -> None:
        end = time.monotonic() + PATIENCE
        while self.chunks() < chunks:
            assert time.monotonic() < end, f"{self.chunks()} of {chunks} chunks"
            time.sleep(0.02)

    def client(self, address: str, keep: str) -> subprocess.Popen[bytes]:
        script = CLIENT.format(folder=str(self.folder), store=str(self.store), address=address, keep=keep)
        return subprocess.Popen([sys.executable, "-W", "ignore", "-c", script])


OPTIONS = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "host": "127.0.0.1"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(2, **OPTIONS) as started:
        yield started


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    from bough.studies import ensemble as study_module

    monkeypatch.setattr(study_module, "CHUNK_STEPS", 100)  # set by the study itself; here to be restored
    study = Shared(tmp_path, chunk_steps=100, angles=60, lengths=2, pause=0.004)
    yield study
    study.close()


def check(shared: Shared, study: bough.Ensemble) -> None:
    """The results of threads, bit for bit; runs whose chunks were lost are made twice, none oftener."""
    calls = shared.calls()
    expected = shared.ensemble(shared.module.kept, workers=2)
    assert (study.status == expected.status).all()
    assert study["end"].tobytes() == expected["end"].tobytes()
    assert study.messages == expected.messages
    assert set(study.messages.values()) == {"ValueError: too far"}
    assert len(calls) == len(study)
    twice = [run for run, times in calls.items() if times > 1]
    assert len(twice) <= 2 * 10  # what two workers had in hand, in chunks of ten


def test_a_killed_worker_changes_nothing(cluster: Any, shared: Shared) -> None:
    with distributed.Client(cluster) as client:
        (first, *_) = client.run(os.getpid).values()

        def kill() -> None:
            shared.wait_for(2)
            os.kill(first, signal.SIGKILL)

        killer = Thread(target=kill)
        killer.start()
        study = shared.ensemble(shared.module.kept, store=shared.store, executor=client)
        killer.join()
        assert first not in client.run(os.getpid).values()
        check(shared, study)
        other = shared.module.problem.replace(dt=0.005)
        with pytest.raises(bough.BoughError, match="a store of another problem"):
            bough.ensemble(
                other, shared.module.axes, keep=shared.module.kept, store=shared.store, executor=client
            )


def test_a_killed_client_is_resumed(cluster: Any, shared: Shared) -> None:
    process = shared.client(cluster.scheduler_address, "study.kept")
    try:
        shared.wait_for(2)
    finally:
        process.kill()
        process.wait()
    assert shared.chunks() < 12
    study = shared.ensemble(shared.module.kept, store=shared.store, executor=cluster.scheduler_address)
    check(shared, study)
    before = shared.calls()
    again = shared.ensemble(shared.module.kept, store=shared.store, executor=cluster)
    assert again["end"].tobytes() == study["end"].tobytes()
    assert shared.calls() == before


def test_balls_contacts_and_strings_have_the_bits_of_threads(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A box on a string that falls on a floor: what runs one after the other."""
    from bough.studies import ensemble as study_module

    monkeypatch.setattr(study_module, "CHUNK_STEPS", 60)
    system = bough.System("box")
    box = system.world.floating("box", name="box", mass=1.0, inertia=(0.02, 0.03, 0.04))
    corner = box.tx(0.1).ty(0.1).tz(0.1, name="corner")
    bounce = system.parameter("bounce", 0.5)
    system.add(bough.Contact(box, bough.Box((0.2, 0.2, 0.2)), friction=0.4, restitution=bounce, name="floor"))
    system.add(bough.String(system.world.tz(1.5, name="hook"), corner, length=1.4, name="string"))
    problem = bough.Problem(system.build(), {"box_tz": 0.3}, {"box_wx": 2.0}, duration=0.3, dt=0.01)
    axes = {"v.box_tx": [0.0, 0.5], "parameter.bounce": [0.0, 0.6]}
    expected = bough.ensemble(problem, axes)
    assert expected.failed == []
    assert (expected.end("q.box_qx") != 0.0).all()
    with distributed.Client(cluster) as client:
        found = bough.ensemble(problem, axes, executor=client)
    assert found.q.tobytes() == expected.q.tobytes()
    assert found.p.tobytes() == expected.p.tobytes()


@pytest.mark.verify
def test_a_million_runs(cluster: Any, tmp_path: Path) -> None:
    """Short runs in lanes; a worker and the client are killed in the middle, and another client goes on."""
    shared = Shared(tmp_path, chunk_steps=200_000, angles=100_000, lengths=10, pause=0.0)
    try:
        process = shared.client(cluster.scheduler_address, "None")
        try:
            shared.wait_for(10)
            with distributed.Client(cluster) as client:
                (first, *_) = client.run(os.getpid).values()
            os.kill(first, signal.SIGKILL)
            shared.wait_for(18)
        finally:
            process.kill()
            process.wait()
        assert shared.chunks() < 50
        study = shared.ensemble(None, store=shared.store, executor=cluster.scheduler_address)
        expected = shared.ensemble(None)
        assert study.failed == expected.failed == []
        assert (study.status == "finished").all()
        assert study.q.tobytes() == expected.q.tobytes()
        assert study.p.tobytes() == expected.p.tobytes()
    finally:
        shared.close()


@pytest.mark.verify
def test_no_scheduler_answers() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    problem = bough.Problem(system.build(), duration=0.1, dt=0.01)
    with pytest.raises(bough.BoughError) as caught:
        bough.ensemble(problem, {"q.angle": np.linspace(0, 1, 3)}, executor="tcp://127.0.0.1:9")
    assert caught.value.asked == "executor='tcp://127.0.0.1:9' of an ensemble"
    assert caught.value.found.startswith("no scheduler answers there: ")


def kills_its_worker(run: bough.Trajectory) -> dict[str, float]:
    if run.q[0, 0] == 0.5:
        os._exit(1)
    return {"end": run.q[-1, 0]}


@pytest.mark.verify
def test_a_run_that_kills_its_workers_is_a_row() -> None:
    """Dask gives up a task when its worker dies, here the first time; the others of its chunk are made all the same."""
    import dask

    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    problem = bough.Problem(system.build(), duration=0.1, dt=0.01)
    angles = np.arange(0, 80) / 16.0
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        with (
            dask.config.set({"distributed.scheduler.allowed-failures": 0}),
            distributed.LocalCluster(2, **OPTIONS) as cluster,
            distributed.Client(cluster) as client,
        ):
            study = bough.ensemble(problem, {"q.angle": angles}, keep=kills_its_worker, executor=client)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert study.failed == [(8,)]
    assert study.messages[8,].startswith("the process that made this run died: KilledWorker: ")
    fine = angles != 0.5
    expected = bough.ensemble(problem, {"q.angle": angles[fine]}, keep=lambda run: {"end": run.q[-1, 0]})
    assert study["end"][fine].tobytes() == expected["end"].tobytes()


def test_a_client_that_is_closed_is_refused(cluster: Any) -> None:
    with distributed.Client(cluster) as client:
        pass
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    with pytest.raises(bough.BoughError) as caught:
        bough.ensemble(bough.Problem(system.build(), duration=0.1), {"q.angle": [0.1]}, executor=client)
    assert caught.value.found == "it is closed"
