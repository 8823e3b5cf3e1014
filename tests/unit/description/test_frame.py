"""Transforms and joints make the poses they promise; the truth is `scipy.linalg.expm` of a twist."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import bough
from bough import Frame, System, kinematic
from bough.description.frame import Kinematic
from bough.model.flatten import flatten
from support.transforms import Array, hat

UNIT_TWIST = {
    "tx": (0, 0, 0, 1, 0, 0),
    "ty": (0, 0, 0, 0, 1, 0),
    "tz": (0, 0, 0, 0, 0, 1),
    "rx": (1, 0, 0, 0, 0, 0),
    "ry": (0, 1, 0, 0, 0, 0),
    "rz": (0, 0, 1, 0, 0, 0),
}
AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -3, 0), (0, 0, -0.1), (1, 1, 0), (0.3, -0.5, 2.0)]


def motion(xi: object, s: float) -> Array:
    """exp of a twist (angular, linear) times s."""
    return np.asarray(expm(hat(np.asarray(xi, dtype=float)) * s))


def pose_of(frame: Frame, q: Mapping[str, float]) -> Array:
    """The pose in the world, from the flat arrays of the frame's system."""
    flat = flatten(frame.system)
    a = flat.arrays
    index = flat.frame_labels.index(frame.label)
    pose = np.eye(4)
    while index > 0:
        variable = a["variable"][index]
        s = a["value"][index]
        if variable >= 0:
            s = a["ratio"][index] * q[flat.variable_names[variable]] + a["offset"][index]
        kind = a["kind"][index]
        xi = a["screw"][index] if kind == 7 else UNIT_TWIST[list(UNIT_TWIST)[kind - 1]] if kind else None
        pose = (a["pose"][index] if xi is None else motion(xi, s)) @ pose
        index = a["parent"][index]
    return pose


@pytest.mark.parametrize("kind", UNIT_TWIST)
def test_elementary_transform(kind: str) -> None:
    world = System().world
    assert np.allclose(pose_of(getattr(world, kind)(0.7), {}), motion(UNIT_TWIST[kind], 0.7), atol=1e-15)
    assert np.allclose(
        pose_of(getattr(world, kind)("a"), {"a": -0.4}), motion(UNIT_TWIST[kind], -0.4), atol=1e-15
    )
    shared = getattr(world, kind)("a", ratio=-2.0, offset=0.3)
    assert np.allclose(pose_of(shared, {"a": 0.5}), motion(UNIT_TWIST[kind], -0.7), atol=1e-15)


def test_rotation_about_z_is_right_handed() -> None:
    tip = System().world.rz("a").tx(2.0)
    assert np.allclose(pose_of(tip, {"a": np.pi / 2})[:3, 3], [0, 2, 0], atol=1e-15)


def test_a_number_of_any_type_is_a_constant() -> None:
    world = System().world
    for number in (2, 2.0, np.float64(2), np.float32(2), np.int64(2), np.array(2.0)):
        frame = world.tx(number)
        assert type(frame.parameter) is float
        assert frame.parameter == 2.0


def test_ratio_and_offset_of_a_constant_are_folded_into_it() -> None:
    frame = System().world.tx(2.0, ratio=3.0, offset=0.5)
    assert (frame.parameter, frame.ratio, frame.offset) == (6.5, 1.0, 0.0)


def test_fixed_pose_is_copied() -> None:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", [0.3, -1.0, 2.0]).as_matrix()
    pose[:3, 3] = [1, 2, 3]
    given = pose.copy()
    frame = System().world.fixed(given)
    given[0, 0] = 7.0
    assert np.allclose(pose_of(frame, {}), pose, atol=1e-15)
    assert frame.pose is not None
    frame.pose[0, 0] = 7.0
    assert np.allclose(frame.pose, pose, atol=1e-15)


def test_fixed_pose_with_seven_digits_becomes_a_rotation() -> None:
    exact = Rotation.from_euler("xyz", [0.3, -1.0, 2.0]).as_matrix()
    pose = np.eye(4)
    pose[:3, :3] = exact.round(7)
    stored = System().world.fixed(pose).pose
    assert stored is not None
    assert np.abs(stored[:3, :3].T @ stored[:3, :3] - np.eye(3)).max() < 1e-14
    assert np.abs(stored[:3, :3] - exact).max() < 1e-7


def test_frame_coincides_with_its_parent() -> None:
    world = System().world
    named = world.tx(1.0).frame("place", mass=2.0, com=(0, 0, 1))
    assert (named.name, named.mass) == ("place", 2.0)
    assert np.array_equal(pose_of(named, {}), motion(UNIT_TWIST["tx"], 1.0))


@pytest.mark.parametrize(
    "xi", [(0, 0, 2, 0.5, 0, 0), (1, -2, 0.3, 0, 0, 0), (0, 0, 0, 1, 2, 3), (1, 2, 3, -1, 0.5, 2)]
)
def test_twist(xi: tuple[float, ...]) -> None:
    frame = System().world.twist(xi, "a", ratio=2.0, offset=-0.1)
    assert np.allclose(pose_of(frame, {"a": 0.4}), motion(xi, 0.7), atol=1e-14)
    assert frame.screw is not None
    assert np.array_equal(frame.screw, xi)


