"""The task of a planner in arrays, and the motion under joint velocities: docs/theory/control.md, section 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.model.model import Model

BASE = 6  # number of variables of a free base
POSE = 16  # numbers of a pose


@dataclass(frozen=True)
class Task:
    """A checked task: start, end, number of steps, cost and limits.

    Attributes
    ----------
    dynamic : False: the effort is the joint acceleration, True: the joint force
    momentum : spatial momentum (moment about the world's origin, force), (6,), or (0,) for zero
    pose, base, start : the pose of the base at the start, its six variables, and the shape
    attitude : the rotation of the base at the end, (3, 3), or None if it is free
    shape, fixed : the shape at the end, (n,), and which of its variables must have these values
    end_momentum : momenta of the joints at the end, (n,): those of joints at rest
    momentum_scale : the momenta of joints at a mean velocity, (n,)
    weight : weight of the square of each effort, (n,)
    low, high : bounds of (shape, velocity, effort), (3 n,), infinite if there is none
    """

    model: Model
    steps: int
    h: float
    dynamic: bool
    momentum: Array
    pose: Array
    base: Array
    start: Array
    start_momentum: Array
    attitude: Array | None
    shape: Array
    fixed: Array
    end_momentum: Array
    momentum_scale: Array
    weight: Array
    low: Array
    high: Array

    @property
    def n(self) -> int:
        """The number of shape variables."""
        return self.model.nv - BASE

    @property
    def states(self) -> int:
        """The size of a state (delta, r, p)."""
        return BASE + 2 * self.n

    @property
    def duration(self) -> float:
        """That of all steps."""
        return self.steps * self.h


class Motion:
    """The motion of a task's model under joint rates, (steps, n), held during each step.

    Attributes
    ----------
    r, p : shapes and momenta of the joints at the nodes, (steps + 1, n)
    g : poses of the base, (steps + 1, 4, 4)
    f : efforts held during the steps, (steps, n)
    failed : 0, or the step at which the locked inertia is singular, or minus the step that has no solution
    """

    def __init__(self, task: Task, rates: Array, dynamic: bool | None = None) -> None:
        self.task, self.rates = task, np.ascontiguousarray(rates)
        steps, n, h = task.steps, task.n, task.h
        self.r = np.concatenate((task.start[None], task.start + np.cumsum(h * rates, axis=0)))
        self.g = np.zeros((steps + 1, 4, 4))
        self.g[0] = task.pose
        D1, D2 = np.empty((steps, n)), np.empty((steps, n))
        dynamic = task.dynamic if dynamic is None else dynamic
        self.failed = int(
            core.reconstruct(task.model._core, h, dynamic, task.momentum, self.rates, self.r, self.g, D1, D2)
        )
        # p' = D2 - D1 - p, summed with alternating signs; f = -2 (p + D1)/h  (CM5)
        sign = np.where(np.arange(steps + 1) % 2, -1.0, 1.0)[:, None]
        first = task.start_momentum if dynamic else np.zeros(n)
        self.p = sign * np.concatenate((first[None], first + np.cumsum(sign[1:] * (D2 - D1), axis=0)))
        self.f = -2.0 / h * (self.p[:-1] + D1)

    @cached_property
    def effort(self) -> float:
        """The cost: sum of h/2 weight f²."""
        return float(0.5 * self.task.h * np.sum(self.task.weight * self.f**2))

    @cached_property
    def states(self) -> Array:
        """The states (g, r, p) at the nodes, (steps + 1, 16 + 2 n)."""
        return np.concatenate((self.g.reshape(-1, POSE), self.r, self.p), axis=1)

    @cached_property
    def limited(self) -> Array:
        """The bounded quantities, (steps, 3 n): the shape at the end of each step, velocity, effort."""
        return np.concatenate((self.r[1:], self.rates, self.f), axis=1)


def skew(a: Array) -> Array:
    """a^ with a^ b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def cayley_vector(R: Array) -> Array:
    """2 tan(angle/2) times the axis of a rotation; very long for half a turn."""
    axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    vector: Array = 2.0 * axial / max(1.0 + np.trace(R), 1e-12)
    return vector


def turn(R: Array) -> Array:
    """The rotation vector of a rotation: axis times angle, at most half a turn."""
    from scipy.spatial.transform import Rotation

    vector: Array = Rotation.from_matrix(R).as_rotvec()
    return vector
