"""ReducedVI, its states and trajectories: what users see."""

import pickle
import warnings

import numpy as np
import pytest

import bough
from support.free_bodies import rigid_body, satellite

XI, V = (0.4, 1.5, -0.6, 0.05, 0.02, -0.03), {"yaw": 0.5, "elbow": 1.0}


@pytest.fixture(scope="module")
def run():
    model = satellite((0, 0, -1.0)).build()
    vi = bough.ReducedVI(model, 0.01, tau="exp")
    return bough.simulate(model, vi.start(xi=XI, v=V), integrator=vi, duration=3.0)


def test_the_two_ways_to_start_agree():
    model = satellite().build()
    vi = bough.ReducedVI(model, 0.01)
    g = model.pose("body", {"base_tx": 0.3, "base_rz": 0.5, "base_ry": -0.2})
    by_pose = vi.start(g=g, r=[0.1, 0.2, 0.3], xi=XI, v=V)
    by_q = vi.start(q=by_pose.q, v=by_pose.v)
    assert by_pose.q == pytest.approx(by_q.q)
    np.testing.assert_allclose(by_pose.xi, XI, atol=1e-14)
    for name in ("g", "xi", "mu", "v", "p"):
        np.testing.assert_allclose(getattr(by_pose, name), getattr(by_q, name), atol=1e-13)
    np.testing.assert_allclose(by_pose.p, model.momentum(by_pose.q, by_pose.v), atol=1e-13)
    np.testing.assert_allclose(by_pose.mu[:3], model.angular_momentum(by_pose.q, by_pose.v), atol=1e-13)
    np.testing.assert_allclose(by_pose.mu[3:], model.linear_momentum(by_pose.q, by_pose.v), atol=1e-13)


def test_steps_by_hand_are_the_steps_of_a_run(run):
    vi = bough.ReducedVI(run.model, 0.01, tau="exp")
    state = vi.start(xi=XI, v=V)
    for row in range(1, 30):
        state = pickle.loads(pickle.dumps(vi.step(state)))
        # the first guess of the run is made from momenta: round-off apart
        np.testing.assert_allclose(state.g, run.g[row], atol=1e-14)
        np.testing.assert_allclose(state.q, run.q[row], atol=1e-14)
    again = bough.simulate(run.model, run[150], integrator=vi, duration=1.0)
    np.testing.assert_allclose(again.g[-1], run.g[250], atol=1e-11)


def test_integrators_take_up_each_others_states():
    """What one remembers of its steps is of no use to the other, which starts from q and p."""
    model = satellite().build()
    both = bough.ReducedVI(model, 0.01), bough.MidpointVI(model, 0.01)
    for first, second in (both, both[::-1]):
        state = first.step(first.start(v={"base_rz": 0.3, **V}))
        plain = bough.State(state.t, state.q, state.v, state.p)
        after, expected = second.step(state), second.step(plain)
        np.testing.assert_allclose(after.q, expected.q, rtol=0, atol=1e-15)
        np.testing.assert_allclose(after.p, expected.p, rtol=0, atol=1e-14)
        # at velocities of 1 rad/s the two rules differ by about dt^3 in a step
        assert np.abs(after.q - first.step(state).q).max() < 2 * 0.01**3


def test_quantities_along_the_motion(run):
    model = run.model
    np.testing.assert_allclose(run.pose("body"), run.g, atol=1e-14)
    np.testing.assert_allclose(run.energy(), model.energy(run.q, run.v), rtol=1e-11)
    np.testing.assert_allclose(run.momentum(), model.momentum(run.q, run.v), atol=1e-10)
    np.testing.assert_allclose(run.angular_momentum(), model.angular_momentum(run.q, run.v), atol=1e-10)
    np.testing.assert_allclose(run.linear_momentum(), model.linear_momentum(run.q, run.v), atol=1e-10)


def test_files_parts_and_repetition(run, tmp_path):
    read = bough.load_trajectory(run.save(tmp_path / "run.npz"))
    assert isinstance(read, bough.ReducedTrajectory)
    assert read == run
    assert read.rerun() == run
    part = run[10:20:2]
    assert isinstance(part, bough.ReducedTrajectory)
    np.testing.assert_array_equal(part.g, run.g[10:20:2])
    assert run[-1].g.tolist() == run.g[-1].tolist()
    assert part != run[10:20:3]
    run.save(tmp_path / "run.csv")


def test_runs_from_coordinates_repeat_bit_for_bit(tmp_path):
    model = satellite().build()
    v = {"base_ry": 2.0, "base_rx": 0.3, "elbow": 1.0}
    run = bough.simulate(model, q={"base_rz": 0.3}, v=v, integrator="reduced", dt=0.01, duration=2.0)
    assert bough.load_trajectory(run.save(tmp_path / "run.npz")).rerun() == run
    arm = bough.System("arm")
    arm.world.ry("shoulder").tz(-1.0, mass=1.0).ry("elbow").tz(-0.7, mass=0.3)
    run = bough.simulate(arm.build(), q=[0.3, 0.7], v=[0.1, 2.3], integrator="reduced", duration=1.0)
    assert run.rerun() == run


def test_angles_in_feedback_go_on():
    system = bough.System("spinner", gravity=None)
    system.world.free("base", name="body", mass=1.0, inertia=(1, 1, 1))
    system.add(bough.BodyWrench("body", fz="thrust"))
    model, seen = system.build(), []

    def thrust(t, state):
        seen.append(state.q[3])
        return {"thrust": 0.0}

    start = bough.ReducedVI(model, 0.05).start(xi=(0, 0, 3.0, 0, 0, 0))
    run = bough.simulate(model, start, integrator="reduced", dt=0.05, duration=5.0, u=thrust)
    assert run["base_rz"][-1] > 14.0
    np.testing.assert_allclose(seen, run["base_rz"][:-1], atol=1e-12)


