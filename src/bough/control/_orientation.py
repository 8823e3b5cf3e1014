"""Rows that vanish if a frame has an orientation, with their derivatives: what a pose as an end adds to a position.

With T_i and R_i the axes that are wanted and those that are there, both in the world,

    e = s/√c ,   s = Σ_i T_i × R_i ,   c = 1 + Σ_i T_i·R_i                                                    (OE1)
    e_a = s_a/√c − s c_a/(2 c√c)                                                                              (OE2)
    e_ab = s_ab/√c − (s_a c_b + s_b c_a + s c_ab)/(2 c√c) + 3 s c_a c_b/(4 c²√c)                              (OE3)

which is 2 sin(θ/2) n for a rotation by θ about n: zero for θ = 0 alone, and smooth but for half a turn. s and c are
linear in R, so that their derivatives are those of the pose.
"""

from __future__ import annotations

import numpy as np

from bough.arguments import Array

LEAST = 1e-12  # of c, which is zero at half a turn


def orientation(T: Array, R: Array) -> Array:
    """e, (3,)."""
    s, c = _parts(T, R)
    return np.asarray(s / np.sqrt(max(float(c), LEAST)))


def orientation_dq(T: Array, R: Array, dR: Array) -> Array:
    """de/dq, (3, n), from dR/dq (n, 3, 3)."""
    s, c = _parts(T, R)
    ds, dc = _parts(T, dR, 0.0)
    root = np.sqrt(max(float(c), LEAST))
    return np.asarray((ds / root - np.outer(dc, s) / (2.0 * root**3)).T)  # (OE2)


def orientation_dqdq(T: Array, R: Array, dR: Array, ddR: Array, weights: Array) -> Array:
    """The second derivatives of weights·e, (n, n), from those of R."""
    s, c = _parts(T, R)
    ds, dc = _parts(T, dR, 0.0)
    dds, ddc = _parts(T, ddR, 0.0)
    root = np.sqrt(max(float(c), LEAST))
    along, slope = float(weights @ s), ds @ weights
    mixed = np.outer(slope, dc)
    curved = dds @ weights / root - (mixed + mixed.T + along * ddc) / (2.0 * root**3)
    return np.asarray(curved + 0.75 * along * np.outer(dc, dc) / root**5)  # (OE3)


def _parts(T: Array, R: Array, constant: float = 1.0) -> tuple[Array, Array]:
    """s and c, or what is linear in R of them; T (3, 3), R (..., 3, 3), axes in columns  (OE1)."""
    s = np.cross(T.T, np.swapaxes(R, -2, -1)).sum(axis=-2)
    return s, constant + (T * R).sum(axis=(-2, -1))
