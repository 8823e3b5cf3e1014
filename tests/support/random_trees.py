"""Random branched systems: one recipe, fed by a seeded numpy generator or by hypothesis.

Every tree has a regular mass matrix by construction: rigidly behind every moving transform sits a body with a
positive definite inertia, so the first joint from the root that moves always moves a body of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import bough
from support.transforms import Array, rotation

SIX = ("tx", "ty", "tz", "rx", "ry", "rz")


class Source(Protocol):
    """Where a tree's choices come from."""

    def integer(self, low: int, high: int) -> int: ...
    def real(self, low: float, high: float) -> float: ...


class NumpySource:
    """Choices from a seed."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def integer(self, low: int, high: int) -> int:
        return int(self.generator.integers(low, high + 1))

    def real(self, low: float, high: float) -> float:
        return float(self.generator.uniform(low, high))


class DrawnSource:
    """Choices by hypothesis, which seeks out bounds and zeros and shrinks what fails."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def real(self, low: float, high: float) -> float:
        # a thousandth of the range is fine enough, and keeps hypothesis away from 1e-300, where a relative
        # comparison of two algorithms means nothing
        return low + (high - low) * int(self.draw(st.integers(0, 1000))) / 1000.0


@dataclass(frozen=True)
class Node:
    """One frame of a random tree; `parent` is an index into the tree's nodes, -1 for the world."""

    parent: int
    kind: str
    parameter: float | str = 0.0
    kinematic: bool = False
    ratio: float = 1.0
    offset: float = 0.0
    pose: Array | None = None
    screw: Array | None = None
    mass: float = 0.0
    com: Array | None = None
    inertia: Array | None = None


@dataclass(frozen=True)
class Tree:
    """A random tree as data; `system()` makes the `bough.System`, frame n of it is called `f"n{n}"`."""

    nodes: tuple[Node, ...]
    gravity: tuple[float, float, float] | None

    def system(self) -> bough.System:
        system = bough.System("random", gravity=self.gravity)
        frames: list[Any] = []
        for n, node in enumerate(self.nodes):
            parent = system.world if node.parent < 0 else frames[node.parent]
            options: dict[str, Any] = {"name": f"n{n}"}
            if node.mass:
                options |= {"mass": node.mass, "com": node.com, "inertia": node.inertia}
                options = {key: value for key, value in options.items() if value is not None}
            parameter: Any = node.parameter
            if isinstance(parameter, str):
                if node.kinematic:
                    parameter = bough.kinematic(parameter)
                options |= {"ratio": node.ratio, "offset": node.offset, "shared": True}
            if node.kind == "fixed":
                frames.append(parent.fixed(node.pose, **options))
            elif node.kind == "twist":
                frames.append(parent.twist(node.screw, parameter, **options))
            else:
                frames.append(getattr(parent, node.kind)(parameter, **options))
        return system

    @property
    def moving(self) -> list[Node]:
        return [node for node in self.nodes if isinstance(node.parameter, str)]


def orientation(source: Source) -> Array:
    turns = [rotation(axis, source.real(-3.0, 3.0))[:3, :3] for axis in (2, 1, 0)]
    return turns[0] @ turns[1] @ turns[2]


def vector(source: Source, size: float) -> Array:
    return np.array([source.real(-size, size) for _ in range(3)])


def body(source: Source) -> dict[str, Any]:
    """Mass, centre and a full tensor, that of a true mass distribution (triangle inequality)."""
    spread = np.array([source.real(0.02, 0.4) for _ in range(3)])
    R = orientation(source)
    tensor = R @ np.diag(spread.sum() - spread) @ R.T
    com = vector(source, 0.5) if source.integer(0, 2) else None
    return {"mass": source.real(0.2, 3.0), "com": com, "inertia": 0.5 * (tensor + tensor.T)}


def point_mass(source: Source) -> dict[str, Any]:
    return {"mass": source.real(0.1, 1.0), "com": vector(source, 0.5) if source.integer(0, 1) else None}


def screw(source: Source, pitch: bool = True) -> Array:
    """A straight motion, a turn about a line or a true screw, of a length other than one."""
    axis = orientation(source)[:, 0] * source.real(0.5, 1.5)
    form = source.integer(0, 2 if pitch else 1)
    if form == 0:
        return np.concatenate([np.zeros(3), axis])
    moment = np.cross(vector(source, 0.7), axis)
    if form == 2:
        moment = moment + source.real(-0.5, 0.5) * axis
    return np.concatenate([axis, moment])


