"""Rotations as users write them: quaternions (w, x, y, z), 3x3 matrices, rotation vectors, SciPy's `Rotation`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bough import validate
from bough.description.parameter import ball_coordinates, ball_variables
from bough.errors import ModelError
from bough.validate import Array

OFF = 1e-6  # by which the length of a quaternion, or a matrix, may differ from that of a rotation
ROUND_OFF = 4e-16  # of the length of a quaternion
FORMS = "a quaternion (w, x, y, z), a 3x3 rotation matrix, a rotation vector of 3 numbers or a SciPy Rotation"


def quaternion(value: Any, what: str, where: str) -> Array:
    """The unit quaternions (..., 4) of rotations given in any form.

    Parameters
    ----------
    what : the name of the argument, such as "q['hip']"
    """
    if hasattr(value, "as_quat"):
        x, y, z, w = np.moveaxis(np.asarray(value.as_quat(), dtype=float), -1, 0)
        value = np.stack([w, x, y, z], axis=-1)
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.shape[-2:] == (3, 3):
        found = from_matrix(array, what, where)
    elif array.shape[-1:] == (3,):
        found = from_vector(array)
    elif array.shape[-1:] == (4,):
        found = array
    else:
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"{validate.shown(value)} where a rotation is needed"
            if array.ndim == 0
            else f"shape {array.shape}",
            do=f"give {FORMS}",
        )
    return unit(found, what, where)


def unit(array: Array, what: str, where: str) -> Array:
    """Quaternions of unit length, checked: those off by no more than 1e-6 are made so."""
    if are_units(array):
        return array
    length = np.linalg.norm(array, axis=-1, keepdims=True)
    if not np.isfinite(length).all():
        raise ModelError(
            asked=f"{what} of {where}",
            found="a rotation with a number that is not finite",
            do="give finite numbers",
        )
    if (np.abs(length - 1.0) > OFF).any():
        worst = float(length.ravel()[int(np.argmax(np.abs(length - 1.0)))])
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"a quaternion of length {worst:.9g}",
            do="give a quaternion (w, x, y, z) of length 1, w first; no rotation is (1, 0, 0, 0)",
        )
    near = np.abs(length - 1.0) <= ROUND_OFF  # nothing to gain: the numbers stay as they are given
    return np.where(near, array, array / length)


def are_units(array: Array) -> bool:
    """Whether quaternions are of unit length already, so that `unit` leaves all of them as they are."""
    if array.ndim == 1:  # a sixth of the time of arrays
        return is_unit(array.tolist())
    squares = np.einsum("...i,...i->...", array, array)  # a third of the time of `norm`
    return bool((np.abs(squares - 1.0) <= 2.0 * ROUND_OFF).all())


def is_unit(numbers: Sequence[float]) -> bool:
    """The same of the numbers of one quaternion."""
    w, x, y, z = numbers
    return abs(w * w + x * x + y * y + z * z - 1.0) <= 2.0 * ROUND_OFF


def from_vector(phi: Array) -> Array:
    """The quaternions of rotation vectors (..., 3)."""
    if phi.ndim == 1 and (turned := _of_numbers(phi.tolist())) is not None:  # a fifth of the time of arrays
        return np.array(turned)
    half = 0.5 * np.linalg.norm(phi, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * phi], axis=-1)


def _of_numbers(phi: Sequence[float]) -> list[float] | None:
    """The quaternion of one rotation vector; None if it is not finite."""
    x, y, z = phi
    half = 0.5 * math.hypot(x, y, z)
    if not math.isfinite(half):
        return None
    scale = 0.5 * math.sin(half) / half if half > 0.0 else 0.5
    return [math.cos(half), scale * x, scale * y, scale * z]


def to_vector(q: Array) -> Array:
    """The rotation vectors (..., 3) of unit quaternions, of length pi at most."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    length = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(length, q[..., :1])
    small = length < 1e-8
    return np.where(small, 2.0 * q[..., 1:], angle / np.where(small, 1.0, length) * q[..., 1:])


def product(a: Array, b: Array) -> Array:
    """a b of quaternions (..., 4)."""
    (w, x), (s, y) = (a[..., :1], a[..., 1:]), (b[..., :1], b[..., 1:])
    scalar = w * s - np.sum(x * y, axis=-1, keepdims=True)
    return np.concatenate([scalar, w * y + s * x + np.cross(x, y)], axis=-1)


