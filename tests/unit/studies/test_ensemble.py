"""Ensembles: every run is that of `Problem.run` bit for bit, on any executor; failed runs are rows."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.studies import ensemble as study_module
from support.messages import Case, check_message


def arm() -> bough.System:
    """Two links with a length to choose, damped and driven."""
    system = bough.System("arm")
    length = system.parameter("length", 1.0)
    elbow = system.world.ry("shoulder").tz(-length, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-0.5 * length, name="tip", mass=system.parameter("load", 0.5))
    system.add(bough.Damping(0.02))
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    return system


def loop() -> bough.System:
    """A pendulum of two links whose tip slides on a rail of prescribed height."""
    system = bough.System("loop")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    tip = elbow.ry("b").tz(-system.parameter("length", 1.0), name="tip", mass=1.0)
    rail = system.world.tz(-1.0).tz(bough.kinematic("height"), name="rail")
    system.add(bough.PointConstraint(tip, rail, axis=(0, 0, 1)))
    return system


@dataclass(frozen=True)
class Pull(bough.Potential):
    """A user's potential."""

    stiffness: float

    def energy(self, at: Any) -> Any:
        return self.stiffness * at.q["shoulder"] ** 2

    def gradient(self, at: Any) -> Any:
        return {"shoulder": 2 * self.stiffness * at.q["shoulder"]}

    def hessian(self, at: Any) -> Any:
        return {("shoulder", "shoulder"): 2 * self.stiffness}


def own_element() -> bough.Model:
    system = arm()
    system.add(Pull(system.parameter("pull", 2.0)))
    return system.build()


def top() -> bough.System:
    """A floating body with an arm on a ball."""
    system = bough.System("top")
    hull = system.world.floating("hull", name="hull", mass=1.0, inertia=(0.1, 0.2, 0.3))
    hull.tx(0.4).ball("shoulder").tz(
        -0.3, name="hand", mass=system.parameter("load", 0.2), inertia=(0.01,) * 3
    )
    return system


def hopper() -> bough.System:
    """A ball on a string that bounces on a floor, beside a stop: contacts of three kinds."""
    system = bough.System("hopper")
    ball = system.world.tx("x").tz("z", name="ball", mass=1.0)
    bounce = system.parameter("bounce", 0.7)
    system.add(bough.PlaneContact(ball, radius=0.1, friction=0.3, restitution=bounce, name="floor"))
    system.add(bough.String(system.world.tz(2.0, name="hook"), ball, length=1.95, name="string"))
    system.add(bough.JointLimit("x", upper=0.5))
    return system


def climbing(t: float) -> float:
    return 0.1 * t


