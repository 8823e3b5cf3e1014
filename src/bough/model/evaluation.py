"""The evaluation of model quantities: names, shapes, batch axes, one call of the core per batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from bough import validate
from bough._core import core
from bough.arguments import Array, Vector, batch, finite, vector
from bough.description.element import Element
from bough.description.frame import Frame
from bough.description.parameter import ball_coordinates, ball_variables
from bough.errors import ModelError, quoted, unknown_name
from bough.model.configurations import Configurations, configuration, velocity

START = np.zeros(1)  # the default time, in s
START.flags.writeable = False


class Evaluation(Configurations):
    """The part of `Model` that turns arguments into arrays of the core and its results back."""

    dynamic: tuple[str, ...]
    kinematic: tuple[str, ...]
    inputs: tuple[str, ...]
    constraints: tuple[str, ...]
    gaps: tuple[str, ...]
    frames: tuple[str, ...]
    nd: int
    nu: int
    nc: int
    total_mass: float
    _core: core.Model
    _elements: tuple[Element, ...]
    _plain: int  # numbers of a vector that the core can take as it is: none with balls
    _frame_index: dict[str, int]
    _places: dict[str, int]

    def index(self, variable: str) -> int:
        """The place of a variable in v; without balls, in q too."""
        try:
            return self._places[variable]
        except (KeyError, TypeError):
            for name in self._balls:
                if variable == name or variable in ball_coordinates(name):
                    raise ModelError(
                        asked=f"the place of {variable!r} in v of {self._where}",
                        found=f"{name!r} is a ball, which has three rates in v and a quaternion in q",
                        do=f"give one of {quoted(ball_variables(name))}; for q use model.coordinates.index(name)",
                    ) from None
            raise unknown_name("variable", str(variable), self.variables, self._where) from None

    def _vector(self, value: Vector, what: str) -> Array:
        if what == "q":
            return configuration(self, value, what, self._where)
        return velocity(self, value, what, self._where)

    def _evaluate(self, quantity: Callable[..., None], tail: tuple[int, ...], **arguments: Vector) -> Array:
        if core.are_vectors(self._plain, *arguments.values()):
            out = np.empty(tail)
            quantity(self._core, *arguments.values(), out)
            return out
        shape, rows = batch(*(self._vector(value, what) for what, value in arguments.items()))
        out = np.empty((len(rows[0]), *tail))
        quantity(self._core, *rows, out)
        return out.reshape((*shape, *tail))

    def _of_constraints(
        self, quantity: Callable[..., None], tail: tuple[int, ...], q: Vector, t: npt.ArrayLike
    ) -> Array:
        if core.are_vectors(self._plain, q) and is_time(t):
            out = np.empty(tail)
            quantity(self._core, q, one_time(t), out)
            return out
        shape, (qs,) = batch(self._vector(q, "q"))
        out = np.empty((len(qs), *tail))
        quantity(self._core, qs, times_of(t, shape, self._where), out)
        return out.reshape((*shape, *tail))

    def _of_frame(
        self, quantity: Callable[..., None], tail: tuple[int, ...], frame: str | Frame, q: Vector, *v: Vector
    ) -> Array:
        if core.are_vectors(self._plain, q, *v):
            out = np.empty(tail)
            quantity(self._core, self._frame(frame), q, *v, out)
            return out
        shape, rows = batch(self._vector(q, "q"), *(self._vector(value, "v") for value in v))
        out = np.empty((len(rows[0]), *tail))
        quantity(self._core, self._frame(frame), *rows, out)
        return out.reshape((*shape, *tail))

    def _of_forces(
        self,
        quantity: Callable[..., None],
        tail: tuple[int, ...],
        q: Vector,
        v: Vector,
        u: Vector | None,
        t: npt.ArrayLike,
    ) -> Array:
        inputs = np.zeros(self.nu) if u is None else u
        if core.are_vectors(self._plain, q, v) and core.are_vectors(self.nu, inputs) and is_time(t):
            out = np.empty(tail)
            quantity(self._core, q, v, inputs, one_time(t), out)
            return out
        shape, rows = batch(
            self._vector(q, "q"),
            self._vector(v, "v"),
            vector(inputs, self.inputs, "u", self._where, "inputs"),
        )
        out = np.empty((len(rows[0]), *tail))
        quantity(self._core, *rows, times_of(t, shape, self._where), out)
        return out.reshape((*shape, *tail))

    def _frame(self, frame: str | Frame) -> int:
        label = frame.label if isinstance(frame, Frame) else frame
        if label not in self._frame_index:
            raise unknown_name("frame", str(label), [f for f in self.frames if f[0] != "#"], self._where)
        return self._frame_index[label]

    def _check_singular(self, what: str, failed: tuple[int, int], shape: tuple[int, ...]) -> None:
        row, variable = failed
        if row < 0:
            return
        at = f" in row {row} of the batch" if shape else ""
        raise ModelError(
            asked=f"{what} of {self._where}",
            found=f"the mass matrix is singular in this configuration{at},"
            f" at variable {self.variables[variable]!r}",
            do="move away from this configuration (gimbal lock of Euler angles is the usual cause), "
            "or use ball(name) and floating(name), which have no lock",
        )

    def _check_third(self, what: str, kind: type[Element], missing: list[int], do: str) -> None:
        """Raise for the elements of a kind, counted among themselves, that have no third derivative."""
        if not missing:
            return
        numbered = [(place, e) for place, e in enumerate(self._elements) if isinstance(e, kind)]
        labels = [
            f"{e._text()} #{place}" if e.name is None else e._text()
            for place, e in (numbered[i] for i in missing)
        ]
        shown = ", ".join(labels[:4]) + (f" and {len(labels) - 4} more" if len(labels) > 4 else "")
        raise ModelError(
            asked=f"{what} of {self._where}",
            found=f"no third derivative of {shown}",
            do=do,
        )


def is_time(t: Any) -> TypeGuard[float]:
    """Whether t is a finite float, of Python or of an array, which needs no further check."""
    return (type(t) is float or type(t) is np.float64) and math.isfinite(t)


def one_time(t: float) -> Array:
    """A time in the form that the core takes."""
    return START if t == 0.0 else np.array([t])


def times_of(t: npt.ArrayLike, shape: tuple[int, ...], where: str) -> Array:
    """One time for each row of a batch of this shape."""
    try:
        times = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError):
        asked = f"t={validate.shown(t)} of {where}"
        raise ModelError(asked=asked, found="not a number", do="give finite numbers") from None
    if not finite(times):
        asked = f"t={validate.shown(t)} of {where}"
        raise ModelError(asked=asked, found="a time that is not finite", do="give finite numbers")
    try:
        return np.array(np.broadcast_to(times, shape), order="C").reshape(-1)
    except ValueError:
        raise ModelError(
            asked=f"t of {where}",
            found=f"shape {times.shape}, but the batch of states has shape {shape}",
            do="give one time, or one for each state",
        ) from None
