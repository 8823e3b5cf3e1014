"""The lower and higher pairs of [JM09] III.A: joints made by one call, and by constraints of free bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import bough
from bough import (
    CamConstraint,
    Frame,
    GearConstraint,
    LineConstraint,
    ParallelConstraint,
    PlaneConstraint,
    PointConstraint,
    ScrewConstraint,
    Sinusoid,
    System,
    WeldConstraint,
)

INERTIA = (0.2, 0.3, 0.4)
PITCH = 0.1

# axis z of both bodies
JOINTS: dict[str, tuple[int, Callable[[Frame], Frame]]] = {
    "revolute": (1, lambda base: base.revolute("j")),
    "prismatic": (1, lambda base: base.prismatic("j")),
    "helical": (1, lambda base: base.helical("j", pitch=PITCH)),
    "cylindrical": (2, lambda base: base.cylindrical("j", "k")),
    "spherical": (3, lambda base: base.spherical("j")),
    "planar": (3, lambda base: base.planar("j")),
    "free": (6, lambda base: base.free("j")),
}

Z = (0, 0, 1)
CONSTRAINTS: dict[str, list[bough.Constraint]] = {
    "revolute": [PointConstraint("b", "a"), ParallelConstraint("b", "a", Z)],
    "prismatic": [
        LineConstraint("b", "a", Z),
        ParallelConstraint("b", "a", Z),
        PlaneConstraint("side", "a", (0, 1, 0)),
    ],
    "cylindrical": [LineConstraint("b", "a", Z), ParallelConstraint("b", "a", Z)],
    "spherical": [PointConstraint("b", "a", in_frame="a")],
    "planar": [PlaneConstraint("b", "a", Z), ParallelConstraint("b", "a", Z)],
    "free": [],
    "weld": [WeldConstraint("b", "a")],
}


def on_base(system: System) -> Frame:
    """A first body that moves freely, so that a pair is between two bodies."""
    return system.world.free("base", name="a", mass=1.0, inertia=INERTIA)


def by_joint(kind: str) -> bough.Model:
    system = System(kind)
    body = JOINTS[kind][1](on_base(system))
    body.frame("b", mass=0.5, inertia=INERTIA)
    return system.build()


def by_constraints(kind: str) -> bough.Model:
    system = System(kind)
    on_base(system)
    system.world.free("other", name="b", mass=0.5, inertia=INERTIA).tx(0.3, name="side")
    for element in CONSTRAINTS[kind]:
        system.add(element)
    return system.build()


@pytest.mark.parametrize("kind", JOINTS)
def test_mobility_of_a_joint(kind: str) -> None:
    model = by_joint(kind)
    q = np.random.default_rng(0).uniform(-0.5, 0.5, size=model.nq)
    assert model.nq == model.mobility(q) == 6 + JOINTS[kind][0]


@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_mobility_of_a_pair_by_constraints(kind: str) -> None:
    """Between free bodies the pair leaves the same mobility, with no row too many."""
    freedom = JOINTS[kind][0] if kind in JOINTS else 0
    model = by_constraints(kind)
    assert model.nc == 6 - freedom
    random = np.random.default_rng(1)
    base = random.uniform(-0.5, 0.5, size=6)
    guess = np.concatenate([base, base + random.uniform(-0.1, 0.1, size=6)])
    q = model.assemble(q=guess).q
    assert np.abs(model.constraint(q)).max(initial=0.0) < 1e-12
    assert model.mobility(q) == 6 + freedom


@pytest.mark.parametrize("kind", [kind for kind in CONSTRAINTS if kind in JOINTS])
def test_both_move_alike(kind: str) -> None:
    """The same start, by the joint and by the constraints: the same poses a second later."""
    joint, made = by_joint(kind), by_constraints(kind)
    random = np.random.default_rng(2)
    q, v = random.uniform(-0.5, 0.5, size=(2, joint.nq))
    base = dict(zip(joint.variables, q, strict=True))
    start = {f"base_{name}": base[f"base_{name}"] for name in ("tx", "ty", "tz", "rz", "ry", "rx")}
    pose, twist = joint.pose("b", q), joint.body_velocity("b", q, v)
    ry = -np.arcsin(pose[2, 0])
    other = [*pose[:3, 3], np.arctan2(pose[1, 0], pose[0, 0]), ry, np.arctan2(pose[2, 1], pose[2, 2])]
    names = [f"other_{name}" for name in ("tx", "ty", "tz", "rz", "ry", "rx")]
    q2 = made.configuration({**start, **dict(zip(names, other, strict=True))})
    J = made.jacobian("b", q2)[:, 6:]
    v2 = np.concatenate([v[:6], np.linalg.solve(J, twist)])
    assert np.abs(made.constraint(q2)).max(initial=0.0) < 1e-14
    settings = {"duration": 1.0, "dt": 0.05, "integrator": "dop853"}
    first = bough.simulate(joint, q=q, v=v, **settings)
    second = bough.simulate(made, q=q2, v=v2, **settings)
    for frame in ("a", "b"):
        assert np.allclose(second.pose(frame), first.pose(frame), rtol=0, atol=1e-8)


def test_helical_by_the_screw_constraint() -> None:
    """A cylindrical joint with the screw constraint has the mobility of the helical joint."""
    system = System("screw")
    on_base(system).cylindrical("j", "k").frame("b", mass=0.5, inertia=INERTIA)
    system.add(ScrewConstraint("j", "k", PITCH))
    model = system.build()
    q = np.random.default_rng(0).uniform(-0.5, 0.5, size=model.nq)
    assert (model.nq, model.nc, model.mobility(q)) == (8, 1, 7)


def test_helical_between_free_bodies() -> None:
    """A nut on the thread of one body, welded to the other body: the motion of the helical joint."""
    joint, made = System("joint"), System("made")
    on_base(joint).helical("j", pitch=PITCH).frame("b", mass=0.5, inertia=INERTIA)
    half = tuple(0.5 * moment for moment in INERTIA)
    on_base(made).cylindrical("j", "k").frame("nut", mass=0.25, inertia=half)
    made.world.free("other", name="b", mass=0.25, inertia=half)
    made.add(ScrewConstraint("j", "k", PITCH))
    made.add(WeldConstraint("b", "nut"))
    first, second = joint.build(), made.build()
    q, v = np.random.default_rng(3).uniform(-0.5, 0.5, size=(2, first.nq))
    hold = first.variables
    guess = {**dict(zip(hold, q, strict=True)), "k": PITCH * q[6]}
    rates = {**dict(zip(hold, v, strict=True)), "k": PITCH * v[6]}
    state = second.assemble(q=guess, v=rates, hold=(*hold, "k"))
    assert (second.nq, second.nc, second.mobility(state.q)) == (14, 7, 7)
    settings = {"duration": 1.0, "dt": 0.05, "integrator": "dop853"}
    run = bough.simulate(first, q=q, v=v, **settings)
    other = bough.simulate(second, q=state.q, v=state.v, **settings)
    for frame in ("a", "b"):
        assert np.allclose(other.pose(frame), run.pose(frame), rtol=0, atol=1e-8)


def test_gear_pair() -> None:
    """Two rotations and a relation: one freedom."""
    system = System("gears")
    for i in range(2):
        system.world.tx(0.5 * i).revolute(f"gear {i}", mass=1.0, inertia=INERTIA)
    system.add(GearConstraint({"gear 0": 1.0, "gear 1": 2.0}))
    model = system.build()
    assert (model.nq, model.mobility({"gear 0": 0.7})) == (2, 1)


def test_cam_pair() -> None:
    """A rotation, a translation and a relation: one freedom, also where the profile is flat."""
    system = System("cam")
    system.world.revolute("cam", mass=1.0, inertia=INERTIA)
    system.world.prismatic("follower", mass=1.0)
    system.add(CamConstraint("follower", "cam", Sinusoid(0.1, 1.0)))
    model = system.build()
    for angle in (0.0, 0.7, 0.5 * np.pi):
        assert model.mobility({"cam": angle}) == 1
