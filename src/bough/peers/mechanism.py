"""A model as rigid bodies and joints at one configuration, from which engines without frames are built.

A *body* is everything that is rigidly connected and has mass. The variable transforms between a body and the
next body towards the world are its *joint*, a list of screws. Point and distance constraints are *loops*.
Kinematic variables are held at their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from bough.arguments import Array
from bough.description.element import Constraint, Element
from bough.description.parameter import Kinematic
from bough.elements.constraints import DistanceConstraint, PointConstraint, WeldConstraint
from bough.elements.forces import Damping
from bough.elements.potentials import ConfigurationSpring
from bough.model.model import Model
from bough.peers.links import Links, Screw

WORLD = -1


@dataclass(frozen=True)
class Body:
    """A rigid body: pose of its frame in the world, and mass, centre and inertia about it in that frame."""

    frame: str
    pose: Array
    mass: float
    com: Array
    inertia: Array


@dataclass(frozen=True)
class Joint:
    """How a body moves relative to another one (-1 is the world): screws, from that body outwards."""

    parent: int
    child: int
    screws: tuple[Screw, ...]


@dataclass(frozen=True)
class Loop:
    """Two bodies (-1 is the world) that are held together: "point", "distance" or "weld".

    `points` are in the world; `length` is their distance.
    """

    kind: str
    bodies: tuple[int, int]
    points: Array
    length: float = 0.0


@dataclass(frozen=True)
class Mechanism:
    """Bodies, joints and loops of a model at the configuration q.

    `normal` is the direction that all rotations turn about and no motion has a part along, None in space.
    `springs` has a row (variable, stiffness, rest, damping) for every variable with a spring or a damper.
    """

    model: Model
    q: Array
    engine: str
    bodies: tuple[Body, ...] = field(init=False)
    joints: tuple[Joint, ...] = field(init=False)
    loops: tuple[Loop, ...] = field(init=False)
    springs: Array = field(init=False)
    normal: Array | None = field(init=False)

    def __post_init__(self) -> None:
        parts = _Parts(Links(self.model, self.q, self.engine), self.q)
        joints = parts.joints()
        normal = _normal([screw for joint in joints for screw in joint.screws])
        fields: dict[str, Any] = {"joints": joints, "normal": normal}
        fields["bodies"] = tuple(parts.body(link, normal) for link in parts.massive)
        fields["springs"] = _springs(parts.links)
        fields["loops"] = parts.loops()
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_places", parts.places())

    def place(self, frame: str) -> tuple[int, Array]:
        """The body that a frame belongs to (-1 is the world), and the pose of the frame in it."""
        places: dict[str, tuple[int, Array]] = self.__dict__["_places"]
        return places[frame]

    def refuse(self, found: str) -> NoReturn:
        """Raise the error that the engine cannot represent this mechanism."""
        Links(self.model, self.q, self.engine).refuse(found)


class _Parts:
    """Bodies, joints and loops, from the links of a model."""

    def __init__(self, links: Links, q: Array) -> None:
        self.links, self.model, self.q = links, links.model, q
        self.massive: list[int] = sorted(set(links.of[links.has_mass].tolist()) - {0})
        self.index = {link: i for i, link in enumerate(self.massive)} | {0: WORLD}

    def places(self) -> dict[str, tuple[int, Array]]:
        """The body and pose of every frame, except those of links without mass."""
        return {
            label: (self.index[link], self.links.local(link, k))
            for k, (label, link) in enumerate(zip(self.links.labels, self.links.of.tolist(), strict=True))
            if link in self.index
        }

    def joints(self) -> tuple[Joint, ...]:
        """From every body to the next one towards the world, across links without mass."""
        links, found, crossed = self.links, [], set()
        for link in self.massive:
            screws, below = [*reversed(links.screws(link))], links.parent(link)
            while below not in self.index:
                if below in crossed:
                    links.refuse(
                        f"frame {links.labels[below]!r} moves several bodies and has no mass itself",
                        "give it a mass",
                    )
                crossed.add(below)
                screws += reversed(links.screws(below))
                below = links.parent(below)
            found.append(Joint(self.index[below], self.index[link], tuple(reversed(screws))))
        return tuple(found)

    def body(self, link: int, normal: Array | None) -> Body:
        """The masses of a link together; in the plane only the moment about its normal counts."""
        label, pose = self.links.labels[link], self.links.poses[link]
        mass, com, inertia = self.links.body(link)
        if normal is not None:
            n = pose[:3, :3].T @ normal
            inertia = float(n @ inertia @ n) * np.eye(3)
        if mass == 0.0 or np.linalg.eigvalsh(inertia)[0] <= 0.0:
            self.links.refuse(
                f"the body of frame {label!r} is without mass, or without inertia about some axis",
                "give it mass and inertia; bough.peers.with_inertia(system, 0.01) does so for point masses",
            )
        return Body(label, pose, mass, com, inertia)

    def loops(self) -> tuple[Loop, ...]:
        """Constraints that close loops."""
        elements = [e for e in self.model.system.elements if isinstance(e, Constraint)]
        found = [self._loop(e) for e in elements if not isinstance(e, PointConstraint)]
        points: dict[tuple[str, str], list[PointConstraint]] = {}
        for element in elements:
            if isinstance(element, PointConstraint):
                points.setdefault((str(element.a), str(element.b)), []).append(element)
        return (*found, *(self._pin(a, b, rows) for (a, b), rows in points.items()))

    def _ends(self, a: object, b: object) -> tuple[tuple[int, int], Array]:
        frames = [self.links.labels.index(str(end)) for end in (a, b)]
        for k in frames:
            if int(self.links.of[k]) not in self.index:
                self.links.refuse(
                    f"a constraint holds frame {self.links.labels[k]!r}, which moves without mass",
                    "give it a mass",
                )
        first, second = (self.index[int(self.links.of[k])] for k in frames)
        return (first, second), self.links.poses[frames, :3, 3]

    def _loop(self, element: Element) -> Loop:
        if isinstance(element, DistanceConstraint):
            bodies, points = self._ends(element.a, element.b)
            length = element.length
            if isinstance(length, Kinematic):
                return Loop(
                    "distance", bodies, points, float(self.q[self.model.coordinates.index(length.name)])
                )
            if isinstance(length, float):
                return Loop("distance", bodies, points, length)
        if isinstance(element, WeldConstraint) and element.pose is None:
            return Loop("weld", *self._ends(element.a, element.b))
        return self.links.refuse(f"{type(element).__name__}, which has no joint there")

    def _pin(self, a: str, b: str, rows: Sequence[PointConstraint]) -> Loop:
        """Rows between two frames that hold them together in all directions in which they could part."""
        bodies, points = self._ends(a, b)
        held = np.array([axis for row in rows for axis in row.directions])
        if any(row.offset or row.in_frame for row in rows):
            self.links.refuse("a point constraint with an offset or in the axes of a frame")
        moves = np.random.default_rng(0).normal(size=(2, self.model.nv))
        elsewhere = self.model.integrate(self.q, moves)  # singular nowhere
        slopes = self.model.pose_dq(a, elsewhere) - self.model.pose_dq(b, elsewhere)
        part = slopes[:, : self.model.nd, :3, 3]
        across = np.eye(3) - np.linalg.pinv(held) @ held
        if np.abs(part @ across).max() > 1e-9 * max(1.0, np.abs(part).max()):
            self.links.refuse(f"frames {a!r} and {b!r} held together in some directions only")
        return Loop("point", bodies, points)


def _normal(screws: Sequence[Screw]) -> Array | None:
    """The common axis of all rotations, if nothing slides along it."""
    turns = [screw.axis for screw in screws if screw.rotation]
    if not turns:
        return None
    n = turns[0]
    parallel = all(np.linalg.norm(np.cross(n, axis)) < 1e-9 for axis in turns)
    flat = all(abs(n @ screw.axis) < 1e-9 for screw in screws if not screw.rotation)
    return n if parallel and flat else None


def _springs(links: Links) -> Array:
    """Rows (variable, stiffness, rest, damping)."""
    model = links.model
    rows = np.zeros((model.nd, 4))
    rows[:, 0] = np.arange(model.nd)
    for element, record in zip(model._elements, model._records, strict=True):
        if isinstance(element, Constraint):
            continue
        if isinstance(element, ConfigurationSpring) and model.index(element.variable) < model.nd:
            row = rows[model.index(element.variable)]
            total = row[1] + element.stiffness
            row[2] = (row[1] * row[2] + element.stiffness * element.rest) / total if total else 0.0
            row[1] = total
        elif isinstance(element, Damping):
            _, _, variables, _, values = record
            rows[variables, 3] += values
        else:
            links.refuse(f"{type(element).__name__}, which has no counterpart there")
    return rows[np.any(rows[:, [1, 3]] != 0.0, axis=1)]
