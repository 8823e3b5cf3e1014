"""Rolling and skates as rows of the velocity formulation: plain values, and starts that touch the plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.elements.no_slip import Rolling, Skate
from bough.errors import ModelError
from bough.model.model import Model

ON_THE_PLANE = 1e-3  # largest distance of a start from the plane, in radii: more than the drift of runs
NO_SLIP = 1e-9  # largest slip velocity of a start, relative to the velocities involved


NoSlip = Rolling | Skate


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
    if isinstance(contact, Skate):
        return {**data, "axis": list(contact.across)}
    return {
        **data,
        "axis": [0.0, 0.0, 0.0] if contact.axis is None else list(contact.axis),
        "radius": contact.radius,
        "normal": list(contact.normal),
        "height": contact.height,
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
        made = plain(Skate(data["frame"], axis, name=data["name"]), where)  # type: ignore[arg-type]
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
