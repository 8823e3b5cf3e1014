"""Open Dynamics Engine (Debian package `libode-dev`) in maximal coordinates, stepped by `dWorldStep`."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from bough.arguments import Array, Vector
from bough.errors import BoughError
from bough.model.model import Model
from bough.peers.compiler import library
from bough.peers.links import Screw, start_of
from bough.peers.mechanism import Joint, Loop, Mechanism

MISSING = "not installed (Debian package libode-dev, with pkg-config and a C++ compiler)"
HINGE, SLIDER, BALL, UNIVERSAL, PISTON, SLIDE_ON_HINGE, WELD, DISTANCE = range(8)
LOOPS = {"point": BALL, "distance": DISTANCE, "weld": WELD}


class OpenDynamicsEngine:
    """A model as free bodies and joints, with ODE's own settings of error reduction.

    Parameters
    ----------
    model : Model
        Of bodies with mass and inertia; hinges, sliders, balls, universal, cylindrical and free joints and a
        slide on a hinge; point constraints, distances, welds; springs and damping of all joints but
        cylindrical and free ones.
        Kinematic variables keep their values. The gyroscopic torque is left out if the motion is planar.
    q, v : start
        By default that of the system.
    dt : float

    Examples
    --------
    >>> import bough
    >>> from bough.peers import ode, with_inertia
    >>> model = with_inertia(bough.gallery.four_bar(), 0.01).build()
    >>> peer = ode.OpenDynamicsEngine(model, dt=0.001)
    >>> peer.step(1000)
    >>> peer.pose("rocker").shape
    (4, 4)
    """

    def __init__(self, model: Model, q: Vector | None = None, v: Vector | None = None, *, dt: float) -> None:
        start, velocities = start_of(model, q, v)
        self.mechanism = Mechanism(model, start, "Open Dynamics Engine")
        self.dt = dt
        self._library = _load()
        self._peer = self._library.ode_create(np.array(model.system.gravity, dtype=float))
        self._add_bodies(velocities)
        for joint in self.mechanism.joints:
            self._add_joint(joint)
        for loop in self.mechanism.loops:
            self._add_loop(loop)
        self._add_springs()

    def __del__(self) -> None:
        if hasattr(self, "_peer"):
            self._library.ode_destroy(self._peer)

    def reset(self) -> None:
        """Return to the start."""
        self._library.ode_reset(self._peer)

    def step(self, steps: int = 1) -> None:
        """Make steps of dt."""
        self._library.ode_step(self._peer, steps, self.dt)

    def energy(self) -> float:
        """Kinetic and potential energy."""
        return float(self._library.ode_energy(self._peer))

    def energies(self, count: int, every: int = 1) -> Array:
        """The energy now, and after each of `count` times `every` steps."""
        result = np.empty(count + 1)
        self._library.ode_energies(self._peer, count, every, self.dt, result)
        return result

    def poses(self) -> Array:
        """Poses of the frames of the bodies in the world, (bodies, 4, 4)."""
        bodies = self.mechanism.bodies
        numbers = np.empty((len(bodies), 12))
        self._library.ode_bodies(self._peer, numbers)
        result = np.tile(np.eye(4), (len(bodies), 1, 1))
        result[:, :3, :3] = numbers[:, 3:].reshape(-1, 3, 3)
        result[:, :3, 3] = numbers[:, :3]
        for pose, body in zip(result, bodies, strict=True):
            pose[:3, 3] -= pose[:3, :3] @ body.com
        return result

    def pose(self, frame: str) -> Array:
        """The pose of a frame in the world, (4, 4)."""
        body, local = self.mechanism.place(frame)
        return local if body < 0 else self.poses()[body] @ local

    def _add_bodies(self, v: Array) -> None:
        mechanism = self.mechanism
        for body in mechanism.bodies:
            twist = mechanism.model.body_velocity(body.frame, mechanism.q, v)
            rotation = np.ascontiguousarray(body.pose[:3, :3])
            self._library.ode_body(
                self._peer,
                body.mass,
                np.ascontiguousarray(body.inertia),
                body.pose[:3, 3] + rotation @ body.com,
                rotation,
                rotation @ (twist[3:] + np.cross(twist[:3], body.com)),
                rotation @ twist[:3],
                int(mechanism.normal is None),
            )

    def _add_joint(self, joint: Joint) -> None:
        kind = joint_kind(joint.screws)
        if kind is None:
            names = [self.mechanism.model.variables[s.variable] for s in joint.screws]
            self.mechanism.refuse(f"{', '.join(names)} make a joint that it does not have")
        if kind < 0:
            return  # free
        turns = [screw for screw in joint.screws if screw.rotation]
        others = [screw for screw in joint.screws if not screw.rotation]
        first, second = (*turns, *others)[0], (*turns, *others)[-1]
        axis = np.sign(first.ratio) * first.axis
        self._joint(kind, joint.child, joint.parent, _meeting(turns or others), axis, second.axis)

    def _add_loop(self, loop: Loop) -> None:
        (one, two), (first, second) = loop.bodies, loop.points
        if one < 0:
            (one, two), (first, second) = (two, one), (second, first)
        self._joint(LOOPS[loop.kind], one, two, first, second, second, loop.length)

    def _joint(
        self, kind: int, child: int, parent: int, point: Array, first: Array, second: Array, length: float = 0
    ) -> None:
        vectors = [np.ascontiguousarray(x) for x in (point, first, second)]
        self._library.ode_joint(self._peer, kind, child, parent, *vectors, length)

    def _add_springs(self) -> None:
        """Springs and dampers, joint by joint."""
        rows = {int(row[0]): row[1:] for row in self.mechanism.springs}
        place = 0  # index of the joint among those that are not free
        for joint in self.mechanism.joints:
            kind = joint_kind(joint.screws)
            sprung = [screw for screw in joint.screws if screw.variable in rows]
            if any(screw.ball for screw in sprung):
                self.mechanism.refuse("damping of a ball")
            if any(abs(screw.ratio) != 1.0 for screw in sprung):
                self.mechanism.refuse("a spring or damper on a variable with a ratio")
            if sprung and kind in (BALL, UNIVERSAL):
                self._add_turns(joint, rows)
            elif sprung and kind not in (HINGE, SLIDER, SLIDE_ON_HINGE):
                self.mechanism.refuse("a spring or damper on a joint that is cylindrical or free")
            else:
                for screw in sprung:
                    start = self.mechanism.q[self._place(screw)]
                    numbers = (*rows[screw.variable], start)
                    self._library.ode_spring(self._peer, place, int(screw.rotation), *numbers)
            place += kind != -1

    def _place(self, screw: Screw) -> int:
        """The place in q of a variable that is no rate of a ball."""
        model = self.mechanism.model
        return model.coordinates.index(model.variables[screw.variable])

    def _add_turns(self, joint: Joint, rows: dict[int, Array]) -> None:
        """Springs and dampers of consecutive rotations, with their axes at zero angles."""
        bodies = self.mechanism.bodies
        parent = np.eye(3) if joint.parent < 0 else bodies[joint.parent].pose[:3, :3]
        start = np.array([self.mechanism.q[self._place(screw)] for screw in joint.screws])
        turned, axes = np.eye(3), []
        for screw, angle in zip(joint.screws, start, strict=True):
            axes.append(turned.T @ parent.T @ (screw.ratio * screw.axis))
            turned = turned @ Rotation.from_rotvec(angle * axes[-1]).as_matrix()
        at_zero = turned.T @ parent.T @ bodies[joint.child].pose[:3, :3]
        springs = np.array([rows.get(screw.variable, np.zeros(3)) for screw in joint.screws])
        stiffness, rest, damping = np.ascontiguousarray(springs.T)
        self._library.ode_turns(
            self._peer,
            joint.child,
            joint.parent,
            len(axes),
            np.array(axes),
            np.ascontiguousarray(at_zero),
            start,
            stiffness,
            rest,
            damping,
        )


def joint_kind(screws: tuple[Screw, ...]) -> int | None:
    """Which joint of ODE moves by these screws; -1 for none at all, None if there is no such joint."""
    turns = [screw.axis for screw in screws if screw.rotation]
    slides = [screw.axis for screw in screws if not screw.rotation]
    if len(screws) == 6 and np.linalg.matrix_rank(_twists(screws), tol=1e-9) == 6:
        return -1
    pattern = "".join("R" if screw.rotation else "T" for screw in screws)
    if pattern in ("R", "T"):
        return HINGE if pattern == "R" else SLIDER
    if pattern in ("RT", "TR"):
        if np.linalg.norm(np.cross(turns[0], slides[0])) < 1e-12:
            return PISTON
        return SLIDE_ON_HINGE if pattern == "RT" and abs(turns[0] @ slides[0]) < 1e-12 else None
    if pattern in ("RR", "RRR") and _concurrent(screws):
        if pattern == "RRR":
            return BALL if np.linalg.matrix_rank(turns, tol=1e-9) == 3 else None
        return UNIVERSAL if abs(turns[0] @ turns[1]) < 1e-12 else None
    return None


def _twists(screws: tuple[Screw, ...]) -> Array:
    """Rows (angular, linear) at the point of the last one."""
    rows = []
    for screw in screws:
        arm = screws[-1].point - screw.point
        rows.append(
            np.concatenate((screw.axis, np.cross(screw.axis, arm)))
            if screw.rotation
            else np.concatenate((np.zeros(3), screw.axis))
        )
    return np.array(rows)


def _meeting(screws: list[Screw]) -> Array:
    """The point nearest to all axes."""
    total, right = np.zeros((3, 3)), np.zeros(3)
    for screw in screws:
        across = np.eye(3) - np.outer(screw.axis, screw.axis)
        total += across
        right += across @ (screw.point - screws[0].point)
    return np.asarray(screws[0].point + np.linalg.lstsq(total, right, rcond=1e-12)[0])


def _concurrent(screws: tuple[Screw, ...]) -> bool:
    point = _meeting(list(screws))
    return all(np.linalg.norm(np.cross(point - s.point, s.axis)) < 1e-9 for s in screws)


@cache
def installed_version() -> str | None:
    """The version of ODE, or None if it or a way to find it is missing."""
    if shutil.which("pkg-config") is None:
        return None
    run = subprocess.run(["pkg-config", "--modversion", "ode"], capture_output=True, text=True, check=False)
    return run.stdout.strip() or None


@cache
def _load() -> ctypes.CDLL:
    if installed_version() is None:
        raise BoughError(asked="Open Dynamics Engine", found=MISSING, do="install it, or leave it out")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "ode"], capture_output=True, text=True, check=True
    )
    loaded = library("ode.cpp", flags.stdout.split())
    pointer, number, count = ctypes.c_void_p, ctypes.c_double, ctypes.c_int
    array: Any = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "ode_create": (pointer, [array]),
        "ode_destroy": (None, [pointer]),
        "ode_body": (None, [pointer, number, *[array] * 5, count]),
        "ode_joint": (None, [pointer, count, count, count, *[array] * 3, number]),
        "ode_spring": (None, [pointer, count, count, *[number] * 4]),
        "ode_turns": (None, [pointer, count, count, count, *[array] * 6]),
        "ode_reset": (None, [pointer]),
        "ode_step": (None, [pointer, count, number]),
        "ode_energy": (number, [pointer]),
        "ode_energies": (None, [pointer, count, count, number, array]),
        "ode_bodies": (None, [pointer, array]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded
