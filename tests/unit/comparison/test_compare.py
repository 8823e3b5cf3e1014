"""`bough.compare`: its rows, and the steps and tolerances it searches."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bough
from bough.comparison import table
from bough.comparison.distance import Distance
from bough.comparison.measure import Search
from bough.comparison.methods import methods
from bough.comparison.reference import reference
from bough.comparison.result import empty_row
from bough.integrators.continuous_run import OPTIONS
from support.comparisons import START, problem
from support.formulations import CASES
from support.mechanisms import closed_chain, pendulum


def spring(stiffness: float) -> bough.Model:
    system = bough.System("spring", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", stiffness))
    return system.build()


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
