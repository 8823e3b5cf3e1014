"""Open Dynamics Engine (Debian package ``libode-dev``) in maximal coordinates, stepped by ``dWorldStep``."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.peers.compiler import library
from benchmarks.systems import GRAVITY, Array

MISSING = "not installed (Debian package libode-dev)"


@dataclass(frozen=True)
class Body:
    """Mass, inertia about the centre of mass in world axes, and where the centre of mass is at the start."""

    mass: float
    inertia: Array
    position: Array


@dataclass(frozen=True)
class Joint:
    """Two bodies (-1 is the world) held together at a point, by a hinge with axis y or by a ball."""

    first: int
    second: int
    anchor: Array
    ball: bool = False


class OpenDynamicsEngine:
    """Bodies and joints, at rest."""

    def __init__(self, bodies: Sequence[Body], joints: Sequence[Joint], dt: float) -> None:
        self._library = _load()
        self._count = len(bodies)
        self._dt = ctypes.c_double(dt)
        arrays = [
            np.array([body.mass for body in bodies]),
            np.array([body.inertia for body in bodies]),
            np.array([body.position for body in bodies]),
            np.tile(np.eye(3), (len(bodies), 1, 1)),
            np.array([joint.first for joint in joints], dtype=np.int32),
            np.array([joint.second for joint in joints], dtype=np.int32),
            np.array([joint.ball for joint in joints], dtype=np.int32),
            np.array([joint.anchor for joint in joints], dtype=float),
            np.tile((0.0, 1.0, 0.0), (len(joints), 1)),
            np.array(GRAVITY),
        ]
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        self._peer = ctypes.c_void_p(
            self._library.ode_create(len(bodies), *pointers[:4], len(joints), *pointers[4:])
        )

    def __del__(self) -> None:
        self._library.ode_destroy(self._peer)

    def reset(self) -> None:
        self._library.ode_reset(self._peer)

    def step(self, steps: int) -> None:
        self._library.ode_step(self._peer, steps, self._dt)

    def energy(self) -> float:
        return float(self._library.ode_energy(self._peer))

    def positions(self) -> Array:
        """Centres of mass, one row a body."""
        out = np.empty((self._count, 3))
        self._library.ode_positions(self._peer, ctypes.c_void_p(out.ctypes.data))
        return out


@cache
def installed_version() -> str | None:
    """The version of ODE, or None where it or a way to find it is missing."""
    if shutil.which("pkg-config") is None:
        return None
    run = subprocess.run(["pkg-config", "--modversion", "ode"], capture_output=True, text=True, check=False)
    return run.stdout.strip() or None


@cache
def _load() -> ctypes.CDLL:
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "ode"], capture_output=True, text=True, check=True
    )
    loaded = library("ode.cpp", flags.stdout.split())
    loaded.ode_create.restype = ctypes.c_void_p
    loaded.ode_energy.restype = ctypes.c_double
    return loaded
