"""Starts that look like degrees: whole multiples of five, larger than a turn and a half."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.errors import BoughWarning, quoted, warn
from bough.model.model import Model
from bough.model.units import variable_units

LARGE = 10.0  # rad, from which on a start is looked at
MULTIPLE = 5.0  # people write 10, 30, 45, 90 or 180 degrees


def warn_of_degrees(model: Model, q: Mapping[str, Any]) -> None:
    """Warn of angles of a start by name that were probably meant in degrees."""
    units = dict(zip(model.variables, variable_units(model), strict=True))
    angles = {name: value for name, value in q.items() if units.get(name) == "rad"}
    found = {name: value for name, value in angles.items() if abs(value) >= LARGE and value % MULTIPLE == 0.0}
    if not found:
        return
    name, value = next(iter(found.items()))
    each = ", ".join(f"{angle:g} rad ({abs(angle) / (2.0 * np.pi):.1f} turns)" for angle in found.values())
    warn(
        f"q of a simulation of {model._where}: {quoted(found)} {'starts' if len(found) == 1 else 'start'} at"
        f" {each}; angles are in radians: if degrees are meant, write q={{{name!r}: np.radians({value:g})}}",
        BoughWarning,
    )
