"""Inputs of a run in every form: arrays, functions of time or of the state, splines, by name or together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline, PchipInterpolator, interp1d, make_interp_spline

import bough
from bough.motion.inputs import takes_state

TIMES = np.linspace(0.0, 2.0, 5)
FIRST, SECOND = np.array([0.0, 1.0, -0.5, 0.3, 0.0]), np.array([0.4, -0.2, 0.0, 0.8, 0.1])
DT = 0.02
STEPS = np.arange(50) * DT


def arm(inputs: int = 2) -> bough.Model:
    system = bough.System("arm")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    system.add(bough.BodyWrench("elbow", fx="thrust"))
    if inputs > 1:
        system.add(bough.ConfigurationForce("forearm", "torque"))
    return system.build()


def simulate(u: Any, model: bough.Model | None = None, integrator: str = "midpoint") -> bough.Trajectory:
    model = arm() if model is None else model
    return bough.simulate(model, {"shoulder": 0.4}, u=u, duration=1.0, dt=DT, integrator=integrator)


BOTH = CubicSpline(TIMES, np.column_stack([FIRST, SECOND]))
FORMS: dict[str, Any] = {
    "function of time": lambda t: BOTH(t),
    "function of time and state": lambda t, state: BOTH(t),
    "spline": BOTH,
    "list of numbers": lambda t: [float(x) for x in BOTH(t)],
    "by name from a function": lambda t: dict(zip(("thrust", "torque"), BOTH(t), strict=True)),
    "columns": {"thrust": BOTH(STEPS)[:, 0], "torque": BOTH(STEPS)[:, 1]},
    "splines by name": {"thrust": CubicSpline(TIMES, FIRST), "torque": CubicSpline(TIMES, SECOND)},
    "spline and array": {"thrust": CubicSpline(TIMES, FIRST), "torque": BOTH(STEPS)[:, 1]},
    "spline and feedback": {
        "thrust": CubicSpline(TIMES, FIRST),
        "torque": lambda t, state: float(BOTH(state.t)[1]),
    },
    "splines of one column": {
        "thrust": CubicSpline(TIMES, FIRST[:, None]),
        "torque": CubicSpline(TIMES, SECOND[:, None]),
    },
}


@pytest.mark.filterwarnings("ignore:u of .* is held:bough.BoughWarning")
@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal", "dop853"])
@pytest.mark.parametrize("form", FORMS)
def test_all_forms_are_one(form: str, integrator: str) -> None:
    expected = simulate(BOTH(STEPS), integrator=integrator)
    run = simulate(FORMS[form], integrator=integrator)
    np.testing.assert_allclose(run.u, expected.u, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.q, expected.q, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(run.u[-1], run.u[-2])


@pytest.mark.parametrize(
    "spline",
    [
        CubicSpline(TIMES, FIRST),
        make_interp_spline(TIMES, FIRST, k=2),
        PchipInterpolator(TIMES, FIRST),
        interp1d(TIMES, FIRST),
        np.poly1d([1.0, 0.5, 0.0]),
        np.sin,
        np.polynomial.Polynomial([0.0, 1.0, 2.0]),
    ],
    ids=lambda spline: type(spline).__name__,
)
def test_one_input_takes_a_scalar_function(spline: Callable[[Any], Any]) -> None:
    run = simulate(spline, arm(1))
    np.testing.assert_allclose(run.u[:-1, 0], spline(STEPS), rtol=1e-14, atol=1e-15)
    assert run == simulate({"thrust": spline}, arm(1))
    assert run == simulate(np.asarray(spline(STEPS))[:, None], arm(1))


def test_one_input_takes_a_number_from_feedback() -> None:
    run = simulate(lambda t, state: -0.3 * state.v[0], arm(1))
    np.testing.assert_allclose(run.u[:-1, 0], -0.3 * run.v[:-1, 0], rtol=1e-12, atol=1e-15)


def test_one_kinematic_variable_takes_a_spline() -> None:
    system = bough.System("cart")
    system.world.tx(bough.kinematic("x")).ry("angle").tz(-1.0, mass=1.0)
    model, spline = system.build(), CubicSpline(TIMES, FIRST)
    runs = [bough.simulate(model, k=k, duration=1.0) for k in (spline, {"x": spline})]
    np.testing.assert_allclose(runs[0]["x"], spline(runs[0].t), rtol=0, atol=1e-15)
    assert runs[0] == runs[1]


class Controller:
    def __call__(self, t: float, state: bough.State) -> list[float]:
        return [0.0, 0.0]

    def of_time(self, t: float) -> list[float]:
        return [0.0, 0.0]

    @staticmethod
    def alone(t: float) -> list[float]:
        return [0.0, 0.0]


def with_gain(gain: float, t: float, state: bough.State) -> list[float]:
    return [gain, gain]


def test_which_functions_take_the_state() -> None:
    for function in (
        lambda t, state: None,
        lambda t, state=None: None,
        lambda *both: None,
        lambda t, x: None,
        Controller(),
        partial(with_gain, 2.0),
        np.add,
        max,  # written in C, says nothing of its arguments
    ):
        assert takes_state(function)
    for function in (
        lambda t: None,
        lambda t, gain=2.0: None,
        lambda t, *, state=None: None,
        Controller().of_time,
        Controller.alone,
        CubicSpline(TIMES, FIRST),
        BOTH,
        make_interp_spline(TIMES, FIRST),
        np.cos,
    ):
        assert not takes_state(function)


def test_a_function_of_time_is_called_before_the_run_and_once_a_step() -> None:
    called: list[float] = []

    def u(t: float) -> list[float]:
        called.append(t)
        return [0.0, 0.0]

    run = bough.simulate(arm(), u=u, duration=0.25, dt=0.1, t0=3.0)
    assert called == [3.0, 3.1, 3.2]
    assert run.t[-1] == 3.25
    assert run.rerun() == run
    assert len(called) == 3


def test_no_steps() -> None:
    for u in (lambda t: [1.0, 2.0], lambda t, state: [1.0, 2.0], {"thrust": lambda t: 1.0}):
        assert len(bough.simulate(arm(), u=u, duration=0.0)) == 1


def test_a_spline_in_the_middle_of_the_steps_keeps_second_order() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    model, torque = system.build(), CubicSpline(TIMES, 5.0 * FIRST)
    exact = solve_ivp(
        lambda t, y: [y[1], torque(t) - 9.81 * np.sin(y[0])],
        (0.0, 2.0),
        [0.4, 0.0],
        "DOP853",
        rtol=1e-12,
        atol=1e-12,
        max_step=0.1,
    ).y[0, -1]
    errors = {}
    for dt in (0.02, 0.01, 0.005):
        for shift in (0.0, 0.5):
            u = lambda t, shift=shift * dt: torque(t + shift)  # noqa: E731
            run = bough.simulate(model, {"angle": 0.4}, u=u, duration=2.0, dt=dt)
            errors[dt, shift] = abs(run["angle"][-1] - exact)
    assert errors[0.02, 0.5] / errors[0.01, 0.5] == pytest.approx(4.0, rel=0.1)
    assert errors[0.01, 0.5] / errors[0.005, 0.5] == pytest.approx(4.0, rel=0.1)
    assert errors[0.005, 0.5] < 0.1 * errors[0.005, 0.0]


# what is asked, and the three parts of the message
CASES: dict[str, tuple[Any, str, str, str]] = {
    "size": (
        lambda t: [1.0],
        "u(0) of a simulation of model 'arm'",
        "shape (1,), but the model has 2 inputs",
        "give 2 numbers, or a mapping from names to numbers",
    ),
    "number for two": (
        lambda t: 1.0,
        "u(0) of a simulation of model 'arm'",
        "1.0, but the model has 2 inputs",
        "give 2 numbers, or a mapping from names to numbers",
    ),
    "nan": (
        lambda t: [0.0, float("nan") if t > 0.3 else 0.0],
        "u(0.32) of a simulation of model 'arm'",
        "nan for 'torque'",
        "give finite numbers",
    ),
    "spline outside its range": (
        CubicSpline([0.0, 0.1, 0.2, 0.3], np.zeros((4, 2)), extrapolate=False),
        "u(0.32) of a simulation of model 'arm'",
        "nan for 'thrust'",
        "give finite numbers",
    ),
    "text by name": (
        {"thrust": lambda t: "much"},
        "u['thrust'](0)='much' in a simulation of model 'arm'",
        "u['thrust'](0) is not a number",
        "give u['thrust'](0) as a real number",
    ),
    "unknown name": (
        {"trust": lambda t: 1.0},
        "input 'trust' in u of a simulation of model 'arm'",
        "no input has this name; the nearest is 'thrust'",
        "correct the spelling",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    u, asked, found, do = CASES[case]
    with pytest.raises(bough.ModelError) as caught:
        simulate(u)
    assert str(caught.value) == f"{asked}\n  found: {found}\n  do: {do}"