def test_every_and_a_short_last_step():
    model = satellite().build()
    start = bough.ReducedVI(model, 0.01).start(xi=XI, v=V)
    full = bough.simulate(model, start, integrator="reduced", dt=0.01, duration=0.255)
    some = bough.simulate(model, start, integrator="reduced", dt=0.01, duration=0.255, every=10)
    np.testing.assert_array_equal(some.t, [0.0, 0.1, 0.2, 0.255])
    np.testing.assert_array_equal(some.g, full.g[[0, 10, 20, 26]])


def test_feedback_and_inputs():
    """Torque against the spin, as a function of the state: the spin goes down."""
    system = bough.System("spinner", gravity=None)
    system.world.free("base", name="body", mass=1.0, inertia=(1, 1, 1))
    system.add(bough.BodyWrench("body", tz="wheel"))
    model = system.build()
    start = bough.ReducedVI(model, 0.01).start(xi=(0, 0, 1.0, 0, 0, 0))
    run = bough.simulate(
        model, start, integrator="reduced", dt=0.01, duration=1.0, u=lambda t, state: {"wheel": -state.xi[2]}
    )
    assert run.xi[-1, 2] == pytest.approx(0.99**100, rel=1e-9)  # dw = -h w, held during a step


def test_prescribed_wheel_turns_the_body():
    """A wheel about z that is turned by hand: angular momentum stays zero."""
    system = bough.System("wheel", gravity=None)
    body = system.world.free("base", mass=1.0, inertia=(1, 1, 2.0))
    body.rz(bough.kinematic("wheel"), mass=0.1, inertia=(0.3, 0.3, 0.5))
    model = system.build()
    run = bough.simulate(model, integrator="reduced", dt=0.01, duration=1.0, k={"wheel": lambda t: 3 * t**2})
    assert run["base_rz"][-1] == pytest.approx(-3.0 * 0.5 / 2.5, abs=2e-3)
    np.testing.assert_allclose(run.mu, 0.0, atol=1e-12)


def test_angles_go_on_over_many_turns():
    model = rigid_body()
    vi = bough.ReducedVI(model, 0.05, tau="exp")
    run = bough.simulate(model, vi.start(xi=(0, 0, 3.0, 0, 0, 0)), integrator=vi, duration=20.0)
    np.testing.assert_allclose(run["base_rz"], 3.0 * run.t, atol=1e-10)


def test_base_on_a_fixed_frame():
    """The pose of a base need not begin in the world's origin."""
    pose = np.eye(4)
    pose[:3, :3] = bough.Retraction("exp")(np.array([0.3, -0.5, 0.2]))
    pose[:3, 3] = 1.0, 2.0, 3.0
    system = bough.System("placed", gravity=None)
    system.world.fixed(pose).free("base", name="body", mass=1.0, inertia=(1, 2, 3))
    model = system.build()
    run = bough.simulate(
        model, v={"base_tx": 1.0, "base_rx": 2.0}, integrator="reduced", dt=0.01, duration=1.0
    )
    np.testing.assert_allclose(run.g[0], pose, atol=1e-15)
    np.testing.assert_allclose(run.pose("body"), run.g, atol=1e-13)
    np.testing.assert_allclose(run["base_tx"], run.t, atol=1e-12)


def test_settings_and_text():
    model = rigid_body()
    vi = bough.ReducedVI(model, 0.02, alpha=0.4, tau="exp")
    assert repr(vi) == "ReducedVI('body', dt=0.02, alpha=0.4, tau='exp')"
    run = bough.simulate(model, integrator=vi, duration=0.1)
    assert {k: run.settings[k] for k in ("integrator", "dt", "alpha", "tau")} == {
        "integrator": "reduced", "dt": 0.02, "alpha": 0.4, "tau": "exp",
    }  # fmt: skip
    named = bough.simulate(model, integrator="reduced", dt=0.02, alpha=0.4, tau="exp", duration=0.1)
    assert named == run


def test_the_work_of_a_run_begins_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was in the memory before: else a motion without forces would seem to gain energy."""
    system = bough.System("free", gravity=None)
    system.world.free("base", mass=10.0, inertia=(1, 2, 3)).rz("joint").tx(1.0, mass=1.0, inertia=(1, 1, 1))
    empty = np.empty

    def used(*shape: object, **options: object) -> np.ndarray:
        array = empty(*shape, **options)  # type: ignore[call-overload]
        array[...] = 1e3
        return array

    monkeypatch.setattr("bough.integrators.reduced.np.empty", used)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bough.simulate(system.build(), v={"joint": 1.0}, duration=0.5, integrator="reduced")


def test_velocities_and_momenta_of_a_step_are_computed_when_they_are_read() -> None:
    system = bough.System("satellite", gravity=None)
    body = system.world.free("base", mass=10.0, inertia=(1, 2, 3))
    body.tx(0.5).rz("joint").tx(1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    vi = bough.ReducedVI(model, 0.01)
    state = vi.start(xi=(0.1, 2.0, 0, 0, 0, 0), v={"joint": 0.3})
    for _ in range(3):
        state = vi.step(state)
    copy = pickle.loads(pickle.dumps(vi.step(state)))  # reads them all
    after = vi.step(state)
    assert after == copy
    np.testing.assert_array_equal(after.xi, copy.xi)
    np.testing.assert_allclose(model.momentum(after.q, after.v)[: model.nd], after.p, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(vi.step(copy).q, vi.step(after).q)
    assert not after.v.flags.writeable
