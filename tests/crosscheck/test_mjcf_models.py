"""Models of gymnasium and dm_control: bough and MuJoCo read the same file and find the same numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="mujoco is not installed: pip install 'bough[mujoco]'")

import mujoco

import bough
from bough.io.mjcf import load_mjcf
from support.compare import compare
from support.robot_files import MODELS, euler, mjcf_file, quietly

EVERYTHING = """\
<mujoco>
  <compiler angle="degree"/>
  <worldbody>
    <site name="nail" pos="0.1 0.2 1"/>
    <body name="a" pos="0 0 1">
      <joint name="a1" axis="0 1 0" ref="20" pos="0.1 0 0"/>
      <geom size=".1" pos="0.3 0 0"/>
      <site name="on a" pos=".2 .1 0" euler="10 20 30"/>
      <body name="b" pos="0.5 0 0" euler="0 0 30">
        <joint name="b1" type="slide" axis="1 1 0" stiffness="3" springref="0.2" armature="0.3"/>
        <joint name="b2" axis="0 0 1" armature="0.2"/>
        <geom type="box" size=".1 .2 .3"/>
        <site name="on b" pos="0 0 .1"/>
      </body>
    </body>
    <body name="c" pos="1 0 1">
      <joint name="c1" type="ball" pos="0 .1 0" armature="0.1"/>
      <geom size=".1"/>
    </body>
    <body name="d" pos="1 1 1" euler="10 20 40">
      <joint type="free" name="d1" armature="0.5"/>
      <geom size=".1" pos=".1 0 0"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="spring" stiffness="5" springlength="0.3" damping="0.2">
      <site site="nail"/><site site="on a"/>
    </spatial>
    <spatial name="string"><site site="nail"/><site site="on b"/></spatial>
    <fixed name="pulley"><joint joint="a1" coef="2"/><joint joint="b1" coef="-1"/></fixed>
    <fixed name="wheel" stiffness="2" springlength="0.1"><joint joint="b1" coef="2"/></fixed>
  </tendon>
  <equality>
    <joint name="e1" joint1="a1" joint2="b1" polycoef="0.1 2 0 0 0"/>
    <joint name="e2" joint1="a1" joint2="b2" polycoef="0.1 2 .3 .4 .5"/>
    <joint name="e3" joint1="a1" polycoef="0.1 0 0 0 0"/>
    <tendon name="e4" tendon1="string" polycoef="0.1 0 0 0 0"/>
    <tendon name="e5" tendon1="pulley" polycoef="0.1 0 0 0 0"/>
    <tendon name="e6" tendon1="pulley" tendon2="wheel" polycoef="0.1 2 0 0 0"/>
    <connect name="e7" body1="b" body2="c" anchor="0.1 0.2 0.3"/>
    <connect name="e8" body1="b" anchor="0.1 0.2 0.3"/>
    <connect name="e9" site1="on a" site2="on b"/>
    <weld name="e10" body1="c" body2="d"/>
    <weld name="e11" body1="c" body2="d" anchor=".1 .2 .3" relpose="0.2 0.1 0 .7 .1 .2 .3"/>
    <weld name="e12" body1="c"/>
    <weld name="e13" site1="on a" site2="nail"/>
  </equality>
</mujoco>
"""
LINEAR = 6 + 9  # rows of e1 to e9


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log into the current folder when it warns."""
    monkeypatch.chdir(tmp_path)


ROTATIONS = ("ball", "angles")


