"""Linearised runs, linear feedback, and the Kalman filter, against independent recursions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import bough
from bough.control import Step, controllability, kalman, linearize, lqr, observability
from support.control_models import crane, driven_pendulum, on_circle, rod_on_slides
from support.finite_difference import derivative


def swinging(model=None, steps=12):
    model = driven_pendulum(2, 0.1) if model is None else model
    u = 0.5 * np.sin(np.arange(2 * steps)).reshape(steps, 2)
    return bough.simulate(model, q={"q0": 0.4}, u=u, duration=0.05 * steps, dt=0.05)


def test_linearized_steps_give_the_derivative_of_the_whole_run():
    run = swinging()
    A, B = linearize(run)
    chain = B[2]
    for k in range(3, len(A)):
        chain = A[k] @ chain

    def last(change):
        u = run.u[:-1].copy()
        u[2] += change
        again = bough.simulate(run.model, q=run.q[0], u=u, duration=run.t[-1], dt=0.05)
        return np.concatenate([again.q[-1], again.p[-1]])

    expected, error = derivative(last, np.zeros(2), step=0.2)
    np.testing.assert_array_less(np.abs(chain.T - expected), 100 * error + 1e-8)


def test_gains_along_a_run_are_those_of_the_riccati_recursion():
    run = swinging()
    model, dt = run.model, 0.05
    Q, R = np.diag([3.0, 2.0, 1.0, 0.5]), np.diag([0.2, 0.3])
    A, B = linearize(run)
    T = []
    for q, v in zip(run.q, run.v, strict=True):  # (q, p) by (q, v), by differences
        D, _ = derivative(lambda s: model.momentum(s[:2], s[2:]), np.concatenate([q, v]))
        T.append(np.vstack([np.eye(2, 4), D.T]))
    P = np.linalg.inv(T[-1]).T @ Q @ np.linalg.inv(T[-1])
    feedback = lqr(run, Q, R)
    for k in reversed(range(len(A))):
        K = np.linalg.solve(dt * R + B[k].T @ P @ B[k], B[k].T @ P @ A[k])
        S = np.linalg.inv(T[k])
        P = dt * S.T @ Q @ S + A[k].T @ P @ (A[k] - B[k] @ K)
        np.testing.assert_allclose(feedback.K[k], K @ T[k], atol=1e-8 * np.abs(K).max())


def test_feedback_brings_a_disturbed_run_back():
    """With cheap effort and equal weights of q and v, min ∫ q² + v² leaves v = −q: deviations fall as exp(−t).

    Effort that is not free and steps that are not short change the exponent by a few hundredths; the open loop
    only has its damping.
    """
    run = swinging(steps=80)
    feedback = lqr(run, Q=100.0, R=1e-2)
    start = run.q[0] + [0.1, -0.1]
    off = {}
    for name, u in (("open", run.u[:-1]), ("closed", feedback)):
        again = bough.simulate(run.model, q=start, u=u, duration=run.t[-1], dt=0.05)
        off[name] = np.abs(again.q[-1] - run.q[-1]).max()
    assert -np.log(off["closed"] / 0.1) / run.t[-1] == pytest.approx(1.0, abs=0.05)
    assert off["closed"] < 0.1 * off["open"]


def test_three_lines_hold_twenty_links_upright():
    model = driven_pendulum(20)
    up = {"q0": np.pi}
    feedback = lqr(model, q=model.equilibrium(up), Q=1e5, R=1e-3, dt=0.02)
    run = bough.simulate(model, q={"q0": np.pi + np.radians(5.0)}, u=feedback, duration=6.0, dt=0.02)
    assert np.abs(run.q[-1] - model.configuration(up)).max() < 1e-3


def test_closed_loop_with_constraints_is_that_of_the_free_coordinates():
    """A rod held on a circle by two constraints against the same rod by its angle: the same closed loop."""
    free, held = driven_pendulum(1), rod_on_slides()
    loops = []
    for model, q, names in (
        (free, {"q0": np.pi}, ("q0", "v.q0")),
        (held, on_circle(np.pi), ("turn", "v.turn")),
    ):
        feedback = lqr(model, dict.fromkeys(names, 1.0), 0.1, q=q, dt=0.02)
        start = {"q0": np.pi + 0.2} if model is free else on_circle(np.pi + 0.2)
        run = bough.simulate(model, q=start, u=feedback, duration=2.0, dt=0.02)
        loops.append(run[names[0]])
    np.testing.assert_allclose(loops[0], loops[1], atol=1e-3)
    assert abs(loops[1][-1] - np.pi) < 2e-2


def test_infinite_horizon_gains_are_those_of_scipy():
    model = driven_pendulum(2)
    step = Step(model, 0.02)
    A, B = step.jacobians(np.zeros(4))
    M = scipy.linalg.block_diag(np.eye(2), model.mass_matrix(np.zeros(2)))
    S = np.linalg.inv(M)
    P = scipy.linalg.solve_discrete_are(A, B, 0.02 * S.T @ S, 0.02 * 0.5 * np.eye(2))
    K = np.linalg.solve(0.01 * np.eye(2) + B.T @ P @ B, B.T @ P @ A) @ M
    np.testing.assert_allclose(lqr(model, 1.0, 0.5, dt=0.02).K[0], K, atol=1e-7 * np.abs(K).max())


def test_inputs_that_hold_a_pose_are_found():
    model = driven_pendulum(2)
    q = {"q0": 0.7, "q1": -0.4}
    feedback = lqr(model, Q=100.0, R=0.1, q=q, dt=0.02)
    run = bough.simulate(model, q={"q0": 0.75, "q1": -0.4}, u=feedback, duration=8.0, dt=0.02)
    np.testing.assert_allclose(run.q[-1], [0.7, -0.4], atol=1e-3)
    np.testing.assert_allclose(feedback.c[0], model.inverse_dynamics([0.7, -0.4], [0, 0], [0, 0]), atol=1e-10)


def test_feedback_moves_kinematic_variables():
    model = crane()
    feedback = lqr(model, {"swing": 10.0, "v.swing": 10.0, "trolley": 1.0}, 0.5, q={"swing": 0.0}, dt=0.02)
    calm = feedback.simulate(q={"swing": 0.2}, duration=10.0)
    assert np.abs(calm["swing"][-100:]).max() < 1e-2
    assert abs(calm["trolley"][-1]) < 1e-2
    assert calm == calm.rerun()
    with pytest.raises(bough.ModelError, match=r"feedback\.simulate"):
        feedback(0.0, calm[0])


def test_reach_of_inputs_and_sensors():
    cart = bough.gallery.cart_pole().build()
    up = {"angle": 0.0}
    assert controllability(cart, up).complete
    assert observability(cart, "x", up).complete
    seen = observability(cart, "angle", up)  # neither place nor speed of the cart
    assert (seen.complete, seen.rank, seen.size) == (False, 2, 4)
    assert repr(seen) == "<Reach: 2 of 4 directions of (q, v); missing mostly 'v.x', 'x'>"
    assert repr(controllability(cart, up)) == "<Reach: all 4 directions of (q, v)>"
    two = driven_pendulum(2)
    assert controllability(two).complete
    held = controllability(rod_on_slides(), on_circle(0.3))
    assert (held.rank, held.size) == (2, 2)


def test_a_part_that_no_input_reaches_is_named():
    system = bough.System("two pendulums", gravity=(0, 0, -9.81))
    for name in ("left", "right"):
        system.world.ry(name).tz(1.0, mass=1.0)
    system.add(bough.ConfigurationForce("left", "torque"))
    model = system.build()
    reach = controllability(model)
    assert reach.rank == 2
    assert np.abs(reach.missing[[0, 2]]).max() < 1e-9
    with pytest.raises(bough.ModelError, match="mostly of 'right'"):
        lqr(model)


def test_filter_of_a_linear_system_is_the_textbook_one():
    system = bough.System("spring", gravity=(0, 0, 0))
    system.world.tx("x", mass=2.0)
    system.add(bough.ConfigurationSpring("x", stiffness=8.0))
    system.add(bough.ConfigurationForce("x", "force"))
    model = system.build()
    A, B = Step(model, 0.05).jacobians(np.zeros(2))
    to_p = np.diag([1.0, 2.0])
    A, B = np.linalg.inv(to_p) @ A @ to_p, np.linalg.inv(to_p) @ B
    x, P = np.array([0.1, 0.0]), 0.01 * np.eye(2)
    W, V, C = np.diag([1e-4, 2e-4]), np.array([[1e-3]]), np.array([[1.0, 0.0]])
    estimator = kalman(
        model, "x", {"x": 0.1}, dt=0.05, noise=1e-3, disturbance=[1e-4, 2e-4], uncertainty=0.01
    )
    rng = np.random.default_rng(0)
    for _ in range(20):
        u, y = rng.normal(size=1), rng.normal(size=1)
        x, P = A @ x + B @ u, A @ P @ A.T + W
        K = P @ C.T / (C @ P @ C.T + V)
        x, P = x + K @ (y - C @ x), (np.eye(2) - K @ C) @ P
        estimator.predict(u)
        estimator.update(y)
    np.testing.assert_allclose(np.concatenate([estimator.q, estimator.v]), x, atol=1e-10)
    np.testing.assert_allclose(estimator.covariance, P, atol=1e-12)


def test_filter_finds_a_swing_from_noisy_places_with_constraints():
    """Its errors are within four of the standard deviations that it tells, which measurements have made small."""
    model = rod_on_slides()
    run = bough.simulate(model, q=on_circle(0.8), duration=1.2, dt=0.02)
    estimator = kalman(model, "body", on_circle(0.3), dt=0.02, noise=1e-4, disturbance=1e-8, uncertainty=0.1)
    rng = np.random.default_rng(1)
    for k in range(1, len(run)):
        estimator.predict()
        estimator.update(run.pose("body")[k, :3, 3] + 0.01 * rng.normal(size=3))
    error = np.concatenate([estimator.q - run.q[-1], estimator.v - run.v[-1]])
    deviation = np.sqrt(np.diag(estimator.covariance))
    assert (np.abs(error) < 4.0 * deviation).all()
    assert deviation.max() < 0.01  # less than that of one measurement
    assert np.abs(model.constraint(estimator.q)).max() < 1e-9


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: lqr(m, Q=-1.0), "not negative"),
        (lambda m: lqr(m, Q={"q9": 1.0}), "the names are"),
        (lambda m: lqr(m, Q=np.eye(3)), "it weighs 4 numbers"),
        (lambda m: lqr(m, R=0.0), "positive weights"),
        (lambda m: lqr(m, Q=np.nan), "finite"),
        (lambda m: lqr(m, q={"q0": 0.5}, u=[0.0, 0.0]), "accelerates"),
        (lambda m: lqr(bough.gallery.pendulum(2).build()), "without inputs"),
        (lambda m: lqr(m, integrator="rk4"), "no derivatives yet"),
        (lambda m: lqr("run"), "Trajectory"),
        (
            lambda m: linearize(bough.simulate(m, duration=0.1, dt=0.01, integrator="rk4")),
            "no derivatives yet",
        ),
        (lambda m: linearize(bough.simulate(m, duration=0.1, dt=0.01, every=2)), "every=1"),
        (lambda m: linearize(bough.simulate(m, duration=0.105, dt=0.01)), "divides"),
        (lambda m: linearize(3), "Trajectory"),
        (lambda m: kalman(m, [], dt=0.1, noise=1.0, disturbance=1.0), "nothing that is measured"),
        (lambda m: kalman(m, "q7", dt=0.1, noise=1.0, disturbance=1.0), "the names are"),
        (lambda m: kalman(m, "q0", dt=0.1, noise=1.0, disturbance=1.0).update([1.0, 2.0]), "shape"),
    ],
)
def test_wrong_arguments_are_told(call, says):
    with pytest.raises(bough.ModelError, match=says):
        call(driven_pendulum(2))


@pytest.mark.parametrize("loose_first", [False, True])
def test_lqr_names_what_no_control_reaches(loose_first: bool) -> None:
    """Of two masses one is pushed; both have the double eigenvalue one."""
    system = bough.System("two", gravity=None)
    for name in ("loose", "driven") if loose_first else ("driven", "loose"):
        system.world.tx(name, mass=1.0)
    system.add(bough.ConfigurationForce("driven", "push"))
    with pytest.raises(bough.ModelError, match="a motion, mostly of 'loose', that no control reaches"):
        bough.control.lqr(system.build(), q=[0.0, 0.0])


def test_lqr_names_a_spin_that_no_control_reaches() -> None:
    """A load in a ball under a hull turns about its own axis."""
    system = bough.System("load")
    hull = system.world.floating("hull", name="hull", mass=1.5, inertia=(0.02, 0.02, 0.035))
    hull.ball("hang").tz(-1.0, mass=0.3, inertia=(1e-3, 1e-3, 1e-3))
    system.add(bough.BodyWrench("hull", fz="thrust", tx="roll", ty="pitch", tz="yaw"))
    model = system.build()
    with pytest.raises(bough.ModelError, match="a motion, mostly of 'hang_wz', that no control reaches"):
        bough.control.lqr(model, q=model.neutral(), Q=1.0, R=0.1, dt=0.02)


def test_a_pose_that_fell_away_is_told():
    """The search for a rest near upright falls to the hanging one, unless it is the nearest that is asked for."""
    model = bough.gallery.cart_pole().build()
    with pytest.warns(
        bough.BoughWarning, match="3.04 from the q that equilibrium.* in 'angle'.*nearest=True"
    ):
        lqr(model, q=model.equilibrium({"angle": 0.1}), dt=0.02)
    upright = model.equilibrium({"angle": 0.1}, nearest=True)
    hold = lqr(model, q=upright, Q=1.0, R=0.1, dt=0.02)
    run = bough.simulate(model, q={"angle": 0.2}, u=hold, duration=8.0, dt=0.02)
    assert np.abs(run.q[-1]).max() < 1e-2
    down = model.equilibrium({"angle": 3.0})
    assert lqr(model, q=down, dt=0.02).K.shape == lqr(model, q=down.q, dt=0.02).K.shape


def test_a_pose_that_is_no_rest_leads_to_one():
    """The advice holds the joints of motors; it is followed here."""
    system = bough.System("pole on an arm", gravity=(0, 0, -9.81))
    arm = system.world.ry("motor").tz(-1.0, mass=2.0)
    arm.ry("pole").tz(0.8, name="top", mass=0.5)
    system.add(bough.ConfigurationForce("motor", "torque"))
    model, q = system.build(), {"motor": 0.9, "pole": -0.7}
    with pytest.raises(bough.ModelError, match=r"model.equilibrium\(q, nearest=True, hold=\('motor',\)\)"):
        lqr(model, q=q, dt=0.01)
    rest = model.equilibrium(q, nearest=True, hold=("motor",))
    np.testing.assert_allclose(rest.q, [0.9, -0.9], atol=1e-9)
    near, feedback = {"motor": 0.9, "pole": -0.88}, lqr(model, q=rest.q, Q=1.0, R=0.1, dt=0.01)
    run = bough.simulate(model, q=near, u=feedback, duration=12.0, dt=0.01)
    np.testing.assert_allclose(run.q[-1], [0.9, -0.9], atol=1e-2)


def test_states_are_poses_if_they_rest():
    model = bough.gallery.cart_pole().build()
    one = lqr(model, q=model.assemble({"angle": 0.0}), dt=0.02)
    np.testing.assert_array_equal(one.K, lqr(model, q={"angle": 0.0}, dt=0.02).K)
    with pytest.raises(bough.ModelError, match="a state that moves: 'x' by 1"):
        lqr(model, q=model.assemble({"angle": 0.0}, {"x": 1.0}), dt=0.02)
