"""Columns of a run and numbers of a state by name: "elbow", "v.elbow", "p.elbow", "k.slide", "u.torque", "lam.wire"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError, unknown_name
from bough.named import ModelNames

if TYPE_CHECKING:
    from bough.motion.trajectory import Trajectory

#: The symbols before a dot, and the names that belong to each.
ARRAYS = {
    "q": "coordinates",
    "v": "variables",
    "p": "dynamic",
    "k": "kinematic",
    "u": "inputs",
    "lam": "constraints",
}
#: What is no column but a call, by what people write for it.
CALLS = {
    "energy": "run.energy(), run.kinetic_energy() or run.potential_energy()",
    "momentum": "run.momentum()",
    "pose": "run.pose(FRAME)",
    "position": "run.pose(FRAME)[:, :3, 3]",
    "velocity": "run['v.NAME'] for that of a variable",
    "acceleration": "run.model.acceleration(run.q, run.v, run.u)",
    "t": "run.t",
    "time": "run.t",
}
ACCELERATION = ("a", "acc", "vdot", "qdd", "ddq")  # symbols that other programs give accelerations
VELOCITY = ("qd", "dq", "qdot")


def column(run: Trajectory, key: str) -> Array:
    """One column of a run, or those of a ball or of a constraint of several rows."""
    model = run.model
    symbol, place = place_of(model._names, key, "run", model.frames)
    if symbol == "k":
        return np.asarray(run.q)[:, model.nq - model.nk :][:, place]
    return np.asarray(getattr(run, symbol))[:, place]


def place_of(names: ModelNames, key: str, of: str, frames: Sequence[str] = ()) -> tuple[str, int | slice]:
    """The array and the place in it of a name; `of` is what is asked: "run" or "state"."""
    coordinates = names.coordinates.places
    if key in coordinates:
        return "q", coordinates[key]
    symbol, dot, name = key.partition(".")
    if dot and symbol in ARRAYS:
        found = getattr(names, ARRAYS[symbol])
        if name in found.places:
            return symbol, found.places[name]
        raise unknown_name(found.kind, name, found.places, f"{of}[{key!r}] of {names.coordinates.where}")
    raise _no_column(names, key, of, frames)


def _no_column(names: ModelNames, key: str, of: str, frames: Sequence[str]) -> ModelError:
    """The error for a name without a column, with what may be meant."""
    where = f"{of}[{key!r}] of {names.coordinates.where}"
    symbol, dot, name = key.partition(".")
    if key in names.variables.places:
        return ModelError(
            asked=where,
            found=f"{key!r} is a rate of a ball, which q has no column for",
            do=f"use {of}['v.{key}'], or run.rotation(name) for the rotations of the ball",
        )
    if key in frames:
        return ModelError(
            asked=where,
            found=f"{key!r} is a frame; {of}[...] gives columns of variables, inputs and constraints",
            do=f"write {of}.pose({key!r}), its poses, or {of}.pose({key!r})[:, :3, 3], its positions",
        )
    if dot and name in names.variables.places and symbol in (*ACCELERATION, *VELOCITY):
        velocity = symbol in VELOCITY
        place = names.variables.places[name]
        return ModelError(
            asked=where,
            found=f"velocities are called v, {of}['v.{name}']"
            if velocity
            else "accelerations are not recorded",
            do=f"write {of}['v.{name}']"
            if velocity
            else f"write run.model.acceleration(run.q, run.v, run.u)[:, {place}], or"
            f" np.gradient(run['v.{name}'], run.t)"
            if of == "run"
            else f"write model.acceleration(state.q, state.v, u)[{place}]",
        )
    if key in CALLS and of == "run":
        return ModelError(asked=where, found="no column, but a quantity of its own", do=f"write {CALLS[key]}")
    inputs = names.inputs.places if of == "run" else ()  # which are no part of a state
    others = (*(f"u.{n}" for n in inputs), *(f"lam.{n}" for n in names.constraints.places))
    return unknown_name("variable", key, (*names.coordinates.places, *others), names.coordinates.where)