class Reference:
    """MuJoCo at a configuration of bough: v of MuJoCo = map @ v of bough, which are the same with balls."""

    def __init__(self, file: Path, q: np.ndarray, rotation: str) -> None:
        self.model = model = mujoco.MjModel.from_xml_path(str(file))
        self.data = mujoco.MjData(model)
        if rotation == "ball":
            self.data.qpos[:], self.map = q, np.eye(model.nv)
            mujoco.mj_forward(model, self.data)
            return
        self.map = np.zeros((model.nv, len(q)))
        k = 0
        for joint in range(model.njnt):
            kind, at, row = model.jnt_type[joint], model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            if kind >= 2:
                self.data.qpos[at], self.map[row, k] = q[k], 1.0
                k += 1
                continue
            start = np.eye(3)
            if kind == 0:
                matrix = np.zeros(9)
                mujoco.mju_quat2Mat(matrix, model.qpos0[at + 3 : at + 7])
                start = matrix.reshape(3, 3)
                self.data.qpos[at : at + 3] = model.qpos0[at : at + 3] + start @ q[k : k + 3]
                self.map[row : row + 3, k : k + 3] = start
                k, at, row = k + 3, at + 3, row + 3
            turned, rates = euler(*q[k : k + 3])
            mujoco.mju_mat2Quat(self.data.qpos[at : at + 4], (start @ turned).ravel())
            self.map[row : row + 3, k : k + 3] = rates
            k += 3
        assert k == len(q)
        mujoco.mj_forward(model, self.data)

    def mass_matrix(self) -> np.ndarray:
        # column by column: the storage of the matrix differs between versions of MuJoCo
        columns = np.eye(self.model.nv)
        full = np.zeros_like(columns)
        for k, column in enumerate(columns):
            mujoco.mj_mulM(self.model, self.data, full[k], column)
        return self.map.T @ full @ self.map

    def static_forces(self) -> np.ndarray:
        return self.map.T @ (self.data.qfrc_bias - self.data.qfrc_spring)


def configuration(model: bough.Model, random: np.random.Generator) -> np.ndarray:
    """A configuration away from gimbal lock."""
    return model.integrate(model.neutral(), random.uniform(-0.7, 0.7, model.nv))


def compare_with_mujoco(file: Path, rotation: str) -> None:
    model = quietly(load_mjcf, file, rotation=rotation).build()
    q = configuration(model, np.random.default_rng(4))
    reference, zero = Reference(file, q, rotation), np.zeros(model.nv)
    mass, forces = reference.mass_matrix(), reference.static_forces()
    compare(model.mass_matrix(q), mass, rtol=1e-12, scale=max(1.0, np.abs(mass).max()), what="mass matrix")
    scale = max(1.0, np.abs(forces).max())
    compare(
        model.inverse_dynamics(q, zero, zero), forces, rtol=1e-12, scale=scale, what="gravity and springs"
    )


def compare_inputs(file: Path, rotation: str) -> None:
    """What the inputs add to the forces beside what ctrl adds to qfrc_actuator, also beyond the ranges."""
    model = quietly(load_mjcf, file, rotation=rotation).build()
    rng = np.random.default_rng(7)
    for size in (0.3, 3.0):
        q, v = configuration(model, rng), rng.uniform(-0.7, 0.7, model.nv)
        reference = Reference(file, q, rotation)
        compiled, data = reference.model, reference.data
        data.qvel[:] = reference.map @ v
        names = [compiled.actuator(k).name or f"actuator {k}" for k in range(compiled.nu)]
        ctrl = np.array([size * rng.normal() if name in model.inputs else 0.0 for name in names])
        forces = []
        for given in (ctrl, np.zeros(compiled.nu)):
            data.ctrl[:] = given
            mujoco.mj_forward(compiled, data)
            forces.append(data.qfrc_actuator.copy())
        wanted = reference.map.T @ (forces[0] - forces[1])
        u = {name: value for name, value in zip(names, ctrl, strict=True) if name in model.inputs}
        found = model.generalized_force(q, v, u=u) - model.generalized_force(q, v)
        compare(found, wanted, rtol=1e-12, scale=max(1.0, np.abs(forces).max()), what="actuators")
    assert len(model.inputs) == np.count_nonzero(compiled.actuator_dyntype == int(mujoco.mjtDyn.mjDYN_NONE))


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("name", MODELS, ids=lambda name: Path(name).stem)
def test_actuators_of_a_model(name: str, rotation: str):
    compare_inputs(mjcf_file(name), rotation)


