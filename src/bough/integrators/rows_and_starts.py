"""Steppers of the core put at a start, and the rows of their equations by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.arguments import Array
from bough.errors import ConvergenceError, ModelError, quoted
from bough.model.dry_friction import dry_friction
from bough.model.model import Model
from bough.motion.assemble import assemble
from bough.motion.string_paths import used_up

TOUCHING = 1e-9  # m or rad: gaps of contacts that are named


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


def unfollowed_text(model: Model) -> str:
    """What is wrong with a step that fails although its equations are solved."""
    far = "a solution far from where the motion led, or with an energy that nothing gave"
    if not model.gaps:
        return f"Newton's method converged only to {far}"
    return (
        "the equations of the step are solved, but its contacts could not be followed: shapes touch with another"
        " part of theirs than the step began with, or an impact in it was not found or has no solution;"
        f" or this is {far}"
    )


def touching_text(model: Model, q: Array, t: float) -> str:
    """The contacts that touch in a configuration from which a step fails; empty if none does."""
    if not model.gaps:
        return ""
    gap, friction = model.gap(q, t), dry_friction(model)
    names = [
        name for name, phi in zip(model.gaps, gap, strict=True) if phi <= TOUCHING and name not in friction
    ]
    return f"; {quoted(names)} touch{'es' if len(names) == 1 else ''} there" if names else ""


def wedged_text(model: Model, q: Array, p: Array, t: float, dt: float) -> tuple[str, str]:
    """Of a configuration from which a step fails: what is wrong with its contacts, and what to do about it.

    Both are "" if nothing is known to be.
    """
    if not model.gaps:
        return "", ""
    if gone := used_up(model, q, model.velocity(q, p, t=t), dt):
        return (
            f"; {gone}",
            "end the run earlier, or stop what draws the string in: a JointLimit on the variable of the load"
            " or of its drum",
        )
    if model.nk and touching_text(model, q, t):
        return "", (
            "take a smaller dt; if kinematic variables close the room that a body has between its contacts, let them"
            " stop before: no force moves it out of their way"
        )
    return "", ""


def locked_text(model: Model, q: Array, driven: Array, t: float) -> tuple[str, str]:
    """Of kinematic values at the end of a step that fails: that the mechanism cannot follow them, and what to do.

    Both are "" if it can.
    """
    if not (len(driven) and model.nc):
        return "", ""
    begin = model.nq - model.nk
    ahead = np.concatenate([q[:begin], driven])
    try:
        assemble(model, ahead, None, (), t)
    except ModelError:
        moved = [i for i in range(model.nk) if driven[i] != q[begin + i]]
        values = ", ".join(f"{model.kinematic[i]} = {driven[i]:.4g}" for i in moved)
        return (
            f"; the mechanism locks: no configuration is found that meets the constraints at {values}",
            "prescribe a motion that the mechanism can follow, or change its lengths; the motion before it is"
            " .trajectory of this exception (on_failure='stop' returns it instead)",
        )
    return "", ""