@pytest.mark.parametrize("axis", AXES)
def test_revolute_and_prismatic_use_only_the_direction_of_the_axis(axis: tuple[float, ...]) -> None:
    world = System().world
    unit = np.array(axis) / np.linalg.norm(axis)
    turn, slide = motion([*unit, 0, 0, 0], 0.7), motion([0, 0, 0, *unit], 0.7)
    options = {"ratio": 2.0, "offset": -0.1}
    assert np.allclose(pose_of(world.revolute("a", axis, **options), {"a": 0.4}), turn, atol=1e-15)
    assert np.allclose(pose_of(world.prismatic("b", axis, **options), {"a": 0, "b": 0.4}), slide, atol=1e-15)
    assert np.allclose(pose_of(world.revolute(0.7, axis), {}), turn, atol=1e-15)
    assert np.allclose(pose_of(world.prismatic(0.7, axis), {}), slide, atol=1e-15)


def test_joints_about_an_axis_of_the_frame_are_elementary() -> None:
    assert [System().world.revolute("a", axis).kind for axis in AXES] == [
        "rx",
        "ry",
        "rz",
        "rx",
        "ry",
        "rz",
        "twist",
        "twist",
    ]
    assert [System().world.prismatic("b", a).kind for a in AXES] == [
        "tx",
        "ty",
        "tz",
        "tx",
        "ty",
        "tz",
        "twist",
        "twist",
    ]
    assert System().world.revolute("a").kind == "rz"
    assert System().world.prismatic("b").kind == "tz"