ARM = arm().build()
LOOP = loop().build()
TOP = top().build()
HOPPER = hopper().build()
ANGLES = [-1.2, 0.3, 0.8]
AB = [LOOP.assemble(q={"a": a, "b": -2 * a}).q for a in (0.4, 0.6)]
CASES: dict[str, tuple[Callable[[], bough.Problem], dict[str, Any]]] = {
    "starts": (
        lambda: bough.Problem(ARM, v={"forearm": 1.0}, duration=0.5, dt=0.01, every=7),
        {"q.shoulder": ANGLES, "v.shoulder": [0.0, 2.0]},
    ),
    "rows": (
        lambda: bough.Problem(ARM, duration=0.5, dt=0.01),
        {"q": [[0.1, 0.2], [0.3, -0.4]], "v": [[0, 0], [1, 2]]},
    ),
    "momenta": (
        lambda: bough.Problem(ARM, p=[0.5, 0.1], duration=0.5),
        {"q.shoulder": ANGLES, "p.forearm": [0, 1]},
    ),
    "inputs": (lambda: bough.Problem(ARM, {"shoulder": 1.0}, duration=0.3), {"u.torque": [0.0, 2.0, -1.0]}),
    "short last step": (lambda: bough.Problem(ARM, duration=0.305, dt=0.01, every=4), {"q.forearm": ANGLES}),
    "changing inputs": (
        lambda: bough.Problem(ARM, u={"torque": np.sin}, duration=0.3),
        {"q.shoulder": ANGLES, "parameter.length": [0.8, 1.2]},
    ),
    "parameters": (
        lambda: bough.Problem(ARM, {"shoulder": 1.0}, {"forearm": -1.0}, duration=0.3),
        {"parameter.length": [0.7, 1.0, 1.3], "parameter.load": [0.1, 2.0]},
    ),
    "trapezoidal": (
        lambda: bough.Problem(ARM, duration=0.3, integrator="trapezoidal", order=4),
        {"q.shoulder": ANGLES},
    ),
    "constraints": (
        lambda: bough.Problem(LOOP, AB[0], k={"height": climbing}, duration=0.3),
        {"v.a": [0.0, 0.5]},
    ),
    "constrained starts": (lambda: bough.Problem(LOOP, AB[0], duration=0.3), {"q": AB}),
    "order 4": (lambda: bough.Problem(ARM, duration=0.3, order=4), {"q.shoulder": ANGLES}),
    "rk4": (lambda: bough.Problem(ARM, duration=0.3, integrator="rk4"), {"q.shoulder": ANGLES}),
    "feedback": (
        lambda: bough.Problem(ARM, u=lambda t, state: [-state.q[0]], duration=0.3),
        {"q.shoulder": ANGLES},
    ),
    "user's element": (
        lambda: bough.Problem(own_element(), duration=0.3),
        {"q.shoulder": ANGLES, "parameter.pull": [1.0, 3.0]},
    ),
    "kinematic": (lambda: bough.Problem(LOOP, AB[0], duration=0.1, assemble=True), {"q.height": [0.0, 0.05]}),
    "balls": (
        lambda: bough.Problem(TOP, v={"hull_wx": 5.0, "hull_wy": 0.1}, duration=0.1),
        {"q": [TOP.neutral(), TOP.random(np.random.default_rng(1))], "v.shoulder_wz": [0.0, 2.0]},
    ),
    "loads on balls": (
        lambda: bough.Problem(TOP, v={"hull_wx": 5.0}, duration=0.1),
        {"parameter.load": [0.1, 0.3], "q.hull_tx": [0.0, 1.0]},
    ),
    "contacts": (
        lambda: bough.Problem(HOPPER, {"z": 0.5}, {"x": 1.0}, duration=0.8),
        {"q.z": [0.15, 0.6], "v.x": [0.0, 2.0], "parameter.bounce": [0.0, 0.9]},
    ),
}
HARD = ("balls", "contacts", "constraints", "user's element")  # what runs one after the other


@pytest.mark.parametrize("name", CASES)
def test_runs_are_those_of_the_problem(name: str) -> None:
    make, axes = CASES[name]
    problem = make()
    study = bough.ensemble(problem, axes, workers=2)
    assert study.failed == []
    assert study.shape == tuple(len(values) for values in axes.values())
    for index in np.ndindex(study.shape):
        run = study.rerun(index)
        assert (study.q[index] == run.q).all()
        assert (study.p[index] == run.p).all()
        assert (study.v[index] == run.v).all()
        assert (study.t == run.t).all()
    alone = bough.ensemble(problem, axes, workers=1)
    assert (alone.q == study.q).all()
    assert (alone.p == study.p).all()


def highest(run: bough.Trajectory) -> dict[str, Any]:
    return {"height": run.pose("tip")[:, 2, 3].max(), "energy": run.energy()[-1], "end": run.q[-1]}


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


