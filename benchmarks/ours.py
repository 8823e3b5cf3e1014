"""The benchmarked systems in bough."""

from __future__ import annotations

import bough
from benchmarks.systems import GRAVITY, Tree
from bough.model.model import Model


def build(tree: Tree) -> Model:
    """The compiled model of a tree; its variables are in the order of the tree's joints."""
    system = bough.System(tree.name, gravity=GRAVITY)
    frames: list[bough.Frame] = []
    for i in range(tree.n):
        parent = system.world if tree.parent[i] < 0 else frames[tree.parent[i]]
        joint = parent.fixed(tree.pose[i])
        turn = (joint.rx, joint.ry, joint.rz)[tree.axis[i]]
        frames.append(turn(f"q{i}", mass=tree.mass[i], com=tree.com[i], inertia=tree.inertia[i]))
    return system.build()
