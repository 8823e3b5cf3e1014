"""The search of `optimize` in stages: limits that do not bind, limits that bind slightly, ends that stop a search."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.control import Effort, Track, optimize
from bough.control._newton import Progress
from support.control_models import double_pendulum_cart

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
@pytest.mark.parametrize("number", range(8))
def test_a_soft_end_of_the_double_pendulum_is_found_from_any_guess(number):
    """Steps that gain little each are not taken for none."""
    model, given = case("double pendulum on a cart, soft")
    rng = np.random.default_rng(number)
    guess = np.repeat(rng.normal(size=(16, 1)), 10, axis=0) * 5.0 if number else None
    run = optimize(model, guess=guess, **given)
    assert run.statistics["first_order"] < 1e-8
    assert np.abs(run.q[-1] - model.configuration(given["end"])).max() < 0.1


@pytest.mark.verify
def test_an_end_that_stops_the_search_is_a_cost_at_first():
    """Two links raised by the elbow's motor: Newton's method comes to no end from no inputs."""
    model, given = two_links("elbow"), case("pendubot")[1]
    run = optimize(model, **given)
    assert np.abs(run.q[-1] - model.configuration(given["end"])).max() < 1e-8
    assert any(name.startswith("the end as a cost") for name in run.statistics["search"])
    assert run == run.rerun()


def test_small_gains_add_up():
    """A cost that falls by less than a thousandth with every iteration is progress, one that stays is none."""
    progress = Progress(40, False)
    left = (1.0, 0.0, 0.0, 0.0)
    assert not any(progress.ends(100.0 * 0.9995**i, left, 1.0) for i in range(300))
    progress = Progress(40, False)
    assert [progress.ends(100.0, left, 1.0) for _ in range(42)].index(True) == 40