def constant(source: Source, parent: int, **options: Any) -> Node:
    """A rigid step: one of the six transforms by a number, a fixed pose or a frozen twist."""
    form = source.integer(0, 7)
    if form < 6:
        return Node(parent, SIX[form], source.real(-0.8, 0.8), **options)
    if form == 6:
        pose = np.eye(4)
        pose[:3, :3] = orientation(source)
        pose[:3, 3] = vector(source, 0.6)
        return Node(parent, "fixed", pose=pose, **options)
    return Node(parent, "twist", source.real(-0.8, 0.8), screw=screw(source), **options)


def grow(
    source: Source,
    joints: int,
    *,
    twists: bool = True,
    shared: bool = True,
    kinematic: bool = True,
    pitch: bool = True,
    gravity: bool = True,
    floating: bool = False,
    root: Sequence[str] = ("tx", "ty", "tz", "rz", "ry", "rx"),
) -> Tree:
    """Grow a tree with `joints` moving transforms (the six of a floating base come on top of these).

    Parameters
    ----------
    twists, shared, kinematic
        Allow moving twists, variables used by several transforms (and ratios, offsets), kinematic variables.
    pitch
        Allow moving twists that turn and advance at once.
    gravity
        A random uniform field; otherwise none.
    floating
        Put everything on one free body.
    """
    nodes: list[Node] = []
    variables: list[tuple[str, bool]] = []

    def carry(joint: int) -> None:
        """Put a full body rigidly behind the joint, sometimes more masses, sometimes a few frames away."""
        at = joint
        for _ in range(source.integer(0, 2)):
            extra = point_mass(source) if source.integer(0, 1) else {}
            nodes.append(constant(source, at, **extra))
            at = len(nodes) - 1
        nodes.append(constant(source, at, **body(source)))

    if floating:
        for kind in root:
            nodes.append(Node(len(nodes) - 1, kind, f"base_{kind}"))  # never shared: that would hold the base
        carry(len(nodes) - 1)
    elif source.integer(0, 1):  # a mass that never moves
        nodes.append(constant(source, -1, **body(source)))

    for n in range(joints):
        lowest = len(root) - 1 if floating else -1
        # mostly continue near the tip, sometimes branch anywhere
        parent = source.integer(
            max(lowest, len(nodes) - 4) if source.integer(0, 2) else lowest, len(nodes) - 1
        )
        if source.integer(0, 1):
            nodes.append(constant(source, parent))
            parent = len(nodes) - 1
        name, is_kinematic = (
            f"q{n}",
            kinematic and (floating or bool(variables)) and source.integer(0, 5) == 0,
        )
        ratio, offset = 1.0, 0.0
        if shared and variables and source.integer(0, 4) == 0:
            name, is_kinematic = variables[source.integer(0, len(variables) - 1)]
        else:
            variables.append((name, is_kinematic))
        if shared and source.integer(0, 2) == 0:
            ratio = source.real(0.4, 1.5) * (1.0 if source.integer(0, 1) else -1.0)
            offset = source.real(-1.0, 1.0)
        form = source.integer(0, 6 if twists else 5)
        kind = "twist" if form == 6 else SIX[form]
        full = body(source) if source.integer(0, 1) else {}
        nodes.append(
            Node(
                parent, kind, name, is_kinematic, ratio, offset,
                screw=screw(source, pitch) if kind == "twist" else None, **full,
            )
        )  # fmt: skip
        if not full or source.integer(0, 1):
            carry(len(nodes) - 1)

    field = (source.real(-3.0, 3.0), source.real(-3.0, 3.0), source.real(-10.0, 2.0)) if gravity else None
    return Tree(tuple(nodes), field)


def random_tree(seed: int, joints: int = 6, **options: Any) -> Tree:
    """A tree from a seed."""
    return grow(NumpySource(seed), joints, **options)


def random_state(nq: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """q, v, a from a seed, of order one."""
    generator = np.random.default_rng([seed, 17])
    return (
        generator.uniform(-1.5, 1.5, nq),
        generator.uniform(-2.0, 2.0, nq),
        generator.uniform(-3.0, 3.0, nq),
    )


@st.composite
def trees(draw: Any, min_joints: int = 1, max_joints: int = 6, **options: Any) -> Tree:
    """Trees chosen by hypothesis."""
    source = DrawnSource(draw)
    return grow(source, source.integer(min_joints, max_joints), **options)


@st.composite
def states(draw: Any, nq: int) -> tuple[Array, Array, Array]:
    """q, v, a of nq numbers each, chosen by hypothesis (zeros included)."""
    source = DrawnSource(draw)
    return tuple(np.array([source.real(-s, s) for _ in range(nq)]) for s in (1.5, 2.0, 3.0))  # type: ignore[return-value]
