"""Pictures of contacts: solids that touch, planes as far as bodies come, ground that is drawn once."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

import bough
from bough.view.colors import COLORS
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
        half = corners(shape)[:, 0].max()
        assert reach.min() < low - half - 0.1 * scene.size
        assert reach.max() > high + half + 0.1 * scene.size
        assert (part.pose[0, 3] == 0.0) == (high < 1.0)


def edge_of_floor(axes: Axes) -> tuple[float, ...]:
    """Colour of the line of a plane that is seen from its side, the only part of the first picture."""
    (path,) = axes.collections[0].get_paths()
    assert np.abs(path.vertices[:, 1]).max() < 1e-12
    return tuple(axes.collections[0].get_edgecolor()[0])


def test_the_ground_of_a_strobe_is_drawn_once_in_full_colour() -> None:
    """The first instants are pale, the floor is not; eight half transparent ones would hide what is below them."""
    run = bough.simulate(touching(points=CORNERS).build(), {"z": 0.5}, {"x": 1.0}, duration=0.2, dt=0.01)
    for count in (1, 4):
        axes = run.strobe(count).axes[0]
        assert [len(picture.get_paths()) for picture in axes.collections] == [1] * (count + 1)
        *color, opacity = edge_of_floor(axes)
        np.testing.assert_allclose(color, 0.8 * np.array(COLORS["plane"]), atol=1e-12)
        assert opacity == 1.0


def test_planes_of_an_unknown_motion_are_wide_and_do_not_move_the_camera() -> None:
    """A live view knows the start only."""
    model = touching(points=CORNERS).build()
    start = np.array([[0.0, 0.3]])
    near, wide = (Scene(model, start, wide=wide) for wide in (False, True))
    edges = [max(next(p for p in scene.rigid if p.role == "plane").geometry.size) for scene in (near, wide)]
    assert edges[1] > 8.0 * wide.size > 4.0 * edges[0]
    low, high = wide.bounds(start)
    assert np.abs([low[0], high[0]]).max() < 0.31  # no farther than the box
    assert low[2] == 0.0  # down to the floor


def test_a_floor_below_several_feet_is_one_plane() -> None:
    """Planes in one another add up to darker patches; those of other heights and frames stay what they are."""
    system = bough.System("table")
    top = system.world.floating("place", name="top", mass=1.0, inertia=(0.1, 0.1, 0.1))
    for i, x in enumerate((-2.0, 0.5)):
        leg = top.tx(x, name=f"leg {i}")
        system.add(bough.Contact(leg, bough.Sphere(0.1), friction=0.5, name=f"foot {i}"))
    system.add(bough.Contact(top, bough.Cylinder(0.3, 0.1), friction=0.5, name="board"))
    model = system.build()
    q = model.configuration({"place_tz": 1.0})
    (part,) = (part for part in Scene(model, q[None]).rigid if part.role == "plane")
    reach = (corners(part.geometry) @ part.pose[:3, :3].T + part.pose[:3, 3])[:, 0]
    assert reach.min() < -2.1
    assert reach.max() > 0.6
    system.add(bough.Contact(top, bough.Sphere(0.2), origin=(0.0, 0.0, -1.0), name="cellar"))
    assert sum(part.role == "plane" for part in Scene(system.build(), q[None]).rigid) == 2
