"""Open Dynamics Engine by its C interface: rigid bodies on hinges about y, stepped by `dWorldStep`."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache

import numpy as np

from benchmarks.systems import Array

MISSING = "not installed (Debian package libode-dev)"


class Mass(ctypes.Structure):
    """dMass"""

    _fields_ = (("mass", ctypes.c_double), ("c", ctypes.c_double * 4), ("I", ctypes.c_double * 12))


@cache
def library() -> ctypes.CDLL | None:
    """ODE in double precision, or None if it is not installed."""
    path = ctypes.util.find_library("ode")
    if path is None:
        return None
    loaded = ctypes.CDLL(path)
    if not loaded.dCheckConfiguration(b"ODE_double_precision"):
        return None
    for name in ("dWorldCreate", "dBodyCreate", "dJointCreateHinge"):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("dBodyGetPosition", "dBodyGetLinearVel"):
        getattr(loaded, name).restype = ctypes.POINTER(ctypes.c_double)
    loaded.dInitODE2(0)
    return loaded


class Chain:
    """Links that hang from the world one below the other: 1 kg, com in the middle of 1 m, hinges about y.

    Parameters
    ----------
    angles : turn of each link about y from hanging straight down
    erp : error reduction, the fraction of drift that a step removes
    exact : turn bodies by the exponential of their angular velocity, not by its first-order formula
    """

    def __init__(self, angles: Array, inertia: float, erp: float, exact: bool) -> None:
        ode = library()
        assert ode is not None
        self._ode = ode
        real = ctypes.c_double
        self._world = ctypes.c_void_p(ode.dWorldCreate())
        ode.dWorldSetGravity(self._world, real(0), real(0), real(-9.81))
        ode.dWorldSetERP(self._world, real(erp))
        ode.dWorldSetCFM(self._world, real(0.0))
        self._bodies = []
        anchor, above = np.zeros(3), ctypes.c_void_p()
        for angle in angles:
            down = np.array([-np.sin(angle), 0.0, -np.cos(angle)])
            body = ctypes.c_void_p(ode.dBodyCreate(self._world))
            mass = Mass(1.0)
            for k in range(3):
                mass.I[5 * k] = inertia
            ode.dBodySetMass(body, ctypes.byref(mass))
            ode.dBodySetPosition(body, *(real(x) for x in anchor + 0.5 * down))
            quaternion = (real * 4)(np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
            ode.dBodySetQuaternion(body, quaternion)
            ode.dBodySetFiniteRotationMode(body, int(exact))
            hinge = ctypes.c_void_p(ode.dJointCreateHinge(self._world, None))
            ode.dJointAttach(hinge, body, above)
            ode.dJointSetHingeAnchor(hinge, *(real(x) for x in anchor))
            ode.dJointSetHingeAxis(hinge, real(0), real(1), real(0))
            anchor, above = anchor + down, body
            self._bodies.append(body)

    def __del__(self) -> None:
        self._ode.dWorldDestroy(self._world)

    def step(self, steps: int, dt: float) -> None:
        for _ in range(steps):
            self._ode.dWorldStep(self._world, ctypes.c_double(dt))

    def positions(self) -> Array:
        """Centres of mass, (links, 3)."""
        return np.array([self._ode.dBodyGetPosition(body)[:3] for body in self._bodies])
