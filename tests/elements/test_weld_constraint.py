"""A frame that keeps its pose in another one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough import System, WeldConstraint
from support.constraint_checks import assert_constraint, assert_derivatives, two_arms

POSE = np.eye(4)
POSE[:3, :3] = Rotation.from_rotvec([0.3, -0.7, 0.4]).as_matrix()
POSE[:3, 3] = (0.1, 0.2, -0.3)


@pytest.mark.parametrize(
    "element",
    [WeldConstraint("a", "b"), WeldConstraint("a", "b", POSE), WeldConstraint("world", "c", POSE)],
    ids=lambda element: f"{element.a} and {element.b}",
)
def test_derivatives(element: WeldConstraint) -> None:
    system = two_arms()
    system.add(element)
    model = system.build()
    for q in np.random.default_rng(1).normal(scale=0.5, size=(3, model.nq)):
        assert_derivatives(model, q, 0.0)


def test_accelerations() -> None:
    system = two_arms()
    system.world.free("loose", name="loose", mass=1.0, inertia=(0.2, 0.3, 0.4))
    assert_constraint(WeldConstraint("loose", "b", POSE), system=system)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, 3.0, 3.14])
def test_orientation_rows(angle: float) -> None:
    """2 sin(angle/2) n: zero at the wanted orientation alone, also near half a turn."""
    n = np.array([2.0, -1.0, 2.0]) / 3.0
    system = System("pair")
    system.world.rz("a").ry("b").rx("c", name="body", mass=1.0, inertia=(1, 1, 1))
    system.add(WeldConstraint("body", "world", POSE))
    model = system.build()
    turn = POSE[:3, :3] @ Rotation.from_rotvec(angle * n).as_matrix()
    q = Rotation.from_matrix(turn).as_euler("ZYX")
    assert np.allclose(
        model.constraint(q)[3:], 2.0 * np.sin(angle / 2.0) * n, rtol=0, atol=1e-15 / np.cos(angle / 2.0) ** 2
    )


def test_the_rows_turn_as_the_body_does() -> None:
    """At the wanted pose Dh v is the velocity of a relative to b, in the axes of b: linear, then angular."""
    system = System("pair")
    system.world.free("b", name="b", mass=1.0, inertia=(1, 1, 1))
    system.world.free("a", name="a", mass=1.0, inertia=(1, 1, 1))
    system.add(WeldConstraint("a", "b"))
    model = system.build()
    random = np.random.default_rng(5)
    q = np.tile(random.normal(size=6), 2)
    assert np.allclose(model.constraint(q), 0.0, atol=1e-15)
    for v in random.normal(size=(3, 12)):
        relative = model.body_velocity("a", q, v) - model.body_velocity("b", q, v)
        assert np.allclose(model.constraint_dq(q) @ v, np.roll(relative, 3), rtol=0, atol=1e-13)


def test_held_at_rest() -> None:
    """lam is the weight and its moment about the weld, in the axes of b."""
    system = System("bracket")
    wall = system.world.rx(0.5, name="wall")
    body = system.world.free("body", name="body", mass=2.0, inertia=(1, 1, 1), com=(0.3, 0, 0))
    system.add(WeldConstraint(body, wall))
    model = system.build()
    q = model.assemble().q
    assert np.allclose(model.pose("body", q), model.pose("wall", q), atol=1e-13)
    a, lam = model.acceleration_and_multipliers(q, np.zeros(6))
    assert np.allclose(a, 0.0, atol=1e-12)
    turn = model.pose("wall", q)[:3, :3]
    assert np.allclose(turn @ lam[:3], (0, 0, 2.0 * 9.81))
    assert np.allclose(lam[3:], np.cross((0.3, 0, 0), lam[:3]))


def test_two_welded_bodies_fly_as_one() -> None:
    inertia = (0.1, 0.2, 0.3)
    welded, whole = System("welded"), System("whole")
    for system in (welded, whole):
        system.world.free("one", name="one", mass=1.0, inertia=inertia)
    whole.frame("one").fixed(POSE, name="two", mass=0.5, inertia=inertia)
    welded.world.free("two", name="two", mass=0.5, inertia=inertia)
    welded.add(WeldConstraint("two", "one", POSE))
    v = dict.fromkeys(("one_tx", "one_rx", "one_ry"), 0.4)
    model = welded.build()
    assert model.mobility(model.assemble().q) == whole.build().mobility(np.zeros(6)) == 6
    single = bough.simulate(whole.build(), v=v, duration=1.0, dt=0.02, integrator="dop853")
    first = model.assemble(v=v, hold=whole.build().variables)
    double = bough.simulate(model, q=first.q, v=first.v, duration=1.0, dt=0.02, integrator="dop853")
    for frame in ("one", "two"):
        assert np.allclose(double.pose(frame), single.pose(frame), rtol=0, atol=1e-8)
    assert np.allclose(double.energy(), double.energy()[0], rtol=1e-9)
    # in discrete time the pose is kept to round-off
    steps = bough.simulate(model, q=first.q, v=first.v, duration=1.0, dt=0.02)
    assert np.abs(steps.constraint_error()).max() < 1e-12
    assert np.allclose(steps.pose("one")[-1], single.pose("one")[-1], rtol=0, atol=1e-3)
