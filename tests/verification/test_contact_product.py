"""Contacts together with everything else: elements, constraints, kinematic variables, shared variables."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.stops import with_stops

ELEMENTS = {
    "nothing": (),
    "springs": (
        lambda: bough.ConfigurationSpring("elbow", 5.0, 0.3),
        lambda: bough.LinearSpring("hand", "world", 4.0, 0.5),
    ),
    "damping": (lambda: bough.Damping(0.2), lambda: bough.LinearDamper("hand", "world", 0.5)),
    "servo": (lambda: bough.Servo("shoulder", 20.0, 1.0, target=0.5),),
    "forces": (lambda: bough.HybridWrench("hand", fx=0.7), lambda: bough.Drag("hand", 0.2)),
    "belt": (lambda: bough.GearSpring({"shoulder": 1.0, "elbow": -1.0}, 3.0),),
}
START = np.array([0.9, 0.0])


def arm(elements: str, restitution: float | None) -> bough.Model:
    system = bough.System("arm")
    upper = system.world.ry("shoulder").tz(-1.0, mass=1.0, inertia=(0.01, 0.02, 0.03))
    upper.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    for make in ELEMENTS[elements]:
        system.add(make())
    if restitution is not None:
        system.add(bough.JointLimit("elbow", -0.2, 0.2, restitution=restitution, name="stop"))
    return system.build()


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal"])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("elements", ELEMENTS)
def test_with_elements_against_dop853(elements, restitution, integrator):
    truth = with_stops(arm(elements, None), START, np.zeros(2), 1.0, (1, -0.2, 0.2), restitution)
    errors = []
    for dt in (0.005, 0.0025):
        run = bough.simulate(arm(elements, restitution), START, duration=1.0, dt=dt, integrator=integrator)
        assert run.gaps().min() > -1e-13
        assert len(run.impacts) > 0
        errors.append(np.abs(np.concatenate([run.q[-1], run.v[-1]]) - truth).max())
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] > 3.0


def mechanism(constraint: str, kinematic: bool, contact: str) -> bough.Model:
    system = bough.System("mechanism")
    pivot = system.world.tx(bough.kinematic("pivot")) if kinematic else system.world
    upper = pivot.ry("shoulder").tz(-1.0, name="middle", mass=1.0, inertia=(0.01, 0.02, 0.03))
    upper.ry("elbow").tz(-1.0, name="hand", mass=1.0)
    system.world.tx("x").tz("z", name="bead", mass=0.5)
    if constraint == "wire":
        system.add(bough.DistanceConstraint("hand", "bead", 0.5))
    elif constraint == "gear":
        system.add(bough.GearConstraint({"elbow": 1.0, "x": 2.0}, offset=0.1))
    elif constraint == "redundant":
        for axis in ((1, 0, 0), (0, 0, 1), (1, 0, 1)):
            system.add(bough.PointConstraint("hand", "bead", axis=axis))
    if contact == "limit":
        system.add(bough.JointLimit("elbow", -0.5, 0.45, restitution=0.5))
    else:
        system.add(
            bough.PlaneContact("hand", points=[(0, 0, 0)], radius=0.1, origin=(0, 0, -1.8), restitution=0.3)
        )
        system.add(bough.PlaneContact("bead", radius=0.1, origin=(0, 0, -2.2)))
    return system.build()


@pytest.mark.parametrize("contact", ["limit", "plane"])
@pytest.mark.parametrize("kinematic", [False, True])
@pytest.mark.parametrize("constraint", ["none", "wire", "gear", "redundant"])
def test_with_constraints_and_kinematic_variables(constraint, kinematic, contact):
    """Second order against a fine run of its own; loops closed and no contact passed at any step."""
    model = mechanism(constraint, kinematic, contact)
    guess = {"shoulder": 0.7, "elbow": 0.1, "x": 0.3, "z": -1.8} | ({"pivot": 0.0} if kinematic else {})
    q = model.assemble(guess).q
    k = {"pivot": lambda t: 0.1 * np.sin(3.0 * t)} if kinematic else None
    v = {"shoulder": -1.0, "elbow": 3.0}
    ends = {}
    for dt in (0.005, 0.0025, 0.0003125):
        run = bough.simulate(model, q, v, k=k, duration=0.5, dt=dt)
        if model.nc:
            assert np.abs(run.constraint_error()).max() < 1e-12
        assert run.gaps().min() > -1e-12
        assert len(run.impacts) > 0
        ends[dt] = np.concatenate([run.q[-1], run.v[-1]])
    fine = ends.pop(0.0003125)
    errors = [np.abs(end - fine).max() for end in ends.values()]
    assert errors[1] < 5e-3
    assert errors[0] / errors[1] > 2.5
