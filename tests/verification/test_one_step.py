"""The methods of fixed step on the equations of motion: semi-implicit Euler, RK4, the implicit midpoint rule.

Truths: the formulas of the methods in NumPy on `model.acceleration`, closed forms of the linear oscillator,
DOP853 at 1e-12, and their theoretical orders and stability limits.
"""

from __future__ import annotations

from functools import cache
from math import acos, atan, cos, factorial, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.comparison.distance import Distance
from bough.model.projection import projected
from support.formulations import CASES
from support.mechanisms import closed_chain
from support.random_systems import Moving, random_system, with_all_transforms
from support.transforms import Array

DURATION = 0.4
JOINTS, SEED = 9, 40
ORDERS = {"semi-implicit-euler": 1, "rk4": 4, "implicit-midpoint": 2}
COUNTS = {1: (640, 1280, 2560), 2: (80, 160, 320), 4: (16, 32, 64)}
SYSTEMS: dict[str, dict[str, Any]] = {
    "tree": {"springs": False, "damping": False, "inputs": False},
    "springs and damping": {},
    "constraints": {"constraints": 3, "driven_length": True},
}

# Between dt and dt / 2 the next power of dt changes the slope by some dt / (time scale of the motion).
# RK4 meets round-off at short steps, so its steps are ten times longer than those of the others.
SLOPE = {1: 0.03, 2: 0.03, 4: 0.15}


@cache
def system(kind: str) -> Moving:
    return random_system(with_all_transforms(SEED, JOINTS), JOINTS, **SYSTEMS[kind])


@cache
def truth(kind: str) -> bough.Trajectory:
    moving = system(kind)
    # no step of the method is longer than one of the spline that the kinematic variables follow
    options: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-15, "max_step": 0.002}
    return bough.simulate(moving.model, **moving.start, duration=DURATION, dt=0.002, every=200, **options)


@pytest.mark.parametrize(
    ("kind", "stabilization"),
    [(kind, None) for kind in SYSTEMS]
    + [("constraints", "projection"), ("constraints", ("baumgarte", 5.0, 5.0))],
)
@pytest.mark.parametrize("method", ORDERS)
def test_order(method: str, kind: str, stabilization: Any) -> None:
    moving, exact, order = system(kind), truth(kind), ORDERS[method]
    errors = []
    for count in COUNTS[order]:
        run = bough.simulate(
            moving.model,
            **moving.start,
            duration=DURATION,
            dt=DURATION / count,
            every=count,
            integrator=method,
            stabilization=stabilization,
        )
        errors.append([np.linalg.norm(run.q[-1] - exact.q[-1]), np.linalg.norm(run.v[-1] - exact.v[-1])])
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.abs(slopes[-1] - order).max() < SLOPE[order], f"slopes of q and v: {slopes}"


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", ["midpoint", "trapezoidal", *ORDERS])
def test_order_and_limit_of_the_formulations(name: str, method: str) -> None:
    """On the systems that the formulations in maximal coordinates are tested on: the same limit."""
    case, order = CASES[name](), ORDERS.get(method, 2)
    duration = 0.5
    counts = {1: (1000, 2000, 4000), 2: (100, 200, 400), 4: (25, 50, 100)}[order]
    exact = bough.simulate(
        case.model,
        case.q,
        case.v,
        duration=duration,
        dt=duration,
        integrator="dop853",
        rtol=1e-13,
        atol=1e-14,
    )
    ends = [
        bough.simulate(
            case.model, case.q, case.v, duration=duration, dt=duration / n, every=n, integrator=method
        ).q[-1]
        for n in counts
    ]
    errors = Distance(case.model)(np.array(ends), np.repeat(exact.q[-1:], 3, axis=0))
    slopes = np.log2(errors[:-1] / errors[1:])
    assert np.abs(slopes - order).max() < (0.3 if order == 4 else 0.05), slopes


