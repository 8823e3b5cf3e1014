"""The start of a motion: configurations checked, velocities and momenta made consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array, from_mapping, is_one, vector
from bough.errors import ModelError
from bough.model.finite import check_constraints, check_energy
from bough.model.model import Model
from bough.model.projection import round_off
from bough.model.units import gap_units
from bough.motion.half_turns import check_half_turns
from bough.motion.state import State
from bough.motion.string_paths import inside_pulleys

PENETRATION = 1e-10  # largest negative gap at a start, relative to the lengths involved
# largest violation of the constraints at a start, relative to the lengths involved
CONSISTENT = 1e-9


class ConsistentStart(NamedTuple):
    """A configuration with its velocities (nv,) and the momenta (nd,) of its dynamic variables."""

    q: Array
    v: Array
    p: Array


def start(
    model: Model, q: Array, v: Array | None, p: Array | None, vk: Array, where: str, t: float
) -> ConsistentStart:
    """The start with velocities v or momenta p; vk are the velocities of the kinematic variables.

    The momenta that a run records are those before the impulse of the constraints at their node. Made
    consistent they lead to the same motion, and the first step does not repeat that impulse. If
    kinematic variables move, whose velocities are differences, given momenta are taken to be consistent.
    """
    if model.nc:
        consistent(model, q, where, t)
    if model.gaps:
        no_penetration(model, q, where, t)
    check_energy(model, q, where)
    if model._turning:
        check_half_turns(model, q, where)
    nd, given = model.nd, p
    if p is None and v is None and model.nc == 0 and (model.nk == 0 or np.count_nonzero(vk) == 0):
        return ConsistentStart(q, np.zeros(model.nv), np.zeros(nd))  # at rest
    if p is None:
        if model.nk or v is None:
            v = np.concatenate([np.zeros(nd) if v is None else v[:nd], vk])
        else:
            v = v.copy()
        p = model._momentum(q, v)[:nd]
        if model.nc == 0:
            return ConsistentStart(q, v, p)
    v = model.velocity(q, p, vk, t)
    keep = model.nc == 0 or (given is not None and np.count_nonzero(vk) > 0)
    return ConsistentStart(q, v, p if keep else model.momentum(q, v)[:nd])


def momenta(model: Model, state: State) -> Array:
    """The momenta of the dynamic variables in a state, consistent with constraints and closed contacts."""
    if state.p is not None and model.nc == 0 and not model.gaps:
        return state.p
    return model.momentum(state.q, state.v)[: model.nd]


def single(value: Any, names: Sequence[str], what: str, where: str, plural: str = "variables") -> Array:
    """One row of finite numbers, not a batch."""
    if type(value) is np.ndarray and core.are_vectors(len(names), value):
        return value
    if isinstance(value, Mapping):
        row = from_mapping(value, names, what, where, plural)
        if row.ndim == 1:
            return row
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"shape {row.shape[:-1]} for one of the names",
            do="give one number for each name",
        )
    try:
        shape = np.shape(value)
    except ValueError:  # rows of different lengths
        shape = (len(names),)
    if shape == () and is_one(names, plural) and validate.is_real(value):
        return vector(value, names, what, where, plural)
    if shape != (len(names),):
        many = what in ("q", "v") and len(shape) == 2 and shape[1] == len(names)
        also = f"; many starts are bough.ensemble(bough.Problem(...), {{{what!r}: rows}})" if many else ""
        raise ModelError(
            asked=f"{what} of {where}",
            found=f"{f'shape {shape}' if shape else validate.shown(value)}, but the model has"
            f" {validate.counted(len(names), plural[:-1])}",
            do=f"give {validate.counted(len(names), 'number')}, or a mapping from names to numbers" + also,
        )
    return np.ascontiguousarray(vector(value, names, what, where, plural))


def consistent(model: Model, q: Array, where: str, t: float, what: str = "q") -> None:
    """Raise if a configuration, called `what` in the message, does not meet the constraints."""
    if model.nc == 0:
        return
    h = model.constraint(q, t)
    check_constraints(model, h, where)
    if (np.abs(h) <= CONSISTENT * model.constraint_scale(q, t)).all():  # less than what is allowed below
        return
    error = np.abs(h) / (round_off(model, q, t) + np.finfo(float).tiny)
    worst = int(np.argmax(error))
    if error[worst] > CONSISTENT:
        label = model.constraints[worst]
        raise ModelError(
            asked=f"start of {where}",
            found=f"{what} does not meet constraint {label!r}: it is off by {h[worst]:.3g}",
            do="start where it holds: model.assemble(q=...) finds the nearest q (simulate: assemble=True)",
        )


def no_penetration(model: Model, q: Array, where: str, t: float, what: str = "q") -> None:
    """Raise if a configuration, called `what` in the message, is beyond a contact."""
    gap = model.gap(q, t)
    deep = np.flatnonzero(~(gap >= -PENETRATION * model.gap_scale(q, t)))
    if len(deep) == 0:
        return
    if inside := inside_pulleys(model, q):
        raise ModelError(
            asked=f"start of {where}",
            found=inside,
            do="start with the ends of strings outside their pulleys, or give smaller pulleys",
        )
    worst, units = sorted(deep, key=lambda i: gap[i]), gap_units(model)
    shown = ", ".join(f"{model.gaps[i]!r} by {-gap[i]:.3g} {units[i]}".rstrip() for i in worst[:4])
    more = f" and {len(deep) - 4} more" if len(deep) > 4 else ""
    nearest = ": model.assemble(q=...) finds the nearest q (simulate: assemble=True)"
    apart = ", such as from a greater height: model.gap(q) tells the gaps"
    raise ModelError(
        asked=f"start of {where}",
        found=f"{what} is beyond {validate.counted(len(deep), 'contact')}: {shown}{more}",
        do=f"start where all gaps are open{apart if model.balls else nearest}",
    )
