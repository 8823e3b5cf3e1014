"""Gears, cams, drums and screws have the sizes that their relations say, and touch where they should."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough
from bough import gallery
from bough.view import Rigid, Scene
from bough.view.machines import gear_outline, teeth
from bough.view.parts import Prism, Thread
from bough.view.surfaces import corners, surface


def parts(scene: Scene) -> dict[str, Rigid]:
    return {part.name: part for part in scene.rigid if part.role == "gear"}


def outline(scene: Scene, part: Rigid, q: np.ndarray) -> np.ndarray:
    """The outline of a plate in the world, (n, 3)."""
    assert isinstance(part.geometry, Prism)
    pose = scene.model.pose(part.frame, q) @ part.pose
    flat = np.array(part.geometry.outline)
    return np.column_stack((flat, np.zeros(len(flat)))) @ pose[:3, :3].T + pose[:3, 3]


def test_gears_have_the_radii_of_their_teeth() -> None:
    """Module 2 mm: radii of 20, 60, 15, 45 teeth are 20, 60, 15, 45 mm."""
    scene = Scene(gallery.gear_train().build())
    found = parts(scene)
    radii = {
        "gear/first pair first shaft": 0.020,
        "gear/first pair second shaft": 0.060,
        "gear/second pair second shaft": 0.015,
        "gear/second pair third shaft": 0.045,
    }
    for name, radius in radii.items():
        reach = np.linalg.norm(found[name].geometry.outline, axis=1)  # type: ignore[union-attr]
        assert reach.min() < radius < reach.max()
        assert reach.max() < 1.15 * radius
    drum = np.linalg.norm(found["gear/rope third shaft"].geometry.outline, axis=1)  # type: ignore[union-attr]
    np.testing.assert_allclose(drum, 0.05)
    assert any(link.name == "rope/rope" for link in scene.links)


@pytest.mark.parametrize("turn", [0.0, 0.05, 0.13, 1.0])
@pytest.mark.parametrize("offset", [0.0, 0.4])
def test_teeth_go_into_gaps(turn: float, offset: float) -> None:
    """No corner of a gear lies within the other one, however they turn, as long as the relation holds."""
    system = bough.System("gears")
    system.world.ry("small", name="small", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.world.tx(0.3).tz(0.4).ry("large", name="large", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add(bough.GearConstraint({"small": 20, "large": 30}, offset=offset, name="mesh"))
    model = system.build()
    q = np.array([turn, (offset - 20 * turn) / 30])
    np.testing.assert_allclose(model.constraint(q), 0.0, atol=1e-12)
    scene = Scene(model)
    small, large = (
        outline(scene, parts(scene)[f"gear/mesh {name}"], q)[:, [0, 2]] for name in ("small", "large")
    )
    assert not inside(small, large).any()
    assert not inside(large, small).any()
    wrong = outline(scene, parts(scene)["gear/mesh small"], q + np.array([math.pi / 20, 0.0]))[:, [0, 2]]
    assert inside(wrong, large).any()  # half a tooth off they would collide


def inside(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Which points lie in a polygon: those around which it winds."""
    rays = polygon[None] - points[:, None]
    angles = np.arctan2(rays[..., 1], rays[..., 0])
    steps = (np.diff(angles, axis=1, append=angles[:, :1]) + np.pi) % (2 * np.pi) - np.pi
    return np.abs(steps.sum(axis=1)) > np.pi


def test_numbers_of_teeth() -> None:
    assert teeth(20, 60) == (20, 60)
    assert teeth(1.0, 3.0) == (12, 36)
    assert teeth(2.5, 1.0) == (30, 12)
    p, q = teeth(1.0, math.pi)
    assert p / q == pytest.approx(1 / math.pi, rel=0.01)
    points = np.array(gear_outline(0.1, 12, 0.0))
    assert len(points) == 12 * 10
    assert shoelace(points) == pytest.approx(math.pi * 0.01, rel=0.05)


def shoelace(points: np.ndarray) -> float:
    x, y = points.T
    return float(0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, 4.0])
def test_the_follower_rides_on_the_cam(angle: float) -> None:
    """Wherever the cam is, the end of the follower's stem lies on its outline."""
    system = gallery.cam_follower()
    model = system.build()
    profile = next(e for e in model._elements if e.name == "profile").profile  # type: ignore[attr-defined]
    q = model.configuration({"cam": angle, "follower": float(profile(angle))})
    np.testing.assert_allclose(model.constraint(q), 0.0, atol=1e-12)
    scene = Scene(model)
    cam = outline(scene, parts(scene)["gear/profile cam"], q)[:, [0, 2]]
    (stem,) = [part for part in scene.rigid if part.name == "rod/profile"]
    world = model.pose(stem.frame, q) @ stem.pose
    tip = world[:3, 3] - 0.5 * stem.geometry.length * world[:3, 2]  # type: ignore[union-attr]
    assert tip[0] == pytest.approx(0.0, abs=1e-12)
    polar = np.hypot(*cam.T)[np.argsort(np.arctan2(cam[:, 0], cam[:, 1]))]
    sorted_angles = np.sort(np.arctan2(cam[:, 0], cam[:, 1]))
    assert tip[2] == pytest.approx(np.interp(0.0, sorted_angles, polar), rel=2e-3)


