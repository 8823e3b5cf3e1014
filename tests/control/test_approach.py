"""The search of `optimize` in stages: limits that do not bind, limits that bind slightly, ends that stop a search."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.control import Effort, Track, optimize
from bough.control._first_guess import driven_path, held
from bough.control._newton import Progress
from bough.control._optimize import problem_of, task_of
from support.control_models import double_pendulum_cart

OPTIONS = {"integrator": "midpoint", "order": 2, "alpha": None, "t0": 0.0}
UPRIGHT = {"x": 0.0, "angle": 0.0}


def two_links(driven: str) -> bough.Model:
    """A double pendulum with one motor, at its shoulder or at its elbow."""
    system = bough.System("two links", gravity=(0, 0, -9.81))
    upper = system.world.ry("shoulder").tz(-0.5, mass=1.0).tz(-0.5)
    upper.ry("elbow").tz(-0.5, mass=1.0)
    system.add(bough.ConfigurationForce(driven, "torque"))
    system.add(bough.Damping(0.02))
    return system.build()


def wheel() -> bough.Model:
    """A pendulum that a wheel at its end turns up."""
    system = bough.System("wheel", gravity=(0, 0, -9.81))
    hub = system.world.ry("angle").tz(0.3, name="hub", mass=1.0, inertia=(0.01, 0.01, 0.01))
    hub.ry("spin", name="disc", mass=0.2, inertia=(0.01, 0.02, 0.01))
    system.add(bough.ConfigurationForce("spin", "motor"))
    return system.build()


def crank() -> bough.Model:
    system = bough.gallery.slider_crank()
    system.add(bough.ConfigurationForce("crank", "motor"))
    return system.build()


def case(name):
    """A model, and what `optimize` is given for it."""
    cart, swing = bough.gallery.cart_pole(), {"q": {"angle": np.pi}, "duration": 2.0, "dt": 0.025}
    swing |= {"cost": [Effort(0.05), Track({"x": 0.0}, weight=0.1)], "end": UPRIGHT}
    double = {"q": {"lower": np.pi}, "duration": 4.0, "dt": 0.025, "cost": Effort(0.1)}
    double["end"] = dict.fromkeys(("x", "upper", "lower"), 0.0)
    turned = {"q": {"angle": np.pi}, "duration": 3.0, "dt": 0.02, "cost": Effort(1.0), "end": {"angle": 0.0}}
    pushed = {"q": {"piston": 0.4}, "v": np.zeros(3), "duration": 1.0, "dt": 0.02, "cost": Effort(1.0)}
    raised = {"duration": 3.0, "dt": 0.0125, "cost": Effort(0.1), "end": {"shoulder": np.pi, "elbow": 0.0}}
    return {
        "cart-pole": lambda: (cart.build(), swing),
        "cart-pole, soft": lambda: (cart.build(), swing | {"end_weight": 200.0}),
        "double pendulum on a cart": lambda: (double_pendulum_cart(), double),
        "double pendulum on a cart, soft": lambda: (double_pendulum_cart(), double | {"end_weight": 200.0}),
        "reaction wheel": lambda: (wheel(), turned),
        "slider crank": lambda: (crank(), pushed | {"end": {"crank": 2.0}}),
        "slider crank, soft": lambda: (crank(), pushed | {"end": {"crank": 2.0}, "end_weight": 100.0}),
        "acrobot, soft": lambda: (two_links("elbow"), raised | {"end_weight": 200.0}),
        "pendubot": lambda: (two_links("shoulder"), raised),
    }[name]()


QUICK = ["cart-pole", "cart-pole, soft", "reaction wheel", "slider crank", "slider crank, soft"]
LONG = ["double pendulum on a cart", "double pendulum on a cart, soft", "acrobot, soft", "pendubot"]


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.verify) for name in LONG)])
def test_limits_that_do_not_bind_change_nothing_and_others_little(name):
    """From no guess: limits of the inputs above their largest size, and somewhat below it."""
    model, given = case(name)
    free = optimize(model, **given)
    largest = float(np.abs(np.asarray(free.u)[:-1]).max())
    for factor in (10.0, 1.5, 1.02):
        run = optimize(model, effort=factor * largest, **given)
        assert run.statistics["cost"] == pytest.approx(free.statistics["cost"], rel=1e-9)
        assert np.abs(run.q - free.q).max() < 1e-4
        assert list(run.statistics["search"]) == ["without limits"]
    costs = [free.statistics["cost"]]
    for factor in (0.95, 0.8):
        run = optimize(model, effort=factor * largest, **given)
        assert np.abs(np.asarray(run.u)[:-1]).max() <= factor * largest * (1.0 + 1e-9)
        assert run.statistics["search"]["within limits"] > 0
        costs.append(run.statistics["cost"])
    assert costs == sorted(costs)
    assert costs[-1] < 1.2 * costs[0]


@pytest.mark.verify
def test_a_soft_end_of_the_double_pendulum_is_found_from_most_guesses():
    """Steps that gain little each are not taken for none; some guesses spin the links too fast for dt."""
    model, given = case("double pendulum on a cart, soft")
    found = 0
    for number in range(8):
        rng = np.random.default_rng(number)
        guess = np.repeat(rng.normal(size=(16, 1)), 10, axis=0) * 5.0 if number else None
        try:
            run = optimize(model, guess=guess, **given)
        except bough.ConvergenceError:
            continue
        assert run.statistics["first_order"] < 1e-8
        assert np.abs(run.q[-1] - model.configuration(given["end"])).max() < 0.1
        found += 1
    print(f"{found} of 8 guesses lead to a swing-up")
    assert found >= 5


@pytest.mark.verify
def test_an_end_that_stops_the_search_is_a_cost_at_first():
    """Two links raised by the elbow's motor: Newton's method comes to no end from no inputs."""
    model, given = two_links("elbow"), case("pendubot")[1]
    run = optimize(model, **given)
    assert np.abs(run.q[-1] - model.configuration(given["end"])).max() < 1e-8
    assert any(name.startswith("the end as a cost") for name in run.statistics["search"])
    assert run == run.rerun()


def lifting_arm() -> bough.Model:
    """Four joints with motors, and a light hand, which the least effort swings."""
    system = bough.System("arm", gravity=(0, 0, -9.81))
    turret = system.world.tz(0.4).rz("base", name="turret", mass=3.0, inertia=(0.02, 0.02, 0.02))
    upper = turret.ry("shoulder").tx(0.4, name="upper", mass=2.0, inertia=(0.01, 0.02, 0.02))
    fore = upper.ry("elbow").tx(0.3, name="fore", mass=1.0, inertia=(0.005, 0.01, 0.01))
    fore.ry("wrist").tx(0.1, name="hand", mass=0.5, inertia=(0.001, 0.001, 0.001))
    for joint in ("base", "shoulder", "elbow", "wrist"):
        system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
    return system.build()


REACHED = {"base": 0.8, "shoulder": 0.3, "elbow": -0.5, "wrist": 0.2}


@pytest.mark.parametrize("kind", ["place", "pose", "angles"])
@pytest.mark.parametrize("velocity", [1.5, 3.0])
def test_an_arm_reaches_within_limits_from_no_guess(kind, velocity):
    """Without limits the least effort is a swing that dt does not follow; limits lead to a reach."""
    model = lifting_arm()
    pose = model.pose("hand", model.configuration(REACHED))
    end = {"place": {"hand": pose[:3, 3]}, "pose": {"hand": pose}, "angles": REACHED}[kind]
    run = optimize(
        model,
        q={"shoulder": 0.5, "elbow": 0.8},
        duration=1.0,
        dt=0.02,
        cost=Effort(1.0),
        end=end,
        velocity=velocity,
    )
    assert np.abs(model.pose("hand", run.q[-1])[:3, 3] - pose[:3, 3]).max() < 1e-8
    assert np.abs(np.diff(run.q, axis=0)).max() / 0.02 < velocity * (1.0 + 1e-6)
    assert np.abs(run.v[-1]).max() < 1e-7


def test_other_guesses_hold_the_start_and_lead_to_the_end():
    """Of an arm against its weight; a cart-pole off its poses has neither."""
    arm, cart = lifting_arm(), bough.gallery.cart_pole().build()
    given = {
        "cost": Effort(1.0),
        "free_start": (),
        "threads": 1,
        "method": None,
        "end_weight": None,
        "rest": True,
    }
    q = {"shoulder": 0.5, "elbow": 0.8}
    problem = problem_of(arm, q, None, 1.0, 0.02, OPTIONS, "a test")
    task = task_of(problem, given | {"end": REACHED}, "a test")
    still = bough.simulate(arm, q=q, u=held(task), duration=1.0, dt=0.02)
    assert np.abs(still.q - still.q[0]).max() < 1e-9
    moved = bough.simulate(arm, q=q, u=driven_path(task), duration=1.0, dt=0.02)
    assert np.abs(moved.q[-1] - arm.configuration(REACHED)).max() < 0.1
    problem = problem_of(cart, {"angle": 0.3}, None, 1.0, 0.02, OPTIONS, "a test")
    task = task_of(problem, given | {"end": UPRIGHT}, "a test")
    assert held(task) is None
    assert driven_path(task) is None


def test_small_gains_add_up():
    """A cost that falls by less than a thousandth with every iteration is progress, one that stays is none."""
    progress = Progress(40, False)
    left = (1.0, 0.0, 0.0, 0.0)
    assert not any(progress.ends(100.0 * 0.9995**i, left, 1.0) for i in range(300))
    progress = Progress(40, False)
    assert [progress.ends(100.0, left, 1.0) for _ in range(42)].index(True) == 40
