"""States of Pinocchio and MuJoCo, from and to those of models with balls and floating bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.description.rotation import product
from bough.peers import mujoco as peer
from bough.peers.states import from_mujoco, from_pinocchio, to_mujoco, to_pinocchio
from support.balls import branched, chain, floating_arm, state_of
from support.messages import check_message
from support.robot_files import mjcf_file, quietly, urdf_file

mujoco = pytest.importorskip("mujoco")
pin = pytest.importorskip("pinocchio")

FLOATING = (  # without joints that follow others
    "anymal_c_simple_description/urdf/anymal.urdf",
    "go2_description/urdf/go2.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "icub_description/robots/icub.urdf",
    "human_description/robots/human.urdf",
)
FREE = (
    "gymnasium/envs/mujoco/assets/ant.xml",
    "gymnasium/envs/mujoco/assets/humanoid.xml",
    "dm_control/suite/quadruped.xml",
)


@pytest.mark.parametrize("name", FLOATING, ids=lambda name: Path(name).stem)
def test_floating_robots_of_pinocchio(name: str) -> None:
    """Poses, velocities and accelerations agree, and states come back."""
    file = urdf_file(name)
    model = quietly(bough.load, file, floating=True, limits=False).build()
    robot = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    data = robot.createData()
    q, v = state_of(model, 1)
    x, w = to_pinocchio(model, robot, q, v)
    pin.forwardKinematics(robot, data, x, w)
    pin.updateFramePlacements(robot, data)
    for frame in model.frames[:: max(1, len(model.frames) // 8)]:
        if robot.existBodyName(frame):
            placed = data.oMf[robot.getFrameId(frame, pin.BODY)].homogeneous
            np.testing.assert_allclose(model.pose(frame, q), placed, atol=1e-12)
    plain = bough.System.from_dict({**model.system.to_dict(), "elements": []}).build()  # no damping there
    a = plain.acceleration(q, v)
    theirs = pin.aba(robot, data, x, w, np.zeros(robot.nv))
    R = pin.XYZQUATToSE3(x[:7]).rotation
    expected = np.concatenate([R.T @ a[:3] - np.cross(w[3:6], w[:3]), a[3:]])
    order = [robot.idx_vs[robot.getJointId(name)] for name in model.variables[6:]]
    found = np.concatenate([theirs[:6], theirs[order]])
    np.testing.assert_allclose(found, expected, atol=1e-10 * max(1.0, np.abs(expected).max()))
    back, rates = from_pinocchio(model, robot, x, w)
    assert np.abs(model.difference(q, back)).max() < 1e-12
    np.testing.assert_allclose(rates, v, atol=1e-13)


@pytest.mark.parametrize("name", FLOATING[:3], ids=lambda name: Path(name).stem)
def test_motions_of_floating_robots(name: str) -> None:
    """Runge and Kutta's method on the accelerations of Pinocchio, and steps here: each errs by its order in dt."""
    file = urdf_file(name)
    system = quietly(bough.load, file, floating=True, limits=False)
    model = bough.System.from_dict({**system.to_dict(), "elements": []}).build()  # no damping there
    robot = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    data, none = robot.createData(), np.zeros(robot.nv)
    q, v = model.neutral(), 0.5 * state_of(model, 6)[1]
    duration = 0.1

    order = [robot.idx_vs[robot.getJointId(name)] for name in model.variables[6:]]

    def slope(y: np.ndarray) -> np.ndarray:
        """(q, v)' with the accelerations of Pinocchio, the quaternion as four numbers."""
        q, v = y[: model.nq].copy(), y[model.nq :]
        q[3:7] /= np.linalg.norm(q[3:7])
        x, w = to_pinocchio(model, robot, q, v)
        a = pin.aba(robot, data, x, w, none)
        linear = pin.XYZQUATToSE3(x[:7]).rotation @ (a[:3] + np.cross(w[3:6], w[:3]))
        turn = 0.5 * product(y[3:7], np.concatenate([[0.0], v[3:6]]))
        return np.concatenate([v[:3], turn, v[6:], linear, a[3:6], a[order]])

    def theirs(steps: int) -> np.ndarray:
        y, dt = np.concatenate([q, v]), duration / steps
        for _ in range(steps):
            k1 = slope(y)
            k2 = slope(y + 0.5 * dt * k1)
            k3 = slope(y + 0.5 * dt * k2)
            y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + slope(y + dt * k3))
        y[3:7] /= np.linalg.norm(y[3:7])
        return y[: model.nq]

    def ours(**options: Any) -> np.ndarray:
        return np.asarray(bough.simulate(model, q=q, v=v, duration=duration, **options).q[-1])

    exact = ours(dt=duration, integrator="dop853", rtol=1e-12, atol=1e-13)

    def off(end: np.ndarray) -> float:
        return float(np.abs(model.difference(exact, end)).max())

    errors = [off(theirs(n)) for n in (10, 20)]
    assert 14.0 < errors[0] / errors[1] < 18.0
    steps = [off(ours(dt=duration / n)) for n in (20, 40)]
    assert 3.9 < steps[0] / steps[1] < 4.1
    assert off(theirs(80)) < 1e-12
    assert off(ours(dt=duration / 40, order=6)) < 1e-12


