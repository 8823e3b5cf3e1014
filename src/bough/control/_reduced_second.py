"""Second derivatives of steps of the reduced integrator: differences of the exact gradient, docs/theory/reduced.md.

With psi(dx, dc) = w·difference(x1, step(integrate(x, dx), c + dc)), x' = integrate(x, dx), x1' = step(x', c + dc) and
the moves dx of the start and dx1 = difference(x1, x1') of the end, of which turns are phi and shifts s,

    x' moved by (J_r(phi) dphi, exp(-phi) ds) is integrate(x, dx + (dphi, ds))                             (RH1)
    x1' moved by (n, m) has the difference dx1 + (J_r(phi1)^-1 n, exp(phi1) m)                             (RH2)
    dpsi/d(dx, dc) = (R^T A^T, B^T) D^T w,  R and D of (RH1), (RH2), A and B at (x', c + dc)               (RH3)

J_r(phi) is the derivative of exp in its own axes. All of (RH3) is exact, and its differences of fourth order along
moves that change the end by at most 1e-3 and the velocity of the step by at most 1e-2 give columns of the Hessian,
whose symmetric part is taken. The second bound is for momenta, which hardly move the end of a short step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.description import rotation

if TYPE_CHECKING:
    from bough.control._reduced_step import ReducedStep

LENGTH = 1e-3  # by which a move of a difference changes the pose and the shape at the end, at most
SPEED = 1e-2  # by which it changes the velocity of the step, at most
PLACES = ((1.0, 8.0 / 12.0), (-1.0, -8.0 / 12.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0))


def hessian(step: ReducedStep, x: Array, c: Array, w: Array, t: Array) -> Array:
    """The Hessians (rows, nx + nc, nx + nc) of psi at rows of states and controls."""
    nx, size = len(step.moves), len(step.moves) + len(step.controls)
    end = step(x, c, t)[:, None]
    xs, cs, ws = x[:, None], c[:, None], w[:, None]
    lengths = _lengths(step, x, c, t)
    G = np.zeros((len(x), size, size))
    for place, weight in PLACES:
        move = place * lengths[:, :, None] * np.eye(size)
        gradient = _gradient(step, xs, cs, ws, t[:, None], end, (move[..., :nx], move[..., nx:]))
        G += weight * gradient / lengths[:, :, None]
    return np.asarray(0.5 * (G + np.swapaxes(G, 1, 2)))


def _lengths(step: ReducedStep, x: Array, c: Array, t: Array) -> Array:
    """How far each entry of (dx, dc) moves in a difference, (rows, nx + nc)."""
    places = (6 if step._free else 0) + len(step.model.shape_variables)
    J = np.concatenate(step.jacobians(x, c, t), axis=-1)[:, :places]
    rates = J.copy()
    rates[:, :, :places] -= np.eye(places)
    most = np.maximum(
        np.abs(J).max(axis=1, initial=0.0) / LENGTH,
        np.abs(rates).max(axis=1, initial=0.0) / (SPEED * step.dt),
    )
    return 1.0 / np.where(most > 0.0, most, 1.0 / LENGTH)


def _gradient(
    step: ReducedStep, x: Array, c: Array, w: Array, t: Array, end: Array, move: tuple[Array, Array]
) -> Array:
    """(RH3) after moves (rows, moves, nx) and (rows, moves, nc)."""
    shape = move[0].shape[:-1]
    moved = step.integrate(np.broadcast_to(x, (*shape, x.shape[-1])), move[0])
    controls = c + move[1]
    weights = np.array(np.broadcast_to(w, (*shape, w.shape[-1])))
    if step._free:
        phi = step.difference(np.broadcast_to(end, moved.shape), step(moved, controls, t))[..., :3]
        weights[..., :3] = _apply(np.linalg.inv(_turning(-phi)), weights[..., :3])  # (RH2)
        weights[..., 3:6] = _apply(rotation.to_matrix(rotation.from_vector(-phi)), weights[..., 3:6])
    by_x, by_c = step.vjp(moved, controls, weights, t)
    if step._free:
        by_x = by_x.copy()
        phi = move[0][..., :3]
        by_x[..., :3] = _apply(_turning(-phi), by_x[..., :3])  # (RH1)
        by_x[..., 3:6] = _apply(rotation.to_matrix(rotation.from_vector(phi)), by_x[..., 3:6])
    return np.concatenate([by_x, by_c], axis=-1)


def _turning(phi: Array) -> Array:
    """J_r(phi) of small turns, (..., 3, 3), which has J_r(-phi) as its transpose."""
    S = np.zeros((*phi.shape[:-1], 3, 3))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -phi[..., 2], phi[..., 1], -phi[..., 0]
    S -= np.swapaxes(S, -1, -2)
    s = (phi * phi).sum(axis=-1)[..., None, None]
    return np.asarray(np.eye(3) - (0.5 - s / 24.0) * S + (1.0 / 6.0 - s / 120.0) * (S @ S))


def _apply(matrices: npt.NDArray[Any], vectors: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", matrices, vectors))
