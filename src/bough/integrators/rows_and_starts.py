"""Steppers of the core put at a start, and the rows of their equations by name."""

from __future__ import annotations

from typing import Any

from bough.arguments import Array
from bough.errors import ConvergenceError
from bough.model.model import Model


def start_stepper(model: Model, stepper: Any, t: float, q: Array, p: Array, vk: Array) -> None:
    """Put a stepper at a start; vk are the velocities of the kinematic variables."""
    check_start(model, stepper.start(t, q, p, vk), t)


def check_start(model: Model, outcome: int, t: float) -> None:
    """Raise if a stepper could not be put at a start: -1 is a good outcome."""
    if outcome >= 0:
        model._check_singular("velocity", (0, outcome), ())
    if outcome < -1:
        raise ConvergenceError(
            asked=f"start of model {model.name!r} at t = {t:.6g}",
            found="contacts that touch approach each other, and no impulses stop them",
            do="give velocities that do not press on both sides of a body that is wedged",
            time=t,
        )


def row_text(model: Model, row: int) -> str:
    """The name of a row of the equations of a step: momenta, constraints, contacts."""
    if row < model.nd:
        return f"variable {model.variables[row]!r}"
    if row < model.nd + model.nc:
        return f"constraint {model.constraints[row - model.nd]!r}"
    return f"contact {model.gaps[row - model.nd - model.nc]!r}"