def by_formula(method: str, moving: Moving, dt: float) -> tuple[Array, Array]:
    """One step at held kinematic variables, written as in a textbook on y = (q, v)."""
    model, q0, v0 = (
        moving.model,
        moving.q,
        np.where(np.arange(len(moving.v)) < moving.model.nd, moving.v, 0.0),
    )
    v0 = model.velocity(q0, model.momentum(q0, v0)[: model.nd])

    def rate(y: Array) -> Array:
        q, v = y
        a = model.acceleration(q, v, moving.u)
        return np.stack([v, a])

    y = np.stack([q0, v0])
    if method == "semi-implicit-euler":
        v1 = v0 + dt * rate(y)[1]
        return q0 + dt * v1, v1
    if method == "rk4":
        k1 = rate(y)
        k2 = rate(y + dt / 2 * k1)
        k3 = rate(y + dt / 2 * k2)
        k4 = rate(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y[0], y[1]
    then = y
    for _ in range(200):
        then = y + dt * rate((y + then) / 2)
    return then[0], then[1]


@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize("method", ORDERS)
def test_one_step_is_the_formula(method: str, kind: str) -> None:
    moving = system(kind)
    nd = moving.model.nd
    v = np.where(np.arange(moving.model.nq) < nd, moving.v, 0.0)
    dt = 0.01
    run = bough.simulate(
        moving.model, moving.q, v, u=moving.u, duration=dt, dt=dt, integrator=method, on_failure="raise"
    )
    q1, v1 = by_formula(method, moving, dt)
    scale = np.abs(v1).max() + np.abs(q1).max()
    assert np.abs(run.q[-1] - q1)[:nd].max() < 1e-13 * scale
    assert np.abs(run.v[-1] - v1)[:nd].max() < 1e-12 * scale


# --- the linear oscillator: q'' = -omega^2 q ---


@cache
def oscillator(omega: float) -> bough.Model:
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.ConfigurationSpring("x", omega**2))
    return system.build()


def amplification(method: str, z: float) -> Array:
    """The matrix of one step on (q, v / omega) with z = omega dt."""
    if method == "semi-implicit-euler":
        return np.array([[1 - z * z, z], [-z, 1.0]])
    if method == "rk4":
        turn = z * np.array([[0.0, 1.0], [-1.0, 0.0]])
        return sum(np.linalg.matrix_power(turn, k) / factorial(k) for k in range(5))
    angle = 2 * atan(z / 2)
    return np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])


@pytest.mark.parametrize("z", [0.1, 1.0, 1.9])
@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.filterwarnings(
    "ignore::bough.CoarseStepWarning"
)  # the closed form holds for steps of any length
def test_oscillator(method: str, z: float) -> None:
    omega, steps = 3.0, 50
    run = bough.simulate(
        oscillator(omega), {"x": 1.0}, {"x": 0.5}, duration=steps * z / omega, dt=z / omega, integrator=method
    )
    step, y = amplification(method, z), np.array([1.0, 0.5 / omega])
    for row in range(steps + 1):
        assert np.abs(run.q[row, 0] - y[0]) < 1e-12
        assert np.abs(run.v[row, 0] / omega - y[1]) < 1e-12
        y = step @ y


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # steps that jump over the motion on purpose
def test_implicit_midpoint_keeps_the_energy_of_a_stiff_oscillator() -> None:
    """At omega dt = 1000 the fixed-point iteration diverges by 250 000 a turn; Newton's method does not."""
    run = bough.simulate(
        oscillator(1e5), {"x": 1.0}, duration=2.0, dt=0.01, integrator="implicit-midpoint", tolerance=1e-14
    )
    energy = run.energy()
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-10  # round-off of 200 steps, times omega dt
    turn = 2 * atan(500.0)
    assert np.abs(run["x"] - np.cos(turn * np.arange(201))).max() < 1e-8


