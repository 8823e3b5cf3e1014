"""Inputs and kinematic values of a run of higher order at any instant within its steps.

They are known at the stages and at the Lobatto nodes of all steps. If they are functions of time, the
polynomial through those of a step and of its two neighbours is of higher order than the step itself; what is
held for a step, or linear within it, stays so.
"""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.motion.grid import Grid
from bough.motion.stages import Stages, between, derivative_weights, gauss_times, times_within


class DriveWithin:
    """The drive of a run of order 4, 6 or 8 within its steps."""

    def __init__(self, stages: Stages, prescribed: Array, grid: Grid, order: int) -> None:
        self._stages = stages
        self._steps = grid.steps
        c, d = gauss_times(order)
        self._s = len(c)
        self._prescribed = prescribed
        self._stage_times = times_within(grid, c) if stages.inputs.size else np.zeros((0, 0))
        self._node_times = times_within(grid, d) if stages.nodes.size else np.zeros((0, 0))
        self._d = d
        self._t0 = grid.t0

    def inputs(self, node: int, t: float, held: Array) -> Array:
        """The inputs at a time in the step from a node; `held` are those that hold for it."""
        if not self._stages.inputs.size:
            return held
        near = self._near(node)
        weights = derivative_weights(self._stage_times[near].ravel() - t)[0]
        values = self._stages.inputs[near].reshape(len(weights), -1)
        return np.where(self._stages.timed == 1.0, weights @ values, held)

    def kinematic(self, node: int, t: float) -> tuple[Array, Array, Array]:
        """Values, velocities and accelerations at a time in the step from a node."""
        near = self._near(node)
        first = self._prescribed[near.start]
        start = self._t0 if near.start == 0 else self._node_times[near.start - 1, -1]
        times = np.append(start, self._node_times[near])
        values = np.concatenate([first[None], self._stages.nodes[near].reshape(len(times) - 1, -1)])
        k, vk, ak = derivative_weights(times - t) @ values
        line = self._prescribed[node : node + 2]
        linear = (self._stages.nodes[node] == between(line[:1], line[1:], self._d)[0]).all(axis=0)
        if linear.any():
            begin = self._t0 if node == 0 else self._node_times[node - 1, -1]
            length = self._node_times[node, -1] - begin
            slope = (line[1] - line[0]) / length
            k = np.where(linear, line[0] + (t - begin) * slope, k)
            vk, ak = np.where(linear, slope, vk), np.where(linear, 0.0, ak)
        return k, vk, ak

    def _near(self, node: int) -> slice:
        """The step from a node and its neighbours, three if there are so many."""
        first = min(max(node - 1, 0), max(self._steps - 3, 0))
        return slice(first, min(first + 3, self._steps))
