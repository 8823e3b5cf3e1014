"""URDF: robots as links and joints, through the package yourdfpy.

Every link becomes a frame of its name, every joint of one variable a variable of its name.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bough import validate
from bough.description.frame import Frame
from bough.description.shapes import Box, Cylinder, Geometry, Mesh, Sphere
from bough.description.system import System
from bough.elements.contacts import DryFriction
from bough.elements.forces import ConfigurationForce, Damping
from bough.elements.joint_limit import JointLimit
from bough.errors import ModelError, unknown_name
from bough.io._report import Report, check_variables, in_file
from bough.io._urdf_check import MOVING, checked
from bough.io._urdf_contacts import add_floor, checked_contacts
from bough.io._urdf_massless import Massless, check_massless, has_mass
from bough.io._xml import parse_error, read_xml, to_text
from bough.validate import Array

Paths = Mapping[str, "str | os.PathLike[str]"]
ROOT = "root"  # prefix of the variables of a floating root link


def load_urdf(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    packages: Paths | None = None,
    actuate: bool | str | Sequence[str] = False,
    limits: bool = True,
    massless: str | float | None = None,
    rotation: str = "ball",
    contacts: bool = False,
    friction: float | None = None,
) -> System:
    """The system of a URDF file.

    Links become frames and joints variables of the same names. A mimic joint shares the variable of the joint
    it follows. A floating joint is a `Frame.floating`, with the variables `name_tx` to `name_wz`, a planar one has
    `name_tx`, `name_ty`, `name_rz`. Visual shapes are kept in `System.shapes`. A `BoughWarning` lists what was read
    but not used.

    Parameters
    ----------
    path : str or path
    floating : bool
        Whether the root link moves freely, with the variables `root_tx` to `root_wz`, or not at all.
    packages : mapping from names of packages to folders
        The folders of `package://name/...`; by default a folder of this name above the file, or beside one.
    actuate : bool, or names of joints
        Whether every revolute, continuous and prismatic joint that does not follow another one, or only those
        named, gets a motor: a `ConfigurationForce` with an input of the joint's name, limited by the joint's
        effort if the file gives one.
    limits : bool
        Whether the bounds of revolute and prismatic joints are held, each by a `JointLimit` that is named after
        its joint, "elbow limit", and their friction by a `DryFriction`, "elbow friction".
    massless : "merge", float or None
        The treatment of joints that move no mass, which `build` rejects: "merge" keeps them at zero, a number
        is the mass in kg and the moment of inertia in kg m² that their links get.
    rotation : "ball" or "angles"
        What floating joints and a floating root turn by: quaternions, or Euler angles, `Frame.free`, which have
        gimbal lock and the variables `name_rz`, `name_ry`, `name_rx`.
    contacts : bool
        Whether collision shapes touch the plane z = 0 of the world, each by a contact that is named after its link,
        "foot floor"; of meshes their convex hulls do.
    friction : float or None
        Of these contacts, for which the file has no word.
    """
    rough = checked_contacts(contacts, friction, f"load({os.fspath(path)!r})")
    balls = validate.by_balls(rotation, f"load({os.fspath(path)!r})")
    file = Path(path)
    least = check_massless(massless, f"load({os.fspath(path)!r})")
    driven = actuate if isinstance(actuate, bool) else _names(actuate, f"load({os.fspath(path)!r})")
    robot_node = read_xml(file, "robot")
    report = Report(file)
    text, _ = to_text(checked(robot_node, report, driven, bool(limits), rough is not None))
    robot = _read(file, text)
    with in_file(file):
        builder = _Builder(file, robot, packages or {}, report, least, balls)
        system = builder.build(bool(floating))
        if limits:
            builder.add_limits()
        if driven:
            builder.add_motors(driven)
        if rough is not None:
            add_floor(system, builder.solids, rough, report)
    report.warn()
    return system


def _names(given: Any, where: str) -> tuple[str, ...]:
    """The names of joints, one or several."""
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ModelError(
            asked=f"actuate={validate.shown(given)} in {where}",
            found="neither True nor False nor names of joints",
            do="give True for motors on all joints, or a list such as ['shoulder', 'elbow']",
        )
    return tuple(names)


def _read(path: Path, text: str) -> Any:
    """The robot as yourdfpy reads it."""
    try:
        import yourdfpy
    except ImportError:
        raise parse_error(
            path, "the package yourdfpy is not installed", "pip install 'bough[urdf]'"
        ) from None
    try:
        return yourdfpy.URDF.load(io.BytesIO(text.encode()), build_scene_graph=False, load_meshes=False).robot
    except Exception as error:  # any error of the reader is an error in the file
        found = f"yourdfpy cannot read it: {type(error).__name__}: {error}"
        raise parse_error(path, found, "correct the file") from error


class _Builder:
    def __init__(
        self,
        path: Path,
        robot: Any,
        packages: Paths,
        report: Report,
        massless: str | float | None,
        balls: bool,
    ) -> None:
        self.path = path
        self.robot = robot
        self.packages = packages
        self.report = report
        self.joints = {joint.name: joint for joint in robot.joints}
        self.light = Massless(robot, massless, lambda joint: self._driving_variable(joint)[0])
        self.colors = {m.name: m.color for m in robot.materials if m.name is not None}
        self.system = System(robot.name)
        self.flawed: dict[str, str] = {}
        self.damping: dict[str, float] = {}
        self.balls = balls
        self.friction: dict[str, float] = {}
        self.solids: list[
            tuple[Frame, Geometry, Any, str]
        ] = []  # collision shapes with their poses and links

    def build(self, floating: bool) -> System:
        links = {link.name: link for link in self.robot.links}
        below: dict[str, list[Any]] = {name: [] for name in links}
        for joint in self.robot.joints:
            below[joint.parent].append(joint)
        root = next(iter(links.keys() - {joint.child for joint in self.robot.joints}))
        self.light.apply(self.report, root if floating else None)
        owners = [
            (joint.name, _variables(joint.name, MOVING[joint.type], self.balls))
            for joint in self.robot.joints
        ]
        check_variables([(root, _variables(ROOT, 6, self.balls)), *owners] if floating else owners)
        waiting = [(root, self._root(links[root], floating))]
        while waiting:
            name, frame = waiting.pop()
            self._keep_shapes(links[name], frame)
            added = [(joint.child, self._joint(frame, joint, links[joint.child])) for joint in below[name]]
            waiting.extend(reversed(added))
        if self.damping:
            self.system.add(Damping(self.damping))
        if self.flawed:
            listed = "; ".join(f"{name!r}: {flaw}" for name, flaw in list(self.flawed.items())[:3])
            more = f"; and {len(self.flawed) - 3} more" if len(self.flawed) > 3 else ""
            self.report.note(f"taken over as written, though no body is like this: {listed}{more}")
        return self.system

    def add_motors(self, wanted: bool | tuple[str, ...]) -> None:
        """Add a motor for every joint that has a variable of its own, or for those named."""
        joints = {
            joint.name: joint
            for joint in self.robot.joints
            if MOVING[joint.type] == 1 and joint.name in self.system.dynamic and joint.mimic is None
        }
        names = tuple(joints) if isinstance(wanted, bool) else wanted
        for name in names:
            if name not in joints:
                raise unknown_name("joint that can have a motor", name, joints, "actuate=")
        for joint in joints.values():
            if joint.name in names:
                given = None if joint.limit is None else joint.limit.effort
                if given is not None and float(given) <= 0.0:
                    self.report.unused("efforts of zero or less", joint.name)
                limit = None if given is None or float(given) <= 0.0 else float(given)
                self.system.add(
                    ConfigurationForce(joint.name, joint.name, effort=limit, name=f"{joint.name} motor")
                )

    def add_limits(self) -> None:
        """Hold every joint with bounds between them, and add dry friction; a joint that follows acts on its leader."""
        for name, friction in self.friction.items():
            self.system.add(DryFriction(name, friction, name=f"{name} friction"))
        for joint in self.robot.joints:
            bounds = joint.limit
            if bounds is None or (bounds.lower is None and bounds.upper is None):
                continue
            variable, ratio, offset = self._driving_variable(joint)
            if variable is None:
                self.report.unused("limits", joint.name)
                continue
            ends = sorted((float(end or 0.0) - offset) / ratio for end in (bounds.lower, bounds.upper))
            self.system.add(JointLimit(variable, *ends, name=f"{joint.name} limit"))

    # --- the tree ---

    def _root(self, link: Any, floating: bool) -> Frame:
        world = self.system.world
        if floating:
            free = world.floating if self.balls else world.free
            return self._with_body(free(ROOT, name=self._frame_name(link.name)), link)
        if link.name != "world":
            return self._with_body(world.frame(self._frame_name(link.name)), link)
        if link.inertial is not None:
            self.report.unused("mass of the world", link.name)
        return world

    def _joint(self, parent: Frame, joint: Any, link: Any) -> Frame:
        origin = np.eye(4) if joint.origin is None else joint.origin
        name = self._frame_name(link.name)
        if joint.type == "fixed" or (joint.name in self.light.merged and MOVING[joint.type] > 1):
            return self._with_body(parent.fixed(origin, name=name), link)
        at = parent if np.array_equal(origin, np.eye(4)) else parent.fixed(origin)
        if joint.type == "floating":
            frame = (at.floating if self.balls else at.free)(joint.name, name=name)
        elif joint.type == "planar":
            tilt = np.eye(4)
            tilt[:3, :3] = _z_to(joint.axis)
            if not np.array_equal(tilt, np.eye(4)):
                frame = at.fixed(tilt).planar(joint.name).fixed(tilt.T, name=name)
            else:
                frame = at.planar(joint.name, name=name)
        else:
            master, ratio, offset = self._driving_variable(joint)
            add = at.prismatic if joint.type == "prismatic" else at.revolute
            if master is None:
                frame = add(offset, joint.axis, name=name)
            else:
                frame = add(master, joint.axis, name=name, ratio=ratio, offset=offset, shared=True)
                damping = 0.0 if joint.dynamics is None else float(joint.dynamics.damping or 0.0)
                if damping:
                    self.damping[master] = self.damping.get(master, 0.0) + ratio * ratio * damping
                friction = 0.0 if joint.dynamics is None else float(joint.dynamics.friction or 0.0)
                if friction:
                    self.friction[master] = self.friction.get(master, 0.0) + abs(ratio) * friction
        return self._with_body(frame, link)

    def _driving_variable(self, joint: Any) -> tuple[str | None, float, float]:
        """(variable, ratio, offset) of a joint; no variable if it does not move."""
        ratio, offset = 1.0, 0.0
        while joint.mimic is not None:
            ratio, offset = ratio * joint.mimic.multiplier, offset + ratio * joint.mimic.offset
            joint = self.joints[joint.mimic.joint]
        if joint.type == "fixed" or ratio == 0.0 or joint.name in self.light.merged:
            return None, 0.0, offset
        return joint.name, ratio, offset

    def _with_body(self, frame: Frame, link: Any) -> Frame:
        inertial = link.inertial
        if link.name in self.light.given_mass:
            least = self.light.least
            frame.body_as_given(least, (least, least, least))
        elif has_mass(link):
            pose = np.eye(4) if inertial.origin is None else inertial.origin
            rotation = pose[:3, :3]
            inertia = rotation @ inertial.inertia @ rotation.T
            flaw = frame.body_as_given(inertial.mass, 0.5 * (inertia + inertia.T), pose[:3, 3])
            if flaw is not None:
                self.flawed[link.name] = flaw
        return frame

    def _frame_name(self, name: str) -> str:
        """The name of the frame of a link: that of the link, unless bough has reserved it."""
        if name != "world" and not name.startswith("#"):
            return name
        taken, frame = {link.name for link in self.robot.links}, f"link {name}"
        while frame in taken:
            frame += "_"
        self.report.note(f"link {name!r} is the frame {frame!r}, as the name is reserved")
        return frame

    # --- shapes ---

    def _keep_shapes(self, link: Any, frame: Frame) -> None:
        for given in (*link.visuals, *link.collisions):
            try:
                shape = self._shape(given.geometry)
            except ModelError:  # a size of zero or below
                self.report.unused("visuals without a size", link.name)
                continue
            if shape is None:
                self.report.unused("meshes that are not in the folder of the file or of a package", link.name)
            elif hasattr(given, "material"):
                self.system.shape(frame, shape, pose=given.origin, color=self._color(given.material))
            else:
                self.solids.append((frame, shape, given.origin, link.name))

    def _shape(self, given: Any) -> Geometry | None:
        """The shape of a visual; None if its mesh is not found."""
        if given.box is not None:
            return Box(given.box.size)
        if given.cylinder is not None:
            return Cylinder(given.cylinder.radius, given.cylinder.length)
        if given.sphere is not None:
            return Sphere(given.sphere.radius)
        found = self._mesh(given.mesh.filename)
        return None if found is None else Mesh(found, 1.0 if given.mesh.scale is None else given.mesh.scale)

    def _color(self, material: Any) -> list[float] | None:
        if material is None:
            return None
        color = material.color or self.colors.get(material.name)
        return None if color is None else np.clip(color.rgba, 0.0, 1.0).tolist()

    def _mesh(self, name: str) -> Path | None:
        """The file of a mesh, if it lies beside the URDF, in the folder above, or in a package."""
        try:
            folder = self.path.resolve().parent
            root, rest = folder.parent, name
            if name.startswith(("package://", "model://")):
                package, _, rest = name.partition("://")[2].partition("/")
                found = self._package(package, folder)
                if found is None:
                    return None
                root = folder = found
            elif name.startswith("file://"):
                rest = name.removeprefix("file://")
            mesh = (folder / rest).resolve()
            return mesh if mesh.is_relative_to(root) and mesh.is_file() else None
        except (OSError, ValueError):  # a name that no file can have
            return None

    def _package(self, package: str, folder: Path) -> Path | None:
        if package in self.packages:
            return Path(self.packages[package]).resolve()
        if not package or package in (".", ".."):
            return None
        for above in (folder, *folder.parents):
            if above.name == package:
                return above
            if (above / package).is_dir():
                return (above / package).resolve()
        return None


def _variables(name: str, count: int, balls: bool) -> tuple[str, ...]:
    """The names of the variables of a joint that has several."""
    if count <= 1:
        return (name,) * count
    turns = ("wx", "wy", "wz") if balls else ("rz", "ry", "rx")
    motions = ("tx", "ty", "tz", *turns) if count == 6 else ("tx", "ty", "rz")
    return tuple(f"{name}_{motion}" for motion in motions)


def _z_to(axis: Array) -> Array:
    """The smallest rotation that takes z to the direction of an axis."""
    x, y, z = axis / np.linalg.norm(axis)
    if z < -1.0 + 1e-12:
        return np.diag((1.0, -1.0, -1.0))
    skew = np.array(((0.0, 0.0, x), (0.0, 0.0, y), (-x, -y, 0.0)))
    rotation: Array = np.eye(3) + skew + skew @ skew / (1.0 + z)
    return rotation
