"""How steps deal with contacts: stepped without location, too long for their impacts, and between recorded rows."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import bough
from support.stops import with_stops

G = 9.81


def ball(restitution: float = 0.0, friction: float = 0.0) -> bough.Model:
    system = bough.System("ball")
    system.world.tx("x").tz("z", name="ball", mass=1.0)
    system.add(bough.PlaneContact("ball", restitution=restitution, friction=friction, name="floor"))
    return system.build()


def arm(restitution: float | None) -> bough.Model:
    system = bough.System("arm")
    upper = system.world.ry("shoulder").tz(-1.0, mass=1.0)
    upper.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    if restitution is not None:
        system.add(bough.JointLimit("elbow", -0.2, 0.2, restitution=restitution, name="stop"))
    return system.build()


# --- locate=False ---


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal"])
def test_stepped_motion_passes_nothing_and_is_of_first_order(integrator):
    """In the mean over starts whose impact, at 0.31 s, falls all over a step."""

    def missed(start, dt):
        run = bough.simulate(arm(0.0), q=start, duration=0.8, dt=dt, locate=False, integrator=integrator)
        assert run.gaps().min() > -1e-13
        assert run.impacts == ()
        assert (run.contact_status == "stick").any()
        truth = with_stops(arm(None), start, np.zeros(2), 0.8, (1, -0.2, 0.2), 0.0)
        return np.abs(np.concatenate([run.q[-1], run.v[-1]]) - truth).max()

    starts, steps = [np.array([a, 0.0]) for a in np.linspace(0.57, 0.63, 8)], (0.01, 0.005, 0.0025)
    errors = [np.mean([missed(start, dt) for start in starts]) for dt in steps]
    assert errors[-1] < 0.01
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.1)


def test_stepped_motion_rests_and_sticks():
    run = bough.simulate(ball(friction=0.5), q={"z": 0.3}, v={"x": 0.4}, duration=2.0, dt=0.01, locate=False)
    assert run.gaps().min() > -1e-14
    assert np.abs(run.v[-1]).max() < 1e-13
    assert np.abs(np.diff(run.q[-50:], axis=0)).max() < 1e-14
    assert run.contact_force("floor").normal[-2] == pytest.approx(G, rel=1e-9)


def test_stepped_runs_are_repeated_and_saved(tmp_path):
    run = bough.simulate(ball(friction=0.5), q={"z": 0.3}, v={"x": 0.4}, duration=0.5, dt=0.01, locate=False)
    assert run.settings["locate"] is False
    assert run.rerun() == run
    assert bough.load_trajectory(run.save(tmp_path / "run")).rerun() == run
    vi = bough.MidpointVI(run.model, 0.01, locate=False)
    state = vi.start(q={"z": 0.3}, v={"x": 0.4})
    for _ in range(50):
        state = vi.step(state)
    assert np.array_equal(state.q, run.q[-1])


def test_restitution_needs_location():
    with pytest.raises(bough.ModelError) as caught:
        bough.simulate(ball(0.5), q={"z": 1.0}, duration=1.0, locate=False)
    assert str(caught.value) == (
        "locate=False in MidpointVI of model 'ball'\n  found: contact 'floor' with restitution 0.5\n"
        "  do: leave locate out, so that impacts are located, or build the system with restitution=0"
    )
    with pytest.raises(bough.ModelError, match="neither True nor False"):
        bough.MidpointVI(ball(), 0.01, locate="no")


# --- steps that are too long ---


def test_an_elastic_ball_in_a_narrow_gap_is_said_to_have_coarse_steps():
    system = bough.System("gap", gravity=None)
    system.world.tx("x", name="ball", mass=1.0)
    system.add(bough.JointLimit("x", -0.005, 0.005, restitution=1.0, name="walls"))
    with pytest.warns(bough.CoarseStepWarning, match="more impacts than they tell apart"):
        bough.simulate(system.build(), v={"x": 50.0}, duration=0.1, dt=0.01)


def test_energy_that_no_impact_explains_is_said():
    with pytest.warns(bough.CoarseStepWarning, match="the energy of 'arm' is off by"):
        bough.simulate(arm(0.5), q={"shoulder": 1.5}, duration=60.0, dt=0.25)


def test_steps_that_are_short_enough_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for restitution in (0.0, 0.5, 1.0):
            bough.simulate(arm(restitution), q={"shoulder": 1.2}, duration=20.0, dt=0.01)
        bough.simulate(ball(0.7, 0.4), q={"z": 1.0}, v={"x": 1.0}, duration=5.0, dt=0.01)


# --- between rows ---


@pytest.mark.parametrize("every", [1, 5])
def test_states_between_rows_are_on_the_right_side_of_an_impact(every):
    run = bough.simulate(ball(0.8), q={"z": 1.0}, v={"x": 0.5}, duration=2.0, dt=0.01, every=every)
    fall = math.sqrt(2.0 / G)
    second = fall * (1.0 + 2.0 * 0.8)
    for t in np.linspace(0.0, 0.99 * second, 1001):
        after = t - fall
        z = 1.0 - 0.5 * G * t**2 if t < fall else 0.8 * G * fall * after - 0.5 * G * after**2
        v = -G * t if t < fall else 0.8 * G * fall - G * after
        state = run.at(float(t))
        assert state.q["z"] == pytest.approx(z, abs=1e-12)
        assert state.v["z"] == pytest.approx(v, abs=1e-9)
        assert state.q["x"] == pytest.approx(0.5 * t, abs=1e-13)


def test_impacts_tell_where_they_were(tmp_path):
    run = bough.simulate(ball(0.8), q={"z": 1.0}, duration=1.0, dt=0.01)
    first = run.impacts[0]
    assert first.q == pytest.approx((0.0, 0.0), abs=1e-15)
    assert first.v_before[1] == pytest.approx(-math.sqrt(2.0 * G), rel=1e-13)
    assert first.v_after[1] == pytest.approx(0.8 * math.sqrt(2.0 * G), rel=1e-13)
    assert bough.load_trajectory(run.save(tmp_path / "run")).impacts == run.impacts


# --- loops ---


def lift(redundant: bool) -> bough.Model:
    system = bough.gallery.scissor_lift(3, theta=0.6)
    if redundant:
        system.add(bough.PointConstraint("bottom2", "top3", axis=(1, 0, 1), name="again"))
    system.add(
        bough.PlaneContact("slider", normal=(1, 0, 0), origin=(0.5, 0, 0), restitution=0.5, name="stop")
    )
    return system.build()


def test_a_scissor_lift_with_a_stop():
    """Loops closed, second order, and the same motion with a redundant row."""
    ends = {}
    for redundant in (False, True):
        model = lift(redundant)
        for dt in (0.004, 0.002, 0.001):
            run = bough.simulate(model, duration=0.6, dt=dt)
            assert np.abs(run.constraint_error()).max() < 1e-12
            assert run.gaps().min() > -1e-12
            assert len(run.impacts) >= 1
            ends[redundant, dt] = np.concatenate([run.q[-1], run.v[-1]])
    coarse, middle, fine = (ends[False, dt] for dt in (0.004, 0.002, 0.001))
    assert np.log2(np.abs(coarse - middle).max() / np.abs(middle - fine).max()) > 1.8
    for dt in (0.004, 0.002, 0.001):
        assert np.abs(ends[True, dt] - ends[False, dt]).max() < 1e-10


# --- bad input ---


def test_a_wall_that_crushes_a_body_is_named():
    system = bough.System("press", gravity=None)
    system.world.tx("x", name="cart", mass=1.0)
    system.add(bough.JointLimit("x", upper=0.1, name="block"))
    system.add(bough.JointLimit("x", lower=bough.kinematic("press"), name="ram"))
    with pytest.raises(bough.ConvergenceError) as caught:
        bough.simulate(system.build(), q={"x": 0.05}, k={"press": lambda t: t}, duration=0.5, dt=0.01)
    assert "'block', 'ram' touch there" in str(caught.value)
    assert 0.08 < caught.value.trajectory.t[-1] < 0.12


def test_a_string_that_is_too_short_for_its_path_is_refused():
    system = bough.System("short")
    system.world.tx(1.0, name="peg")
    system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.world.tx(-1.0, name="hook")
    with pytest.raises(bough.ModelError) as caught:
        system.add(bough.String("hook", "bob", length=1.5, via=["peg"], name="rope"))
    assert str(caught.value) == (
        "length=1.5 in String 'rope'\n"
        "  found: its parts between frames that do not move against each other are 2 m, as long as the string or"
        " longer\n  do: give a longer string"
    )
    with pytest.raises(bough.ModelError, match="no joint is between the frames of its path"):
        system.add(bough.String("hook", "peg", length=3.0))
    system.add(bough.String("hook", "bob", length=2.0 + 1.5, via=["peg"]))
