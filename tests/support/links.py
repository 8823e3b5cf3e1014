"""A tree of frames as moving links, for libraries that know joints and bodies but no frames.

Own bookkeeping, independent of the core's: every frame is (the last moving transform above it, constant pose
behind that transform); every moving transform k has its own coordinate s_k, with s = shift + chain @ q.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from support.transforms import FIXED, Array, adjoint, inverse_pose, local_transform, spatial_inertia


class Links:
    """Joints and rigid attachments of flat arrays."""

    def __init__(self, flat: Mapping[str, Any]) -> None:
        parent, kind, variable = flat["parent"], flat["kind"], flat["variable"]
        self.joints: list[int] = []  # frame index of every moving transform, parents first
        self.parent: list[int] = []  # joint number of the joint above, -1 for the world
        self.placement: list[Array] = []  # pose of the joint (at parameter 0) behind the joint above
        self.frames: list[tuple[int, Array]] = []  # for every frame: joint number, pose behind the joint
        for k in range(len(parent)):
            joint, pose = self.frames[parent[k]] if k > 0 else (-1, np.eye(4))
            if variable[k] >= 0:
                self.joints.append(k)
                self.parent.append(joint)
                self.placement.append(pose)
                self.frames.append((len(self.joints) - 1, np.eye(4)))
            elif kind[k] == FIXED:
                self.frames.append((joint, pose @ flat["pose"][k]))
            else:
                self.frames.append(
                    (joint, pose @ local_transform(kind[k], flat["value"][k], flat["screw"][k]))
                )
        n, nq = len(self.joints), int(flat["n_variables"])
        self.chain = np.zeros((n, nq))
        self.shift = np.zeros(n)
        for row, k in enumerate(self.joints):
            self.chain[row, variable[k]] = flat["ratio"][k]
            self.shift[row] = flat["offset"][k]

    def parameters(self, q: Array) -> Array:
        return self.shift + self.chain @ q


def screw_axis(xi: Array) -> tuple[Array, Array, float, float]:
    """A point of the axis, its direction, pitch (inf for a pure translation) and the speed along `xi`."""
    angular, linear = np.asarray(xi[:3]), np.asarray(xi[3:])
    speed = float(np.linalg.norm(angular))
    if speed == 0.0:
        speed = float(np.linalg.norm(linear))
        return np.zeros(3), linear / speed, np.inf, speed
    return np.cross(angular, linear) / speed**2, angular / speed, float(angular @ linear) / speed**2, speed


def link_inertias(flat: Mapping[str, Any], links: Links) -> list[tuple[float, Array, Array]]:
    """Mass, centre and tensor about it of all that is rigid behind each joint, in the joint's axes."""
    total = [np.zeros((6, 6)) for _ in links.joints]
    for k, (joint, pose) in enumerate(links.frames):
        if joint >= 0:
            A = adjoint(inverse_pose(pose))
            total[joint] += A.T @ spatial_inertia(flat["mass"][k], flat["com"][k], flat["inertia"][k]) @ A
    result = []
    for I in total:
        mass = I[5, 5]
        com = np.array([I[2, 4], I[0, 5], I[1, 3]]) / mass
        result.append((mass, com, I[:3, :3] - spatial_inertia(mass, com, np.zeros((3, 3)))[:3, :3]))
    return result
