"""Velocities that are given by name: what the constraints make of them is told."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bough


def four_bar() -> bough.Model:
    system = bough.System("four-bar")
    crank = system.world.ry("crank").tx(0.3, mass=0.2)
    coupler = crank.ry("coupler").tx(1.0, name="coupler end", mass=0.5)
    rocker = system.world.tx(1.0).ry("rocker").tx(0.7, name="rocker end", mass=0.4)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    return system.build()


GUESS = {"crank": 0.3, "coupler": -0.6, "rocker": -1.6}


def test_a_velocity_that_constraints_change_is_told() -> None:
    """The projection of a crank that turns alone makes it turn the other way."""
    model = four_bar()
    start = model.assemble(GUESS, hold=("crank",))
    with pytest.warns(bough.BoughWarning, match="velocity 8 of 'crank' into -4.82") as told:
        run = bough.simulate(model, q=start.q, v={"crank": 8.0}, duration=0.01, dt=0.01)
    assert "model.assemble(q, v, hold=('crank',))" in str(told[0].message)
    assert run.v[0, 0] == pytest.approx(-4.82, abs=0.01)


def test_a_velocity_that_is_kept_is_not() -> None:
    """Nor are velocities that fit, those of a whole state, and those of a tree."""
    model = four_bar()
    start = model.assemble(GUESS, v={"crank": 8.0}, hold=("crank",))
    fitting = dict(zip(model.variables, start.v.tolist(), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = bough.simulate(model, q=start, duration=0.01, dt=0.01)
        named = bough.simulate(model, q=start.q, v=fitting, duration=0.01, dt=0.01)
        bough.simulate(model, q=start.q, v=[8.0, 0.0, 0.0], duration=0.01, dt=0.01)
    assert run.v[0, 0] == pytest.approx(8.0, rel=1e-14)  # the projection on the loop rounds
    np.testing.assert_allclose(named.v[0], start.v, rtol=1e-12)
