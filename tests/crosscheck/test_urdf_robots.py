"""Robots of example-robot-data: bough and Pinocchio read the same file and find the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="pinocchio is not installed: pip install 'bough[robots]'")
pytest.importorskip("yourdfpy", reason="yourdfpy is not installed: pip install 'bough[urdf]'")

import pinocchio as pin
import yourdfpy

from bough.io.urdf import load_urdf
from support.compare import compare
from support.robot_files import ROBOTS, quietly, urdf_file

MOTIONS = ("tx", "ty", "tz", "rz", "ry", "rx")


class Reference:
    """Pinocchio without mimic joints; the map s = G q + c to its joints is made from the file here."""

    def __init__(self, file: Path, variables: tuple[str, ...], floating: bool) -> None:
        if floating:
            root = pin.JointModelComposite(pin.JointModelTranslation())
            root.addJoint(pin.JointModelSphericalZYX())
            self.model = pin.buildModelFromUrdf(str(file), root)
        else:
            self.model = pin.buildModelFromUrdf(str(file))
        self.data = self.model.createData()
        robot = yourdfpy.URDF.load(str(file), build_scene_graph=False, load_meshes=False).robot
        joints = {joint.name: joint for joint in robot.joints}
        index = {name: k for k, name in enumerate(variables)}
        self.map, self.offset = np.zeros((self.model.nv, len(variables))), np.zeros(self.model.nv)
        for k in range(1, self.model.njoints):
            row = self.model.idx_vs[k]
            if floating and k == 1:
                for n, motion in enumerate(MOTIONS):
                    self.map[row + n, index[f"root_{motion}"]] = 1.0
                continue
            joint, ratio, offset = joints[self.model.names[k]], 1.0, 0.0
            while joint.mimic is not None:
                ratio, offset = ratio * joint.mimic.multiplier, offset + ratio * joint.mimic.offset
                joint = joints[joint.mimic.joint]
            self.map[row, index[joint.name]], self.offset[row] = ratio, offset

    def configuration(self, q: np.ndarray) -> np.ndarray:
        s = self.map @ q + self.offset
        configuration = np.zeros(self.model.nq)
        for k in range(1, self.model.njoints):
            at, row, count = self.model.idx_qs[k], self.model.idx_vs[k], self.model.nvs[k]
            if self.model.nqs[k] == 2 and count == 1:  # a continuous joint
                configuration[at : at + 2] = np.cos(s[row]), np.sin(s[row])
            else:
                configuration[at : at + count] = s[row : row + count]
        return configuration

    def mass_matrix(self, q: np.ndarray) -> Any:
        upper = np.triu(pin.crba(self.model, self.data, self.configuration(q)))
        return self.map.T @ (upper + np.triu(upper, 1).T) @ self.map

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Any:
        x = self.configuration(q)
        return self.map.T @ pin.rnea(self.model, self.data, x, self.map @ v, self.map @ a)


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", ROBOTS, ids=lambda name: Path(name).stem)
def test_robot(name: str, floating: bool):
    file = urdf_file(name)
    model = quietly(load_urdf, file, floating=floating).build()
    reference = Reference(file, model.variables, floating)
    rng = np.random.default_rng(4)
    q, v, a = (rng.uniform(-1.0, 1.0, model.nq) for _ in range(3))
    zero = np.zeros(model.nq)
    mass = reference.mass_matrix(q)
    compare(model.mass_matrix(q), mass, rtol=1e-12, scale=max(1.0, np.abs(mass).max()), what="mass matrix")
    for what, motion in (("gravity", (q, zero, zero)), ("torques", (q, v, a))):
        forces = reference.inverse_dynamics(*motion)
        scale = max(1.0, np.abs(forces).max())
        compare(model.inverse_dynamics(*motion), forces, rtol=1e-12, scale=scale, what=what)
