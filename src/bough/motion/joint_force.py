"""What a joint carries: the force and the moment that the parent of a frame exerts on it.

The joint is cut by six kinematic variables, three shifts and three turns, that are held at zero. What it takes to hold
them is, by virtual work, the wrench through the cut: d/dt ∂L/∂v − ∂L/∂q − f − Dhᵀ lam − Jᵀ r in their rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bough.arguments import Array
from bough.description.frame import Frame
from bough.description.parameter import kinematic
from bough.description.system import System
from bough.errors import ModelError, unknown_name
from bough.motion.run_quantities import RunQuantities, spread

CUTS = ("tx", "ty", "tz", "rx", "ry", "rz")


class JointForce(NamedTuple):
    """What the parent of a frame exerts on the frame, through a joint or a rigid connection.

    Attributes
    ----------
    moment : array (rows, 3)
        About the origin of the frame, in N m.
    force : array (rows, 3)
        In N.
    """

    moment: Array
    force: Array


def joint_force(run: RunQuantities, joint: str | Frame, axes: str) -> JointForce:
    """See `RunQuantities.joint_force`."""
    model = run.model
    named = joint.label if isinstance(joint, Frame) else joint
    where = f"joint_force({named!r}) of a run of {model._where}"
    if axes not in ("world", "body"):
        raise unknown_name("choice of axes", str(axes), ("world", "body"), where)
    system = model.system
    frame = _frame(system, joint, where)
    assert frame.parent is not None
    label, parent = frame.label, frame.parent.label
    names = _cut(system, frame)
    cut = system.build()
    q = spread(run.q, [cut.coordinates.index(name) for name in model.coordinates], cut.nq)
    held = run._force_left(cut, q, [cut.variables.index(name) for name in model.variables])
    wrench = held[:, [cut.variables.index(name) for name in names]]
    at, own = cut.pose(parent, q), cut.pose(label, q)
    force, moment = (np.einsum("tij,tj->ti", at[:, :3, :3], part) for part in (wrench[:, :3], wrench[:, 3:]))
    moment = moment + np.cross(at[:, :3, 3] - own[:, :3, 3], force)
    if axes == "body":
        moment, force = (np.einsum("tji,tj->ti", own[:, :3, :3], part) for part in (moment, force))
    return JointForce(moment, force)


def _frame(system: System, joint: str | Frame, where: str) -> Frame:
    """The frame that a variable moves, or that a user means by an object or a name."""
    if isinstance(joint, str):
        moved = [frame for frame in system.frames if joint in frame._variables() or joint == frame._parameter]
        if len(moved) > 1:
            raise ModelError(
                asked=where,
                found=f"{joint!r} moves {len(moved)} frames: {', '.join(repr(each.label) for each in moved)}",
                do="name the one of these frames whose joint is meant, and give it a name if it has none",
            )
        if moved:
            return moved[0]
    known = [frame.label for frame in system.frames]
    label = joint.label if isinstance(joint, Frame) else str(joint)
    if label not in known:
        raise unknown_name("joint", label, [*system.variables, *known[1:]], where)
    if label == "world":
        raise ModelError(
            asked=where,
            found="the world, which nothing holds",
            do="name a variable, or a frame other than the world",
        )
    return system.frame(label)


def _cut(system: System, frame: Frame) -> list[str]:
    """Put six kinematic variables between a frame and its parent, and return their names."""
    parent = frame.parent
    assert parent is not None
    taken, prefix = {*system.variables, *system.balls}, "cut"
    while any(f"{prefix} {kind}" in taken for kind in CUTS):
        prefix += "'"
    names = [f"{prefix} {kind}" for kind in CUTS]
    last = parent
    for kind, name in zip(CUTS, names, strict=True):
        last = getattr(last, kind)(kinematic(name))
    parent._children.remove(frame._index)
    last._children.append(frame._index)
    frame._parent = last._index
    return names
