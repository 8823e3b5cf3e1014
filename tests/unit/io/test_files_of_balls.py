"""Models and runs with balls in files, pickles and tables."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import bough
from support.balls import branched, floating_arm, state_of


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    model = floating_arm().build()
    q, v = state_of(model, 3)
    return bough.simulate(model, q=q, v=v, duration=0.1, dt=0.01)


def same(a: bough.Trajectory, b: bough.Trajectory) -> None:
    for name in ("t", "q", "v", "p"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_array_equal(a.rotation("shoulder").as_matrix(), b.rotation("shoulder").as_matrix())
    assert a.model.digest == b.model.digest


def test_a_run(run: bough.Trajectory, tmp_path: Path) -> None:
    """What is read, unpickled or copied is the run, and goes on as it would have."""
    read = bough.load_trajectory(run.save(tmp_path / "run.npz"))
    for found in (read, pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        same(found, run)
        same(found.rerun(), run)


def test_an_integrator() -> None:
    """A pickled one makes the same next steps, history included."""
    model = floating_arm().build()
    vi = bough.MidpointVI(model, 0.01)
    state = vi.start(*state_of(model, 4))
    for _ in range(12):
        state = vi.step(state)
    again, there = pickle.loads(pickle.dumps((vi, state)))
    for _ in range(3):
        state, there = vi.step(state), again.step(there)
        np.testing.assert_array_equal(there.q, state.q)
        np.testing.assert_array_equal(there.p, state.p)


def test_tables(run: bough.Trajectory, tmp_path: Path) -> None:
    """Columns of q by coordinates, of v by variables."""
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(run.save(tmp_path / "run.nc")) as data:
        assert tuple(data["coordinate"].values) == run.model.coordinates
        assert tuple(data["variable"].values) == run.model.variables
        np.testing.assert_array_equal(data["q"].sel(coordinate="base_qz").values, run["base_qz"])
        np.testing.assert_array_equal(data["v"].sel(variable="base_wz").values, run["v.base_wz"])
    frame = run.to_pandas()
    np.testing.assert_array_equal(frame["q.shoulder_qw"], run["shoulder_qw"])
    np.testing.assert_array_equal(frame["v.shoulder_wx"], run["v.shoulder_wx"])


def test_a_model_with_its_start(tmp_path: Path) -> None:
    system = branched()
    system.start = bough.Start(q={"hand": (0.6, 0.0, 0.8, 0.0), "elbow": 0.2}, v={"trunk": (0.1, 0.2, 0.3)})
    bough.save(system, tmp_path / "branched.sexp")
    model, read = system.build(), bough.load(tmp_path / "branched.sexp").build()
    assert read.digest == model.digest
    first, second = (bough.simulate(x, duration=0.05, dt=0.01) for x in (model, read))
    np.testing.assert_array_equal(first.q, second.q)
    np.testing.assert_array_equal(first["hand"][0], (0.6, 0.0, 0.8, 0.0))
    for found in (pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(system)).build()):
        assert found.digest == model.digest
        np.testing.assert_array_equal(bough.simulate(found, duration=0.05, dt=0.01).q, first.q)
