"""Optimal control of any model: derivatives, minima, ends, limits, methods."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough.control import Cost, Effort, Track, optimize
from bough.control._model_task import Task
from bough.control._orientation import orientation, orientation_dq, orientation_dqdq
from support.control_models import (
    SWING,
    crane,
    double_pendulum_cart,
    driven_pendulum,
    on_circle,
    rod_on_slides,
)
from support.finite_difference import derivative


@pytest.fixture(scope="module")
def cart():
    return bough.gallery.cart_pole().build()


def cost_of(run, effort=0.05, track=0.1):
    """The cost written out."""
    return 0.5 * run.t[1] * (effort * np.sum(run.u[:-1] ** 2) + track * np.sum(run["x"][1:] ** 2))


@pytest.mark.parametrize("method", ["newton", "gauss-newton", "projection"])
def test_swing_up_ends_upright(cart, method):
    run = optimize(cart, method=method, **SWING)
    assert np.abs(run.q[-1]).max() < 1e-7
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run.statistics["first_order"] < 1e-8
    assert run.statistics["cost"] == pytest.approx(cost_of(run), rel=1e-9)
    assert run == run.rerun()


def test_a_target_that_is_reached_converges(cart):
    """The cost that is left is next to none, and the gradient is round-off of positions beside it  (CK2)."""
    u = 2.0 * np.sin(np.arange(60)[:, None] / 7.0)
    wanted = bough.simulate(cart, u=u, duration=1.5, dt=0.025)
    run = optimize(
        cart, q=wanted.q[0], duration=1.5, dt=0.025, cost=[Track(wanted, 1e6), Effort(1e-9)], tolerance=1e-13
    )
    assert run.statistics["converged"]
    assert np.abs(run.q - wanted.q).max() < 1e-9
    assert run.statistics["first_order"] < 1e-6


def test_limits_of_forces_that_do_not_bind_leave_the_motion():
    """A load on two ropes that only pull: the same motion as without limits."""
    system = bough.System("load", gravity=(0, 0, -9.81))
    load = system.world.tx("x").tz("z", name="load", mass=20.0)
    for name, place in (("left", -3.0), ("right", 3.0)):
        pulley = system.world.tx(place, name=f"{name}_pulley")
        length = bough.kinematic(f"{name}_rope")
        system.add(bough.DistanceConstraint(load, pulley, length=length, name=f"{name}_wire"))
    model = system.build()
    rope = float(np.hypot(3.0, 2.0))
    start = {"x": 0.0, "z": -2.0, "left_rope": rope, "right_rope": rope}
    rows = np.linspace(0.0, 1.0, 26)[:, None]
    wanted = bough.simulate(
        model, q=start, k=rope + 0.05 * np.concatenate([rows**2, -(rows**2)], axis=1), duration=0.5, dt=0.02
    )
    given = {"q": start, "duration": 0.5, "dt": 0.02, "cost": [Track(wanted, 100.0), Effort(1e-4)]}
    free = optimize(model, **given)
    held = optimize(model, **given, force={name: (None, 0.0) for name in model.constraints})
    assert np.abs(held.q - free.q).max() < 1e-6
    assert held.statistics["iterations"] < 40


def test_no_small_change_of_the_inputs_lowers_the_cost(cart):
    """A soft end leaves the inputs free: the cost written out rises along random changes, to second order."""
    run = optimize(cart, end_weight=200.0, **SWING)

    def cost(u):
        again = bough.simulate(cart, q=SWING["q"], u=u, duration=2.0, dt=0.05, tolerance=1e-14)
        off = np.concatenate([again.q[-1], again.v[-1]])
        return cost_of(again) + 100.0 * off @ off

    rng = np.random.default_rng(0)
    best, u = cost(run.u[:-1]), run.u[:-1]
    for _ in range(3):
        d = rng.normal(size=u.shape)
        up, down = cost(u + 1e-3 * d), cost(u - 1e-3 * d)
        assert min(up, down) > best
        assert abs(up - down) < 1e-3 * (up + down - 2.0 * best)  # no slope beside the curvature


def test_gauss_newton_and_newton_find_the_same_minimum(cart):
    first = optimize(cart, **SWING).statistics
    second = optimize(cart, method="gauss-newton", **SWING).statistics
    assert first["cost"] == pytest.approx(second["cost"], rel=1e-8)
    assert first["iterations"] < second["iterations"]  # quadratic beside linear


def test_limits_hold_and_bind(cart):
    run = optimize(cart, effort={"force": 9.0}, lower={"x": -1.0}, upper={"x": 0.8}, **SWING)
    assert np.abs(run.u).max() == pytest.approx(9.0, abs=1e-6)
    assert run["x"].max() <= 0.8 + 1e-7
    assert run["x"].min() >= -1.0 - 1e-7
    assert np.abs(run.q[-1]).max() < 1e-7
    assert run.statistics["cost"] > optimize(cart, **SWING).statistics["cost"]


def test_limits_that_do_not_bind_change_nothing(cart):
    free = optimize(cart, **SWING).statistics["cost"]
    assert optimize(cart, effort={"force": 100.0}, **SWING).statistics["cost"] == pytest.approx(
        free, rel=1e-7
    )


def test_velocity_limits_hold():
    given = {
        "duration": 4.0,
        "dt": 0.05,
        "cost": Effort(1.0),
        "end": {"trolley": 3.0, "swing": 0.0},
        "velocity": {"trolley": 1.0},
        "tolerance": 1e-6,
    }
    run = optimize(crane(), **given)
    # A limit that binds is kept away from by barrier/z (CL2). The multipliers z dt sum to the price of the limit,
    # so that the largest is at least price/T, and the barrier ends at least_barrier cost/T.
    looser = optimize(crane(), **{**given, "velocity": {"trolley": 1.01}})
    cost = run.statistics["cost"]
    price = (cost - looser.statistics["cost"]) / 0.01
    rate = np.diff(run["trolley"]) / 0.05
    assert 0.0 < 1.0 - rate.max() < Task.least_barrier * cost / price
    assert abs(run["trolley"][-1] - 3.0) < 1e-7
    assert abs(run["swing"][-1]) < 1e-7


def test_crane_sets_its_load_down_without_swing():
    model = crane()
    run = optimize(model, duration=4.0, dt=0.05, cost=Effort(1.0), end={"trolley": 3.0, "swing": 0.0})
    after = bough.simulate(model, run.q[-1], p=run.p[-1], duration=3.0, dt=0.05)  # the trolley stands
    assert np.abs(after["swing"]).max() < 1e-6


def test_constraints_in_full_coordinates():
    """A rod held on a circle by two constraints, by three of which one is superfluous, and by its angle."""
    cases = (
        (driven_pendulum(1), {"q0": 0.0}, "q0"),
        (rod_on_slides(), on_circle(0.0), "turn"),
        (rod_on_slides(superfluous=True), on_circle(0.0), "turn"),
    )
    costs = []
    for model, start, name in cases:
        run = optimize(model, q=start, duration=1.5, dt=0.05, cost=Effort(1.0), end={name: 2.0})
        costs.append(run.statistics["cost"])
        assert np.abs(run.constraint_error()).max(initial=0.0) < 1e-9
        assert abs(run[name][-1] - 2.0) < 1e-7
    assert costs[2] == pytest.approx(costs[1], rel=1e-8)
    assert costs[1] == pytest.approx(costs[0], rel=2e-2)  # two discretisations of one motion


def test_tracking_a_run_of_the_same_model_finds_its_inputs():
    model = driven_pendulum(2, 0.2)
    t = np.arange(40) * 0.05
    u = np.stack([2.0 * np.sin(3 * t), np.cos(2 * t)], axis=1)
    target = bough.simulate(model, q={"q0": 0.3}, u=u, duration=2.0, dt=0.05)
    run = optimize(
        model, q=target.q[0], duration=2.0, dt=0.05, cost=[Track(target, 1e4), Effort(1e-8)], tolerance=1e-7
    )
    np.testing.assert_allclose(run.q, target.q, atol=1e-4)
    np.testing.assert_allclose(run.u[:-1], u, atol=2e-2)


def test_tracking_a_frame():
    model = driven_pendulum(2, 0.2)
    place = np.array([0.9, 0.0, -1.2])
    t = np.arange(50) * 0.04
    u = np.stack([2.0 * np.sin(3 * t), np.cos(2 * t)], axis=1)
    target = bough.simulate(model, q={"q0": 0.3}, u=u, duration=2.0, dt=0.04)
    weight, effort = 100.0, 1e-4
    cost = [Track(target, weight, frames="bob1"), Effort(effort)]
    run = optimize(model, q=target.q[0], duration=2.0, dt=0.04, cost=cost)
    off = run.pose("bob1")[1:, :3, 3] - target.pose("bob1")[1:, :3, 3]
    # The least cost is at most that of the inputs that the path came from, which have no other.
    assert weight * np.sum(off**2) < effort * np.sum(u**2)
    end = optimize(model, duration=2.0, dt=0.02, cost=Effort(1.0), end={"bob1": place})
    np.testing.assert_allclose(end.pose("bob1")[-1, :3, 3], place, atol=1e-7)
    assert np.abs(end.v[-1]).max() < 1e-6


def arm():
    """Three motors in space, so that the orientation of the hand can be chosen."""
    system = bough.System("arm", gravity=(0, 0, -9.81))
    upper = system.world.rz("yaw").ry("shoulder").tx(0.5, name="elbow", mass=1.0, inertia=(0.02, 0.03, 0.03))
    upper.ry("bend").tx(0.4, name="hand", mass=0.5, inertia=(0.01, 0.02, 0.02))
    for name in ("yaw", "shoulder", "bend"):
        system.add(bough.ConfigurationForce(name, f"{name}_motor"))
    system.add(bough.Damping(0.1))
    return system.build()


def test_a_pose_as_an_end():
    model = arm()
    wanted = model.pose("hand", [0.7, 0.4, -0.9])
    given = {"q": {"shoulder": 1.2, "bend": 0.6}, "duration": 1.0, "dt": 0.04, "cost": Effort(1.0)}
    run = optimize(model, end={"hand": wanted}, **given)
    np.testing.assert_allclose(run.pose("hand")[-1], wanted, atol=1e-7)
    # Three angles give the pose of the hand, and the pose gives them: the same problem by its variables.
    by_angles = optimize(model, end={"yaw": 0.7, "shoulder": 0.4, "bend": -0.9}, **given)
    assert run.statistics["cost"] == pytest.approx(by_angles.statistics["cost"], rel=1e-7)
    with pytest.raises(bough.ModelError, match="not a pose"):
        optimize(model, end={"hand": 2.0 * wanted}, **given)


def test_a_hand_that_floats_free_reaches_a_place():
    """The grasp of [K] in task space: the joints at the end and where the base drifts to are found, not given."""
    system = bough.System("satellite", gravity=None)
    base = system.world.floating("base", name="base", mass=20.0, inertia=(2.0, 1.6, 1.8))
    shoulder = base.tx(0.4).rz("yaw").ry("pitch")
    shoulder.tx(0.35, mass=3.0, inertia=(0.02, 0.13, 0.13))
    shoulder.tx(0.7).ry("elbow").tx(0.3, mass=2.0, inertia=(0.01, 0.08, 0.08)).tx(0.35, name="hand")
    joints = ("yaw", "pitch", "elbow")
    for name in joints:
        system.add(bough.ConfigurationForce(name, f"{name}_motor"))
    model = system.build()
    target = model.pose("hand", {"yaw": 0.7, "pitch": -0.3, "elbow": 0.8})[:3, 3]
    still = {f"v.{name}": 0.0 for name in joints}  # the momentum is zero: the base is at rest with its joints
    given = {"q": {"pitch": -1.4, "elbow": 2.6}, "duration": 10.0, "dt": 0.2, "cost": Effort(1.0)}
    run = optimize(model, end={"hand": target, **still}, rest=False, **given)
    np.testing.assert_allclose(run.pose("hand")[-1, :3, 3], target, atol=1e-12)
    assert np.abs(run.v[-1]).max() < 1e-7
    assert np.abs(run["base"][-1, 1:]).max() > 0.1  # it has turned
    assert run.statistics["first_order"] < 1e-8


def test_rows_of_an_orientation_and_their_derivatives():
    model, T = arm(), arm().pose("hand", [0.7, 0.4, -0.9])[:3, :3]
    q, w = np.array([0.2, -0.3, 0.5]), np.array([0.3, -1.0, 0.7])

    def rows(q):
        return orientation(T, model.pose("hand", q)[:3, :3])

    def slopes(q):
        return orientation_dq(T, model.pose("hand", q)[:3, :3], model.pose_dq("hand", q)[:, :3, :3])

    R = Rotation.from_matrix(model.pose("hand", q)[:3, :3] @ T.T).as_rotvec()
    angle = np.linalg.norm(R)
    np.testing.assert_allclose(rows(q), 2.0 * np.sin(0.5 * angle) * R / angle, atol=1e-14)
    expected, error = derivative(rows, q)
    np.testing.assert_array_less(np.abs(slopes(q).T - expected), 100 * error + 1e-10)
    expected, error = derivative(lambda q: w @ slopes(q), q)
    found = orientation_dqdq(
        T,
        model.pose("hand", q)[:3, :3],
        model.pose_dq("hand", q)[:, :3, :3],
        model.pose_dqdq("hand", q)[..., :3, :3],
        w,
    )
    np.testing.assert_array_less(np.abs(found - expected), 100 * error + 1e-10)


def test_configurations_as_a_guess():
    """From the configurations of a motion the inputs are those of it, but for what differences of them lose."""
    model = driven_pendulum(2, 0.2)
    t = np.arange(40) * 0.05
    u = np.stack([2.0 * np.sin(3 * t), np.cos(2 * t)], axis=1)
    target = bough.simulate(model, q={"q0": 0.3}, u=u, duration=2.0, dt=0.05)
    given = {"q": target.q[0], "duration": 2.0, "dt": 0.05, "cost": [Track(target, 1e4), Effort(1e-8)]}
    run = optimize(model, guess={"q": target.q}, tolerance=1e-7, **given)
    np.testing.assert_allclose(run.q, target.q, atol=1e-4)
    from_rest = optimize(model, tolerance=1e-7, **given)
    assert run.statistics["iterations"] < from_rest.statistics["iterations"]
    with pytest.raises(bough.ModelError, match="off the start"):
        optimize(model, guess={"q": target.q + 0.1}, **given)


@pytest.mark.parametrize("derivatives", ["differences", pytest.param("jax", marks=pytest.mark.verify)])
def test_own_costs_are_those_of_bough(cart, derivatives):
    if derivatives == "jax":
        pytest.importorskip("jax")
    own = Cost(lambda t, q, v, u: 0.025 * u[0] ** 2 + 0.05 * q[0] ** 2, derivatives=derivatives)
    small = 1e-8 if derivatives == "jax" else 1e-7
    run = optimize(cart, tolerance=small, **{**SWING, "cost": own})
    assert run.statistics["cost"] == pytest.approx(optimize(cart, **SWING).statistics["cost"], rel=1e-7)


def test_threads_change_no_bit():
    model = double_pendulum_cart()
    runs = [
        optimize(
            model,
            q={"lower": np.pi + 0.1},
            duration=1.0,
            dt=0.02,
            cost=Effort(1.0),
            threads=threads,
            end={"x": 0.3, "lower": np.pi, "upper": 0.0},
        )
        for threads in (1, 3)
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(("integrator", "order"), [("trapezoidal", 2), ("trapezoidal", 4)])
def test_other_steps(cart, integrator, order):
    run = optimize(cart, integrator=integrator, order=order, **SWING)
    assert np.abs(run.q[-1]).max() < 1e-7
    assert run == run.rerun()


def test_a_free_start_is_where_the_least_effort_begins(cart):
    """The cart may begin anywhere: no smaller cost is found at places beside the one found."""
    given = {**SWING, "end_weight": 200.0}
    free = optimize(cart, free_start="x", **given)
    best = free.statistics["cost"]
    assert best < optimize(cart, **given).statistics["cost"]
    for move in (-0.05, 0.05):
        near = {"x": free["x"][0] + move, "angle": np.pi}
        assert optimize(cart, guess=free, **{**given, "q": near}).statistics["cost"] > best


def test_a_free_duration_is_the_best_one(cart):
    given = {**SWING, "cost": Effort(0.05), "dt": 0.1}
    free = optimize(cart, time_weight=1.0, **{**given, "duration": (1.0, 3.0)})
    T, cost = free.statistics["duration"], free.statistics["cost"]
    assert 1.0 < T < 3.0
    assert cost == pytest.approx(0.5 * free.t[1] * 0.05 * np.sum(free.u[:-1] ** 2) + T, rel=1e-6)
    for other in (T - 0.05, T + 0.05):
        run = optimize(cart, guess=free, **{**given, "duration": other, "dt": other / 30})
        assert run.statistics["cost"] + other > cost


def test_warm_start_is_quick(cart):
    run = optimize(cart, **SWING)
    assert optimize(cart, guess=run, **SWING).statistics["iterations"] <= 1
    finer = optimize(cart, guess=run, **{**SWING, "dt": 0.025})
    assert finer.statistics["iterations"] < 15


def test_a_search_that_ends_early_keeps_its_best_motion(cart):
    with pytest.raises(bough.ConvergenceError, match="after 3 iterations") as caught:
        optimize(cart, max_iterations=3, **SWING)
    assert caught.value.trajectory.statistics["converged"] is False
    assert len(caught.value.trajectory) == 41


def test_ctrl_c_keeps_the_best(cart):
    calls = []

    def cost(t, q, v, u):
        calls.append(t)
        if len(calls) > 20000:
            raise KeyboardInterrupt
        return 0.025 * u[0] ** 2

    run = optimize(cart, **{**SWING, "cost": Cost(cost)})
    assert run.status == "interrupted"
    assert len(run) == 41
