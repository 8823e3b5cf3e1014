"""The frames of a model grouped into rigid links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from bough.arguments import Array, Vector
from bough.description.start import from_start
from bough.errors import ModelError
from bough.model.flatten import KINDS, flatten
from bough.model.model import Model

TWIST = 7
BALL = KINDS["ball"]


@dataclass(frozen=True)
class Screw:
    """One variable transform, in the world: a rotation about an axis through a point, or a translation.

    The transform moves by `ratio` times the variable. A ball is three of them, about the axes of the moved frame.
    """

    variable: int
    rotation: bool
    axis: Array
    point: Array
    ratio: float
    ball: bool = False


def start_of(model: Model, q: Vector | None, v: Vector | None) -> tuple[Array, Array]:
    """Configuration and velocities as given, otherwise those of the system's start."""
    q, v = from_start(model, q, v)
    return (
        model.neutral() if q is None else model._vector(q, "q").copy(),
        np.zeros(model.nv) if v is None else model._vector(v, "v").copy(),
    )


class Links:
    """The rigid links of a model at a configuration; kinematic variables count as constants.

    Attributes
    ----------
    labels : tuple of str
        The labels of the frames, depth first.
    poses : array (frames, 4, 4)
        The poses of the frames in the world.
    of : array of int
        The link of every frame: the number of the first frame of the link, 0 for the world.
    moving : list of int
        All links but the world.
    """

    def __init__(self, model: Model, q: Array, engine: str) -> None:
        self.model, self.engine = model, engine
        flat = flatten(model.system)
        self.arrays, self.labels = flat.arrays, flat.frame_labels
        self.poses = np.array([model.pose(label, q) for label in self.labels])
        moving = (self.arrays["variable"] >= 0) & (self.arrays["variable"] < model.nd)
        self.moving: list[int] = np.flatnonzero(moving).tolist()
        self.of = np.zeros(len(self.labels), dtype=int)
        for k in range(1, len(self.labels)):
            self.of[k] = k if moving[k] else self.of[self.arrays["parent"][k]]
        if len(set(self.arrays["variable"][moving].tolist())) < len(self.moving):
            self.refuse("a variable that several transforms share")

    def refuse(self, found: str, do: str = "compare another system, or leave this engine out") -> NoReturn:
        """Raise the error that the engine cannot represent this model."""
        raise ModelError(asked=f"model {self.model.name!r} in {self.engine}", found=found, do=do)

    def parent(self, link: int) -> int:
        """The parent of a link."""
        return int(self.of[self.arrays["parent"][link]])

    def local(self, link: int, frame: int) -> Array:
        """The pose of a frame in a link."""
        pose: Array = inverse(self.poses[link]) @ self.poses[frame]
        return pose

    def screws(self, link: int) -> tuple[Screw, ...]:
        """The screws by which a link moves on its parent: one, or the three of a ball."""
        if int(self.arrays["kind"][link]) != BALL:
            return (self._screw(link),)
        pose, variable = self.poses[link], int(self.arrays["variable"][link])
        return tuple(Screw(variable + a, True, pose[:3, a], pose[:3, 3], 1.0, ball=True) for a in range(3))

    def _screw(self, link: int) -> Screw:
        kind, ratio = int(self.arrays["kind"][link]), float(self.arrays["ratio"][link])
        pose, variable = self.poses[link], int(self.arrays["variable"][link])
        if kind != TWIST:
            return Screw(variable, kind > 3, pose[:3, (kind - 1) % 3], pose[:3, 3], ratio)
        angular, linear = self.arrays["screw"][link][:3], self.arrays["screw"][link][3:]
        size, reach = float(np.linalg.norm(angular)), float(np.linalg.norm(linear))
        if size == 0.0:
            return Screw(variable, False, pose[:3, :3] @ linear / reach, pose[:3, 3], ratio * reach)
        if abs(angular @ linear) > 1e-12 * size * max(size, reach):
            self.refuse(f"frame {self.labels[link]!r} moves by a screw with pitch")
        point = pose[:3, :3] @ np.cross(angular, linear) / size**2 + pose[:3, 3]
        return Screw(variable, True, pose[:3, :3] @ angular / size, point, ratio * size)

    def body(self, link: int) -> tuple[float, Array, Array]:
        """Mass, centre of mass and inertia about it, in the axes of the link."""
        frames = np.flatnonzero((self.of == link) & self.has_mass).tolist()
        local = [self.local(link, k) for k in frames]
        masses = self.arrays["mass"][frames]
        mass = float(masses.sum())
        centres = np.array(
            [g[:3, :3] @ self.arrays["com"][k] + g[:3, 3] for g, k in zip(local, frames, strict=True)]
        )
        com = masses @ centres / mass if mass else np.zeros(3)
        inertia = np.zeros((3, 3))
        for g, k, m, c in zip(local, frames, masses, centres, strict=True):
            arm = c - com
            inertia += g[:3, :3] @ self.arrays["inertia"][k] @ g[:3, :3].T
            inertia += m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return mass, com, inertia

    @property
    def has_mass(self) -> Array:
        """Which frames have mass or inertia."""
        return np.asarray((self.arrays["mass"] > 0) | np.any(self.arrays["inertia"] != 0, axis=(1, 2)))


def inverse(pose: Array) -> Array:
    """The inverse of a rigid pose."""
    result = np.eye(4)
    result[:3, :3] = pose[:3, :3].T
    result[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return result
