"""Whether the gains of servos are too high for the steps of a run: (VS4) of docs/theory/forces.md."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bough.arguments import Array
from bough.elements.servo import Servo
from bough.errors import ModelError
from bough.model.model import Model

RESOLVING = ("trapezoidal", "reduced", "semi-implicit-euler", "rk4", "implicit-midpoint")


class Stiff(NamedTuple):
    """A servo whose gains are beyond what a step resolves, and the longest step that does."""

    servo: Servo
    longest: float


def stiffest(model: Model, q: Array, dt: float) -> Stiff | None:
    """The servo that needs the shortest step of those for which dt is too long at q."""
    servos = [
        (element, record)
        for element, record in zip(model._elements, model._records, strict=True)
        if isinstance(element, Servo)
    ]
    if not servos:
        return None
    mobility = np.diagonal(np.linalg.pinv(model.mass_matrix(q)[: model.nd, : model.nd]))
    found = [
        Stiff(servo, _longest(kp, kd, 1.0 / mobility[variable]))
        for servo, (_, _, (variable, *_), _, (kp, kd, *_)) in servos  # kp and kd include the gear
    ]
    worst = min(found, key=lambda stiff: stiff.longest)
    return worst if worst.longest < dt else None


def _longest(kp: float, kd: float, inertia: float) -> float:
    """The dt at which x = dt (kd + dt kp / 2) / (2 inertia) equals one."""
    return 4.0 * inertia / (kd + math.sqrt(kd**2 + 4.0 * kp * inertia))


def check_servos(model: Model, q: Array, dt: float, integrator: str, order: int, where: str) -> None:
    """Raise if a servo would chatter or grow with this method and step."""
    if integrator not in RESOLVING and order == 2:
        return
    stiff = stiffest(model, q, dt)
    if stiff is None:
        return
    method = f"integrator={integrator!r}" + (f" of order {order}" if order != 2 else "")
    raise ModelError(
        asked=f"{method} and dt={dt:g} in {where}",
        found=f"{stiff.servo._text()} on {stiff.servo.variable!r} has gains that are too high for this step:"
        f" with this method it would chatter or grow above dt = {stiff.longest:.2g}",
        do="use integrator='midpoint', of order 2, which is stable at any gain, or a smaller dt",
    )