def test_a_chain_of_balls_in_pinocchio() -> None:
    model = chain(5).build()
    robot, parent, place = pin.Model(), 0, pin.SE3.Identity()
    for i in range(5):
        parent = robot.addJoint(parent, pin.JointModelSpherical(), place, f"b{i}")
        body = pin.Inertia(1.0, np.array([0.02, 0.0, -0.3]), np.diag([0.02, 0.025, 0.01]))
        robot.appendBodyToJoint(parent, body, pin.SE3.Identity())
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5]))
    q, v = state_of(model, 2)
    x, w = to_pinocchio(model, robot, q, v)
    a = pin.aba(robot, robot.createData(), x, w, np.zeros(15))
    np.testing.assert_allclose(a, model.acceleration(q, v), rtol=1e-10, atol=1e-10)
    many = np.stack([model.random(seed) for seed in range(3)])
    back, _ = from_pinocchio(model, robot, to_pinocchio(model, robot, many)[0])
    np.testing.assert_allclose(back, many, atol=1e-15)


@pytest.mark.parametrize("name", FREE, ids=lambda name: Path(name).stem)
def test_models_of_mujoco(name: str) -> None:
    file = mjcf_file(name)
    model = quietly(bough.load, file).build()
    robot = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(robot)
    q, v = state_of(model, 3)
    data.qpos[:], data.qvel[:] = to_mujoco(model, robot, q, v)
    mujoco.mj_kinematics(robot, data)
    for body in range(1, robot.nbody):
        if frame := robot.body(body).name:
            np.testing.assert_allclose(model.pose(frame, q)[:3, 3], data.xpos[body], atol=1e-12)
    back, rates = from_mujoco(model, robot, data.qpos, data.qvel)
    np.testing.assert_allclose(back, q, atol=1e-15)
    np.testing.assert_array_equal(rates, v)


@pytest.mark.parametrize("system", [chain(5), floating_arm(), branched()], ids=lambda s: s.name)
def test_models_made_in_mujoco(system: bough.System) -> None:
    """The peer that is made of a model: accelerations, and Runge and Kutta's method there beside a converged motion."""
    model = system.build()
    q, v = state_of(model, 4)
    engine = peer.MuJoCo(model, q, v, dt=0.0005, integrator="RK4")
    np.testing.assert_allclose(engine.acceleration(q, v), model.acceleration(q, v), rtol=1e-10, atol=1e-10)
    engine.reset()
    engine.step(400)
    run = bough.simulate(model, q=q, v=v, duration=0.2, dt=0.2, integrator="dop853", rtol=1e-12, atol=1e-13)
    assert np.abs(model.difference(run.q[-1], engine.q)).max() < 1e-8
    assert np.abs(run.v[-1] - engine.v).max() < 1e-7
    composed = bough.simulate(model, q=q, v=v, duration=0.2, dt=0.0025, order=6)
    assert np.abs(model.difference(composed.q[-1], engine.q)).max() < 1e-8


def test_damping_of_balls_in_mujoco() -> None:
    system = chain(2)
    system.add(bough.Damping({"b0": 0.3, "b1": 0.1}))
    model = system.build()
    q, v = state_of(model, 5)
    engine = peer.MuJoCo(model, q, v, dt=0.001)
    np.testing.assert_allclose(engine.acceleration(q, v), model.acceleration(q, v), rtol=1e-10)
    system.add(bough.Damping({"b1_wy": 0.2}))
    with pytest.raises(bough.ModelError, match="different damping of the rates of 'b1_wx'"):
        peer.MuJoCo(system.build(), dt=0.001)


def test_what_does_not_fit(tmp_path: Path) -> None:
    model = chain(1).build()
    robot = pin.Model()
    robot.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "hip")
    check_message(
        lambda: to_pinocchio(model, robot, model.neutral()),
        "a state of Pinocchio for model '1 balls'",
        "joint 'hip' has a quaternion there, and nothing of this name and kind is in the model",
        "load the same file in both, floating joints with rotation='ball', and without joints that follow others",
    )
    robot = pin.Model()
    robot.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "b0")
    check_message(
        lambda: from_pinocchio(model, robot, np.zeros(3)),
        "q of the other engine for model '1 balls'",
        "shape (3,)",
        "give arrays of shape (..., 4)",
    )
