"""order=4, 6, 8 of the trapezoidal and the reduced rule by compositions. Those of the midpoint rule: test_gauss.py."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.higher_order import CASES
from support.transforms import Array

COMPOSED = {"integrator": "trapezoidal", "order": 4}
PRECISE = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-13}


def double_pendulum() -> bough.Model:
    system = bough.System("double pendulum")
    elbow = system.world.ry("a").tz(-1.0, mass=1.0)
    elbow.ry("b").tz(-1.0, mass=1.0)
    return system.build()


def test_order() -> None:
    model, start = double_pendulum(), {"a": 1.0, "b": 0.5}
    truth = bough.simulate(model, start, duration=2.0, dt=0.5, **PRECISE).q[-1]
    errors = [
        np.max(np.abs(bough.simulate(model, start, duration=2.0, dt=dt, **COMPOSED).q[-1] - truth))
        for dt in (0.04, 0.02, 0.01)
    ]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 4.0) < 0.15), slopes


def test_order_with_a_loop() -> None:
    """A slider crank: in the part that goes back in time, Newton's method must not stop too early."""
    system, inertia = bough.System("slider crank"), (0.1, 0.1, 0.1)
    end = system.world.ry("crank").tx(0.5, mass=1.0, inertia=inertia).tx(0.5)
    pin = end.ry("rod").tx(0.5, mass=1.0, inertia=inertia).tx(0.5, name="pin")
    system.add(bough.PlaneConstraint(pin, system.world.frame("ground"), normal=(0, 0, 1)))
    model, start = system.build(), {"crank": np.pi / 3, "rod": -2.0 * np.pi / 3}
    truth = bough.simulate(model, start, duration=2.0, dt=0.5, stabilization="projection", **PRECISE).q[-1]
    errors = [
        np.max(np.abs(bough.simulate(model, start, duration=2.0, dt=dt, **COMPOSED).q[-1] - truth))
        for dt in (0.05, 0.025, 0.0125, 0.00625, 0.003125)
    ]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes[:3] - 4.0) < 0.1), slopes
    assert errors[-1] < 6e-12  # 8e-12 by the slope, and the truth and the tolerance have errors of this size


@pytest.mark.parametrize("order", [6, 8])
@pytest.mark.parametrize("name", ["pendulum_of_five", "slider_crank", "four_bar"])
def test_orders_6_and_8(name: str, order: int) -> None:
    case = CASES[name]()
    settings = {**case.start, "duration": 1.0}
    exact = bough.simulate(case.model, **settings, dt=1e-3, every=1000, order=8).q[-1]
    counts = np.array({6: (20, 40), 8: (14, 20)}[order])
    runs = [
        bough.simulate(case.model, **settings, dt=1.0 / n, every=n, integrator="trapezoidal", order=order)
        for n in counts
    ]
    errors = [np.abs(run.q[-1] - exact).max() for run in runs]
    slope = np.log(errors[0] / errors[1]) / np.log(counts[1] / counts[0])
    assert slope == pytest.approx(order, abs=0.15), errors
    assert sum(run.statistics["halvings"] for run in runs) == 0
    for run in runs:
        assert (np.abs(run.constraint_error()) <= 2e-14 * run.model.constraint_scale(run.q)).all()


@pytest.mark.parametrize("order", [4, 6, 8])
@pytest.mark.parametrize("tau", ["cayley", "exp"])
def test_reduced_rule(tau: str, order: int) -> None:
    """A satellite with an arm: the pose of its base, and the momentum, which nothing changes."""
    system = bough.System("satellite", gravity=None)
    body = system.world.free("base", mass=10.0, inertia=(1, 2, 3))
    body.tx(0.5).rz("joint").tx(1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = system.build()

    def end(steps: int, order: int) -> Array:
        vi = bough.ReducedVI(model, 1.0 / steps, tau=tau, order=order)
        state = vi.start(xi=(0.1, 2.0, 0.3, 0, 0, 0), v={"joint": 0.3})
        momentum = state.mu
        for _ in range(steps):
            state = vi.step(state)
        assert np.abs(state.mu - momentum).max() < 1e-13
        assert state.t == pytest.approx(1.0, abs=1e-14)
        return np.asarray(state.g)

    exact, counts = end(100, 8), np.array((10, 20))
    errors = [np.abs(end(n, order) - exact).max() for n in counts]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2), errors


def test_reduced_runs_and_files_hold_the_order() -> None:
    run = bough.simulate(double_pendulum(), {"a": 1.0}, duration=0.5, dt=0.01, integrator="reduced", order=6)
    other = bough.simulate(double_pendulum(), {"a": 1.0}, duration=0.5, dt=0.01, order=8)
    assert run.settings["order"] == 6
    assert run.rerun() == run
    np.testing.assert_allclose(run.q, other.q, rtol=0, atol=1e-9)


