"""Contacts without friction against closed forms and DOP853 with events."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

import bough
from support.stops import with_stops

G = 9.81


def ball(restitution: float, **options) -> bough.Model:
    system = bough.System("ball")
    system.world.tz("z", name="ball", mass=1.0)
    system.add(bough.PlaneContact("ball", restitution=restitution, name="floor", **options))
    return system.build()


def arm(restitution: float | None, lower: float = -0.2, upper: float = 0.2) -> bough.Model:
    system = bough.System("arm")
    upper_arm = system.world.ry("shoulder").tz(-1.0, mass=1.0)
    upper_arm.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    if restitution is not None:
        system.add(bough.JointLimit("elbow", lower, upper, restitution=restitution, name="stop"))
    return system.build()


def test_apexes_of_a_bouncing_ball():
    run = bough.simulate(ball(0.8), q={"z": 1.0}, duration=4.5, dt=0.01)
    energy, times = run.energy(), [impact.t for impact in run.impacts]
    first = math.sqrt(2.0 / G)
    assert times[0] == pytest.approx(first, rel=1e-14)
    for k in range(5):
        after = np.searchsorted(run.t, times[k])
        assert energy[after] / G == pytest.approx(0.8 ** (2 * (k + 1)), rel=1e-12)
    assert run.gaps().min() > -1e-16
    # Bounces shorter than a step end: at rest near the limit of the geometric series.
    assert times[-1] == pytest.approx(first * (1.0 + 0.8) / (1.0 - 0.8), abs=0.04)
    assert run.contact_status[-1] == "stick"
    assert run.v[-1] == 0.0
    assert run.contact_force("floor").normal[-2] == pytest.approx(G, rel=1e-12)
    lost = run.energy_lost()["impact"][-1]
    assert lost == pytest.approx(energy[0] - energy[-1], rel=1e-12)
    assert lost == pytest.approx(sum(impact.energy_lost for impact in run.impacts), rel=1e-14)


@pytest.mark.verify
def test_elastic_bounces_keep_energy():
    run = bough.simulate(ball(1.0), q={"z": 1.0}, duration=9050.0, dt=0.1)
    assert len(run.impacts) > 10_000
    assert np.abs(run.energy() / G - 1.0).max() < 1e-11
    assert run.gaps().min() > -1e-15


@pytest.mark.parametrize("restitution", [0.5, 0.0])
def test_order_two_against_dop853_with_events(restitution):
    start = np.array([0.6, 0.0])
    truth = with_stops(arm(None), start, np.zeros(2), 1.5, (1, -0.2, 0.2), restitution)
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        run = bough.simulate(arm(restitution), q=start, duration=1.5, dt=dt)
        assert run.gaps().min() > -1e-14
        errors.append(np.abs(np.concatenate([run.q[-1], run.v[-1]]) - truth).max())
    assert errors[-1] < 1e-4
    assert np.log2(errors[0] / errors[1]) > 1.8
    assert np.log2(errors[1] / errors[2]) > 1.8


@pytest.mark.verify
def test_no_drift_of_energy_with_an_elastic_stop():
    """The bands of energy in the first and in the last fifth of 1000 s, over all starts of a grid.

    Regular motions have bands of equal widths. In chaotic ones the widths change from fifth to fifth, up and down: what
    they say is in the mean over starts, which has no trend beyond its standard error. The places of the bands wander,
    as impacts keep the energy and not the modified one, likewise without a trend.
    """
    widths, places = [], []
    for start in np.arange(0.3, 1.501, 0.05):
        run = bough.simulate(arm(1.0), q={"shoulder": start}, duration=1000.0, dt=0.01)
        assert len(run.impacts) > 100
        energy = run.energy() - run.energy()[0]
        first, last = energy[: len(energy) // 5], energy[-(len(energy) // 5) :]
        widths.append(np.log(np.ptp(last) / np.ptp(first)))
        places.append((last.mean() - first.mean()) / np.ptp(first))
        # a walk of jumps that are smaller than the band
        assert abs(places[-1]) < 3.0 * np.sqrt(len(run.impacts))
        if start == pytest.approx(1.2):  # 337 impacts in the first 200 s
            assert np.ptp(last) == pytest.approx(np.ptp(first), rel=0.05)
    assert abs(np.median(widths)) < 0.05
    assert np.std(widths) < 0.4
    for change in (widths, places):
        assert abs(np.mean(change)) < 3.0 * np.std(change) / np.sqrt(len(change))


@pytest.mark.parametrize(
    ("moving", "expected"), [(1, (0, 0, 0, 0, 1)), (2, (0, 0, 0, 1, 1)), (3, (0, 0, 1, 1, 1))]
)
def test_newtons_cradle(moving, expected):
    system = bough.System("cradle", gravity=None)
    balls = [system.world.tx(f"x{i}", name=f"ball {i}", mass=1.0) for i in range(5)]
    for a, b in itertools.pairwise(balls):
        system.add(
            bough.PlaneContact(a, b, radius=0.1, origin=(-0.1, 0, 0), normal=(-1, 0, 0), restitution=1.0)
        )
    gap = 0.3
    q = [0.2 * i - (gap if i < moving else 0.0) for i in range(5)]
    run = bough.simulate(
        system.build(),
        q=np.array(q),
        v=np.array([1.0] * moving + [0.0] * (5 - moving)),
        duration=0.5,
        dt=0.01,
    )
    assert np.abs(run.v[-1] - expected).max() < 1e-12


@pytest.mark.parametrize("height", np.arange(0.1, 0.8, 0.025))
def test_a_body_rests_at_the_origin_while_another_lands(height):
    """A gap at the origin has no terms that tell its round-off."""
    system = bough.System("two")
    system.world.tz("z", name="rest", mass=2.0)
    system.world.tx(1.0).tz("b", name="ball", mass=1.0)
    system.add(bough.PlaneContact("rest", name="floor"))
    system.add(bough.PlaneContact("ball", radius=0.1, name="other"))
    run = bough.simulate(system.build(), q={"b": 0.1 + height}, duration=0.6, dt=0.005)
    assert run.impacts[0].t == pytest.approx(math.sqrt(2.0 * height / G), rel=1e-12)
    assert np.abs(run["z"]).max() < 1e-17


@pytest.mark.parametrize("slack", [0.11, 0.2, 0.37, 0.5, 0.61])
@pytest.mark.parametrize("own", [False, True])
def test_a_rope_lifts_a_load_off_the_origin(slack, own):
    class Floor(bough.UnilateralConstraint):
        def value(self, at):
            return at.q["z"]

        def gradient(self, at):
            return {"z": 1.0}

    system = bough.System("lift")
    load = system.world.tz("z", name="load", mass=4.0)
    system.world.tz(2.0, name="sheave")
    system.add(bough.String("sheave", load, length=bough.kinematic("out"), name="rope"))
    system.add(Floor() if own else bough.PlaneContact(load, name="floor"))
    start, rate = 2.0 + 0.5 * slack, 0.5
    run = bough.simulate(
        system.build(),
        q={"z": 0.0, "out": start},
        k={"out": lambda t: start - rate * t},
        duration=1.0,
        dt=0.01,
    )
    assert run.impacts[-1].t == pytest.approx(slack, rel=1e-12)
    assert run.impacts[-1].impulse["rope"][0] == pytest.approx(4.0 * rate, rel=1e-9)
    assert run["z"][-1] == pytest.approx(2.0 - (start - rate), abs=1e-13)


def test_moving_bounds_push():
    system = bough.System("pushed", gravity=None)
    system.world.tx("x", name="cart", mass=2.0)
    system.add(bough.JointLimit("x", lower=bough.kinematic("wall"), name="wall"))
    run = bough.simulate(
        system.build(), q={"x": 0.105}, k={"wall": lambda t: 0.5 * t**2}, duration=1.0, dt=0.01
    )
    # Within a step the wall moves at its mean velocity: what was hit at the true one may touch a second time.
    assert run.impacts[0].impulse["wall"][0] == pytest.approx(2.0 * math.sqrt(0.21), rel=1e-4)
    assert sum(impact.impulse["wall"][0] for impact in run.impacts[1:]) < 0.01
    assert run.impacts[0].t == pytest.approx(math.sqrt(0.21), abs=1e-4)
    assert run.gaps().min() > -2e-14  # of a scale of one: what the steps count as not crossed
    assert np.abs(run["x"][run.t > 0.5] - 0.5 * run.t[run.t > 0.5] ** 2).max() < 1e-13
    assert run.contact_force("wall").normal[-3] == pytest.approx(2.0, rel=1e-6)


def urdf_arm() -> str:
    """An arm of six hinges about alternating axes, each with limits and links as heavy as those of a robot."""
    inertia = '<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>'
    links = "".join(
        f'<link name="link{i}"><inertial><origin xyz="0 0.02 0.15"/><mass value="{3.0 - 0.4 * i}"/>{inertia}</inertial>'
        "</link>"
        for i in range(6)
    )
    joints = "".join(
        f'<joint name="hinge{i}" type="revolute"><parent link="{f"link{i - 1}" if i else "base"}"/>'
        f'<child link="link{i}"/><origin xyz="0 0 0.3"/><axis xyz="{"1 0 0" if i % 2 else "0 1 0"}"/>'
        f'<limit lower="{-0.9 + 0.1 * i}" upper="{1.2 - 0.1 * i}" effort="0" velocity="0"/></joint>'
        for i in range(6)
    )
    return f'<robot name="arm"><link name="base"/>{links}{joints}</robot>'


def test_an_arm_of_a_file_stays_within_its_limits(tmp_path):
    (tmp_path / "arm.urdf").write_text(urdf_arm())
    model = bough.load(tmp_path / "arm.urdf").build()
    run = bough.simulate(model, q={"hinge0": 0.1, "hinge1": 0.05}, duration=5.0, dt=0.005)
    hit = {name.partition("[")[0] for impact in run.impacts for name in impact.contacts}
    assert len(hit) >= 4
    for i in range(6):
        q = run[f"hinge{i}"]
        assert q.min() > -0.9 + 0.1 * i - 1e-12
        assert q.max() < 1.2 - 0.1 * i + 1e-12


def slider_crank(redundant: bool) -> bough.Model:
    system = bough.System("slider-crank")
    crank = system.world.ry("crank", mass=1.0, inertia=(0.1, 0.1, 0.1))
    rod = crank.tx(0.3).ry("rod", mass=0.5, inertia=(0.02, 0.02, 0.02), com=(0.4, 0, 0))
    tip = rod.tx(0.8, name="tip")
    slider = system.world.tx("slide", name="slider", mass=0.7)
    system.add(bough.PointConstraint(tip, slider, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    if redundant:
        system.add(bough.PointConstraint(tip, slider, axis=(1, 0, 1), name="again"))
    system.add(bough.JointLimit("slide", lower=0.75, restitution=0.5, name="stop"))
    return system.build()


def test_slider_crank_with_a_stop_and_redundant_rows():
    ends = {}
    for redundant in (False, True):
        model = slider_crank(redundant)
        start = model.assemble({"crank": 0.6, "rod": -0.8, "slide": 1.0}, hold="crank")
        for dt in (0.01, 0.005, 0.0025):
            run = bough.simulate(model, q=start.q, v={"crank": 3.0}, duration=0.6, dt=dt)
            assert np.abs(run.constraint_error()).max() < 1e-12
            assert run.gaps().min() > -1e-13
            assert len(run.impacts) >= 1
            ends[redundant, dt] = np.concatenate([run.q[-1], run.v[-1]])
    coarse, middle, fine = (ends[False, dt] for dt in (0.01, 0.005, 0.0025))
    assert np.log2(np.abs(coarse - middle).max() / np.abs(middle - fine).max()) > 1.8
    for dt in (0.01, 0.005, 0.0025):
        assert np.abs(ends[True, dt] - ends[False, dt]).max() < 1e-10


def test_steps_runs_files_and_pickles_agree_bit_for_bit(tmp_path):
    model = arm(0.5)
    run = bough.simulate(model, q={"shoulder": 0.6}, duration=2.0, dt=0.01)
    assert run.rerun() == run
    loaded = bough.load_trajectory(run.save(tmp_path / "run"))
    assert loaded == run
    assert loaded.impacts == run.impacts
    assert loaded.rerun() == run
    vi = bough.MidpointVI(model, 0.01)
    state = vi.start(q={"shoulder": 0.6})
    runner = vi.runner(state)
    for row in range(1, len(run)):
        state = vi.step(state)
        if row == 100:
            state = pickle.loads(pickle.dumps(state))
        runner.step()
        assert np.array_equal(state.q, run.q[row])
        assert np.array_equal(runner.q, run.q[row])
        assert np.array_equal(state.v, run.v[row])
        assert np.array_equal(runner.p, run.p[row])


def test_without_contacts_near_the_step_is_the_same():
    free = bough.simulate(arm(None), q={"shoulder": 0.6}, duration=1.0, dt=0.01)
    far = bough.simulate(arm(0.5, -3.0, 3.0), q={"shoulder": 0.6}, duration=1.0, dt=0.01)
    assert np.array_equal(free.q, far.q)
    assert np.array_equal(free.p, far.p)


def test_user_events_and_impacts_together():
    run = bough.simulate(ball(0.5), q={"z": 1.0}, duration=1.0, dt=0.01, events=["z = 0.5"])
    kinds = [type(event).__name__ for event in run.events]
    assert kinds[:2] == ["Event", "Impact"]
    assert [event.t for event in run.events] == sorted(event.t for event in run.events)


def test_a_users_contact():
    class Bowl(bough.UnilateralConstraint):
        restitution = 0.5

        def value(self, at):
            return 1.0 - at.q["x"] ** 2 - at.q["z"] ** 2

        def gradient(self, at):
            return {"x": -2.0 * at.q["x"], "z": -2.0 * at.q["z"]}

    system = bough.System("bowl")
    system.world.tx("x").tz("z", name="marble", mass=1.0)
    system.add(Bowl(name="bowl"))
    run = bough.simulate(system.build(), q={"x": 0.5, "z": 0.5}, duration=2.0, dt=0.01)
    assert run.gaps().min() > -1e-13
    assert len(run.impacts) > 2
    assert (np.diff(run.energy()) < 1e-3).all()
    assert run.energy()[-1] < run.energy()[0]


def test_assemble_moves_outside():
    state = ball(0.0).assemble({"z": -0.3})
    assert state.q["z"] == pytest.approx(0.0, abs=1e-13)
    model = arm(0.0)
    state = model.assemble({"shoulder": 0.3, "elbow": 0.5})
    assert state.q["elbow"] == pytest.approx(0.2, abs=1e-12)
    assert model.assemble({"shoulder": 0.3, "elbow": 0.1}).q["elbow"] == 0.1


def test_a_start_beyond_a_contact_is_refused():
    with pytest.raises(bough.ModelError, match=r"beyond 1 contact: 'floor' by 0.3"):
        bough.simulate(ball(0.0), q={"z": -0.3}, duration=1.0)
    with pytest.warns(bough.BoughWarning, match="constraints and contacts move 'z' from -0.3 to 0"):
        run = bough.simulate(ball(0.0), q={"z": -0.3}, duration=0.1, assemble=True)
    assert run.gaps().min() > -1e-13


def test_a_start_into_a_contact_is_an_impact():
    run = bough.simulate(ball(0.5), v={"z": -2.0}, duration=0.1, dt=0.01)
    assert run.impacts[0].t == 0.0
    assert run.impacts[0].impulse["floor"] == pytest.approx((3.0,))
    assert run.q[1, 0] == pytest.approx(0.01 * 1.0 - 0.5 * G * 1e-4, rel=1e-12)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: bough.JointLimit("x", 1.0, 0.0), "not below the upper"),
        (lambda: bough.JointLimit("x"), "neither a lower nor an upper"),
        (lambda: bough.JointLimit("x", 0.0, restitution=1.5), "not between 0 and 1"),
        (lambda: bough.PlaneContact("x", friction=-0.1), "friction is negative"),
        (lambda: bough.PlaneContact("x", friction=math.nan), "friction is nan"),
        (lambda: bough.PlaneContact("x", normal=(0, 0, 0)), "no direction"),
        (lambda: bough.PlaneContact("x", points=()), "no point"),
        (lambda: bough.DryFriction("x", torque=-1.0), "torque is negative"),
    ],
)
def test_bad_elements(make, found):
    with pytest.raises(bough.ModelError, match=found):
        make()


def test_a_contact_on_one_body_is_refused():
    system = bough.System("one body")
    body = system.world.tz("z", mass=1.0)
    foot = body.tx(0.1, name="foot")
    with pytest.raises(bough.ModelError, match="no joint is between them"):
        system.add(bough.PlaneContact(foot, body))


@pytest.mark.parametrize("integrator", ["rk4", "dop853", "rk45", "velocity", "semi-implicit-euler"])
def test_other_integrators_refuse_contacts(integrator):
    with pytest.raises(bough.ModelError, match=r"contacts, 'floor'"):
        bough.simulate(ball(0.0), q={"z": 1.0}, duration=1.0, integrator=integrator)


def test_higher_orders_refuse_contacts():
    with pytest.raises(bough.ModelError, match="order=4"):
        bough.MidpointVI(ball(0.0), 0.01, order=4)


def test_an_ensemble_runs_one_by_one():
    problem = bough.Problem(ball(0.5), q={"z": 1.0}, duration=1.0, dt=0.01)
    study = bough.ensemble(
        problem, {"q.z": np.array([0.5, 1.0])}, keep=lambda run: {"hits": len(run.impacts)}
    )
    assert study["hits"][1] == len(problem.run().impacts)
