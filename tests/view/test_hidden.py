"""Rods inside shapes and other rods are not drawn; every other rod is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough.view._nodes import drawn_solids
from bough.view._solids import bar_between_ends
from bough.view.bodies import rod
from bough.view.hidden import inside, seen_rods
from bough.view.parts import Rigid

POSE = np.eye(4)
POSE[:3, :3] = Rotation.from_rotvec((0.4, -0.7, 0.2)).as_matrix()
POSE[:3, 3] = (0.3, -0.2, 0.5)


def placed(*ends: tuple[float, ...], radius: float = 0.02) -> tuple[Rigid, np.ndarray]:
    """A rod between two points of the tilted frame."""
    part = rod("rod/a", "rod", "a", np.array(ends[0]), np.array(ends[1]), radius)
    return part, POSE @ part.pose


def solids(geometry: bough.Geometry, opacity: float = 1.0) -> list:
    part = Rigid("shape/a", "shape", "a", np.eye(4), geometry, (0.5, 0.5, 0.5), opacity)
    return drawn_solids(part, POSE, 1.0)


# each with half its extent along z, so that a rod of 0.98 of it is inside and one of 1.02 is not
SHAPES = {
    "box": (bough.Box((0.2, 0.3, 0.8)), 0.4),
    "sphere": (bough.Sphere(0.5), 0.5),
    "ellipsoid": (bough.Ellipsoid((0.3, 0.2, 0.6)), 0.6),
    "cylinder": (bough.Cylinder(0.1, 0.8), 0.4),
    "capsule": (bough.Capsule(0.1, 0.6), 0.4),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_a_rod_is_hidden_exactly_if_its_shape_holds_it(kind: str) -> None:
    geometry, top = SHAPES[kind]
    inner = placed((0.0, 0.0, -0.98 * top), (0.0, 0.0, 0.98 * top), radius=0.001)
    outer = placed((0.0, 0.0, 0.0), (0.0, 0.0, 1.02 * top), radius=0.001)
    beside = placed((2.0, 0.0, 0.0), (2.0, 0.0, 0.1))
    assert seen_rods([inner, outer, beside], solids(geometry)) == [outer, beside]
    assert seen_rods([inner], solids(geometry, opacity=0.5)) == [inner]  # it is seen through the shape
    assert seen_rods([inner], []) == [inner]


def test_what_is_not_convex_hides_nothing() -> None:
    assert solids(bough.Plane((1.0, 1.0))) == []


def test_of_rods_in_one_another_the_longest_is_drawn() -> None:
    long, part = placed((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), placed((0.0, 0.0, 0.2), (0.0, 0.0, 1.0))
    back = placed((0.0, 0.0, 1.0), (0.0, 0.0, 0.4))
    thick = placed((0.0, 0.0, 0.2), (0.0, 0.0, 0.4), radius=0.03)
    across = placed((0.0, 0.0, 0.5), (0.0, 0.3, 0.5))
    aside = placed((0.0, 0.001, 0.2), (0.0, 0.001, 0.6))
    assert seen_rods([part, back, long, thick, across, aside], []) == [long, thick, across, aside]
    assert (
        len(seen_rods([long, placed((0.0, 0.0, 1.0), (0.0, 0.0, 0.0)), long], [])) == 1
    )  # of equal ones one stays


def test_points_inside_agree_with_the_distance_to_a_bar() -> None:
    random = np.random.default_rng(3)
    points = random.uniform(-0.2, 0.2, (2000, 3))
    found = inside(points, bar_between_ends(0.1, 0.2))
    across, along = np.hypot(points[:, 0], points[:, 1]), np.abs(points[:, 2])
    assert found[(across < 0.1 * np.cos(np.pi / 12)) & (along < 0.1)].all()
    assert not found[(across > 0.1) | (along > 0.1)].any()
    assert 0 < found.sum() < len(points)
