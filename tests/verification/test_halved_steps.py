"""Steps that are made in parts: what they report is that of the whole step."""

from __future__ import annotations

import numpy as np
import pytest

import bough

G = 9.81


@pytest.mark.parametrize(("most", "dt"), [(1, 0.02), (2, 0.1), (3, 0.05)])
def test_forces_at_rest_are_the_weights_however_steps_are_halved(most, dt):
    """A block on the floor and a bob on a rod, at rest beside arms that swing and converge in smaller steps only."""
    system = bough.System("beside")
    system.world.tz("z", name="block", mass=2.0)
    system.add(bough.PlaneContact("block", name="floor"))
    system.world.tx("x").tz("w", name="bob", mass=1.0)
    system.add(bough.DistanceConstraint("world", "bob", 1.0, name="rod"))
    system.world.ry("a").tz(-1.0, mass=1.0).ry("b").tz(-1.0, mass=1.0)
    run = bough.simulate(
        system.build(), q={"w": -1.0}, v={"a": 3.0, "b": -5.0}, duration=20 * dt, dt=dt, max_iterations=most
    )
    assert run.statistics["halvings"] > 5
    np.testing.assert_allclose(run.contact_force("floor").normal, 2.0 * G, rtol=1e-11)
    np.testing.assert_allclose(np.abs(run.lam), G, rtol=1e-11)
