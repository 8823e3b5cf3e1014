"""MJCF: MuJoCo's models, compiled by MuJoCo itself, so that its defaults and mesh inertias hold.

Every body becomes a frame of its name, every hinge and slide joint a variable of its name.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from bough import validate
from bough.description.frame import Frame
from bough.description.parameter import ball_coordinates
from bough.description.start import Start
from bough.description.system import System
from bough.io._mjcf_actuators import add_actuators
from bough.io._mjcf_contacts import add_contacts
from bough.io._mjcf_elements import add_elements
from bough.io._mjcf_files import from_mujoco, read_mjcf
from bough.io._mjcf_shapes import keep_shapes
from bough.io._report import Report, check_variables, in_file
from bough.io._xml import Node, parse_error
from bough.validate import Array

FREE, BALL, SLIDE, HINGE = range(4)
BALL_MOTIONS = {FREE: ("tx", "ty", "tz", "wx", "wy", "wz"), BALL: ("wx", "wy", "wz")}
MOTIONS = {FREE: ("tx", "ty", "tz", "rz", "ry", "rx"), BALL: ("rz", "ry", "rx")}


def load_mjcf(
    path: str | os.PathLike[str], *, limits: bool = True, rotation: str = "ball", contacts: bool = False
) -> System:
    """The system of an MJCF file.

    Bodies become frames, joints variables of the same names, with MuJoCo's values: q is `qpos` and v is `qvel`. A
    ball joint is a `Frame.ball`, a free joint a `Frame.floating`, whose pose in the file is the start of the system.
    Joint springs, damping, armature, `connect`, `weld` and `joint` equalities, tendons between two sites or over
    joints, and motors, position and velocity actuators become elements; the inputs of actuators are MuJoCo's `ctrl`.
    Geoms are kept in `System.shapes`. A `BoughWarning` lists what was read but not used.

    Parameters
    ----------
    path : str or path
    rotation : "ball" or "angles"
        What ball and free joints turn by: quaternions, or Euler angles, `Frame.spherical` and `Frame.free`, with the
        variables `name_rz`, `name_ry`, `name_rx`. Their zero is the pose of the file, they are singular if the second
        is a quarter turn, and springs and damping of these joints have no counterpart.
    limits : bool
        Whether the ranges of limited joints are held, each by a `JointLimit` named "joint limit", the greatest
        lengths of limited tendons through sites, each by a `String`, and friction losses, each by a `DryFriction`.
    contacts : bool
        Whether geoms touch as `contype`, `conaffinity`, `exclude` and `pair` say: a `ContactGroup` "contacts" for
        each coefficient of sliding friction. Nothing is soft: solref, solimp, margin and impratio are not used.
    """
    balls = validate.by_balls(rotation, f"load({os.fspath(path)!r})")
    file = Path(path)
    report = Report(file)
    text, nodes = read_mjcf(file, report, bool(contacts))
    try:
        import mujoco
    except ImportError:
        raise parse_error(
            file, "the package mujoco is not installed", "pip install 'bough[mujoco]'"
        ) from None
    compiled = _compile(mujoco, file, text, nodes, report)
    with in_file(file):
        imported = Imported(file, nodes[0].attributes.get("model", ""), mujoco, compiled, report, balls)
        add_elements(imported, bool(limits), bool(contacts))
        add_actuators(imported)
        keep_shapes(imported)
        if contacts:
            add_contacts(imported)
    report.warn()
    return imported.system


def _compile(mujoco: Any, file: Path, text: str, nodes: list[Node], report: Report) -> Any:
    """The model that MuJoCo compiles from a text. Its warnings go into the report, not into a log file."""
    said: list[Any] = []
    usual = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            spec = mujoco.MjSpec.from_string(text)
            spec.modelfiledir = os.fspath(file.resolve().parent)
            spec.compiler.LRopt.mode = mujoco.mjtLRMode.mjLRMODE_NONE  # else it simulates models with muscles
            compiled = spec.compile()
    except Exception as error:  # any error of MuJoCo is an error in the file
        raise from_mujoco(file, error, nodes) from None
    finally:
        mujoco.set_mju_user_warning(usual)
    for warning in (*said, *(entry.message for entry in caught)):
        report.note(f"MuJoCo says: {' '.join(str(warning).split())}")
    return compiled


class Imported:
    """The tree of frames of a compiled MuJoCo model.

    Attributes
    ----------
    frames : list of Frame
        The frame of each body.
    variables : list of tuple of str
        The variables of each joint.
    sites : dict
        The frames of the sites used so far.
    """

    def __init__(
        self, path: Path, name: str, mujoco: Any, model: Any, report: Report, balls: bool = False
    ) -> None:
        self.balls = balls
        self.path = path
        self.mujoco = mujoco
        self.model = model
        self.report = report
        self.system = System(_system_name(name, path), gravity=None)
        if not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            self.system.gravity = model.opt.gravity
        self.variables = self._variables()
        self.ends: dict[int, tuple[Frame, Frame]] = {}  # of balls: the frames before and behind, by joint
        self.frames = [self.system.world]
        self.sites: dict[int, Frame] = {}
        for body in range(1, model.nbody):
            self.frames.append(self._body(body))
        self._set_start()

    def at(self, body: int, position: Array, quaternion: Array | None = None, name: str = "") -> Frame:
        """A frame at a pose in a body."""
        pose = pose_of(position, quaternion)
        if np.array_equal(pose, np.eye(4)):
            return self.frames[body]
        return self.frames[body].fixed(pose, name=self._frame_name(name))

    def _body(self, body: int) -> Frame:
        model = self.model
        name = self._frame_name(model.body(body).name)
        joints = range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])
        parent = self.frames[int(model.body_parentid[body])]
        pose = pose_of(model.body_pos[body], model.body_quat[body])
        if self.balls and any(model.jnt_type[joint] == FREE for joint in joints):
            pose = np.eye(4)  # it is in qpos
        if not joints:
            frame = parent.fixed(pose, name=name)
        else:
            frame = parent if np.array_equal(pose, np.eye(4)) else parent.fixed(pose)
            for joint in joints:
                frame = self._joint(frame, joint, name if joint == joints[-1] else None)
        if model.body_mocapid[body] >= 0:
            self.report.unused("motion of mocap bodies", model.body(body).name)
        if model.body_mass[body] > 0.0:
            axes = pose_of(np.zeros(3), model.body_iquat[body])[:3, :3]
            inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
            flaw = frame.body_as_given(
                float(model.body_mass[body]), 0.5 * (inertia + inertia.T), model.body_ipos[body]
            )
            if flaw is not None:
                self.report.note(f"taken over as written, though no body is like this: {name!r}: {flaw}")
        return frame

    def _joint(self, frame: Frame, joint: int, name: str | None) -> Frame:
        model, variables = self.model, self.variables[joint]
        kind, axis, point = model.jnt_type[joint], model.jnt_axis[joint], model.jnt_pos[joint]
        start = -float(model.qpos0[model.jnt_qposadr[joint]])
        if kind in (FREE, BALL) and self.balls:
            return self._ball(frame, joint, name)
        if kind == FREE:
            return frame.free(variables, name=name)
        if kind == BALL:
            if not point.any():
                return frame.spherical(variables, name=name)
            return frame.fixed(pose_of(point)).spherical(variables).fixed(pose_of(-point), name=name)
        if kind == SLIDE:
            return frame.prismatic(variables[0], axis, name=name, offset=start)
        if not point.any():
            return frame.revolute(variables[0], axis, name=name, offset=start)
        screw = np.concatenate((axis, np.cross(point, axis)))
        return frame.twist(screw, variables[0], name=name, offset=start)

    def _ball(self, frame: Frame, joint: int, name: str | None) -> Frame:
        """A ball or a floating body; the two frames that it turns are kept for springs."""
        point, ball = self.model.jnt_pos[joint], self.variables[joint][-1].removesuffix("_wz")
        if self.model.jnt_type[joint] == FREE:
            moved = frame.floating(ball, name=name)
        elif not point.any():
            moved = frame.ball(ball, name=name)
        else:
            frame = frame.fixed(pose_of(point))
            moved = frame.ball(ball).fixed(pose_of(-point), name=name)
        self.ends[joint] = frame, moved
        return moved

    def _set_start(self) -> None:
        """The poses of floating bodies in the file."""
        start: dict[str, float] = {}
        for joint in self.ends:
            if self.model.jnt_type[joint] == FREE:
                x = self.model.qpos0[self.model.jnt_qposadr[joint] :][:7]
                variables = self.variables[joint]
                ball = variables[-1].removesuffix("_wz")
                pose = dict(zip((*variables[:3], *ball_coordinates(ball)), x.tolist(), strict=True))
                if any(x[:3]) or tuple(x[3:]) != (1.0, 0.0, 0.0, 0.0):
                    start |= pose
        if start:
            self.system.start = Start(q=start)

    def _variables(self) -> list[tuple[str, ...]]:
        """Names of variables: those of the joints, or made of the names of the bodies."""
        model = self.model
        taken = {model.joint(joint).name for joint in range(model.njnt)}
        owners: list[tuple[str, tuple[str, ...]]] = []
        for joint in range(model.njnt):
            name = model.joint(joint).name
            if not name:
                name = model.body(model.jnt_bodyid[joint]).name or f"joint {joint}"
                while name in taken:
                    name += "_"
                taken.add(name)
            motions = (BALL_MOTIONS if self.balls else MOTIONS).get(int(model.jnt_type[joint]))
            owners.append((name, (name,) if motions is None else tuple(f"{name}_{m}" for m in motions)))
        check_variables(owners)
        return [names for _, names in owners]

    def _frame_name(self, name: str) -> str | None:
        """A name that the system can take; a frame may go without."""
        usable = name.isprintable() and name.strip() and name != "world" and not name.startswith("#")
        return name if usable and name not in self.system._by_name else None


def pose_of(position: Array, quaternion: Array | None = None) -> Array:
    """The 4x4 pose of a position and a quaternion (w, x, y, z)."""
    pose = np.eye(4)
    pose[:3, 3] = position
    if quaternion is not None:
        w, x, y, z = np.asarray(quaternion) / np.linalg.norm(quaternion)
        pose[:3, :3] = (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
    return pose


def _system_name(name: str, path: Path) -> str:
    """The name that the file gives, or that of the file."""
    return next((text for text in (name, path.stem) if text.isprintable() and text.strip()), "model")
