"""Trajectory: arrays by name, parts, quantities along the motion, files, plots."""

from __future__ import annotations

import json
import pickle
import zipfile

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import bough
from bough.model.units import input_units, multiplier_units, variable_units

matplotlib.use("Agg")


def arm() -> bough.System:
    """Two links on a sliding base, the base prescribed."""
    system = bough.System("arm")
    base = system.world.tx(bough.kinematic("slide"), name="base", mass=2.0)
    elbow = base.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-0.5, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    return system


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    return bough.simulate(
        arm().build(),
        q={"shoulder": 0.8},
        k={"slide": lambda t: 0.1 * np.sin(3 * t)},
        duration=1.0,
        dt=0.02,
        integrator="dop853",
    )


def test_arrays_have_time_first(run: bough.Trajectory):
    assert len(run) == 51
    shapes = [a.shape for a in (run.t, run.q, run.v, run.p, run.lam, run.u)]
    assert shapes == [(51,), (51, 3), (51, 3), (51, 2), (51, 0), (51, 0)]
    assert not any(a.flags.writeable for a in (run.t, run.q, run.v, run.p, run.lam, run.u))
    assert repr(run) == "<Trajectory of 'arm': 51 instants, t = 0 to 1 s, finished>"


def test_columns_by_name(run: bough.Trajectory):
    assert np.array_equal(run["forearm"], run.q[:, 1])
    assert np.array_equal(run["slide"], run.q[:, 2])


def test_quantities_are_those_of_the_model(run: bough.Trajectory):
    model, q, v = run.model, run.q, run.v
    assert np.array_equal(run.energy(), model.energy(q, v))
    assert np.array_equal(run.kinetic_energy() + run.potential_energy(), run.energy())
    assert np.array_equal(run.momentum(), model.momentum(q, v))
    assert np.array_equal(run.p, model.momentum(q, v)[:, :2])
    assert np.array_equal(run.linear_momentum(), model.linear_momentum(q, v))
    assert np.array_equal(run.angular_momentum(), model.angular_momentum(q, v))
    assert np.array_equal(run.pose("tip"), model.pose("tip", q))
    assert run.constraint_error().shape == (51, 0)


def test_slices_are_trajectories(run: bough.Trajectory):
    part = run[10:20:2]
    assert isinstance(part, bough.Trajectory)
    for name in ("t", "q", "v", "p", "lam", "u"):
        assert np.array_equal(getattr(part, name), getattr(run, name)[10:20:2])
    assert part.settings == run.settings
    assert np.array_equal(run[::-1].t, run.t[::-1])


def test_states(run: bough.Trajectory):
    last = run[-1]
    assert last == run.state(50) == list(run)[-1]
    assert last.t == 1.0
    assert np.array_equal(last.q, run.q[-1])
    assert np.array_equal(last.v, run.v[-1])
    assert np.array_equal(last.p, run.p[-1])
    with pytest.raises(IndexError):
        run[51]


def test_velocity_from_momenta(run: bough.Trajectory):
    rebuilt = bough.Trajectory(run.model, run.t, run.q, p=run.p, vk=run.v[:, 2:])
    np.testing.assert_allclose(rebuilt.v, run.v, rtol=0, atol=1e-13)
    # without vk the kinematic velocities are differences, of second order
    differences = bough.Trajectory(run.model, run.t, run.q, p=run.p)
    np.testing.assert_allclose(
        differences.v[1:-1, 2], run.v[1:-1, 2], rtol=0, atol=0.02**2 * 0.1 * 3**3 / 6 * 1.01
    )


def test_velocity_without_momenta_is_the_rate_of_q():
    model = arm().build()
    t = np.linspace(0.0, 1.0, 11)
    q = np.stack([t**2, 3 * t, 0 * t], axis=1)  # differences of second order are exact for these
    run = bough.Trajectory(model, t, q)
    np.testing.assert_allclose(run.v, np.stack([2 * t, 3 + 0 * t, 0 * t], axis=1), atol=1e-13)
    single = bough.Trajectory(model, [0.0], [[1.0, 2.0, 3.0]])
    assert single.v.tolist() == [[0.0, 0.0, 0.0]]


# --- files ---


def test_save_and_load(run: bough.Trajectory, tmp_path):
    path = run.save(tmp_path / "run.npz")
    loaded = bough.load_trajectory(path)
    assert loaded == run
    assert (loaded.model, loaded.status) == (run.model, run.status)
    assert (loaded.settings, loaded.statistics) == (run.settings, run.statistics)
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_suffix_is_added(run: bough.Trajectory, tmp_path):
    assert run.save(str(tmp_path / "run")) == tmp_path / "run.npz"
    assert bough.load_trajectory(str(tmp_path / "run.npz")) == run


