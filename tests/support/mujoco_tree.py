"""The same tree in MuJoCo, one body with one hinge or slide per moving transform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from support.links import Links, link_inertias, screw_axis
from support.transforms import Array, body_twist


def quaternion(R: Array) -> Array:
    result = np.zeros(4)
    mujoco.mju_mat2Quat(result, np.ascontiguousarray(R).ravel())
    return result


class MujocoTree:
    """Quantities of a tree in the variables q, by MuJoCo on the unshared coordinates s.

    MuJoCo has no helical joint: moving twists have to be pure turns or translations.
    """

    def __init__(self, flat: Mapping[str, Any]) -> None:
        self.links = links = Links(flat)
        spec = mujoco.MjSpec()
        spec.compiler.balanceinertia = False
        spec.compiler.fusestatic = False
        spec.compiler.degree = False
        spec.option.gravity = np.asarray(flat["gravity"], dtype=float)
        self.speed = np.ones(len(links.joints))
        bodies: list[Any] = []
        for n, (k, (mass, com, tensor)) in enumerate(
            zip(links.joints, link_inertias(flat, links), strict=True)
        ):
            parent = spec.worldbody if links.parent[n] < 0 else bodies[links.parent[n]]
            pose = links.placement[n]
            body = parent.add_body(name=f"body{n}", pos=pose[:3, 3], quat=quaternion(pose[:3, :3]))
            body.explicitinertial = True
            body.mass, body.ipos = mass, com
            moments, axes = np.linalg.eigh(tensor)
            axes[:, 0] *= np.linalg.det(axes)
            body.inertia, body.iquat = moments, quaternion(axes)
            kind = int(flat["kind"][k])
            point, axis, pitch, self.speed[n] = screw_axis(body_twist(kind, flat["screw"][k]))
            slide = np.isinf(pitch)
            assert slide or abs(pitch) < 1e-14, "MuJoCo has no helical joint"
            joint_type = mujoco.mjtJoint.mjJNT_SLIDE if slide else mujoco.mjtJoint.mjJNT_HINGE
            body.add_joint(name=f"joint{n}", type=joint_type, axis=axis, pos=point, armature=0.0)
            bodies.append(body)
        self.model = model = spec.compile()
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.data = mujoco.MjData(model)
        self.order = [model.joint(f"joint{n}").dofadr[0] for n in range(len(links.joints))]
        self.chain = np.zeros((model.nv, links.chain.shape[1]))
        self.chain[self.order] = self.speed[:, None] * links.chain
        self.shift = np.zeros(model.nv)
        self.shift[self.order] = self.speed * links.shift

    def forward(self, q: Array, v: Array | None = None, force: Array | None = None) -> None:
        self.data.qpos[:] = self.shift + self.chain @ q
        self.data.qvel[:] = 0.0 if v is None else self.chain @ v
        self.data.qfrc_applied[:] = 0.0 if force is None else force
        mujoco.mj_forward(self.model, self.data)

    def pose(self, k: int, q: Array) -> Array:
        self.forward(q)
        n, local = self.links.frames[k]
        if n < 0:
            return local
        pose = np.eye(4)
        body = self.data.body(f"body{n}")
        pose[:3, :3] = body.xmat.reshape(3, 3)
        pose[:3, 3] = body.xpos
        return pose @ local

    def mass_matrix(self, q: Array) -> Array:
        self.forward(q)
        columns = np.zeros((self.model.nv, self.model.nv))
        for column, unit in zip(columns, np.eye(self.model.nv), strict=True):
            mujoco.mj_mulM(self.model, self.data, column, unit)
        return self.chain.T @ columns.T @ self.chain

    def bias(self, q: Array, v: Array) -> Array:
        self.forward(q, v)
        return self.chain.T @ self.data.qfrc_bias

    def unshared_acceleration(self, q: Array, v: Array, u: Array) -> Array:
        """`mj_forward`, where every variable moves exactly one transform."""
        columns = np.argmax(np.abs(self.chain), axis=1)
        ratio = self.chain[np.arange(len(q)), columns]
        assert self.chain.shape == (len(q), len(q))
        self.forward(q, v, u[columns] / ratio)
        a = np.empty(len(q))
        a[columns] = self.data.qacc / ratio
        return a
