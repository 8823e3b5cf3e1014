"""`bough.check` over every kind of element that bough has, on a body that moves freely and an arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough.description.element import Element

KINDS = [
    cls
    for name in bough.__all__
    if isinstance(cls := getattr(bough, name), type)
    and issubclass(cls, Element)
    and cls not in (bough.Potential, bough.Force, bough.Constraint, bough.UnilateralConstraint)
]

BOX = bough.Box((0.4, 0.3, 0.2))
ELEMENTS: dict[str, Any] = {
    "BeamElement": bough.BeamElement("world", "body", length=0.5, axial=100.0, bending=12.0, torsion=7.0),
    "BodyWrench": bough.BodyWrench("tip", fx="thrust", tz=0.3),
    "CamConstraint": bough.CamConstraint("y", "a", bough.Sinusoid(amplitude=0.2, frequency=2.0, mean=0.1)),
    "CentralGravity": bough.CentralGravity("world", "body", mu=3.0),
    "ConfigurationForce": bough.ConfigurationForce("a", "motor"),
    "ConfigurationSpring": bough.ConfigurationSpring("a", 2.0, 0.1),
    "ContactGroup": bough.ContactGroup(["tip", "body"], friction=0.3),
    "Damping": bough.Damping(0.3),
    "DistanceConstraint": bough.DistanceConstraint("tip", "body", bough.Sinusoid(0.2, 2.0, mean=1.0)),
    "Drag": bough.Drag("tip", coefficient=0.2, wind=("gust", 0.1, 0.0)),
    "DryFriction": bough.DryFriction("a", torque=0.3),
    "EqualityConstraint": bough.EqualityConstraint(("x", "y")),
    "FunctionForce": bough.FunctionForce("a", lambda t, q, v: np.sin(q["b"]) * v["a"] * t),
    "GearConstraint": bough.GearConstraint({"a": 10, "b": 20}),
    "GearSpring": bough.GearSpring({"a": 0.5, "b": -2.0, "x": 1.5}, 3.0, 0.2),
    "Gravity": bough.Gravity((0, 1, 3), "tip"),
    "HybridWrench": bough.HybridWrench("body", fx="thrust", tz=0.3),
    "JointLimit": bough.JointLimit("a", bough.Sinusoid(0.2, 2.0, mean=-1.0), 2.0),
    "LineConstraint": bough.LineConstraint("body", "tip", axis=(1, 0, -1), origin=(0, 0, 1)),
    "LinearDamper": bough.LinearDamper("tip", "body", coefficient=3.0),
    "LinearSpring": bough.LinearSpring("tip", "body", 3.0, 0.2),
    "NonlinearConfigurationSpring": bough.NonlinearConfigurationSpring("x", polynomial=(0, -1, 0, 1)),
    "NonlinearSpring": bough.NonlinearSpring("tip", "body", polynomial=(0, 20, 0, 30), rest_length=0.5),
    "ParallelConstraint": bough.ParallelConstraint("body", "tip", axis=(0, 0, 1)),
    "PlaneConstraint": bough.PlaneConstraint("body", "tip", normal=(1, 0, 2)),
    "PlaneContact": bough.PlaneContact(
        "body", "tip", points=[(0.1, 0.2, -0.3), (0, 0, 1)], radius=0.2, normal=(1, 0, 2), friction=0.5
    ),
    "PointConstraint": bough.PointConstraint("tip", "body", axis=(1, 2, 3)),
    "PointForce": bough.PointForce("tip", fy="push", point=(0.8, 0.0, 1.0), axes="body"),
    "Rolling": bough.Rolling("body", 0.4, axis=(0.3, 1.0, 0.2), normal=(0.1, 0.2, 1.0)),
    "ScrewConstraint": bough.ScrewConstraint("a", "x", pitch=0.3),
    "Servo": bough.Servo("a", 30.0, 2.0, target="goal", effort=500.0, target_rate="rate"),
    "Skate": bough.Skate("tip", across=(0.2, 1.0, 0.1)),
    "ShapeContact": bough.ShapeContact("tip", bough.Sphere(0.1), "body", BOX, friction=0.3),
    "SpatialWrench": bough.SpatialWrench("body", fx="thrust", tz=0.3),
    "String": bough.String(
        "tip", "body", bough.Sinusoid(0.2, 2.0, mean=6.0), via=("world",), drum={"x": 0.1}
    ),
    "TorsionSpring": bough.TorsionSpring("tip", "body", stiffness=5.0, axis=(0, 0, 1), rest=-0.1),
    "WeldConstraint": bough.WeldConstraint("body", "tip"),
}

NO_THIRD = ("BeamElement", "TorsionSpring", "Rolling", "Skate")


def model(element: Any) -> bough.Model:
    system = bough.System("two bodies")
    elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
    elbow.rx("b").tz(-1.0, name="tip", mass=1.0)
    system.world.tx("x").ty("y").tz("z").rz("c", ratio=1.5).ry("d").rx(
        "e", name="body", mass=2.0, inertia=(0.1, 0.2, 0.25)
    )
    if isinstance(element, bough.ContactGroup):
        system.shape("tip", bough.Sphere(0.1))
        system.shape("body", BOX)
    system.add(element)
    return system.build()


def test_every_kind_is_here():
    assert sorted(ELEMENTS) == sorted(kind.__name__ for kind in KINDS)


@pytest.mark.parametrize("kind", ELEMENTS)
def test_derivatives(kind: str):
    result = bough.check(model(ELEMENTS[kind]), show=False, q={"x": 0.5, "y": 1.0}, spread=0.3)
    assert result.ok, str(result)
    rows = [row for row in result.rows if row.element != "tree"]
    assert all(row.states >= 3 for row in rows), str(result)
    assert max(row.error for row in rows) < 1e-7, str(result)
    third = not isinstance(ELEMENTS[kind], bough.Force | bough.UnilateralConstraint) and kind not in NO_THIRD
    assert ("third" in {row.derivative for row in rows}) == third
