"""Nonholonomic constraints of the velocity formulation: rolling without slip, and a skate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough import check_system as check
from bough.errors import ModelError
from bough.frame import Frame


@dataclass(frozen=True)
class Rolling:
    """A ball or wheel that rolls without slip on a plane.

    Parameters
    ----------
    frame : frame or its name
        Its origin is the centre of the ball or wheel; it must be fixed to a link with mass.
    radius : float
    axis : three numbers or None
        The axis of the wheel in the frame; None is a ball.
    normal : three numbers
        The normal of the plane in the world, upwards by default.
    height : float
        The plane is at normal . x = height.
    name : str or None
    """

    frame: str | Frame
    radius: float
    axis: Sequence[float] | None = None
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    height: float = 0.0
    name: str | None = None


@dataclass(frozen=True)
class Skate:
    """A blade that glides along itself and does not slip sideways, as a skate or a knife does.

    The velocity of the origin of the frame along `across`, which turns with the frame, is zero. Along the
    blade and about the vertical it is free. A blade along x of its frame, upright as z, has across=(0, 1, 0):

            y
            ^   across: held
            |
        ====+====> x   blade: free

    Parameters
    ----------
    frame : frame or its name
        Its origin is where the blade touches; it must be fixed to a link with mass.
    across : three numbers
        The horizontal direction at right angles to the blade, in the axes of the frame; its length does not
        matter.
    name : str or None
    """

    frame: str | Frame
    across: Sequence[float]
    name: str | None = None


Contact = Rolling | Skate


def plain(contact: Any, where: str) -> dict[str, Any]:
    """The contact as checked plain values, which go into the settings of a run."""
    if isinstance(contact, dict):
        return contact
    if not isinstance(contact, Rolling | Skate):
        raise ModelError(
            asked=f"contacts in {where}",
            found=f"{check.shown(contact)}, which is no contact",
            do="give a list of bough.Rolling(frame, radius=...) and bough.Skate(frame, across=...)",
        )
    kind = type(contact).__name__
    frame = contact.frame if isinstance(contact.frame, str) else contact.frame.label
    data: dict[str, Any] = {"kind": kind, "frame": frame, "name": contact.name}
    asked = f"{kind} of frame {frame!r} in {where}"
    if isinstance(contact, Skate):
        return {**data, "axis": _unit(contact.across, "across", asked)}
    radius = check.real(contact.radius, "radius", asked)
    if radius <= 0.0:
        raise ModelError(asked=asked, found=f"radius {radius:g}", do="give a radius above zero")
    return {
        **data,
        "axis": [0.0, 0.0, 0.0] if contact.axis is None else _unit(contact.axis, "axis", asked),
        "radius": radius,
        "normal": _unit(contact.normal, "normal", asked),
        "height": check.real(contact.height, "height", asked),
    }


def _unit(vector: Sequence[float], what: str, asked: str) -> list[float]:
    try:
        array = np.array(vector, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    length = float(np.linalg.norm(array)) if array.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise ModelError(
            asked=asked,
            found=f"{what} {check.shown(vector)}",
            do="give three numbers that are not all zero",
        )
    unit: list[float] = (array / length).tolist()
    return unit
