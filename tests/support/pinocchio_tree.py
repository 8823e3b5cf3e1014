"""The same tree in Pinocchio, one joint per moving transform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from support.links import Links, screw_axis
from support.transforms import RX, TWIST, TX, Array

ALIGNED = {
    TX: pin.JointModelPX, TX + 1: pin.JointModelPY, TX + 2: pin.JointModelPZ,
    RX: pin.JointModelRX, RX + 1: pin.JointModelRY, RX + 2: pin.JointModelRZ,
}  # fmt: skip


class PinocchioTree:
    """Quantities of a tree in the variables q, by Pinocchio's algorithms on the unshared coordinates s."""

    def __init__(self, flat: Mapping[str, Any]) -> None:
        self.links = links = Links(flat)
        self.model = model = pin.Model()
        model.gravity = pin.Motion(np.asarray(flat["gravity"], dtype=float), np.zeros(3))
        self.ids: list[int] = []
        self.speed = np.ones(len(links.joints))  # Pinocchio's coordinate per unit of s
        behind: list[
            pin.SE3
        ] = []  # the frame of a joint seen from Pinocchio's joint (a screw axis may lie off)
        for n, k in enumerate(links.joints):
            placement, after = pin.SE3(links.placement[n]), pin.SE3.Identity()
            if flat["kind"][k] == TWIST:
                point, axis, pitch, self.speed[n] = screw_axis(flat["screw"][k])
                if np.isinf(pitch):
                    joint = pin.JointModelPrismaticUnaligned(axis)
                elif abs(pitch) < 1e-14:
                    joint = pin.JointModelRevoluteUnaligned(axis)
                else:
                    joint = pin.JointModelHelicalUnaligned(axis, pitch)
                shift = pin.SE3(np.eye(3), point)
                placement, after = placement * shift, shift.inverse()
            else:
                joint = ALIGNED[int(flat["kind"][k])]()
            above = links.parent[n]
            parent = 0 if above < 0 else self.ids[above]
            if above >= 0:
                placement = behind[above] * placement
            self.ids.append(model.addJoint(parent, joint, placement, f"joint{n}"))
            behind.append(after)
        for k, (n, pose) in enumerate(links.frames):
            at = pin.SE3(pose) if n < 0 else behind[n] * pin.SE3(pose)
            joint = 0 if n < 0 else self.ids[n]
            model.addFrame(pin.Frame(f"frame{k}", joint, 0, at, pin.FrameType.OP_FRAME), False)
            if flat["mass"][k]:
                inertia = pin.Inertia(
                    float(flat["mass"][k]), np.array(flat["com"][k]), np.array(flat["inertia"][k])
                )
                model.appendBodyToJoint(joint, inertia, at)
        self.data = model.createData()
        # Pinocchio sorts its coordinates by joint id
        self.order = [model.joints[j].idx_v for j in self.ids]
        self.chain = np.zeros((model.nv, links.chain.shape[1]))
        self.chain[self.order] = self.speed[:, None] * links.chain
        self.shift = np.zeros(model.nv)
        self.shift[self.order] = self.speed * links.shift

    def s(self, q: Array) -> Array:
        return self.shift + self.chain @ q

    def pose(self, k: int, q: Array) -> Array:
        pin.framesForwardKinematics(self.model, self.data, self.s(q))
        return np.array(self.data.oMf[self.model.getFrameId(f"frame{k}")].homogeneous)

    def jacobian(self, k: int, q: Array, kind: str) -> Array:
        reference = {"body": pin.LOCAL, "spatial": pin.WORLD, "hybrid": pin.LOCAL_WORLD_ALIGNED}[kind]
        J = pin.computeFrameJacobian(
            self.model, self.data, self.s(q), self.model.getFrameId(f"frame{k}"), reference
        )
        return np.vstack([J[3:], J[:3]]) @ self.chain

    def mass_matrix(self, q: Array) -> Array:
        M = np.triu(pin.crba(self.model, self.data, self.s(q)))
        return self.chain.T @ (M + np.triu(M, 1).T) @ self.chain

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.chain.T @ pin.rnea(self.model, self.data, self.s(q), self.chain @ v, self.chain @ a)

    def bias(self, q: Array, v: Array) -> Array:
        return self.chain.T @ pin.nonLinearEffects(self.model, self.data, self.s(q), self.chain @ v)

    def unshared_acceleration(self, q: Array, v: Array, u: Array) -> Array:
        """`aba`, where every variable moves exactly one transform."""
        ratio = self.chain[np.arange(len(q)), np.argmax(np.abs(self.chain), axis=1)]
        columns = np.argmax(np.abs(self.chain), axis=1)
        assert self.chain.shape == (len(q), len(q))
        force = u[columns] / ratio
        s_acceleration = pin.aba(self.model, self.data, self.s(q), self.chain @ v, force)
        a = np.empty(len(q))
        a[columns] = s_acceleration / ratio
        return a

    def kinetic_energy(self, q: Array, v: Array) -> float:
        return float(pin.computeKineticEnergy(self.model, self.data, self.s(q), self.chain @ v))

    def centroidal_momentum(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Linear momentum, angular momentum about the centre of the moving mass, and that centre."""
        h = pin.computeCentroidalMomentum(self.model, self.data, self.s(q), self.chain @ v)
        return np.array(h.linear), np.array(h.angular), np.array(self.data.com[0])