def test_damping_that_feeds_the_reduced_rule() -> None:
    with pytest.raises(bough.ConvergenceError, match=r"goes back in time.* order=2 has no such part"):
        bough.simulate(damped(3.2, 0.01), [1.0], [3.0], duration=1.0, dt=0.01, integrator="reduced", order=4)


def damped(rate: float, dt: float) -> bough.Model:
    """A pendulum of 1 kg m^2 whose damping rate times dt is given."""
    system = bough.System("damped")
    system.world.ry("a").tz(-1.0, mass=1.0)
    system.add(bough.Damping(rate / dt))
    return system.build()


@pytest.mark.parametrize("rate", [2.5, 3.0, 3.0398, 3.04, 3.05, 4.0])
def test_damping_that_feeds_the_part_back(rate: float) -> None:
    """2 / |1 - 4b| = 3.0397: there a step grew without bound, to 1e168 in a hundred of them."""
    with pytest.raises(bough.ConvergenceError, match=r"goes back in time.* order=2 has no such part"):
        bough.simulate(damped(rate, 0.01), [1.0], [3.0], duration=1.0, dt=0.01, **COMPOSED)


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # of a fall that is braked within a step
@pytest.mark.parametrize("rate", [0.5, 2.3])
def test_damping_below_that(rate: float) -> None:
    """The motion creeps down, as that of second order with a tenth of the step does."""
    model, start = damped(rate, 0.01), ([1.0], [3.0])
    found = bough.simulate(model, *start, duration=1.0, dt=0.01, **COMPOSED).q[-1]
    fine = bough.simulate(model, *start, duration=1.0, dt=0.001).q[-1]
    assert found == pytest.approx(fine, abs=1e-4)


def driven() -> bough.Model:
    system = bough.System("driven")
    system.world.tx(bough.kinematic("x")).ry("a").tz(-1.0, mass=1.0)
    return system.build()


def test_kinematic_variables_are_of_second_order_and_told() -> None:
    model, start, k = driven(), {"a": 0.5}, {"x": lambda t: 0.3 * np.sin(4.0 * t)}
    truth = bough.simulate(model, start, k=k, duration=1.0, dt=1e-3, every=1000, **PRECISE).q[-1, 0]
    errors = []
    for dt in (0.02, 0.01):
        with pytest.warns(bough.BoughWarning, match=r"second order only: the kinematic variables 'x'"):
            run = bough.simulate(model, start, k=k, duration=1.0, dt=dt, **COMPOSED)
        errors.append(abs(run.q[-1, 0] - truth))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_kinematic_variables_that_move_evenly_spoil_nothing(recwarn: pytest.WarningsRecorder) -> None:
    bough.simulate(driven(), {"a": 0.5}, k={"x": lambda t: 0.3 * t}, duration=0.2, dt=0.01, **COMPOSED)
    assert not recwarn


def pushed(ball: bool) -> bough.Model:
    """A pendulum with a torque, about an axis or of a ball."""
    system = bough.System("pushed")
    joint = system.world.ball("a") if ball else system.world.ry("a")
    joint.tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.ConfigurationForce("a_wy" if ball else "a", "torque"))
    return system.build()


@pytest.mark.parametrize("ball", [False, True])
def test_inputs_of_time_are_held_and_told(ball: bool) -> None:
    model, u = pushed(ball), {"torque": lambda t: np.exp(t)}
    method = {"integrator": "midpoint" if ball else "trapezoidal", "order": 4}
    other = "leave order at 2" if ball else r"integrator='midpoint' calls them at its stages"
    truth = bough.simulate(pushed(False), u=u, duration=1.0, dt=0.01, order=8).energy()[-1]
    errors = []
    for dt in (0.02, 0.01):
        with pytest.warns(bough.BoughWarning, match=rf"first order only: .* inputs 'torque', .*; {other}"):
            run = bough.simulate(model, u=u, duration=1.0, dt=dt, **method)
        errors.append(abs(run.energy()[-1] - truth))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.1)


def test_held_inputs_spoil_nothing(recwarn: pytest.WarningsRecorder) -> None:
    for u in ({"torque": lambda t: 0.3}, np.linspace(0.0, 1.0, 20)[:, None], lambda t, state: [np.sin(t)]):
        bough.simulate(pushed(False), u=u, duration=0.2, dt=0.01, integrator="trapezoidal", order=4)
    bough.simulate(pushed(False), u=lambda t: [np.sin(t)], duration=0.2, dt=0.01, order=4)
    assert not recwarn


def test_rerun_and_settings() -> None:
    run = bough.simulate(double_pendulum(), {"a": 1.0}, duration=0.5, dt=0.01, **COMPOSED)
    assert run.settings["order"] == 4
    assert run.rerun() == run
