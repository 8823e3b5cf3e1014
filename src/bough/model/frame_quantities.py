"""Poses, Jacobians and body velocities of frames, with their derivatives: docs/theory/tree.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array, Vector, batch
from bough.description.frame import Frame
from bough.errors import unknown_name
from bough.model.evaluation import Evaluation

_JACOBIANS = {kind.name: kind for kind in core.JacobianKind}


class FrameQuantities(Evaluation):
    """The quantities of frames."""

    def pose(self, frame: str | Frame, q: Vector) -> Array:
        """The pose of a frame in the world, (..., 4, 4)."""
        return self._of_frame(core.pose, (4, 4), frame, q)

    def poses(self, frames: Sequence[str | Frame], q: Vector) -> Array:
        """The poses of several frames in the world, (..., len(frames), 4, 4): faster than one by one."""
        chosen = np.array([self._frame(frame) for frame in frames], dtype=np.int32)
        if core.are_vectors(self._plain, q):
            out = np.empty((len(chosen), 4, 4))
            core.poses(self._core, chosen, q, out)  # type: ignore[arg-type]  # a vector
            return out
        shape, (rows,) = batch(self._vector(q, "q"))
        out = np.empty((len(rows), len(chosen), 4, 4))
        core.poses(self._core, chosen, rows, out)
        return out.reshape((*shape, len(chosen), 4, 4))

    def pose_dq(self, frame: str | Frame, q: Vector) -> Array:
        """dg/dq_i, (..., nv, 4, 4)."""
        return self._of_frame(core.pose_dq, (self.nv, 4, 4), frame, q)

    def pose_dqdq(self, frame: str | Frame, q: Vector) -> Array:
        """d²g/dq_i dq_j, (..., nv, nv, 4, 4)."""
        return self._of_frame(core.pose_dqdq, (self.nv, self.nv, 4, 4), frame, q)

    def pose_derivative(self, frame: str | Frame, q: Vector, variables: Sequence[str]) -> Array:
        """The derivative of the pose by chosen variables, of any order, (..., 4, 4).

        `variables=("a", "a", "b")` is d³g/da² db.
        """
        chosen = np.array([self.index(name) for name in variables], dtype=np.int32)

        def quantity(model: Any, index: int, q: Array, out: Array) -> None:
            core.pose_derivative(model, index, q, chosen, out)

        return self._of_frame(quantity, (4, 4), frame, q)

    def jacobian(self, frame: str | Frame, q: Vector, kind: str = "body") -> Array:
        """The Jacobian of a frame, (..., 6, nv), rows (angular, linear).

        kind "body": velocities in the frame's axes at its origin; "spatial": in world axes at the world
        origin; "hybrid": in world axes at the frame's origin.
        """
        if kind not in _JACOBIANS:
            raise unknown_name("kind of Jacobian", str(kind), _JACOBIANS, self._where)

        def quantity(model: Any, index: int, q: Array, out: Array) -> None:
            core.jacobian(model, index, _JACOBIANS[kind], q, out)

        return self._of_frame(quantity, (6, self.nv), frame, q)

    def body_velocity(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """The body velocity of a frame, (..., 6): (angular, linear) in the frame's axes."""
        return self._of_frame(core.body_velocity, (6,), frame, q, v)

    def body_velocity_dq(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """dv^b/dq_i, (..., nv, 6)."""
        return self._of_frame(core.body_velocity_dq, (self.nv, 6), frame, q, v)

    def body_velocity_dv(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """dv^b/dv_i, (..., nv, 6): the columns of the body Jacobian."""
        if core.are_vectors(self._plain, q, v):
            return np.ascontiguousarray(self.jacobian(frame, q).T)
        shape, (qs, _) = batch(self._vector(q, "q"), self._vector(v, "v"))
        jacobian = self.jacobian(frame, qs)
        return np.ascontiguousarray(np.swapaxes(jacobian, -1, -2)).reshape(*shape, self.nv, 6)

    def body_velocity_dqdq(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """d²v^b/dq_i dq_j, (..., nv, nv, 6)."""
        return self._of_frame(core.body_velocity_dqdq, (self.nv, self.nv, 6), frame, q, v)

    def body_velocity_dqdv(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """d²v^b/dq_i dv_j, (..., nv, nv, 6)."""
        return self._of_frame(core.body_velocity_dqdv, (self.nv, self.nv, 6), frame, q, v)
