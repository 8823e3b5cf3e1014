"""Other engines, for comparison: the same mechanism, taken from a `Model`, in each of them.

`bough.peers.ode` is Open Dynamics Engine in maximal coordinates (Debian package `libode-dev`, with a C++
compiler), `bough.peers.mujoco` MuJoCo in joint coordinates, `bough.peers.pinocchio` Pinocchio's algorithms of
trees (`pip install 'bough[peers]'`). Each has `installed_version()`, None if the engine is missing.
`bough.peers.states` converts states of the same robot in Pinocchio and MuJoCo, both ways.
"""

from __future__ import annotations

from bough.description.system import System

__all__ = ["with_inertia"]


def with_inertia(system: System, inertia: float) -> System:
    """A copy of a system in which every point mass has a moment of inertia about all axes.

    Bodies in maximal coordinates need one, and so do those of MuJoCo.

    Examples
    --------
    >>> import bough
    >>> from bough.peers import with_inertia
    >>> with_inertia(bough.gallery.pendulum(1), 0.01).build().mass_matrix([0.0])
    array([[1.01]])
    """
    copy = System.from_dict(system.to_dict())
    for frame in copy.frames:
        if frame.mass > 0.0 and not frame.inertia.any():
            frame.inertia = (inertia, inertia, inertia)
    return copy
