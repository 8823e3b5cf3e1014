"""A million steps of every system of the gallery, and angles of many turns.

A shaft that runs for an hour has turned by 2^15 rad, of which a number keeps 7e-12 rad: what a constraint is held
to must know that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough import gallery
from support.long_runs import STEPS, TURNING, measured, read, run
from support.transforms import Array

TURN = 2.0 * np.pi
ROWS = read((Path(__file__).parents[2] / "docs" / "gallery.md").read_text(encoding="utf-8"))
EPS = np.finfo(float).eps


def allowed(run: bough.Trajectory) -> Array:
    """Of h: what Newton's method may leave of the terms that cancel, and the round-off of q, of order one in a ball."""
    model = run.model
    told = np.abs(model._variables_of(run.q)) + np.isin(model.variables, model.coordinates, invert=True)
    sizes = [np.abs(model.constraint_dq(q, t)) @ x for q, x, t in zip(run.q, told, run.t, strict=True)]
    return 1e-12 * model.constraint_scale(run.q, run.t) + 2.0 * EPS * np.array(sizes)


# The turns of variables in one of the crank: the rod is told relative to it.
CRANKS = {"slider_crank": {"crank": 1, "rod": -1}, "four_bar": {"crank": 1, "coupler": -1}}


METHODS = [{}, {"order": 4}, {"order": 8}, {"integrator": "trapezoidal"}]


@pytest.mark.parametrize("turns", [2**10, 2**13, 2**15, 2**18])
@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("name", CRANKS)
def test_whole_turns_change_nothing(name: str, method: dict[str, Any], turns: int) -> None:
    """The same motion from a start many turns further, to the round-off of the angles that have turned."""
    model = bough.load(f"gallery:{name}").build()
    start = model.assemble()
    on = TURN * turns * np.array([CRANKS[name].get(variable, 0) for variable in model.variables])
    plain, turned = (
        bough.simulate(model, start.q + shift, start.v, duration=2.0, assemble=True, **method)
        for shift in (0.0, on)
    )
    # each step rounds q by an ulp, and so kicks the velocity by ulp / dt, which the steps after it carry on
    steps = turned.statistics["steps"]
    assert np.abs(turned.q - plain.q - on).max() < steps**1.5 * np.spacing(on.max())
    assert (np.abs(turned.constraint_error()) <= allowed(turned)).all()


@pytest.mark.parametrize("turns", [0, 437, 2**15])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, 4.1])
def test_a_skate_that_gets_to_the_origin(angle: float, turns: int) -> None:
    """Its row on velocities has the size of the way, not of the place that the step ends at, which is zero."""
    system = bough.System("skate", gravity=None)
    system.world.tx("x").ty("y").rz("heading", name="blade", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.Skate("blade", across=(0, 1, 0)))
    speed, rate, dt = 3.0, 0.3, 0.01
    a, b = TURN * turns + angle, TURN * turns + angle + rate * dt
    start = {"x": -speed / rate * (np.sin(b) - np.sin(a)), "y": speed / rate * (np.cos(b) - np.cos(a))}
    run = bough.simulate(
        system.build(),
        {**start, "heading": a},
        {"x": speed * np.cos(a), "y": speed * np.sin(a), "heading": rate},
        duration=5 * dt,
        dt=dt,
    )
    assert np.hypot(*run.q[1, :2]) < 1e-6  # of second order: (rate dt)^2 / 24 of the way
    assert run.kinetic_energy() == pytest.approx(run.kinetic_energy()[0], rel=1e-6)


@pytest.mark.verify
@pytest.mark.parametrize("name", gallery.names())
def test_a_million_steps(name: str) -> None:
    found = run(name)
    assert found.status == "finished"
    assert found.statistics["steps"] == STEPS
    if found.model.nc:
        assert (np.abs(found.constraint_error()) <= allowed(found)).all()
    for row in ROWS:
        if row.name == name:
            now = measured(name, found)
            assert (now.time, f"{now.largest:.1g}") == (row.time, f"{row.largest:.1g}")
            assert 0.1 * row.error < now.error <= row.error


def test_the_table_is_that_of_shafts_that_turn() -> None:
    assert tuple(row.name for row in ROWS) == TURNING
