"""Configurations that are given by name: they are kept, the others follow, and what cannot be kept is told."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bough
from support.mechanisms import closed_chain


def test_simulate_keeps_as_many_of_the_named_values_as_it_can():
    """Of all values, named in two orders, each stays that those before it allow, and the first that moves is told."""
    model = closed_chain()
    guess = dict(zip(model.variables, model.assemble({"J": 0.3}).q + 0.01, strict=True))
    for names in (list(model.variables), list(model.variables)[::-1]):
        with pytest.warns(bough.BoughWarning, match="by name: the constraints move") as told:
            run = bough.simulate(model, {name: guess[name] for name in names}, assemble=True, duration=0.01)
        q = run.q[0]
        kept = [name for name in names if q[model.index(name)] == guess[name]]
        assert 1 <= len(kept) <= model.mobility(q)
        lost = [name for name in names if name not in kept]
        for name in lost:  # those named before it leave it no choice
            with pytest.raises(bough.ModelError, match="no configuration meets"):
                model.assemble(guess, hold=[*(k for k in kept if names.index(k) < names.index(name)), name])
        text = str(told[0].message)
        name = next(
            name for name in lost if abs(q[model.index(name)] - guess[name]) > 1e-3
        )  # rad, or less than 1 m
        assert (
            f"move {name!r} from {guess[name]:.6g} to {q[model.index(name)]:.6g} to fit {kept[0]!r}" in text
        )
    # an array has no names: all of it may move
    q = bough.simulate(model, np.array(list(guess.values())), assemble=True, duration=0.01).q[0]
    assert not (q == np.array(list(guess.values()))).any()


def test_a_value_after_one_that_cannot_be_kept_is_kept() -> None:
    """A bob that hangs from the loop is free of it; the metric alone would turn it."""
    system = bough.System("four-bar with a bob")
    crank = system.world.ry("crank").tx(0.3, mass=0.2)
    coupler = crank.ry("coupler").tx(1.0, name="coupler end", mass=0.5)
    rocker = system.world.tx(1.0).ry("rocker").tx(0.7, name="rocker end", mass=0.4)
    coupler.ry("bob").tz(-0.2, mass=0.3)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    model = system.build()
    guess = {"crank": 0.3, "coupler": -0.6, "rocker": -1.6, "bob": 0.4}
    with pytest.warns(
        bough.BoughWarning, match=r"move 'coupler' from -0.6 to .* to fit 'crank'.*\('crank', 'bob'\)"
    ):
        q = bough.Problem(model, guess, assemble=True, duration=0.1).q
    assert (q[0], q[model.index("bob")]) == (0.3, 0.4)
    assert abs(model.assemble(guess, hold="crank").q[model.index("bob")] - 0.4) > 0.01


def test_balls_are_told_by_their_names() -> None:
    """Two balls whose leg is to end where both of them at rest cannot reach."""
    system = bough.System("leg")
    knee = system.world.ball("hip").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    foot = knee.ball("knee").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.PointConstraint(foot, system.world.tx(1.0).tz(-1.0), name="ground"))
    straight = {"hip": (1.0, 0.0, 0.0, 0.0), "knee": (1.0, 0.0, 0.0, 0.0)}
    with pytest.warns(
        bough.BoughWarning, match=r"turn the ball 'knee' by 1.57 rad to fit 'hip',.*hold=\('hip',\)"
    ):
        bough.simulate(system.build(), straight, assemble=True, duration=0.01)


def test_a_velocity_that_vanishes_is_told_as_zero() -> None:
    system = bough.System("four-bar")
    crank = system.world.ry(bough.kinematic("crank")).tx(0.3, mass=0.2)
    coupler = crank.ry("coupler").tx(1.0, mass=0.5)
    rocker = system.world.tx(1.0).ry("rocker").tx(0.7, mass=0.4)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    with pytest.warns(bough.BoughWarning, match="the velocity 1 of 'rocker' into 0, all that they allow"):
        bough.simulate(system.build(), {"crank": 0.3}, {"rocker": 1.0}, assemble=True, duration=0.01)


def test_numbers_of_few_digits_are_not_told() -> None:
    """Nor is a guess that belongs to the start of the system."""
    model = closed_chain()
    found = model.assemble({"J": 0.3}, hold="J").q
    written = {name: round(float(x), 3) for name, x in zip(model.variables, found, strict=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q = bough.Problem(model, {"J": 0.3, **written}, assemble=True, duration=0.1).q
    np.testing.assert_allclose(q, found, atol=5e-3)
    assert q[model.index("J")] == 0.3


def test_a_value_out_of_reach_is_told_as_that() -> None:
    """The greatest angle of the upper link is asin(0.18 / 0.2)."""
    system = bough.System("toggle")
    knee = system.world.ry("upper", mass=0.5).tz(-0.2, name="knee", mass=0.1)
    knee.ry("lower").tz(-0.18, name="foot", mass=0.1)
    system.world.tz("ram", name="ram", mass=3.0)
    system.add(bough.PointConstraint("foot", "ram", axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    system.start = bough.Start(q={"ram": -0.4})
    model, limit = system.build(), np.arcsin(0.9)
    run = bough.simulate(model, {"upper": limit - 0.01}, assemble=True, duration=0.01, dt=0.001)
    assert run["upper"][0] == limit - 0.01
    with pytest.warns(bough.BoughWarning, match="nearby has this value: name one within reach"):
        bough.simulate(model, {"upper": limit + 0.01}, assemble=True, duration=0.01, dt=0.001)


def test_a_value_beyond_a_contact_is_told_with_the_contact() -> None:
    """Of a box beside a loop: the crank, which is named first, has nothing to do with it."""
    system = bough.System("crank and box")
    system.world.ry("crank").tx(0.1, name="pin", mass=0.1)
    system.world.tx("ram", name="ram", mass=1.0)
    system.add(bough.DistanceConstraint("pin", "ram", length=0.2))
    system.world.tx("x").tz("z").ry("r", name="box", mass=1.0, inertia=(0.01, 0.01, 0.01))
    box = bough.Box((0.1, 0.1, 0.1))
    system.add(bough.Contact("box", box, against=system.world.tz(-0.05, name="bed"), name="floor"))
    system.add(bough.Contact("ram", box, against=("box", box), name="push"))
    system.start = bough.Start(q={"ram": 0.3, "x": 0.5})
    model = system.build()
    given = {"assemble": True, "duration": 0.01, "dt": 0.001}
    with pytest.warns(bough.BoughWarning, match="'z' from -0.02 to 0, since q is beyond 'floor'; name only"):
        bough.simulate(model, {"crank": 0.4, "z": -0.02}, **given)
    with warnings.catch_warnings():  # trials in which the bodies are far apart have no gap
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", bough.BoughWarning)
        run = bough.simulate(model, {"crank": 0.4, "x": 0.33}, **given)
    assert run["x"][0] - run["ram"][0] == pytest.approx(0.1, abs=1e-12)
