"""simulate: motions with a known solution, the grid of instants, prescribed motion, stopping and going on."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from scipy.special import ellipk

import bough

SCIPY = ("rk45", "rk23", "dop853", "radau", "bdf", "lsoda")
G = 9.81


def pendulum(length: float = 1.0) -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-length, name="bob", mass=2.0)
    return system.build()


def double_pendulum() -> bough.Model:
    system = bough.System("double-pendulum")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    return system.build()


def cart() -> bough.Model:
    """A pendulum whose pivot is moved along x."""
    system = bough.System("cart")
    system.world.tx(bough.kinematic("x"), mass=1.0).ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


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


# --- stopping and going on ---


def test_a_state_continues_the_motion():
    settings = {"dt": 0.05, "integrator": "dop853"}
    whole = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=2.0, **settings)
    first = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=1.0, **settings)
    second = bough.simulate(double_pendulum(), first[-1], duration=1.0, **settings)
    assert (second.t[0], second.t[-1]) == (1.0, 2.0)
    np.testing.assert_allclose(second.q[-1], whole.q[-1], rtol=0, atol=1e-7)


def interrupted_after(seconds: float, **settings: object) -> tuple[object, float]:
    """What a run gives when Ctrl-C comes, and how long after it."""
    sent = []

    def interrupt() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, interrupt)
    timer.start()
    try:
        outcome: object = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=1e6, **settings)
    except KeyboardInterrupt as error:
        outcome = error
    took = time.perf_counter() - sent[0]
    timer.join()
    return outcome, took


def test_interrupt_raises_with_the_trajectory():
    error, took = interrupted_after(0.3, integrator="rk45", dt=0.1)
    assert isinstance(error, KeyboardInterrupt)
    run = error.trajectory
    assert str(error) == (
        f"simulation interrupted at t = {run.t[-1]:.6g}; the motion so far is its .trajectory"
    )
    assert run.status == "interrupted"
    assert len(run) > 2
    assert took < 0.2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupt_returns_the_trajectory_on_request():
    run, took = interrupted_after(0.3, integrator="rk45", dt=0.1, on_failure="stop")
    assert isinstance(run, bough.Trajectory)
    assert run.status == "interrupted"
    assert took < 0.2
    again = run.rerun()
    assert again.status == "finished"
    np.testing.assert_allclose(again.q[:10], run.q[:10], rtol=0, atol=1e-9)


def test_failure_keeps_what_was_computed():
    # the angle of the middle axis passes pi/2, where the two others turn about the same axis
    system = bough.System("gimbal")
    system.world.rz("a").ry("b").rx("c", mass=1.0, inertia=(1.0, 1.0, 1.0))
    settings = {"v": {"b": 1.0, "a": 0.1}, "duration": 3.0, "dt": 0.1, "integrator": "dop853"}
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(system.build(), **settings, first_step=np.pi / 2, rtol=1e3, atol=1e3)
    run = caught.value.trajectory
    assert run.status == "failed"
    stopped = bough.simulate(
        system.build(), **settings, first_step=np.pi / 2, rtol=1e3, atol=1e3, on_failure="stop"
    )
    assert stopped == run


def test_progress_bar_on_request(capsys):
    bough.simulate(pendulum(), q=[0.5], duration=1.0, integrator="rk45", progress=True)
    assert "pendulum" in capsys.readouterr().err
    bough.simulate(pendulum(), q=[0.5], duration=1.0, integrator="rk45")
    assert capsys.readouterr().err == ""
