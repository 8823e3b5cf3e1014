"""System to file to System is the identity."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bough
from bough.io._kinds import element_kinds
from bough.io.system_file import parse_system, system_text
from support import random_trees

NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4).filter(
    lambda name: name != "world" and name[0] != "#" and name.isprintable()
)


def check_identity(system: bough.System) -> None:
    text = system_text(system)
    assert text.isascii() or text.encode().decode() == text
    copy = parse_system(text)
    assert copy.to_dict() == system.to_dict()
    assert system_text(copy) == text


@given(random_trees.trees(max_joints=8))
def test_random_trees(tree: random_trees.Tree) -> None:
    check_identity(tree.system())


@given(random_trees.trees(max_joints=4, floating=True))
def test_models_are_equal(tree: random_trees.Tree) -> None:
    system = tree.system()
    assert parse_system(system_text(system)).build() == system.build()


@given(st.data())
def test_any_names_and_any_order_of_creation(data: st.DataObject) -> None:
    system = bough.System(data.draw(NAMES), gravity=None)
    for _ in range(data.draw(st.integers(0, 12))):
        parent = system._frames[data.draw(st.integers(0, len(system._frames) - 1))]
        name = data.draw(st.none() | NAMES.filter(lambda name: name not in system._by_name))
        number = data.draw(st.floats(-1e6, 1e6) | st.floats(allow_nan=False, allow_infinity=False))
        variable = data.draw(NAMES)
        shared = variable in system.variables
        kind = data.draw(st.sampled_from(("tx", "rz", "fixed", "frame", "twist")))
        if kind == "fixed":
            parent.fixed(np.eye(4), name=name, mass=abs(number))
        elif kind == "frame" and name is not None:
            parent.frame(name)
        elif kind == "twist":
            parent.twist((0, 0, 1, 0, number, 0), variable, name=name, shared=shared)
        else:
            constant = data.draw(st.booleans())
            parent.rz(number if constant else variable, name=name, shared=shared and not constant)
    for frame in system.frames[1:3]:
        system.add(bough.LinearSpring("world", frame, stiffness=data.draw(st.floats(0, 1e300))))
    check_identity(system)


def test_inertias_that_no_body_has() -> None:
    system = bough.System("arm")
    system.world.rz("a").body_as_given(1.0, (1, 1, 5), (0, 0, 1))
    system.world.rz("b").body_as_given(0.0, [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 3]])
    system.world.rz("c", mass=1.0, inertia=(1, 1, 1))
    check_identity(system)


def with_every_element() -> bough.System:
    """All kinds of elements, with and without their optional fields."""
    system = bough.System("everything", gravity=(0.1, 0, -9.81))
    a = system.world.tx("x").ry("p", name="a", mass=1.0, inertia=(1, 1, 1))
    b = a.tz(-1.0).ry("q", name='b "quoted" \\ ; (', mass=2.0, com=(0, 0, 0.1))
    c = system.world.ty(bough.kinematic("k")).rz("r").tx("y", mass=1.0)  # has no name
    system.shape(a, bough.Sphere(0.1))
    system.shape(c, bough.Box((0.4, 0.3, 0.2)))
    wave = bough.Sinusoid(0.1, 2.0, phase=0.3, mean=1.0)
    cam = bough.PiecewisePolynomial((0.0, 1.0, 2.0), ((0.0, 0.0, 1.0), (1.0, 2.0)), periodic=False)
    lift = bough.PiecewisePolynomial.through([0, 2, 4, 6], [0, 0.01, 0.02, 0], periodic=True)
    elements: list[Any] = [
        bough.BeamElement(a, b, 1.0, 1e5, 12.0),
        bough.BeamElement(a, b, 1.0, 1e5, (12.0, 3.0), 4.0, (0, 0, 1), name="beam"),
        bough.BodyWrench(b, fx="thrust", tz=-0.5),
        bough.HybridWrench(b, name="nothing"),
        bough.SpatialWrench(c, ty="thrust"),
        bough.PointForce(b, fy="push", point=(0.8, 0.0, 1.0), axes="body"),
        bough.CamConstraint("x", "q", cam),
        bough.CamConstraint("y", "r", lift, name="cam"),
        bough.CentralGravity("world", b, mu=3.986004418e14),
        bough.CentralGravity(a, b, constant=1.0),
        bough.CentralGravity(a, b),
        bough.Gravity((0, 0, 1.62)),
        bough.Gravity((0, 0, 1.62), a),
        bough.Gravity((0, 0, 1.62), (a, b), name="moon"),
        bough.ConfigurationForce("x", 3.0),
        bough.ConfigurationForce("x", "motor"),
        bough.ConfigurationForce("x", "motor", gear=-0.1, effort=2.5),
        bough.GearSpring({"p": 0.1, "q": -20.0}, 3.0, 0.25),
        bough.Servo("x", 30.0, 2.0, target="aim", effort=5.0, gear=2.5),
        bough.ConfigurationSpring("k", 2.0, 0.1),
        bough.Damping(0.1),
        bough.Damping({}),
        bough.Damping({"x": 0.1}),
        bough.Damping({"x": 0.1, "q": 0.2}),
        bough.DistanceConstraint(a, "world", 1 / 3),
        bough.DistanceConstraint(b, c, bough.kinematic("wire length")),
        bough.DistanceConstraint(b, c, wave, name="wave"),
        bough.Drag(b, 0.1),
        bough.Drag(b, 0.1, ("gust", 0.0, 1e-300)),
        bough.DryFriction("x", 0.3),
        bough.EqualityConstraint(("p", "q", "r")),
        bough.GearConstraint({"p": 10, "q": -20}, 0.5),
        bough.GearConstraint({"p": 10}, bough.kinematic("k")),
        bough.GearConstraint({"p": 10, "r": 1}, wave),
        bough.JointLimit("p", -1.0, restitution=0.5, name="stop"),
        bough.JointLimit("q", bough.kinematic("k"), wave),
        bough.LineConstraint(a, b, (1, 2, 3)),
        bough.LineConstraint(a, b, (0, 0, 1), (1, 2, 3)),
        bough.LinearDamper(a, b, 0.5),
        bough.LinearSpring(a, c, 20.0, 0.5),
        bough.NonlinearConfigurationSpring("p", polynomial=(0, -1, 0, 1), rest=0.2),
        bough.NonlinearConfigurationSpring("p", table=((0, 0), (1, 2), (3, 4))),
        bough.NonlinearConfigurationSpring("p", table=((0, 0), (1, 2), (3, 4)), interpolation="linear"),
        bough.NonlinearSpring(a, b, polynomial=(5,)),
        bough.NonlinearSpring(a, b, table=((0.4, -3), (0.5, 0)), rest_length=0.1),
        bough.ParallelConstraint(a, b, (1, 1, 0)),
        bough.ParallelConstraint(a, b, (1, 0, 0), (0, 1, 0)),
        bough.PlaneConstraint(a, b, (0, 0, 1)),
        bough.PlaneConstraint(a, b, (0, 0, 1), (0, 0, 0.5), wave),
        bough.PlaneContact(a),
        bough.ShapeContact(a, bough.Sphere(0.1), c, bough.Box((0.4, 0.3, 0.2)), friction=0.3),
        bough.ContactGroup([a, c], friction=0.3, name="group"),
        bough.PlaneContact(a, b, points=((0, 0, 1), (1, 0, 1)), radius=0.1, normal=(1, 0, 0), friction=0.5),
        bough.PointConstraint(a, b),
        bough.PointConstraint(a, b, (1, 0, 1), name="pin"),
        bough.PointConstraint(a, b, axes=((1, 0, 0),), in_frame=c),
        bough.PointConstraint(a, b, axes=((1, 0, 0), (0, 1, 0)), offset=(wave, 2.0)),
        bough.String(a, c, 1.5, via=(b,), restitution=0.2, name="rope"),
        bough.String(a, c, wave, drum={"x": 0.1}),
        bough.Rolling(a, 0.3),
        bough.Rolling(a, 0.3, (0, 1, 0), (0, 0.6, 0.8), -0.5, name="road"),
        bough.ScrewConstraint("p", "x", 0.01),
        bough.Servo("p", 30.0, 2.0, target="goal", effort=9.0),
        bough.Servo("p", 30.0, 2.0, target=bough.kinematic("k"), target_rate=0.5),
        bough.Skate(b, (0, 1, 0.5)),
        bough.TorsionSpring(a, b, 5.0),
        bough.TorsionSpring(a, b, 5.0, (0, 0, 1), -0.1),
        bough.WeldConstraint(a, b),
        bough.WeldConstraint(a, c, np.diag((1.0, -1.0, -1.0, 1.0))),
    ]
    for element in elements:
        system.add(element)
    return system


def test_every_element() -> None:
    check_identity(with_every_element())


def test_no_element_is_left_out() -> None:
    used = {type(element) for element in with_every_element().elements}
    own = {kind.cls for kind in element_kinds().values() if kind.cls.__module__.split(".")[0] == "bough"}
    assert own - used == {bough.FunctionForce}  # holds a function of Python


@pytest.mark.parametrize("element", with_every_element().elements, ids=lambda item: type(item).__name__)
def test_each_field_by_name(element: Any) -> None:
    """Every field may be given by its name, in any order and any letter case."""
    system = with_every_element()
    system._elements, system._element_names, system._prescribed = [], set(), {}
    system.add(element)
    text = system_text(system)
    assert parse_system(text).elements == (element,)
    fields = [field.name for field in dataclasses.fields(element)]
    assert all(f"({field.upper()} " not in text for field in fields)
    for field in fields:
        text = text.replace(f"({field.replace('_', '-')} ", f"({field.upper()} ")
    assert parse_system(text).elements == (element,)
