"""Strings: the length of the path over pulleys, and its derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.finite_difference import derivative


def arm(**options: Any) -> bough.Model:
    """An arm and a body in space; strings between them over frames at rest and in motion."""
    system = bough.System("arm")
    elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
    elbow.rx("b").tz(-1.0, name="tip", mass=1.0)
    system.world.tx("x").ty("y").tz("z").rz("c").ry("d").rx(
        "e", name="body", mass=2.0, inertia=(0.1, 0.2, 0.25)
    )
    system.world.tx(0.4).tz(1.5, name="pulley")
    system.world.tx(1.2).tz(1.4, name="other")
    system.world.tx(2.0).ry("turn", name="drum", mass=1.0, inertia=(1, 1, 1))
    system.add(bough.String("tip", "body", **options))
    return system.build()


CASES: dict[str, dict[str, Any]] = {
    "straight": {"length": 2.0},
    "over points": {"length": 5.0, "via": ["elbow", "pulley", "body", "other"]},
    "over a wheel": {"length": 5.0, "via": ["pulley"], "radius": 0.2},
    "over a wheel that moves": {
        "length": 5.0,
        "via": ["pulley", "elbow", "other"],
        "radius": (0.0, -0.15, 0.0),
    },
    "from drums": {"length": bough.Sinusoid(0.1, 3.0, mean=4.0), "drum": {"turn": 0.3, "x": -1.0}},
}


@pytest.mark.parametrize("case", CASES)
def test_gradient(case: str) -> None:
    model = arm(**CASES[case])
    random = np.random.default_rng(3)
    for _ in range(5):
        q = random.uniform(-0.4, 0.4, model.nq)
        q[model.index("x")] += 1.5
        found = model.gap_dq(q, t=0.3)
        exact, _ = derivative(lambda x: model.gap(x, t=0.3), q, step=0.02)
        assert np.abs(found - exact.T).max() < 1e-8
    rate = (model.gap(q, t=0.3 + 1e-5) - model.gap(q, t=0.3 - 1e-5)) / 2e-5
    assert np.abs(rate - model.gap_dt(q, t=0.3)).max() < 1e-8


def planar(**options: Any) -> bough.Model:
    system = bough.System("wheels")
    system.world.tx("ax").tz("az", name="a", mass=1.0)
    system.world.tx("bx").tz("bz", name="b", mass=1.0)
    system.world.tx("px").tz("pz", name="p", mass=1.0)
    system.world.tx(3.0).tz(2.5, name="r")
    system.add(bough.String("a", "b", 20.0, **options))
    return system.build()


def test_half_a_turn_over_a_wheel() -> None:
    model = planar(via=["p"], radius=0.25)
    at = {"ax": -0.25, "az": -2.0, "bx": 0.25, "bz": -3.0}
    assert model.gap(at)[0] == pytest.approx(20.0 - 5.0 - 0.25 * np.pi, abs=1e-14)


def test_two_wheels_in_a_plane() -> None:
    """The part between wheels of equal size is as long as their centres are apart."""
    r, d = 0.3, np.hypot(3.0, 2.5)
    at = {"ax": -0.3, "az": -2.0, "bx": 3.3, "bz": -2.0}
    open_belt = planar(via=["p", "r"], radius=r)
    exact = 2.0 + d + 4.5 + r * np.pi  # quarter turns and the tilt, which the second wheel takes back
    assert open_belt.gap(at)[0] == pytest.approx(20.0 - exact, abs=1e-13)
    random = np.random.default_rng(1)
    for _ in range(4):
        q = random.uniform(-0.2, 0.2, open_belt.nq) + open_belt.configuration(at)
        difference, _ = derivative(open_belt.gap, q, step=0.02)
        assert np.abs(open_belt.gap_dq(q) - difference.T).max() < 1e-8


def test_a_string_says_what_it_is_made_of() -> None:
    model = arm(length=2.0, via=["pulley"])
    assert model.gaps == ("String #0",)
    system = bough.System("winch")
    load = system.world.tz("z", name="load", mass=1.0)
    system.add(bough.String("world", load, bough.kinematic("out"), name="rope"))
    assert system.kinematic == ("out",)
    assert system.build().gap({"z": -1.0, "out": 1.5})[0] == pytest.approx(0.5)
