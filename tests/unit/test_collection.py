"""Models that their own elements refer to are collected like any other object."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import bough


class Pull(bough.Force):
    """A force that knows the model which it belongs to."""

    model: bough.Model | None = None

    def force(self, at: bough.Instant) -> np.ndarray:
        return np.array([-1.0 * at.q[0]])


class Well(bough.Potential):
    model: bough.Model | None = None

    def energy(self, at: bough.Instant) -> float:
        return float(at.q[0] ** 2)

    def gradient(self, at: bough.Instant) -> np.ndarray:
        return np.array([2.0 * at.q[0]])

    def hessian(self, at: bough.Instant) -> np.ndarray:
        return np.array([[2.0]])


def build(kind: type[Pull] | type[Well]) -> bough.Model:
    system = bough.System("loop")
    system.world.tx("x", mass=1.0)
    element = kind()
    system.add(element)
    model = system.build()
    element.model = model
    return model


@pytest.mark.parametrize("kind", [Pull, Well])
@pytest.mark.parametrize("used", [False, True])
@pytest.mark.filterwarnings("ignore::bough.DerivativeWarning")
def test_a_loop_through_the_core_is_collected(kind: type[Pull] | type[Well], used: bool) -> None:
    model = build(kind)
    if used:
        bough.simulate(model, q=[0.3], duration=0.1, dt=0.01)
        bough.MidpointVI(model, dt=0.01)
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None


AT_EXIT = """
import bough
system = bough.System("global")
system.world.ry("a").tz(-1.0, mass=1.0)
model = system.build()
run = bough.simulate(model, q=[0.3], duration=0.1, dt=0.01)
vi = bough.MidpointVI(model, dt=0.01)
stepper = vi.new_stepper()
"""


def test_nothing_is_left_at_the_end() -> None:
    """nanobind writes to stderr what of its own is still there when Python has ended."""
    done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert done.stderr == ""
