"""Wires that push say so once, with the time and the force; those that pull are silent."""

from __future__ import annotations

import math
import re
import warnings

import pytest

import bough
from bough import gallery

G, MASS, LENGTH = 9.81, 0.5, 0.8


def ball_on_a_wire(wire: bool | None) -> bough.Model:
    system = bough.System("ball")
    ball = system.world.tx("x").tz("z", name="ball", mass=MASS)
    system.add(bough.DistanceConstraint(ball, "world", LENGTH, wire=wire, name="wire"))
    return system.build()


def told(run_of: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run_of()  # type: ignore[operator]
    assert all(warning.category is bough.SlackWarning for warning in caught)
    return [str(warning.message) for warning in caught]


def swing(model: bough.Model, square: float) -> bough.Trajectory:
    """From the bottom, with a speed whose square is a multiple of g l."""
    speed = math.sqrt(square * G * LENGTH)
    return bough.simulate(model, q={"z": -LENGTH}, v={"x": speed}, duration=1.2, dt=0.002)


def test_a_ball_that_is_too_slow_at_the_top_would_leave_its_circle():
    """T = m (v^2/l + g cos) is 0 where cos = (2 - 4.5) / 3, and - m g / 2 at the top, for v0^2 = 4.5 g l."""
    (said,) = told(lambda: swing(ball_on_a_wire(True), 4.5))
    run = swing(ball_on_a_wire(None), 4.5)
    when = re.fullmatch(
        r"DistanceConstraint 'wire' of 'ball' pushes with ([\d.]+) N at t = ([\d.]+) s: a wire only pulls, so"
        r" that the motion is not that of wires after t = ([\d.]+) s\. .*",
        said,
    )
    assert when is not None
    force, worst, first = map(float, when.groups())
    assert force == pytest.approx(0.5 * MASS * G, rel=5e-3)
    assert run.q[round(worst / 0.002), 1] == pytest.approx(LENGTH, rel=1e-3)
    assert run.q[round(first / 0.002), 1] == pytest.approx(LENGTH * 2.5 / 3.0, rel=1e-2)


def test_a_wire_that_pulls_and_a_rod_that_pushes_say_nothing():
    assert told(lambda: swing(ball_on_a_wire(True), 5.1)) == []
    assert told(lambda: swing(ball_on_a_wire(None), 4.5)) == []
    assert told(lambda: swing(ball_on_a_wire(False), 4.5)) == []


def test_a_beam_that_stands_for_a_cable():
    """A mass on a spring of k = axial / length, stretched by 0.1 and let go: later it pushes as much."""
    system = bough.System("cable", gravity=None)
    load = system.world.tx("x", name="load", mass=1.0)
    system.add(bough.BeamElement("world", load, 0.5, axial=20.0, bending=0.0, wire=True))
    (said,) = told(lambda: bough.simulate(system.build(), q={"x": 0.6}, duration=1.0, dt=0.001))
    half = math.pi / math.sqrt(40.0)
    assert said.startswith(f"BeamElement #0 of 'cable' pushes with 4 N at t = {half:.3f} s")


def test_the_marionette_played_too_fast():
    model, motion = gallery.marionette().build(), gallery.marionette_motion("walk")
    fast = {name: lambda t, script=script: script(2.0 * t) for name, script in motion.items()}
    (said,) = told(lambda: bough.simulate(model, k=fast, duration=1.0))
    assert said.startswith(
        "DistanceConstraint 'back string' of 'marionette', one of 3 that push, pushes with"
    )


def test_a_cable_let_go_without_tension_and_with():
    assert told(lambda: bough.simulate(gallery.elastic_cable().build())) == []
    assert told(lambda: bough.simulate(gallery.spatial_cable().build(), duration=3.0)) == []
    (said,) = told(lambda: bough.simulate(gallery.elastic_cable(taut=0.0).build(), duration=1.0))
    assert "of 'elastic_cable', one of" in said


def test_it_is_part_of_the_description_only_if_it_is_a_wire():
    assert "wire" not in ball_on_a_wire(False).description["elements"][0]
    again = bough.System.from_dict(ball_on_a_wire(True).description)
    assert again.elements[0].wire is True  # type: ignore[attr-defined]


def test_neither_true_nor_false():
    with pytest.raises(bough.ModelError) as caught:
        bough.DistanceConstraint("a", "b", 1.0, wire="yes")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "wire='yes' in DistanceConstraint\n"
        "  found: neither True nor False\n"
        "  do: give one of these, or leave it out"
    )
