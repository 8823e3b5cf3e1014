"""Ground by heights: what is refused, and how it is drawn, saved and printed."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.view import Scene
from support.scenes import rough


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: bough.Heightfield([0.0, 1.0, 1.0], [0.0, 1.0], np.zeros((3, 2))), "1 followed by 1"),
        (lambda: bough.Heightfield([0.0, 1.0], [0.0, 1.0], np.zeros((3, 2))), "shape (3, 2)"),
        (lambda: bough.Heightfield([0.0], [0.0, 1.0], np.zeros((1, 2))), "(1,)"),
        (lambda: bough.Heightfield([0.0, 1.0], [0.0, 1.0], [[0.0, np.nan], [0.0, 0.0]]), "nan"),
    ],
)
def test_bad_heights(make, found):
    with pytest.raises(bough.ModelError) as error:
        make()
    assert found in str(error.value)


@pytest.mark.parametrize("shape", [bough.Cylinder(0.1, 0.2), bough.Ellipsoid((0.1, 0.1, 0.2)), bough.Plane()])
def test_shapes_that_do_not_touch_heights(shape):
    system = bough.System("bad")
    system.world.tz("z", name="body", mass=1.0)
    field = bough.Heightfield([0.0, 1.0], [0.0, 1.0], np.zeros((2, 2)))
    with pytest.raises(bough.ModelError) as error:
        system.add(bough.Contact("body", shape, against=field))
    refused = "'plane', a shape that only the other body may have"
    known = f"{shape.kind!r} against 'heightfield', shapes whose contact is not known"
    assert error.value.found == (refused if isinstance(shape, bough.Plane) else known)
    with pytest.raises(bough.ModelError, match="'heightfield', a shape that only the other body may have"):
        system.add(bough.Contact("body", field))


def test_ground_is_drawn_and_kept(tmp_path):
    field = rough(4, 6)
    system = bough.System("drawn")
    system.world.tz("z", name="body", mass=1.0)
    system.add(bough.Contact("body", bough.Point((0.0, 0.0, -0.1)), against=field, name="ground"))
    scene = Scene(system.build())
    (part,) = (part for part in scene.rigid if part.geometry.kind == "heightfield")
    assert part.geometry == field
    corners, triangles = field.triangles()
    area = np.cross(
        corners[triangles[:, 1]] - corners[triangles[:, 0]],
        corners[triangles[:, 2]] - corners[triangles[:, 0]],
    )
    assert (area[:, 2] > 0.0).all()
    assert 0.5 * area[:, 2].sum() == pytest.approx(2.4**2)
    bough.save(system, tmp_path / "ground.sexp")
    assert bough.load(tmp_path / "ground.sexp").to_dict() == system.to_dict()
    assert bough.System.from_dict(system.to_dict()).build() == system.build()


def test_a_model_prints_the_size_of_its_ground():
    grid = np.linspace(-1.0, 1.0, 41)
    system = bough.System("ground")
    system.world.floating("place", name="body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add(
        bough.Contact("body", bough.Sphere(0.1), against=bough.Heightfield(grid, grid, np.zeros((41, 41))))
    )
    line = str(system.build()).splitlines()[-1]
    assert "z: (41 x 41 numbers from 0 to 0)" in line
    assert "pose" not in line  # of shapes in the middle of their frames


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"against": "world", "against_at": (0, 0, 0.1)},
            "a plane as `against`; against_at is the place of a shape",
        ),
        (
            {"against": ("world", bough.Box((1, 1, 1))), "normal": (0, 0, 1)},
            "a shape as `against`; normal and origin are those of a plane",
        ),
        (
            {"against": ("world", bough.Box((1, 1, 1))), "origin": (0, 0, 1)},
            "a shape as `against`; normal and origin are those of a plane",
        ),
    ],
)
def test_a_place_belongs_to_what_is_there(given, message):
    with pytest.raises(bough.ModelError, match=message):
        bough.Contact("body", bough.Sphere(0.1), **given)
