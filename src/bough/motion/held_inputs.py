"""A warning if functions of time are held between instants by a method whose tolerances do not see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.errors import BoughWarning, quoted, warn
from bough.model.model import Model
from bough.motion.grid import Grid
from bough.motion.run_start import Drive
from bough.motion.stages import functions_of_time


def warn_of_held(model: Model, u: Any, k: Any, drive: Drive, times: Grid, tolerance: str, where: str) -> None:
    """Warn at most once; tolerance: its name."""
    held = _changing(u, model.inputs, drive.inputs.rows)
    moved = _changing(k, model.kinematic, drive.prescribed) if tolerance == "tol" else []
    found = []
    if held:
        found.append(f"u of {quoted(held)} is held during each dt = {times.dt:g} s, an error of first order")
    if moved:
        found.append(f"k of {quoted(moved)} follows a spline through its values every dt = {times.dt:g} s")
    if not found:
        return
    instead = "in place of tol" if tolerance == "tol" else "or choose a smaller dt"
    warn(
        f"{' and '.join(found)} in {where}, which {tolerance} does not see; give integrator='midpoint' with dt and"
        f" order=4, 6 or 8, which calls functions of time within steps, {instead}",
        BoughWarning,
    )


def warn_of_held_by_parts(model: Model, u: Any, rows: Array, order: int) -> None:
    """Warn if inputs spoil the order of a composed step, which holds them at their values at its start."""
    held = _changing(u, model.inputs, rows)
    if not held:
        return
    other = (
        "leave order at 2, a fraction of the cost, and take a smaller dt"
        if model._balls
        else "integrator='midpoint' calls them at its stages"
    )
    warn(
        f"order={order} of {model.name!r} is of first order only: it is composed of shorter steps, and the inputs"
        f" {quoted(held)}, functions of time, are held during all of them at their values at the start; {other}",
        BoughWarning,
    )


def _changing(given: Any, names: Sequence[str], rows: Array) -> list[str]:
    """The names of the functions of time whose values differ."""
    if len(rows) < 2:
        return []
    return [name for name in functions_of_time(given, names) if np.ptp(rows[:, names.index(name)]) > 0.0]
