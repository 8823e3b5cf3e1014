"""Parameters found from measured motions: exact without noise, within their uncertainties with it."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.control import identify
from support.finite_difference import derivative

TRUE = {"mass": 1.4, "length": 0.7, "stiffness": 6.0, "damping": 0.25}


def arm() -> bough.System:
    """Three links with springs and damping, driven at the shoulder."""
    system = bough.System("arm", gravity=(0, 0, -9.81))
    mass, length = system.parameter("mass", 1.0), system.parameter("length", 0.9)
    stiffness, damping = system.parameter("stiffness", 4.0), system.parameter("damping", 0.1)
    upper = system.world.ry("shoulder").tz(-length, name="elbow", mass=mass, inertia=(0.02, 0.02, 0.001))
    fore = upper.ry("elbow_angle").tz(-0.5, name="wrist", mass=0.8, inertia=(0.01, 0.01, 0.001))
    fore.ry("wrist_angle").tz(-0.3, name="hand", mass=0.4, inertia=(0.005, 0.005, 0.001))
    system.add(bough.ConfigurationSpring("elbow_angle", stiffness=stiffness))
    system.add(bough.Damping({"shoulder": damping, "elbow_angle": damping, "wrist_angle": damping}))
    system.add(bough.ConfigurationForce("shoulder", "torque"))
    return system


def measured(duration=3.0, dt=0.02, **start):
    model = arm().build().with_parameters(**TRUE)
    steps = round(duration / dt)
    u = 4.0 * np.sin(2.0 * dt * np.arange(steps))[:, None]
    return bough.simulate(model, q=start.get("q", {"shoulder": 0.5}), u=u, duration=duration, dt=dt)


@pytest.fixture(scope="module")
def run():
    return measured()


def test_exact_without_noise(run):
    fit = identify(arm().build(), run, list(TRUE))
    for name, value in TRUE.items():
        assert fit.values[name] == pytest.approx(value, rel=1e-8)
    assert fit.model.parameters == fit.values
    assert "mass = 1.4" in str(fit)


def test_within_one_percent_at_one_percent_noise(run):
    rng = np.random.default_rng(2)
    sigma = 0.01 * np.abs(run.q).max()
    data = {"t": run.t, "torque": np.asarray(run.u)[:, 0], "q": run.q[0]}
    for i, name in enumerate(run.model.variables):
        data[name] = run.q[:, i] + sigma * rng.normal(size=len(run))
    fit = identify(arm().build(), data, list(TRUE), noise=sigma)
    for name, value in TRUE.items():
        assert fit.values[name] == pytest.approx(value, rel=0.01)
        assert abs(fit.values[name] - value) < 4.0 * fit.uncertainty[name]
    assert fit.residual == pytest.approx(1.0, abs=0.15)  # in units of the noise
    unknown = identify(arm().build(), data, list(TRUE))
    for name in TRUE:
        assert unknown.uncertainty[name] == pytest.approx(fit.uncertainty[name], rel=0.2)


def test_derivatives_of_a_motion_are_exact(run):
    from bough.control._fit import Fit
    from bough.control._records import records

    model = arm().build()
    names = ("mass", "length", "damping")
    record = records(model, run, ("shoulder", "v.wrist_angle", "hand"), "test")[0]
    fit = Fit(model, record, names, (None, None), True, None, "midpoint", None, "test")
    fit.columns = slice(3, 9)
    unknown = np.concatenate([[1.1, 0.8, 0.15], fit.start_values()])
    unknown[3:] += 0.05
    expected, _ = derivative(lambda x: fit.residual(x), unknown, step=0.01)
    found = np.concatenate(fit.jacobian(unknown), axis=1)
    np.testing.assert_allclose(found, expected.T, atol=1e-6 * np.abs(expected).max())


def test_a_start_that_is_not_known_is_fitted():
    run = measured(1.5)
    fit = identify(
        arm().build().with_parameters(stiffness=6.0, damping=0.25),
        {
            "t": run.t,
            "torque": run.u[:, 0],
            **{n: run[n] for n in run.model.variables},
            "q": {"shoulder": 0.45},
        },
        ["mass", "length"],
        fit_start=True,
        bounds={"mass": (0.1, 5.0), "length": (0.2, 3.0)},
    )
    assert fit.values["mass"] == pytest.approx(1.4, rel=1e-6)
    np.testing.assert_allclose(fit.starts[0][0], run.q[0], atol=1e-6)


def test_files_tables_and_several_runs(run, tmp_path):
    pandas = pytest.importorskip("pandas")
    run.save(tmp_path / "run.csv")
    table = pandas.read_csv(tmp_path / "run.csv")
    other = measured(1.0, q={"shoulder": -0.4, "elbow_angle": 0.3})
    fit = identify(arm().build(), [tmp_path / "run.csv", table[:40], other], list(TRUE))
    for name, value in TRUE.items():
        assert fit.values[name] == pytest.approx(value, rel=1e-6)


def test_values_that_are_missing_and_smaller_steps():
    fine = measured(2.0, 0.01)
    coarse = {"t": fine.t[::4], "torque": fine.u[::4, 0], "hand": fine.pose("hand")[::4, :3, 3].copy()}
    coarse["hand"][3] = np.nan
    u = np.repeat(coarse["torque"][:-1], 4)[:, None]
    again = bough.simulate(fine.model, q=fine.q[0], u=u, duration=2.0, dt=0.01)
    coarse["hand"] = np.where(np.isnan(coarse["hand"]), np.nan, again.pose("hand")[::4, :3, 3])
    fit = identify(
        arm().build().with_parameters(stiffness=6.0, damping=0.25),
        coarse,
        ["mass", "length"],
        q=fine.q[0],
        dt=0.01,
    )
    assert fit.values["length"] == pytest.approx(0.7, rel=1e-7)


def test_times_of_files_are_rounded():
    """60 rows a second in milliseconds: the interval is off by 1e-4 of itself, and with it what is found."""
    run = measured(2.0, 1.0 / 60.0)
    data = {"t": np.round(run.t, 3), "torque": run.u[:, 0], **{n: run[n] for n in run.model.variables}}
    fit = identify(arm().build().with_parameters(stiffness=6.0, damping=0.25), data, ["mass", "length"])
    assert fit.values["mass"] == pytest.approx(1.4, rel=1e-3)
    assert fit.values["length"] == pytest.approx(0.7, rel=1e-3)


@pytest.mark.filterwarnings("ignore::bough.BoughWarning")  # of what these short tables leave out
@pytest.mark.parametrize(
    ("runs", "options", "says"),
    [
        ([], {}, "none"),
        (3, {}, "a Trajectory, a mapping"),
        ({"shoulder": [0.0, 0.1]}, {}, "no column 't'"),
        ({"t": [0.0, 0.1], "sholder": [0.0, 0.1]}, {}, "nearest is 'shoulder'"),
        ({"t": [0.0, 0.1], "shoulder": [0.0]}, {}, "one row for each time"),
        ({"t": [0.1, 0.0], "shoulder": [0.0, 1.0]}, {}, "do not ascend"),
        ({"t": [0.0, 0.1, 0.3], "shoulder": [0.0] * 3}, {}, "equal intervals"),
        ({"t": [0.0, 0.1], "torque": [0.0, 0.1]}, {}, "no measured column"),
        (
            {"t": [0.0, 0.1, 0.2], "shoulder": [0.0] * 3, "torque": [0.0, np.nan, 0.0]},
            {},
            "no value in row 1",
        ),
        ({"t": [0.0, 0.1], "shoulder": [np.nan, 0.1]}, {}, "no value of 'shoulder' in the first row"),
        ({"t": [0.0, 0.1], "shoulder": [0.0, 0.1]}, {"dt": 0.03}, "does not divide"),
        ({"t": [0.0, 0.1], "shoulder": [0.0, 0.1]}, {"noise": 0.0}, "above zero"),
        (
            {"t": [0.0, 0.1], "shoulder": [0.0, 0.1]},
            {"bounds": {"mass": (2.0, 3.0)}},
            "around the first guess",
        ),
        ({"t": [0.0, 0.1], "shoulder": [0.0, 0.1]}, {"integrator": "rk4"}, "no derivatives yet"),
        ({"t": [0.0, 0.1], "shoulder": [0.0, 0.1]}, {"parameters": ["mas"]}, "nearest is 'mass'"),
        ({"t": [0.0, 0.1], "shoulder": [0.0, 0.1]}, {"parameters": []}, "no parameter"),
    ],
)
def test_wrong_arguments_are_told(runs, options, says):
    given = {"parameters": ["mass"], **options}
    with pytest.raises(bough.BoughError, match=says):
        identify(arm().build(), runs, **given)


def two_links():
    """A double pendulum of unknown length with a motor, and its recorded motion under a constant torque."""
    system = bough.System("two links", gravity=(0, 0, -9.81))
    elbow = system.world.ry("a").tz(-system.parameter("length", 1.0), name="elbow", mass=1.0)
    elbow.ry("b").tz(-0.5, name="tip", mass=0.5)
    system.add(bough.ConfigurationForce("a", "torque"))
    model = system.build()
    run = bough.simulate(
        model.with_parameters(length=1.3), q={"a": 0.5, "b": 0.2}, u=[1.0], duration=1.0, dt=0.01
    )
    return model, run, {"t": run.t, "torque": run.u[:, 0]}


def test_a_fit_that_ends_on_a_bound_is_marked():
    model, run, data = two_links()
    data |= {"a": run["a"], "b": run["b"]}
    with pytest.warns(bough.BoughWarning, match=r"ends on a bound: length = 1\.2"):
        fit = identify(model, data, ["length"], bounds={"length": (0.8, 1.2)})
    assert fit.at_bound == ("length",)
    assert "(at its bound)" in str(fit)
    free = identify(model, data, ["length"], bounds={"length": (0.8, 1.5)})
    assert free.at_bound == ()
    assert free.values["length"] == pytest.approx(1.3, rel=1e-9)


NAMES = ["stiffness", "damping"]


def sprung(stiffness, damping):
    """A block on a spring with a dashpot, neither of which takes a negative value."""
    system = bough.System("block")
    system.world.tx("x", name="block", mass=1.0)
    system.add(bough.ConfigurationSpring("x", system.parameter("stiffness", stiffness)))
    system.add(bough.Damping(system.parameter("damping", damping)))
    return system.build()


@pytest.mark.parametrize("guess", [(20.0, 2.0), (30.0, 0.0), (8.0, 5.0)])
def test_a_trial_that_the_model_refuses_is_shortened(guess, monkeypatch):
    """Steps below zero, which springs and dashpots refuse, become shorter ones; the fit is exact."""
    run = bough.simulate(sprung(0.5, 0.05), q={"x": 1.0}, duration=4.0, dt=0.02)
    refused = []
    with_parameters = bough.Model.with_parameters

    def watched(self, **values):
        if min(values.values()) < -1e-3:  # beyond what differences try
            refused.append(values)
        return with_parameters(self, **values)

    monkeypatch.setattr(bough.Model, "with_parameters", watched)
    fit = identify(sprung(*guess), {"t": run.t, "x": run["x"], "block": run.pose("block")[:, :3, 3]}, NAMES)
    assert refused
    assert fit.values["stiffness"] == pytest.approx(0.5, rel=1e-7)
    assert fit.values["damping"] == pytest.approx(0.05, rel=1e-6)


def test_a_fit_beside_values_that_the_model_refuses_is_told():
    """A block that is driven faster and faster asks for damping below zero."""
    t = 0.02 * np.arange(101.0)
    data = {"t": t, "x": np.exp(0.3 * t) * np.cos(2.0 * t)}
    with pytest.raises(bough.ConvergenceError, match=r"damping = .* beyond it, such as at .*damping = -"):
        identify(sprung(4.0, 0.5), data, NAMES)
    with pytest.warns(bough.BoughWarning, match="ends on a bound: damping"):
        fit = identify(sprung(4.0, 0.5), data, NAMES, bounds={"damping": (0.0, None)})
    assert fit.at_bound == ("damping",)


def test_a_start_that_nothing_tells_is_told():
    """Some variables, or frames alone, whose start is found from the first row, and told unless it is fitted."""
    model, run, data = two_links()
    frames = data | {"tip": run.pose("tip")[:, :3, 3]}
    with pytest.warns(
        bough.BoughWarning, match="no value of 'a', 'b', found from the frames in the first row"
    ):
        fit = identify(model, frames, ["length"])
    q, v = fit.starts[0]
    place, first = model.pose("tip", q)[:3, 3], frames["tip"][0]  # out of reach of the first guess
    assert np.linalg.norm(place) == pytest.approx(1.5, rel=1e-6)
    assert np.abs(place / 1.5 - first / np.linalg.norm(first)).max() < 1e-4
    assert not v.any()
    fit = identify(model, frames | {"elbow": run.pose("elbow")[:, :3, 3]}, ["length"], fit_start=True)
    assert fit.values["length"] == pytest.approx(1.3, rel=1e-7)
    assert np.abs(fit.starts[0][0] - run.q[0]).max() < 1e-7
    with pytest.warns(bough.BoughWarning, match="no value of 'b'"):
        identify(model, data | {"a": run["a"]}, ["length"])
    for given in ({"q": run.q[0]}, {"q": {"a": 0.4, "b": 0.1}, "fit_start": True}):
        fit = identify(model, frames, ["length"], **given)
        assert fit.values["length"] == pytest.approx(1.3, rel=1e-7)


def test_columns_that_are_missing_or_of_no_use_are_told(tmp_path):
    model, run, data = two_links()
    data |= {"a": run["a"], "b": run["b"]}
    with pytest.warns(bough.BoughWarning, match="no column of 1 input, 'torque', which is taken as zero"):
        identify(model, {name: rows for name, rows in data.items() if name != "torque"}, ["length"])
    names = [*data, "temperature"]
    path = tmp_path / "run.csv"
    rows = np.stack([*data.values(), 20.0 + run.t], axis=1)
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="")
    with pytest.raises(bough.ModelError, match="column 'temperature'") as caught:
        identify(model, path, ["length"])
    assert "measure=" in caught.value.do
    fit = identify(model, path, ["length"], measure=["a", "b"])
    assert fit.values["length"] == pytest.approx(1.3, rel=1e-9)


def test_parameters_that_cannot_be_told_apart_are_named():
    system = bough.System("two masses", gravity=(0, 0, 0))
    first, second = system.parameter("first", 1.0), system.parameter("second", 2.0)
    cart = system.world.tx("x", mass=first)
    cart.tz(1.0, mass=second)
    system.add(bough.ConfigurationForce("x", "force"))
    model = system.build()
    run = bough.simulate(model, u=[1.0], duration=1.0, dt=0.1)
    with pytest.raises(bough.ModelError, match="'first', 'second'"):
        identify(model.with_parameters(first=1.2), run, ["first", "second"])


def test_restitution_and_friction_of_a_ball_that_bounces():
    """Through the impacts of a run, whose times depend on both."""
    system = bough.System("ball", gravity=(0, 0, -9.81))
    system.world.tx("x").tz("z", name="ball", mass=1.0)
    e, friction = system.parameter("restitution", 0.8), system.parameter("friction", 0.1)
    system.add(bough.PlaneContact("ball", restitution=e, friction=friction))
    model = system.build()
    run = bough.simulate(model, q={"z": 0.3}, v={"x": 2.0}, duration=1.0, dt=0.01)
    assert len(run.impacts) >= 2
    guess = model.with_parameters(restitution=0.75, friction=0.12)
    found = identify(guess, run, parameters=["restitution", "friction"])
    assert found.values["restitution"] == pytest.approx(0.8, abs=1e-9)
    assert found.values["friction"] == pytest.approx(0.1, abs=1e-9)
