"""How runs end and go on: Ctrl-C, steps that cannot be made, errors of the user, another run from a state."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import bough
from bough.watch import QUIET
from support.simulated import double_pendulum, motor, pendulum


def test_a_state_continues_the_motion():
    settings = {"dt": 0.05, "integrator": "dop853"}
    whole = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=2.0, **settings)
    first = bough.simulate(double_pendulum(), {"shoulder": 0.8}, duration=1.0, **settings)
    second = bough.simulate(double_pendulum(), first[-1], duration=1.0, **settings)
    assert (second.t[0], second.t[-1]) == (1.0, 2.0)
    np.testing.assert_allclose(second.q[-1], whole.q[-1], rtol=0, atol=1e-7)


def interrupted_after(seconds: float, **settings: object) -> object:
    """What a run gives when Ctrl-C comes."""
    first = {**settings, "duration": 0.1, "every": 1}  # imports what the method needs
    bough.simulate(double_pendulum(), {"shoulder": 0.8}, **first)
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        outcome: object = bough.simulate(
            double_pendulum(), {"shoulder": 0.8}, **{"duration": 1e6, **settings}
        )
    except KeyboardInterrupt as error:
        outcome = error
    timer.join()
    return outcome


def test_interrupt_raises_with_the_trajectory():
    error = interrupted_after(0.3, integrator="rk45", dt=0.1, duration=1e4)
    assert isinstance(error, KeyboardInterrupt)
    run = error.trajectory
    assert str(error) == (
        f"simulation interrupted at t = {run.t[-1]:.6g}; the motion so far is its .trajectory"
    )
    assert run.status == "interrupted"
    assert len(run) > 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupt_returns_the_trajectory_on_request():
    run = interrupted_after(0.3, integrator="rk45", dt=0.1, duration=1e4, on_failure="stop")
    assert isinstance(run, bough.Trajectory)
    assert run.status == "interrupted"
    again = run.rerun()
    assert (again.status, again.settings["duration"]) == (run.status, run.settings["duration"])
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


def shortening() -> bough.Model:
    """A pendulum whose bob hangs on a second wire of prescribed length, which soon is too long for it."""
    system = bough.System("wire")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    length = bough.kinematic("length")
    system.add(bough.DistanceConstraint("bob", system.world.tx(1.0, name="hook"), length, name="wire"))
    return system.build()


def test_error_in_a_function_of_the_user_carries_the_trajectory():
    def control(t: float, state: bough.State) -> list[float]:
        if t > 0.499:
            raise ZeroDivisionError("in control")
        return [0.0, 0.0]

    with pytest.raises(ZeroDivisionError, match="in control") as caught:
        bough.simulate(motor(), u=control, duration=1.0, every=7)
    run = caught.value.trajectory
    assert run.status == "failed"
    assert run.t[-1] == pytest.approx(0.5)


@pytest.mark.parametrize("integrator", ["rk45", "rk4", "midpoint", "velocity"])
def test_rows_of_a_run_that_stops_between_two_recorded_ones(integrator: str):
    def control(t: float, state: bough.State) -> list[float]:
        if t > 0.49:
            raise ZeroDivisionError
        return [t, 0.0]

    with pytest.raises(ZeroDivisionError) as caught:
        bough.simulate(motor(), u=control, duration=1.0, dt=0.1, every=2, integrator=integrator)
    run = caught.value.trajectory
    assert run.settings["steps"] == 5
    np.testing.assert_allclose(run.t[:3], [0.0, 0.2, 0.4])
    np.testing.assert_allclose(run.u[:3, 0], [0.0, 0.2, 0.4])
    again = run.rerun()  # as far as it came
    assert again.t[-1] == 0.5
    for name in ("t", "q", "v", "u"):
        assert np.array_equal(getattr(again, name)[: len(run)], getattr(run, name)), name


def test_constraint_forces_of_a_run_that_stops_between_two_recorded_rows():
    # a bead on a vertical rod that is moved with acceleration 1: the rod gives what the push does not
    system = bough.System("bead")
    rod = system.world.tx(bough.kinematic("x"), name="rod")
    bead = system.world.tx("along").tz("up", name="bead", mass=2.0)
    system.add(bough.PointConstraint(bead, rod, axis=(1, 0, 0)))
    system.add(bough.ConfigurationForce("along", "push"))

    def push(t: float, state: bough.State) -> float:
        if t > 0.49:
            raise ZeroDivisionError
        return t

    settings = {"k": {"x": lambda t: 0.5 * t**2}, "duration": 1.0, "dt": 0.1, "every": 2}
    with pytest.raises(ZeroDivisionError) as caught:
        bough.simulate(system.build(), u=push, integrator="rk45", **settings)
    run = caught.value.trajectory
    np.testing.assert_allclose(np.abs(run.lam[:, 0]), [2.0, 2.0 - 0.2, 2.0 - 0.4], rtol=0, atol=1e-9)


@pytest.mark.parametrize("every", [1, 7])
def test_a_step_that_cannot_be_made(every: int):
    start = {"angle": 0.0, "length": np.sqrt(2)}
    settings = {"k": {"length": lambda t: np.sqrt(2) + 0.3 * t}, "duration": 3.0, "every": every}
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(shortening(), start, **settings)
    error = caught.value
    # the bob cannot be farther from the hook than 2
    assert error.time == pytest.approx((2 - np.sqrt(2)) / 0.3, abs=0.01)
    assert error.step == round(error.time / 0.01)
    assert error.iterations == 20
    assert error.residual > 1e-9
    run = error.trajectory
    assert run.status == "failed"
    assert run.t[-1] == error.time
    assert np.abs(run.constraint_error()).max() < 1e-12
    stopped = bough.simulate(shortening(), start, **settings, on_failure="stop")
    assert stopped == run
    again = run.rerun()  # as far as it came
    assert again.status == run.status == "failed"
    assert np.array_equal(again.q, run.q)
    assert np.array_equal(again.lam[:-1], run.lam[:-1])


def test_interrupt_of_a_variational_run():
    run = interrupted_after(0.3, integrator="midpoint", dt=0.01, every=100, on_failure="stop")
    assert run.status == "interrupted"
    assert run.statistics["steps"] == run.settings["steps"] > 1000
    again = run.rerun()
    assert (again.status, again.settings["duration"]) == (run.status, run.settings["duration"])
    assert np.array_equal(again.q, run.q)


def test_interrupt_of_feedback():
    def control(t: float, state: bough.State) -> list[float]:
        if t == 0.01:  # the run is under way
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        return [0.0, 0.0]

    run = bough.simulate(motor(), u=control, duration=1e4, dt=0.01, on_failure="stop")
    assert run.status == "interrupted"
    assert len(run) == run.settings["steps"] + 1


def test_a_second_interrupt_ends_feedback_that_hangs():
    after = []

    def control(t: float, state: bough.State) -> list[float]:
        if t == 0.01:
            time.sleep(2.0 * QUIET)  # runs that are shorter have no handlers
        while t > 0.495:
            signal.raise_signal(signal.SIGINT)
            after.append(t)
        return [0.0, 0.0]

    run = bough.simulate(motor(), u=control, duration=1.0, dt=0.01, on_failure="stop")
    assert len(after) == 1  # the first only was survived
    assert (run.status, len(run)) == ("interrupted", 51)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