def test_balls_have_names_in_results(tmp_path: Path) -> None:
    """A quaternion has four coordinates and three rates."""
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    problem = bough.Problem(TOP, v={"hull_wx": 5.0}, duration=0.1)
    study = bough.ensemble(problem, {"v.hull_wy": [0.1, 0.2]}, store=tmp_path / "top.zarr")
    assert study.q.shape == (2, 11, TOP.nq)
    assert study.v.shape == (2, 11, TOP.nv)
    assert study.end("q.hull_qx").tolist() == study.q[:, -1, TOP.coordinates.index("hull_qx")].tolist()
    assert study.end("v.shoulder_wx").tolist() == study.v[:, -1, TOP.variables.index("shoulder_wx")].tolist()
    data = study.to_xarray()
    assert data.q.dims == ("v.hull_wy", "time", "coordinate")
    assert (data.q.sel(coordinate="hull_qw").values == study.q[:, :, 3]).all()
    assert (data.v.sel(variable="hull_wx").values == study.v[:, :, 3]).all()
    with xarray.open_zarr(tmp_path / "top.zarr", consolidated=False) as stored:
        assert stored.q.dims == ("run", "time", "coordinate")
        assert (stored.q.values == study.q).all()


def lowest(t: float, state: bough.State) -> float:
    return float(state.q[0])


def test_events_end_runs() -> None:
    """An event ends each run of an ensemble as it ends the run alone."""
    lowest.terminal = True  # type: ignore[attr-defined]
    problem = bough.Problem(ARM, duration=2.0, dt=0.01, events=[lowest])
    study = bough.ensemble(problem, {"q.shoulder": [0.2, 0.6]}, keep=lambda run: {"end": run.t[-1]})
    assert study.failed == []
    for index in range(2):
        assert study["end"][index] == study.rerun(index).t[-1] < 1.0
    with pytest.raises(bough.ModelError, match="instants of their own"):
        bough.ensemble(problem, {"q.shoulder": [0.2, 0.6]})


def test_samples() -> None:
    problem = bough.Problem(ARM, duration=0.1)
    rows = [{"q.shoulder": 0.1, "parameter.length": 1.0}, {"q.shoulder": 0.7, "parameter.length": 1.4}]
    study = bough.ensemble(problem, samples=rows)
    columns = bough.ensemble(problem, samples={name: [row[name] for row in rows] for name in rows[0]})
    assert study.dims == ("run",)
    assert (study.q == columns.q).all()
    assert (study.q[1] == study.rerun(1).q).all()
    assert study.problem_at(1).model.parameters["length"] == 1.4


def fails_above(run: bough.Trajectory) -> dict[str, Any]:
    if run.q[0, 0] > 0.5:
        raise ZeroDivisionError("too high")
    return {"end": run.q[-1, 0]}


def test_failed_runs_are_rows() -> None:
    problem = bough.Problem(ARM, duration=0.1)
    study = bough.ensemble(
        problem, {"parameter.load": [1.0, -1.0, 2.0], "q.shoulder": [0.1, 0.9]}, keep=fails_above
    )
    assert study.failed == [(0, 1), (1, 0), (1, 1), (2, 1)]
    assert study.messages[0, 1] == "ZeroDivisionError: too high"
    assert study.messages[1, 0] == study.messages[1, 1]
    assert "mass is negative" in study.messages[1, 1]
    assert study.status.tolist() == [["finished", "failed"], ["failed", "failed"], ["finished", "failed"]]
    assert np.isnan(study["end"]).tolist() == [[False, True], [True, True], [False, True]]
    assert study.summary("end")["max"] == np.nanmax(study["end"])
    with pytest.raises(bough.ModelError, match="mass is negative"):
        study.rerun((1, 0))


def test_a_start_off_the_constraints_is_a_row() -> None:
    study = bough.ensemble(bough.Problem(LOOP, AB[0], duration=0.1), {"q": [AB[0], [0.4, 0.4, 0.0]]})
    assert study.failed == [(1,)]
    assert "does not meet constraint" in study.messages[1,]
    assert np.isnan(study.q[1]).all()


