"""A scene on viser: what is shown is where the model says, for every system of the gallery."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import viser
from scipy.spatial.transform import Rotation

import bough
from bough import gallery
from bough.view import _solids
from bough.view._nodes import onto
from bough.view._page import LOCALHOST, quiet_server, quietly
from bough.view._sampling import sampled
from bough.view._stage import Stage, links
from bough.view.scene import Scene


@pytest.fixture
def server() -> Iterator[viser.ViserServer]:
    made = quiet_server(LOCALHOST, 0)
    yield made
    with quietly():
        made.stop()


@pytest.mark.parametrize("name", gallery.names())
def test_every_gallery_system_is_shown_where_it_is(name: str, server: viser.ViserServer) -> None:
    model = gallery.system(name).build()
    q = model.assemble().q
    stage = Stage(server, model, q[None])
    moved = model.integrate(q, np.random.default_rng(1).normal(scale=0.2, size=model.nv))
    u = np.ones(model.nu)
    stage.show(moved, u)
    stage.show_axes(True)
    stage.show_names(True)
    for frame in stage.scene.frames:
        expected = model.pose(frame, moved)
        np.testing.assert_allclose(stage.shown(frame), expected, atol=1e-4 * (1.0 + np.abs(expected).max()))
    ends = stage.scene.ends(stage.scene.poses(moved), u)
    for i, node in stage._bars:
        if stage.scene.links[i].style not in ("arrow", "beam") and node.handle.visible:
            start, end = ends[i]
            turn = Rotation.from_quat(np.roll(node.handle.wxyz, -1)).as_matrix()
            reached = node.handle.position + turn @ (0.0, 0.0, node.handle.scale[2])
            np.testing.assert_allclose(reached, end, atol=1e-4 * (1.0 + np.abs(end).max()))
            np.testing.assert_allclose(node.handle.position, start, atol=1e-4 * (1.0 + np.abs(start).max()))


def test_every_style_is_drawn(server: viser.ViserServer) -> None:
    system = bough.System("all")
    cart = system.world.tx("x", name="cart", mass=1.0)
    cart.ry("angle").tz(-1.0, name="bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.world.tx(2.0, name="wall")
    system.add(bough.LinearSpring("cart", "wall", stiffness=1.0, rest_length=1.0))
    system.add(bough.LinearDamper("cart", "wall", coefficient=1.0))
    system.add(bough.DistanceConstraint("bob", "wall", length=2.0))
    system.add(bough.BodyWrench("bob", fx="push", ty="twist"))
    system.add(bough.BeamElement("wall", "bob", length=2.0, axial=1.0, bending=1.0))
    model = system.build()
    stage = Stage(server, model, np.zeros((1, 2)))
    assert {part.style for part in stage.scene.links} >= {"spring", "damper", "string", "arrow", "beam"}
    pushed = next(node for i, node in stage._bars if stage.scene.links[i].style == "arrow")
    stage.show(np.zeros(2), np.zeros(2))
    assert not pushed.handle.visible
    stage.show(np.zeros(2))
    assert pushed.handle.visible
    bent = next(node for i, node in stage._bars if stage.scene.links[i].style == "beam")
    wall, bob = (model.pose(frame, np.zeros(2))[:3, 3] for frame in ("wall", "bob"))
    np.testing.assert_allclose(bent.handle.points[0, 0], wall, atol=1e-6)
    np.testing.assert_allclose(bent.handle.points[-1, 1], bob, atol=1e-6)


def test_a_string_is_pale_where_it_is_slack_and_red_where_it_is_torn(server: viser.ViserServer) -> None:
    system = bough.System("string")
    system.world.tz("z", name="bob", mass=1.0)
    system.add(bough.DistanceConstraint("bob", "world", length=1.0))
    stage = Stage(server, system.build(), np.array([[-1.0]]))
    string = next(node for i, node in stage._bars if stage.scene.links[i].role == "string")
    tight = string.handle.color
    stage.show(np.array([-0.5]))
    assert min(string.handle.color) > max(tight)
    stage.show(np.array([-1.5]))
    assert string.handle.color == (214, 0, 0)
    stage.show(np.array([-1.0001]))
    assert string.handle.color == tight


def test_frames_of_one_link_move_together() -> None:
    system = bough.System("links")
    arm = system.world.ry("a", name="arm")
    arm.tx(1.0, name="hand", mass=1.0)
    arm.tx(0.5).rz("b").tz(0.3, name="wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    scene = Scene(system.build(), frames=True)
    link = dict(zip(scene.frames, links(scene).tolist(), strict=True))
    assert link["arm"] == link["hand"]
    assert len({link["world"], link["arm"], link["wheel"]}) == 3


def test_rods_of_one_link_are_one_node(server: viser.ViserServer) -> None:
    """Where the scene has them: each rod reaches, from end to end, as far as its cylinder."""
    model = gallery.marionette().build()
    q = model.assemble().q
    stage = Stage(server, model, q[None])
    rods = [part for part in stage.scene.rigid if part.role == "rod"]
    seen = [part for part in rods if part.name in stage.node]
    nodes = {stage.node[part.name] for part in seen}
    assert (len(rods), len(seen), len(nodes)) == (13, 8, 1)
    for part in seen:
        handle = stage.solids[part.name]
        place = stage.shown(part.frame) @ part.pose
        link = np.linalg.inv(
            stage.shown(stage.scene.frames[links(stage.scene)[stage.scene.place[part.frame]]])
        )
        assert isinstance(part.geometry, bough.Cylinder)
        for side in (-0.5, 0.5):
            end = (link @ place @ (0.0, 0.0, side * part.geometry.length, 1.0))[:3]
            near = np.abs(np.linalg.norm(handle.vertices - end, axis=1) - part.geometry.radius)
            assert np.sort(near)[:12].max() < 1e-6  # a circle around each end


def test_a_rod_is_closed_and_looks_outwards() -> None:
    vertices, faces = _solids.bar_between_ends(0.1, 2.0)
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert np.isclose(volume, 2.0 * 0.5 * 12 * np.sin(np.pi / 6) * 0.1**2)  # a prism of twelve sides
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), (a + b + c) / 3.0)
    assert (outward > 0.0).all()


def test_rounding_is_as_fine_as_it_says(server: viser.ViserServer) -> None:
    model = gallery.system("closed_chain").build()
    q = model.assemble().q
    stage = Stage(server, model, q[None], fine=2e-5)
    for frame in stage.scene.frames:
        np.testing.assert_allclose(stage.shown(frame), model.pose(frame, q), atol=1e-4 * stage.scene.size)


def test_the_least_turn_from_z() -> None:
    directions = np.random.default_rng(0).normal(size=(50, 3))
    directions = np.vstack([directions, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1e-9, 0.0, -1.0)])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    turned = Rotation.from_quat(np.roll(onto(directions), -1, axis=1)).apply((0.0, 0.0, 1.0))
    np.testing.assert_allclose(turned[:-1], directions[:-1], atol=1e-12)
    np.testing.assert_allclose(turned[-1], directions[-1], atol=2e-6)  # so near to -z it is taken for it


@pytest.mark.parametrize("solid", [_solids.rod, _solids.string, _solids.coil, _solids.damper, _solids.dashes])
def test_solids_have_unit_length_and_their_radius(solid: object) -> None:
    vertices, faces = solid(0.2)  # type: ignore[operator]
    assert vertices[:, 2].min() == pytest.approx(0.0, abs=0.011)
    assert vertices[:, 2].max() <= 1.011
    assert np.hypot(vertices[:, 0], vertices[:, 1]).max() == pytest.approx(0.2, rel=0.17)
    assert faces.min() == 0
    assert faces.max() == len(vertices) - 1


def test_rows_nearest_to_equal_times() -> None:
    t = np.array([0.0, 0.1, 0.2, 0.9, 1.0])
    assert sampled(t, 5).tolist() == [0, 2, 3, 4]
    assert sampled(t[:1], 2).tolist() == [0]
    assert sampled(t, 2).tolist() == [0, 4]
