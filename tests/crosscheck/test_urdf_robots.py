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
from scipy.spatial.transform import Rotation

from bough.io.urdf import load_urdf
from support.compare import compare
from support.robot_files import ROBOTS, quietly, urdf_file

MOTIONS = ("tx", "ty", "tz", "rz", "ry", "rx")
TURNING = ("tx", "ty", "tz", "wx", "wy", "wz")


class Reference:
    """Pinocchio without mimic joints; the map s = G q + c to its joints is made from the file here."""

    def __init__(self, file: Path, variables: tuple[str, ...], base: str) -> None:
        self.flies = base == "ball"
        if self.flies:
            self.model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
        elif base == "angles":
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
            if base != "fixed" and k == 1:
                for n, motion in enumerate(TURNING if self.flies else MOTIONS):
                    self.map[row + n, index[f"root_{motion}"]] = 1.0
                continue
            joint, ratio, offset = joints[self.model.names[k]], 1.0, 0.0
            while joint.mimic is not None:
                ratio, offset = ratio * joint.mimic.multiplier, offset + ratio * joint.mimic.offset
                joint = joints[joint.mimic.joint]
            self.map[row, index[joint.name]], self.offset[row] = ratio, offset

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """q of Pinocchio, of bough's with the quaternion of a base that flies as its numbers 3 to 6."""
        start = self.map[:, 6:] @ q[7:] if self.flies else self.map @ q
        s = start + self.offset
        configuration = np.zeros(self.model.nq)
        for k in range(1, self.model.njoints):
            at, row, count = self.model.idx_qs[k], self.model.idx_vs[k], self.model.nvs[k]
            if self.flies and k == 1:
                configuration[at : at + 7] = q[[0, 1, 2, 4, 5, 6, 3]]
            elif self.model.nqs[k] == 2 and count == 1:  # a continuous joint
                configuration[at : at + 2] = np.cos(s[row]), np.sin(s[row])
            else:
                configuration[at : at + count] = s[row : row + count]
        return configuration

    def rates(self, q: np.ndarray) -> np.ndarray:
        """v of Pinocchio = rates @ v of bough: linear rates of a base that flies are in its own axes there."""
        if not self.flies:
            return self.map
        map = self.map.copy()
        map[:3, :3] = turn_of(q).T
        return map

    def mass_matrix(self, q: np.ndarray) -> Any:
        upper = np.triu(pin.crba(self.model, self.data, self.configuration(q)))
        map = self.rates(q)
        return map.T @ (upper + np.triu(upper, 1).T) @ map

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Any:
        x, map = self.configuration(q), self.rates(q)
        acceleration = map @ a
        if self.flies:  # the axes of the linear rates turn
            acceleration[:3] -= np.cross(v[3:6], map[:3, :3] @ v[:3])
        return map.T @ pin.rnea(self.model, self.data, x, map @ v, acceleration)


def turn_of(q: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(q[[4, 5, 6, 3]]).as_matrix()


@pytest.mark.parametrize("base", ["fixed", "ball", "angles"])
@pytest.mark.parametrize("name", ROBOTS, ids=lambda name: Path(name).stem)
def test_robot(name: str, base: str):
    file = urdf_file(name)
    options = {} if base == "fixed" else {"floating": True, "rotation": base}
    model = quietly(load_urdf, file, **options).build()
    reference = Reference(file, model.variables, base)
    rng = np.random.default_rng(4)
    q, v, a = (rng.uniform(-1.0, 1.0, model.nv) for _ in range(3))
    q = model.integrate(model.neutral(), q)
    zero = np.zeros(model.nv)
    mass = reference.mass_matrix(q)
    compare(model.mass_matrix(q), mass, rtol=1e-12, scale=max(1.0, np.abs(mass).max()), what="mass matrix")
    for what, motion in (("gravity", (q, zero, zero)), ("torques", (q, v, a))):
        forces = reference.inverse_dynamics(*motion)
        scale = max(1.0, np.abs(forces).max())
        compare(model.inverse_dynamics(*motion), forces, rtol=1e-12, scale=scale, what=what)
