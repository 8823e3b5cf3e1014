"""Velocities of a motion from its configurations alone."""

from __future__ import annotations

from bough.arguments import Array
from bough.model.configurations import refuse_balls
from bough.model.model import Model
from bough.motion.rows import rate


def rates_of(model: Model, q: Array, t: Array) -> Array:
    """Velocities by differences of configurations (rows, nq)."""
    refuse_balls(model, "velocities by differences of q", "give v or p to the trajectory")
    return rate(q, t)
