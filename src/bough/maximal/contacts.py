"""Nonholonomic constraints of the velocity formulation: rolling without slip, and a skate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.description.frame import Frame
from bough.errors import ModelError
from bough.model.model import Model

ON_THE_PLANE = 1e-3  # largest distance of a start from the plane, in radii: more than the drift of runs
NO_SLIP = 1e-9  # largest slip velocity of a start, relative to the velocities involved


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
    blade and about the vertical it is free. A blade along x of its frame, upright as z, has across=(0, 1, 0)::

            y
            ^   across: held
            |
        ====+====> x   blade: free

    Parameters
    ----------
    frame : frame or its name
        Its origin is the point of contact; it must be fixed to a link with mass.
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
    if isinstance(contact, Mapping):  # from the settings of a run
        return _check_plain(contact, where)
    if not isinstance(contact, Rolling | Skate):
        raise ModelError(
            asked=f"contacts in {where}",
            found=f"{validate.shown(contact)}, which is no contact",
            do="give a list of bough.Rolling(frame, radius=...) and bough.Skate(frame, across=...)",
        )
    kind = type(contact).__name__
    frame = contact.frame if isinstance(contact.frame, str) else contact.frame.label
    data: dict[str, Any] = {"kind": kind, "frame": frame, "name": contact.name}
    asked = f"{kind} of frame {frame!r} in {where}"
    if isinstance(contact, Skate):
        return {**data, "axis": _unit(contact.across, "across", asked)}
    radius = validate.real(contact.radius, "radius", asked)
    if radius <= 0.0:
        raise ModelError(asked=asked, found=f"radius {radius:g}", do="give a radius above zero")
    return {
        **data,
        "axis": [0.0, 0.0, 0.0] if contact.axis is None else _unit(contact.axis, "axis", asked),
        "radius": radius,
        "normal": _unit(contact.normal, "normal", asked),
        "height": validate.real(contact.height, "height", asked),
    }


def _check_plain(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The plain values of a contact, unchanged, if `plain` could have made them."""
    known = {"Rolling": ("radius", "normal", "height"), "Skate": ()}
    kind, axis = str(data.get("kind")), data.get("axis")
    asked = f"contacts in {where}"
    texts = isinstance(data.get("frame"), str) and isinstance(data.get("name"), str | None)
    fields = {"kind", "frame", "name", "axis", *known.get(kind, ())}
    if not texts or kind not in known or fields != set(data):
        raise ModelError(
            asked=asked, found=validate.shown(dict(data)), do="give bough.Rolling(...) or bough.Skate(...)"
        )
    if kind == "Skate":
        made = plain(Skate(data["frame"], axis, data["name"]), where)  # type: ignore[arg-type]
    else:
        ball = axis == [0.0, 0.0, 0.0]
        rest = {name: data[name] for name in ("radius", "normal", "height", "name")}
        made = plain(Rolling(data["frame"], axis=None if ball else axis, **rest), where)
    for name in ("axis", "normal"):
        if name in made and np.abs(np.array(made[name]) - np.array(data[name], float)).max() > 1e-9:
            raise ModelError(asked=asked, found=f"{name} that is not of length one", do="give a unit vector")
    return dict(data)


def contact_name(contact: Mapping[str, Any]) -> str:
    """The name given, or one made of its kind and frame."""
    return str(contact["name"] or f"{contact['kind']} of {contact['frame']}")


# --- start ---


def on_the_plane(model: Model, contact: Mapping[str, Any], q: Array, where: str) -> None:
    """Raise if a ball or wheel does not touch its plane."""
    if contact["kind"] != "Rolling":
        return
    frame, radius, normal = contact["frame"], contact["radius"], np.array(contact["normal"])
    pose, asked = model.pose(frame, q), f"start of {where}"
    down = _down(contact, pose)
    if not down.any():
        raise ModelError(
            asked=asked,
            found=f"the wheel of frame {frame!r} lies flat on its plane, so that no point of it is lowest",
            do="tilt it, or choose another axis= or normal=",
        )
    gap = float(normal @ (pose[:3, 3] + radius * down) - contact["height"])
    if abs(gap) > ON_THE_PLANE * radius:
        raise ModelError(
            asked=asked,
            found=f"what rolls with frame {frame!r} does not touch its plane: its lowest point is"
            f" {abs(gap):.3g} m {'above' if gap > 0.0 else 'below'} it",
            do=f"start with it on the plane, or give height={contact['height'] + gap:.6g}",
        )


def slips(model: Model, contact: Mapping[str, Any], q: Array, v: Array) -> bool:
    """Whether velocities break the contact."""
    pose, twist = model.pose(contact["frame"], q), model.body_velocity(contact["frame"], q, v)
    turning, moving = twist[:3], twist[3:]
    if contact["kind"] == "Rolling":
        arm = contact["radius"] * pose[:3, :3].T @ _down(contact, pose)
        slip = moving + np.cross(turning, arm)
    else:
        arm = np.zeros(3)
        slip = np.array(contact["axis"]) @ moving
    size = np.linalg.norm(moving) + np.linalg.norm(turning) * np.linalg.norm(arm)
    return bool(np.linalg.norm(slip) > NO_SLIP * size)


def _down(contact: Mapping[str, Any], pose: Array) -> Array:
    """The direction, in the world, from the centre to the lowest point; zero for a wheel that lies flat."""
    axis, normal = pose[:3, :3] @ np.array(contact["axis"]), np.array(contact["normal"])
    down = -(normal - (normal @ axis) * axis)
    length = np.linalg.norm(down)
    return np.asarray(down / length if length > 1e-9 else np.zeros(3))


def _unit(vector: Sequence[float], what: str, asked: str) -> list[float]:
    try:
        array = np.array(vector, dtype=float)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0)
    length = float(np.linalg.norm(array)) if array.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise ModelError(
            asked=asked,
            found=f"{what} {validate.shown(vector)}",
            do="give three numbers that are not all zero",
        )
    unit: list[float] = (array / length).tolist()
    return unit