def test_file_is_arrays_and_json_without_pickle(run: bough.Trajectory, tmp_path):
    with np.load(run.save(tmp_path / "run.npz"), allow_pickle=False) as archive:
        texts = {name: json.loads(archive[name].tobytes()) for name in ("header", "settings", "description")}
        assert {"t", "q", "v", "p", "lam", "u"} <= set(archive.files)
    assert texts["header"]["format"] == 1
    assert texts["description"] == run.model.description
    assert texts["settings"]["integrator"] == "dop853"


def test_failed_save_leaves_the_old_file(run: bough.Trajectory, tmp_path, monkeypatch):
    path = run.save(tmp_path / "run.npz")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space"):
        run[:3].save(path)
    assert bough.load_trajectory(path) == run
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_rerun_of_a_file_gives_the_same_bits(run: bough.Trajectory, tmp_path):
    loaded = bough.load_trajectory(run.save(tmp_path / "run.npz"))
    again = loaded.rerun()
    assert again == run
    assert again.settings == run.settings
    assert again.rerun() == run


def test_pickles(run: bough.Trajectory):
    copy = pickle.loads(pickle.dumps(run))
    assert copy == run
    assert copy.rerun() == run


def test_equality_is_of_content(run: bough.Trajectory):
    assert run != run[:10]
    assert run != bough.Trajectory(run.model, run.t, run.q, v=run.v, status="failed")
    assert run == bough.Trajectory(run.model, run.t, run.q, v=run.v)
    with pytest.raises(TypeError):
        hash(run)


def test_to_xarray(run: bough.Trajectory):
    data = run.to_xarray()
    assert np.array_equal(data["q"].sel(variable="forearm"), run["forearm"])
    assert data["p"].dims == ("t", "dynamic")
    assert data.attrs == {"model": "arm", "status": "finished"}
    for name in ("q", "v", "p", "lam", "u"):
        assert np.array_equal(data[name], getattr(run, name))
        assert data[name].dims[0] == "t"


def test_to_xarray_names_constraints_and_inputs():
    system = bough.System("wire")
    system.world.tx("x").tz("z", name="bob", mass=2.0)
    system.add(bough.DistanceConstraint("bob", "world", 1.0, name="wire"))
    system.add(bough.ConfigurationForce("x", "push"))
    run = bough.simulate(system.build(), {"z": -1.0}, u={"push": 0.5}, duration=1.0, dt=0.1)
    data = run.to_xarray()
    assert data.sizes == {"t": 11, "variable": 2, "dynamic": 2, "constraint": 1, "input": 1}
    assert np.array_equal(data["lam"].sel(constraint="wire"), run.lam[:, 0])
    assert (data["u"].sel(input="push") == 0.5).all()
    at = data.sel(t=0.52, method="nearest")
    assert float(at["t"]) == run.t[5]
    assert np.array_equal(at["q"], run.q[5])
    moved = data["q"].sel(variable="x").interp(t=0.55)
    assert float(moved) == pytest.approx(run["x"][5:7].mean())


def test_to_xarray_without_constraints_and_inputs(run: bough.Trajectory):
    data = bough.Trajectory(run.model, run.t, run.q).to_xarray()
    for coordinate, names in (("constraint", run.model.constraints), ("input", run.model.inputs)):
        assert tuple(data[coordinate].values.tolist()) == names
        assert data[coordinate].dtype.kind == "U"


# --- plots ---


def titles(figure) -> list[str]:
    return [axis.get_title(loc="left") for axis in figure.axes]


def test_plot_names_every_line_and_unit(run: bough.Trajectory):
    figure = run.plot()
    assert titles(figure) == [
        "angles",
        "distances",
        "rates of angles",
        "rates of distances",
        figure.axes[4].get_title(loc="left"),
    ]
    assert [axis.get_ylabel() for axis in figure.axes] == [
        "q [rad]",
        "q [m]",
        "v [rad/s]",
        "v [m/s]",
        "E − E(0) [J]",
    ]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["shoulder", "forearm"]
    assert figure.axes[-1].get_xlabel() == "t [s]"
    assert figure.get_suptitle() == "arm"
    plt.close(figure)


def test_plot_of_chosen_panels(run: bough.Trajectory):
    figure = run.plot("configuration")
    assert titles(figure) == ["angles", "distances"]
    line = figure.axes[1].get_lines()[0]
    assert np.array_equal(line.get_ydata(), run["slide"])
    plt.close(figure)
    figure = run.plot(["energy"])
    assert titles(figure) == [f"energy, {run.energy()[0]:.6g} J at the start"]
    plt.close(figure)


