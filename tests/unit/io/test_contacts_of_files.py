"""Contacts of MJCF and URDF files."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.description.hulls import convex_hull
from bough.description.mesh_file import mesh_triangles

MJCF = """<mujoco><option timestep="0.01"/><worldbody>
<geom type="plane" size="1 1 1" friction=".4"/>
<body name="a" pos="0 0 .1"><freejoint name="a"/><geom type="box" size=".1 .1 .1" mass="1" friction=".3"/></body>
<body name="b" pos="0 0 .3"><freejoint name="b"/><geom name="tip" type="sphere" size=".1" mass="1" condim="4"/>
<body name="c" pos="0 0 .2"><joint name="c" type="hinge" axis="0 1 0"/>
<geom name="bar" type="capsule" size=".05 .1" mass="1" contype="0" conaffinity="0"/></body></body>
</worldbody></mujoco>"""

URDF = """<robot name="r"><link name="foot"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 -0.1"/><geometry><sphere radius="0.05"/></geometry></collision></link></robot>"""


def test_geoms_touch_as_mujoco_lets_them(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "scene.xml"
    file.write_text(MJCF)
    with pytest.warns(bough.BoughWarning, match=r"condim above 3.* \('tip'\)"):
        system = bough.load(file, contacts=True, rotation="ball")
    groups = [element for element in system.elements if isinstance(element, bough.ContactGroup)]
    pairs = {
        frozenset((group.frames[i], group.frames[j])): group.friction
        for group in groups
        for i, j in group.pairs
    }
    assert pairs == {
        frozenset(("world", "a")): 0.4,
        frozenset(("world", "b")): 1.0,
        frozenset(("a", "b")): 1.0,
    }
    again = bough.System.from_dict(system.to_dict())
    assert again.to_dict() == system.to_dict()
    model = system.build()
    run = bough.simulate(model, duration=0.1, dt=0.01)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-12


def test_without_contacts_the_file_moves_as_before(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "scene.xml"
    file.write_text(MJCF)
    with pytest.warns(bough.BoughWarning, match="contacts of geoms"):
        system = bough.load(file, rotation="ball")
    assert not any(isinstance(element, bough.ContactGroup) for element in system.elements)


def test_collision_shapes_stand_on_the_floor(tmp_path):
    pytest.importorskip("yourdfpy")
    file = tmp_path / "robot.urdf"
    file.write_text(URDF)
    with pytest.raises(bough.ModelError, match="URDF files do not say how rough bodies are"):
        bough.load(file, floating=True, contacts=True)
    with pytest.warns(bough.BoughWarning, match="links with each other are left out"):
        system = bough.load(file, floating=True, rotation="ball", contacts=True, friction=0.8)
    model = system.build()
    assert model.gaps == ("foot floor",)
    assert model.gap({"root_tz": 0.15}) == pytest.approx([0.0], abs=1e-15)


HILLS = """<mujoco><asset>
<hfield name="hills" nrow="3" ncol="4" size="0.6 0.4 0.2 0.1" elevation="0 0 0 0  0 1 0.5 0  0 0 0 0"/>
</asset><worldbody>
<geom type="hfield" hfield="hills" pos="0.1 0 -0.2" friction="0.7"/>
<body name="a" pos="0.2 0 0.5"><freejoint name="a"/><geom type="sphere" size=".1" mass="1" friction="0.3"/></body>
</worldbody></mujoco>"""


def test_height_fields_are_ground(tmp_path):
    """Distances from it beside those of MuJoCo, which rounds heights to single precision."""
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "hills.xml"
    file.write_text(HILLS)
    system = bough.load(file, contacts=True, rotation="ball")
    (ground,) = (shape.geometry for shape in system.shapes if shape.geometry.kind == "heightfield")
    assert np.asarray(ground.z).shape == (4, 3)
    assert np.asarray(ground.z)[1, 1] == pytest.approx(0.2)
    (group,) = (element for element in system.elements if isinstance(element, bough.ContactGroup))
    assert group.friction == 0.7
    again = bough.System.from_dict(system.to_dict())
    assert again.to_dict() == system.to_dict()
    bough.save(system, tmp_path / "hills.sexp")
    assert bough.load(tmp_path / "hills.sexp").to_dict() == system.to_dict()
    model = system.build()
    peer = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(peer)
    for x, y, z in [(-0.1, 0.0, 0.085), (0.1, 0.0, 0.02), (0.0, 0.1, 0.0)]:
        data.qpos[:3] = x, y, z
        mujoco.mj_forward(peer, data)
        q = model.neutral()
        q[:3] = x, y, z
        deepest = min(data.contact[i].dist for i in range(data.ncon))
        assert model.gap(q).min() == pytest.approx(deepest, abs=1e-6)
    run = bough.simulate(model, duration=0.5, dt=0.005)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-10


PAIRS = """<mujoco><worldbody>
<geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="0"/>
<body name="a" pos="0 0 .1"><freejoint/><geom name="one" type="sphere" size=".1" condim="6" solref=".01 1"/></body>
<body name="b" pos="1 0 .1"><freejoint/><geom name="two" type="sphere" size=".1" condim="6"/></body>
<body name="c" pos="2 0 .1"><freejoint/><geom name="three" type="sphere" size=".1"/></body>
<body name="d" pos="3 0 .1"><freejoint/><geom name="four" type="sphere" size=".1"/></body>
</worldbody><contact>
<pair geom1="floor" geom2="one" solref=".05 1"/><pair name="soft" geom1="floor" geom2="two" margin=".01" condim="3"/>
<pair name="spun" geom1="floor" geom2="three" condim="4"/><pair name="hard" geom1="floor" geom2="four" condim="3"/>
<exclude body1="c" body2="d"/>
</contact></mujoco>"""


def test_what_pairs_of_a_file_say_is_reported_once(tmp_path):
    """Softness and torsional friction of pairs by their names, of geoms once, however many geoms they touch."""
    pytest.importorskip("mujoco")
    file = tmp_path / "pairs.xml"
    file.write_text(PAIRS)
    with pytest.warns(bough.BoughWarning) as told:
        system = bough.load(file, contacts=True)
    text = " ".join(str(warning.message) for warning in told)
    assert "softness of contacts (solref, solimp, margin, gap) ('one', 'floor and one', 'soft')" in text
    assert "torsional and rolling friction (condim above 3) ('one', 'two', 'spun')" in text
    assert "hard" not in text
    groups = [element for element in system.elements if isinstance(element, bough.ContactGroup)]
    touching = {frozenset((group.frames[i], group.frames[j])) for group in groups for i, j in group.pairs}
    assert len(touching) == 4 + 6 - 1  # with the floor by pairs, with each other but for one
    assert frozenset("cd") not in touching


def test_a_mesh_of_a_file_is_read_once_for_all(tmp_path):
    """Mirrored by its scale, it stays closed with its triangles outwards; collision shapes take its hull."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((0.2, 0.4, 0.6)).export(tmp_path / "box.stl")
    mesh = bough.Mesh(tmp_path / "box.stl", scale=(-1.0, 1.0, 1.0))
    vertices, faces = mesh_triangles(mesh)
    volume = sum(np.linalg.det(vertices[face]) for face in faces) / 6.0
    assert volume == pytest.approx(0.2 * 0.4 * 0.6)
    (part,) = bough.convex_parts(mesh)
    assert np.abs(np.ptp(np.asarray(part.vertices), axis=0) - (0.2, 0.4, 0.6)).max() < 1e-7
    flat = trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 1, 2), (1, 3, 2)])
    flat.export(tmp_path / "flat.stl")
    body = URDF.replace('<sphere radius="0.05"/>', '<mesh filename="{}" scale="-1 1 1"/>')
    for name, found in (
        ("box", None),
        ("flat", "collision meshes that are flat"),
        ("none", "not in the folder"),
    ):
        (tmp_path / "r.urdf").write_text(body.format(f"{name}.stl"))
        with pytest.warns(bough.BoughWarning) as told:
            system = bough.load(tmp_path / "r.urdf", floating=True, contacts=True, friction=0.5)
        text = " ".join(str(warning.message) for warning in told)
        assert (found is None) == ("not used" not in text), text
        assert found is None or found in text
        assert len(system.elements) == (found is None)


def test_a_hull_that_is_almost_flat_is_closed():
    """Corners of a face that are off its plane by what single precision leaves: parts of it touch at corners alone."""
    random = np.random.default_rng(105)
    angle, radius = random.uniform(0.0, 2.0 * np.pi, 12), np.sqrt(random.uniform(0.0, 1.0, 12))
    lid = np.c_[radius * np.cos(angle), radius * np.sin(angle), 1.0 + 2e-9 * random.uniform(-1.0, 1.0, 12)]
    rim = np.c_[np.cos(angle), np.sin(angle), 0.0 * angle]
    mesh = convex_hull(np.r_[lid, [[0.0, 0.0, -1.0]], rim])
    system = bough.System("stone")
    system.world.floating("place", name="stone", mass=1.0, inertia=(0.4, 0.4, 0.4))
    system.add(bough.Contact("stone", mesh, name="floor"))
    model = system.build()
    assert model.gap({"place_tz": 1.5}).min() == pytest.approx(0.5, abs=1e-12)
