"""The rotations of balls along a motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.arguments import Array
from bough.errors import unknown_name
from bough.model.configurations import refuse_balls
from bough.model.model import Model
from bough.motion.rows import rate
from bough.named import Named


class Rotations:
    """The part of `Trajectory` about balls."""

    model: Model
    q: Named

    def rotation(self, ball: str) -> Any:
        """The rotations of a ball at all instants, as a SciPy `Rotation`."""
        from scipy.spatial.transform import Rotation

        if ball not in self.model._balls:
            raise unknown_name("ball", str(ball), self.model.balls, self.model._where)
        w, x, y, z = np.asarray(self.q[ball]).T
        return Rotation.from_quat(np.stack([x, y, z, w], axis=-1))


def rates_of(model: Model, q: Array, t: Array) -> Array:
    """Velocities by differences of configurations (rows, nq)."""
    refuse_balls(model, "velocities by differences of q", "give v or p to the trajectory")
    return rate(q, t)
