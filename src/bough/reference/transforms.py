"""Local transforms as 4x4 matrices with their derivatives, and the small algebra of [JM09] section II.

Deliberately naive: cosines and sines written out, a twist through the power series of the exponential.
Twists are ordered (angular, linear), the project's convention; [JM09] prints (linear, angular).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FIXED, TX, TY, TZ, RX, RY, RZ, TWIST = range(8)


def cross_matrix(x: Array) -> Array:
    """The 3x3 matrix X with X y = x cross y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def hat(xi: Array) -> Array:
    """(angular, linear) to the 4x4 matrix of [JM09] section II."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = cross_matrix(xi[:3])
    matrix[:3, 3] = xi[3:]
    return matrix


def unhat(matrix: Array) -> Array:
    """Inverse of `hat`."""
    return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0], matrix[0, 3], matrix[1, 3], matrix[2, 3]])


def translation(axis: int, x: float, order: int = 0) -> Array:
    """The `order`-th derivative of T_axis(x): identity plus x, then a single one, then zero."""
    matrix = np.eye(4) if order == 0 else np.zeros((4, 4))
    if order == 0:
        matrix[axis, 3] = x
    elif order == 1:
        matrix[axis, 3] = 1.0
    return matrix


def rotation(axis: int, x: float, order: int = 0) -> Array:
    """The `order`-th derivative of R_axis(x); derivatives of a rotation are cyclic ([JM09] III.D)."""
    c, s = np.cos(x), np.sin(x)
    c, s = [(c, s), (-s, c), (-c, -s), (s, -c)][order % 4]
    matrix = np.eye(4) if order == 0 else np.zeros((4, 4))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix[j, j] = matrix[k, k] = c
    matrix[k, j], matrix[j, k] = s, -s
    return matrix


def exponential(matrix: Array) -> Array:
    """exp(matrix) = exp(matrix / 16)^16, the smaller one by its power series."""
    term = total = np.eye(4)
    for n in range(1, 25):  # entries up to 8 become 1/2, and 0.5^24 / 24! is far below round-off
        term = term @ matrix / (16.0 * n)
        total = total + term
    for _ in range(4):
        total = total @ total
    return total


def screw_motion(xi: Array, x: float, order: int = 0) -> Array:
    """The `order`-th derivative of exp(x hat(xi)): hat(xi)^order exp(x hat(xi))."""
    return np.linalg.matrix_power(hat(xi), order) @ exponential(x * hat(xi))


def local_transform(kind: int, x: float, screw: Array, order: int = 0) -> Array:
    """The `order`-th derivative of a one-parameter transform at parameter `x`."""
    if kind in (TX, TY, TZ):
        return translation(kind - TX, x, order)
    if kind in (RX, RY, RZ):
        return rotation(kind - RX, x, order)
    if kind == TWIST:
        return screw_motion(screw, x, order)
    raise ValueError(f"kind {kind} has no parameter")


def body_twist(kind: int, screw: Array) -> Array:
    """The constant twist xi of a transform: g^-1 dg/dt = hat(xi) dx/dt."""
    if kind == TWIST:
        return np.array(screw, dtype=float)
    xi = np.zeros(6)
    xi[kind - TX + 3 if kind in (TX, TY, TZ) else kind - RX] = 1.0
    return xi


def inverse_pose(pose: Array) -> Array:
    """Inverse of a rigid pose, written out."""
    inverse = np.eye(4)
    inverse[:3, :3] = pose[:3, :3].T
    inverse[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverse


def adjoint(pose: Array) -> Array:
    """6x6 matrix that takes (angular, linear) twists from the frame to the frame in which `pose` is given."""
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = matrix[3:, 3:] = pose[:3, :3]
    matrix[3:, :3] = cross_matrix(pose[:3, 3]) @ pose[:3, :3]
    return matrix


def spatial_inertia(mass: float, com: Array, inertia: Array) -> Array:
    """6x6 inertia at the frame's origin of a mass with centre `com` and `inertia` about that centre."""
    c = cross_matrix(com)
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = inertia + mass * c @ c.T
    matrix[:3, 3:] = mass * c
    matrix[3:, :3] = mass * c.T
    matrix[3:, 3:] = mass * np.eye(3)
    return matrix
