"""Rows that vanish if a ball has a rotation, with their derivatives along the tangent of the ball.

With T the wanted quaternion of the ball, Q the one that is there, and (w, x) = T⁻¹Q, w ≥ 0,

    e = 2 x                                                                                                   (OQ1)
    e_a = (w + x×) ,   e_ab = −½ x δ_ab                                                                       (OQ2)
    l = ½ Σ_i W_i e_i² ,   l_a = Σ_i W_i e_i e_ia ,   l_ab = Σ_i W_i (e_ia e_ib + e_i e_iab)                  (OQ3)

for a turn Q exp(δ) in the axes of the moved frame. e is 2 sin(θ/2) n for a rotation by θ about n, in the axes that are
wanted: the same size as (OE1), but of the joint itself, without the frames around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bough.arguments import Array, finite
from bough.description.parameter import RATES, ball_coordinates, ball_variables
from bough.description.rotation import FORMS, conjugate, product, quaternion
from bough.errors import ModelError, unknown_name
from bough.model.model import Model


def turn(T: Array, Q: Array) -> Array:
    """e, (..., 3)."""
    return np.asarray(2.0 * _relative(T, Q)[..., 1:])  # (OQ1)


def turn_dq(T: Array, Q: Array) -> Array:
    """de by the turns of the ball, (..., 3, 3)."""
    d = _relative(T, Q)
    w, (x, y, z) = d[..., 0], np.moveaxis(d[..., 1:], -1, 0)
    rows = [[w, -z, y], [z, w, -x], [-y, x, w]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))  # (OQ2)


def turn_dqdq(T: Array, Q: Array, weights: Array) -> Array:
    """The second derivatives of weights·e by the turns, (..., 3, 3)."""
    along = (weights * _relative(T, Q)[..., 1:]).sum(axis=-1)
    return np.asarray(-0.5 * along[..., None, None] * np.eye(3))  # (OQ2)


def _relative(T: Array, Q: Array) -> Array:
    d = product(conjugate(T), Q)
    return np.where(d[..., :1] < 0.0, -d, d)


def rotation_target(value: Any, name: str, both: bool, where: str) -> Array:
    """The quaternions (..., 4) that a ball should have.

    `both` tells that a frame has the name of the ball, so that three numbers may mean either.
    """
    if both and not hasattr(value, "as_quat"):
        shape = np.shape(value)
        if shape[-1:] == (3,) and shape[-2:] != (3, 3):
            raise ModelError(
                asked=f"{name!r} in {where}",
                found=f"three numbers, and {name!r} names a ball and a frame: they are a rotation vector or a position",
                do="for the ball, give a quaternion (w, x, y, z), a 3x3 matrix or a SciPy Rotation; for the frame, give"
                " a pose (4, 4), or give one of the two another name",
            )
    return quaternion(value, f"{name!r}", where)


def one_rotation(value: Any, name: str, both: bool, where: str) -> Array:
    """The one quaternion (4,) that a ball should have."""
    Q = rotation_target(value, name, both, where)
    if Q.shape != (4,):
        raise ModelError(
            asked=f"{name!r} in {where}", found=f"shape {np.shape(value)} for a ball", do=f"give {FORMS}"
        )
    return Q


def unknown_target(model: Model, name: str, single: Sequence[str], what: str, where: str) -> ModelError:
    """The error for a name that is none of a variable, a ball or a frame; parts of a ball are told apart."""
    for ball in model.balls:
        if name in ball_variables(ball) or name in ball_coordinates(ball):
            return ModelError(
                asked=f"{name!r} in {where}",
                found=f"a part of the ball {ball!r}, whose rotation is given whole",
                do=f"give {{{ball!r}: rotation}}: {FORMS}",
            )
    what = what if model.balls else what.replace(", ball or", " or")
    return unknown_name(what, name, (*single, *model.balls, *model.frames), where)


def with_rates(value: Any, balls: Iterable[str], prefixes: Sequence[str], what: str, where: str) -> Any:
    """Weights by name in which a ball stands for its three rates: one number for all, or three."""
    if not isinstance(value, Mapping):
        return value
    groups = {f"{prefix}{ball}" for prefix in prefixes for ball in balls}
    out: dict[Any, Any] = {}
    for name, number in value.items():
        if name not in groups:
            out[name] = number
            continue
        try:
            array = np.asarray(number, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.array(np.nan)
        if array.shape not in ((), (3,)) or not finite(array):
            raise ModelError(
                asked=f"{what} of {where}",
                found=f"{number!r} for {name!r}, which is a ball",
                do="give one number, or three for turns about the axes of the moved frame",
            )
        rates = zip(RATES, np.broadcast_to(array, (3,)).tolist(), strict=True)
        out |= {f"{name}_{axis}": weight for axis, weight in rates}
    return out
