"""Checks that potentials and constraints are finite at a start."""

from __future__ import annotations

import math

import numpy as np

from bough._core import core
from bough.arguments import Array, finite
from bough.elements.user import UserPotential
from bough.errors import ModelError
from bough.model.model import Model


def check_energy(model: Model, q: Array, where: str) -> None:
    """Raise if the potential energy at q is not finite, and name the potential that makes it so."""
    energy = np.empty(1)
    core.potential_energy(model._core, q, energy)
    if math.isfinite(energy[0]):
        return
    raise ModelError(
        asked=f"start of {where}",
        found=f"{infinite_energy(model, q, float(energy[0]))} there",
        do="give the potential a finite energy, or start from a configuration where it has one",
    )


def infinite_energy(model: Model, q: Array, total: float) -> str:
    """The potential whose energy is not finite at q, and its value; `total` is the energy of all."""
    for element, record in zip(model._elements, model._records, strict=True):
        if isinstance(record, UserPotential):
            own = float(record.energy(q, None, None, 0.0)[0])
            if not np.isfinite(own):
                return f"energy(at) of {element._text()} is {own}"
    return f"the potential energy is {total}"


def check_constraints(model: Model, h: Array, where: str) -> None:
    """Raise if a row of h, the constraints at some configuration, is not finite."""
    if finite(h):
        return
    row = int(np.argmin(np.isfinite(h)))
    raise ModelError(
        asked=f"start of {where}",
        found=f"constraint {model.constraints[row]!r} is {h[row]} there",
        do="give the constraint a finite value, or start from a configuration where it has one",
    )
