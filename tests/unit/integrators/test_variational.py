"""Variational integrators step by step: closed-form discrete motions, starts, prescribed motion, threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bough
from bough import MidpointVI, TrapezoidalVI, gallery

METHODS = pytest.mark.parametrize("method", [MidpointVI, TrapezoidalVI])


def oscillator(mass: float = 2.0, stiffness: float = 50.0) -> bough.Model:
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=mass)
    system.add(bough.ConfigurationSpring("x", stiffness))
    return system.build()


def pushed(mass: float = 2.0) -> bough.Model:
    system = bough.System("pushed", gravity=None)
    system.world.tx("x", mass=mass)
    system.add(bough.ConfigurationForce("x", "push"))
    return system.build()


def arm() -> bough.Model:
    """Two links on a sliding base, the base prescribed."""
    system = bough.System("arm")
    base = system.world.tx(bough.kinematic("slide"), name="base", mass=2.0)
    elbow = base.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.rx("forearm").tz(-0.5, name="tip", mass=0.5, inertia=(0.1, 0.2, 0.15))
    system.add(bough.Damping(0.1))
    return system.build()


def loop() -> bough.Model:
    """Two links whose end slides along a horizontal line."""
    system = bough.System("loop")
    elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    system.add(bough.PointConstraint("tip", system.world.tz(-1.0, name="rail"), axis=(0, 0, 1), name="rail"))
    return system.build()


FOLDED = {"a": np.pi / 3, "b": -2 * np.pi / 3}  # the end of the loop at height -1


def stepped(vi: MidpointVI | TrapezoidalVI, state: bough.State, steps: int, **options: object) -> bough.State:
    for _ in range(steps):
        state = vi.step(state, **options)
    return state


# --- closed-form discrete motions ---


@METHODS
@pytest.mark.parametrize("dt", [0.01, 0.1, 0.3])
def test_harmonic_oscillator_turns_by_the_angle_of_the_method(method: type, dt: float):
    omega = 5.0
    # the equations of both rules are linear recurrences, solved by x = cos(n theta)
    theta = 2 * np.arctan(omega * dt / 2) if method is MidpointVI else np.arccos(1 - (omega * dt) ** 2 / 2)
    vi = method(oscillator(), dt)
    state = vi.start(q={"x": 1.0})
    xs = []
    for _ in range(100):
        state = vi.step(state)
        xs.append(state.q[0])
    np.testing.assert_allclose(xs, np.cos(theta * np.arange(1, 101)), rtol=0, atol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0])
def test_harmonic_oscillator_with_other_alpha(alpha: float):
    dt, omega, vi = 0.01, 5.0, MidpointVI(oscillator(), 0.01, alpha)
    first = vi.start(q={"x": 1.0})
    q0, q1 = first.q[0], (state := vi.step(first)).q[0]
    for _ in range(50):
        state = vi.step(state)
        a, q2 = alpha, state.q[0]
        acceleration = -(omega**2) * ((1 - a) * ((1 - a) * q1 + a * q2) + a * ((1 - a) * q0 + a * q1))
        np.testing.assert_allclose((q2 - 2 * q1 + q0) / dt**2, acceleration, rtol=0, atol=1e-9)
        q0, q1 = q1, q2


@METHODS
def test_constant_force_moves_a_mass_exactly(method: type):
    vi = method(pushed(mass=2.0), 0.1)
    state = stepped(vi, vi.start(q={"x": 1.0}, v={"x": 3.0}), 10, u={"push": 4.0})
    # x = x0 + v0 t + u t^2 / 2m
    np.testing.assert_allclose([state.q[0], state.v[0], state.p[0]], [1 + 3 + 1, 3 + 2, 10], rtol=1e-12)
    assert state.t == pytest.approx(1.0)


@METHODS
def test_free_fall_is_exact(method: type):
    system = bough.System("stone")
    system.world.tz("z", mass=1.0)
    vi = method(system.build(), 0.1)
    state = stepped(vi, vi.start(v=[5.0]), 10)
    np.testing.assert_allclose([state.q[0], state.v[0]], [5 - 9.81 / 2, 5 - 9.81], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("integrator", "alpha", "order"), [("midpoint", 0.5, 2), ("midpoint", 0.3, 1), ("trapezoidal", None, 2)]
)
def test_order_of_convergence(integrator: str, alpha: float | None, order: int):
    settings = {"q": {"shoulder": 0.8, "forearm": 0.4}, "k": {"slide": lambda t: 0.2 * np.sin(2 * t)}}
    exact = bough.simulate(arm(), **settings, duration=1.0, dt=0.005, integrator="dop853").q[-1]
    errors = [
        abs(
            bough.simulate(arm(), **settings, duration=1.0, dt=dt, integrator=integrator, alpha=alpha).q[-1]
            - exact
        ).max()
        for dt in (0.02, 0.01, 0.005)
    ]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(slopes, order, atol=0.1)


# --- starts ---


@METHODS
def test_starts_from_velocities_and_momenta_agree(method: type):
    model = arm()
    q, v = [0.3, -0.2, 0.1], [1.0, 2.0, 0.5]
    vi = method(model, 0.01)
    by_v, by_p = vi.start(q, v), vi.start(q, p=model.momentum(q, v)[:2])
    assert np.array_equal(by_v.p, by_p.p)
    assert by_v.v.tolist() == v
    # without the velocity of the base the same momenta mean other velocities
    assert by_p.v[2] == 0.0


@METHODS
def test_start_from_configurations_goes_on_as_the_run_did(method: type):
    vi = method(arm(), 0.01)
    states = [vi.start({"shoulder": 0.8})]
    for _ in range(20):
        states.append(vi.step(states[-1]))
    again = vi.start_from_configurations(states[0].q, states[1].q, t=0.0)
    other = method(arm(), 0.5).start_from_configurations(states[0].q, states[1].q, t=0.0, dt=0.01)
    np.testing.assert_array_equal(other.p, again.p)
    np.testing.assert_allclose(again.p, states[1].p, rtol=0, atol=1e-13)
    assert again.t == states[1].t
    np.testing.assert_allclose(stepped(vi, again, 19).q, states[20].q, rtol=0, atol=1e-12)


def test_start_from_configurations_knows_nothing_of_other_motions():
    model = loop()
    vi = MidpointVI(model, 0.01)
    first = vi.start(FOLDED)
    second = vi.step(first)
    alone = MidpointVI(model, 0.01).start_from_configurations(first.q, second.q)
    stepped(vi, second, 20)
    np.testing.assert_array_equal(vi.start_from_configurations(first.q, second.q).lam, alone.lam)


def test_velocities_are_projected_onto_the_constraints():
    model = loop()
    vi = MidpointVI(model, 0.01)
    state = vi.start(FOLDED, v={"a": 1.0})
    np.testing.assert_allclose(model.constraint_dq(state.q) @ state.v, 0.0, atol=1e-14)
    np.testing.assert_allclose(state.p, model.momentum(state.q, state.v), atol=1e-14)
    # the part that was taken away is no motion of the mechanism: it is orthogonal in the mass metric
    removed = np.array([1.0, 0.0]) - state.v
    assert abs(state.v @ model.mass_matrix(state.q) @ removed) < 1e-13


def test_constraints_hold_and_forces_are_reported():
    model = loop()
    vi = MidpointVI(model, 0.01)
    state = stepped(vi, vi.start(FOLDED), 100)
    assert abs(model.constraint(state.q)).max() < 1e-13
    assert state.lam.shape == (1,)
    _, force = model.acceleration_and_multipliers(state.q, state.v)
    np.testing.assert_allclose(state.lam, force, rtol=0.02)  # of the step before: a hundredth of a second ago


def test_default_start_is_at_zero_and_at_rest():
    state = MidpointVI(arm(), 0.01).start()
    assert (state.t, state.q.tolist(), state.v.tolist(), state.p.tolist()) == (0.0, [0] * 3, [0] * 3, [0] * 2)


# --- steps ---


@METHODS
def test_steps_by_hand_are_those_of_simulate(method: type):
    model = arm()
    vi = method(model, 0.01)
    run = bough.simulate(model, {"shoulder": 0.8}, duration=0.5, integrator=vi)
    state = stepped(vi, vi.start({"shoulder": 0.8}), 50)
    assert np.array_equal(state.q, run.q[-1])
    assert np.array_equal(state.p, run.p[-1])
    np.testing.assert_allclose(state.v, run.v[-1], rtol=0, atol=1e-14)


def test_a_step_changes_nothing_but_its_result():
    vi = MidpointVI(arm(), 0.01)
    state = stepped(vi, vi.start({"shoulder": 0.8}), 5)
    before = pickle.dumps(state)
    other = stepped(vi, vi.start({"shoulder": -1.0}), 3)
    first, second = vi.step(state), vi.step(state)
    assert first == second
    assert pickle.dumps(state) == before
    assert vi.step(pickle.loads(before)) == first
    assert other != first


def test_prescribed_values_are_reached():
    vi = MidpointVI(arm(), 0.01)
    state = vi.start({"shoulder": 0.5, "slide": 0.2})
    moved = vi.step(state, k={"slide": 0.25})
    assert moved.q[2] == 0.25
    np.testing.assert_allclose(moved.v[2], 5.0)
    assert np.array_equal(moved.q, vi.step(state, k=[0.25]).q)
    assert vi.step(state).q[2] == 0.2
    assert vi.step(state, k={}).q[2] == 0.2


def test_steps_of_several_sizes():
    vi = MidpointVI(oscillator(), 0.01)
    state = vi.start(q={"x": 1.0})
    for i in range(400):
        state = vi.step(state, dt=0.001 * (1 + i % 4))
    assert state.t == pytest.approx(1.0)
    np.testing.assert_allclose(state.q[0], np.cos(5.0), atol=1e-3)


def test_step_of_a_state_without_memory():
    vi = MidpointVI(oscillator(), 0.01)
    plain = vi.step(bough.State(0.0, [1.0]))
    np.testing.assert_allclose(plain.q, vi.step(vi.start(q=[1.0])).q, rtol=0, atol=1e-15)


def test_threads_share_an_integrator():
    vi = MidpointVI(arm(), 0.01)
    starts = [{"shoulder": 0.1 * i} for i in range(1, 9)]

    def last(start: dict[str, float]) -> bough.State:
        return stepped(vi, vi.start(start), 200)

    alone = [last(start) for start in starts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(last, starts)) == alone


def test_attributes_and_text():
    vi = MidpointVI(arm(), 0.01, 0.4, tolerance=1e-10, max_iterations=9)
    assert (vi.dt, vi.alpha, vi.tolerance, vi.max_iterations, vi.max_halvings) == (0.01, 0.4, 1e-10, 9, 6)
    assert repr(vi) == "MidpointVI('arm', dt=0.01, alpha=0.4)"
    assert repr(TrapezoidalVI(arm(), 0.02)) == "TrapezoidalVI('arm', dt=0.02)"


def test_slow_motion_far_from_zero() -> None:
    """The momentum of a step is below the round-off of q: that is no reason to fail."""
    system = bough.System("slow", gravity=(1e-3, 0.0, 0.0))
    system.world.tx("x", mass=1.0)
    run = bough.simulate(system.build(), q={"x": 1000.0}, duration=0.1, dt=1e-3)
    assert run.status == "finished"
    assert np.allclose(run["x"] - 1000.0, 0.5e-3 * run.t**2, rtol=0, atol=1e-12)


def test_whose_constraint_forces_a_state_has() -> None:
    """From an integrator those of the step before, from a trajectory those of the step that starts here."""
    model = loop()
    vi = MidpointVI(model, 0.01)
    run = bough.simulate(model, FOLDED, duration=0.1, integrator=vi)
    state = stepped(vi, vi.start(FOLDED), 5)
    assert np.array_equal(state.q, run.q[5])
    np.testing.assert_allclose(state.lam, run.lam[4], rtol=1e-12)
    assert np.array_equal(run.state(5).lam, run.lam[5])


@pytest.mark.parametrize("again", ["simulate", "step", "momenta"])
def test_constraint_forces_of_a_motion_that_goes_on(again: str) -> None:
    """A recorded state has momenta before the constraint's impulse; its force is told once, not twice."""
    model = loop()
    run = bough.simulate(model, FOLDED, duration=1.0, dt=0.005)
    state = run[100]
    if again == "simulate":
        lam = bough.simulate(model, state, duration=0.01, dt=0.005).lam[0]
    elif again == "step":
        lam = MidpointVI(model, 0.005).step(state).lam
    else:
        lam = bough.simulate(model, state.q, p=state.p, duration=0.01, dt=0.005).lam[0]
    exact = model.acceleration_and_multipliers(state.q, state.v)[1]
    np.testing.assert_allclose(lam, exact, rtol=0.01)


def test_guesses_follow_oscillations_of_a_few_steps() -> None:
    """(S8) on toes that swing with a period of five steps, where polynomials lead to 3.6 iterations a step."""
    with pytest.warns(bough.SlackWarning, match="back string"):  # its jumps are of no concern here
        run = bough.simulate(gallery.marionette(damping=0.0).build(), duration=3.0, dt=0.01)
    assert run.statistics["iterations"] < 2.8 * run.statistics["steps"]
