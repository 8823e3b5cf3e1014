"""Runs that go on from their terminal events, and events at nodes, where g is zero to round-off.

Truths: the elliptic integral of the pendulum, the closed form of a ball that bounces, the zeros of a sine.
"""

from __future__ import annotations

import pickle
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import bough

# The error of all times, relative, with dt = 0.01: that of the method, which restarts do not add to.
METHODS: dict[str, tuple[dict[str, Any], float]] = {
    "order 2": ({}, 4e-6),
    "order 4": ({"order": 4}, 1e-9),
    "order 6": ({"order": 6}, 1e-12),
    "order 8": ({"order": 8}, 1e-13),
    "trapezoidal": ({"integrator": "trapezoidal"}, 3e-5),
    "trapezoidal of order 4": ({"integrator": "trapezoidal", "order": 4}, 1e-8),
    "semi-implicit-euler": ({"integrator": "semi-implicit-euler"}, 2e-2),
    "rk4": ({"integrator": "rk4"}, 1e-8),
    "implicit-midpoint": ({"integrator": "implicit-midpoint"}, 4e-6),
    "dop853": ({"integrator": "dop853"}, 1e-9),
    "rk45": ({"integrator": "rk45"}, 1e-8),
    "scipy-dop853": ({"integrator": "scipy-dop853"}, 1e-9),
    "radau": ({"integrator": "radau"}, 1e-8),
    "tol": ({"tol": 1e-10, "dt": None}, 1e-9),
}
QUARTER = ellipk(np.sin(1.0) ** 2) / np.sqrt(9.81)  # of the period of the pendulum released at 2 rad


@cache
def pendulum() -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    return system.build()


def angle(t: float, state: bough.State) -> float:
    return float(state.q["angle"])


angle.terminal = True  # type: ignore[attr-defined]
EVENTS = {
    "variable": "angle terminal",
    "rate": "v.angle terminal",
    "pose": "pose bob x terminal",
    "function": angle,
}


@pytest.mark.parametrize("what", EVENTS)
@pytest.mark.parametrize("method", METHODS)
def test_each_restart_leads_to_the_next_event(method: str, what: str) -> None:
    options, error = METHODS[method]
    options = {"dt": 0.01, "duration": 2.0, "events": [EVENTS[what]], **options}
    run, times = bough.simulate(pendulum(), q=[2.0], **options), []
    for _ in range(10):
        assert run.status == "event"
        times.append(run.t[-1])
        run = bough.simulate(pendulum(), run[-1], **options)
    # x = -sin(angle) of a swing from 2 rad is zero at its lowest point alone, as the angle is
    quarters = np.arange(2.0, 21.0, 2.0) if what == "rate" else np.arange(1.0, 20.0, 2.0)
    assert np.abs(np.array(times) / (QUARTER * quarters) - 1.0).max() < error


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("tol", "semi-implicit-euler")])
def test_a_ball_that_bounces(method: str) -> None:
    """With the time set back to zero at each impact, from numbers alone: n flights of 2 e^n v / g."""
    options = {"dt": 0.01, "duration": 2.0, "events": ["z terminal falling"], **METHODS[method][0]}
    system = bough.System("ball")
    system.world.tz("z", name="ball", mass=1.0)
    model, speed = system.build(), 3.0
    q, v = np.zeros(1), np.array([speed])
    for n in range(10):
        run = bough.simulate(model, q, v, **options)
        assert run.status == "event"
        assert run.t[-1] == pytest.approx(2.0 * 0.8**n * speed / 9.81, rel=1e-12)
        q, v = run.q[-1], -0.8 * run.v[-1]


@pytest.mark.parametrize("terminal", ["", " terminal"])
@pytest.mark.parametrize(
    "method", [name for name in METHODS if name not in ("tol", "trapezoidal of order 4")]
)
def test_a_zero_at_a_node_is_an_event_of_that_node(method: str, terminal: str) -> None:
    """0.1 sin 3t at the node t = pi/3, where its round-off is 1e-17, and of the other sign than the way there."""
    options, _ = METHODS[method]
    system = bough.System("driven")
    system.world.tx(bough.kinematic("x")).ry("angle").tz(-1.0, mass=1.0)
    run = bough.simulate(
        system.build(),
        q={"angle": 0.3},
        duration=2.5,
        dt=np.pi / 300,
        k={"x": lambda t: 0.1 * np.sin(3.0 * t)},
        events=["x" + terminal],
        **options,
    )
    found = np.array([event.t for event in run.events])
    expected = np.pi / 3.0 * np.arange(1.0, 2.0 if terminal else 3.0)
    assert np.abs(found - expected).max() < 1e-14
    if terminal:
        assert run.t[-1] == found[0]
        assert run.rerun() == run


