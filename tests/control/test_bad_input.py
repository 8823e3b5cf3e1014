"""Bad input of optimal control: each is told in three parts, what was asked, what was found, what to do."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import numpy as np
import pytest

import bough
from bough.control import Cost, Effort, Track, optimize
from support.control_models import SWING, driven_pendulum, four_bar, on_circle, rod_on_slides


@pytest.fixture(scope="module")
def cart():
    return bough.gallery.cart_pole().build()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cost": [Effort(-1.0)]}, "not negative"),
        ({"cost": [Effort({"torque": 1.0})]}, "nearest|the names are"),
        ({"cost": [Effort([1.0, 2.0])]}, "shape"),
        ({"cost": [Track({"y": 0.0})]}, "variable or frame 'y'"),
        ({"cost": [Track({"x": np.zeros(3)})]}, "shape"),
        ({"cost": [Track(3.0)]}, "by name"),
        ({"cost": [3.0]}, "Effort"),
        ({"cost": Cost(lambda t, q, v, u: np.nan)}, "nan"),
        ({"cost": Cost(lambda t, q: 0.0)}, "function of"),
        ({"end": {"angel": 0.0}}, "nearest are 'angle'"),
        ({"end": {"angle": [0.0, 1.0]}}, "a number"),
        ({"end_weight": -1.0}, "not negative"),
        ({"upper": {"angle": 1.0}}, "the start has 'angle' = 3.142"),
        ({"lower": {"x": 0.5}}, "the start has 'x'"),
        ({"end": {"x": 2.0}, "upper": {"x": 1.0}}, "the end has 'x' = 2, outside"),
        ({"lower": {"x": 1.0}, "upper": {"x": 0.0}}, "not below"),
        ({"effort": {"force": -1.0}}, "above zero"),
        ({"effort": {"thrust": 1.0}}, "no input has this name; the names are 'force'"),
        ({"velocity": {"y": 1.0}}, "no variable has this name"),
        ({"force": {"string": 1.0}}, "there is no constraint"),
        ({"dt": 0.03}, "whole number of steps"),
        ({"guess": np.zeros((7, 1))}, "one row per step"),
        ({"guess": lambda t, state: [0.0]}, "a function"),
        ({"guess": {"w": 1}}, "part 'w'"),
        ({"method": "newtn"}, "nearest is 'newton'"),
        ({"integrator": "rk4"}, "no derivatives yet"),
        ({"order": 4}, "order 4 of the midpoint rule"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
    ],
)
def test_wrong_arguments_are_told(cart, change, says):
    with pytest.raises(bough.ModelError, match=says):
        optimize(cart, **{**SWING, **change})


def test_models_that_cannot_be_controlled_are_told():
    with pytest.raises(bough.ModelError, match="without inputs"):
        optimize(bough.gallery.pendulum(2).build(), duration=1.0, dt=0.1, cost=Effort(1.0))
    system = bough.System("idle")
    system.world.ry("a").tz(-1.0, mass=1.0)
    system.add(bough.BodyWrench(system.world.tx(0.3, name="wall"), fx="push"))
    system.add(bough.ConfigurationForce("a", "torque"))
    with pytest.raises(bough.ModelError, match="moves nothing: 'push'"):
        optimize(system.build(), duration=1.0, dt=0.1, cost=Effort(1.0))


def test_starts_and_ends_off_the_constraints_are_told():
    model = rod_on_slides()
    given = {"duration": 1.0, "dt": 0.1, "cost": Effort(1.0)}
    with pytest.raises(bough.ModelError, match="start that violates"):
        optimize(model, q={"x": 0.5, "z": 0.0, "turn": 0.0}, **given)
    with pytest.raises(bough.ModelError, match="violated by 1") as caught:
        optimize(model, q=on_circle(0.0), end={"x": 0.5, "z": 0.0, "turn": 0.0}, **given)
    assert "assemble" in caught.value.do
    for q in ({"turn": 0.3}, {"x": 0.1, "z": -0.9, "turn": 0.0}, np.array([0.1, -0.9, 0.0])):
        told = pytest.warns(bough.BoughWarning, match="the constraints move 'z' from -0.9 to")
        with told if len(q) == 3 and isinstance(q, dict) else nullcontext():
            run = optimize(model, q=q, assemble=True, **given)  # as `simulate`, what q names first is held
            same = bough.simulate(model, q=q, assemble=True, duration=0.1, dt=0.1)
        np.testing.assert_allclose(run.q[0], same.q[0], atol=1e-12)
        assert run == run.rerun()
    assert optimize(model, q={"turn": 0.3}, assemble=True, **given)["turn"][0] == 0.3
    system = rod_on_slides().system
    system.start = bough.Start(q=on_circle(0.3), v={"x": 1.0})
    moving, rate = system.build(), {"turn": 0.5}  # which goes before that of the start
    same = bough.simulate(moving, v=rate, assemble=True, duration=0.1, dt=0.1)
    np.testing.assert_allclose(optimize(moving, v=rate, assemble=True, **given).v[0], same.v[0], rtol=1e-12)


def test_weights_of_an_end_are_told():
    """Weights without an end, and weights by name that leave out a part of the end, also the rest."""
    model = bough.gallery.cart_pole().build()
    given = {"duration": 1.0, "dt": 0.1, "cost": Effort(1.0)}
    with pytest.raises(bough.ModelError, match="no end that it weighs"):
        optimize(model, end_weight=10.0, **given)
    end = {"x": 0.5, "angle": 0.0}
    with pytest.raises(bough.ModelError, match=r"no weight of 'v.x', 'v.angle'.* ends at rest") as caught:
        optimize(model, end=end, end_weight={"x": 1.0, "angle": 1.0}, **given)
    assert "rest=False" in caught.value.do
    with pytest.raises(bough.ModelError, match="no weight of 'angle'"):
        optimize(model, end=end, end_weight={"x": 1.0, "v.x": 1.0, "v.angle": 1.0}, **given)
    weights = dict.fromkeys(("x", "angle", "v.x", "v.angle"), 50.0)
    one, by_name = (optimize(model, end=end, end_weight=w, **given) for w in (50.0, weights))
    assert one.statistics["cost"] == by_name.statistics["cost"]
    free = optimize(model, end=end, rest=False, end_weight={"x": 50.0, "angle": 50.0}, **given)
    assert free.statistics["cost"] < one.statistics["cost"]


def test_ends_that_no_pose_has_are_told():
    """Some variables, or a frame: by how much the loop stays open, in place of advice that does not help."""
    model, start = four_bar()
    given = {"duration": 1.0, "dt": 0.05, "cost": Effort(1.0)}
    ends = {"crank": start[0] + 0.3, "coupler": start[1] + 0.2}
    with pytest.raises(
        bough.ConvergenceError, match=r"constraint 'PointConstraint #\d' is violated by 0\.\d+"
    ):
        optimize(model, q=start, end=ends, **given)
    with pytest.raises(bough.ConvergenceError, match=r"'crank_end\.x' is missed by 1\.6") as caught:
        optimize(model, q=start, end={"crank_end": (2.0, 0.0, 0.0)}, **given)
    assert "longer" not in caught.value.do


def test_a_guess_that_needs_smaller_steps_is_told():
    model = driven_pendulum(2)
    with pytest.raises(bough.ConvergenceError, match="of the guess") as caught:
        optimize(model, duration=4.0, dt=0.5, cost=Effort(1.0), guess={"u": np.full((8, 2), 500.0)})
    assert "smaller dt" in str(caught.value)


class Wall(bough.Potential):
    """A potential of a user without derivatives."""

    def energy(self, at):
        return 3.0 * at.q["x"] ** 4


def least_effort(element):
    system = bough.gallery.cart_pole()
    system.add(element)
    given = {"duration": 0.5, "dt": 0.05, "cost": Effort(0.05), "end": {"angle": 0.0}, "tolerance": 1e-5}
    return optimize(system.build(), q={"angle": 0.2}, **given).statistics["cost"]


def test_an_element_without_derivatives_works(monkeypatch):
    """With a warning, and the motion is that of an element with them."""
    monkeypatch.delitem(
        sys.modules, "jax", raising=False
    )  # what an element is differentiated by if it is there
    with pytest.warns(bough.DerivativeWarning, match="Wall"):
        found = least_effort(Wall())
    expected = least_effort(bough.NonlinearConfigurationSpring("x", polynomial=(0.0, 0.0, 0.0, 12.0)))
    assert found == pytest.approx(expected, rel=1e-4)


def test_a_base_near_its_lock_is_told():
    """Angles of a free base: the motion warns, and names what has no lock."""
    system = bough.System("satellite", gravity=None)
    system.world.free("base", name="hull", mass=2.0, inertia=(0.1, 0.2, 0.3))
    for axis in "xyz":
        system.add(bough.BodyWrench("hull", **{f"t{axis}": f"torque {axis}"}))
    with pytest.warns(bough.GimbalLockWarning, match="floating"):
        optimize(
            system.build(),
            q={"base_ry": 1.2},
            duration=0.5,
            dt=0.05,
            cost=Effort(1.0),
            end={"base_ry": 1.56},
        )
