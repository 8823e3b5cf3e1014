"""Events, bodies and orientations of a run in an `.npz` file, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough import validate
from bough.arguments import Array
from bough.io.npz import Archive, Damaged
from bough.model.model import Model
from bough.motion.body_motion import BodyMotion
from bough.motion.events import Event
from bough.motion.state import State

UNIT = 1e-6  # largest deviation of orientations from orthonormal, and of quaternions from unit length
ROUND_OFF = 1e-9  # relative to the duration, by which an event may be before the first or after the last row


def check_orientations(model: Model, columns: Mapping[str, Array]) -> None:
    """Raise unless the poses of a free base and the quaternions of balls are orientations."""
    if "g" in columns and not _are_poses(columns["g"]):
        raise Damaged("array 'g' holds what is not a pose")
    check_quaternions(model, columns["q"], "q")


def check_quaternions(model: Model, q: Array, array: str) -> None:
    """Raise unless the balls of configurations have unit quaternions."""
    for name, (_, place) in model._balls.items():
        if not _are_units(q[:, place : place + 4]):
            raise Damaged(f"array {array!r} holds a quaternion of {name!r} that is not of unit length")


def check_times(found: Array, t: Array, what: str) -> None:
    """Raise unless the times of events are in their order, and within the run."""
    slack = ROUND_OFF * (t[-1] - t[0]) + 4.0 * np.spacing(np.abs(t).max())
    if (np.diff(found) < 0.0).any() or (found < t[0] - slack).any() or (found > t[-1] + slack).any():
        raise Damaged(f"times of {what} that decrease, or are not within those of the run")


def events(archive: Archive, header: Mapping[str, Any], model: Model, t: Array) -> tuple[Event, ...]:
    """The events of a run with these times."""
    found = header.get("found", [])
    if not isinstance(found, list) or not all(
        isinstance(event, list) and len(event) == 3 and _is_event(event[:2]) and validate.is_whole(event[2])
        for event in found
    ):
        raise Damaged("'found' that is not a list of times, names and numbers of events")
    if not found:
        return ()
    times = np.array([float(event[0]) for event in found])
    check_times(times, t, "events")
    shapes = {"q": model.nq, "v": model.nv, "p": model.nd}
    for name in shapes:
        if f"event_{name}" not in archive:
            raise Damaged(f"no array 'event_{name}'")
    if "event_lam" in archive:
        shapes["lam"] = model.nc
    arrays = [archive.numbers(f"event_{name}", (len(found), size)) for name, size in shapes.items()]
    check_quaternions(model, arrays[0], "event_q")
    return tuple(
        Event(float(time), State(float(time), *row, names=model._names), name, index)
        for (time, name, index), *row in zip(found, *arrays, strict=True)
    )


def bodies(
    archive: Archive, header: Mapping[str, Any], rows: tuple[int, ...], model: Model
) -> BodyMotion | None:
    """The bodies of a run in maximal coordinates, if it is one."""
    if "bodies" not in header:
        return None
    names, broken = header["bodies"], header.get("events", [])
    if not isinstance(names, list) or not all(
        isinstance(name, str) and name in model.frames for name in names
    ):
        raise Damaged("'bodies' that are not a list of frames of the model")
    if not isinstance(broken, list) or not all(_is_event(event) for event in broken):
        raise Damaged("'events' that are not a list of times and names")
    arrays: list[Array] = []
    for name, numbers in (("body_position", 3), ("body_quaternion", 4), ("joint_drift", 2)):
        shape = (*rows, len(names), numbers)
        if name not in archive:
            raise Damaged(f"no array {name!r} of shape {shape}")
        arrays.append(archive.numbers(name, shape))
    position, quaternion, drift = arrays
    if not _are_units(quaternion):
        raise Damaged("array 'body_quaternion' holds what is not an orientation")
    return BodyMotion(tuple(names), position, quaternion, drift, [(float(t), name) for t, name in broken])


def _is_event(event: Any) -> bool:
    """Whether this is a list of a finite time and a name."""
    if not (isinstance(event, list) and len(event) == 2 and validate.is_real(event[0])):
        return False
    try:
        return math.isfinite(event[0]) and isinstance(event[1], str)
    except OverflowError:  # an integer beyond all floating point numbers
        return False


def _are_units(quaternions: Array) -> bool:
    return bool((np.abs(np.linalg.norm(quaternions, axis=-1) - 1.0) <= UNIT).all())


def _are_poses(g: Array) -> bool:
    R = g[:, :3, :3]
    right = np.abs(R @ R.swapaxes(1, 2) - np.eye(3)).max(initial=0.0) < UNIT and (np.linalg.det(R) > 0).all()
    return bool(right and (g[:, 3] == (0.0, 0.0, 0.0, 1.0)).all())
