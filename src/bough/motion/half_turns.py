"""Half turns of torsion springs without an axis, where the direction of their torque is not defined."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bough.arguments import Array
from bough.description import rotation
from bough.elements.potentials import TorsionSpring
from bough.errors import BoughWarning, ModelError, warn
from bough.model.model import Model
from bough.motion.trajectory import Trajectory

UNDEFINED = 1e-7  # distance from half a turn in rad below which round-off chooses the direction


def check_half_turns(model: Model, q: Array, where: str) -> None:
    """Raise if a spring is turned by half a turn at q."""
    for name, sine, cosine in _turns(model, q[None]):
        if cosine[0] < 0.0 and np.linalg.norm(sine) < UNDEFINED:
            raise ModelError(
                asked=f"start of {where}",
                found=f"{name} is turned by half a turn there, where its torque has no direction",
                do="start from another orientation, or turn the rest orientation of the spring",
            )


def warn_of_half_turns(run: Trajectory) -> None:
    """Warn once if a spring passes half a turn between recorded instants, where its torque jumps."""
    if run.bodies is not None:
        return
    for name, sine, cosine in _turns(run.model, run.q):
        far = cosine < 0.0
        passed = far[1:] & far[:-1] & (np.sum(sine[1:] * sine[:-1], axis=1) < 0.0)
        if passed.any():
            warn(
                f"{name} of {run.model.name!r} passes half a turn at t = {run.t[1:][passed][0]:.4g} s, where its torque"
                " jumps to the other direction: steps across are not of their order. Make it stiffer, or use an axis",
                BoughWarning,
            )
            return


def _turns(model: Model, q: Array) -> Iterator[tuple[str, Array, Array]]:
    """The springs, each with its axis times the sine of its angle from rest (rows, 3), and the cosine (rows,)."""
    for number, element in enumerate(model._elements):
        if isinstance(element, TorsionSpring) and element.axis is None:
            a, b = (model.pose(str(frame), q)[:, :3, :3] for frame in (element.a, element.b))
            if element.rest:
                a = a @ rotation.to_matrix(np.array(element.rest))
            R = np.swapaxes(a, -1, -2) @ b
            sine = 0.5 * (R - np.swapaxes(R, -1, -2))[:, (2, 0, 1), (1, 2, 0)]
            label = element._text() if element.name is not None else f"{element._text()} #{number}"
            yield label, sine, 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
