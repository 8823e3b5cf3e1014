"""Gravity on chosen masses."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough import Gravity, ModelError, System
from support.potential_checks import assert_potential
from support.random_trees import random_state, random_tree

DOWN = (1.0, -2.0, -9.0)


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_on_random_trees(seed: int) -> None:
    tree = random_tree(seed, 7, gravity=False)
    system = tree.system()
    heavy = [f"n{n}" for n, node in enumerate(tree.nodes) if node.mass]
    system.add(Gravity(DOWN, heavy[::2]))
    model = system.build()
    assert_potential(model, random_state(model.nq, seed)[0])


@pytest.mark.parametrize("seed", range(6))
def test_on_every_mass_it_is_the_gravity_of_the_system(seed: int) -> None:
    tree = random_tree(seed, 9)
    system = tree.system()
    built_in = system.build()
    assert tree.gravity is not None
    system.gravity = None
    system.add(Gravity(tree.gravity))
    model = system.build()
    q, v, _ = random_state(model.nq, seed)
    assert model.potential_energy(q) == pytest.approx(built_in.potential_energy(q), rel=1e-13, abs=1e-12)
    for quantity in ("L_dq", "L_dqdq", "acceleration"):
        ours, theirs = (np.asarray(getattr(m, quantity)(q, v)) for m in (model, built_in))
        np.testing.assert_allclose(
            ours, theirs, rtol=1e-9, atol=1e-11 * np.abs(theirs).max(), err_msg=quantity
        )


def test_a_motion_equals_that_under_the_gravity_of_the_system() -> None:
    def arm(gravity: tuple[float, float, float] | None) -> System:
        system = System("arm", gravity=gravity)
        elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0, com=(0.1, 0, 0))
        elbow.ry("forearm").tz(-1.0, name="tip", mass=0.5)
        return system

    system = arm(None)
    system.add(Gravity((0, 0, -9.81)))
    options = {"q": {"shoulder": 0.8, "forearm": 0.3}, "duration": 2.0}
    ours, theirs = (bough.simulate(s.build(), **options) for s in (system, arm((0, 0, -9.81))))
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0.0, atol=1e-10)


def test_each_mass_falls_in_its_own_gravity() -> None:
    system = System("two", gravity=None)
    a = system.world.tz("a", mass=2.0)
    b = system.world.tx("b", name="b", mass=3.0)
    system.world.tz("c", mass=1.0)
    system.add(Gravity((0, 0, -9.81), a))
    system.add(Gravity((1.62, 5.0, 0), [b]))
    assert system.build().acceleration({}, {}).tolist() == pytest.approx([-9.81, 1.62, 0.0], abs=1e-15)


def test_the_negative_takes_the_weight_away() -> None:
    system = System("two")
    system.world.tz("a", name="a", mass=2.0)
    system.world.tz("b", name="b", mass=3.0)
    system.add(Gravity((0, 0, 9.81), frames="b"))
    model = system.build()
    assert model.acceleration({}, {}).tolist() == pytest.approx([-9.81, 0.0], abs=1e-15)
    assert model.potential_energy({"b": 5.0}) == pytest.approx(0.0, abs=1e-14)


def test_masses_on_the_world_count_in_the_energy_alone() -> None:
    system = System("base", gravity=None)
    system.world.tz(2.0, name="base", mass=5.0)
    system.world.tx("x", mass=1.0)
    system.add(Gravity((0, 0, -10.0)))
    model = system.build()
    assert model.potential_energy({}) == 100.0
    assert not model.L_dq({}, {}).any()


def test_it_follows_a_mass_that_is_changed_later() -> None:
    system = System("changed", gravity=None)
    bob = system.world.tz("z", mass=1.0)
    system.add(Gravity((0, 0, -10.0), bob))
    bob.mass = 3.0
    assert system.build().potential_energy({"z": 1.0}) == 30.0


def test_description_and_text() -> None:
    system = System("two")
    a = system.world.tz("a", name="a", mass=2.0)
    system.add(Gravity((0, 0, 9.81), [a]))
    system.add(Gravity((1, 0, 0)))
    assert (
        System.from_dict(system.to_dict()).elements
        == system.elements
        == (
            Gravity((0.0, 0.0, 9.81), ("a",)),
            Gravity((1.0, 0.0, 0.0)),
        )
    )
    assert str(system).splitlines()[-2:] == ["Gravity  a  vector (0, 0, 9.81)", "Gravity  vector (1, 0, 0)"]


def test_bad_input() -> None:
    def system() -> System:
        system = System("arm")
        system.world.ry("shoulder").tz(-1.0, name="tip", mass=1.0)
        system.world.tx(1.0, name="anchor")
        return system

    def built(element: Gravity) -> None:
        arm = system()
        arm.add(element)
        arm.build()

    cases = {
        "frame 'tib' in field 'frames' of Gravity": (
            lambda: system().add(Gravity(DOWN, ["tip", "tib"])),
            "no frame has this name; the nearest is 'tip'",
            "correct the spelling",
        ),
        "frame 'tip' in field 'frames' of Gravity": (
            lambda: system().add(Gravity(DOWN, ["tip", "tip"])),
            "this frame is named twice",
            "name each frame once",
        ),
        "frame 'anchor' in Gravity 'g'": (
            lambda: built(Gravity(DOWN, ["tip", "anchor"], name="g")),
            "this frame has no mass of its own",
            "name the frame that was given the mass, or give this one a mass",
        ),
        "frames=() in Gravity": (
            lambda: Gravity(DOWN, ()),
            "no frame is chosen",
            "name one or more frames, or leave frames out to choose every frame with a mass",
        ),
        "frames=3 in Gravity": (
            lambda: Gravity(DOWN, 3),  # type: ignore[arg-type]
            "neither a frame nor a list of frames",
            "give frames, or their names as strings, in a list",
        ),
        "vector in Gravity": (
            lambda: Gravity((0, -9.81)),  # type: ignore[arg-type]
            "vector has shape (2,)",
            "give vector as 3 numbers, such as (0, 0, -9.81)",
        ),
    }
    for asked, (make, found, do) in cases.items():
        with pytest.raises(ModelError) as caught:
            make()
        assert str(caught.value) == f"{asked}\n  found: {found}\n  do: {do}"