@pytest.mark.parametrize(("method", "limit"), [("semi-implicit-euler", 2.0), ("rk4", 2.0 * sqrt(2.0))])
@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # steps at the limit
def test_stability_limit(method: str, limit: float) -> None:
    """Just below the limit of omega dt the motion stays bounded, just above it grows without end."""
    omega = 7.0

    def grown(factor: float) -> float:
        dt = factor * limit / omega
        run = bough.simulate(
            oscillator(omega),
            {"x": 1.0},
            {"x": 0.3},
            duration=2000 * dt,
            dt=dt,
            integrator=method,
            on_failure="stop",
        )
        return float(np.abs(run["x"][-50:]).max())

    assert grown(0.99) < 20.0
    assert grown(1.01) > 1e10


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # its energy swings
def test_semi_implicit_euler_has_no_trend_in_energy() -> None:
    """It conserves q² + p² - omega dt q p exactly, so the energy oscillates within a factor of it."""
    z = 0.2
    run = bough.simulate(
        oscillator(1.0), {"x": 1.0}, duration=1e4 * z, dt=z, integrator="semi-implicit-euler"
    )
    kept = run["x"] ** 2 + run.v[:, 0] ** 2 - z * run["x"] * run.v[:, 0]
    assert np.abs(kept - kept[0]).max() < 1e-11
    assert acos(1 - z * z / 2) == pytest.approx(
        np.mean(np.diff(np.unwrap(np.arctan2(-run.v[:, 0], run["x"])))), rel=1e-3
    )


# --- constraints ---


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # a method of first order
def test_projection_ends_every_step_on_the_constraints(method: str) -> None:
    model = closed_chain()
    start = model.assemble({"J": 0.3})
    run = bough.simulate(model, start, duration=3.0, dt=0.01, integrator=method, stabilization="projection")
    free = bough.simulate(model, start, duration=3.0, dt=0.01, integrator=method)
    assert np.abs(run.constraint_error()).max() < 1e-13
    assert np.abs(free.constraint_error()).max() > 1e-5
    rates = np.einsum("tci,ti->tc", model.constraint_dq(run.q), run.v)
    assert np.abs(rates).max() < 1e-12 * np.abs(run.v).max()
    assert run.rerun() == run


@pytest.mark.filterwarnings("ignore::bough.CoarseStepWarning")  # a start off the constraints
def test_projection_is_the_shortest_way_in_the_metric_of_kinetic_energy() -> None:
    """The same point as the projection in Python, which solves by singular values instead."""
    model = closed_chain()
    start = model.assemble({"J": 0.3})
    settings: dict[str, Any] = {"duration": 0.005, "dt": 0.005, "integrator": "semi-implicit-euler"}
    free = bough.simulate(model, start, **settings)
    run = bough.simulate(model, start, **settings, stabilization="projection")
    q, v = projected(model, free.q[-1], free.v[-1])
    assert np.abs(free.constraint_error()[-1]).max() > 1e-7
    assert np.abs(run.q[-1] - q).max() < 1e-12  # the metric is taken where each iteration starts: h², 1e-12
    assert np.abs(run.v[-1] - v).max() < 1e-12


# --- inputs, records, ends ---


def arm() -> bough.Model:
    system = bough.System("arm")
    rail = system.world.tx(bough.kinematic("rail"), mass=1.0)
    rail.ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    return system.build()


@pytest.mark.parametrize("method", ORDERS)
def test_feedback_and_prescribed_motion(method: str) -> None:
    run = bough.simulate(
        arm(),
        duration=1.05,
        dt=0.1,
        every=3,
        k={"rail": lambda t: 0.1 * np.sin(3.0 * t)},
        u=lambda t, state: [-0.5 * state.v[0] + state.q[1]],
        integrator=method,
    )
    assert run.t.tolist() == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.05])
    assert np.abs(run["rail"] - 0.1 * np.sin(3.0 * run.t)).max() < 1e-14
    assert np.abs(run.u[:-1, 0] + 0.5 * run.v[:-1, 0] - run["rail"][:-1]).max() < 1e-15
    assert run.rerun() == run
    assert run.statistics["steps"] == 11