def conjugate(q: Array) -> Array:
    """The inverse of unit quaternions (..., 4)."""
    found: Array = q * np.array([1.0, -1.0, -1.0, -1.0])
    return found


def to_matrix(q: Array) -> Array:
    """The rotation matrices (..., 3, 3) of quaternions."""
    w, x, y, z = np.moveaxis(np.asarray(q), -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def from_matrix(R: Array, what: str, where: str) -> Array:
    """The quaternions of rotation matrices (..., 3, 3), w >= 0."""
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max() if np.isfinite(R).all() else np.nan
    if not off <= OFF or (np.linalg.det(R) < 0.0).any():
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"a matrix that is not a rotation: R Rᵀ is off by {off:.3g}"
            if off > OFF
            else "a reflection, or no number",
            do=f"give {FORMS}",
        )
    flat = R.reshape(-1, 3, 3)
    out = np.empty((len(flat), 4))
    for row, r in zip(out, flat, strict=True):
        K = np.array(
            [
                [r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
                [0.0, r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
                [0.0, 0.0, r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]],
                [0.0, 0.0, 0.0, r[2, 2] - r[0, 0] - r[1, 1]],
            ]
        )
        K = K + np.triu(K, 1).T
        best = int(np.argmax(np.diag(K)))
        column = K[:, best].copy()
        column[best] += 1.0
        row[:] = column / np.linalg.norm(column)
        if row[0] < 0.0:
            row[:] = -row
    return out.reshape(*R.shape[:-2], 4)


def dexp(phi: Array, *, inverse: bool = False) -> Array:
    """The right-trivialised derivative of the exponential of rotations, (3, 3), or its inverse."""
    s = float(phi @ phi)
    F = np.array([[0.0, -phi[2], phi[1]], [phi[2], 0.0, -phi[0]], [-phi[1], phi[0], 0.0]])
    y = np.sqrt(s)
    first = 0.5 - s / 24.0 if s < 1e-4 else (1.0 - np.cos(y)) / s
    second = 1.0 / 6.0 - s / 120.0 if s < 1e-4 else (1.0 - np.sin(y) / y) / s
    matrix = np.eye(3) + first * F + second * (F @ F)
    return np.linalg.inv(matrix) if inverse else matrix


def _is_whole(value: Any) -> bool:
    """Whether a value may be a rotation or rates: several numbers, or a `Rotation` of SciPy."""
    return hasattr(value, "as_quat") or (
        isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    )


def expanded(
    values: Mapping[str, Any], what: str, where: str, balls: Iterable[str] | None = None
) -> dict[str, Any]:
    """Values by name, with rotations (in q) and rates (in v) of balls as single numbers.

    Without `balls`, every value of several numbers is taken for that of a ball.
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        ball = _is_whole(value) if balls is None else name in balls
        if not ball:
            found[name] = value
        elif what == "q":
            three = _three(value)
            parts = three and _of_numbers(three)  # a fifth of the time of arrays
            if parts is None or not is_unit(parts):
                parts = _columns(quaternion(value, f"{what}[{name!r}]", where))
            found |= zip(ball_coordinates(name), parts, strict=True)
        elif (three := _three(value)) is not None:
            found |= zip(ball_variables(name), three, strict=True)
        else:
            rates = np.asarray(value, dtype=float) if np.ndim(value) else np.zeros(())
            if rates.shape[-1:] != (3,):
                raise ModelError(
                    asked=f"{what}[{name!r}] of {where}",
                    found=f"{validate.shown(value)} where the rates of a ball are needed",
                    do="give three numbers, the rates in the axes of the moved frame",
                )
            found |= zip(ball_variables(name), _columns(rates), strict=True)
    return found


def _three(value: Any) -> list[float] | None:
    """The numbers of a tuple or a list of three, which cost less by themselves than as an array; else None."""
    if type(value) not in (tuple, list) or len(value) != 3 or not all(type(x) in (float, int) for x in value):
        return None
    return [float(x) for x in value]


def _columns(array: Array) -> list[Any]:
    """The columns of rows; of one row its numbers, which cost less to check than arrays."""
    return array.tolist() if array.ndim == 1 else [array[..., i] for i in range(array.shape[-1])]
