"""Motions into and through singular configurations: they work, or end with an error that keeps everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.random_systems import random_system

METHODS = ["midpoint", "trapezoidal"]


def check_failure(error: bough.ConvergenceError, run: bough.Trajectory, steps: int) -> None:
    """All parts of the error are there, and the motion up to it is whole."""
    assert error.trajectory is run
    assert run.status == "failed"
    assert 0 < error.step < steps
    assert len(run) == error.step + 1
    assert error.time == pytest.approx(run.t[-1])
    assert error.iterations > 0
    assert error.residual > 0.0
    for values in (run.t, run.q, run.v, run.p, run.lam):
        assert np.all(np.isfinite(values))
    assert all(part for part in (error.asked, error.found, error.do))


# --- out of reach ---


def two_links() -> bough.Model:
    """Two links of 1 m whose end is held on a wire from the shoulder."""
    system = bough.System("reach")
    elbow = system.world.ry("shoulder").tz(-1.0, mass=1.0)
    elbow.ry("elbow").tz(-1.0, name="tip", mass=1.0)
    system.add(bough.DistanceConstraint("tip", "world", length=bough.kinematic("wire"), name="wire"))
    return system.build()


BENT = {"shoulder": 0.2, "elbow": 2.0 * np.arccos(0.75), "wire": 1.5}


def pulled(t: Any) -> Any:
    return 1.5 + 0.5 * np.asarray(t)  # 2 m, the reach of the links, at t = 1


@pytest.mark.parametrize("method", METHODS)
def test_a_wire_longer_than_the_links_reach(method: str) -> None:
    model, settings = two_links(), {"k": {"wire": pulled}, "duration": 2.0, "dt": 0.01, "integrator": method}
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(model, BENT, **settings)
    error, run = caught.value, caught.value.trajectory
    check_failure(error, run, 200)
    # it fails where the reach ends, not before and not after; until then the constraint holds
    assert 0.95 <= error.time <= 1.0
    assert np.max(np.abs(model.constraint(run.q)) / model.constraint_scale(run.q)) <= 1e-12
    stopped = bough.simulate(model, BENT, **settings, on_failure="stop")
    assert stopped.status == "failed"
    assert np.array_equal(stopped.q, run.q)


def test_a_step_that_fails_leaves_its_state_and_the_integrator_alone() -> None:
    model = two_links()
    vi = bough.MidpointVI(model, 0.01)
    state = vi.start(BENT)
    for n in range(20):
        state = vi.step(state, k=[pulled(0.01 * (n + 1))])
    q, p = state.q.copy(), state.p.copy()
    expected = vi.step(state, k=[1.61])
    with pytest.raises(bough.ConvergenceError) as caught:
        vi.step(state, k=[5.0])
    assert caught.value.time == pytest.approx(0.2)
    assert np.array_equal(state.q, q)
    assert np.array_equal(state.p, p)
    again = vi.step(state, k=[1.61])
    assert np.array_equal(again.q, expected.q)
    assert np.array_equal(again.p, expected.p)


def test_a_random_mechanism_that_jams() -> None:
    """Prescribed motions drive it into a configuration that it cannot leave; DOP853 ends there as well."""
    moving = random_system(4, 7, constraints=3, driven_length=True)
    settings = {**moving.start, "duration": 0.5, "dt": 0.005, "on_failure": "stop"}
    run = bough.simulate(moving.model, **settings)
    assert run.status == "failed"
    assert np.max(np.abs(moving.model.constraint(run.q)) / moving.model.constraint_scale(run.q)) <= 1e-12
    peer = bough.simulate(moving.model, **settings, integrator="dop853", rtol=1e-6)
    assert peer.status == "failed"
    assert abs(peer.t[-1] - run.t[-1]) < 0.05


# --- gimbal lock ---


def ball() -> bough.Model:
    system = bough.System("ball", gravity=None)
    system.world.spherical(("yaw", "pitch", "roll"), mass=1.0, inertia=(0.3, 0.4, 0.5))
    return system.build()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("offset", [0.0, 0.5, 0.3], ids=["node", "midpoint", "between"])
def test_straight_through_gimbal_lock(offset: float, method: str) -> None:
    """A turn about y, whose second Euler angle passes 90 degrees on a node, between two, or beside both."""
    dt, rate = 0.01, 1.0
    start = np.pi / 2 - rate * dt * (50 + offset)
    try:
        run = bough.simulate(
            ball(), {"pitch": start}, {"pitch": rate}, duration=1.0, dt=dt, integrator=method
        )
    except bough.ConvergenceError as error:
        run = error.trajectory
        check_failure(error, run, 100)
        assert run.t[-1] >= 0.45  # not long before the singularity
    exact = start + rate * run.t
    # what was computed is right, whether it went through or not
    np.testing.assert_allclose(run["pitch"], exact, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["yaw"], 0.0, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_close_by_gimbal_lock(method: str) -> None:
    """A tumbling body that passes the singularity at a twentieth of a radian, in steps that resolve it."""
    model = ball()
    q, v = {"pitch": np.pi / 2 - 0.3, "roll": 0.05}, {"pitch": 1.0, "yaw": 0.15}
    settings = {"duration": 0.6, "dt": 0.001}
    run = bough.simulate(model, q, v, **settings, integrator=method)
    exact = bough.simulate(model, q, v, **settings, integrator="dop853")
    closest = np.min(np.abs(np.cos(run["pitch"])))
    assert 1e-3 < closest < 0.1, closest
    # orientations, which stay regular where the angles do not; dt over the time of passing, squared
    difference = model.pose(model.frames[-1], run.q) - model.pose(model.frames[-1], exact.q)
    assert np.max(np.abs(difference)) < 1e-3


def test_a_start_at_rest_in_gimbal_lock_is_refused() -> None:
    with pytest.raises(bough.ModelError, match="the mass matrix is singular in this configuration"):
        bough.simulate(ball(), {"pitch": np.pi / 2}, duration=1.0, dt=0.01)


def test_a_motion_that_comes_to_rest_where_it_is_singular_is_kept() -> None:
    """A braked pendulum on two hinges that hangs straight: turns about the vertical move nothing."""
    system = bough.System("braked")
    system.world.rz("around").ry("down").tz(-1.0, mass=1.0)
    system.add(bough.Damping(1.0))
    run = bough.simulate(system.build(), {"down": 0.5}, duration=60.0, dt=0.02)
    assert run.status == "finished"
    assert abs(run["down"][-1]) < 1e-9
