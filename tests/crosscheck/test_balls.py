"""Chains of balls and floating bodies of MuJoCo files, against MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bough

mujoco = pytest.importorskip("mujoco")


def chain_file(path: Path, links: int, damping: float = 0.0) -> Path:
    body = ""
    for i in reversed(range(links)):
        body = f"""<body name="b{i}" pos="0 0 {0 if i == 0 else -0.4}">
        <joint name="j{i}" type="ball" damping="{damping}"/>
        <inertial pos="0.02 0 -0.2" mass="0.6" diaginertia="0.01 0.012 0.004"/>{body}</body>"""
    path.write_text(
        '<mujoco model="chain"><option gravity="0 0 -9.81"/>'
        f'<compiler angle="radian"/><worldbody>{body}</worldbody></mujoco>'
    )
    return path


@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_chain_of_balls(tmp_path: Path, damping: float) -> None:
    path = chain_file(tmp_path / "chain.xml", 5, damping)
    model = bough.load(path).build()
    assert (model.nq, model.nv) == (20, 15)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.timestep, theirs.opt.integrator = 0.0005, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(theirs)
    random = np.random.default_rng(0)
    q, v = model.random(random), random.normal(size=model.nv)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(theirs, data)
    np.testing.assert_allclose(model.acceleration(q, v), data.qacc, rtol=1e-9, atol=1e-9)
    mujoco.mj_resetData(theirs, data)
    data.qpos[:], data.qvel[:] = q, v
    for _ in range(400):
        mujoco.mj_step(theirs, data)
    run = bough.simulate(model, q=q, v=v, duration=0.2, dt=0.2, integrator="dop853", rtol=1e-12, atol=1e-13)
    assert np.abs(model.difference(run.q[-1], data.qpos)).max() < 1e-8
    composed = bough.simulate(model, q=q, v=v, duration=0.2, dt=0.0025, order=6)
    assert np.abs(model.difference(composed.q[-1], data.qpos)).max() < 1e-8


def test_free_body(tmp_path: Path) -> None:
    path = tmp_path / "free.xml"
    path.write_text(
        '<mujoco><option gravity="0.2 0 -9.81"/><worldbody>'
        '<body name="hull" pos="0.3 0 1"><freejoint name="base"/>'
        '<inertial pos="0.1 0.02 0" mass="2" diaginertia="0.1 0.2 0.25"/>'
        '<body name="arm" pos="0.4 0 0"><joint name="hip" type="ball" pos="0 0 0.1"/>'
        '<inertial pos="0 0 0.3" mass="0.5" diaginertia="0.02 0.03 0.01"/></body></body></worldbody></mujoco>'
    )
    model = bough.load(path).build()
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    q, v = model.random(1), np.random.default_rng(2).normal(size=model.nv)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(theirs, data)
    np.testing.assert_allclose(model.acceleration(q, v), data.qacc, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(model.pose("arm", q)[:3, 3], data.body("arm").xpos, atol=1e-13)


def test_urdf(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="hull"><inertial><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    system = bough.load(path, floating=True)
    assert system.balls == ("root",)
    with pytest.raises(bough.ModelError, match="neither 'angles' nor 'ball'"):
        bough.load(path, rotation="euler")
