"""Elements written in Python in files and pickles."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import bough
from support.user_elements import (
    START,
    K,
    Spring,
    arm,
)

pytestmark = pytest.mark.filterwarnings("ignore::bough.DerivativeWarning")


class Plain(bough.Potential):
    """A class with an __init__ of its own."""

    frame_fields = ("frame",)

    def __init__(self, frame: Any, height: float) -> None:
        self.frame = frame
        self.height = height

    def energy(self, at: bough.Instant) -> Any:
        return self.height * at.position(self.frame)[2] ** 2


def push(t: float, q: Any, v: Any) -> Any:
    return -q["a"]


def test_pickle_and_file(tmp_path: Any):
    model = arm(Spring("tip", "anchor", K), Plain("tip", 2.0), bough.FunctionForce("a", push))
    copy = pickle.loads(pickle.dumps(model))
    assert copy == model
    run = bough.simulate(model, q=START, duration=0.1)
    np.testing.assert_array_equal(bough.simulate(copy, q=START, duration=0.1).q, run.q)
    loaded = bough.load_trajectory(run.save(tmp_path / "run.npz"))
    assert loaded.model == model
    np.testing.assert_array_equal(loaded.rerun().q, run.q)
    other = model.system.build()
    assert other == model


def test_frames_of_a_plain_class_are_bound():
    system = bough.System("arm")
    tip = system.world.ry("a").tz(-1.0, name="tip", mass=1.0)
    added = system.add(Plain(tip, 2.0))
    assert added.frame == "tip"
    assert system.build().potential_energy({"a": 0.0}) == pytest.approx(-9.81 + 2.0)


def test_a_function_without_a_name_still_simulates():
    model = arm(bough.FunctionForce("a", lambda t, q, v: -q["a"]))
    assert model == model.system.build()
    run = bough.simulate(model, q=START, duration=0.1)
    assert len(run) == 11
    with pytest.raises(bough.ModelError) as caught:
        run.save("nowhere.npz")
    assert str(caught.value) == (
        "description of function of FunctionForce\n"
        "  found: the function <lambda>, which is not made of numbers and strings\n"
        "  do: define the function at the top level of a module"
    )
    with pytest.raises(bough.ModelError, match="pickle of model 'arm'"):
        pickle.dumps(model)


def test_a_function_that_cannot_be_described_beside_a_constraint():
    """Units of the variables come from the frames: the function need not be described for them."""
    model = arm(
        bough.FunctionForce("a", lambda t, q, v: -v["a"]),
        bough.PointConstraint("tip", "anchor", (0, 0, 1), name="rail"),
    )
    guess = {"a": 1.0, "b": -2.0}
    q = model.assemble(guess).q
    assert abs(model.constraint(q)).max() < 1e-12
    assert model.mobility(q) == 1
    assert bough.simulate(model, q, duration=0.1).status == "finished"
    rest = model.equilibrium(guess)
    assert abs(model.constraint(rest.q)).max() < 1e-12
