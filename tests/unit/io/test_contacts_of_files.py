"""Contacts of MJCF and URDF files."""

from __future__ import annotations

import numpy as np
import pytest

import bough

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
