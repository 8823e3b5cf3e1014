"""The bodies of a motion in maximal coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bough.arguments import Array


@dataclass(frozen=True)
class BodyMotion:
    """The motion of the bodies, time first; `Trajectory.bodies` of a run in maximal coordinates.

    Attributes
    ----------
    names : tuple of str
        The frame that names each body.
    position : array (rows, bodies, 3)
        Centres of mass in the world.
    quaternion : array (rows, bodies, 4)
        Orientations, scalar first: from the axes of the link to the world.
    drift : array (rows, bodies, 2)
        The gap of the joint inboard of each body: metres, and radians; zero after it broke.
    events : list of (time, name)
        Constraints and joints that broke during the run.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> run = bough.simulate(model, {"angle": 0.5}, duration=0.5, dt=0.01, integrator="velocity")
    >>> run.bodies.names, run.bodies.position.shape
    (('bob',), (51, 1, 3))
    """

    names: tuple[str, ...]
    position: Array
    quaternion: Array
    drift: Array
    events: list[tuple[float, str]] = field(default_factory=list)

    def __getitem__(self, key: slice) -> BodyMotion:
        """The motion at some of the instants."""
        return BodyMotion(
            self.names, self.position[key], self.quaternion[key], self.drift[key], list(self.events)
        )

    def arrays(self) -> dict[str, Any]:
        """The arrays to write to a file."""
        return {
            "body_position": self.position,
            "body_quaternion": self.quaternion,
            "joint_drift": self.drift,
        }

    def same(self, other: object) -> bool:
        """Whether all numbers are equal, bit for bit."""
        return isinstance(other, BodyMotion) and all(
            np.array_equal(mine, other.arrays()[name]) for name, mine in self.arrays().items()
        )
