"""The distance of two frames that no joint moves against each other."""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.description.frame import Frame
from bough.description.rotation import from_vector, to_matrix

AXES = {"x": 0, "y": 1, "z": 2}


def rigid_distance(a: Frame, b: Frame) -> float | None:
    """In m; None if a joint is between them, or a screw, whose pose is not followed."""
    above = {id(frame) for frame in _path(a)}
    fork = next(frame for frame in _path(b) if id(frame) in above)
    places = []
    for frame in (a, b):
        place = np.zeros(3)
        for step in _path(frame):
            if step is fork:
                break
            moved = _moved(step, place)
            if moved is None:
                return None
            place = moved
        places.append(place)
    return float(np.linalg.norm(places[0] - places[1]))


def _path(frame: Frame) -> list[Frame]:
    """A frame and all above it."""
    found: list[Frame] = []
    at: Frame | None = frame
    while at is not None:
        found.append(at)
        at = at.parent
    return found


def _moved(frame: Frame, place: Array) -> Array | None:
    """A place in the axes of a frame, in those of its parent."""
    if frame.pose is not None:
        return np.asarray(frame.pose[:3, :3] @ place + frame.pose[:3, 3])
    kind, value = frame.kind, frame.parameter
    if kind[1:] not in AXES or not isinstance(value, float):
        return None
    along = np.zeros(3)
    along[AXES[kind[1:]]] = value
    return place + along if kind[0] == "t" else np.asarray(to_matrix(from_vector(along)) @ place)
