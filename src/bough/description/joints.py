"""Joints and other transforms made of a pose, a twist or several elementary transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from bough import validate
from bough.description.formulas import formula_of, names_in, numbers_in
from bough.description.parameter import Kinematic
from bough.errors import ModelError
from bough.validate import Array

if TYPE_CHECKING:
    from bough.description.frame import Frame
    from bough.description.shapes import Geometry, Shape


class Step(NamedTuple):
    """One transform of a joint: kind, parameter as given, pose or twist, and the sense of its axis."""

    kind: str
    parameter: Any
    geometry: Array | None = None
    sense: float = 1.0
    formula: Any = None  # of the geometry, if it depends on parameters of the system


class Joints:
    """The methods of a frame that add a joint or a shape. The options are those of `Frame`."""

    __slots__ = ()

    def shape(self, geometry: Geometry, *, pose: ArrayLike | None = None, color: Any = None) -> Shape:
        """Draw a shape on this frame: as `System.shape`, which says what the arguments are.

        Examples
        --------
        >>> import bough
        >>> bob = bough.System("pendulum").world.ry("angle").tz(-1.0, name="bob", mass=1.0)
        >>> bob.shape(bough.Sphere(0.1), color="orange").frame
        'bob'
        """
        frame = cast("Frame", self)
        return frame.system.shape(frame, geometry, pose=pose, color=color)

    def frame(
        self,
        name: str,
        *,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
    ) -> Frame:
        """Add a frame with this name that coincides with this one."""
        where = self._where("frame", name)
        return self._add(
            where, (Step("fixed", None, np.eye(4)),), validate.name(name, "name", where), mass, inertia, com
        )

    def fixed(
        self,
        pose: ArrayLike,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
    ) -> Frame:
        """Add a frame at a constant 4x4 pose."""
        where = self._where("fixed", name=name)
        step = Step("fixed", None, validate.pose(numbers_in(pose), where), formula=formula_of(pose))
        return self._add(where, (step,), name, mass, inertia, com)

    def twist(
        self,
        xi: ArrayLike,
        param: float | str | Kinematic,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Move along a screw: the pose is exp(xi^ s), xi = (angular, linear) of any length."""
        where = self._where("twist", param, name=name)
        step = Step("twist", param, validate.screw(numbers_in(xi), where), formula=formula_of(xi))
        return self._add(where, (step,), name, mass, inertia, com, ratio, offset, shared)

    def revolute(
        self,
        param: float | str | Kinematic,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Rotate about an axis through the origin; only the direction of the axis counts."""
        where = self._where("revolute", param, name=name)
        step = _about(param, validate.direction(axis, "axis", where))
        return self._add(where, (step,), name, mass, inertia, com, ratio, offset, shared)

    def prismatic(
        self,
        param: float | str | Kinematic,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Translate along an axis; only the direction of the axis counts."""
        where = self._where("prismatic", param, name=name)
        step = _along(param, validate.direction(axis, "axis", where))
        return self._add(where, (step,), name, mass, inertia, com, ratio, offset, shared)

    def cylindrical(
        self,
        angle: float | str | Kinematic,
        distance: float | str | Kinematic,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        shared: bool = False,
    ) -> Frame:
        """Rotate about an axis by `angle` and translate along it by `distance`."""
        where = self._where("cylindrical", angle, distance, name=name)
        unit = validate.direction(axis, "axis", where)
        return self._add(
            where, (_about(angle, unit), _along(distance, unit)), name, mass, inertia, com, shared=shared
        )

    def helical(
        self,
        param: float | str | Kinematic,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        pitch: float | None = None,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        ratio: float = 1.0,
        offset: float = 0.0,
        shared: bool = False,
    ) -> Frame:
        """Rotate about an axis and advance along it by `pitch` metres per radian, which must be given."""
        where = self._where("helical", param, name=name)
        unit = validate.direction(axis, "axis", where)
        advance = validate.real(numbers_in(pitch), "pitch", where)
        formula = [*unit.tolist(), *(pitch * unit)] if names_in(pitch) else None  # type: ignore[operator]
        step = Step("twist", param, np.concatenate((unit, advance * unit)), formula=formula)
        return self._add(where, (step,), name, mass, inertia, com, ratio, offset, shared)

    def spherical(
        self,
        params: str | Kinematic | Sequence[float | str | Kinematic],
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        shared: bool = False,
    ) -> Frame:
        """Rotate by Euler angles: rz, ry, rx in turn.

        Three parameters, or one name: "hip" stands for ("hip_rz", "hip_ry", "hip_rx").
        The angles are singular if the second is a quarter turn.
        """
        return self._compound("spherical", ("rz", "ry", "rx"), params, name, mass, inertia, com, shared)

    def planar(
        self,
        params: str | Kinematic | Sequence[float | str | Kinematic],
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        shared: bool = False,
    ) -> Frame:
        """Move in the x-y plane: tx, ty, rz in turn.

        Three parameters, or one name: "puck" stands for ("puck_tx", "puck_ty", "puck_rz").
        """
        return self._compound("planar", ("tx", "ty", "rz"), params, name, mass, inertia, com, shared)

    def free(
        self,
        params: str | Kinematic | Sequence[float | str | Kinematic],
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        shared: bool = False,
    ) -> Frame:
        """Move freely: tx, ty, tz, rz, ry, rx in turn.

        Six parameters, or one name: "base" stands for ("base_tx", "base_ty", ..., "base_rx").
        The angles are singular if that of ry is a quarter turn.
        """
        return self._compound(
            "free", ("tx", "ty", "tz", "rz", "ry", "rx"), params, name, mass, inertia, com, shared
        )

    def ball(
        self,
        param: str,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
    ) -> Frame:
        """Rotate freely about the origin, without singular angles.

        In q a ball "hip" has a unit quaternion (w, x, y, z), "hip_qw" to "hip_qz"; in v its three rates in the axes of
        the moved frame, "hip_wx", "hip_wy", "hip_wz".
        """
        where = self._where("ball", param, name=name)
        return self._add(where, (Step("ball", _ball_name(param, where)),), name, mass, inertia, com)

    def floating(
        self,
        param: str,
        *,
        name: str | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
    ) -> Frame:
        """Move freely, without singular angles: tx, ty, tz and a ball in turn.

        "base" stands for translations "base_tx", "base_ty", "base_tz" and the ball "base". Linear rates are in the axes
        of the parent, those of the ball in the axes of the moved frame.
        """
        where = self._where("floating", param, name=name)
        prefix = _ball_name(param, where)
        steps = [*(Step(kind, f"{prefix}_{kind}") for kind in ("tx", "ty", "tz")), Step("ball", prefix)]
        return self._add(where, steps, name, mass, inertia, com)

    def _compound(
        self,
        method: str,
        kinds: tuple[str, ...],
        params: Any,
        name: Any,
        mass: Any,
        inertia: Any,
        com: Any,
        shared: Any,
    ) -> Frame:
        where = self._where(method, params, name=name)
        if isinstance(params, str):
            prefix = validate.name(params, "prefix", where)
            params = [f"{prefix}_{kind}" for kind in kinds]
        elif isinstance(params, Kinematic):
            params = [Kinematic(f"{params.name}_{kind}") for kind in kinds]
        elif not isinstance(params, Sequence | np.ndarray) or len(params) != len(kinds):
            count = len(params) if isinstance(params, Sequence) else validate.shown(params)
            are = "parameter is" if len(kinds) == 1 else "parameters are"
            raise ModelError(
                asked=where,
                found=f"{count} where {len(kinds)} {are} needed",
                do=f"give {validate.counted(len(kinds), 'parameter')} ({', '.join(kinds)}), or one name for all to"
                " begin with",
            )
        steps = [Step(kind, param) for kind, param in zip(kinds, params, strict=True)]
        return self._add(where, steps, name, mass, inertia, com, shared=shared)

    # `Frame` provides these two.

    def _add(
        self,
        where: str,
        steps: Sequence[Step],
        name: Any,
        mass: Any,
        inertia: Any,
        com: Any,
        ratio: Any = 1.0,
        offset: Any = 0.0,
        shared: Any = False,
    ) -> Frame:
        raise NotImplementedError

    def _where(self, method: str, *arguments: Any, name: Any = None) -> str:
        raise NotImplementedError


def step_formulas(step: Step, ratio: Any, offset: Any) -> dict[str, Any]:
    """The formulas of a transform by field of a description; None for what is a number.

    A constant transform moves by ratio * parameter + offset, which is one number of its description.
    """
    found = {"pose" if step.kind == "fixed" else "xi": step.formula}
    if isinstance(step.parameter, str | Kinematic):
        found |= {"ratio": step.sense * ratio, "offset": step.sense * offset}
    elif names_in((step.parameter, ratio, offset)):
        found["parameter"] = step.sense * ratio * step.parameter + step.sense * offset
    return found


def _ball_name(param: Any, where: str) -> str:
    """The name of a ball, whose rotation is dynamic."""
    if isinstance(param, Kinematic):
        raise ModelError(
            asked=where,
            found="a kinematic ball: prescribed rotations are not supported",
            do="prescribe three angles with spherical(kinematic(name)), or leave the ball dynamic",
        )
    if not isinstance(param, str):
        raise ModelError(
            asked=where,
            found=f"{validate.shown(param)} where the name of the ball is needed",
            do="give one name, such as ball('hip'); a constant rotation is fixed(pose)",
        )
    return validate.name(param, "name", where)


def _about(param: Any, axis: Array) -> Step:
    """The rotation about a unit axis: rx, ry or rz if the axis is a coordinate axis."""
    index = _coordinate(axis)
    if index is None:
        return Step("twist", param, np.concatenate((axis, np.zeros(3))))
    return Step(("rx", "ry", "rz")[index], param, None, float(axis[index]))


def _along(param: Any, axis: Array) -> Step:
    """The translation along a unit axis: tx, ty or tz if the axis is a coordinate axis."""
    index = _coordinate(axis)
    if index is None:
        return Step("twist", param, np.concatenate((np.zeros(3), axis)))
    return Step(("tx", "ty", "tz")[index], param, None, float(axis[index]))


def _coordinate(axis: Array) -> int | None:
    nonzero = np.flatnonzero(axis)
    return int(nonzero[0]) if len(nonzero) == 1 else None