ACTUATORS = """\
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body><joint name="a" axis="0 1 0" damping="0.3"/><geom size=".1" pos=".3 0 0"/>
      <body pos=".6 0 0"><joint name="b" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
        <body pos=".6 0 0"><joint name="c" type="slide" axis="1 0 0"/><geom size=".1" pos=".3 0 0"/></body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="both" stiffness="3" springlength="0.2">
      <joint joint="a" coef="0.5"/><joint joint="b" coef="-2"/>
    </fixed>
    <fixed name="one"><joint joint="c" coef="-3"/></fixed>
  </tendon>
  <actuator>
    <motor name="motor" joint="a" gear="150" ctrllimited="true" ctrlrange="-1 1"/>
    <motor name="two" tendon="both" gear="3" forcelimited="true" forcerange="-2 2"/>
    <general name="gain" joint="c" gainprm="-4" gear="2" forcelimited="true" forcerange="-5 5"/>
    <position name="servo" joint="b" kp="20" kv="3" gear="-2.5"/>
    <position name="weak" joint="a" kp="50" gear="1.5" forcelimited="true" forcerange="-4 4"/>
    <position name="pull" tendon="one" kp="7" kv="0.2"/>
    <position name="coupled" tendon="both" kp="5" gear="2" ctrllimited="true" ctrlrange="-1 1"/>
    <velocity name="speed" joint="b" kv="6" gear="3"/>
    <velocity name="slow" joint="c" kv="9" forcelimited="true" forcerange="-2 2"/>
  </actuator>
</mujoco>
"""


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
def test_every_kind_of_actuator(tmp_path: Path, size: float):
    file = tmp_path / "actuators.xml"
    file.write_text(ACTUATORS)
    model = quietly(load_mjcf, file).build()
    compiled = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(compiled)
    rng = np.random.default_rng(11)
    q, v, u = rng.normal(size=3), size * rng.normal(size=3), size * rng.normal(size=9)
    assert model.inputs == ("motor", "two", "gain", "servo", "weak", "pull", "coupled", "speed", "slow")
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, u
    mujoco.mj_forward(compiled, data)
    found = model.mass_matrix(q) @ model.acceleration(q, v, u)
    compare(found, data.qfrc_smooth, rtol=1e-12, scale=np.abs(data.qfrc_actuator).max(), what="all forces")


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("name", MODELS, ids=lambda name: Path(name).stem)
def test_model(name: str, rotation: str):
    compare_with_mujoco(mjcf_file(name), rotation)


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_every_kind_of_joint(tmp_path: Path, rotation: str):
    file = tmp_path / "everything.xml"
    file.write_text(EVERYTHING)
    compare_with_mujoco(file, rotation)


def test_springs_of_balls(tmp_path: Path):
    """Also the torque of a spring that is turned far."""
    file = tmp_path / "everything.xml"
    file.write_text(
        EVERYTHING.replace('armature="0.1"', 'stiffness="3"').replace('armature="0.5"', 'stiffness="2"')
    )
    compare_with_mujoco(file, "ball")


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_every_kind_of_equality(tmp_path: Path, rotation: str):
    file = tmp_path / "everything.xml"
    file.write_text(EVERYTHING)
    model = quietly(load_mjcf, file, rotation=rotation).build()
    q = configuration(model, np.random.default_rng(4))
    h = Reference(file, q, rotation).data.efc_pos[: len(model.constraints)]
    found = model.constraint(q)
    compare(found[:LINEAR], h[:LINEAR], rtol=1e-12, scale=1.0, what="connect, joint and tendon")
    # the displacement of a weld is in other axes here, and its turn is twice as large
    for first in range(LINEAR, len(h), 6):
        lengths = np.linalg.norm(found[first : first + 3]), np.linalg.norm(h[first : first + 3])
        compare(lengths[0], lengths[1], rtol=1e-12, scale=1.0, what="displacement")
        compare(
            found[first + 3 : first + 6], 2.0 * h[first + 3 : first + 6], rtol=1e-12, scale=1.0, what="turn"
        )


def test_motors_of_balls(tmp_path: Path):
    """A motor on a ball or free joint acts along all its rates, as its gear says; other actuators are reported."""
    file = tmp_path / "motors.xml"
    motors = """<actuator>
      <motor name="m1" joint="c1" gear="0.5 -2 3"/>
      <general name="m2" joint="d1" gear="1 2 0 4 0 6" gainprm="2"/>
    </actuator></mujoco>"""
    file.write_text(EVERYTHING.replace("</mujoco>", motors))
    compare_inputs(file, "ball")
    file.write_text(
        file.read_text().replace("</actuator>", '<position name="m3" joint="c1" kp="3"/></actuator>')
    )
    with pytest.warns(bough.BoughWarning, match=r"actuators without a counterpart \('m3'\)"):
        load_mjcf(file)
