"""The plane of motion, cameras, grids, projections."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough
from bough.view import Camera, Scene
from bough.view.camera import grid, round_number
from bough.view.projection import Projection
from support.mechanisms import closed_chain
from support.random_systems import random_system


def tilted(turn: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
    return pose


PLANES = {
    "pendulum": (lambda w: w.ry("a").tz(-1.0, mass=1.0), (0, -1, 0)),
    "backwards": (lambda w: w.revolute("a", (0, -1, 0)).tz(-1.0, mass=1.0), (0, -1, 0)),
    "about x": (lambda w: w.rx("a").tz(-1.0, mass=1.0), (1, 0, 0)),
    "door": (lambda w: w.rz("a").tx(1.0, mass=1.0), (0, 0, 1)),
    "cart and pole": (lambda w: w.tx("x", mass=1.0).ry("a").tz(1.0, mass=1.0), (0, -1, 0)),
    "puck": (lambda w: w.planar("p", mass=1.0, inertia=(1, 1, 1.0)), (0, 0, 1)),
    "along x": (lambda w: w.tx("x", mass=1.0), (0, -1, 0)),
    "along y": (lambda w: w.ty("y", mass=1.0), (1, 0, 0)),
    "along z": (lambda w: w.tz("z", mass=1.0), (0, -1, 0)),
    "in x and z": (lambda w: w.tx("x").tz("z", mass=1.0), (0, -1, 0)),
    "turned by a third": (
        lambda w: w.fixed(tilted(math.pi / 3)).ry("a").tz(-1.0, mass=1.0),
        (math.sin(math.pi / 3), -math.cos(math.pi / 3), 0),
    ),
    "in a tube": (lambda w: w.rz("a").tz("h", mass=1.0).tx(1.0, mass=1.0), None),
    "screw": (lambda w: w.helical("a", pitch=0.1).tx(1.0, mass=1.0), None),
    "two axes": (lambda w: w.ry("a").rx("b").tz(-1.0, mass=1.0), None),
    "point in space": (lambda w: w.tx("x").ty("y").tz("z", mass=1.0), None),
    "free": (lambda w: w.free("f", mass=1.0, inertia=(1, 1, 1.0)), None),
}


@pytest.mark.parametrize("name", PLANES)
def test_plane_of_motion(name: str):
    make, expected = PLANES[name]
    system = bough.System(name)
    make(system.world)
    plane = Scene(system.build()).plane
    if expected is None:
        assert plane is None
    else:
        np.testing.assert_allclose(plane, expected, atol=1e-12)


def test_frames_of_a_planar_system_may_lie_in_several_planes():
    system = bough.System("side by side")
    for k in range(3):
        system.world.ty(0.1 * k).ry(f"a{k}").tz(-1.0, mass=1.0)
    np.testing.assert_allclose(Scene(system.build()).plane, (0, -1, 0), atol=1e-12)


def test_a_planar_system_is_seen_face_on_with_x_to_the_right():
    model = closed_chain()
    camera = Scene(model).camera(np.zeros(model.nq))
    towards = camera.position - camera.target
    np.testing.assert_allclose(towards / np.linalg.norm(towards), (0, -1, 0), atol=1e-12)
    np.testing.assert_allclose(np.cross(camera.up, towards) / np.linalg.norm(towards), (1, 0, 0), atol=1e-12)


def in_view(camera: Camera, points: np.ndarray, aspect: float) -> np.ndarray:
    """Places of points in the picture of a pinhole camera, from -1 to 1 where they are seen."""
    ahead = (camera.target - camera.position) / np.linalg.norm(camera.target - camera.position)
    right = np.cross(ahead, camera.up)
    np.testing.assert_allclose(np.linalg.norm(right), 1.0)  # up is across the line of sight
    relative = points - camera.position
    depth = relative @ ahead
    assert (depth > 0.0).all()
    half = math.tan(camera.fov / 2.0)
    return (
        np.stack((relative @ right / (aspect * half), relative @ camera.up / half), axis=-1) / depth[:, None]
    )


@pytest.mark.parametrize("aspect", [16 / 9, 0.6])
@pytest.mark.parametrize("seed", range(6))
def test_the_camera_sees_the_whole_motion(seed: int, aspect: float):
    model = random_system(seed, 5).model
    scene = Scene(model)
    q = np.random.default_rng(seed).normal(size=(40, model.nq))
    camera = scene.camera(q, aspect=aspect)
    origins = np.concatenate([model.pose(frame, q)[:, :3, 3] for frame in scene.frames[1:]])
    seen = np.abs(in_view(camera, np.concatenate((origins, scene.points(q))), aspect))
    assert seen.max() < 1.0
    assert seen.max() > 0.85  # and is no further away than it needs to be


def test_the_camera_sees_arrows_of_forces():
    system = bough.System("pushed")
    system.world.ry("a").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.HybridWrench("bob", fx="push", ty="turn"))
    scene = Scene(system.build(), u=[[10.0, 3.0]])
    q, u = np.zeros((1, 1)), np.array([[10.0, 3.0]])
    tip = scene.ends(scene.poses(q), u)[0, 0, 1]
    assert tip[0] == pytest.approx(0.35 * scene.size)
    assert np.abs(in_view(scene.camera(q, u), tip[None], 16 / 9)).max() < 1.0


def test_one_point_has_a_camera_too():
    system = bough.System("point")
    system.world.tx("x").ty("y").tz("z", mass=1.0)
    camera = Scene(system.build()).camera(np.zeros(3))
    assert np.linalg.norm(camera.position - camera.target) > 0.0


def test_bounds():
    system = bough.System("pendulum")
    system.world.ry("a").tz(-1.0, name="bob", mass=1.0)
    system.shape("bob", bough.Sphere(0.2))
    low, high = Scene(system.build()).bounds([[0.0], [math.pi / 2]])
    np.testing.assert_allclose(low, (-1.2, -0.2, -1.2), atol=1e-12)
    assert high[2] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("value", "expected"), [(1.0, 1.0), (1.9, 1.0), (2.0, 2.0), (7.0, 5.0), (0.03, 0.02)]
)
def test_round_numbers(value: float, expected: float):
    assert round_number(value) == pytest.approx(expected)


def test_a_grid_reaches_under_everything():
    points = np.random.default_rng(0).normal((3.0, -2.0, 5.0), size=(50, 3))
    found = grid(points, None, 1.0)
    assert found.origin[2] == pytest.approx(points[:, 2].min())
    assert (np.abs(points[:, :2] - found.origin[:2]) <= found.size / 2.0).all()
    np.testing.assert_allclose(found.origin[:2] / found.spacing, np.round(found.origin[:2] / found.spacing))
    assert (found.size / found.spacing) % 2.0 == pytest.approx(0.0, abs=1e-9)


def test_perspective_is_that_of_a_pinhole():
    random = np.random.default_rng(1)
    scene = Scene(random_system(3, 5).model)
    camera = scene.camera(np.zeros(scene.model.nq), aspect=4 / 3)
    projection = Projection(None, camera)
    points = random.normal(size=(20, 3)) * 0.3 * scene.size + camera.target
    places, near = projection(points)
    expected = in_view(camera, points, 4 / 3) * (4 / 3 * projection.half, projection.half)
    np.testing.assert_allclose(places, expected, atol=1e-9 * scene.size)
    towards = (camera.position - camera.target) / projection.distance
    np.testing.assert_allclose(near, (points - camera.target) @ towards, atol=1e-9 * scene.size)
