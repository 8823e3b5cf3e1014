"""Shapes hide what lies inside them, and leave the rest of the automatic picture."""

from __future__ import annotations

import numpy as np

import bough
from bough.view import Scene


def named(scene: Scene) -> dict[str, str]:
    return {part.name: part.role for part in (*scene.rigid, *scene.links)}


def at(x: float, y: float, z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def test_a_shape_hides_only_what_is_inside_it() -> None:
    """A ball at the hub of an arm, and a floor of the world, leave rods, masses and joints as they are."""
    system = bough.System("arm")
    hub = system.world.tz(0.5, name="post").ry("a", name="hub")
    elbow = hub.tx(0.6, name="elbow", mass=0.5)
    elbow.ry("b").tx(0.5, name="tip", mass=1.0)
    plain = set(named(Scene(system.build())))
    system.shape(hub, bough.Sphere(0.06))
    system.shape("world", bough.Box((4.0, 4.0, 0.1)), pose=at(0.0, 0.0, -0.5))
    shaped = set(named(Scene(system.build())))
    assert plain - shaped == {"joint/hub"}
    assert shaped - plain == {"shape/hub 0", "shape/world 1"}
    system.shape(hub, bough.Box((0.6, 0.1, 0.1)), pose=at(0.3, 0.0, 0.0))  # along the arm
    assert plain - set(named(Scene(system.build()))) == {"joint/hub", "rod/elbow", "mass/elbow", "joint/#4"}


def test_a_solid_that_touches_is_hidden_by_a_shape_of_its_size_alone() -> None:
    for shape, seen in ((bough.Sphere(0.02), 1), (bough.Box((0.5, 0.2, 0.3)), 0)):
        system = bough.System("body")
        system.world.tx("x").tz("z", name="body", mass=1.0)
        system.shape("body", shape)
        system.add(bough.Contact("body", bough.Box((0.6, 0.2, 0.4)), name="floor"))
        solids = [part for part in Scene(system.build()).rigid if part.name.startswith("shape/floor")]
        assert len(solids) == seen


def test_a_frame_of_which_nothing_is_drawn_can_be_followed() -> None:
    system = bough.System("slider")
    system.world.tx("x", name="body").tz(0.1, name="weight", mass=1.0)
    system.shape("weight", bough.Box((0.2, 0.2, 0.3)))
    scene = Scene(system.build())
    assert "body" not in {part.frame for part in scene.rigid}
    held = scene.points([[0.0], [5.0]], None, ("body", np.zeros(3)))
    np.testing.assert_allclose(held.max(axis=0), (0.1, 0.1, 0.25), atol=1e-12)