@pytest.mark.parametrize("method", [name for name in METHODS if name != "tol"])
@pytest.mark.parametrize("start", [0.0, 1e-17, -3e-16])
def test_rest_has_no_events(method: str, start: float) -> None:
    """Values that are zero to round-off, and stay so."""
    events = ["angle", "v.angle", "pose bob x", "pose bob z = -1"]
    run = bough.simulate(pendulum(), [start], duration=0.5, dt=0.01, events=events, **METHODS[method][0])
    assert run.events == ()


def test_an_event_soon_after_the_start_is_one() -> None:
    """1e-12 rad before its zero the pendulum is not at it."""
    run = bough.simulate(pendulum(), [-1e-12], [1.0], duration=0.5, dt=0.01, order=8, events=["angle"])
    assert run.events[0].t == pytest.approx(1e-12, rel=1e-3)


@cache
def wire() -> bough.Model:
    system = bough.System("wire")
    system.world.tx("x").tz("z", name="bob", mass=2.0)
    system.add(bough.DistanceConstraint("bob", "world", length=1.0, name="rod"))
    return system.build()


def by_function(t: float, state: bough.State) -> float:
    assert state.p is not None
    return float(state.p["z"])


@pytest.mark.parametrize("order", [2, 4, 8])
@pytest.mark.parametrize("what", ["p.z", by_function])
def test_momenta_of_a_constrained_model(order: int, what: Any) -> None:
    """p = M v is zero where v is; momenta of a step are short of the impulse of the constraints at its end."""
    options: dict[str, Any] = {"duration": 1.7, "dt": 0.05, "order": order, "events": [what, "v.z"]}
    run = bough.simulate(wire(), [0.6, -0.8], **options)
    momenta, rates = ([event.t for event in run.events if event.which == i] for i in (0, 1))
    period = 4.0 * ellipk(0.1) / np.sqrt(9.81)  # of a pendulum released where its cosine is 0.8
    assert len(rates) == 3
    assert momenta == pytest.approx(rates, abs=1e-13)
    assert rates == pytest.approx(
        [0.25 * period * k for k in (1, 2, 3)], rel={2: 2e-3, 4: 1e-6, 8: 1e-10}[order]
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"order": 8}, {"integrator": "rk4"}, {"integrator": "dop853"}, {"integrator": "radau"}],
    ids=str,
)
def test_constraint_forces_of_an_event(options: dict[str, Any], tmp_path: Path) -> None:
    """The pull of the rod, m (g cos + v² / l), also in between with dense=True.

    Methods on the accelerations leave the constraint by the error of a step, 1e-9 with dt = 0.01.
    """
    run = bough.simulate(
        wire(), [0.6, -0.8], duration=1.0, dt=0.01, events=["z = -0.95"], dense=True, **options
    )
    event = run.events[0]
    pull = 2.0 * (9.81 * 0.95 + float(event.state.v @ event.state.v))
    error = 1e-7 if "integrator" in options else 1e-12
    assert event.state.lam["rod"] == pytest.approx(-pull, rel=error)
    assert run.at(event.t).lam["rod"] == pytest.approx(-pull, rel=error)
    after = run.at(run.t[50] + 1e-9)  # where a step is short
    pull = 2.0 * (9.81 * -after.q["z"] + float(after.v @ after.v))
    assert after.lam["rod"] == pytest.approx(-pull, rel=error)
    run.save(tmp_path / "run.npz")
    assert bough.load_trajectory(tmp_path / "run.npz") == run


def test_joined_runs_of_a_hybrid_loop_keep_dense_states() -> None:
    options: dict[str, Any] = {"dt": 0.02, "order": 8, "dense": True}
    run = bough.simulate(pendulum(), [2.0], duration=1.0, **options)
    both = run + bough.simulate(pendulum(), run[-1], duration=2.0, **options)
    truth = bough.simulate(pendulum(), [2.0], duration=3.0, order=8, dt=0.002345, t_eval=[0.537, 2.345])
    for t, q in zip(truth.t, truth.q, strict=True):
        assert np.abs(both.at(t).q - q).max() < 1e-12
        assert np.abs(both[3:-7].at(t).q - q).max() < 1e-12


def test_parts_have_their_events_and_dense_states() -> None:
    whole = bough.simulate(pendulum(), [2.0], duration=5.0, dt=0.02, order=8, dense=True, events=["angle"])
    part = whole[100:-7:3]
    assert part.events == whole.events[2:]
    assert whole.events[1].t < part.t[0] <= part.events[0].t
    assert part.at(2.345) == whole.at(2.345)
    assert pickle.loads(pickle.dumps(part)).at(2.345) == whole.at(2.345)
    for before, after in pairwise(part.at([2.1, 2.345, 3.0]).t):
        assert before < after
