"""MJCF: what each part of a file becomes. The numbers are compared with MuJoCo in tests/crosscheck."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="mujoco is not installed: pip install 'bough[mujoco]'")

import bough
from bough import BoughWarning
from bough.io.mjcf import load_mjcf

BALL = '<geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/>'


def load(folder: Path, bodies: str, rest: str = "", **options: str) -> bough.System:
    file = folder / "model.xml"
    file.write_text(f"<mujoco>{rest}<worldbody>{bodies}</worldbody></mujoco>")
    return load_mjcf(file, **options)


def test_names_and_tree(tmp_path: Path):
    bodies = (
        f'<body name="arm" pos="0 0 1"><joint name="j" axis="0 0 1"/>{BALL}'
        f'<body name="hand" pos="1 0 0">{BALL}<body><joint type="slide"/>{BALL}</body></body></body>'
    )
    system = load(tmp_path, bodies)
    assert system.name == "model"
    assert str(system) == (
        "model: 5 frames, 2 dynamic and 0 kinematic variables, mass 6 kg\n"
        "world\n"
        "└─ fixed\n"
        "   └─ rz(j)  'arm'  mass 2  inertia (0.008, 0.008, 0.008)\n"
        "      └─ fixed  'hand'  mass 2  inertia (0.008, 0.008, 0.008)\n"
        "         └─ tz(joint 1)  mass 2  inertia (0.008, 0.008, 0.008)"
    )


def test_the_name_of_the_model(tmp_path: Path):
    file = tmp_path / "file.xml"
    file.write_text(f'<mujoco model="walker"><worldbody><body><joint/>{BALL}</body></worldbody></mujoco>')
    assert load_mjcf(file).name == "walker"


def test_variables_are_those_of_mujoco(tmp_path: Path):
    bodies = f'<body name="a"><joint name="j" axis="0 1 0" ref="90"/>{BALL}</body>'
    model = load(tmp_path, bodies).build()
    np.testing.assert_allclose(model.pose("a", [np.pi / 2]), np.eye(4), atol=1e-15)


def test_ball_and_free_joints_start_where_the_file_says(tmp_path: Path):
    bodies = (
        f'<body name="a" pos="1 2 3" euler="0 0 90"><freejoint name="f"/>{BALL}</body>'
        f'<body name="b" pos="3 2 1"><joint name="s" type="ball" pos="0 0 1"/>{BALL}</body>'
    )
    pose = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
    angles = load(tmp_path, bodies, rotation="angles").build()
    assert angles.variables == ("f_tx", "f_ty", "f_tz", "f_rz", "f_ry", "f_rx", "s_rz", "s_ry", "s_rx")
    np.testing.assert_allclose(angles.pose("a", np.zeros(9)), pose, atol=1e-15)
    np.testing.assert_allclose(angles.pose("b", {"s_rx": np.pi})[:3, 3], (3.0, 2.0, 3.0), atol=1e-15)
    system = load(tmp_path, bodies)
    model = system.build()
    assert model.variables == ("f_tx", "f_ty", "f_tz", "f_wx", "f_wy", "f_wz", "s_wx", "s_wy", "s_wz")
    run = bough.simulate(model, duration=0.01, dt=0.01)
    np.testing.assert_allclose(run.pose("a")[0], pose, atol=1e-15)
    assert system.start.q == pytest.approx(
        {"f_tx": 1, "f_ty": 2, "f_tz": 3, "f_qw": 0.5**0.5, "f_qx": 0, "f_qy": 0, "f_qz": 0.5**0.5}
    )
    np.testing.assert_allclose(model.pose("b", {"s": (np.pi, 0, 0)})[:3, 3], (3.0, 2.0, 3.0), atol=1e-15)


def test_springs_of_balls(tmp_path: Path):
    bodies = (
        '<body name="a" pos="1 2 3" euler="0 0 90"><joint type="free" name="f" stiffness="3" damping="0.5"/>'
        f"{BALL}</body>"
        f'<body name="b"><joint name="s" type="ball" pos="0 0 1" stiffness="2"/>{BALL}</body>'
    )
    elements = load(tmp_path, bodies).elements
    half = pytest.approx(0.5**0.5)
    assert [type(element).__name__ for element in elements[:5]] == [
        *["ConfigurationSpring"] * 3,
        "TorsionSpring",
        "Damping",
    ]
    assert [spring.rest for spring in elements[:3]] == [1.0, 2.0, 3.0]
    assert (elements[3].a, elements[3].b, elements[3].stiffness) == ("world", "a", 3.0)
    assert elements[3].rest == (half, 0.0, 0.0, half)
    assert elements[4].coefficient == dict.fromkeys(("f_tx", "f_ty", "f_tz", "f_wx", "f_wy", "f_wz"), 0.5)
    assert (elements[5].b, elements[5].stiffness, elements[5].rest) == ("b", 2.0, 0.0)
    with pytest.warns(BoughWarning, match="springs of ball and free joints"):
        load(tmp_path, bodies, rotation="angles")


def test_frictionloss_of_balls(tmp_path: Path):
    bodies = f'<body><joint name="s" type="ball" frictionloss="0.3"/>{BALL}</body>'
    elements = load(tmp_path, bodies).elements
    assert elements == tuple(
        bough.DryFriction(f"s_{x}", 0.3, name=f"s_{x} friction") for x in ("wx", "wy", "wz")
    )
    with pytest.warns(BoughWarning, match=r"friction \('s'\)"):
        load(tmp_path, bodies, rotation="angles")


def test_gravity(tmp_path: Path):
    body = f"<body><joint/>{BALL}</body>"
    assert load(tmp_path, body, '<option gravity="1 2 3"/>').gravity == (1.0, 2.0, 3.0)
    with pytest.warns(BoughWarning):
        off = load(tmp_path, body, '<option><flag gravity="disable"/></option>' + '<option timestep="0.1"/>')
    assert off.gravity == (0.0, 0.0, 0.0)


def test_springs_and_dampers(tmp_path: Path):
    bodies = f'<body><joint name="j" stiffness="3" springref="90" damping="0.5"/>{BALL}</body>'
    elements = load(tmp_path, bodies).elements
    assert elements == (bough.ConfigurationSpring("j", 3.0, np.pi / 2), bough.Damping({"j": 0.5}))


def test_armature_adds_to_the_mass_matrix_alone(tmp_path: Path):
    plain = f'<body name="a"><joint name="j" type="slide" axis="0 0 1"/>{BALL}</body>'
    without = load(tmp_path, plain).build()
    model = load(tmp_path, plain.replace("<joint", '<joint armature="0.25"')).build()
    assert model.mass_matrix([0.3])[0, 0] == pytest.approx(without.mass_matrix([0.3])[0, 0] + 0.25, rel=1e-15)
    assert model.total_mass == without.total_mass == 2.0
    np.testing.assert_array_equal(model.L_dq([0.3], [0.0]), without.L_dq([0.3], [0.0]))


def test_tendons_between_two_sites(tmp_path: Path):
    bodies = (
        '<site name="nail" pos="0 0 2"/>'
        f'<body name="a"><joint name="j"/><site name="tip" pos="0 0 -1"/>{BALL}</body>'
    )
    tendon = (
        '<tendon><spatial name="t" stiffness="4" springlength="0.5" damping="2">'
        '<site site="nail"/><site site="tip"/></spatial></tendon>'
    )
    elements = load(tmp_path, bodies, tendon).elements
    assert elements == (bough.LinearSpring("nail", "tip", 4.0, 0.5), bough.LinearDamper("nail", "tip", 2.0))


def test_limits_are_held(tmp_path: Path):
    bodies = (
        '<site name="nail" pos="0 0 2"/><site name="ring" pos="1 0 2"/>'
        f'<body name="a"><joint name="j" range="-30 60" limited="true"/><site name="tip" pos="0 0 -1"/>{BALL}</body>'
    )
    tendon = (
        '<tendon><spatial name="t" limited="true" range="0 5">'
        '<site site="nail"/><site site="ring"/><site site="tip"/></spatial></tendon>'
    )
    system = load(tmp_path, bodies, tendon)
    limit, string = system.elements
    assert isinstance(limit, bough.JointLimit)
    assert (limit.name, limit.variable) == ("j limit", "j")
    assert (limit.lower, limit.upper) == (pytest.approx(-np.pi / 6), pytest.approx(np.pi / 3))
    assert string == bough.String("nail", "tip", 5.0, via=("ring",), name="t")
    assert system.build().gap([0.0])[2] == pytest.approx(5.0 - 1.0 - np.hypot(1.0, 3.0))


def test_what_is_not_used_is_said_in_one_line(tmp_path: Path):
    bodies = (
        '<geom name="floor" type="plane" size="1 1 1"/>'
        f'<body name="a"><joint name="j" range="0 1" limited="true" frictionloss="1"/>{BALL}</body>'
        f'<body name="b"><joint name="s" type="ball" damping="1" stiffness="1"/>{BALL}</body>'
    )
    rest = '<option timestep="0.1" solver="CG"/><actuator><motor name="m" joint="j"/></actuator>'
    with pytest.warns(BoughWarning) as caught:
        load(tmp_path, bodies, rest, rotation="angles")
    assert [str(warning.message) for warning in caught] == [
        "model.xml: read but not used: options ('timestep', 'solver');"
        " springs of ball and free joints ('s'); damping of ball and free joints ('s');"
        " contacts of geoms ('floor')"
    ]


def test_nothing_is_said_when_all_is_used(tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path, f'<body><joint damping="1" stiffness="1" armature="1"/>{BALL}</body>')


def test_shapes(tmp_path: Path):
    still = 'mass="1" contype="0" conaffinity="0"'
    bodies = (
        f'<body name="a" pos="0 0 5"><joint/>'
        f'<geom type="box" size="1 2 3" pos="0 0 1" {still} rgba="1 0 0 1"/>'
        f'<geom type="capsule" size="1 2" material="m" {still}/>'
        f'<geom type="sphere" size="1" {still}/></body>'
    )
    shapes = load(tmp_path, bodies, '<asset><material name="m" rgba="0 1 0 1"/></asset>').shapes
    pose = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    assert json.loads(json.dumps([shape.to_dict() for shape in shapes])) == [
        {"frame": "a", "kind": "box", "size": [2, 4, 6], "pose": pose, "color": [1, 0, 0, 1]},
        {"frame": "a", "kind": "capsule", "size": [1, 4], "pose": np.eye(4).tolist(), "color": [0, 1, 0, 1]},
        {"frame": "a", "kind": "sphere", "size": [1], "pose": np.eye(4).tolist(), "color": None},
    ]


def test_includes_beside_the_model(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        f'<mujocoinclude><body name="arm"><joint/>{BALL}</body></mujocoinclude>'
    )
    system = load(tmp_path, '<include file="parts/arm.xml"/>')
    assert system.frame("arm").mass == 2.0


def test_meshes_give_inertia_and_a_shape(tmp_path: Path):
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 2)], dtype=float)
    faces = [(1, 2, 4), (2, 4, 3)]  # the convex hull is what counts
    text = "".join("v {} {} {}\n".format(*corner) for corner in corners)
    (tmp_path / "block.obj").write_text(text + "".join("f {} {} {}\n".format(*face) for face in faces))
    bodies = (
        '<body name="a"><joint/><geom type="mesh" mesh="block" mass="2" contype="0" conaffinity="0"/></body>'
    )
    asset = '<asset><mesh name="block" file="block.obj" inertia="convex"/></asset>'
    system = load(tmp_path, bodies, asset)
    frame = system.frame("a")
    np.testing.assert_allclose(frame.com, (0.5, 0.5, 1.0), atol=1e-6)
    np.testing.assert_allclose(frame.inertia, np.diag((5.0, 5.0, 2.0)) / 6.0, atol=1e-6)
    (shape,) = system.shapes
    assert shape.geometry.path == str((tmp_path / "block.obj").resolve())
    np.testing.assert_allclose(shape.pose, np.eye(4), atol=1e-6)


def test_a_flex_gives_its_points_and_says_what_is_missing(tmp_path: Path):
    flex = (
        '<flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="9" radius=".01">'
        '<elasticity young="100" thickness="0.01" elastic2d="bend"/></flexcomp>'
    )
    with pytest.warns(BoughWarning, match=r"elasticity of flexes \(1\)"):
        model = load(tmp_path, flex).build()
    assert model.nq == 27
    assert model.total_mass == pytest.approx(9.0)


def test_motors_without_names_are_named_after_their_joints(tmp_path):
    """Not by numbers, and never by a name that another has."""
    body = "".join(
        f'<body><joint name="{name}"/><geom size=".1" contype="0" conaffinity="0"/></body>'
        for name in ("hip", "knee")
    )
    motors = """<motor joint="hip"/><motor joint="hip"/><position joint="knee" kp="2"/>
<motor name="knee motor" joint="knee"/><motor tendon="both"/>"""
    tendon = """<fixed name="both"><joint joint="hip" coef="1"/><joint joint="knee" coef="2"/></fixed>"""
    file = tmp_path / "leg.xml"
    file.write_text(
        f"<mujoco><worldbody>{body}</worldbody><tendon>{tendon}</tendon><actuator>{motors}</actuator></mujoco>"
    )
    with pytest.warns(bough.BoughWarning, match="tendons"):
        model = bough.load(file).build()
    assert model.inputs == ("hip motor", "hip motor 1", "knee motor 1", "knee motor", "both motor")