@pytest.mark.parametrize("scale", [1e-200, 1e200, 5e-324])
def test_axis_of_extreme_length(scale: float) -> None:
    screw = System().world.revolute("a", (scale, scale, 0)).screw
    assert screw is not None
    assert np.allclose(screw, [0.5**0.5, 0.5**0.5, 0, 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize("axis", AXES)
def test_cylindrical_and_helical(axis: tuple[float, ...]) -> None:
    world = System().world
    unit = np.array(axis) / np.linalg.norm(axis)
    sleeve = world.cylindrical("a", kinematic("d"), axis, name="sleeve")
    assert np.allclose(
        pose_of(sleeve, {"a": 0.7, "d": 0.3}), motion([*unit, *(unit * 0.3 / 0.7)], 0.7), atol=1e-15
    )
    nut = world.helical("h", axis, 0.1)
    assert np.allclose(pose_of(nut, {"a": 0, "d": 0, "h": 2.0})[:3, 3], 0.2 * unit, atol=1e-15)
    assert np.allclose(pose_of(nut, {"h": 2.0}), motion([*unit, *(0.1 * unit)], 2.0), atol=1e-14)
    assert np.allclose(
        pose_of(System().world.helical("h", axis, 0.0), {"h": 2.0}), motion([*unit, 0, 0, 0], 2.0), atol=1e-14
    )


def test_euler_joints() -> None:
    q = dict(zip(("x", "y", "z", "c", "b", "a"), (1.0, 2.0, 3.0, 0.3, -0.5, 0.7), strict=True))
    turned = np.eye(4)
    turned[:3, :3] = Rotation.from_euler("ZYX", [0.3, -0.5, 0.7]).as_matrix()
    shifted = turned.copy()
    shifted[:3, 3] = [1, 2, 3]
    flat = np.eye(4)
    flat[:3, :3] = Rotation.from_euler("Z", 0.3).as_matrix()
    flat[:2, 3] = [1, 2]
    assert np.allclose(pose_of(System().world.spherical(("c", "b", "a")), q), turned, atol=1e-15)
    assert np.allclose(pose_of(System().world.free(list(q)), q), shifted, atol=1e-15)
    assert np.allclose(pose_of(System().world.planar(("x", "y", "c")), q), flat, atol=1e-15)
    assert np.allclose(pose_of(System().world.spherical(np.array([0.3, -0.5, 0.7])), q), turned, atol=1e-15)


def test_names_of_the_variables_of_euler_joints() -> None:
    system = System()
    system.world.free("base")
    system.world.spherical("hip")
    system.world.planar(kinematic("table"))
    system.world.planar(("u", kinematic("v"), 0.5))
    base = tuple(f"base_{kind}" for kind in ("tx", "ty", "tz", "rz", "ry", "rx"))
    assert system.dynamic == (*base, "hip_rz", "hip_ry", "hip_rx", "u")
    assert system.kinematic == ("table_tx", "table_ty", "table_rz", "v")


def test_a_joint_returns_its_last_frame_with_name_and_mass() -> None:
    system = System()
    body = system.world.free("base", name="body", mass=2.0, inertia=(1, 1, 1), com=(0, 0, 0.1))
    assert [frame.kind for frame in system.frames] == ["world", "tx", "ty", "tz", "rz", "ry", "rx"]
    assert [frame.name for frame in system.frames] == ["world", *[None] * 5, "body"]
    assert [frame.mass for frame in system.frames] == [0.0] * 6 + [2.0]
    assert body is system.frames[-1]


def test_what_a_frame_knows() -> None:
    system = System()
    elbow = system.world.ry("shoulder", ratio=2.0, offset=0.1).tz(-1.0, name="elbow", mass=1.0)
    parent = elbow.parent
    assert parent is not None
    assert (parent.kind, parent.parameter, parent.ratio, parent.offset) == ("ry", "shoulder", 2.0, 0.1)
    assert parent.parent is system.world
    assert parent.children == (elbow,)
    assert system.world.parent is None
    assert elbow.system is system
    assert (elbow.name, elbow.label, parent.name, parent.label) == ("elbow", "elbow", None, "#1")
    assert (elbow.pose, elbow.screw) == (None, None)
    assert repr(elbow) == "<Frame elbow: tz(-1) on frame #1>"
    assert repr(parent) == "<Frame #1: ry(2 shoulder + 0.1) on world>"
    assert repr(system.world) == "<Frame world: world>"


def test_mass_inertia_and_com_can_be_changed() -> None:
    frame = System().world.rz("a")
    frame.mass = 2
    frame.inertia = (1, 2, 3)
    frame.com = [0, 0, 1]
    assert frame.mass == 2.0
    assert np.array_equal(frame.inertia, np.diag([1.0, 2.0, 3.0]))
    assert np.array_equal(frame.com, [0.0, 0.0, 1.0])
    frame.inertia[0, 0] = 100.0  # a copy
    frame.com[0] = 100.0
    assert frame.inertia[0, 0] == 1.0
    assert frame.com[0] == 0.0
    frame.inertia = None
    assert not frame.inertia.any()


@pytest.mark.parametrize(
    "inertia",
    [
        (1, 1, 2),  # flat plate: equality in the triangle inequality
        (0, 1, 1),  # thin rod
        (0, 0, 0),  # point
        (0.0833333, 0.0833333, 0.1666667),  # flat plate, rounded
        np.diag([1e-12, 1e-12, 2e-12]),  # the tolerance follows the scale
        np.diag([1e12, 1e12, 2e12]),
    ],
)
def test_limits_of_inertia_are_accepted(inertia: object) -> None:
    assert System().world.rz("a", mass=1.0, inertia=inertia).inertia.shape == (3, 3)


def test_turned_plate_and_rod_are_accepted() -> None:
    for seed in range(50):
        turn = Rotation.random(random_state=seed).as_matrix()
        for principal in ((1, 1, 2), (0, 1, 1)):
            System().world.rz("a", mass=1.0, inertia=turn @ np.diag(principal) @ turn.T)


def test_inertia_is_made_exactly_symmetric() -> None:
    given = np.array([[2.0, 0.1, 0.0], [0.1 + 1e-9, 2.0, 0.0], [0.0, 0.0, 2.0]])
    stored = System().world.rz("a", mass=1.0, inertia=given).inertia
    assert np.array_equal(stored, stored.T)


def test_kinematic() -> None:
    assert kinematic("x") == Kinematic("x")
    assert repr(kinematic("x")) == "kinematic('x')"
    assert hash(kinematic("x")) == hash(kinematic("x"))
    assert pickle.loads(pickle.dumps(kinematic("x"))) == kinematic("x")


def test_a_frame_keeps_its_system() -> None:
    def tip() -> Frame:
        return System("short-lived").world.rz("a").tx(1.0)

    frame = tip()
    assert frame.system.name == "short-lived"
    assert copy.deepcopy(frame).system is not frame.system
    assert pickle.loads(pickle.dumps(frame)).parent.parameter == "a"


def test_the_package_exports_the_words_of_the_description() -> None:
    for name in (
        "System",
        "Frame",
        "kinematic",
        "BoughError",
        "ModelError",
        "ParseError",
        "ConvergenceError",
    ):
        assert hasattr(bough, name)


def test_body_as_given_keeps_an_inertia_that_no_body_has():
    system = bough.System("imported")
    frame = system.world.rz("angle", name="arm")
    assert frame.body_as_given(2.0, (1.0, 1.0, 3.0), (0.0, 0.0, 1.0)) == (
        "inertia violates the triangle inequality: its principal moments are (1, 1, 3)"
    )
    frame.mass = 3.0  # the inertia stays
    assert frame.inertia[2, 2] == 3.0
    assert system.to_dict()["frames"][0]["as_given"] is True
    again = bough.System.from_dict(system.to_dict())
    assert again.to_dict() == system.to_dict()
    assert again.build() == system.build()
    frame.inertia = (1.0, 1.0, 2.0)  # what a user sets is checked again
    assert "as_given" not in system.to_dict()["frames"][0]
    with pytest.raises(bough.ModelError, match="triangle inequality"):
        frame.inertia = (1.0, 1.0, 3.0)


def test_body_as_given_of_an_ordinary_body():
    frame = bough.System("imported").world.rz("angle")
    assert frame.body_as_given(2.0, (1.0, 1.0, 1.5)) is None
    assert frame.body_as_given(0.0, (1.0, 1.0, 1.0)) == "an inertia without a mass"
