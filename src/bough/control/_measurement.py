"""What a sensor reads of a state: variables, velocities, positions of frames, or a user's function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.control._velocity import velocities
from bough.errors import ModelError, unknown_name
from bough.model.model import Model

DIFFERENCE = 1e-6


class Measurement:
    """Values y(x) of states x = (q, p), with their derivatives.

    Parameters
    ----------
    model : Model
    what : "angle" (a variable), "v.angle" (its velocity), a frame (its position, three numbers), several of
        these, or a function of (q, v) that returns an array
    """

    def __init__(self, model: Model, what: Any, where: str) -> None:
        self.model, self.where = model, where
        self.function: Callable[[Array, Array], Any] | None = what if callable(what) else None
        names = [what] if isinstance(what, str) else list(what) if isinstance(what, Sequence) else []
        self.parts = [self._part(str(name)) for name in names]
        if self.function is None and not names:
            raise ModelError(
                asked=f"measure in {where}",
                found="nothing that is measured",
                do="give names of variables, of frames, or a function of (q, v)",
            )

    def _part(self, name: str) -> tuple[str, Any]:
        model = self.model
        if name in model.coordinates and name in model.variables:
            return "q", model.index(name)
        if name.startswith("v.") and name[2:] in model.dynamic:
            return "v", model.index(name[2:])
        if name in model.frames:
            return "frame", name
        single = tuple(name for name in model.variables if name in model.coordinates)
        known = (*single, *(f"v.{other}" for other in model.dynamic), *model.frames)
        raise unknown_name("variable, velocity or frame", name, known, f"measure of {self.where}")

    def __call__(self, x: Array) -> Array:
        """y, (ny,)."""
        model = self.model
        q = x[: model.nq]
        v = model.velocity(q, x[model.nq :])
        if self.function is not None:
            return np.atleast_1d(np.asarray(self.function(q, v), dtype=float))
        values: list[Any] = []
        variables = model._variables_of(q)
        for kind, which in self.parts:
            if kind == "frame":
                values.append(model.pose(which, q)[:3, 3])
            else:
                values.append([variables[which] if kind == "q" else v[which]])
        return np.concatenate(values)

    def jacobian(self, x: Array) -> Array:
        """dy/dx, (ny, nx)."""
        model = self.model
        nq, nx = model.nv, model.nv + model.nd
        if self.function is not None:
            h = DIFFERENCE * (
                1.0 + np.abs(np.concatenate([model._variables_of(x[: model.nq]), x[model.nq :]]))
            )
            columns = [
                (self(self._moved(x, h[i] * e)) - self(self._moved(x, -h[i] * e))) / (2.0 * h[i])
                for i, e in enumerate(np.eye(nx))
            ]
            return np.stack(columns, axis=1)
        by_state = velocities(model, x[None], np.zeros((1, model.nk)), np.zeros(1)).by_state[0]
        rows = []
        for kind, which in self.parts:
            if kind == "q":
                rows.append(np.eye(nx)[which : which + 1])
            elif kind == "v":
                rows.append(by_state[which : which + 1])
            else:
                block = np.zeros((3, nx))
                block[:, :nq] = position_dq(model, which, x[: model.nq])
                rows.append(block)
        return np.concatenate(rows)

    def _moved(self, x: Array, dx: Array) -> Array:
        nq, nv = self.model.nq, self.model.nv
        return np.concatenate([self.model.integrate(x[:nq], dx[:nv]), x[nq:] + dx[nv:]])


def position_dq(model: Model, frame: Any, q: Array) -> Array:
    """The derivatives of the position of a frame, (..., 3, nq)."""
    return np.moveaxis(model.pose_dq(frame, q)[..., :3, 3], -2, -1)
