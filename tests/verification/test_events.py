"""Events, chosen instants and states between the nodes.

Truths: the elliptic integral of the pendulum; runs with ten times shorter steps; the run without events, bit
for bit; SciPy's `solve_ivp` with the same functions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import bough

METHODS: dict[str, dict[str, Any]] = {
    "order 2": {},
    "order 4": {"order": 4},
    "order 6": {"order": 6},
    "order 8": {"order": 8},
    "trapezoidal": {"integrator": "trapezoidal"},
    "trapezoidal of order 4": {"integrator": "trapezoidal", "order": 4},
    "reduced": {"integrator": "reduced"},
    "semi-implicit-euler": {"integrator": "semi-implicit-euler"},
    "rk4": {"integrator": "rk4"},
    "implicit-midpoint": {"integrator": "implicit-midpoint"},
    "dop853": {"integrator": "dop853"},
    "scipy-dop853": {"integrator": "scipy-dop853"},
    "radau": {"integrator": "radau"},
}
ORDERS = {"order 2": 2, "order 4": 4, "order 6": 6, "order 8": 8, "trapezoidal": 2, "rk4": 4}
QUARTER = ellipk(np.sin(1.0) ** 2) / np.sqrt(9.81)  # of the period of the pendulum released at 2 rad


@cache
def pendulum() -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


@cache
def slider() -> bough.Model:
    """A closed loop with an input and a damper."""
    system = bough.System("slider")
    crank = system.world.ry("crank").tz(-1.0, mass=1.0)
    crank.ry("rod").tz(-1.0, name="slider", mass=1.0)
    system.add(bough.PointConstraint("slider", system.world.tz(-1.0, name="rail"), axis=(0, 0, 1)))
    system.add(bough.Damping({"rod": 0.2}))
    system.add(bough.ConfigurationForce("crank", "torque"))
    return system.build()


@cache
def driven() -> bough.Model:
    system = bough.System("driven")
    system.world.tx(bough.kinematic("x")).ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    return system.build()


def lowest(t: float, state: bough.State) -> float:
    return float(state.q["angle"])


def ending(count: int | bool = True, direction: float = 0.0) -> Any:
    def crossing(t: float, state: bough.State) -> float:
        return float(state.q["angle"])

    crossing.terminal, crossing.direction = count, direction  # type: ignore[attr-defined]
    return crossing


def swing(method: str, **options: Any) -> bough.Trajectory:
    return bough.simulate(pendulum(), q=[2.0], **{"duration": 5.0, "dt": 0.01, **METHODS[method], **options})


def test_lowest_point_against_the_elliptic_integral() -> None:
    """At order 8 to round-off, by the spacing of the numbers of t."""
    run = swing("order 8", events=[lowest])
    exact = QUARTER * np.array([1.0, 3.0, 5.0, 7.0])
    assert np.abs(np.array([event.t for event in run.events]) - exact).max() < 4e-15
    assert max(abs(event.state.q[0]) for event in run.events) < 2e-14
    assert [event.name for event in run.events] == ["lowest"] * 4


@pytest.mark.parametrize("method", ORDERS)
def test_time_of_an_event_has_the_order_of_the_method(method: str) -> None:
    errors = []
    exact = QUARTER * np.array([1.0, 3.0, 5.0, 7.0])
    for dt in (0.1, 0.025):  # the root falls into steps at other places: the mean of several
        run = swing(method, dt=dt, events=[lowest])
        errors.append(np.abs(np.array([event.t for event in run.events]) - exact).mean())
    assert 0.5 * np.log2(errors[0] / errors[1]) > ORDERS[method] - 0.5


@pytest.mark.parametrize("method", METHODS)
def test_events_do_not_disturb_the_steps(method: str) -> None:
    watched, alone = swing(method, events=[lowest], every=3), swing(method, every=3)
    for name in ("t", "q", "v", "p"):
        assert np.array_equal(getattr(watched, name), getattr(alone, name))
    assert len(watched.events) == 4


@pytest.mark.parametrize("method", METHODS)
def test_terminal_events_rerun_and_files(method: str, tmp_path: Path) -> None:
    run = swing(method, duration=9.0, dt=0.03, every=7, events=[ending(2, -1.0), "pose bob z = -0.5 rising"])
    assert run.status == "event"
    assert [event.which for event in run.events] == [0, 1, 1, 0]  # down, up on the far side, up again, down
    assert run.t[-1] == run.events[-1].t
    assert np.array_equal(run.q[-1], run.events[-1].state.q)
    assert abs(run.q[-1, 0]) < 1e-14
    again = run.rerun()
    assert again == run
    run.save(tmp_path / "run.npz")
    loaded = bough.load_trajectory(tmp_path / "run.npz")
    assert loaded == run
    assert loaded.rerun() == run


@pytest.mark.parametrize("method", METHODS)
def test_chosen_instants(method: str, tmp_path: Path) -> None:
    """Of the order of the method: close to nodes of a run through them, and rerun bit for bit."""
    times = np.array([0.005, 0.1, 0.1004, 0.237, 1.0, 1.999])
    run = swing(method, duration=2.0, t_eval=times)
    assert np.array_equal(run.t, times)
    fine = swing(method, duration=2.0, dt=0.001)
    near = {"semi-implicit-euler": 0.1}.get(method, 3e-4)
    assert np.abs(run.q - fine.at(times).q).max() < near
    assert np.abs(run.energy() - swing(method, duration=2.0).energy()[0]).max() < 10.0 * near
    assert run.rerun() == run
    run.save(tmp_path / "run.npz")
    assert bough.load_trajectory(tmp_path / "run.npz").rerun() == run


@pytest.mark.parametrize("method", ["order 4", "order 6", "order 8", "rk4"])
def test_dense_states_have_the_order_of_the_method(method: str) -> None:
    """Between the nodes the error falls by the same power of dt as at them; cubics leave the fourth."""
    times, errors = np.array([0.537, 1.234]), []
    truth = swing("dop853", duration=2.0, rtol=1e-13, atol=1e-15, t_eval=times)
    for dt in (0.1, 0.05):
        run = swing(method, duration=2.0, dt=dt, dense=True, every=4)
        found = run.at(times)
        errors.append(max(np.abs(found.q - truth.q).max(), np.abs(found.v - truth.v).max()))
    assert np.log2(errors[0] / errors[1]) > ORDERS[method] - 0.6


@pytest.mark.parametrize("order", [2, 4, 6, 8])
def test_constraints_hold_within_steps(order: int) -> None:
    start = {"crank": np.pi / 3, "rod": -2 * np.pi / 3}
    times = np.linspace(0.013, 1.9, 23)
    options: dict[str, Any] = {"duration": 2.0, "dt": 0.05, "order": order, "u": lambda t: [np.sin(t)]}
    run = bough.simulate(slider(), start, t_eval=times, events=["pose slider x = 0.8"], **options)
    limit = 3e-13 if order == 2 else 3e-14  # as at the nodes
    assert np.abs(run.constraint_error()).max() < limit
    assert all(np.abs(slider().constraint(event.state.q)).max() < limit for event in run.events)
    assert len(run.events) > 0


@pytest.mark.parametrize(("order", "dt"), [(4, 0.1), (6, 0.1), (8, 0.25)])
def test_order_within_driven_steps(order: int, dt: float) -> None:
    """With inputs and kinematic variables that are functions of time, as at the nodes."""
    times, errors = np.array([0.613, 0.871]), []
    drive = {"u": lambda t: [np.sin(3.0 * t)], "k": {"x": lambda t: 0.3 * np.cos(2.0 * t)}}
    q, v = {"angle": 0.4, "x": 0.3}, None
    reference = bough.simulate(driven(), q, v, duration=1.0, dt=0.0125, order=8, dense=True, **drive)
    nodes = bough.simulate(driven(), q, v, duration=0.613, dt=0.0613, order=8, **drive)  # a node at 0.613
    assert np.abs(reference.at(0.613).q - nodes.q[-1]).max() < 1e-11
    for size in (dt, 0.5 * dt):
        run = bough.simulate(driven(), q, v, duration=1.0, dt=size, order=order, dense=True, **drive)
        errors.append(np.abs(run.at(times).q - reference.at(times).q).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.7


@pytest.mark.filterwarnings("ignore:u of .* is held:bough.BoughWarning")
def test_driven_terminal_event_repeats(tmp_path: Path) -> None:
    drive = {"u": lambda t: [np.sin(3.0 * t)], "k": {"x": lambda t: 0.3 * np.cos(2.0 * t)}}
    for options in ({"order": 2}, {"order": 6}, {"integrator": "rk4"}, {"integrator": "dop853"}):
        run = bough.simulate(
            driven(), {"angle": 0.4, "x": 0.3}, duration=3.0, dt=0.05, events=ending(3), **drive, **options
        )
        assert run.status == "event"
        assert run.rerun() == run
        run.save(tmp_path / "run.npz")
        assert bough.load_trajectory(tmp_path / "run.npz").rerun() == run


@pytest.mark.parametrize("direction", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("terminal", [False, True, 2])
def test_as_in_scipy(direction: float, terminal: int | bool) -> None:
    model = pendulum()

    def rate(t: float, y: Any) -> Any:
        return [y[1], model.acceleration(y[:1], y[1:])[0]]

    def angle(t: float, y: Any) -> float:
        return float(y[0])

    angle.terminal, angle.direction = terminal, direction  # type: ignore[attr-defined]
    scipy = solve_ivp(rate, (0.0, 5.0), [2.0, 0.0], "DOP853", events=angle, rtol=1e-12, atol=1e-12)
    run = swing("order 8", events=[ending(terminal, direction)])
    assert np.abs(scipy.t_events[0] - [event.t for event in run.events]).max() < 1e-8
    assert (run.status == "event") == (scipy.status == 1)


def test_zero_at_the_start_does_not_fire() -> None:
    run = bough.simulate(pendulum(), v=[1.0], duration=1.5, dt=0.01, events=[lowest])
    half = np.pi / np.sqrt(9.81)
    assert len(run.events) == 1
    assert run.events[0].t == pytest.approx(half, rel=0.05)


def test_expressions() -> None:
    run = swing("order 8", events=["angle", "v.angle falling", "pose bob z = 0", "t = 1.25", "speed bob = 2"])
    by = [[event.t for event in run.events if event.which == i] for i in range(5)]
    assert by[0] == pytest.approx((QUARTER * np.array([1, 3, 5, 7])).tolist())
    assert by[1] == pytest.approx([4.0 * QUARTER])
    assert all(abs(run.at(t).q[0]) == pytest.approx(np.pi / 2, abs=1e-6) for t in by[2])
    assert by[3] == [1.25]
    assert all(abs(run.at(t).v[0]) == pytest.approx(2.0, abs=1e-6) for t in by[4])


def test_feedback_is_called_once_for_a_step() -> None:
    calls = []

    def torque(t: float, state: bough.State) -> list[float]:
        calls.append(t)
        return [-state.v["crank"]]

    run = bough.simulate(
        slider(),
        {"crank": np.pi / 3, "rod": -2 * np.pi / 3},
        duration=1.0,
        dt=0.1,
        u=torque,
        events=["t = 0.73 terminal"],
    )
    assert len(calls) == 8
    assert run.t[-1] == pytest.approx(0.73, abs=2e-16)
    assert run.rerun() == run


def test_parts_and_sums_keep_events() -> None:
    first = swing("order 6", duration=1.0, events=[lowest])
    more = bough.simulate(pendulum(), first[-1], duration=2.0, dt=0.01, order=6, events=[lowest])
    both = first + more
    assert [event.t for event in both.events] == pytest.approx([QUARTER, 3.0 * QUARTER])


@pytest.mark.parametrize(
    "method", [{"order": 6}, {"integrator": "rk4"}, {"integrator": "dop853", "rtol": 1e-11}], ids=str
)
def test_events_of_a_ball(method: dict[str, Any]) -> None:
    """A symmetric top: its rate across its axis is a cos(n t) with n = (I3 - I1) / I1 w3."""
    system = bough.System("top", gravity=None)
    system.world.ball("top", name="top", mass=1.0, inertia=(1.0, 1.0, 2.0))
    run = bough.simulate(
        system.build(), v={"top": (0.5, 0.0, 3.0)}, duration=4.0, dt=0.005, events=["v.top_wx"], **method
    )
    expected = (np.arange(4) + 0.5) * np.pi / 3.0
    assert [event.t for event in run.events] == pytest.approx(expected, abs=1e-8)
    assert run.events[0].state.q["top"] @ run.events[0].state.q["top"] == pytest.approx(1.0, abs=1e-12)


def test_a_ball_on_a_rod_of_changing_length_is_simulated() -> None:
    """The work of a constraint that moves is known not to be told by the energy, with quaternions in q too."""
    system = bough.System("shaken")
    system.world.ball("joint").tz(-1.0, name="bob", mass=1.0, inertia=(0.1, 0.1, 0.1)).tx(
        "slide", name="end", mass=1.0
    )
    system.world.tx(1.0).tz(-1.0, name="anchor")
    length = bough.Sinusoid(amplitude=0.2, frequency=3.0, mean=1.0)
    system.add(bough.DistanceConstraint("end", "anchor", length, name="rod"))
    run = bough.simulate(system.build(), duration=1.0)  # a warning is an error
    assert np.abs(run.constraint_error()).max() < 1e-11
    assert np.ptp(run.energy()) > 0.1