def test_a_step_that_fails_keeps_the_rows_before() -> None:
    system = bough.System("kepler", gravity=None)
    body = system.world.tx("x").ty("y", name="body", mass=1.0)
    system.add(bough.CentralGravity("world", body, mu=1.0))
    problem = bough.Problem(system.build(), {"x": 1.0}, duration=3.0, dt=0.01, max_halvings=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.CoarseStepWarning)
        study = bough.ensemble(problem, {"v.y": [1.0, 0.0]})  # a circle, and a fall into the centre
    run = study.rerun(1, on_failure="stop")
    assert study.failed == [(1,)]
    assert study.messages[1,].startswith(f"step {run.statistics['steps'] + 1} of 300, from t = ")
    rows = len(run.t)
    assert (study.q[1, :rows] == run.q).all()
    assert np.isnan(study.q[1, rows:]).all()


def test_long_steps_are_told_once() -> None:
    problem = bough.Problem(bough.gallery.pendulum(5).build(), duration=10.0, dt=0.05)
    with pytest.warns(bough.CoarseStepWarning, match="of 1 of 2 runs of 'pendulum") as told:
        study = bough.ensemble(problem, {"q": [[1.5, -2.0, 1.0, 3.0, -2.0], [0.01] * 5]})
    assert len(told) == 1
    assert study.statistics["coarse"] == 1
    with pytest.warns(bough.CoarseStepWarning):
        study.rerun(0)
    study.rerun(1)


def test_ctrl_c_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "CHUNK_STEPS", 20)
    monkeypatch.setattr(study_module, "PARTS", 1)

    def keep(run: bough.Trajectory) -> dict[str, Any]:
        if run.q[0, 0] == 5.0:
            raise KeyboardInterrupt
        return {"start": run.q[0, 0]}

    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    with pytest.raises(KeyboardInterrupt) as caught:
        bough.ensemble(problem, {"q.shoulder": np.arange(10.0)}, keep=keep)
    study = caught.value.ensemble  # type: ignore[attr-defined]
    assert study.status.tolist() == ["finished"] * 4 + ["missing"] * 6
    assert study["start"][:4].tolist() == [0.0, 1.0, 2.0, 3.0]


INTERRUPTED = """
import sys
import numpy as np
import bough
from bough.studies import ensemble as study_module

study_module.CHUNK_STEPS = 500_000
system = bough.System("pendulum")
system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
problem = bough.Problem(system.build(), duration=10.0, dt=0.01, every=1000)
first = True


def told(study):
    print(study.statistics["runs"], np.isfinite(study.q).all(axis=(1, 2)).sum(), flush=True)


class Tell:  # after the first chunk
    def __init__(self, *given, **options): pass
    def update(self, done, note=""): print("go", flush=True)
    def close(self): pass


study_module.Progress = Tell
try:
    told(bough.ensemble(problem, {"q.angle": np.linspace(0, 1, 50_000)}, **eval(sys.argv[1])))
except KeyboardInterrupt as stopped:
    told(stopped.ensemble)
"""


