"""The pictures of elements: one table, from class to drawing function.

A class of the user is drawn like the class of bough that it extends; one that extends none draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.description.element import Element
from bough.description.functions import Function
from bough.description.parameter import Kinematic
from bough.description.shapes import Box, Cylinder, Geometry, Plane, Sphere
from bough.elements import (
    beam,
    constraints,
    contact_group,
    contacts,
    direction_constraints,
    forces,
    function_force,
    gravity,
    joint_limit,
    no_slip,
    potentials,
    servo,
    shape_contact,
    string,
    variable_constraints,
    wrenches,
)
from bough.view.bodies import ORIGIN, origin_of, rod, rotation_to, translation
from bough.view.colors import COLORS
from bough.view.covering import Covering
from bough.view.parts import Between, Rigid
from bough.view.surfaces import corners
from bough.view.touching import plane_below, plane_contact, shape_contacts
from bough.view.tree import Node, Tree

# Lengths relative to the size of the system.
STRING, COIL, WINDINGS, BEAM, PIN, ARROW = 0.003, 0.02, 0.016, 0.006, 0.01, 0.007
BALL = 0.02
PLANE, LINE, ROOM = 0.6, 1.0, 0.1


class Maker:
    """Collects the parts that elements draw."""

    def __init__(
        self,
        tree: Tree,
        size: float,
        variables: Mapping[str, int],
        inputs: Mapping[str, int],
        covered: set[str],
        covering: Covering,
        gaps: Mapping[str, int],
        paths: Callable[[str], Array],
        beyond: float,
    ) -> None:
        self.tree = tree
        self.size = size
        self.variables = variables
        self.inputs = inputs
        self.gaps = gaps  # the first gap of each one-sided element
        self.paths = paths  # the poses of a frame in the configurations that are drawn
        self.beyond = beyond  # how far planes go beyond what touches them, relative to the size
        self.covered = covered  # frames of bodies that have shapes
        self.covering = covering  # where these shapes are
        self.rigid: list[Rigid] = []
        self.links: list[Between] = []
        self.pinned: set[str] = set()  # frames with a pin of a point constraint
        self.solids: set[str] = set()  # frames of bodies that are drawn by what they touch with
        self.touching: set[Any] = set()  # frames and poses of shapes that touch, of bodies without shapes

    def draw(self, element: Element, name: str) -> None:
        """Add the parts of an element."""
        for cls in type(element).__mro__:
            if cls in TABLE:
                TABLE[cls](self, element, name)
                return

    def add(
        self, role: str, name: str, frame: str, pose: Array, geometry: Geometry, opacity: float = 1.0
    ) -> None:
        """Add a part that moves with a frame."""
        self.rigid.append(Rigid(f"{role}/{name}", role, frame, pose, geometry, COLORS[role], opacity))

    def link(self, role: str, name: str, a: Any, b: Any, radius: float, style: str, **more: Any) -> None:
        """Add a part between the origins of two frames."""
        ends = origin_of(str(a)), origin_of(str(b))
        self.links.append(
            Between(f"{role}/{name}", role, *ends, radius * self.size, COLORS[role], style, **more)
        )

    def arrow(self, name: str, frame: Any, force: tuple[Array, Array], **more: Any) -> None:
        """A force or moment at a point of a frame; nothing if it is always zero."""
        if not force[0].any() and not force[1].any():
            return
        start = (str(frame), more.pop("point", ORIGIN))
        radius = ARROW * self.size
        self.links.append(
            Between(
                f"wrench/{name}",
                "wrench",
                start,
                start,
                radius,
                COLORS["wrench"],
                "arrow",
                force=force,
                **more,
            )
        )

    def components(self, *values: float | str) -> tuple[Array, Array]:
        """Constants and coefficients of inputs of three components."""
        constant, inputs = np.zeros(3), np.zeros((3, len(self.inputs)))
        for k, value in enumerate(values):
            if isinstance(value, str):
                inputs[k, self.inputs[value]] += 1.0
            else:
                constant[k] = value
        return constant, inputs

    def coil(self, name: str, frame: str, center: Array, axis: Array) -> None:
        """A coil about an axis of a frame."""
        half = WINDINGS * self.size * np.asarray(axis)
        start, end = ((frame, tuple((center + side * half).tolist())) for side in (-1.0, 1.0))
        radius = WINDINGS * self.size
        self.links.append(Between(f"spring/{name}", "spring", start, end, radius, COLORS["spring"], "spring"))


def _nothing(make: Maker, element: Element, name: str) -> None:
    """Draw nothing: relations between variables, and elements that act everywhere, have no place."""


# --- potentials ---


def _spring(make: Maker, element: Any, name: str) -> None:
    make.link("spring", name, element.a, element.b, COIL, "spring")


def _variable_spring(make: Maker, element: Any, name: str) -> None:
    for node, label in _frames_moved_by(make, element.variable, name):
        parent = make.tree.nodes[node.parent].label
        if (node.label in make.covered or parent in make.covered) and not _apart(make, node, parent):
            continue  # a spring in a joint of a body that has a picture of its own
        if node.turn is None:
            make.link("spring", label, parent, node.label, COIL, "spring")
        else:
            make.coil(label, parent, node.center, node.turn)


def _apart(make: Maker, node: Node, parent: str) -> bool:
    """Whether a slide leaves room to see a spring between the frames that it joins."""
    way = make.paths(node.label)[:, :3, 3] - make.paths(parent)[:, :3, 3]
    return node.turn is None and float(np.linalg.norm(way, axis=1).max()) > ROOM * make.size


def _torsion_spring(make: Maker, element: potentials.TorsionSpring, name: str) -> None:
    axis = np.array((0.0, 0.0, 1.0) if element.axis is None else element.axis)
    make.coil(name, str(element.a), np.zeros(3), axis)


def _beam(make: Maker, element: beam.BeamElement, name: str) -> None:
    make.link("beam", name, element.a, element.b, BEAM, "beam", tangents=(element.axis, element.axis))


def _gravity(make: Maker, element: gravity.Gravity, name: str) -> None:
    for frame in element.frames or ():  # type: ignore[union-attr]
        node = make.tree.nodes[make.tree.place[str(frame)]]
        force = node.mass * np.array(element.vector), np.zeros((3, len(make.inputs)))
        make.arrow(f"{name} on {frame}", frame, force, axes="world", point=tuple(node.com.tolist()))


def _attraction(make: Maker, element: gravity.CentralGravity, name: str) -> None:
    make.link("attraction", name, element.a, element.b, STRING, "dashed")
    if element.mu is not None:  # towards a point, whether or not it has a mass
        make.add("attraction", f"{name} to {element.a}", str(element.a), np.eye(4), Sphere(BALL * make.size))


# --- forces ---


def _damper(make: Maker, element: forces.LinearDamper, name: str) -> None:
    make.link("damper", name, element.a, element.b, COIL, "damper")


def _variable_force(make: Maker, element: forces.ConfigurationForce, name: str) -> None:
    for node, label in _frames_moved_by(make, element.variable, name):
        axis = node.shift if node.turn is None else node.turn
        constant, inputs = make.components(element.value, 0.0, 0.0)
        assert axis is not None
        along = node.ratio * (element.gear or 1.0) * np.outer(axis, (1.0, 0.0, 0.0))
        parent = make.tree.nodes[node.parent].label
        moment = node.turn is not None
        center = tuple(node.center.tolist())
        # a force acts on the frame that slides, a moment about the axis in the frame that holds it
        frame, point = (parent, center) if moment else (node.label, ORIGIN)
        make.arrow(label, frame, (along @ constant, along @ inputs), moment=moment, point=point)


def _wrench(axes: str, at_world: bool = False) -> Callable[[Maker, Any, str], None]:
    def draw(make: Maker, element: Any, name: str) -> None:
        frame = "world" if at_world else element.frame
        make.arrow(name, frame, make.components(element.fx, element.fy, element.fz), axes=axes)
        moment = make.components(element.tx, element.ty, element.tz)
        make.arrow(f"moment of {name}", frame, moment, axes=axes, moment=True)

    return draw


def _point_force(make: Maker, element: wrenches.PointForce, name: str) -> None:
    force = make.components(element.fx, element.fy, element.fz)
    make.arrow(name, element.frame, force, axes=element.axes, point=element.point)


# --- constraints ---


def _point(make: Maker, element: constraints.PointConstraint, name: str) -> None:
    for end in (element.a, element.b):
        if end not in make.pinned:  # two conditions on a pair of points are one pin
            make.add("pin", f"{name} at {end}", str(end), np.eye(4), Sphere(PIN * make.size))
            make.pinned.add(str(end))
    make.link("pin", name, element.a, element.b, STRING, "dashed")


def _plane(make: Maker, element: direction_constraints.PlaneConstraint, name: str) -> None:
    normal = np.array(element.normal)
    offset = element.offset if isinstance(element.offset, float) else 0.0
    pose = translation(np.array(element.origin) + offset * normal)
    pose[:3, :3] = rotation_to(normal)
    edge = PLANE * make.size
    make.add("plane", name, str(element.b), pose, Plane((edge, edge)), opacity=0.4)
    make.add("pin", name, str(element.a), np.eye(4), Sphere(PIN * make.size))


def _line(make: Maker, element: direction_constraints.LineConstraint, name: str) -> None:
    middle, half = np.array(element.origin), 0.5 * LINE * make.size * np.array(element.axis)
    ends = middle - half, middle + half
    make.rigid.append(rod(f"rail/{name}", "rail", str(element.b), *ends, STRING * make.size))
    make.add("pin", name, str(element.a), np.eye(4), Sphere(PIN * make.size))


def _parallel(make: Maker, element: direction_constraints.ParallelConstraint, name: str) -> None:
    axis_b = element.axis if element.axis_b is None else element.axis_b
    for end, axis in ((element.a, element.axis), (element.b, axis_b)):
        half = 0.08 * make.size * np.array(axis)
        part = rod(f"pin/{name} at {end}", "pin", str(end), -half, half, STRING * make.size)
        make.rigid.append(part)


def _rolling(make: Maker, element: no_slip.Rolling, name: str) -> None:
    """The plane; the ball or wheel is drawn if the body has no shape."""
    normal = np.array(element.normal)
    pose = translation(element.height * normal)
    pose[:3, :3] = rotation_to(normal)
    turned = np.eye(4)
    if element.axis is not None:
        turned[:3, :3] = rotation_to(np.array(element.axis))
    shape = Sphere(element.radius) if element.axis is None else Cylinder(element.radius, 0.1 * element.radius)
    plane_below(make, name, "world", str(element.frame), pose, corners(shape) @ turned[:3, :3].T)
    if make.covering.solid(str(element.frame), turned, shape):
        return
    make.add("pin", name, str(element.frame), turned, shape, opacity=0.4)


def _skate(make: Maker, element: no_slip.Skate, name: str) -> None:
    along = np.cross(element.across, (0.0, 0.0, 1.0))
    if np.linalg.norm(along) < 1e-9:  # a blade whose frame lies on its side
        along = np.array([1.0, 0.0, 0.0])
    half = 0.08 * make.size * along / np.linalg.norm(along)
    make.rigid.append(rod(f"pin/{name}", "pin", str(element.frame), -half, half, STRING * make.size))


def _weld(make: Maker, element: constraints.WeldConstraint, name: str) -> None:
    pose = np.eye(4) if element.pose is None else np.array(element.pose)
    edge = 2.0 * PIN * make.size
    make.add("pin", f"{name} at {element.a}", str(element.a), np.eye(4), Box((edge, edge, edge)))
    make.add("pin", f"{name} at {element.b}", str(element.b), pose, Box((edge, edge, edge)))


def _distance(make: Maker, element: constraints.DistanceConstraint, name: str) -> None:
    length: float | Function | None = None
    variable = None
    if isinstance(element.length, Kinematic):
        variable = make.variables[element.length.name]
    else:
        length = element.length
    make.link("string", name, element.a, element.b, STRING, "string", length=length, length_variable=variable)


def _string(make: Maker, element: string.String, name: str) -> None:
    """Straight parts from pulley to pulley, and the pulleys that have a radius."""
    path = [str(frame) for frame in (element.a, *element.via, element.b)]
    gap = make.gaps.get(name)
    for i, (a, b) in enumerate(pairwise(path)):
        part = name if len(path) == 2 else f"{name} {i}"
        make.link("string", part, a, b, STRING, "string", gap=gap)
    radii = element.radius if isinstance(element.radius, tuple) else (element.radius,) * len(element.via)
    turned = np.eye(4)
    turned[:3, :3] = rotation_to(np.array(element.axis))
    for i, (frame, radius) in enumerate(zip(element.via, radii, strict=True)):
        shape = Sphere(0.5 * PIN * make.size)
        if radius:
            make.add("pin", f"{name} {i}", str(frame), turned, Cylinder(abs(radius), 2.0 * PIN * make.size))
        elif str(frame) not in make.covered:
            make.add("pin", f"{name} {i}", str(frame), np.eye(4), shape)


def _frames_moved_by(make: Maker, variable: str, name: str) -> list[tuple[Node, str]]:
    """The frames that a variable moves, each with a name for what is drawn there."""
    users = make.tree.users(variable)
    return [(node, name if len(users) == 1 else f"{name} at {node.label}") for node in users]


#: Every kind of element that bough has.
TABLE: dict[type[Element], Callable[[Maker, Any, str], None]] = {
    potentials.LinearSpring: _spring,
    potentials.NonlinearSpring: _spring,
    potentials.ConfigurationSpring: _variable_spring,
    potentials.GearSpring: _nothing,
    potentials.NonlinearConfigurationSpring: _variable_spring,
    potentials.TorsionSpring: _torsion_spring,
    beam.BeamElement: _beam,
    gravity.Gravity: _gravity,
    gravity.CentralGravity: _attraction,
    forces.Damping: _nothing,
    forces.Drag: _nothing,
    forces.LinearDamper: _damper,
    forces.ConfigurationForce: _variable_force,
    function_force.FunctionForce: _nothing,
    servo.Servo: _nothing,
    wrenches.BodyWrench: _wrench("body"),
    wrenches.HybridWrench: _wrench("world"),
    wrenches.SpatialWrench: _wrench("world", at_world=True),
    wrenches.PointForce: _point_force,
    constraints.PointConstraint: _point,
    direction_constraints.PlaneConstraint: _plane,
    direction_constraints.LineConstraint: _line,
    direction_constraints.ParallelConstraint: _parallel,
    no_slip.Rolling: _rolling,
    no_slip.Skate: _skate,
    constraints.WeldConstraint: _weld,
    constraints.DistanceConstraint: _distance,
    string.String: _string,
    contacts.PlaneContact: plane_contact,
    shape_contact.ShapeContact: shape_contacts,
    contact_group.ContactGroup: _nothing,  # of shapes that frames have
    joint_limit.JointLimit: _nothing,
    contacts.DryFriction: _nothing,
    variable_constraints.GearConstraint: _nothing,
    variable_constraints.ScrewConstraint: _nothing,
    variable_constraints.EqualityConstraint: _nothing,
    variable_constraints.CamConstraint: _nothing,
}
