"""Pictures of contacts: solids that touch, planes as far as bodies come, ground that is drawn once."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.view.scene import Scene
from bough.view.surfaces import corners

CORNERS = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.1, 0.1) for z in (-0.2, 0.2)]


def touching(**contact: object) -> bough.System:
    system = bough.System("body")
    system.world.tx("x").tz("z", name="body", mass=1.0, inertia=(0.01, 0.02, 0.03))
    system.add(bough.PlaneContact("body", **contact, name="floor"))  # type: ignore[arg-type]
    return system


def drawn(scene: Scene, role: str) -> list[object]:
    return [part.geometry for part in scene.rigid if part.role == role]


@pytest.mark.parametrize(
    ("contact", "kind", "size"),
    [
        ({"points": CORNERS}, "box", (0.6, 0.2, 0.4)),
        ({"points": [CORNERS[i] for i in (0, 3, 5, 6)]}, "mesh", (0.6, 0.2, 0.4)),
        ({"points": [(0, 0, -0.3), (0, 0, 0.3)], "radius": 0.1}, "capsule", (0.2, 0.2, 0.8)),
        ({"radius": 0.1}, "sphere", (0.2, 0.2, 0.2)),
    ],
)
def test_points_are_drawn_as_the_solid_that_they_are(
    contact: dict[str, object], kind: str, size: tuple[float, ...]
) -> None:
    """One solid of the right size, in place of dots and of the solid of the inertia."""
    scene = Scene(touching(**contact).build())
    (part,) = (part for part in scene.rigid if part.role == "shape")
    assert part.geometry.kind == kind  # type: ignore[union-attr]
    box = corners(part.geometry) @ part.pose[:3, :3].T
    assert np.abs(np.ptp(box, axis=0) - size).max() < 1e-12
    assert drawn(scene, "pin") == []
    assert drawn(scene, "mass") == []


def test_points_in_a_plane_are_dots() -> None:
    scene = Scene(touching(points=CORNERS[:4]).build())
    assert len(drawn(scene, "pin")) == 4
    assert len(drawn(scene, "mass")) == 1


@pytest.mark.parametrize("shape", [bough.Box((0.6, 0.2, 0.4)), bough.Cylinder(0.1, 0.4)])
def test_a_plane_goes_as_far_as_the_body(shape: bough.Box) -> None:
    """Both kinds of contacts; a body that stays near the origin has a plane around it."""
    system = bough.System("body")
    system.world.tx("x").tz("z", name="body", mass=1.0)
    system.add(bough.Contact("body", shape, name="floor"))
    model = system.build()
    for low, high in ((0.0, 5.0), (-0.05, 0.05)):
        rows = np.column_stack((np.linspace(low, high, 20), np.full(20, 0.3)))
        scene = Scene(model, rows)
        (part,) = (part for part in scene.rigid if part.role == "plane")
        reach = (corners(part.geometry) @ part.pose[:3, :3].T + part.pose[:3, 3])[:, 0]
        assert reach.min() < low - 0.1 * scene.size
        assert reach.max() > high + 0.1 * scene.size
        assert (part.pose[0, 3] == 0.0) == (high < 1.0)


def test_the_ground_of_a_strobe_is_drawn_once() -> None:
    """Eight half transparent planes above each other would hide what is below them."""
    run = bough.simulate(touching(points=CORNERS).build(), {"z": 0.5}, {"x": 1.0}, duration=0.2, dt=0.01)
    pictures = run.strobe(4).axes[0].collections
    faces = [len(picture.get_paths()) for picture in pictures[-4:]]
    assert faces[0] == faces[1] + 1
    assert faces[1:] == [faces[1]] * 3
