"""Elements written in Python, each with the formula of a built-in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import bough

K, REST = 10.0, 0.3


START = {"a": 0.5, "b": -0.4}


def arm(*elements: bough.Potential | bough.Force | bough.Constraint) -> bough.Model:
    system = bough.System("arm")
    elbow = system.world.ry("a").tz(-1.0, name="elbow", mass=1.0)
    elbow.ry("b").tz(-1.0, name="tip", mass=1.0)
    system.world.tx(0.7, name="anchor")
    for element in elements:
        system.add(element)
    return system.build()


@dataclass(frozen=True)
class Spring(bough.Potential):
    """By hand."""

    a: str
    b: str
    stiffness: float
    frame_fields = ("a", "b")

    def energy(self, at: bough.Instant) -> Any:
        return 0.5 * self.stiffness * (self.length(at) - REST) ** 2

    def gradient(self, at: bough.Instant) -> Any:
        d, D = self.difference(at)
        length = self.length(at)
        return self.stiffness * (1.0 - REST / length) * D @ d

    def hessian(self, at: bough.Instant) -> Any:
        d, D = self.difference(at)
        length = self.length(at)
        n = d / length
        A = (1.0 - REST / length) * np.eye(3) + REST / length * np.outer(n, n)
        second = (at.position_dqdq(self.a) - at.position_dqdq(self.b)) @ d
        return self.stiffness * (D @ A @ D.T + (1.0 - REST / length) * second)

    def difference(self, at: bough.Instant) -> Any:
        return at.position(self.a) - at.position(self.b), at.position_dq(self.a) - at.position_dq(self.b)

    def length(self, at: bough.Instant) -> Any:
        d = at.position(self.a) - at.position(self.b)
        return np.sqrt(d @ d)


class ByComplexStep(bough.Potential):
    def energy(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return 0.5 * K * (np.sqrt(d @ d) - REST) ** 2


class ByDifferences(bough.Potential):
    def energy(self, at: bough.Instant) -> Any:
        # the norm of complex numbers is not what a complex step needs: this must be noticed
        return 0.5 * K * (np.linalg.norm(at.position("tip") - at.position("anchor")) - REST) ** 2


class GradientOnly(ByComplexStep):
    def gradient(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return K * (1.0 - REST / np.sqrt(d @ d)) * (at.position_dq("tip") - at.position_dq("anchor")) @ d


POTENTIALS = [Spring("tip", "anchor", K), ByComplexStep(), ByDifferences(), GradientOnly()]


class Friction(bough.Force):
    def force(self, at: bough.Instant) -> Any:
        return {"a": -0.4 * at.v["a"], "b": -0.4 * at.v["b"]}


class FrictionByHand(Friction):
    def force_dq(self, at: bough.Instant) -> Any:
        return np.zeros((2, 2))

    def force_dv(self, at: bough.Instant) -> Any:
        return {("a", "a"): -0.4, ("b", "b"): -0.4}


class Motor(bough.Force):
    def inputs(self) -> tuple[str, ...]:
        return ("torque",)

    def force(self, at: bough.Instant) -> Any:
        return {"b": at.u["torque"]}


class Rod(bough.Constraint):
    def value(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return np.sqrt(d @ d) - 1.5


class RodByHand(Rod):
    def gradient(self, at: bough.Instant) -> Any:
        d = at.position("tip") - at.position("anchor")
        return (at.position_dq("tip") - at.position_dq("anchor")) @ d / np.sqrt(d @ d)


class Weld(bough.Constraint):
    rows = 2

    def value(self, at: bough.Instant) -> Any:
        return (at.position("tip") - np.array([1.2, 0.0, -1.0]))[[0, 2]]
