"""Conversion between (q, v, p) and reduced states: pose of the base, shape, twist, spatial momentum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.elements.user import UserElement
from bough.errors import ModelError
from bough.model.flatten import Flat, flatten
from bough.model.lower import lower
from bough.model.model import Model
from bough.validate import counted


class ReducedStart(NamedTuple):
    """Pose (4, 4), shape (nr,), velocities z = (twist, shape rates), momenta mu (6,) and p (of r), and q."""

    g: Array
    r: Array
    z: Array
    mu: Array
    p: Array
    q: Array


def reduced_start(model: Model, g: Array, r: Array, z: Array, q: Array) -> ReducedStart:
    """The start with these velocities; q selects among equivalent angles of the base."""
    mu, p = np.zeros((1, 6)), np.empty((1, model.nd - len(model.base_variables)))
    core.reduced_momenta(model._core, g.reshape(1, 16), r[None], z[None], mu, p)
    return ReducedStart(g, r, z, mu[0], p[0], q)


def base_pose(model: Model, q: Array) -> Array:
    """The pose of the base at q."""
    g: Array = np.empty((4, 4))
    core.base_pose(model._core, q[None], g[None])
    return g


def configurations(model: Model, g: Array, r: Array, before: Array) -> Array:
    """q, (rows, nq), of rows of poses and shapes; the angles continue those of the configuration before."""
    base, shape = (list(part) for part in model._layout)
    q = np.empty((len(r), model.nv))
    q[:, shape] = r
    if base:
        angles = np.empty((len(r), 6))
        core.base_coordinates(model._core, g.reshape(-1, 16), np.asarray(before)[base], angles)
        q[:, base] = angles
    return q


def velocities(model: Model, g: Array, r: Array, mu: Array, p: Array, vk: Array) -> Array:
    """z, (rows, nb + nr), of rows of momenta; vk are the rates of the kinematic variables."""
    z = np.zeros((len(r), len(model._layout[0]) + r.shape[1]))
    z[:, z.shape[1] - model.nk :] = vk
    row = core.reduced_velocities(model._core, g.reshape(-1, 16), r, mu, p, z)
    if row >= 0:
        raise ModelError(
            asked=f"velocity of model {model.name!r}",
            found="the mass matrix is singular in this configuration"
            + (f", row {row}" if len(r) > 1 else ""),
            do="give the base a mass and an inertia, or move away from this configuration",
        )
    return z


def rates(model: Model, q: Array, z: Array) -> Array:
    """v, (rows, nq), of velocities z; at gimbal lock the rates of the angles are those of least norm."""
    base, shape = (list(part) for part in model._layout)
    v = np.empty_like(q)
    v[:, shape] = z[:, len(base) :]
    if base:
        angles = np.empty((len(q), 6))
        core.base_rates(model._core, q, np.ascontiguousarray(z[:, :6]), angles)
        v[:, base] = angles
    return v


def body_momentum(g: Array, mu: Array) -> Array:
    """P = Ad(g)^T mu, (..., 6): spatial momenta in the axes of the base at poses g."""
    R, x, force = g[..., :3, :3], g[..., :3, 3], mu[..., 3:]
    moment = mu[..., :3] - np.cross(x, force)
    return np.concatenate([np.einsum("...ji,...j->...i", R, a) for a in (moment, force)], axis=-1)


def momenta(model: Model, q: Array, g: Array, mu: Array, p: Array) -> Array:
    """The momenta of the dynamic variables, (rows, nd)."""
    base, shape = (list(part) for part in model._layout)
    out = np.empty((len(q), model.nd))
    out[:, shape[: p.shape[1]]] = p
    if base:
        angles = np.empty((len(q), 6))
        core.base_momenta(model._core, q, np.ascontiguousarray(body_momentum(g, mu)), angles)
        out[:, base] = angles
    return out


def check_reducible(model: Model, where: str) -> None:
    """Raise if the model has what a base on the group does not allow."""
    if model.nc:
        raise ModelError(
            asked=where,
            found=f"{counted(model.nc, 'row')} of constraints, which the reduced integrator does not have",
            do="use MidpointVI (integrator='midpoint'), which holds constraints",
        )
    base = set(model._layout[0])
    if not base:
        return
    system = model.system
    flat = flatten(system)
    within = _within_base(flat, model._layout[0])
    for element, record in zip(system.elements, lower(system, flat)["elements"], strict=True):
        if isinstance(record, UserElement):
            found = "is written in Python as a function of q, in which the base has no angles here"
        elif base & set(record[2]):
            name = model.variables[next(i for i in record[2] if i in base)]
            found = f"acts on {name!r}, a variable of the free base, which is a pose here"
        elif within & set(record[1]):
            found = "acts on a frame between the joints of the free base"
        else:
            continue
        raise ModelError(
            asked=where,
            found=f"{element._text()} {found}",
            do="let it act on frames (BodyWrench, LinearSpring, LinearDamper, ...) or name the joints it acts"
            " on; or use MidpointVI",
        )


def _within_base(flat: Flat, base: tuple[int, ...]) -> set[int]:
    """The frames that move with some but not all of the six joints of the base."""
    parent, variable = flat.arrays["parent"], flat.arrays["variable"]
    moved = np.full(len(parent), -1)
    for frame, above in enumerate(parent):
        moved[frame] = variable[frame] if variable[frame] >= 0 else (moved[above] if above >= 0 else -1)
    return {frame for frame, last in enumerate(moved) if last in base[:5]}
