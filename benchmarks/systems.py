"""The benchmarked systems in plain numbers, the same for every engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Tree:
    """Revolute joints, each with one body; every row describes one joint, in depth-first order.

    ``pose`` places the joint in its parent's frame, ``axis`` is 0, 1, 2 for x, y, z; ``com`` and ``inertia``
    (about the centre of mass) are in the joint's own frame.
    """

    name: str
    parent: NDArray[np.int32]
    axis: NDArray[np.int32]
    pose: Array
    mass: Array
    com: Array
    inertia: Array

    @property
    def n(self) -> int:
        return len(self.parent)


def chain(n: int) -> Tree:
    """A chain of ``n`` joints with alternating axes y, z, x and bodies of full inertia."""
    rng = np.random.default_rng(n)
    pose = np.tile(np.eye(4), (n, 1, 1))
    pose[1:, :3, 3] = (0.05, -0.1, -0.4)
    axis = np.resize([1, 2, 0], n)
    return _with_bodies(f"chain {n}", np.arange(-1, n - 1), axis, pose, rng)


def branched_tree() -> Tree:
    """36 joints: a trunk of six that carries five limbs of six, placed with random rotations."""
    rng = np.random.default_rng(1)
    parent = [-1]
    below = 0
    for _ in range(5):
        parent.append(below)
        below = len(parent) - 1
        parent += range(below, below + 6)
    n = len(parent)
    pose = np.tile(np.eye(4), (n, 1, 1))
    pose[:, :3, :3] = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    pose[:, :3, :3] *= np.sign(np.linalg.det(pose[:, :3, :3]))[:, None, None]
    pose[:, :3, 3] = rng.uniform(-0.4, 0.4, (n, 3))
    return _with_bodies(f"tree {n}", np.asarray(parent), rng.integers(0, 3, n), pose, rng)


def pendulum(n: int) -> Tree:
    """``n`` links of 1 m on hinges y; 1 kg with inertia 0.1 at the lower end of each."""
    pose = np.tile(np.eye(4), (n, 1, 1))
    pose[1:, 2, 3] = -1.0
    return Tree(
        name=f"pendulum {n}",
        parent=np.arange(-1, n - 1, dtype=np.int32),
        axis=np.ones(n, dtype=np.int32),
        pose=pose,
        mass=np.ones(n),
        com=np.tile((0.0, 0.0, -1.0), (n, 1)),
        inertia=np.tile(0.1 * np.eye(3), (n, 1, 1)),
    )


def states(tree: Tree, count: int) -> tuple[Array, Array, Array]:
    """Random configurations, velocities, and accelerations or forces, each of shape (count, n)."""
    rng = np.random.default_rng(7)
    q, v, x = rng.uniform(-1.0, 1.0, (3, count, tree.n))
    return q, v, x


def _with_bodies(
    name: str, parent: NDArray[np.int_], axis: NDArray[np.int_], pose: Array, rng: np.random.Generator
) -> Tree:
    """Bodies made of six random point masses: every inertia is full and physical."""
    n = len(parent)
    mass = rng.uniform(0.2, 0.5, (n, 6))
    point = rng.uniform(-0.3, 0.3, (n, 6, 3))
    total = mass.sum(axis=1)
    com = np.einsum("ij,ijk->ik", mass, point) / total[:, None]
    arm = point - com[:, None]
    square = np.einsum("ij,ijk,ijk->i", mass, arm, arm)
    inertia = square[:, None, None] * np.eye(3) - np.einsum("ij,ijk,ijl->ikl", mass, arm, arm)
    return Tree(name, parent.astype(np.int32), axis.astype(np.int32), pose, total, com, inertia)