@pytest.mark.parametrize("method", ORDERS)
def test_what_is_recorded_does_not_change_the_motion(method: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"q": {"angle": 0.5}, "duration": 2.0, "dt": 0.01, "integrator": method}
    every, fifth = (bough.simulate(arm(), **settings, every=n) for n in (1, 5))
    assert np.array_equal(every.q[::5], fifth.q)
    assert np.array_equal(every.v[::5], fifth.v)
    assert bough.load_trajectory(fifth.save(tmp_path / "run.npz")) == fifth


def test_a_method_is_not_proposed_if_stiffness_is_not_to_blame() -> None:
    """x'' = x^3 is infinite before t = 2: no method passes that."""
    system = bough.System("escape", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(bough.NonlinearConfigurationSpring("x", polynomial=(0.0, 0.0, -1.0)))
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(system.build(), {"x": 1.0}, duration=9.0, dt=0.01, integrator="rk4")
    assert caught.value.found == "the motion blew up: with dt = 0.01 'rk4' is not stable here"
    assert caught.value.do.startswith("take a smaller dt (on_failure=")


def test_a_motion_that_blows_up_is_an_error_with_the_time_and_no_nan() -> None:
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(oscillator(100.0), {"x": 1.0}, duration=10.0, dt=0.05, integrator="rk4")
    error = caught.value
    assert str(error) == (
        f"step {error.step + 1} of 200 of a simulation of model 'oscillator', from t = {error.time:.6g} to"
        f" {error.time + 0.05:.6g}\n"
        "  found: the motion blew up: with dt = 0.05 'rk4' is not stable here;"
        " linearised at the start, the largest stable dt is 0.0283 s\n"
        "  do: take a smaller dt, or an implicit method, 'midpoint' or 'implicit-midpoint', which stiffness does"
        " not make unstable, but whose dt must resolve the motion too (on_failure='stop' returns the motion up to"
        " there)"
    )
    run = error.trajectory
    assert run is not None
    assert run.status == "failed"
    assert run.t[-1] == pytest.approx(error.time)
    for values in (run.q, run.v, run.p, run.energy()):
        assert np.isfinite(values).all()
    # amplified by |R(5i)| = 23.2 a step, it passes 1e100 after 73 of them
    growth = np.abs(np.linalg.eigvals(amplification("rk4", 5.0))).max()
    assert error.step == pytest.approx(100.0 / np.log10(growth), abs=3)


def test_a_singular_configuration_is_named() -> None:
    """The inner gimbal reaches lock, where its outer axis moves no mass."""
    system = bough.System("gimbal", gravity=None)
    system.world.rz("outer").ry("middle").rz("inner", mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(
            system.build(), {"middle": 0.5}, {"middle": -0.5}, duration=2.0, dt=0.5, integrator="rk4"
        )
    assert caught.value.found == "the mass matrix is singular at variable 'outer'"
    assert caught.value.time == pytest.approx(0.5)


def test_unsolved_step() -> None:
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(
            oscillator(1e3),
            {"x": 1.0},
            duration=1.0,
            dt=0.01,
            integrator="implicit-midpoint",
            max_iterations=1,
        )
    assert caught.value.found == "the equations of the step were not solved in 1 iteration"
    assert caught.value.do == "take a smaller dt (on_failure='stop' returns the motion up to there)"


def test_an_error_of_an_element_comes_through() -> None:
    class Broken(bough.Force):
        def force(self, at: Any) -> Any:
            if at.t > 0.5:
                raise RuntimeError("out of order")
            return np.zeros(1)

    system = bough.System("broken")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(Broken())
    with pytest.raises(RuntimeError, match="out of order") as caught:
        bough.simulate(system.build(), {"angle": 0.4}, duration=2.0, dt=0.1, integrator="rk4")
    assert caught.value.trajectory.t[-1] == pytest.approx(0.5)  # type: ignore[attr-defined]
