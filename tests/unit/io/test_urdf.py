"""URDF: what each part of a file becomes."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("yourdfpy", reason="yourdfpy is not installed: pip install 'bough[urdf]'")

import bough
from bough import BoughWarning
from support.urdf_text import BODY, joint, links, load


def test_names_and_tree(tmp_path: Path):
    system = load(
        tmp_path,
        links("base", "arm", "tool")
        + joint("revolute", "base", "arm", '<origin xyz="0 0 1"/><axis xyz="0 0 -1"/>', "shoulder")
        + joint("fixed", "arm", "tool", '<origin xyz="0.5 0 0"/>'),
    )
    assert str(system) == (
        "robot: 5 frames, 1 dynamic and 0 kinematic variables, mass 6 kg\n"
        "world\n"
        "└─ fixed  'base'  mass 2  inertia (1, 1, 1)\n"
        "   └─ fixed\n"
        "      └─ rz(-shoulder)  'arm'  mass 2  inertia (1, 1, 1)\n"
        "         └─ fixed  'tool'  mass 2  inertia (1, 1, 1)"
    )


@pytest.mark.parametrize(
    ("kind", "axis", "variables", "q", "expected"),
    [
        ("revolute", "0 0 2", ("j",), [np.pi / 2], [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]),
        ("continuous", "1 0 0", ("j",), [np.pi / 2], [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0]]),
        ("prismatic", "0 3 4", ("j",), [5.0], [[1, 0, 0, 0], [0, 1, 0, 3], [0, 0, 1, 4]]),
        ("planar", "0 0 1", ("j_tx", "j_ty", "j_rz"), [1, 2, 0], [[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 0]]),
        ("planar", "1 0 0", ("j_tx", "j_ty", "j_rz"), [1, 2, 0], [[1, 0, 0, 0], [0, 1, 0, 2], [0, 0, 1, -1]]),
        (
            "planar",
            "0 0 -1",
            ("j_tx", "j_ty", "j_rz"),
            [1, 2, 0],
            [[1, 0, 0, 1], [0, 1, 0, -2], [0, 0, 1, 0]],
        ),
        (
            "floating",
            "0 0 1",
            ("j_tx", "j_ty", "j_tz", "j_wx", "j_wy", "j_wz"),
            [1, 2, 3, 0.5**0.5, 0, 0, 0.5**0.5],
            [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]],
        ),
    ],
)
def test_joints(
    tmp_path: Path, kind: str, axis: str, variables: tuple[str, ...], q: list[float], expected: list
):
    content = links("base", "arm") + joint(kind, "base", "arm", f'<axis xyz="{axis}"/>', "j")
    model = load(tmp_path, content).build()
    assert model.variables == variables
    np.testing.assert_allclose(model.pose("arm", q)[:3], expected, atol=1e-15)


def test_the_axis_of_a_joint_is_x_unless_given(tmp_path: Path):
    model = load(tmp_path, links("base", "arm") + joint("prismatic", "base", "arm")).build()
    np.testing.assert_array_equal(model.pose("arm", [2.0])[:3, 3], (2.0, 0.0, 0.0))


def test_mimic_joints_share_a_variable(tmp_path: Path):
    # c follows b, which follows a: c = 3 (2 a + 0.1) + 0.2; the order in the file does not matter
    content = links("base", "one", "two", "three") + "".join(
        joint("prismatic", "base", link, f'<dynamics damping="1"/>{mimic}', name)
        for link, name, mimic in (
            ("three", "c", '<mimic joint="b" multiplier="3" offset="0.2"/>'),
            ("two", "b", '<mimic joint="a" multiplier="2" offset="0.1"/>'),
            ("one", "a", ""),
        )
    )
    system = load(tmp_path, content)
    assert system.variables == ("a",)
    frame = system.frame("three")
    assert (frame.ratio, frame.offset) == (6.0, pytest.approx(0.5))
    assert system.elements[0].coefficient == {"a": 1.0 + 4.0 + 36.0}


def test_a_mimic_joint_that_cannot_move_is_constant(tmp_path: Path):
    content = links("base", "one", "two", "three") + "".join(
        joint("prismatic" if name != "b" else "fixed", "base", link, mimic, name)
        for link, name, mimic in (
            ("one", "a", '<mimic joint="b" multiplier="2" offset="0.1"/>'),
            ("two", "b", ""),
            ("three", "c", ""),
        )
    )
    system = load(tmp_path, content)
    assert system.variables == ("c",)
    assert system.frame("one").parameter == 0.1


def test_inertia_in_rotated_axes(tmp_path: Path):
    body = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/></inertial>'
    )
    content = f'<link name="base"/><link name="arm">{body}</link>' + joint("revolute", "base", "arm")
    frame = load(tmp_path, content).frame("arm")
    # x of the inertial axes is y of the link, y is -x
    expected = [[1.5, -0.1, -0.3], [-0.1, 1.0, 0.2], [-0.3, 0.2, 2.0]]
    np.testing.assert_allclose(frame.inertia, expected, atol=1e-15)
    np.testing.assert_array_equal(frame.com, (1.0, 2.0, 3.0))


def test_an_inertia_that_no_body_has_is_kept(tmp_path: Path):
    body = BODY.replace('izz="1"', 'izz="3"')
    content = f'<link name="base"/><link name="arm">{body}</link>' + joint("revolute", "base", "arm")
    with pytest.warns(BoughWarning) as caught:
        system = load(tmp_path, content)
    assert [str(warning.message) for warning in caught] == [
        "robot.urdf: taken over as written, though no body is like this: 'arm': inertia violates the triangle"
        " inequality: its principal moments are (1, 1, 3)"
    ]
    np.testing.assert_array_equal(system.frame("arm").inertia, np.diag((1.0, 1.0, 3.0)))
    again = bough.System.from_dict(json.loads(json.dumps(system.to_dict())))
    assert again.to_dict() == system.to_dict()
    bough.save(system, tmp_path / "robot.sexp")
    assert bough.load(tmp_path / "robot.sexp").to_dict() == system.to_dict()
    model = pickle.loads(pickle.dumps(system.build()))
    assert model.mass_matrix([0.0])[0, 0] == 1.0


def test_a_floating_base(tmp_path: Path):
    content = links("base", "arm") + joint("revolute", "base", "arm", name="j")
    model = load(tmp_path, content, floating=True).build()
    assert model.variables == ("root_tx", "root_ty", "root_tz", "root_wx", "root_wy", "root_wz", "j")
    assert model.pose("base", {"root_tx": 2.0})[0, 3] == 2.0
    angles = load(tmp_path, content, floating=True, rotation="angles").build()
    assert angles.variables == ("root_tx", "root_ty", "root_tz", "root_rz", "root_ry", "root_rx", "j")


def test_a_root_called_world_is_the_world(tmp_path: Path):
    content = '<link name="world"/>' + links("arm") + joint("revolute", "world", "arm")
    system = load(tmp_path, content)
    assert [frame.label for frame in system.frames] == ["world", "arm"]


def test_a_floating_root_called_world(tmp_path: Path):
    with pytest.warns(BoughWarning) as caught:
        system = load(tmp_path, links("world"), floating=True)
    assert system.frame("link world").mass == 2.0
    assert [str(w.message) for w in caught] == [
        "robot.urdf: link 'world' is the frame 'link world', as the name is reserved"
    ]


def test_what_is_not_used_is_said_in_one_line(tmp_path: Path):
    content = (
        '<link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>'
        + links("arm")
        + joint("revolute", "base", "arm", '<limit lower="0" upper="1"/><dynamics friction="2"/>', "j")
        + '<transmission name="drive"/><gazebo/><gazebo/>'
    )
    with pytest.warns(BoughWarning) as caught:
        load(tmp_path, content)
    assert [str(warning.message) for warning in caught] == [
        "robot.urdf: read but not used: collision shapes ('base'); transmissions ('drive');"
        " Gazebo settings (2)"
    ]


def test_nothing_is_said_when_all_is_used(tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path, links("base", "arm") + joint("revolute", "base", "arm", '<dynamics damping="1"/>'))


def test_shapes(tmp_path: Path):
    package = tmp_path / "robot_package"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    (package / "meshes" / "arm.stl").write_text("solid")
    visuals = "".join(
        f'<visual><origin xyz="0 0 1"/><geometry>{geometry}</geometry>{material}</visual>'
        for geometry, material in (
            ('<box size="1 2 3"/>', '<material name="blue"/>'),
            ('<cylinder radius="1" length="2"/>', '<material name=""><color rgba="1 0 0 0.5"/></material>'),
            ('<sphere radius="3"/>', ""),
            ('<mesh filename="package://robot_package/meshes/arm.stl" scale="2 2 2"/>', ""),
            ('<mesh filename="../meshes/arm.stl"/>', ""),
        )
    )
    blue = '<material name="blue"><color rgba="0 0 1 1"/></material>'
    shapes = load(package / "urdf", f'<link name="arm">{visuals}</link>{blue}', floating=True).shapes
    mesh = str((package / "meshes" / "arm.stl").resolve())
    pose = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    same = {"frame": "arm", "pose": pose}
    assert json.loads(json.dumps([shape.to_dict() for shape in shapes])) == [
        same | {"kind": "box", "size": [1, 2, 3], "color": [0, 0, 1, 1]},
        same | {"kind": "cylinder", "size": [1, 2], "color": [1, 0, 0, 0.5]},
        same | {"kind": "sphere", "size": [3], "color": None},
        same | {"kind": "mesh", "path": mesh, "scale": [2, 2, 2], "color": None},
        same | {"kind": "mesh", "path": mesh, "scale": [1, 1, 1], "color": None},
    ]


@pytest.mark.parametrize(
    "name", ["/etc/hostname", "file:///etc/hostname", "../../../../etc/hostname", "package://../x"]
)
def test_a_mesh_elsewhere_is_not_kept(tmp_path: Path, name: str):
    visual = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
    with pytest.warns(BoughWarning, match="meshes that are not in the folder of the file or of a package"):
        system = load(tmp_path, f'<link name="arm">{visual}</link>', floating=True)
    assert system.shapes == ()


def test_packages_can_be_named(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "arm.stl").write_text("solid")
    (tmp_path / "here").mkdir()
    visual = '<visual><geometry><mesh filename="package://pack/arm.stl"/></geometry></visual>'
    content = f'<link name="arm">{visual}</link>'
    packages = {"pack": tmp_path / "elsewhere"}
    system = load(tmp_path / "here", content, floating=True, packages=packages)
    assert system.shapes[0].geometry.path == str((tmp_path / "elsewhere" / "arm.stl").resolve())


def test_limits_are_held(tmp_path: Path):
    content = (
        links("base", "arm", "slide", "finger")
        + joint("revolute", "base", "arm", '<limit lower="-0.5" upper="2" effort="0" velocity="0"/>', "elbow")
        + joint("prismatic", "arm", "slide", '<limit upper="0.3"/>', "rail")
        + joint(
            "revolute",
            "slide",
            "finger",
            '<mimic joint="elbow" multiplier="-2" offset="0.1"/><limit lower="-1.9" upper="0.7"/>',
            "follower",
        )
    )
    system = load(tmp_path, content)
    limits = {e.name: e for e in system.elements if isinstance(e, bough.JointLimit)}
    assert limits["elbow limit"] == bough.JointLimit("elbow", -0.5, 2.0, name="elbow limit")
    assert limits["rail limit"] == bough.JointLimit("rail", 0.0, 0.3, name="rail limit")
    follower = limits["follower limit"]
    assert (follower.variable, follower.lower, follower.upper) == (
        "elbow",
        pytest.approx(-0.3),
        pytest.approx(1.0),
    )
    assert len(system.build().gaps) == 6
    with pytest.warns(BoughWarning, match="read but not used: limits \\('elbow', 'rail', 'follower'\\)"):
        assert load(tmp_path, content, limits=False).elements == ()


def test_motors_on_request(tmp_path: Path):
    content = (
        links("base", "arm", "slide", "wheel", "finger")
        + joint("revolute", "base", "arm", '<limit effort="12.5"/>', "shoulder")
        + joint("prismatic", "arm", "slide", '<limit effort="0"/>', "rail")
        + joint("continuous", "slide", "wheel", name="spin")
        + joint("revolute", "wheel", "finger", '<mimic joint="shoulder"/><limit effort="3"/>', "follower")
    )
    with pytest.warns(BoughWarning) as caught:
        model = load(tmp_path, content, actuate=True).build()
    assert [str(warning.message) for warning in caught] == [
        "robot.urdf: read but not used: limits of effort ('follower'); efforts of zero or less ('rail')"
    ]
    assert model.inputs == ("shoulder", "rail", "spin")
    q, v = np.zeros(3), np.zeros(3)
    weak = model.generalized_force(q, v, u={"shoulder": 2.0, "rail": 3.0, "spin": 4.0})
    strong = model.generalized_force(q, v, u={"shoulder": -20.0, "rail": 30.0, "spin": 40.0})
    np.testing.assert_array_equal(weak, (2.0, 3.0, 4.0))
    np.testing.assert_array_equal(strong, (-12.5, 30.0, 40.0))
    with pytest.warns(BoughWarning):
        assert load(tmp_path, content).build().inputs == ()


def test_motors_of_named_joints(tmp_path: Path):
    content = (
        links("base", "arm", "hand", "tool")
        + joint("revolute", "base", "arm", '<limit effort="12.5"/>', "shoulder")
        + joint("revolute", "arm", "hand", '<limit effort="3"/>', "elbow")
        + joint("fixed", "hand", "tool", name="flange")
    )
    with pytest.warns(BoughWarning, match="read but not used: limits of effort \\('elbow'\\)"):
        model = load(tmp_path, content, actuate=["shoulder"]).build()
    assert model.inputs == ("shoulder",)
    with pytest.warns(BoughWarning):
        assert load(tmp_path, content, actuate="elbow").build().inputs == ("elbow",)
    assert load(tmp_path, content, actuate=("elbow", "shoulder")).build().inputs == ("shoulder", "elbow")
    for wrong, found in ((["sholder"], "the nearest is 'shoulder'"), (["flange"], "'shoulder', 'elbow'")):
        with pytest.raises(bough.ParseError) as caught:  # which names the file
            load(tmp_path, content, actuate=wrong)
        assert found in caught.value.found
    with pytest.raises(bough.ModelError, match="neither True nor False nor names of joints"):
        load(tmp_path, content, actuate=3)


def test_a_motor_without_a_limit_has_none_and_nothing_is_said(tmp_path: Path):
    content = links("base", "arm") + joint("continuous", "base", "arm", name="shoulder")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system = load(tmp_path, content, actuate=True)
    assert [element.effort for element in system.elements] == [None]
