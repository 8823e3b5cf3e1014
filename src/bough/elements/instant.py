"""The view of a state that elements written in Python get: variables by name, poses of frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import ModelError
from bough.named import Named, Names

if TYPE_CHECKING:
    from bough.model.model import Model


class Instant:
    """A state of a model, as passed to an element written in Python.

    Attributes
    ----------
    q, v, u : arrays with names
        Configuration (nq,), velocity (nq,) and inputs (nu,): `at.q["elbow"]`, `at.q[0]`, `at.q @ at.q`.
    t : float
    model : Model

    For derivatives by JAX or by a complex step, q and v are not real numbers. Poses are then Taylor series
    around the real configuration, exact in the value and in the requested derivatives.

    Examples
    --------
    >>> import bough
    >>> class Pull(bough.Potential):
    ...     def energy(self, at):  # `at` is an Instant
    ...         return 3.0 * at.q["angle"] ** 2
    ...     def gradient(self, at):
    ...         return {"angle": 6.0 * at.q["angle"]}
    ...     def hessian(self, at):
    ...         return {("angle", "angle"): 6.0}
    >>> system = bough.System("arm", gravity=None)
    >>> tip = system.world.ry("angle").tz(-2.0, name="tip", mass=1.0)
    >>> pull = system.add(Pull())
    >>> float(system.build().potential_energy([0.5]))
    0.75
    """

    __slots__ = ("_base", "_given", "_memo", "_t", "_u", "_v", "_what", "model", "q", "timed")

    def __init__(
        self,
        model: Model,
        q: Any,
        v: Any = None,
        u: Any = None,
        t: float | None = None,
        *,
        what: str = "an element",
        memo: dict[tuple[str, int], Array] | None = None,
    ) -> None:
        self.model = model
        self.q = named(q, model._places)
        self._v, self._u, self._t = v, u, t
        self._given = q
        self._base = _base(q)
        self._what = what
        self._memo = {} if memo is None else memo  # cached poses of this configuration
        self.timed = False  # whether t has been read

    @property
    def v(self) -> Any:
        """The velocities of all variables."""
        if self._v is None:
            raise self._missing("velocities")
        return named(self._v, self.model._places)

    @property
    def u(self) -> Any:
        """The inputs."""
        if self._u is None:
            raise self._missing("inputs")
        return named(self._u, self.model._input_places)

    @property
    def t(self) -> float:
        """The time."""
        if self._t is None:
            raise self._missing("time")
        self.timed = True
        return self._t

    def pose(self, frame: str) -> Any:
        """The pose of a frame in the world, (4, 4)."""
        value = self._derivative(frame, 0)
        if self._base is None:
            return value.copy()
        step, first = self._step(), self._derivative(frame, 1).reshape(-1, 16)
        change = (step @ first).reshape(4, 4)
        if isinstance(step, np.ndarray):  # a complex step, whose square is negligible
            return value + change
        second = self._derivative(frame, 2).reshape(len(first), -1, 16)
        return value + change + 0.5 * (step @ (step @ second)).reshape(4, 4)

    def position(self, frame: str) -> Any:
        """The origin of a frame in the world, (3,)."""
        return self.pose(frame)[:3, 3]

    def rotation(self, frame: str) -> Any:
        """The axes of a frame in the world, as columns, (3, 3)."""
        return self.pose(frame)[:3, :3]

    def pose_dq(self, frame: str) -> Any:
        """The derivatives of the pose by all variables, (nq, 4, 4)."""
        first = self._derivative(frame, 1)
        if self._base is None:
            return first.copy()
        n = len(first)
        second = self._derivative(frame, 2).reshape(n, n, 16)
        return (first.reshape(n, 16) + self._step() @ second).reshape(n, 4, 4)

    def position_dq(self, frame: str) -> Any:
        """The derivatives of the origin by all variables, (nq, 3)."""
        return self.pose_dq(frame)[:, :3, 3]

    def pose_dqdq(self, frame: str) -> Array:
        """The second derivatives of the pose, (nq, nq, 4, 4)."""
        if self._base is not None:
            raise ModelError(
                asked=f"derivative of {self._what}, which uses pose_dqdq or position_dqdq",
                found="only real configurations have second derivatives of poses here",
                do="set derivatives = 'difference' in the class, or give the derivative by hand",
            )
        return self._derivative(frame, 2).copy()

    def position_dqdq(self, frame: str) -> Array:
        """The second derivatives of the origin, (nq, nq, 3)."""
        return self.pose_dqdq(frame)[:, :, :3, 3]

    def velocity(self, frame: str) -> Any:
        """The velocity of the origin of a frame, in world axes, (3,)."""
        if self._v is None:
            raise self._missing("velocities")
        return self._v @ self.position_dq(frame)

    def _step(self) -> Any:
        return self._given - self._base

    def _derivative(self, frame: str, order: int) -> Array:
        """The derivatives of this order of a pose, at the real configuration."""
        key = (frame, order)
        if key not in self._memo:
            n, q = self.model.nv, self._given if self._base is None else self._base
            out = np.empty((1, *(n,) * order, 4, 4))
            quantity = (core.pose, core.pose_dq, core.pose_dqdq)[order]
            quantity(self.model._core, self.model._frame(frame), np.ascontiguousarray(q)[None], out)
            self._memo[key] = out[0]
        return self._memo[key]

    def _missing(self, thing: str) -> ModelError:
        return ModelError(
            asked=f"{thing} in {self._what}",
            found=f"it may not depend on {thing}",
            do="write it as a force" if thing != "inputs" else "use inputs in forces only",
        )


def named(values: Any, places: Mapping[str, int]) -> Any:
    """Values by name, also those traced by JAX."""
    if isinstance(values, np.ndarray):
        return Named(values, Names(places, "variable or input", "an element"))
    return values.with_names(places)


def _base(q: Any) -> Array | None:
    """The real configuration under one that is not made of real numbers."""
    if not isinstance(q, np.ndarray):
        return q.base  # type: ignore[no-any-return]
    return q.real.copy() if q.dtype.kind == "c" else None
