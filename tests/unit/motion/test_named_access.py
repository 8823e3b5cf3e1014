"""Numbers by name: of states, of runs, of rows; and runs that are joined, interpolated, exported."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.named import Named


def arm() -> bough.Model:
    system = bough.System("arm")
    base = system.world.tx(bough.kinematic("slide"), name="base", mass=2.0)
    elbow = base.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    system.world.free("load", name="load", mass=0.3, inertia=(0.01, 0.01, 0.01))
    system.add(bough.PointConstraint("tip", "load", axes=np.eye(3), name="grip"))
    system.add(bough.ParallelConstraint("tip", "load", axis=(0, 1, 0), name="hold"))
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    return system.build()


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    return bough.simulate(
        arm(),
        {"shoulder": 0.8},
        u=lambda t: [np.sin(t)],
        k={"slide": lambda t: 0.1 * t},
        duration=0.3,
        assemble=True,
    )


# --- columns of a run ---


def test_columns(run: bough.Trajectory) -> None:
    model = run.model
    for i, name in enumerate(model.variables):
        assert np.array_equal(run[name], run.q[:, i])
        assert np.array_equal(run[f"q.{name}"], run.q[:, i])
        assert np.array_equal(run[f"v.{name}"], run.v[:, i])
    for i, name in enumerate(model.dynamic):
        assert np.array_equal(run[f"p.{name}"], run.p[:, i])
    for i, name in enumerate(model.constraints):
        assert np.array_equal(run[f"lam.{name}"], run.lam[:, i])
    assert np.array_equal(run["lam.grip"], run.lam[:, :3])
    assert np.array_equal(run["lam.hold"], run.lam[:, 3:])
    for name in ("grip", "hold"):  # all rows of a constraint, of a table and of one state
        assert np.array_equal(run.lam[name], run[f"lam.{name}"])
        assert np.array_equal(run[5].lam[name], run[f"lam.{name}"][5])
    assert np.array_equal(run["u.torque"], run.u[:, 0])
    assert np.array_equal(run["k.slide"], run.q[:, model.index("slide")])
    assert type(run["v.forearm"]) is np.ndarray


def test_a_variable_with_a_dot_is_itself() -> None:
    system = bough.System("dots")
    system.world.ry("v.a", mass=1.0, inertia=(1, 1, 1)).rx("a", mass=1.0, inertia=(1, 1, 1))
    run = bough.simulate(system.build(), {"v.a": 0.5}, {"a": 0.1}, duration=0.1)
    assert np.array_equal(run["v.a"], run.q[:, 0])
    assert np.array_equal(run["v.v.a"], run.v[:, 0])


@pytest.mark.parametrize(
    ("key", "asked", "found"),
    [
        ("v.fourarm", "variable 'fourarm' in run['v.fourarm'] of model 'arm'", "the nearest is 'forearm'"),
        (
            "p.slide",
            "dynamic variable 'slide' in run['p.slide'] of model 'arm'",
            "no dynamic variable has this name",
        ),
        ("u.torqe", "input 'torqe' in run['u.torqe'] of model 'arm'", "the nearest is 'torque'"),
        ("lam.gripp", "constraint 'gripp' in run['lam.gripp'] of model 'arm'", "'grip'"),
        ("k.shoulder", "kinematic variable 'shoulder' in run['k.shoulder'] of model 'arm'", "'slide'"),
        ("torque", "variable 'torque' in model 'arm'", "the nearest is 'u.torque'"),
        ("x.forearm", "variable 'x.forearm' in model 'arm'", "'forearm'"),
    ],
)
def test_unknown_names_list_the_nearest(run: bough.Trajectory, key: str, asked: str, found: str) -> None:
    with pytest.raises(bough.ModelError) as caught:
        run[key]
    assert caught.value.asked == asked
    assert found in caught.value.found
    assert caught.value.do


# --- states and tables ---


def test_states_take_names(run: bough.Trajectory) -> None:
    state, model = run[7], run.model
    assert state.p is not None
    assert state.lam is not None
    for i, name in enumerate(model.variables):
        assert state.q[name] == run.q[7, i]
        assert state.v[name] == run.v[7, i]
    for i, name in enumerate(model.dynamic):
        assert state.p[name] == run.p[7, i]
    for i, name in enumerate(model.constraints):
        assert state.lam[name] == run.lam[7, i]
    assert np.array_equal(run.v["forearm"], run["v.forearm"])
    assert np.array_equal(run.u["torque"], run["u.torque"])
    assert run.q[7]["forearm"] == run.q[3:9]["forearm"][4] == run["forearm"][7]
    with pytest.raises(bough.ModelError, match="the nearest is 'forearm'"):
        state.q["fourarm"]


@pytest.mark.parametrize("integrator", ["midpoint", "reduced", "rk4", "dop853", "velocity"])
def test_feedback_by_name(integrator: str) -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    model = system.build()
    runs = [
        bough.simulate(model, {"angle": 0.5}, u={"torque": u}, duration=0.2, integrator=integrator)
        for u in (lambda t, state: -state.q["angle"] - state.v["angle"], lambda t, s: -s.q[0] - s.v[0])
    ]
    assert runs[0] == runs[1]


def test_states_of_the_steps() -> None:
    model = arm()
    start = model.assemble({"shoulder": 0.8, "load_tz": -2.0})
    assert start.q["slide"] == 0.0
    vi = bough.MidpointVI(model, dt=0.01)
    state = vi.step(vi.start(q=start.q), {"torque": 0.1})
    assert state.q["shoulder"] == state.q[0]
    assert state.lam is not None
    assert state.lam[model.constraints[1]] == state.lam[1]
    copied = pickle.loads(pickle.dumps(state))
    assert copied == state
    assert copied.q["shoulder"] == state.q["shoulder"]
    assert vi.step(copied) == vi.step(state)


def test_named_arrays_are_arrays() -> None:
    q = bough.simulate(arm(), {"load_tz": -2.0}, assemble=True, duration=0.02).q
    row = q[0]
    plain = np.asarray(row)
    assert type(plain) is np.ndarray
    assert repr(row) == repr(plain)
    assert str(row) == str(plain)
    assert isinstance(row[0], float)
    assert isinstance(row.sum(), float)
    assert isinstance(row @ row, float)
    assert np.mean(row) == np.mean(plain)
    assert row.max() == plain.max()
    assert np.array_equal(np.linalg.norm(q, axis=1), np.linalg.norm(np.asarray(q), axis=1))
    assert (row - plain)["slide"] == 0.0  # element by element, names stay
    assert type(row[1:]) is np.ndarray
    assert type(row[::-1]) is np.ndarray
    assert type(q[:, 1]) is np.ndarray
    assert not row.flags.writeable
    changed = row.copy()
    changed["slide"] = 3.0
    assert changed[changed.tolist().index(3.0)] == 3.0
    assert row["slide"] == 0.0
    for other in (np.sort(row), np.roll(row, 1), row.reshape(1, -1), q.T):
        with pytest.raises(bough.ModelError, match="an array without names"):
            Named.__getitem__(other.view(Named), "slide")
    back = pickle.loads(pickle.dumps(row))
    assert back["slide"] == row["slide"]


def test_one_number_is_a_number(run: bough.Trajectory) -> None:
    """Not an array without axes, which is no key of a dictionary and no JSON."""
    state = run[-1]
    assert isinstance(state.q["forearm"], float)
    assert json.dumps({"q": state.q["forearm"]}) == json.dumps({"q": float(run["forearm"][-1])})


def test_a_state_without_a_model_has_no_names() -> None:
    with pytest.raises(bough.ModelError) as caught:
        bough.State(0.0, [1.0, 2.0]).q["a"]
    assert str(caught.value) == (
        "'a' of an array\n"
        "  found: an array without names: a part of another one, or of a state made without a model\n"
        "  do: use a number as index, or take the array from a state or a run of a model"
    )


# --- a run and its continuation ---


def pendulum(**frames: float) -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-frames.get("length", 1.0), name="bob", mass=1.0)
    return system.build()


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "rk4", "dop853", "velocity"])
def test_joined_runs_are_one(integrator: str, tmp_path: Path) -> None:
    model = pendulum()
    whole = bough.simulate(model, {"angle": 0.5}, duration=2.0, integrator=integrator)
    first = bough.simulate(model, {"angle": 0.5}, duration=1.0, integrator=integrator)
    more = bough.simulate(model, first[-1], duration=1.0, integrator=integrator)
    both = first + more
    assert len(both) == len(whole)
    # A start puts the joints of bodies together, which had come apart by 1e-5 m.
    atol = 1e-4 if integrator == "velocity" else 1e-9
    for name in ("t", "q", "v", "p", "u"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), rtol=0, atol=atol)
    assert (both.settings["t0"], both.settings["duration"], both.settings["steps"]) == (0.0, 2.0, 200)
    assert both.settings["joined"] == [first.settings, more.settings]
    assert both.statistics["steps"] == first.statistics["steps"] + more.statistics["steps"]
    loaded = bough.load_trajectory(both.save(tmp_path / "both.npz"))
    assert loaded == both
    assert (loaded.bodies is None) == (integrator != "velocity")
    assert loaded.rerun() == both.rerun() == both
    third = bough.simulate(model, both[-1], duration=0.5, dt=0.02, integrator=integrator)
    three = both + third
    assert three.settings["joined"] == [first.settings, more.settings, third.settings]
    assert (loaded + third).rerun() == three
    assert bough.load_trajectory((first + (more + third)).save(tmp_path / "three.npz")).rerun() == three
    with pytest.raises(bough.ModelError, match="a part of a run, or numbers that no simulation made"):
        (first[3:] + more).rerun()


def test_joined_runs_of_a_free_base() -> None:
    system = bough.System("free", gravity=None)
    base = system.world.free("base", mass=10.0, inertia=(1, 2, 3))
    base.tx(0.5).rz("joint").tx(1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    first = bough.simulate(model, v={"joint": 1.0}, duration=0.5, integrator="reduced")
    more = bough.simulate(model, first[-1], duration=0.5, integrator="reduced")
    whole = bough.simulate(model, v={"joint": 1.0}, duration=1.0, integrator="reduced")
    both = first + more
    assert isinstance(both, bough.ReducedTrajectory)
    np.testing.assert_allclose(both.g, whole.g, rtol=0, atol=1e-9)
    assert both.rerun() == both


@pytest.mark.parametrize("order", [2, 6])
def test_a_joined_run_is_rerun_with_the_drive_of_each_part(order: int, tmp_path: Path) -> None:
    system = bough.System("crane")
    system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    model = system.build()
    first = bough.simulate(
        model, u=lambda t: np.sin(9.0 * t), k=lambda t: 0.1 * np.sin(3.0 * t), duration=0.255, order=order
    )
    rail = float(first["rail"][-1])
    feedback = bough.simulate(
        model, first[-1], u=lambda t, state: -state.v[0], k={"rail": lambda t: rail}, duration=0.2, every=3,
        order=order,
    )  # fmt: skip
    both = first + feedback
    assert both.rerun() == both
    assert bough.load_trajectory(both.save(tmp_path / "both.npz")).rerun() == both


def test_the_parts_of_a_file_are_checked(tmp_path: Path) -> None:
    first = bough.simulate(pendulum(), {"angle": 0.5}, duration=0.1)
    both = first + bough.simulate(first.model, first[-1], duration=0.1)
    with np.load(both.save(tmp_path / "run.npz")) as file:
        arrays = dict(file)
    assert json.loads(arrays["header"].tobytes())["parts"] == [0, 10]

    def damaged(parts: Any, **changes: Any) -> str:
        header = {**json.loads(arrays["header"].tobytes()), "parts": parts}
        contents = {**arrays, "header": np.frombuffer(json.dumps(header).encode(), np.uint8), **changes}
        np.savez(tmp_path / "damaged.npz", **{name: x for name, x in contents.items() if x is not None})
        with pytest.raises(bough.ParseError) as caught:
            bough.load_trajectory(tmp_path / "damaged.npz")
        return caught.value.found

    assert damaged(3) == damaged(["a", "b"]) == "'parts' that are not a list of rows"
    for parts in ([1, 10], [0, 30], [10, 0], []):
        assert damaged(parts) == "'parts' that are not rows in their order, from the first on"
    assert damaged([0]) == "settings that are not those of the parts of a joined run"
    assert "10 instants that are not those of 10 steps of 0.01 s" in damaged([0, 9])
    assert damaged([0, 10], part1_inputs=None) == "no array 'part1_inputs'"
    assert "inputs of shape (7, 3)" in damaged([0, 10], part0_inputs=np.zeros((7, 3)))


def test_inputs_at_the_seam_are_those_of_the_next_step() -> None:
    system = bough.System("cart")
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationForce("x", "push"))
    model = system.build()
    first = bough.simulate(model, u={"push": 1.0}, duration=0.1)
    both = first + bough.simulate(model, first[-1], u={"push": 2.0}, duration=0.1)
    assert both.u[:, 0].tolist() == [1.0] * 10 + [2.0] * 11


@pytest.mark.parametrize(
    ("more", "found"),
    [
        (
            lambda run: bough.simulate(pendulum(length=2.0), run[-1], duration=0.1),
            "two models, 'pendulum' and",
        ),
        (lambda run: run, "the first ends at t = 0.1 s and the second begins at 0 s"),
        (
            lambda run: bough.simulate(run.model, {"angle": 0.3}, t0=0.1, duration=0.1),
            "q of 'angle' ends at",
        ),
        (
            lambda run: bough.simulate(run.model, run[-1].q, {"angle": 3.0}, t0=0.1, duration=0.1),
            "v of 'angle' ends at",
        ),
        (
            lambda run: bough.simulate(run.model, run[-1], duration=0.1, integrator="velocity"),
            "runs of two formulations",
        ),
    ],
)
def test_runs_that_do_not_fit_are_not_joined(more, found: str) -> None:
    run = bough.simulate(pendulum(), {"angle": 0.5}, duration=0.1)
    with pytest.raises(bough.ModelError) as caught:
        run + more(run)
    assert caught.value.asked == "run + more"
    assert found in caught.value.found
    assert caught.value.do.startswith("join a run and its continuation")


def test_only_runs_are_joined() -> None:
    with pytest.raises(TypeError):
        bough.simulate(pendulum(), duration=0.1) + 3  # type: ignore[operator]


# --- tables ---


def test_to_pandas(run: bough.Trajectory, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = run.to_pandas()
    assert table.index.name == "t"
    assert np.array_equal(table.index, run.t)
    for name in table.columns:
        symbol, _, label = name.partition(".")
        assert np.array_equal(table[name], run[f"{symbol}.{label}"])
    assert table.shape[1] == 2 * run.model.nq + run.model.nd + run.model.nc + run.model.nu
    read = pandas.read_csv(run.save(tmp_path / "run.csv"), index_col="t")
    pandas.testing.assert_frame_equal(
        read, table, rtol=1e-14, atol=0.0
    )  # pandas reads to the last bit but one


def test_message_without_pandas(run: bough.Trajectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(bough.BoughError) as caught:
        run.to_pandas()
    assert str(caught.value) == (
        "to_pandas() of a trajectory\n"
        "  found: the package pandas is not installed\n"
        "  do: install it: pip install 'bough[pandas]'"
    )


def test_version() -> None:
    from importlib.metadata import version

    assert bough.__version__ == version("bough")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy], ids=lambda f: f.__name__)
def test_copies_have_the_names(duplicate: Callable[[Any], Any]) -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    run = bough.simulate(system.build(), {"angle": 0.3}, duration=0.1, dt=0.05)
    np.testing.assert_array_equal(duplicate(run.q)["angle"], run["angle"])
    np.testing.assert_array_equal(duplicate(run).q["angle"], run["angle"])
