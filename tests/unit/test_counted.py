"""Counts in words that users read: one of a thing is in the singular."""

from __future__ import annotations

import numpy as np
import pytest

import bough


def bead() -> bough.Model:
    system = bough.System("bead")
    system.world.tx("x", mass=1.0)
    return system.build()


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (lambda: bough.System("s"), "<System 's': 1 frame, 0 variables>"),
        (lambda: bead().system, "<System 'bead': 2 frames, 1 variable>"),
        (
            lambda: bough.Problem(bead(), duration=0.01, dt=0.01),
            "<Problem of 'bead': midpoint, 1 step of 0.01 s>",
        ),
        (
            lambda: bough.simulate(bead(), duration=0.0),
            "<Trajectory of 'bead': 1 instant, t = 0 to 0 s, finished>",
        ),
        (
            lambda: bough.ensemble(bough.Problem(bead(), duration=0.1), {"q.x": [0.0]}),
            "<Ensemble of 'bead': 1 run over q.x, all finished>",
        ),
        (
            lambda: bough.ensemble(bough.Problem(bead(), duration=0.1), {"q.x": [0.0, 0.1]}),
            "<Ensemble of 'bead': 2 runs over q.x, all finished>",
        ),
    ],
)
def test_one_is_singular(thing, text):
    assert repr(thing()) == text


def test_a_state_of_another_model():
    two = bough.gallery.pendulum(2).build()
    state = bough.MidpointVI(bead(), 0.01).start()
    with pytest.raises(bough.ModelError) as caught:
        bough.MidpointVI(two, 0.01).step(state)
    assert caught.value.found == "a state with 1 variable; the model has 2"
    with pytest.raises(bough.ModelError) as caught:
        bough.MidpointVI(two, 0.01).step(bough.State(0.0, np.zeros(2), np.zeros(2), np.zeros(1)))
    assert caught.value.found == "a state with 1 momentum; the model has 2"
