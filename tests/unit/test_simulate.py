"""simulate: motions with a known solution, the grid of instants, prescribed motion, inputs, constraints."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.special import ellipk

import bough
from support.simulated import cart, double_pendulum, motor, pendulum

SCIPY = ("rk45", "rk23", "dop853", "radau", "bdf", "lsoda")


G = 9.81


# --- motions with a known solution ---


@pytest.mark.parametrize("integrator", SCIPY)
def test_free_fall(integrator: str):
    system = bough.System("stone")
    system.world.free("p", mass=1.0, inertia=(1, 1, 1))
    model = system.build()
    names = dict(zip(("x", "y", "z"), model.variables, strict=False))
    run = bough.simulate(
        model, v={names["x"]: 2.0, names["z"]: 5.0}, duration=1.0, dt=0.1, integrator=integrator
    )
    t = run.t
    exact = np.zeros((11, 6))
    exact[:, 0], exact[:, 2] = 2.0 * t, 5.0 * t - 0.5 * G * t**2
    np.testing.assert_allclose(run.q, exact, rtol=0, atol=2e-8)


@pytest.mark.parametrize("integrator", ["dop853", "radau"])
@pytest.mark.parametrize("angle", [0.1, 1.5, 3.0])
def test_period_of_a_pendulum(integrator: str, angle: float):
    period = 4.0 * np.sqrt(1.0 / G) * ellipk(np.sin(angle / 2) ** 2)
    run = bough.simulate(pendulum(), q={"angle": angle}, duration=period, dt=0.01, integrator=integrator)
    assert run.t[-1] == period
    np.testing.assert_allclose([run["angle"][-1], run.v[-1, 0]], [angle, 0.0], rtol=0, atol=1e-6)


def test_pendulum_on_an_accelerated_cart_hangs_askew():
    a = 3.0
    tilt = np.arctan(a / G)  # at rest in the cart
    run = bough.simulate(
        cart(), q={"angle": tilt}, k=lambda t: [0.5 * a * t**2], duration=2.0, dt=0.05, integrator="dop853"
    )
    np.testing.assert_allclose(run["angle"], tilt, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["x"], 0.5 * a * run.t**2, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.v[:, 1], a * run.t, rtol=0, atol=1e-10)


@pytest.mark.parametrize("integrator", SCIPY)
def test_energy_is_kept(integrator: str):
    run = bough.simulate(double_pendulum(), q={"shoulder": 0.8}, duration=2.0, dt=0.05, integrator=integrator)
    energy = run.energy()
    assert abs(energy - energy[0]).max() < 1e-6 * abs(energy[0])


def test_momenta_start_the_motion_as_velocities_do():
    model = double_pendulum()
    q, v = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    settings = {"duration": 1.0, "dt": 0.1, "integrator": "dop853"}
    by_v = bough.simulate(model, q, v, **settings)
    by_p = bough.simulate(model, q, p=model.momentum(q, v), **settings)
    np.testing.assert_allclose(by_p.q, by_v.q, rtol=0, atol=1e-9)


# --- the instants of a run ---


def test_whole_steps():
    run = bough.simulate(pendulum(), duration=0.3, dt=0.1, t0=2.0, integrator="rk45")
    assert run.t.tolist() == [2.0, 2.1, 2.2, 2.3]
    assert run.settings["steps"] == 3


def test_round_off_does_not_add_a_step():
    for steps in (3, 7, 57, 1000):
        run = bough.simulate(pendulum(), duration=0.1 * steps, dt=0.1, integrator="rk23")
        assert len(run) == steps + 1
        assert run.t[-1] == 0.1 * steps


def test_last_step_is_shorter_where_the_steps_do_not_fit():
    run = bough.simulate(pendulum(), q=[0.5], duration=0.25, dt=0.1, integrator="dop853")
    assert run.t.tolist() == [0.0, 0.1, 0.2, 0.25]
    fine = bough.simulate(pendulum(), q=[0.5], duration=0.25, dt=0.05, integrator="dop853")
    np.testing.assert_allclose(run.q[-1], fine.q[-1], rtol=0, atol=1e-9)


def test_duration_shorter_than_a_step():
    assert bough.simulate(pendulum(), duration=1e-12, dt=0.1, integrator="rk45").t.tolist() == [0.0, 1e-12]


def test_no_duration():
    run = bough.simulate(pendulum(), q=[0.5], v=[2.0], duration=0.0, integrator="rk45")
    assert (run.t.tolist(), run.q.tolist(), run.v.tolist()) == ([0.0], [[0.5]], [[2.0]])


@pytest.mark.parametrize("duration", [1.0, 0.95])
def test_every_records_fewer_instants_of_the_same_motion(duration: float):
    settings = {"q": {"shoulder": 0.8}, "duration": duration, "dt": 0.02, "integrator": "dop853"}
    every = bough.simulate(double_pendulum(), **settings)
    third = bough.simulate(double_pendulum(), **settings, every=3)
    kept = np.unique(np.append(np.arange(0, len(every), 3), len(every) - 1))
    assert np.array_equal(third.t, every.t[kept])
    np.testing.assert_allclose(third.q, every.q[kept], rtol=0, atol=1e-14)
    assert third.rerun() == third


def test_default_step():
    assert bough.simulate(pendulum(), duration=0.05, integrator="rk45").t[1] == 0.01


# --- prescribed motion ---


def test_forms_of_prescribed_motion_agree():
    t = np.linspace(0.0, 1.0, 51)
    values = 0.2 * np.sin(4 * t)

    def motion(t: float) -> float:
        return 0.2 * float(np.sin(4 * t))

    runs = [
        bough.simulate(cart(), q={"angle": 0.3}, k=k, duration=1.0, dt=0.02, integrator="dop853")
        for k in (lambda t: [motion(t)], values[:, None], {"x": values}, {"x": motion})
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q, runs[0].q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(runs[0]["x"], values, rtol=0, atol=1e-12)


def test_kinematic_variables_not_given_are_held():
    run = bough.simulate(cart(), q={"angle": 0.3, "x": 2.0}, duration=0.5, integrator="dop853")
    assert (run["x"] == 2.0).all()
    free = bough.simulate(pendulum(), q={"angle": 0.3}, duration=0.5, integrator="dop853")
    np.testing.assert_allclose(run["angle"], free["angle"], rtol=0, atol=1e-9)
    constant = bough.simulate(cart(), q={"angle": 0.3}, k={"x": 2.0}, duration=0.5, integrator="dop853")
    np.testing.assert_allclose(constant.q, run.q, rtol=0, atol=1e-9)


def test_only_kinematic_variables():
    system = bough.System("stage")
    system.world.tx(bough.kinematic("x"), mass=1.0)
    run = bough.simulate(system.build(), k={"x": np.cos}, duration=1.0, dt=0.1, integrator="dop853")
    np.testing.assert_allclose(run["x"], np.cos(run.t), rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.v[:, 0], -np.sin(run.t), rtol=0, atol=1e-6)


# --- variational integrators: more in test_integrator.py ---


VARIATIONAL = ("midpoint", "trapezoidal")


def loop() -> bough.Model:
    """Two links whose end slides along a horizontal line."""
    system = bough.System("loop")
    elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    system.add(bough.PointConstraint("tip", system.world.tz(-1.0, name="rail"), axis=(0, 0, 1), name="rail"))
    return system.build()


FOLDED = {"a": np.pi / 3, "b": -2 * np.pi / 3}  # the end of the loop at height -1


def test_default_is_the_midpoint_rule():
    run = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=1.0)
    assert run.settings["integrator"] == "midpoint"
    assert run.settings["alpha"] == 0.5
    assert set(run.statistics) == {"steps", "iterations", "halvings", "coarse", "wall_time", "cpu_time"}
    assert run.statistics["steps"] == 100


@pytest.mark.parametrize("integrator", VARIATIONAL)
def test_period_of_a_pendulum_to_second_order(integrator: str):
    period = 4.0 * np.sqrt(1.0 / G) * ellipk(np.sin(1.5 / 2) ** 2)
    errors = []
    for steps in (250, 500, 1000):
        run = bough.simulate(
            pendulum(), q={"angle": 1.5}, duration=10 * period, dt=period / steps, integrator=integrator
        )
        errors.append(abs(run.v[-1, 0]))
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 4.0, rtol=0.02)


@pytest.mark.parametrize("integrator", VARIATIONAL)
def test_energy_has_no_trend(integrator: str):
    run = bough.simulate(
        double_pendulum(), {"shoulder": 0.8}, duration=400.0, dt=0.01, integrator=integrator, every=4
    )
    error = run.energy() - run.energy()[0]
    halves = np.abs(error[: len(error) // 2]).max(), np.abs(error[len(error) // 2 :]).max()
    assert halves[1] < 1.1 * halves[0]


@pytest.mark.parametrize("duration", [1.0, 0.95, 0.954])
@pytest.mark.parametrize("every", [2, 3, 7, 1000])
def test_thinned_runs_are_the_same_bits(duration: float, every: int):
    settings = {"q": FOLDED, "duration": duration, "dt": 0.02}
    full = bough.simulate(loop(), **settings)
    thin = bough.simulate(loop(), **settings, every=every)
    kept = np.unique(np.append(np.arange(0, len(full), every), len(full) - 1))
    for name in ("t", "q", "v", "p", "lam"):
        assert np.array_equal(getattr(thin, name), getattr(full, name)[kept]), name
    assert thin.rerun() == thin


def test_last_step_of_a_variational_run_is_shorter_where_the_steps_do_not_fit():
    run = bough.simulate(pendulum(), q=[0.5], duration=0.25, dt=0.1)
    assert run.t.tolist() == [0.0, 0.1, 0.2, 0.25]
    vi = bough.MidpointVI(pendulum(), 0.1)
    state = vi.start([0.5])
    for dt in (0.1, 0.1, 0.05):
        state = vi.step(state, dt=dt)
    np.testing.assert_allclose(run.q[-1], state.q, rtol=0, atol=1e-14)


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
def test_constraint_forces_are_those_of_the_continuous_dynamics(integrator: str):
    run = bough.simulate(loop(), FOLDED, duration=1.0, dt=0.001, integrator=integrator)
    _, forces = run.model.acceleration_and_multipliers(run.q, run.v)
    scale = np.abs(forces).max()
    np.testing.assert_allclose(run.lam[1:], forces[1:], rtol=0, atol=1e-4 * scale)
    # the force of the first step belongs to a quarter of a step after the start
    np.testing.assert_allclose(run.lam[0], forces[0], rtol=0, atol=2e-3 * scale)
    assert np.abs(run.constraint_error()).max() < (1e-9 if integrator == "dop853" else 1e-12)


def test_prescribed_motion_agrees_with_the_continuous_dynamics():
    settings = {"q": {"angle": 0.3}, "k": {"x": lambda t: 0.3 * np.sin(4 * t)}, "duration": 2.0}
    exact = bough.simulate(cart(), **settings, dt=0.01, integrator="dop853")
    errors = [
        np.abs(bough.simulate(cart(), **settings, dt=dt, every=every).q[-1] - exact.q[-1]).max()
        for dt, every in ((0.01, 1), (0.005, 2))
    ]
    assert errors[0] < 1e-3
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.05)


def test_start_takes_part_in_a_prescribed_motion():
    run = bough.simulate(cart(), k={"x": lambda t: 2.0 * t}, duration=1.0)
    # the pivot moves evenly from the start, and the bob at rest beside it swings back
    np.testing.assert_allclose(run.v[:, 1], 2.0, rtol=1e-9)
    np.testing.assert_allclose(run["angle"], 0.0, atol=1e-12)


ALL = pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])


@ALL
def test_forms_of_inputs_agree(integrator: str):
    t = np.arange(50) * 0.02
    table = np.stack([np.sin(3 * t), np.full(50, 0.2)], axis=1)

    def both(t: float, state: bough.State) -> list[float]:
        return [np.sin(3 * t), 0.2]

    def torque(t: float, state: bough.State) -> float:
        return float(np.sin(3 * t))

    forms = (table, both, {"torque": table[:, 0], "twist": 0.2}, {"torque": torque, "twist": 0.2})
    runs = [bough.simulate(motor(), u=u, duration=1.0, dt=0.02, integrator=integrator) for u in forms]
    for run in runs:
        np.testing.assert_allclose(run.q, runs[0].q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(run.u[:-1], table, rtol=0, atol=1e-14)
        assert np.array_equal(run.u[-1], run.u[-2])


@ALL
def test_constant_inputs(integrator: str):
    constant = bough.simulate(motor(), u={"torque": 1.5}, duration=0.5, integrator=integrator)
    rows = bough.simulate(motor(), u=np.tile([1.5, 0.0], (50, 1)), duration=0.5, integrator=integrator)
    np.testing.assert_allclose(constant.q, rows.q, rtol=0, atol=1e-9)
    assert (constant.u == [1.5, 0.0]).all()
    none = bough.simulate(motor(), duration=0.5, integrator=integrator)
    assert (none.u == 0.0).all()


@ALL
def test_feedback_is_recorded_and_repeated_from_a_file(integrator: str, tmp_path):
    seen = []

    def control(t: float, state: bough.State) -> dict[str, float]:
        seen.append((t, state.t))
        return {"torque": -30.0 * (state.q[0] - 0.5) - 8.0 * state.v[0] - 9.81 * 2 * np.sin(-state.q[0])}

    run = bough.simulate(motor(), u=control, duration=4.0, dt=0.01, integrator=integrator, every=5)
    assert seen == [(t, t) for t in (np.arange(400) * 0.01).tolist()] or np.allclose(
        seen, np.arange(400)[:, None] * 0.01
    )
    assert len(run) == 81
    assert abs(run["shoulder"][-1] - 0.5) < 0.2
    assert bough.load_trajectory(run.save(tmp_path / "run.npz")).rerun() == run


def test_threads_share_a_model():
    model = double_pendulum()
    starts = [{"shoulder": 0.2 * i} for i in range(1, 9)]

    def run(start: dict[str, float]) -> bough.Trajectory:
        return bough.simulate(model, start, duration=20.0)

    alone = [run(start) for start in starts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, starts)) == alone


def test_integrator_object():
    vi = bough.MidpointVI(double_pendulum(), dt=0.02, alpha=0.4, tolerance=1e-10)
    run = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=1.0, integrator=vi)
    named = bough.simulate(
        double_pendulum(), {"shoulder": 0.8}, duration=1.0, dt=0.02, alpha=0.4, tolerance=1e-10
    )
    assert run == named
    assert run.settings == named.settings


@pytest.mark.parametrize("stabilization", ["projection", ("baumgarte", 20.0, 20.0)])
def test_stabilization_against_drift(stabilization: object):
    settings = {"duration": 10.0, "dt": 0.01, "integrator": "rk45", "rtol": 1e-6, "atol": 1e-8}
    drifting = bough.simulate(loop(), FOLDED, **settings)
    held = bough.simulate(loop(), FOLDED, **settings, stabilization=stabilization)
    error = np.abs(held.constraint_error()).max()
    assert error < 0.1 * np.abs(drifting.constraint_error()).max()
    if stabilization == "projection":
        assert error < 1e-13
        rates = np.einsum("tci,ti->tc", held.model.constraint_dq(held.q), held.v)
        assert np.abs(rates).max() < 1e-12
    assert held.rerun() == held


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal"])
def test_a_body_dropped_from_rest_with_its_mass_off_the_origin(integrator: str) -> None:
    """Nothing moves along x and y: those rows are made of round-off alone, and must not stop the step."""
    system = bough.System("stone")
    system.world.free("stone", mass=1.0, inertia=(1.0, 1.0, 1.0), com=(0.1, 0.02, 0.0))
    run = bough.simulate(system.build(), duration=0.2, dt=0.01, integrator=integrator)
    np.testing.assert_allclose(run["stone_tz"][-1], -0.5 * 9.81 * 0.2**2, rtol=1e-12)
