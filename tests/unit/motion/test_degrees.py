"""A start in degrees is simulated as it is given, with a warning; others are not suspected."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bough


def crane() -> bough.Model:
    system = bough.System("crane")
    arm = system.world.tz("lift").ry("swing", name="arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    arm.ball("hook", name="hook", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.world.rz(bough.kinematic("slew"))
    return system.build()


@pytest.mark.parametrize(
    ("q", "text"),
    [
        (
            {"swing": 90, "lift": 20.0},
            "'swing' starts at 90 rad (14.3 turns); angles are in radians:"
            " if degrees are meant, write q={'swing': np.radians(90)}",
        ),
        (
            {"slew": -45.0, "swing": 10},
            "'slew', 'swing' start at -45 rad (7.2 turns), 10 rad (1.6 turns); angles are in radians:"
            " if degrees are meant, write q={'slew': np.radians(-45)}",
        ),
    ],
)
def test_degrees_are_suspected(q: dict[str, Any], text: str) -> None:
    with pytest.warns(bough.BoughWarning) as caught:
        run = bough.simulate(crane(), q=q, duration=0.02, dt=0.01)
    assert [str(each.message) for each in caught] == [f"q of a simulation of model 'crane': {text}"]
    assert all(run[name][0] == value for name, value in q.items())


@pytest.mark.parametrize(
    "q",
    [
        {"swing": np.radians(170.0), "lift": 90.0},  # a height
        {"swing": 5, "slew": -6.0},
        {"swing": 10.0 * np.pi},  # whole turns
        {"hook": (0.0, 1.0, 0.0, 0.0), "swing": 1.0},
        [90.0, 90.0, 1.0, 0.0, 0.0, 0.0, 90.0],  # such as the end of another run
    ],
)
def test_others_are_not(q: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", bough.BoughWarning)
        bough.simulate(crane(), q=q, duration=0.02, dt=0.01)
