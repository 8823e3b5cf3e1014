"""A warning if a wire, modelled by a distance constraint or a beam, is in compression."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bough.arguments import Array
from bough.description.element import Constraint
from bough.elements.beam import BeamElement
from bough.elements.constraints import DistanceConstraint
from bough.errors import SlackWarning, warn
from bough.motion.trajectory import Trajectory

ROUND_OFF = 1e-9  # smallest push that counts, relative to the largest force in a wire


def warn_of_slack(run: Trajectory) -> None:
    """Warn once if wires of a run push at recorded instants: which one most, when, and with which force."""
    if run.bodies is not None or not any(getattr(e, "wire", None) for e in run.model._elements):
        return
    pushes = dict(_pushes(run))
    largest = max(float(np.abs(force).max()) for force in pushes.values())
    slack = {name: force for name, force in pushes.items() if force.max() > ROUND_OFF * largest}
    if not slack:
        return
    name = max(slack, key=lambda wire: float(slack[wire].max()))
    first = min(int(np.argmax(force > ROUND_OFF * largest)) for force in slack.values())
    worst = int(np.argmax(slack[name]))
    others = f", one of {len(slack)} that push," if len(slack) > 1 else ""
    warn(
        f"{name} of {run.model.name!r}{others} pushes with {slack[name][worst]:.3g} N at"
        f" t = {run.t[worst]:.4g} s: a wire only pulls, so that the motion is not that of wires after"
        f" t = {run.t[first]:.4g} s. Move its ends more gently, shorten it, or make it a rod (wire=False)",
        SlackWarning,
    )


def _pushes(run: Trajectory) -> Iterator[tuple[str, Array]]:
    """The wires, each with the force by which it pushes at every instant; negative if it pulls."""
    row = 0
    for number, element in enumerate(run.model._elements):
        label = element._text() if element.name is not None else f"{element._text()} #{number}"
        if isinstance(element, DistanceConstraint) and element.wire:
            yield label, run.lam[:, row]
        elif isinstance(element, BeamElement) and element.wire:
            a, b = (run.pose(str(frame))[:, :3, 3] for frame in (element.a, element.b))
            stretch = np.linalg.norm(b - a, axis=1) / element.length - 1.0
            yield label, -element.axial * stretch
        row += element.rows if isinstance(element, Constraint) else 0
