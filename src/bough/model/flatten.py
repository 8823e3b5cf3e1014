"""From the tree of frames to the flat arrays of the core. Linear in the number of frames, at any depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from bough.description.system import System

KINDS = {"world": 0, "fixed": 0, "tx": 1, "ty": 2, "tz": 3, "rx": 4, "ry": 5, "rz": 6, "twist": 7, "ball": 8}


class Flat(NamedTuple):
    """A system as arrays.

    Attributes
    ----------
    arrays : dict
        The keyword arguments of `_core.Model`:

        ============ ============ ===========================================================
        parent       int32[nf]    parent frame, before its children; parent[0] = -1 (world)
        kind         int32[nf]    0 fixed pose, 1..6 tx ty tz rx ry rz, 7 twist, 8 ball
        variable     int32[nf]    configuration variable, -1 for a constant; first of a ball
        value        float[nf]    the constant, where variable is -1
        ratio offset float[nf]    parameter = ratio * q[variable] + offset
        pose         float[nf,4,4]  where kind is 0
        screw        float[nf,6]  where kind is 7: (angular, linear), any length
        mass         float[nf]
        com          float[nf,3]  in the frame
        inertia      float[nf,3,3]  about com, in the axes of the frame
        gravity      float[3]
        n_dynamic    int
        n_variables  int
        ============ ============ ===========================================================
    variable_names : tuple of str
        Dynamic variables first, then kinematic ones, each in depth-first order.
    frame_names : tuple of str or None
        None for a frame without a name.
    frame_labels : tuple of str
        The name, or "#3" for a frame without one.
    """

    arrays: dict[str, Any]
    variable_names: tuple[str, ...]
    frame_names: tuple[str | None, ...]
    frame_labels: tuple[str, ...]
    balls: dict[str, int]  # the first variable of each ball


def flatten(system: System) -> Flat:
    """The flat arrays of a system, frames in depth-first order."""
    frames = system.frames
    count = len(frames)
    names = system.variables
    index_of = {name: index for index, name in enumerate(names)}
    position = {
        frame._index: place for place, frame in enumerate(frames)
    }  # creation order -> depth-first order

    parent = np.full(count, -1, dtype=np.int32)
    kind = np.array([KINDS[frame._kind] for frame in frames], dtype=np.int32)
    variable = np.full(count, -1, dtype=np.int32)
    value = np.zeros(count)
    ratio = np.array([frame._ratio for frame in frames])
    offset = np.array([frame._offset for frame in frames])
    pose = np.zeros((count, 4, 4))
    pose[:] = np.eye(4)
    screw = np.zeros((count, 6))
    mass = np.array([frame._mass for frame in frames])
    com = np.zeros((count, 3))
    inertia = np.zeros((count, 3, 3))
    for place, frame in enumerate(frames):
        if frame._parent >= 0:
            parent[place] = position[frame._parent]
        parameter = frame._parameter
        if isinstance(parameter, float):
            value[place] = parameter
        elif parameter is not None:
            variable[place] = index_of[frame._variables()[0]]
        if frame._geometry is not None:
            (pose if frame._kind == "fixed" else screw)[place] = frame._geometry
        if frame._com is not None:
            com[place] = frame._com
        if frame._inertia is not None:
            inertia[place] = frame._inertia

    balls = {str(f._parameter): index_of[f._variables()[0]] for f in frames if f._kind == "ball"}
    arrays = {
        "parent": parent,
        "kind": kind,
        "variable": variable,
        "value": value,
        "ratio": ratio,
        "offset": offset,
        "pose": pose,
        "screw": screw,
        "mass": mass,
        "com": com,
        "inertia": inertia,
        "gravity": np.array(system.gravity),
        "n_dynamic": len(system.dynamic),
        "n_variables": len(names),
    }
    return Flat(arrays, names, tuple(f._name for f in frames), tuple(f.label for f in frames), balls)