@pytest.mark.parametrize("stored", [False, True])
def test_a_signal_keeps_what_is_done(stored: bool, tmp_path: Path) -> None:
    """Ctrl-C while the core runs on two threads."""
    options: dict[str, Any] = {"workers": 2}
    if stored:
        pytest.importorskip("zarr")
        options["store"] = str(tmp_path / "s.zarr")
    words = [sys.executable, "-c", INTERRUPTED, repr(options)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        process.send_signal(signal.SIGINT)
        *_, last = process.stdout.read().splitlines()
        assert process.wait(60) == 0
    done, finite = map(int, last.split())
    assert done == finite
    assert 0 < done < 50_000


def test_the_bar_tells_runs_failures_and_steps(capsys: pytest.CaptureFixture[str]) -> None:
    problem = bough.Problem(ARM, duration=0.1)
    bough.ensemble(problem, {"parameter.load": [1.0, -1.0, 2.0]}, progress=True)
    told = capsys.readouterr().err
    assert "arm: ensemble" in told
    assert re.search(r"3 of 3 runs, 1 failed, [\d,]+ steps/s", told)


def test_xarray_and_plots() -> None:
    problem = bough.Problem(ARM, duration=0.1)
    study = bough.ensemble(problem, {"q.shoulder": ANGLES, "parameter.length": [0.8, 1.2]})
    data = study.to_xarray()
    assert data.q.dims == ("q.shoulder", "parameter.length", "time", "variable")
    part = data.q.sel({"q.shoulder": 0.3, "parameter.length": 1.2, "variable": "forearm"})
    assert (part.values == study.q[1, 1, :, 1]).all()
    axes = study.plot("q.forearm").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("q.shoulder", "parameter.length")
    shown = axes.collections[0].get_array()
    assert (np.asarray(shown).ravel() == study.q[:, :, -1, 1].T.ravel()).all()
    line = bough.ensemble(problem, {"q.shoulder": ANGLES}, keep=highest).plot("height").axes[0].lines[0]
    assert line.get_xdata().tolist() == ANGLES
    table = bough.ensemble(problem, samples={"q.shoulder": ANGLES}, keep=highest).plot("height").axes[0]
    assert sum(bar.get_height() for bar in table.patches) == 3


# --- stores ---


def calls(run: bough.Trajectory) -> dict[str, Any]:
    COUNTED.append(float(run.q[0, 0]))
    if STOP and run.q[0, 0] == STOP[0]:
        raise KeyboardInterrupt
    return {"end": run.q[-1, 0]}


COUNTED: list[float] = []
STOP: list[float] = []


def test_a_store_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    monkeypatch.setattr(study_module, "CHUNK_STEPS", 30)
    monkeypatch.setattr(study_module, "PARTS", 1)
    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    axes = {"q.shoulder": np.arange(1.0, 11.0), "parameter.length": [0.9, 1.1]}
    path = tmp_path / "study.zarr"
    STOP[:], COUNTED[:] = [6.0], []
    with pytest.raises(KeyboardInterrupt):
        bough.ensemble(problem, axes, keep=calls, store=path)
    STOP.clear()
    stored = (len(COUNTED) - 1) // 3 * 3
    COUNTED.clear()
    study = bough.ensemble(problem, axes, keep=calls, store=path)
    assert len(COUNTED) == 20 - stored  # nothing that was stored is made again
    expected = bough.ensemble(problem, axes, keep=calls)
    assert (study["end"] == expected["end"]).all()
    assert study.names == ("end",)
    COUNTED.clear()
    assert (bough.ensemble(problem, axes, keep=calls, store=path)["end"] == expected["end"]).all()
    assert COUNTED == []
    with xarray.open_zarr(path, consolidated=False) as data:
        assert (data["end"].values == expected["end"].ravel()).all()
        assert (data["parameter.length"].values == np.tile([0.9, 1.1], 10)).all()
        assert (data["status"].values == 1).all()
    others = (
        (problem.replace(dt=0.02), axes, calls, "another problem: start, drive or settings differ"),
        (problem, {**axes, "parameter.length": [0.9, 1.2]}, calls, "other axes or samples"),
        (problem, axes, highest, "another function keep="),
        (problem.replace(model=ARM.with_parameters(load=3.0)), axes, calls, "another model"),
    )
    for other, varied, keep, found in others:
        with pytest.raises(bough.BoughError, match=found):
            bough.ensemble(other, varied, keep=keep, store=path)


class Integral:
    """A controller with a memory."""

    def __init__(self, gain: float) -> None:
        self.gain = gain
        self.sum = 0.0

    def reset(self) -> None:
        self.sum = 0.0

    def __call__(self, t: float, state: bough.State) -> list[float]:
        self.sum += 0.01 * state.q[0]
        return [-self.gain * self.sum]


def constant(gain: float) -> Callable[[float, bough.State], list[float]]:
    return lambda t, state: [-gain * state.q[0]]


def test_a_controller_with_a_memory_starts_anew_in_each_run(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem = bough.Problem(ARM, {"shoulder": 1.0}, u=Integral(20.0), duration=0.5)
    axes = {"q.shoulder": [0.4, 0.8, 0.4]}
    alone = problem.replace(q={"shoulder": 0.4}).run()
    assert alone.u[0, 0] != alone.u[10, 0] != 0.0
    study = bough.ensemble(problem, axes)
    assert (study.q[0] == alone.q).all()
    assert (study.q[2] == alone.q).all()
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        assert bough.ensemble(problem, axes, executor=processes).q.tobytes() == study.q.tobytes()
    stored = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    again = bough.ensemble(
        problem, axes, store=tmp_path / "s.zarr"
    )  # the memory makes no other problem of it
    assert again.q.tobytes() == stored.q.tobytes() == study.q.tobytes()
    with ThreadPoolExecutor(2) as threads, pytest.raises(bough.BoughError) as caught:
        bough.ensemble(problem, axes, executor=threads)
    assert "a controller with a memory" in caught.value.found


def test_controllers_are_an_axis(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem = bough.Problem(ARM, {"shoulder": 1.0}, duration=0.3)
    controllers = [constant(2.0), Integral(20.0), {"torque": 1.5}, [0.5], np.cos]
    axes = {"u": controllers, "parameter.load": [0.5, 1.0]}
    study = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    assert study.failed == []
    for i, u in enumerate(controllers):
        run = bough.simulate(ARM.with_parameters(load=1.0), {"shoulder": 1.0}, u=u, duration=0.3)
        assert (study.q[i, 1] == run.q).all()
    again = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    assert again.q.tobytes() == study.q.tobytes()
    with pytest.raises(bough.BoughError, match="other axes or samples"):
        bough.ensemble(problem, {**axes, "u": [constant(3.0), *controllers[1:]]}, store=tmp_path / "s.zarr")
    with pytest.raises(bough.ModelError, match="'u' gives all of them"):
        bough.ensemble(problem, {"u": controllers, "u.torque": [1.0]})
    with ProcessPoolExecutor(1) as executor, pytest.raises(bough.BoughError, match="axis 'u' of an ensemble"):
        bough.ensemble(problem, {"u": [Held()]}, executor=executor)


LEFT = """
import bough
system = bough.System("arm")
system.world.ry("a").tz(-1.0, mass=1.0)
system.add(bough.ConfigurationForce("a", "torque"))
problem = bough.Problem(system.build(), duration=0.1, dt=0.01)
study = bough.ensemble(problem, {"u": [lambda t, state: [1.0]]})
print(study.to_xarray().sizes["u"], study._repr_html_().count("<td>u</td>"))
"""


def test_a_study_of_controllers_is_collected() -> None:
    """A function of a program holds the program's names, the study among them: nothing of it is left at the end."""
    pytest.importorskip("xarray")
    made = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=True)
    assert made.stdout == "1 1\n"
    assert "leaked" not in made.stderr


def test_prescribed_motions_are_an_axis() -> None:
    problem = bough.Problem(LOOP, AB[0], duration=0.2)
    motions = [{"height": climbing}, {"height": np.zeros(21)}]
    study = bough.ensemble(problem, {"k": motions})
    assert study.failed == []
    for i, k in enumerate(motions):
        assert (study.q[i] == bough.simulate(LOOP, AB[0], k=k, duration=0.2).q).all()


def test_stores_tell_functions_apart(tmp_path: Path) -> None:
    """By their code and by what they hold: gains of controllers, of closures, of functions within functions."""
    pytest.importorskip("zarr")
    axes = {"q.shoulder": [0.4, 0.8]}
    for number, (first, second) in enumerate(
        (
            (Integral(2.0), Integral(3.0)),
            (constant(2.0), constant(3.0)),
            (lambda t, state: [-state.q[0]], lambda t, state: [-state.q[1]]),
            ({"torque": constant(2.0)}, {"torque": constant(3.0)}),
            (np.sin, np.cos),
        )
    ):
        path = tmp_path / f"{number}.zarr"
        problem = bough.Problem(ARM, u=first, duration=0.1)
        bough.ensemble(problem, axes, store=path)
        bough.ensemble(problem, axes, store=path)
        with pytest.raises(bough.BoughError, match="another problem"):
            bough.ensemble(problem.replace(u=second), axes, store=path)


@pytest.mark.parametrize(("first", "second"), [(Integral(2.0), Integral(3.0)), (np.sin, np.cos)])
def test_stores_tell_controllers_of_an_axis_apart(first: Any, second: Any, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem, path = bough.Problem(ARM, q=[0.4, 0.1], duration=0.1), tmp_path / "study.zarr"
    bough.ensemble(problem, {"u": [first]}, store=path)
    bough.ensemble(problem, {"u": [first]}, store=path)
    with pytest.raises(bough.BoughError, match="other axes or samples"):
        bough.ensemble(problem, {"u": [second]}, store=path)


def test_a_store_leaves_other_files_alone(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    problem, axes = bough.Problem(ARM, duration=0.1), {"q.shoulder": [0.4]}
    thesis = tmp_path / "mine" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("x")
    for path, found in (
        (thesis.parent, "a folder with other files, not a store"),
        (thesis, "a file, not a store"),
        (tmp_path / "other.zarr", "a Zarr group that is not an ensemble"),
    ):
        if path.suffix == ".zarr":
            zarr.open_group(path, mode="w")
        with pytest.raises(bough.BoughError, match=found):
            bough.ensemble(problem, axes, store=path)
    assert thesis.read_text() == "x"


def test_runs_with_functions_are_made_in_many_parts() -> None:
    """So that workers share them, and Ctrl-C keeps those that are made."""
    calls: list[float] = []

    def keep(run: bough.Trajectory) -> dict[str, float]:
        calls.append(run.t[-1])
        if len(calls) == 20:
            raise KeyboardInterrupt
        return {"end": run.q[-1, 0]}

    problem = bough.Problem(ARM, duration=0.1)
    with pytest.raises(KeyboardInterrupt) as caught:
        bough.ensemble(problem, {"q.shoulder": np.linspace(0.1, 0.9, 64)}, keep=keep)
    assert 10 <= (caught.value.ensemble.status == "finished").sum() < 20


def test_motions_in_a_store(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem = bough.Problem(ARM, duration=0.1, dt=0.01)
    axes = {"q.shoulder": ANGLES, "parameter.load": [1.0, -1.0]}
    study = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    expected = bough.ensemble(problem, axes)
    assert np.array_equal(study.q, expected.q, equal_nan=True)
    assert np.array_equal(study.v, expected.v, equal_nan=True)
    again = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    assert again.messages == study.messages == expected.messages


MANY = """
import sys
import numpy as np
import bough

system = bough.System("pendulum")
system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
problem = bough.Problem(system.build(), duration=0.1, dt=0.01, every=10)
study = bough.ensemble(problem, {"q.angle": np.linspace(0, 1, int(sys.argv[1]))}, store=sys.argv[2])
assert study.statistics["runs"] == int(sys.argv[1])
(line,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(line.split()[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the largest memory of a process")
@pytest.mark.parametrize(
    ("fewer", "more", "allowed"),
    [
        (20_000, 100_000, 8.0),  # the results themselves are 2.6 MiB
        pytest.param(100_000, 1_000_000, 48.0, marks=pytest.mark.verify),  # 32 MiB
    ],
)
def test_memory_is_bounded_by_a_store(tmp_path: Path, fewer: int, more: int, allowed: float) -> None:
    """Many runs take no more memory than few, but for their axis, some copies of it, and status, in MiB."""
    pytest.importorskip("zarr")
    largest = []
    for count in (fewer, more):
        words = [sys.executable, "-c", MANY, str(count), str(tmp_path / f"{count}.zarr")]
        made = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        largest.append(int(made.stdout) / 1024)
    assert largest[1] - largest[0] < allowed


# --- messages ---

PROBLEM = bough.Problem(ARM, duration=0.1)
WHERE = "an ensemble of model 'arm'"
ERRORS: list[Case] = [
    (
        lambda: bough.ensemble(ARM, {"q.shoulder": [1.0]}),  # type: ignore[arg-type]
        f"ensemble({ARM!r}, ...)",
        "not a problem",
        "give bough.Problem(model, q=..., duration=..., dt=...)",
    ),
    (
        lambda: bough.ensemble(PROBLEM),
        WHERE,
        "neither axes nor samples",
        "give axes such as {'q.angle': [0.1, 0.2]}, all combinations of which are run, or samples=table, one run"
        " for each row",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.sholder": [1.0]}),
        "variable 'sholder' in axis 'q.sholder' of an ensemble of model 'arm'",
        "no variable has this name; the nearest is 'shoulder'",
        "correct the spelling",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.shoulder": [1.0, float("nan")]}),
        "axis 'q.shoulder' in an ensemble of model 'arm'",
        "value 1 is nan",
        "give finite numbers",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.shoulder": []}),
        "axis 'q.shoulder' = [] in an ensemble of model 'arm'",
        "not one or more values",
        "give a list or an array, such as [0.1, 0.2]",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"k.shoulder": [1.0]}),
        "axis 'k.shoulder' in an ensemble of model 'arm'",
        "the model has no kinematic variables",
        "vary something else",
    ),
    (
        lambda: bough.ensemble(PROBLEM, samples={"q.shoulder": [1, 2], "v.shoulder": [1]}),
        "samples of an ensemble of model 'arm'",
        "columns of different lengths: q.shoulder 2, v.shoulder 1",
        "give each column as many values as there are runs",
    ),
    (
        lambda: bough.ensemble(PROBLEM, {"q.shoulder": [1.0]}, workers=0),
        "workers=0 in ensemble",
        "not a whole number above zero",
        "give the number of threads, or leave workers out for all cores",
    ),
    (
        lambda: bough.simulate(ARM, np.zeros((1000, 2)), duration=0.1),
        "q of a simulation of model 'arm'",
        "shape (1000, 2), but the model has 2 variables",
        "give 2 numbers, or a mapping from names to numbers; many starts are"
        " bough.ensemble(bough.Problem(...), {'q': rows})",
    ),
]


@pytest.mark.parametrize("case", ERRORS)
def test_messages(case: Case) -> None:
    check_message(*case)


def test_what_cannot_be_sent_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    lock = threading.Lock()  # which no pickle can hold
    with ProcessPoolExecutor(1) as executor, pytest.raises(bough.BoughError, match="keep of an ensemble"):
        bough.ensemble(PROBLEM, {"q.shoulder": [1.0]}, keep=lambda run: {"x": lock}, executor=executor)


class Held:
    """What no pickle can hold."""

    def __reduce__(self) -> Any:
        raise TypeError("held")

    def __call__(self, t: float) -> float:
        return t


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


def test_command_line(tmp_path: Path) -> None:
    bough.save(arm(), tmp_path / "arm.sexp")
    words = [
        "study",
        str(tmp_path / "arm.sexp"),
        "--over",
        "q.shoulder=-1:1:5",
        "--over",
        "parameter.length=0.8,1.0",
    ]
    words += ["--duration", "0.2", "--store", str(tmp_path / "s.zarr"), "--plot", str(tmp_path / "map.png")]
    words += ["--show", "q.forearm"]
    out = CliRunner().invoke(app, words)
    assert out.exit_code == 0, out.output
    assert "10 runs, 0 failed" in out.stdout
    assert (tmp_path / "map.png").stat().st_size > 1000
    study = bough.ensemble(
        bough.Problem(bough.load(tmp_path / "arm.sexp").build(), duration=0.2),
        {"q.shoulder": np.linspace(-1, 1, 5), "parameter.length": [0.8, 1.0]},
    )
    assert f"{np.mean(study.end('q.forearm')):.6g}" in out.stdout
    bad = CliRunner().invoke(app, ["study", str(tmp_path / "arm.sexp"), "--over", "q.shoulder"])
    assert bad.exit_code == 2
