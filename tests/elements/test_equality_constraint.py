"""Variables that are equal."""

from __future__ import annotations

import numpy as np

import bough
from bough import EqualityConstraint, System
from support.constraint_checks import assert_constraint


def test_derivatives() -> None:
    assert_constraint(EqualityConstraint(("twist", "screw", "reach", "left")))


def test_rows() -> None:
    system = System("three")
    for name in "abc":
        system.world.tx(name, mass=1.0)
    system.add(EqualityConstraint(("a", "b", "c"), name="same"))
    model = system.build()
    assert model.constraints == ("same[0]", "same[1]")
    assert np.array_equal(model.constraint([1.0, 2.0, 4.0]), [-1.0, -3.0])
    assert np.array_equal(model.constraint_dq(np.zeros(3)), [[1, -1, 0], [1, 0, -1]])
    assert System.from_dict(system.to_dict()).elements == system.elements


def test_is_the_shared_variable() -> None:
    """Two pendulums with equal angles, or with one angle for both: the same motion."""
    equal, shared = System("equal"), System("shared")
    for system, names in ((equal, ("p", "q")), (shared, ("p", "p"))):
        for name, length in zip(names, (1.0, 0.3), strict=True):
            system.world.ry(name, shared=name in system.variables).tz(-length, mass=1.0)
    equal.add(EqualityConstraint(("p", "q")))
    for integrator in ("midpoint", "dop853"):
        one = bough.simulate(shared.build(), q=[1.0], duration=5.0, dt=0.01, integrator=integrator)
        two = bough.simulate(equal.build(), q=[1.0, 1.0], duration=5.0, dt=0.01, integrator=integrator)
        assert np.allclose(two["p"], one["p"], rtol=0, atol=2e-9)
        assert np.allclose(two["q"], two["p"], rtol=0, atol=2e-9)
