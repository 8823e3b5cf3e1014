"""The product of contacts with trees: kinds of one-sided elements, shapes and sizes of trees, and what else is in them.

A motion is compared with finer ones of itself, and its energy with what forces gave and contacts took: the impulses
of impacts are found from momenta, the energies from nothing that the steps use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import bough
from support.transforms import Array

SHAPES = ("chain", "branched", "free", "floating")
JOINTS = (1, 2, 3, 5, 8, 14)
INERTIA = (0.02, 0.03, 0.025)


class Near(NamedTuple):
    """Where contacts are put: frames and variables, and where they start."""

    last: str
    middle: str
    turning: str
    at: Callable[[str], Array]
    q: Callable[[str], float]
    v: Callable[[str], float]
    system: bough.System

    def below(self, frame: str, gap: float, normal: Array) -> dict[str, Any]:
        """A plane at a distance from the origin of a frame."""
        origin = self.at(frame)[:3, 3] - gap * normal
        return {"origin": tuple(origin.tolist()), "normal": tuple(normal.tolist())}


@dataclass(frozen=True)
class Bound(bough.UnilateralConstraint):
    """sin(variable) stays below a value, with restitution."""

    variable: str
    most: float
    restitution: float = 0.3
    variable_fields = ("variable",)

    def value(self, at: bough.Instant) -> Any:
        return self.most - np.sin(at.q[self.variable])

    def gradient(self, at: bough.Instant) -> Any:
        return {self.variable: -np.cos(at.q[self.variable])}


NORMAL = np.array([0.36, 0.48, 0.8])


def _limit(x: Near, restitution: float) -> bough.UnilateralConstraint:
    q, v = x.q(x.turning), x.v(x.turning)
    bounds = {"upper": q + 0.01} if v > 0.0 else {"lower": q - 0.01}
    return bough.JointLimit(x.turning, **bounds, restitution=restitution)


def _string(x: Near) -> bough.String:
    """From where the frame comes from, a little longer than its distance."""
    place = x.at(x.last).copy()
    place[:3, 3] += (0.3, -0.2, 0.6)
    anchor = x.system.world.fixed(place, name="hook")
    return bough.String(x.last, anchor, 0.7 + 0.004, restitution=0.2)


def _block(x: Near) -> bough.ShapeContact:
    """A ball on the last body above a face of a box at rest."""
    along = np.array([0.8, -0.6, 0.0])
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([along, np.cross(NORMAL, along), NORMAL])
    pose[:3, 3] = x.at(x.last)[:3, 3] - (0.025 + 0.1) * NORMAL
    block = x.system.world.fixed(pose, name="block")
    return bough.ShapeContact(
        x.last, bough.Sphere(0.02), block, bough.Box((1.0, 1.0, 0.2)), friction=0.2, restitution=0.3
    )


def _ground(x: Near) -> bough.ShapeContact:
    """A capsule on the last body above a slope of heights, which are hollow beside it."""
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([np.cross([0.8, -0.6, 0.0], NORMAL), (0.8, -0.6, 0.0), NORMAL])
    pose[:3, 3] = x.at(x.last)[:3, 3] - 0.045 * NORMAL
    ground = x.system.world.fixed(pose, name="ground")
    grid = np.linspace(-1.0, 1.0, 5)
    return bough.ShapeContact(
        x.last,
        bough.Capsule(0.02, 0.04),
        ground,
        bough.Heightfield(grid, grid, np.maximum(0.1 * grid, 0.9 * grid - 0.4)[:, None] * np.ones(5)),
        friction=0.2,
        restitution=0.3,
    )


def _group(x: Near) -> bough.ContactGroup:
    """The same ball and face, found by a broad phase."""
    x.system.shape(x.last, bough.Sphere(0.02))
    x.system.shape(_block(x).against, bough.Box((1.0, 1.0, 0.2)))
    return bough.ContactGroup([x.last], ["block"], friction=0.2, restitution=0.3)


KINDS: dict[str, Callable[[Near], list[Any]]] = {
    "JointLimit": lambda x: [_limit(x, 0.5)],
    "JointLimit at rest": lambda x: [_limit(x, 0.0)],
    "PlaneContact": lambda x: [
        bough.PlaneContact(
            x.last, points=[(0.05, 0, 0), (-0.05, 0.03, 0)], restitution=0.4, **x.below(x.last, 0.045, NORMAL)
        )
    ],
    "PlaneContact with friction": lambda x: [
        bough.PlaneContact(x.last, radius=0.02, friction=0.3, **x.below(x.last, 0.025, NORMAL))
    ],
    "ShapeContact": lambda x: [_block(x)],
    "String": lambda x: [_string(x)],
    "DryFriction": lambda x: [bough.DryFriction(x.turning, torque=0.4)],
    "UnilateralConstraint": lambda x: [Bound(x.turning, float(np.sin(x.q(x.turning))) + 0.01)],
    "all of them": lambda x: [
        _limit(x, 0.3),
        _string(x),
        bough.DryFriction(x.turning, torque=0.2),
        bough.PlaneContact(x.last, radius=0.02, friction=0.2, **x.below(x.last, 0.03, NORMAL)),
    ],
    "ContactGroup": lambda x: [_group(x)],
    "ShapeContact on heights": lambda x: [_ground(x)],
    "DryFriction of a ball": lambda x: [
        bough.DryFriction(f"base_{rate}", 0.2) for rate in ("wx", "wy", "wz")
    ],
}


@dataclass(frozen=True)
class Case:
    """A system of the product."""

    kind: str
    shape: str
    joints: int
    rows: bool
    kinematic: bool
    shared: bool

    def __str__(self) -> str:
        flags = [name for name in ("rows", "kinematic", "shared") if getattr(self, name)]
        return f"{self.kind}, {self.shape} of {self.joints}" + "".join(f", {name}" for name in flags)

    @property
    def fits(self) -> bool:
        variables = self.joints + (6 if self.shape in ("free", "floating") else 0)
        if (
            self.shape == "floating" and self.kind == "UnilateralConstraint"
        ):  # of the user, which balls do not take
            return False
        if self.kind == "DryFriction of a ball" and self.shape != "floating":
            return False
        return not self.rows or variables >= 4


def cases(kind: str) -> Iterator[Case]:
    """All systems with a kind of contact."""
    for shape in SHAPES:
        for joints in JOINTS:
            for flags in range(8):
                case = Case(kind, shape, joints, bool(flags & 1), bool(flags & 2), bool(flags & 4))
                if case.fits:
                    yield case


class Motion(NamedTuple):
    model: bough.Model
    arguments: dict[str, Any]


def tree(case: Case) -> tuple[bough.System, list[str]]:
    """The tree alone, and its frames."""
    system = bough.System(str(case), gravity=(0.5, 0.3, -9.81))
    root = system.world
    if case.shape == "free":
        root = system.world.free("base", name="base", mass=2.0, inertia=(0.3, 0.4, 0.5))
    elif case.shape == "floating":
        root = system.world.floating("base", name="base", mass=2.0, inertia=(0.3, 0.4, 0.5))
    frames: list[bough.Frame] = []
    body: dict[str, Any] = {"mass": 0.6, "inertia": INERTIA}
    for i in range(case.joints):
        parent = i - 1 if case.shape == "chain" else (i - 1) // 2
        at = (root if i == 0 else frames[parent]).tx(0.08).tz(-0.2)
        if case.kinematic and i == case.joints // 2:
            at = at.ry(bough.kinematic("drive"))
        move = getattr(at, ("ry", "rx", "tz", "rz", "ry")[i % 5])
        frames.append(move(f"q{i}").tz(-0.15, name=f"b{i}", **body))
    if case.shared:
        frames[-1].tx(0.1).rx("q0", ratio=-0.5, offset=0.2).ty(0.15, name="sharing", **body)
    return system, [frame.name for frame in frames]


def motion(case: Case) -> Motion:
    """The system of a case, and where it starts: towards its contacts."""
    system, names = tree(case)
    bare = system.build()
    n = np.arange(bare.nv)
    q = bare.integrate(bare.neutral(), 0.3 * np.sin(1.0 + 2.1 * n))
    v = 0.6 * np.cos(0.3 + 1.7 * n)
    # the last body goes against the plane and away from the hook
    J = bare.pose_dq(names[-1], q)[:, :3, 3] if not bare._balls else None
    if J is not None:
        towards = J[: bare.nd] @ (-NORMAL)
        v[: bare.nd] += 1.5 * towards / max(1.0, float(np.linalg.norm(towards)))
    index = {name: i for i, name in enumerate(bare.variables)}
    coordinates = {name: i for i, name in enumerate(bare.coordinates)}
    near = Near(
        names[-1], names[len(names) // 2], "q0", lambda name: bare.pose(name, q),
        lambda name: float(q[coordinates[name]]), lambda name: float(v[index[name]]), system,
    )  # fmt: skip
    for element in KINDS[case.kind](near):
        system.add(element)
    if case.rows:
        pose = bare.pose(names[-1], q).copy()
        pose[:3, 3] += (0.5, -0.3, 0.4)
        fixed = system.world.fixed(pose, name="fixed")
        system.add(bough.DistanceConstraint(names[-1], fixed, float(np.sqrt(0.5)), name="wire"))
    model = system.build()
    state = model.assemble(q, v)
    arguments: dict[str, Any] = {"q": state.q, "v": state.v}
    if model.nk:
        k0, vk = float(state.q[-1]), float(state.v[-1])
        arguments["k"] = {"drive": lambda t: k0 + vk * np.sin(2.0 * t) / 2.0}
    return Motion(model, arguments)