def test_a_screw_has_its_lead_and_a_nut() -> None:
    scene = Scene(gallery.screw_jack(lead=0.01).build())
    thread = parts(scene)["gear/thread"].geometry
    assert isinstance(thread, Thread)
    assert thread.lead == pytest.approx(-0.01)  # the nut slides up where the screw turns to the left
    assert parts(scene)["gear/thread"].frame == "screw"
    assert parts(scene)["gear/nut of thread"].frame == "load"
    system = bough.System("helical joint")
    system.world.cylindrical("turn", "advance", name="nut", mass=1.0, inertia=(1, 1, 1))
    system.add(bough.ScrewConstraint("turn", "advance", pitch=0.01, name="thread"))
    fixed = parts(Scene(system.build()))["gear/thread"]
    assert fixed.frame == "world"
    assert fixed.geometry.lead == pytest.approx(0.02 * math.pi)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "geometry",
    [
        Prism(gear_outline(0.2, 14, 0.3), 0.1),
        Prism(gear_outline(0.2, 60, 0.3), 0.1),
        Thread(0.1, 0.6, 0.1),
        Thread(0.1, 0.6, -0.1),
    ],
)
def test_surfaces_are_closed_and_face_outwards(geometry: Prism | Thread) -> None:
    vertices, faces = surface(geometry)
    edges = np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)])
    there, back = ({tuple(edge) for edge in edges[:, order].tolist()} for order in ([0, 1], [1, 0]))
    assert len(there) == len(edges)  # each edge once in each direction
    assert there == back
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    if isinstance(geometry, Prism):
        assert volume == pytest.approx(shoelace(np.array(geometry.outline)) * geometry.thickness)
    else:
        assert 0.6 < volume / (math.pi * geometry.radius**2 * geometry.length) < 1.0
    low, high = corners(geometry).min(axis=0), corners(geometry).max(axis=0)
    assert (vertices >= low - 1e-12).all()
    assert (vertices <= high + 1e-12).all()


def test_a_thread_winds_as_its_lead_says() -> None:
    """Turned by an angle and moved by its part of the lead, a thread is the same surface."""
    vertices, _ = surface(Thread(0.1, 0.8, 0.1))
    other, _ = surface(Thread(0.1, 0.8, -0.1))
    for points, sign in ((vertices, 1.0), (other, -1.0)):
        inner = points[np.abs(points[:, 2]) < 0.25]
        quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
        moved = inner @ quarter.T + (0.0, 0.0, sign * 0.025)
        gap = np.linalg.norm(moved[:, None] - points, axis=-1).min(axis=1)
        assert gap.max() < 1e-9


# --- sizes ---


def test_a_pole_is_as_long_as_its_inertia_says() -> None:
    """The moment of inertia of a uniform rod of 1 m about its middle is m / 12."""
    system = bough.System("pole")
    cart = system.world.tx("cart", name="cart", mass=1.0)
    cart.ry("angle").tz(0.5, name="pole", mass=0.1, inertia=(0.1 / 12, 0.1 / 12, 0.0))
    scene = Scene(system.build())
    (pole,) = [part for part in scene.rigid if part.name == "mass/pole"]
    assert pole.geometry.length == pytest.approx(1.0, rel=1e-3)  # type: ignore[union-attr]
    assert not any(part.name == "rod/pole" for part in scene.rigid)  # the pole itself reaches to the cart


@pytest.mark.parametrize("segments", [10, 40])
@pytest.mark.parametrize("name", ["cable", "elastic_cable", "hanging_cable"])
def test_most_of_a_cable_is_seen_between_its_joints(name: str, segments: int) -> None:
    model = getattr(gallery, name)(segments).build()
    scene = Scene(model)
    length = {"cable": 2.0, "elastic_cable": 1.0, "hanging_cable": 2.0}[name] / segments
    thickest = max(
        part.geometry.radius  # type: ignore[union-attr]
        for part in scene.rigid
        if part.geometry.kind == "sphere" or part.role == "joint"  # type: ignore[union-attr]
        if part.role in ("mass", "joint")
    )
    rod = 0.0071 * scene.size
    assert 2.0 * thickest <= max(0.4 * length, 2.4 * rod)
