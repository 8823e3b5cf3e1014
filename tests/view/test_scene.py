"""What a scene consists of, and where its things are."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import bough
from bough import gallery
from bough.view import Axes, Scene, draw
from bough.view.bodies import BALL
from bough.view.elements import TABLE
from elements.test_all_derivatives import ELEMENTS, KINDS
from elements.test_all_derivatives import model as with_element
from support.mechanisms import closed_chain
from support.random_systems import random_system
from support.robot_files import MODELS, ROBOTS, mjcf_file, quietly, urdf_file


def double_pendulum() -> bough.System:
    system = bough.System("double-pendulum")
    elbow = system.world.ry("shoulder").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("forearm").tz(-1.0, name="tip", mass=1.0)
    return system


def at(x: float, y: float, z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def named(scene: Scene) -> dict[str, str]:
    return {part.name: part.role for part in (*scene.rigid, *scene.links)}


# --- the automatic picture ---


def test_a_pendulum_is_rods_joints_and_balls():
    scene = Scene(double_pendulum().build())
    assert named(scene) == {
        "rod/elbow": "rod",
        "rod/tip": "rod",
        "joint/#1": "joint",
        "joint/#3": "joint",
        "mass/elbow": "mass",
        "mass/tip": "mass",
    }
    assert scene.links == ()
    assert scene.size == pytest.approx(2.0)


def test_names_are_unique_for_all_elements_at_once():
    system = with_element(ELEMENTS["Damping"]).system
    for kind, element in ELEMENTS.items():
        if kind not in ("ContactGroup", "Damping", "EqualityConstraint", "FunctionForce"):
            system.add(element)
    scene = Scene(system.build(), frames=True)
    names = [part.name for part in (*scene.rigid, *scene.links)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("seed", range(8))
def test_positions_are_those_of_the_model(seed: int):
    random = np.random.default_rng(seed)
    model = random_system(seed, 6, constraints=2).model
    scene = Scene(model, frames=True)
    q = random.normal(size=(2, 3, model.nq))
    poses = scene.poses(q)
    assert poses.shape == (2, 3, len(scene.frames), 4, 4)
    assert set(scene.frames) >= set(model.frames)
    for label in scene.frames:
        np.testing.assert_array_equal(poses[:, :, scene.place[label]], model.pose(label, q))
    ends = scene.ends(poses)
    assert ends.shape == (2, 3, len(scene.links), 2, 3)
    for i, link in enumerate(scene.links):
        for k, (frame, point) in enumerate((link.start, link.end)):
            if k == 0 or link.force is None:
                expected = (model.pose(frame, q) @ (*point, 1.0))[..., :3]
                np.testing.assert_allclose(ends[:, :, i, k], expected, atol=1e-12)


def test_rods_lead_from_frame_to_frame():
    model = closed_chain()
    scene = Scene(model)
    q = np.linspace(-1.0, 1.0, model.nq)
    poses = scene.poses(q)
    rods = [part for part in scene.rigid if part.role == "rod"]
    assert len(rods) == 16
    for part in rods:
        child = part.name.removeprefix("rod/")
        world = poses[scene.place[part.frame]] @ part.pose
        half = world[:3, 2] * part.geometry.length / 2.0
        np.testing.assert_allclose(world[:3, 3] - half, model.pose(part.frame, q)[:3, 3], atol=1e-12)
        np.testing.assert_allclose(world[:3, 3] + half, model.pose(child, q)[:3, 3], atol=1e-12)


def test_a_body_that_flies_has_no_rods_or_joints():
    system = bough.System("drone")
    system.world.free("body", name="body", mass=1.0, inertia=(1.0, 2.0, 2.5))
    assert named(Scene(system.build())) == {"mass/body": "mass"}


def test_a_slider_has_a_rail_and_nodes_of_a_beam_have_none():
    system = bough.System("sliders")
    system.world.tx("x", name="slider", mass=1.0)
    system.world.tx(0.5).tx("u").tz("w").ry("slope", name="node", mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
    names = named(Scene(system.build()))
    assert names == {"rail/slider": "rail", "mass/slider": "mass", "mass/node": "mass"}


JOINTS = {
    "revolute": lambda f: f.revolute("a", (1, 1, 0)),
    "prismatic": lambda f: f.prismatic("a", (1, 1, 0)),
    "cylindrical": lambda f: f.cylindrical("a", "b"),
    "helical": lambda f: f.helical("a", pitch=0.1),
    "spherical": lambda f: f.spherical("a"),
    "planar": lambda f: f.planar("a"),
    "free": lambda f: f.free("a"),
    "twist": lambda f: f.twist((0, 1, 0, 0.3, 0, 0), "a"),
}
DRAWN = {
    "revolute": "Cylinder",
    "prismatic": "rail",
    "cylindrical": "Cylinder rail",
    "helical": "Cylinder",
    "spherical": "Sphere",
    "twist": "Cylinder",
    "planar": "",
    "free": "",
}


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_draws(kind: str):
    system = bough.System(kind)
    JOINTS[kind](system.world.tx(0.3)).tz(-1.0, name="tip", mass=1.0, inertia=(1, 1, 1.0))
    model = system.build()
    scene = Scene(model)
    joints = [type(part.geometry).__name__ for part in scene.rigid if part.role == "joint"]
    rails = [link.role for link in scene.links]
    assert " ".join(joints + rails) == DRAWN[kind]
    assert {"rod/tip", "mass/tip"} <= set(named(scene))
    assert np.isfinite(scene.points(np.ones(model.nq))).all()


def test_the_pin_of_a_joint_is_on_its_axis():
    system = bough.System("screw")
    # turns about the axis along y through (0, 0, 0.7)
    system.world.twist((0, 1, 0, -0.7, 0, 0), "a").tz(-1.0, name="tip", mass=1.0)
    scene = Scene(system.build())
    (joint,) = (part for part in scene.rigid if part.role == "joint")
    np.testing.assert_allclose(np.abs(joint.pose[:3, 2]), (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(joint.pose[[0, 2], 3], (0.0, 0.7), atol=1e-15)
    rigid = scene.model.pose("#1", [[0.0], [2.0]])  # the frame turns, its point at the axis stays
    np.testing.assert_allclose(rigid[1] @ (0, 0, 0.7, 1.0), (0, 0, 0.7, 1.0), atol=1e-14)


# --- elements ---


def test_every_kind_of_element_has_an_entry():
    assert {kind.__name__ for kind in TABLE} == {kind.__name__ for kind in KINDS}


ROLES = {
    "PlaneContact": "plane shape",
    "ShapeContact": "shape shape",
    "ContactGroup": "shape shape",  # of the frames
    "String": "pin string string",
    "BeamElement": "beam",
    "BodyWrench": "wrench wrench",
    "CentralGravity": "attraction attraction",
    "ConfigurationForce": "wrench",
    "ConfigurationSpring": "spring",
    "DistanceConstraint": "string",
    "Gravity": "wrench",
    "HybridWrench": "wrench wrench",
    "LineConstraint": "pin rail",
    "LinearDamper": "damper",
    "LinearSpring": "spring",
    "NonlinearConfigurationSpring": "spring",
    "NonlinearSpring": "spring",
    "ParallelConstraint": "pin pin",
    "PlaneConstraint": "pin plane",
    "PointConstraint": "pin pin pin",
    "PointForce": "wrench",
    "Rolling": "pin plane",
    "Skate": "pin",
    "SpatialWrench": "wrench wrench",
    "TorsionSpring": "spring",
    "WeldConstraint": "pin pin",
}


@pytest.mark.parametrize("kind", ELEMENTS)
def test_every_kind_of_element_draws(kind: str):
    plain = set(named(Scene(with_element(bough.Damping(0.1)))))
    scene = Scene(with_element(ELEMENTS[kind]))
    roles = sorted(role for name, role in named(scene).items() if name not in plain)
    assert " ".join(roles) == ROLES.get(kind, "")
    model = scene.model
    poses = scene.poses(np.ones((2, model.nq)))
    assert np.isfinite(scene.ends(poses, np.ones((2, model.nu)))).all()


def test_elements_of_users():
    class MySpring(bough.LinearSpring):
        pass

    class MyPotential(bough.Potential):
        def energy(self, at):
            return at.q["a"] ** 2

    assert "spring/MySpring #0" in named(Scene(with_element(MySpring("tip", "body", 3.0))))
    plain = named(Scene(with_element(bough.Damping(0.1))))
    assert named(Scene(with_element(MyPotential()))) == plain


def test_strings_are_slack_or_tight():
    system = bough.System("marionette")
    body = system.world.tx("x").tz("z", name="body", mass=1.0)
    system.add(bough.DistanceConstraint(body, "world", length=2.0, name="fixed"))
    system.add(bough.DistanceConstraint(body, "world", length=bough.kinematic("wire"), name="winch"))
    system.add(
        bough.DistanceConstraint(body, "world", length=bough.Sinusoid(0.5, 1.0, mean=3.0), name="moving")
    )
    system.add(bough.LinearSpring(body, "world", 1.0))
    scene = Scene(system.build())
    assert [link.style for link in scene.links] == ["string", "string", "string", "spring"]
    q = {"x": np.array([0.0, 3.0]), "z": np.array([-1.5, -4.0]), "wire": np.array([1.5, 6.0])}
    slack = scene.slack(scene.poses(q), q, t=np.array([0.0, np.pi / 2.0]))
    np.testing.assert_allclose(slack[:, :3], [[0.5, 0.0, 1.5], [-3.0, 1.0, -1.5]], atol=1e-12)
    assert np.isnan(slack[:, 3]).all()


def test_arrows_point_along_forces_in_proportion():
    system = bough.System("rocket")
    system.world.free("b", name="body", mass=1.0, inertia=(0.1, 0.2, 0.3))
    system.add(bough.BodyWrench("body", fx="thrust", name="engine"))
    system.add(bough.HybridWrench("body", fz=-2.0, name="load"))
    system.add(bough.PointForce("body", fy="push", point=(1.0, 0.0, 0.0), axes="body", name="hand"))
    model = system.build()
    u = np.array([[4.0, 0.0], [2.0, 1.0]])
    q = np.array([[0.0, 0, 0, np.pi / 2, 0, 0], [1.0, 2, 3, 0.3, 0.4, 0.5]])
    scene = Scene(model, q, u)
    ends = scene.ends(scene.poses(q), u)
    arrows = ends[:, :, 1] - ends[:, :, 0]
    rotation = model.pose("body", q)[:, :3, :3]
    forces = np.zeros((2, 3, 3))
    forces[:, 0] = rotation[:, :, 0] * u[:, :1]
    forces[:, 1] = (0.0, 0.0, -2.0)
    forces[:, 2] = rotation[:, :, 1] * u[:, 1:]
    np.testing.assert_allclose(arrows, forces * 0.35 * scene.size / 4.0, atol=1e-12)  # the longest is 4 N
    np.testing.assert_allclose(ends[0, 2, 0], (0.0, 1.0, 0.0), atol=1e-12)
    directions = scene.ends(scene.poses(q))[:, :, 1] - scene.ends(scene.poses(q))[:, :, 0]
    np.testing.assert_allclose(np.linalg.norm(directions, axis=-1), 0.35 * scene.size)


# --- shapes ---


def test_shapes_replace_the_automatic_picture():
    system = double_pendulum()
    system.shape("elbow", bough.Box((0.1, 0.2, 0.3)), color="orange")
    names = named(Scene(system.build()))
    assert names == {
        "shape/elbow 0": "shape",
        "rod/elbow": "rod",  # it leads to the frame with the shape
        "rod/tip": "rod",
        "joint/#1": "joint",
        "mass/tip": "mass",
    }


def test_a_shape_covers_the_masses_of_its_body():
    system = bough.System("arm")
    arm = system.world.ry("a", name="arm")
    arm.tz(-1.0, name="counterweight", mass=1.0)
    arm.tz(1.0, name="hand", mass=1.0)
    system.shape(arm, bough.Cylinder(0.1, 2.0))
    assert set(named(Scene(system.build()))) == {"shape/arm 0"}


def test_surroundings_are_framed_where_they_are_near():
    """The piece of a floor below a motion, and no more of it; none of a wall that is far away."""
    system = double_pendulum()
    system.shape("world", bough.Box((100.0, 100.0, 1.0)), pose=at(0.0, 0.0, -3.0))
    system.shape("world", bough.Box((1.0, 100.0, 100.0)), pose=at(9.0, 0.0, 0.0))
    low, high = Scene(system.build()).bounds(np.zeros(2))
    assert low[2] == -2.5
    assert np.abs([low[:2], high[:2]]).max() < 0.1


def test_a_floor_is_not_framed():
    system = double_pendulum()
    system.shape("world", bough.Plane())
    system.shape("world", bough.Box((100.0, 100.0, 1.0)))
    system.shape("world", bough.Box((0.5, 0.5, 0.1)))
    model = system.build()
    scene = Scene(model)
    assert [part.role for part in scene.rigid[:3]] == ["surroundings", "surroundings", "shape"]
    low, high = scene.bounds(np.zeros(2))
    assert (low > -2.5).all()
    assert (high < 1.0).all()


def test_a_missing_mesh_is_a_box_with_one_warning(tmp_path: Path):
    system = double_pendulum()
    for frame in ("elbow", "tip"):
        system.shape(frame, bough.Mesh(tmp_path / f"{frame}.stl"))
    (tmp_path / "tip.stl").write_text("nothing")
    model = system.build()
    with pytest.warns(bough.BoughWarning) as caught:
        scene = Scene(model)
    assert len(caught) == 1
    file = tmp_path / "elbow.stl"
    assert str(caught[0].message) == f"mesh shown as a box: {file}: No such file or directory and 1 more"
    assert [type(part.geometry).__name__ for part in scene.rigid if part.role == "shape"] == ["Box", "Box"]


def test_frames_on_demand():
    model = double_pendulum().build()
    axes = [part for part in Scene(model, frames=True).rigid if isinstance(part.geometry, Axes)]
    assert [part.frame for part in axes] == list(model.frames)


def test_sizes_follow_the_motion():
    system = bough.System("comet", gravity=None)
    body = system.world.tx("x").ty("y", name="body", mass=1.0)
    system.add(bough.CentralGravity("world", body, mu=1.0))
    model = system.build()
    assert Scene(model).size == 1.0  # nothing is known
    assert Scene(model, [[3.0, 4.0], [6.0, 8.0], [0.3, 0.4]]).size == pytest.approx(5.0)  # the median


def test_gravity_of_the_system_and_of_elements():
    system = double_pendulum()
    system.add(bough.Gravity((1.0, 0.0, 0.0)))
    system.add(bough.Gravity((0.0, 5.0, 0.0), "tip"))
    np.testing.assert_allclose(Scene(system.build()).gravity, (1.0, 0.0, -9.81))


# --- whole systems ---


@pytest.mark.parametrize("name", gallery.names())
def test_the_gallery_draws(name: str):
    model = gallery.system(name).build()
    scene = Scene(model)
    assert scene.rigid
    q = model.configuration(model.start.q)
    camera = scene.camera(q)
    assert np.isfinite(camera.position).all()
    # everything is of the size of the system, at the least one ball
    low, high = scene.bounds(q)
    assert 2.0 * BALL * scene.size < np.linalg.norm(high - low) < 4.0 * scene.size


# --- files of others ---

SLOW = pytest.mark.verify  # meshes take long to read
URDF = ("ur_description/urdf/ur5_robot.urdf", "double_pendulum_description/urdf/double_pendulum.urdf")
MJCF = ("gymnasium/envs/mujoco/assets/humanoid.xml", "dm_control/suite/cheetah.xml")


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW) for name in (*ROBOTS, *MODELS)])
def test_every_robot_draws(name: str):
    model = quietly(bough.load, urdf_file(name) if name.endswith("urdf") else mjcf_file(name)).build()
    scene = Scene(model)
    low, high = scene.bounds(model.neutral())
    assert 0.1 * scene.size < np.linalg.norm(high - low) < 4.0 * scene.size
    draw(model)
    plt.close("all")


@pytest.mark.parametrize("name", [*URDF, *MJCF])
def test_robots_draw(name: str):
    model = quietly(bough.load, urdf_file(name) if name.endswith("urdf") else mjcf_file(name)).build()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene = Scene(model)
    assert [part for part in scene.rigid if part.role == "shape"]
    low, high = scene.bounds(model.neutral())
    assert (high - low > 0.1).any()
    assert (high - low < 5.0).all()
    assert (scene.plane is not None) == (name.endswith(("double_pendulum.urdf", "cheetah.xml")))
