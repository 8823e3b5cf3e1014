"""The elements of the product: every kind of potential, force and constraint, with the places it is put on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import bough
from support.transforms import Array

U = 1.7


class Places(NamedTuple):
    """What elements are put on: frames (the last, one near it, one half way, one at rest) and variables."""

    last: str
    near: str
    middle: str
    anchor: bough.Frame
    first: str
    second: str
    slide: str
    at: Callable[[str], Array]  # pose of a frame at the start
    q: dict[str, float]  # the start
    system: bough.System

    def fixed_at(self, frame: str, shift: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> bough.Frame:
        """A frame at rest in the place that another one has at the start, or shifted from there."""
        pose = self.at(frame).copy()
        pose[:3, 3] += shift
        return self.system.world.fixed(pose, name=f"at {frame} {len(self.system.elements)}")


class UserPotential(bough.Potential):
    """Of a difference of two variables; nothing tells which, so that it may couple all."""

    def weights(self, at: bough.Instant) -> Array:
        weights = np.zeros(len(at.q))
        weights[0], weights[-1] = 1.0, -0.7
        return weights

    def energy(self, at: bough.Instant) -> Any:
        return 6.0 * (self.weights(at) @ np.asarray(at.q)) ** 2

    def gradient(self, at: bough.Instant) -> Any:
        return 12.0 * (self.weights(at) @ np.asarray(at.q)) * self.weights(at)

    def hessian(self, at: bough.Instant) -> Any:
        return 12.0 * np.outer(self.weights(at), self.weights(at))


class UserForce(bough.Force):
    """Friction of the first variable against the last, and an input."""

    def inputs(self) -> tuple[str, ...]:
        return ("push",)

    def force(self, at: bough.Instant) -> Any:
        f = np.zeros(len(at.q))
        v = np.asarray(at.v)
        f[0] = at.u["push"] - 0.8 * (v[0] - v[-1])
        return f

    def force_dq(self, at: bough.Instant) -> Any:
        return np.zeros((len(at.q), len(at.q)))

    def force_dv(self, at: bough.Instant) -> Any:
        D = np.zeros((len(at.q), len(at.q)))
        D[0, 0] -= 0.8
        D[0, -1] += 0.8
        return D


@dataclass(frozen=True)
class UserConstraint(bough.Constraint):
    """sin(first) + second keeps its value."""

    first: str
    second: str
    total: float
    variable_fields = ("first", "second")

    def value(self, at: bough.Instant) -> Any:
        return np.sin(at.q[self.first]) + at.q[self.second] - self.total

    def gradient(self, at: bough.Instant) -> Any:
        return {self.first: np.cos(at.q[self.first]), self.second: 1.0}

    def hessian(self, at: bough.Instant) -> Any:
        return {(self.first, self.first): -np.sin(at.q[self.first])}


Element = bough.Potential | bough.Force | bough.Constraint


def _chord(x: Places) -> tuple[float, float, float]:
    """The direction from the near frame to the last at the start, in the axes of the near one.

    A beam whose end section is turned by half a turn against its chord has an energy that jumps there.
    """
    near = np.eye(4) if x.near == "still" else x.at(x.near)
    chord = near[:3, :3].T @ (x.at(x.last)[:3, 3] - near[:3, 3])
    return tuple((chord / np.linalg.norm(chord)).tolist())


def _parallel(x: Places) -> bough.ParallelConstraint:
    axis = (0.3, 0.5, 0.8)
    return bough.ParallelConstraint(x.last, x.fixed_at(x.last), axis=axis)


def _rolling(x: Places) -> bough.Rolling:
    """A wheel that touches a plane across (0.2, 0.5, 0.7) where it starts."""
    normal = np.array([0.2, 0.5, 0.7]) / np.sqrt(0.78)
    pose = x.at(x.last)
    along = float(normal @ pose[:3, 1])
    height = float(normal @ pose[:3, 3]) - 0.1 * float(np.sqrt(1.0 - along**2))
    return bough.Rolling(x.last, 0.1, axis=(0, 1, 0), normal=tuple(normal), height=height)


TABLE = tuple((float(s), 8.0 * float(s) - 1.0) for s in np.linspace(-2.0, 6.0, 9))
POTENTIALS: dict[str, Callable[[Places], list[Element]]] = {
    "LinearSpring": lambda x: [
        bough.LinearSpring(x.last, x.near, 30.0, 0.2),
        bough.LinearSpring(x.middle, x.anchor, 12.0, 0.4),
    ],
    "ConfigurationSpring": lambda x: [bough.ConfigurationSpring(x.first, 15.0, 0.2)],
    "GearSpring": lambda x: [bough.GearSpring({x.second: -0.5, x.first: 2.0}, 8.0, 0.1)],
    "NonlinearSpring": lambda x: [
        bough.NonlinearSpring(x.last, x.near, polynomial=(9.0, 2.0, 1.0), rest_length=0.2),
        bough.NonlinearSpring(x.middle, x.anchor, table=TABLE),
    ],
    "NonlinearConfigurationSpring": lambda x: [
        bough.NonlinearConfigurationSpring(x.first, polynomial=(9.0, 2.0, 1.0), rest=0.1),
        bough.NonlinearConfigurationSpring(x.second, table=TABLE),
    ],
    "TorsionSpring": lambda x: [
        bough.TorsionSpring(x.last, x.near, 1.5),
        bough.TorsionSpring(x.middle, x.anchor, 0.7, axis=(0.0, 1.0, 0.0)),
    ],
    "BeamElement": lambda x: [bough.BeamElement(x.near, x.last, 0.3, 8.0, 0.02, 0.02, axis=_chord(x))],
    "Gravity": lambda x: [bough.Gravity((2.0, -3.0, 1.0), frames=sorted({x.last, x.middle}))],
    "CentralGravity": lambda x: [bough.CentralGravity(x.anchor, x.last, mu=5.0)],
    "user potential": lambda x: [UserPotential()],
}
FORCES: dict[str, Callable[[Places], list[Element]]] = {
    "Damping": lambda x: [bough.Damping(0.15), bough.Damping({x.first: 0.4})],
    "ConfigurationForce": lambda x: [bough.ConfigurationForce(x.first, "push")],
    "LinearDamper": lambda x: [
        bough.LinearDamper(x.last, x.near, 0.8),
        bough.LinearDamper(x.middle, x.anchor, 0.4),
    ],
    "Drag": lambda x: [bough.Drag(x.last, 0.3, ("push", 0.0, 1.0))],
    "BodyWrench": lambda x: [bough.BodyWrench(x.last, fx="push", ty=0.4, fz=1.0)],
    "HybridWrench": lambda x: [bough.HybridWrench(x.last, fy="push", tx=0.4, fz=1.0)],
    "SpatialWrench": lambda x: [bough.SpatialWrench(x.last, fx="push", tz=0.4)],
    "PointForce": lambda x: [
        bough.PointForce(x.last, fx="push", fz=0.5),
        bough.PointForce(x.middle, fy=0.7, point=(0.1, 0.2, 0.0), axes="body"),
    ],
    "Servo": lambda x: [
        bough.Servo(x.first, 20.0, 0.5, target="push"),
        bough.Servo(x.second, 50.0, 0.1, target=2.0, effort=1.5, gear=2.0),
    ],
    "FunctionForce": lambda x: [
        bough.FunctionForce(x.first, lambda t, q, v: np.cos(3.0 * t) - 0.2 * v[x.first])
    ],
    "user force": lambda x: [UserForce()],
}
CONSTRAINTS: dict[str, tuple[int, Callable[[Places], list[Element]]]] = {
    "PointConstraint": (2, lambda x: [
        bough.PointConstraint(x.last, x.fixed_at(x.last), axes=((1.0, 0.0, 0.0), (0.0, 0.6, 0.8)))
    ]),
    "PointConstraint in a frame": (1, lambda x: [
        bough.PointConstraint(
            x.last, x.fixed_at(x.last), axis=(0.0, 0.6, 0.8), in_frame=x.middle,
            offset=bough.Sinusoid(0.01, 2.0),
        )
    ]),
    "PlaneConstraint": (1, lambda x: [
        bough.PlaneConstraint(x.last, x.fixed_at(x.last), normal=(0.2, 0.5, 0.7))
    ]),
    "LineConstraint": (2, lambda x: [bough.LineConstraint(x.last, x.fixed_at(x.last), axis=(0.2, 0.5, 0.7))]),
    "ParallelConstraint": (2, lambda x: [_parallel(x)]),
    "WeldConstraint": (6, lambda x: [bough.WeldConstraint(x.last, x.fixed_at(x.last))]),
    "DistanceConstraint": (1, lambda x: [
        bough.DistanceConstraint(x.last, x.fixed_at(x.last, (0.3, 0.2, 0.4)), float(np.sqrt(0.29)))
    ]),
    "GearConstraint": (1, lambda x: [
        bough.GearConstraint({x.first: 1.0, x.second: -2.0}, x.q[x.first] - 2.0 * x.q[x.second])
    ]),
    "ScrewConstraint": (1, lambda x: [bough.ScrewConstraint(x.first, x.slide, 0.3)]),
    "EqualityConstraint": (1, lambda x: [bough.EqualityConstraint((x.first, x.second))]),
    "CamConstraint": (1, lambda x: [
        bough.CamConstraint(x.second, x.first, bough.Sinusoid(0.3, 1.0, 0.2, 0.1))
    ]),
    "Rolling": (3, lambda x: [_rolling(x)]),
    "Skate": (1, lambda x: [bough.Skate(x.last, across=(0.3, 1.0, 0.2))]),
    "user constraint": (1, lambda x: [
        UserConstraint(x.first, x.second, float(np.sin(x.q[x.first]) + x.q[x.second]))
    ]),
}  # fmt: skip
HOLONOMIC = [kind for kind in CONSTRAINTS if kind not in ("Rolling", "Skate")]
KINDS = (*POTENTIALS, *FORCES, *CONSTRAINTS)
