"""`bough.compare`: its measure of distance, what it finds conserved, its reference, and its rows."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bough
from bough.comparison import table
from bough.comparison.conserved import conserved
from bough.comparison.distance import Distance
from bough.comparison.measure import Search
from bough.comparison.methods import methods
from bough.comparison.reference import reference
from bough.comparison.result import empty_row
from bough.integrators.continuous_run import OPTIONS
from support.formulations import CASES
from support.mechanisms import closed_chain, pendulum

START = {"J": 0.5, "H": -0.3, "A": 0.5}  # of the closed chain, near which it can be assembled


def problem(
    model: bough.Model, q: Any = None, v: Any = None, duration: float = 2.0, dt: float = 0.01
) -> bough.Problem:
    begin = bough.Problem(model, q, v, duration=0.0, dt=dt, assemble=model.nc > 0)
    return bough.Problem(model, begin.q, begin.v, duration=duration, dt=dt)


def spring(stiffness: float) -> bough.Model:
    system = bough.System("spring", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", stiffness))
    return system.build()


# --- distance ---


def test_distance_of_a_pendulum_is_the_chord() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-2.0, mass=3.0)
    a, b = np.random.default_rng(0).uniform(-9.0, 9.0, (2, 20, 1))
    expected = 2.0 * 2.0 * np.abs(np.sin((a - b) / 2.0))[:, 0]
    np.testing.assert_allclose(Distance(system.build())(a, b), expected, rtol=0, atol=1e-14)


def test_distance_of_a_body_is_that_of_the_points_it_consists_of() -> None:
    random = np.random.default_rng(1)
    points, masses = random.normal(size=(6, 3)), random.uniform(0.5, 2.0, 6)
    com = masses @ points / masses.sum()
    r = points - com
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    body, cloud = bough.System("body"), bough.System("cloud")
    body.world.free("f", name="b", mass=masses.sum(), inertia=inertia, com=com)
    frame = cloud.world.free("f", name="b")
    for mass, (x, y, z) in zip(masses, points, strict=True):
        frame.tx(x).ty(y).tz(z, mass=mass)
    a, b = random.uniform(-2.0, 2.0, (2, 30, 6))
    one, many = Distance(body.build()), Distance(cloud.build())
    np.testing.assert_allclose(one(a, b), many(a, b), rtol=1e-12)
    np.testing.assert_allclose(one.radius(a), many.radius(a), rtol=1e-12)


# --- what is conserved ---


def momenta(model: bough.Model, q: Any = None, v: Any = None) -> tuple[bool, tuple[str, ...]]:
    asked = problem(model, q, v, duration=1.0)
    found = conserved(asked, bough.simulate(model, asked.q, asked.v, duration=1.0, integrator="dop853"))
    return found.energy, found.momenta


def chain(gravity: Any, base: str) -> bough.Model:
    system = bough.System("chain", gravity=gravity)
    frame = system.world.free("f") if base == "free" else system.world.tx("cart", mass=1.0)
    frame = frame.tx(0.0, mass=1.0, inertia=(0.1, 0.2, 0.3)) if base == "free" else frame
    frame.ry("angle").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    return system.build()


MOVING = {"f_tx": 0.2, "f_rx": 0.3, "f_ry": 0.5, "f_rz": 0.4, "angle": 1.0}
LINEAR, ANGULAR = ("linear x", "linear y", "linear z"), ("angular x", "angular y", "angular z")


def test_momenta_of_a_free_chain() -> None:
    assert momenta(chain(None, "free"), v=MOVING) == (True, LINEAR + ANGULAR)
    falling = chain((0.0, 0.0, -9.81), "free")
    assert momenta(falling, v=MOVING) == (True, ("linear x", "linear y", "angular z"))


def test_momentum_of_a_cart() -> None:
    """Along the rail; that across it, which is zero whatever moves, is not told."""
    assert momenta(chain((0.0, 0.0, -9.81), "cart"), {"angle": 1.0}) == (True, ("linear x",))


@pytest.mark.parametrize(
    ("away", "expected"), [(0.0, ("angular z",)), (2.0, ("of 'yaw'", "of 'spin'"))], ids=["origin", "away"]
)
def test_momentum_of_a_top(away: float, expected: tuple[str, ...]) -> None:
    """About the vertical through its pivot; where that is not at the origin, those of its own variables."""
    system = bough.System("top")
    pivot = system.world.tx(away).rz("yaw").ry("tilt").rz("spin")
    pivot.tz(0.5, mass=1.0, inertia=(0.05, 0.05, 0.02))
    assert momenta(system.build(), {"tilt": 0.5}, {"spin": 30.0, "yaw": 0.5}) == (True, expected)


def test_nothing_is_conserved_by_a_damped_pendulum() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.Damping(0.1))
    assert momenta(system.build(), {"angle": 1.0}) == (False, ())


def test_drift_of_momentum_is_in_parts_of_its_scale() -> None:
    """A free body that is pushed: its momentum grows by force times time."""
    system = bough.System("body", gravity=None)
    system.world.tx("x", mass=2.0)
    asked = problem(system.build(), v={"x": 3.0})
    kept = conserved(asked, bough.simulate(asked.model, v={"x": 3.0}, duration=1.0))
    assert kept.momenta == ("linear x",)
    pushed = bough.System("body", gravity=None)
    pushed.world.tx("x", mass=2.0)
    pushed.add(bough.ConfigurationForce("x", 5.0))
    run = bough.simulate(pushed.build(), v={"x": 3.0}, duration=1.0)
    # 5 N s of sqrt(2 m T) = m v = 6 N s
    assert kept.momentum_drift(run)[-1] == pytest.approx(5.0 / 6.0)


# --- the reference ---


@pytest.mark.parametrize("kind", ["double pendulum", "closed chain"])
def test_error_of_the_reference_is_what_it_says(kind: str) -> None:
    """Against DOP853 at 1e-12, projected."""
    model, q = (pendulum(2), {"q0": 1.0}) if kind == "double pendulum" else (closed_chain(), START)
    asked, distance = problem(model, q, duration=1.0), Distance(model)
    found = reference(asked, distance, 1e-3, 4.0)
    assert found.until == 1.0
    assert len(found.run) == 101
    options: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13}
    if model.nc:
        options["stabilization"] = "projection"
    truth = bough.simulate(model, asked.q, asked.v, duration=1.0, integrator="dop853", **options)
    error = np.maximum.accumulate(distance(found.run.q, truth.q))
    assert found.error[-1] < 1e-4
    assert (error <= found.error + 1e-12).all()


def test_reference_of_a_stiff_system_is_variational() -> None:
    """A pendulum on a mount of 1e6 rad/s: RK4 is stable below 2.8 us, which is too slow."""
    system = bough.System("mount")
    system.world.tx("mount", mass=1.0).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationSpring("mount", 1e12))
    model = system.build()
    asked = problem(model, {"angle": 0.5}, duration=1.0)
    found = reference(asked, Distance(model), 1e-3, 0.2)
    assert found.method.startswith("midpoint with dt = ")
    assert found.until == 1.0
    rigid = bough.simulate(pendulum_of_a_point(), {"angle": 0.5}, duration=1.0, integrator="dop853")
    # the mount gives way by 1e-11 m
    assert np.abs(found.run["angle"] - rigid["angle"]).max() < 1e-4


def pendulum_of_a_point() -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    return system.build()


def test_reference_serves_only_while_two_runs_agree() -> None:
    """The double pendulum from above is chaotic: errors grow by e each third of a second or so."""
    model = pendulum(2)
    asked = problem(model, {"q0": 3.0}, {"q1": 0.1}, duration=60.0)
    found = reference(asked, Distance(model), 1e-3, 1.0)
    assert 2.0 < found.until < 60.0
    assert found.error[-1] <= 1e-4


# --- rows ---


def test_rows_of_a_pendulum() -> None:
    found = bough.compare(
        pendulum(1),
        {"q0": 0.5},
        duration=2.0,
        integrators=["midpoint", "semi-implicit-euler", "rk4", "rk45"],
        effort=1.0,
    )
    exact = bough.simulate(pendulum(1), {"q0": 0.5}, duration=2.0, integrator="dop853")
    distance = Distance(found.model)
    for row in found.rows:
        assert row.failure is None
        assert row.run is not None
        own = bough.simulate(pendulum(1), {"q0": 0.5}, duration=2.0, integrator=row.label)
        assert np.array_equal(own.q, row.run.q)
        assert row.energy_drift == pytest.approx(np.abs(own.energy() - own.energy()[0]).max())
        assert row.trajectory_error == pytest.approx(distance(own.q, exact.q).max(), rel=1e-2, abs=2e-9)
        assert row.constraint_drift is None
        assert row.momentum_drift is None
        assert row.joint_drift == 0.0
        assert row.run_time is not None
        assert row.time_to_error is not None
    assert found["rk4"].formulation == "generalised"
    assert found["rk45"].adaptive


@pytest.mark.parametrize("label", ["semi-implicit-euler", "midpoint", "rk4"])
def test_the_step_found_is_the_longest_that_keeps_the_error(label: str) -> None:
    """Of those that are dt times a power of two."""
    model = pendulum(2)
    found = bough.compare(model, {"q0": 1.0}, duration=1.28, integrators=[label], error=1e-4, effort=5.0)
    assert found.reference is not None
    dt = found[label].setting
    assert dt is not None
    assert np.log2(dt / 0.01) == pytest.approx(round(np.log2(dt / 0.01)))

    def error(dt: float) -> float:
        run = bough.simulate(model, {"q0": 1.0}, duration=1.28, dt=dt, integrator=label)
        stride = max(1, round(dt / 0.01))
        return float(
            Distance(model)(run.q[:: max(1, round(0.01 / dt))], found.reference.run.q[::stride]).max()
        )

    assert error(dt) <= 1e-4
    assert error(2.0 * dt) > 1e-4
    assert [attempt.error <= 1e-4 for attempt in found[label].attempts].count(True) >= 1


def test_an_error_that_is_not_reached_is_said() -> None:
    """Semi-implicit Euler would take 1e9 steps."""
    found = bough.compare(
        pendulum(2), {"q0": 1.0}, duration=1.0, integrators=["semi-implicit-euler"], error=1e-9, effort=0.2
    )
    row = found.rows[0]
    assert row.time_to_error is None
    best = min(row.attempts, key=lambda attempt: attempt.error)
    assert table.remark(row) == f"not reached: {best.error:.2g} m with dt = {best.setting:.3g}"


@pytest.mark.parametrize("atol", [1e-12, 1e-9])
def test_an_adaptive_method_reaches_what_its_row_reaches(monkeypatch: Any, atol: float) -> None:
    """Also where the effort does not suffice for the tolerances between: only the first is tried."""
    monkeypatch.setitem(OPTIONS, "atol", atol)
    found = bough.compare(
        pendulum(2), {"q0": 1.0}, duration=2.0, integrators="dop853", error=1e-6, effort=1e-3
    )
    row = found.rows[0]
    assert row.trajectory_error is not None
    assert row.trajectory_error < 1e-6
    assert row.setting == 1e-10
    assert row.attempts[-1].error == row.trajectory_error
    assert table.remark(row) == "rtol = 1e-10"


def test_an_attempt_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    model, why = pendulum(1), "no run today"
    asked, distance, (rk4,) = problem(model, {"q0": 1.0}), Distance(model), methods(model, "rk4", "a test")
    found = reference(asked, distance, 1e-3, 1.0)
    search = Search(asked, rk4, found, distance, 1e-3, 1e-6)

    def run(*args: object, **options: object) -> bough.Trajectory:
        raise bough.ModelError(asked="a run", found=why, do="wait")

    monkeypatch.setattr(bough.Problem, "run", run)
    assert search.found() is None
    assert search.attempts[0].failure == why
    row = replace(empty_row(rk4), attempts=tuple(search.attempts))
    assert table.remark(row) == f"not reached: {why} (with dt = 0.01)"
    assert table.remark(replace(row, failure="blew up")).endswith("(with dt = 0.01), failed: blew up")
    assert table.remark(replace(row, failure=why)) == f"not reached, failed: {why}"


def test_closed_chain_shows_what_figure_8_shows() -> None:
    """[JM09] Fig. 8: the energy of the variational integrator stays, the others drift or decay.

    Starts 1e-3 rad apart give trends of the midpoint rule between -2.2e-5 and 2.1e-5, and of "rk4+projection" between
    -6e-5 and -2e-5.
    """
    found = bough.compare(
        closed_chain(),
        START,
        assemble=True,
        duration=60.0,
        integrators=["midpoint", "semi-implicit-euler", "rk4", "rk4+projection", "velocity"],
        effort=0.2,
    )
    assert found.conserved is not None
    kinetic = found.conserved.kinetic
    trend = {row.label: row.energy_trend / kinetic for row in found.rows if row.energy_trend is not None}
    assert abs(trend["midpoint"]) < 1e-4
    assert trend["velocity"] < -0.2
    assert trend["semi-implicit-euler"] < -0.2
    assert -1e-3 < trend["rk4+projection"] < 0.0
    assert trend["rk4"] > 1e-2
    drift = {row.label: row.constraint_drift for row in found.rows}
    assert drift["midpoint"] < 1e-12
    assert drift["rk4+projection"] < 1e-13
    assert drift["rk4"] > 1e-3


def test_one_that_fails_says_why_and_the_others_go_on() -> None:
    found = bough.compare(
        spring(1e8),
        {"x": 0.0},
        {"x": 1.0},
        duration=1.0,
        integrators=["rk4", "midpoint", "midpoint+projection"],
        effort=0.3,
    )
    assert re.fullmatch(
        r"t = 0\.\d+ s: the motion blew up: with dt = 0.01 'rk4' is not stable here;"
        r" linearised at the start, the largest stable dt is 0.000283 s",
        found["rk4"].failure or "",
    )
    assert found["rk4"].run is not None
    assert found["midpoint"].failure is None
    assert (
        found["midpoint+projection"].failure
        == "a variational integrator, which meets the constraints at every step"
    )


def test_joints_of_maximal_coordinates_come_apart() -> None:
    case = CASES["double pendulum"]()
    labels = ["midpoint", "velocity", "velocity+projection"]
    found = bough.compare(case.model, case.q, case.v, duration=1.0, integrators=labels, effort=0.2)
    apart = {row.label: row.joint_drift for row in found.rows}
    run = found["velocity"].run
    assert run is not None
    assert run.bodies is not None
    assert apart["midpoint"] == 0.0
    assert apart["velocity"] == run.bodies.drift[..., 0].max() > 1e-5
    assert apart["velocity+projection"] < 1e-12
    assert "joints" in table.headings(found)
    titles = [axis.get_title(loc="left") for axis in found.plot().axes]
    assert "distance at a joint [m]" in titles


def test_work_done_by_forces_is_measured_by_the_reference() -> None:
    system = bough.System("damped")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.Damping(0.3))
    found = bough.compare(
        system.build(), {"angle": 1.0}, duration=3.0, integrators=["rk4", "midpoint"], effort=0.2
    )
    assert found.conserved is not None
    assert not found.conserved.energy
    assert found["rk4"].energy_drift < 1e-6
    assert 1e-6 < found["midpoint"].energy_drift < 1e-2


def test_kinematic_variables_and_inputs() -> None:
    system = bough.System("driven")
    system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    found = bough.compare(
        system.build(),
        duration=2.0,
        k={"rail": lambda t: 0.1 * np.sin(3.0 * t)},
        u={"torque": 0.5},
        integrators=["midpoint", "rk4"],
        effort=0.2,
    )
    assert [row.failure for row in found.rows] == [None, None]
    assert found["midpoint"].trajectory_error < 1e-2
    assert found["rk4"].trajectory_error < 1e-6


def test_interrupted_comparison_keeps_what_there_is() -> None:
    def stop(comparison: bough.Comparison) -> None:
        if comparison.rows[0].time_to_error is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        bough.compare(pendulum(1), {"q0": 0.5}, duration=1.0, integrators=["rk4", "midpoint"], on_change=stop)
    kept = caught.value.comparison  # type: ignore[attr-defined]
    assert kept["rk4"].time_to_error is not None
    assert kept["midpoint"].run is None


def test_default_and_all() -> None:
    labels = [method.label for method in methods(closed_chain(), None, "a test")]
    orders = ["midpoint+order4", "midpoint+order6", "midpoint+order8"]
    assert labels[:5] == ["midpoint", *orders, "trapezoidal"]
    assert labels[-1] == "dop853"
    assert {"rk4", "rk4+projection", "implicit-midpoint", "semi-implicit-euler"} <= set(labels)
    assert {"velocity", "velocity+projection", "penalty-explicit", "penalty-implicit"} <= set(labels)
    assert "rk4+projection" not in [method.label for method in methods(pendulum(1), None, "a test")]
    everything = [method.label for method in methods(pendulum(1), "all", "a test")]
    assert {"radau", "bdf", "lsoda", "rk45", "midpoint"} <= set(everything)


def test_orders_and_other_engines() -> None:
    """The error of the energy falls with the order; RK4 of MuJoCo is as accurate as our own."""
    pytest.importorskip("mujoco")
    labels = ["midpoint+order4", "midpoint+order6", "midpoint+order8", "rk4", "mujoco-rk4"]
    found = bough.compare(pendulum(2), {"q0": 0.5}, duration=1.0, dt=0.05, integrators=labels, effort=0.05)
    drifts = [found[label].energy_drift for label in labels]
    assert all(row.failure is None for row in found.rows)
    assert drifts[0] > 100.0 * drifts[1] > 1e4 * drifts[2]
    assert drifts[4] == pytest.approx(drifts[3], rel=1e-6)
    assert found["mujoco-rk4"].trajectory_error == pytest.approx(found["rk4"].trajectory_error, rel=1e-6)


def test_an_order_that_there_is_not() -> None:
    with pytest.raises(bough.ModelError, match="5 as an order") as caught:
        methods(pendulum(1), ["midpoint+order5"], "a test")
    assert "midpoint+order8" in caught.value.do


def test_search_without_a_reference_that_serves() -> None:
    model = pendulum(1)
    asked, distance = problem(model, {"q0": 1.0}), Distance(model)
    found = reference(asked, distance, 1e-3, 1.0)
    short = type(found)(found.run[:1], found.method, found.error[:1])
    assert Search(asked, methods(model, "rk4", "a test")[0], short, distance, 1e-3, 1.0).found() is None
