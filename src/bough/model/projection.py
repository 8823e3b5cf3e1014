"""Steps onto the constraints, by the metric of kinetic energy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.description.parameter import ball_variables
from bough.errors import unknown_name
from bough.model.model import Model
from bough.model.units import turning

Places = npt.NDArray[np.intp]

RANK = 1e-12  # size below which a singular value counts as zero, relative to the size of the system


def free_places(model: Model, hold: str | Iterable[str], where: str) -> Places:
    """The places of the dynamic variables that may change."""
    held = [hold] if isinstance(hold, str) else list(hold)
    held = [part for name in held for part in (ball_variables(name) if name in model.balls else (name,))]
    for name in held:
        if name not in model.variables:
            raise unknown_name("variable", str(name), model.variables, f"hold of {where}")
    return np.array([i for i, name in enumerate(model.dynamic) if name not in held], dtype=np.intp)


def round_off(model: Model, q: Array, t: npt.ArrayLike = 0.0) -> Array:
    """The scale of the round-off of h, (..., nc): the terms that cancel in it, and how far q moves it.

    The second counts if the terms themselves are zero, as those of a slider on a rail through the origin.
    """
    reach = np.maximum(sizes(model, q), turning(model))
    return np.asarray(
        model.constraint_scale(q, t) + (np.abs(rows(model, q, t)) * reach[..., None, :]).sum(-1)
    )


def sizes(model: Model, q: Array) -> Array:
    """|q| by variable, (..., nv); of balls zero."""
    if not model.balls:
        return np.abs(q)
    size = np.zeros((*q.shape[:-1], model.nv))
    size[..., model._single[0]] = np.abs(q[..., model._single[1]])
    return size


def rows(model: Model, q: Array, t: npt.ArrayLike = 0.0) -> Array:
    """Dh, (nc, nv); zero if it does not exist, as that of a distance between points that coincide."""
    return np.asarray(np.nan_to_num(model.constraint_dq(q, t), nan=0.0, posinf=0.0, neginf=0.0))


def inverse_root(M: Array, least: float = 1e-10) -> Array:
    """L^-T of M = L L^T; a motion that moves no mass is given a little: eigenvalues are at least `least`, relative."""
    n = len(M)
    diagonal = np.diag(M)
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, diagonal.max(initial=0.0) or 1.0))
    scaled = M / np.outer(scale, scale)
    smallest = np.linalg.eigvalsh(scaled)[0] if n else 1.0
    L = np.linalg.cholesky(scaled + max(0.0, least - smallest) * np.eye(n))
    return np.asarray(np.linalg.inv(L).T / scale[:, None])


def relative_rows(model: Model, q: Array, t: npt.ArrayLike = 0.0) -> Array:
    """Dh, (..., nc, nv), as a number of order one: relative to the size of the system, shifts likewise."""
    size = round_off(model, q, t).max(axis=-1, initial=0.0)[..., None, None]
    size = np.where(size > 0.0, size, 1.0)
    return np.asarray(rows(model, q, t) * np.where(turning(model) > 0.0, 1.0 / size, 1.0))


def projected_velocity(
    model: Model, q: Array, v: Array, free: Places, rank: float = RANK, t: float = 0.0
) -> Array:
    """The velocities nearest to v that keep the constraints, Dh v + h_t = 0; only those in `free` change."""
    v = v.copy()
    if model.nc == 0 or len(free) == 0:
        return v
    U, s, _ = np.linalg.svd(relative_rows(model, q, t)[:, free], full_matrices=False)
    kept = U[:, s > rank].T  # independent combinations of the rows
    D, D_t = kept @ rows(model, q, t), kept @ model.constraint_dt(q, t)
    inverse = inverse_root(model.mass_matrix(q)[np.ix_(free, free)])
    for _ in range(2):  # the second time for round-off
        v[free] -= inverse @ np.linalg.lstsq(D[:, free] @ inverse, D @ v + D_t, rcond=None)[0]
    return v


def projected(model: Model, q: Array, v: Array, t: float = 0.0) -> tuple[Array, Array]:
    """The state near (q, v) that meets the constraints and their rates, for one that is almost there."""
    free = np.arange(model.nd, dtype=np.intp)
    inverse = inverse_root(model.mass_matrix(q)[: model.nd, : model.nd])
    h = model.constraint(q, t)
    for _ in range(10):
        if (np.abs(h) <= 1e-15 * round_off(model, q, t)).all():
            break
        step = inverse @ np.linalg.lstsq(rows(model, q, t)[:, : model.nd] @ inverse, h, rcond=RANK)[0]
        if model.balls:
            tried = model.integrate(q, -np.concatenate([step, np.zeros(model.nk)]))
        else:
            tried = np.concatenate([q[: model.nd] - step, q[model.nd :]])
        left = model.constraint(tried, t)
        if np.abs(left).max() >= np.abs(h).max():
            break
        q, h = tried, left
    return q, projected_velocity(model, q, v, free, t=t)
