"""States of Pinocchio and MuJoCo, of the same robot loaded there, from and to states of a model.

Joints are found by their names, as the readers of URDF and MJCF files give them to variables and balls. Conventions:

    bough      position, quaternion (w, x, y, z); linear rates in the axes of the parent, angular ones in the body's
    MuJoCo     the same
    Pinocchio  position, quaternion (x, y, z, w); linear and angular rates in the axes of the body

and a continuous joint of Pinocchio has the cosine and the sine of its angle in q.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from bough.arguments import Array, Vector
from bough.description.rotation import to_matrix
from bough.errors import ModelError
from bough.model.configurations import velocity
from bough.model.model import Model

ROOTS = {"root_joint": "root"}  # Pinocchio's name of a floating base, and that of the reader of URDF files
XYZW = (1, 2, 3, 0)  # places of (x, y, z, w) in (w, x, y, z)
WXYZ = (3, 0, 1, 2)


class _Part(NamedTuple):
    """One joint: its kind, and its first places in q and v, there and here; of a free joint those of the ball too."""

    kind: Literal["single", "continuous", "ball", "free"]
    q_there: int
    v_there: int
    q: int
    v: int
    ball_q: int = 0
    ball_v: int = 0


def to_pinocchio(model: Model, robot: Any, q: Vector, v: Vector | None = None) -> tuple[Array, Array]:
    """q and v of a `pinocchio.Model`, (..., nq) and (..., nv), from those of a model.

    Examples
    --------
    >>> import bough, pinocchio
    >>> from bough.peers.states import to_pinocchio
    >>> system, robot = bough.System("hinge"), pinocchio.Model()
    >>> frame = system.world.ry("angle").tz(-1.0, mass=1.0)
    >>> joint = robot.addJoint(0, pinocchio.JointModelRY(), pinocchio.SE3.Identity(), "angle")
    >>> to_pinocchio(system.build(), robot, [0.3], [0.1])
    (array([0.3]), array([0.1]))
    """
    return _there(model, _pinocchio_parts(model, robot), (robot.nq, robot.nv), q, v, pinocchio=True)


def from_pinocchio(model: Model, robot: Any, q: Array, v: Array | None = None) -> tuple[Array, Array]:
    """q and v of a model from those of a `pinocchio.Model`; angles of continuous joints are within half a turn.

    Examples
    --------
    >>> import bough, pinocchio
    >>> from bough.peers.states import from_pinocchio
    >>> system, robot = bough.System("hinge"), pinocchio.Model()
    >>> frame = system.world.ry("angle").tz(-1.0, mass=1.0)
    >>> joint = robot.addJoint(0, pinocchio.JointModelRY(), pinocchio.SE3.Identity(), "angle")
    >>> from_pinocchio(system.build(), robot, [0.3], [0.1])
    (array([0.3]), array([0.1]))
    """
    return _here(model, _pinocchio_parts(model, robot), (robot.nq, robot.nv), q, v, pinocchio=True)


def to_mujoco(model: Model, robot: Any, q: Vector, v: Vector | None = None) -> tuple[Array, Array]:
    """qpos and qvel of a `mujoco.MjModel`, (..., nq) and (..., nv), from q and v of a model.

    Examples
    --------
    >>> import bough, mujoco
    >>> from bough.peers.states import to_mujoco
    >>> system = bough.System("hinge")
    >>> frame = system.world.ry("angle").tz(-1.0, mass=1.0)
    >>> robot = mujoco.MjModel.from_xml_string(
    ...     "<mujoco><worldbody><body><joint name='angle' axis='0 1 0'/><geom size='0.1'/></body></worldbody></mujoco>"
    ... )
    >>> to_mujoco(system.build(), robot, [0.3], [0.1])
    (array([0.3]), array([0.1]))
    """
    return _there(model, _mujoco_parts(model, robot), (robot.nq, robot.nv), q, v, pinocchio=False)


def from_mujoco(model: Model, robot: Any, qpos: Array, qvel: Array | None = None) -> tuple[Array, Array]:
    """q and v of a model from qpos and qvel of a `mujoco.MjModel`.

    Examples
    --------
    >>> import bough, mujoco
    >>> from bough.peers.states import from_mujoco
    >>> system = bough.System("hinge")
    >>> frame = system.world.ry("angle").tz(-1.0, mass=1.0)
    >>> robot = mujoco.MjModel.from_xml_string(
    ...     "<mujoco><worldbody><body><joint name='angle' axis='0 1 0'/><geom size='0.1'/></body></worldbody></mujoco>"
    ... )
    >>> from_mujoco(system.build(), robot, [0.3], [0.1])
    (array([0.3]), array([0.1]))
    """
    return _here(model, _mujoco_parts(model, robot), (robot.nq, robot.nv), qpos, qvel, pinocchio=False)


def _pinocchio_parts(model: Model, robot: Any) -> list[_Part]:
    parts = []
    for joint in range(1, robot.njoints):
        name, kind = str(robot.names[joint]), robot.joints[joint].shortname()
        at, row = int(robot.idx_qs[joint]), int(robot.idx_vs[joint])
        if kind in ("JointModelFreeFlyer", "JointModelSpherical"):
            name = ROOTS.get(name, name)
            parts.append(_ball(model, name, "Pinocchio", at, row, free=kind == "JointModelFreeFlyer"))
        elif robot.nvs[joint] == 1:
            turns = robot.nqs[joint] == 2
            parts.append(_single(model, name, "Pinocchio", at, row, "continuous" if turns else "single"))
        else:
            raise _unknown(model, name, "Pinocchio", f"a {kind}")
    return parts


def _mujoco_parts(model: Model, robot: Any) -> list[_Part]:
    parts = []
    for joint in range(robot.njnt):
        name = robot.joint(joint).name or robot.body(robot.jnt_bodyid[joint]).name
        at, row = int(robot.jnt_qposadr[joint]), int(robot.jnt_dofadr[joint])
        if robot.jnt_type[joint] < 2:
            parts.append(_ball(model, name, "MuJoCo", at, row, free=robot.jnt_type[joint] == 0))
        else:
            parts.append(_single(model, name, "MuJoCo", at, row, "single"))
    return parts


def _ball(model: Model, name: str, engine: str, at: int, row: int, *, free: bool) -> _Part:
    first = f"{name}_tx" if free else name
    if name not in model._balls or (free and first not in model._coordinate_places):
        raise _unknown(model, name, engine, "a quaternion")
    ball_v, ball_q = model._balls[name]
    if not free:
        return _Part("ball", at, row, ball_q, ball_v)
    return _Part("free", at, row, model._coordinate_places[first], model.index(first), ball_q, ball_v)


def _single(
    model: Model, name: str, engine: str, at: int, row: int, kind: Literal["single", "continuous"]
) -> _Part:
    if name not in model._coordinate_places:
        raise _unknown(model, name, engine, "one variable")
    return _Part(kind, at, row, model._coordinate_places[name], model.index(name))


def _unknown(model: Model, name: str, engine: str, found: str) -> ModelError:
    return ModelError(
        asked=f"a state of {engine} for model {model.name!r}",
        found=f"joint {name!r} has {found} there, and nothing of this name and kind is in the model",
        do="load the same file in both, floating joints with rotation='ball', and without joints that follow others",
    )


def _there(
    model: Model, parts: list[_Part], sizes: tuple[int, int], q: Vector, v: Vector | None, *, pinocchio: bool
) -> tuple[Array, Array]:
    ours = model.configuration(q)
    rates = np.zeros(model.nv) if v is None else velocity(model, v, "v", model._where)
    shape = np.broadcast_shapes(ours.shape[:-1], rates.shape[:-1])
    x, w = np.zeros((*shape, sizes[0])), np.zeros((*shape, sizes[1]))
    for part in parts:
        at, row = part.q_there, part.v_there
        if part.kind == "continuous":
            x[..., at], x[..., at + 1] = np.cos(ours[..., part.q]), np.sin(ours[..., part.q])
        if part.kind == "single":
            x[..., at] = ours[..., part.q]
        if part.kind in ("single", "continuous"):
            w[..., row] = rates[..., part.v]
            continue
        Q, W = (part.q, part.v) if part.kind == "ball" else (part.ball_q, part.ball_v)
        turn = ours[..., Q : Q + 4]
        if part.kind == "free":
            linear = rates[..., part.v : part.v + 3]
            x[..., at : at + 3] = ours[..., part.q : part.q + 3]
            w[..., row : row + 3] = np.einsum("...ji,...j", to_matrix(turn), linear) if pinocchio else linear
            at, row = at + 3, row + 3
        x[..., at : at + 4] = turn[..., XYZW] if pinocchio else turn
        w[..., row : row + 3] = rates[..., W : W + 3]
    return x, w


def _here(
    model: Model, parts: list[_Part], sizes: tuple[int, int], x: Array, w: Array | None, *, pinocchio: bool
) -> tuple[Array, Array]:
    x, w = np.asarray(x, dtype=float), np.zeros(sizes[1]) if w is None else np.asarray(w, dtype=float)
    for what, array, size in (("q", x, sizes[0]), ("v", w, sizes[1])):
        if array.shape[-1:] != (size,):
            raise ModelError(
                asked=f"{what} of the other engine for model {model.name!r}",
                found=f"shape {array.shape}",
                do=f"give arrays of shape (..., {size})",
            )
    shape = np.broadcast_shapes(x.shape[:-1], w.shape[:-1])
    q, v = np.broadcast_to(model.neutral(), (*shape, model.nq)).copy(), np.zeros((*shape, model.nv))
    for part in parts:
        at, row = part.q_there, part.v_there
        if part.kind in ("single", "continuous"):
            angle = np.arctan2(x[..., at + 1], x[..., at]) if part.kind == "continuous" else x[..., at]
            q[..., part.q], v[..., part.v] = angle, w[..., row]
            continue
        Q, W = (part.q, part.v) if part.kind == "ball" else (part.ball_q, part.ball_v)
        start = at + 3 if part.kind == "free" else at
        turn = x[..., start : start + 4]
        q[..., Q : Q + 4] = turn[..., WXYZ] if pinocchio else turn
        if part.kind == "free":
            linear = w[..., row : row + 3]
            R = to_matrix(q[..., Q : Q + 4])
            q[..., part.q : part.q + 3] = x[..., at : at + 3]
            v[..., part.v : part.v + 3] = np.einsum("...ij,...j", R, linear) if pinocchio else linear
            row += 3
        v[..., W : W + 3] = w[..., row : row + 3]
    return model.configuration(q), v
