"""A model as bodies and joints, and what is said where an engine cannot have it."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.figures._lift import lift_of_bodies
from bough.gallery import closed_chain
from bough.peers import mujoco, ode, with_inertia
from bough.peers.mechanism import Mechanism


def mechanism(system: bough.System, q: dict[str, float] | None = None) -> Mechanism:
    model = system.build()
    return Mechanism(model, model.configuration(q or {}), "the engine")


def refusal(system: bough.System) -> str:
    with pytest.raises(bough.ModelError) as caught:
        mechanism(system)
    return str(caught.value)


def test_masses_behind_a_joint_are_one_body() -> None:
    system = bough.System("dumbbell")
    arm = system.world.ry("a")
    arm.tz(-1.0, mass=1.0)
    arm.tz(-2.0, mass=3.0)
    (body,) = mechanism(system).bodies
    assert body.mass == 4.0
    assert np.allclose(body.com, (0.0, 0.0, -1.75), rtol=0, atol=1e-15)
    # about the centre: 1 kg at 0.75 m and 3 kg at 0.25 m; the plane knows no other moment
    assert np.allclose(body.inertia, 0.75 * np.eye(3), rtol=0, atol=1e-15)


def test_a_plane_is_found_by_its_normal() -> None:
    assert np.allclose(mechanism(lift_of_bodies(2).system).normal, (0.0, 1.0, 0.0))
    system = bough.System("space")
    system.world.ry("a").rx("b").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    assert mechanism(system).normal is None


def test_loops_of_the_closed_chain() -> None:
    system = with_inertia(closed_chain(), 0.01)
    found = mechanism(system, dict(system.start.q))
    assert [(loop.kind, loop.bodies) for loop in found.loops] == [("point", (1, 6)), ("point", (3, 1))]
    assert max(np.abs(loop.points[0] - loop.points[1]).max() for loop in found.loops) < 1e-12


def test_with_inertia_leaves_the_original_and_other_bodies_alone() -> None:
    system = bough.System("two")
    system.world.ry("a").tz(-1.0, name="point", mass=1.0)
    system.world.ry("b").tz(-1.0, name="body", mass=1.0, inertia=(0.2, 0.2, 0.1))
    changed = with_inertia(system, 0.5)
    assert not system.frame("point").inertia.any()
    assert np.array_equal(changed.frame("point").inertia, 0.5 * np.eye(3))
    assert np.array_equal(changed.frame("body").inertia, np.diag((0.2, 0.2, 0.1)))


def test_a_point_mass_that_turns_is_refused() -> None:
    system = bough.System("point")
    system.world.ry("a", name="arm").tz(-1.0, mass=1.0)
    assert refusal(system) == (
        "model 'point' in the engine\n"
        "  found: the body of frame 'arm' is without mass, or without inertia about some axis\n"
        "  do: give it mass and inertia; bough.peers.with_inertia(system, 0.01) does so for point masses"
    )


def test_a_fork_without_mass_is_refused() -> None:
    system = bough.System("fork")
    fork = system.world.ry("a").tz(-1.0, name="fork")
    for name in "bc":
        fork.ry(name).tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    assert refusal(system) == (
        "model 'fork' in the engine\n"
        "  found: frame '#1' moves several bodies and has no mass itself\n"
        "  do: give it a mass"
    )


def test_elements_without_counterpart_are_refused() -> None:
    system = bough.System("geared")
    for name in "ab":
        system.world.ry(name).tz(-1.0, name=f"end {name}", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.LinearSpring("end a", "end b", stiffness=1.0, rest_length=0.5))
    assert refusal(system) == (
        "model 'geared' in the engine\n"
        "  found: LinearSpring, which has no counterpart there\n"
        "  do: compare another system, or leave this engine out"
    )


def test_a_pin_in_one_direction_is_refused() -> None:
    system = bough.System("rail")
    end = system.world.ry("a").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    end.ry("b").tz(-1.0, name="end", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(bough.PointConstraint("end", "world", axis=(1, 0, 0)))
    assert refusal(system) == (
        "model 'rail' in the engine\n"
        "  found: frames 'end' and 'world' held together in some directions only\n"
        "  do: compare another system, or leave this engine out"
    )


@pytest.mark.skipif(ode.installed_version() is None, reason=f"ODE {ode.MISSING}")
def test_a_joint_that_ode_does_not_have_is_refused() -> None:
    system = bough.System("planar")
    system.world.tx("x").tz("z").ry("turn").tx(0.1, mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(bough.ModelError) as caught:
        ode.OpenDynamicsEngine(system.build(), dt=0.01)
    assert str(caught.value) == (
        "model 'planar' in Open Dynamics Engine\n"
        "  found: x, z, turn make a joint that it does not have\n"
        "  do: compare another system, or leave this engine out"
    )


def test_without_the_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    system = bough.System("pendulum")
    system.world.ry("a").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    monkeypatch.setattr(ode, "installed_version", lambda: None)
    monkeypatch.setattr(mujoco, "mujoco", None)
    ode._load.cache_clear()
    with pytest.raises(bough.BoughError) as caught:
        ode.OpenDynamicsEngine(model, dt=0.01)
    assert str(caught.value) == (
        "Open Dynamics Engine\n"
        "  found: not installed (Debian package libode-dev, with pkg-config and a C++ compiler)\n"
        "  do: install it, or leave it out"
    )
    with pytest.raises(bough.BoughError) as caught:
        mujoco.MuJoCo(model, dt=0.01)
    assert str(caught.value) == (
        "MuJoCo\n  found: not installed (pip install 'bough[peers]')\n  do: install it, or leave it out"
    )
