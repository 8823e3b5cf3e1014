"""Joints and elements of every kind in maximal coordinates, against the reduced ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from support.motions import MOTIONS, I, Motion

DURATION = 0.4
STEPS = (2e-3, 1e-3)


@pytest.mark.parametrize("make", MOTIONS, ids=lambda make: make.__name__)
def test_same_motion(make: Callable[[], Motion]) -> None:
    motion = make()
    model = motion.system.build()
    driven = {"u": motion.u, "k": motion.k, "duration": DURATION}
    reference = bough.simulate(model, motion.q, motion.v, dt=1e-3, integrator="dop853", **driven)
    size = max(1.0, float(np.abs(reference.q).max()))
    for integrator in ("velocity", "penalty-implicit") if motion.penalties else ("velocity",):
        errors = []
        for dt in STEPS:
            run = bough.simulate(model, motion.q, motion.v, dt=dt, integrator=integrator, **driven)
            errors.append(float(np.abs(run.q[-1] - reference.q[-1]).max()) / size)
        assert errors[-1] < 0.02, (integrator, errors)
        # order one or more, or an error that is below what order one would leave to see
        assert errors[0] > 1.7 * errors[1] or errors[0] < 1e-4, (integrator, errors)


@pytest.mark.filterwarnings("ignore::bough.DerivativeWarning")  # its derivatives are not given
def test_a_users_element_acts() -> None:
    class Cubic(bough.Potential):
        def energy(self, at: bough.Instant) -> Any:
            return 5.0 * at.q["a"] ** 4

    system = bough.System("cubic", gravity=(0, 0, 0))
    system.world.ry("a").tx(0.5, name="b", mass=1.0, inertia=I)
    system.add(Cubic())
    model = system.build()
    reference = bough.simulate(model, {"a": 0.8}, duration=1.0, integrator="dop853")
    run = bough.simulate(model, {"a": 0.8}, duration=1.0, dt=1e-3, integrator="velocity")
    assert abs(run["a"][-1] - reference["a"][-1]) < 5e-3


def test_redundant_loops_share_the_force() -> None:
    """A planar loop closed in space: the row across its plane holds nothing, and is no trouble."""
    system = bough.System("loop")
    first = system.world.ry("a").tx(1.0, name="rod", mass=1.0, inertia=I)
    second = system.world.tx(1.0).ry("b").tz(-1.0, name="other", mass=1.0, inertia=I)
    bar = first.ry("c").tz(-1.0, name="bar", mass=1.0, inertia=I)
    system.add(bough.PointConstraint(bar, second, axes=[(1, 0, 0), (0, 1, 0), (0, 0, 1)]))
    model = system.build()
    start = model.assemble()
    reference = bough.simulate(model, start.q, duration=0.3, dt=0.01, integrator="dop853")
    run = bough.simulate(model, start.q, duration=0.3, dt=1e-3, integrator="velocity")
    assert np.abs(run.q[-1] - reference.q[-1]).max() < 5e-3
    assert np.isfinite(run.lam).all()