def test_of_many_variables_those_that_move_most_are_named_beside_the_panel():
    system = bough.System("chain")
    frame = system.world
    for i in range(30):
        frame = frame.ry(f"joint{i}").tz(-0.1, mass=0.1)
    model = system.build()
    t = np.linspace(0.0, 1.0, 5)
    moved = (7 * np.arange(30)) % 30 + 1.0
    figure = bough.Trajectory(model, t, t[:, None] * moved, v=np.zeros((5, 30))).plot("configuration")
    figure.canvas.draw()
    axis = figure.axes[0]
    assert axis.get_legend().get_window_extent().x0 > axis.get_window_extent().x1
    most = [f"joint{i}" for i in range(30) if moved[i] > 22.0]
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    assert texts == [*most, "22 others, which move less"]
    colors = [line.get_color() for line in axis.get_lines()]
    assert colors.count("0.8") == 22
    assert len(set(colors)) == 9
    plt.close(figure)


def test_units_of_variables():
    system = bough.System("mixed", gravity=None)
    f = system.world.tx("x", mass=1).ry("a", mass=1, inertia=(1, 1, 1))
    f = f.twist((0, 0, 0, 0, 1, 0), "y", mass=1).twist(
        (0, 0, 1, 0, 0, 0.2), "screw", mass=1, inertia=(1, 1, 1)
    )
    f.tz("both", mass=1).rx("both", mass=1, inertia=(1, 1, 1), shared=True).tx(
        bough.kinematic("rail"), mass=1
    )
    model = system.build()
    assert dict(zip(model.variables, variable_units(model), strict=True)) == {
        "x": "m", "a": "rad", "y": "m", "screw": "rad", "both": "", "rail": "m",
    }  # fmt: skip


def test_units_of_multipliers():
    system = bough.System("mixed", gravity=None)
    for name, mass in (("a", 1.0), ("b", 2.0), ("c", 1.0)):
        system.world.free(name, name=name, mass=mass, inertia=(1, 1, 1))
    system.add(bough.PointConstraint("a", "b", axis=(1, 0, 0), name="point"))
    system.add(bough.ParallelConstraint("a", "b", axis=(0, 0, 1), name="parallel"))
    system.add(bough.WeldConstraint("b", "c", name="weld"))
    system.add(bough.DistanceConstraint("a", "c", 1.0, name="distance"))
    system.add(bough.ScrewConstraint("a_rx", "a_tx", pitch=0.1, name="screw"))
    system.add(bough.EqualityConstraint(("a_rx", "b_rx"), name="equal angles"))
    system.add(bough.GearConstraint({"a_tx": 1.0, "b_tx": 2.0}, name="rack"))
    system.add(bough.GearConstraint({"a_tx": 1.0, "b_rx": 2.0}, name="rack and pinion"))
    system.add(bough.CamConstraint("a_tz", "b_rz", bough.Sinusoid(amplitude=0.1, frequency=1.0), name="cam"))
    model = system.build()
    expected = ["N"] + ["N m"] * 2 + ["N"] * 3 + ["N m"] * 3 + ["N", "N"] + ["N m"] + ["N"] + [""] + ["N"]
    assert multiplier_units(model) == expected


def test_units_of_inputs():
    system = bough.System("mixed")
    bob = system.world.tx("x", mass=1.0).ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.BodyWrench(bob, fx="thrust", tz="twist"))
    system.add(bough.PointForce(bob, fy="push"))
    system.add(bough.ConfigurationForce("angle", "torque"))
    system.add(bough.ConfigurationForce("x", "both"))
    system.add(bough.ConfigurationForce("angle", "both"))
    system.add(bough.Drag(bob, 0.1, wind=("gust", 0.0, 0.0)))
    model = system.build()
    assert dict(zip(model.inputs, input_units(model), strict=True)) == {
        "thrust": "N", "twist": "N m", "push": "N", "torque": "N m", "both": "", "gust": "m/s",
    }  # fmt: skip
    figure = bough.simulate(model, duration=0.02).plot("input")
    assert titles(figure) == ["input forces", "input moments", "input velocities", "inputs"]
    assert [axis.get_ylabel() for axis in figure.axes] == ["u [N]", "u [N m]", "u [m/s]", "u"]
    plt.close(figure)


# --- damaged files: the exact texts are in tests/errors/test_trajectory_file_errors.py ---


def test_every_cut_file_is_refused(run: bough.Trajectory, tmp_path):
    data = run[:3].save(tmp_path / "run.npz").read_bytes()
    broken = tmp_path / "cut.npz"
    for size in range(0, len(data), 97):
        broken.write_bytes(data[:size])
        with pytest.raises(bough.ParseError):
            bough.load_trajectory(broken)


def test_every_missing_member_is_refused(run: bough.Trajectory, tmp_path):
    path = run.save(tmp_path / "run.npz")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for left_out in members:
        if left_out.startswith(("inputs", "prescribed")):
            continue
        with zipfile.ZipFile(tmp_path / "part.npz", "w") as archive:
            for name, data in members.items():
                if name != left_out:
                    archive.writestr(name, data)
        with pytest.raises(bough.ParseError):
            bough.load_trajectory(tmp_path / "part.npz")
