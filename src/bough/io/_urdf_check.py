"""Checks of a URDF file before its numbers are read; each error points at its place."""

from __future__ import annotations

from collections.abc import Collection

from bough.errors import nearest, quoted
from bough.io._report import Report
from bough.io._xml import Node

JOINTS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MOVING = {"revolute": 1, "continuous": 1, "prismatic": 1, "fixed": 0, "floating": 6, "planar": 3}
SIZES = {"box": {"size": 3}, "cylinder": {"radius": 1, "length": 1}, "sphere": {"radius": 1}, "mesh": {}}
LIMITS = {
    "lower": "limits",
    "upper": "limits",
    "velocity": "limits of velocity",
    "effort": "limits of effort",
}
UNUSED_OF_ROBOT = {
    "transmission": "transmissions",
    "gazebo": "Gazebo settings",
    "sensor": "sensors",
    "ros2_control": "controllers",
}


def checked(
    robot: Node,
    report: Report,
    actuate: bool | Collection[str] = False,
    limits: bool = True,
    contacts: bool = False,
) -> Node:
    """The part of the file that is imported, checked. The rest goes into the report.

    With `actuate` this includes the efforts of joints, or of those named, with `limits` their bounds, with `contacts`
    collision shapes.
    """
    clean = _copy(robot, "name")
    robot.text("name")
    links = _by_name(robot, "link")
    joints = _by_name(robot, "joint")
    if not links:
        raise robot.error("no <link> in <robot>", "describe at least one link")
    for link in links.values():
        clean.children.append(_link(link, report, contacts))
    for name, joint in joints.items():
        driven = actuate if isinstance(actuate, bool) else name in actuate
        clean.children.append(_joint(joint, links, joints, report, driven, limits))
    for material in robot.all("material"):
        clean.children.append(_material(material))
    _check_tree(robot, links, joints)
    _check_mimics(joints)
    for node in robot.children:
        if node.tag in UNUSED_OF_ROBOT:
            report.unused(UNUSED_OF_ROBOT[node.tag], node.attributes.get("name", ""))
        elif node.tag not in ("link", "joint", "material"):
            report.unused(f"<{node.tag}>", node.attributes.get("name", ""))
    return clean


def _by_name(robot: Node, tag: str) -> dict[str, Node]:
    named: dict[str, Node] = {}
    for node in robot.all(tag):
        name = node.text("name")
        if not name.isprintable():
            raise node.error(f"name {name!r} of <{tag}> cannot be printed", "leave control characters out")
        if name in named:
            raise node.error(
                f"another <{tag}> has the name {name!r}, in line {named[name].line}",
                "choose another name",
                "name",
            )
        named[name] = node
    return named


def _link(link: Node, report: Report, contacts: bool) -> Node:
    clean = _copy(link, "name")
    name = link.attributes["name"]
    inertial = link.first("inertial")
    if inertial is not None:
        clean.children.append(_inertial(inertial))
    shapes = [*link.all("visual"), *(link.all("collision") if contacts else ())]
    for visual in shapes:
        geometry = _required_child(visual, "geometry")
        if not geometry.children:
            raise geometry.error("<geometry> with nothing in it", f"give one of {quoted(SIZES)}")
        if geometry.children[0].tag not in SIZES:
            report.unused(f"{visual.tag} <{geometry.children[0].tag}>", name)
            continue
        clean.children.append(_visual(visual, geometry))
    for _ in () if contacts else link.all("collision"):
        report.unused("collision shapes", name)
    return clean


def _inertial(inertial: Node) -> Node:
    mass, inertia = _required_child(inertial, "mass"), _required_child(inertial, "inertia")
    if mass.number("value") < 0.0:
        raise mass.error(f"mass {mass.attributes['value']} is negative", "give zero or more, in kg", "value")
    for moment in ("ixx", "iyy", "izz"):
        inertia.number(moment)
    for product in ("ixy", "ixz", "iyz"):
        inertia.number(product, 0.0)
    clean = _copy(inertial)
    clean.children = [_copy(mass, "value"), _copy(inertia, "ixx", "ixy", "ixz", "iyy", "iyz", "izz")]
    return _with_origin(inertial, clean)


def _visual(visual: Node, geometry: Node) -> Node:
    clean = _copy(visual)
    body = geometry.children[0]
    for name, count in SIZES[body.tag].items():
        body.numbers(name, count)
    if body.tag == "mesh":
        body.text("filename")
        if "scale" in body.attributes:
            body.numbers("scale", 3)
    kept = _copy(geometry)
    kept.children = [_copy(body, *SIZES[body.tag], *(("filename", "scale") if body.tag == "mesh" else ()))]
    clean.children = [kept]
    material = visual.first("material")
    if material is not None:
        clean.children.append(_material(material))
    return _with_origin(visual, clean)


def _material(material: Node) -> Node:
    clean = _copy(material, "name")
    color = material.first("color")
    if color is not None:
        color.numbers("rgba", 4)
        clean.children.append(_copy(color, "rgba"))
    return clean


def _joint(
    joint: Node, links: dict[str, Node], joints: dict[str, Node], report: Report, actuate: bool, limits: bool
) -> Node:
    name, kind = joint.attributes["name"], joint.text("type")
    if kind not in JOINTS:
        close = nearest(kind, JOINTS, 1) or list(JOINTS)
        raise joint.error(f"type={kind!r} of joint {name!r} is unknown", f"use {quoted(close)}", "type")
    clean = _copy(joint, "name", "type")
    for end in ("parent", "child"):
        node = _required_child(joint, end)
        if node.text("link") not in links:
            raise node.unknown("link", "link", list(links))
        clean.children.append(_copy(node, "link"))
    axis = joint.first("axis")
    if axis is not None and kind not in ("fixed", "floating"):
        if not any(axis.numbers("xyz", 3)):
            raise axis.error(f"the axis of joint {name!r} is zero", 'give a direction, such as xyz="0 0 1"')
        clean.children.append(_copy(axis, "xyz"))
    dynamics = joint.first("dynamics")
    if dynamics is not None:
        if dynamics.number("damping", 0.0) < 0.0:
            raise dynamics.error(f"the damping of joint {name!r} is negative", "give zero or more", "damping")
        friction = dynamics.number("friction", 0.0)
        if friction < 0.0:
            raise dynamics.error(
                f"the friction of joint {name!r} is negative", "give zero or more", "friction"
            )
        held = limits and MOVING[kind] == 1
        clean.children.append(_copy(dynamics, "damping", *(("friction",) if held else ())))
        if friction != 0.0 and kind != "fixed" and not held:
            report.unused("friction", name)
        if MOVING[kind] > 1 and dynamics.number("damping", 0.0) != 0.0:
            report.unused(f"damping of {kind} joints", name)
    mimic = joint.first("mimic")
    if mimic is not None:
        if mimic.text("joint") not in joints:
            raise mimic.unknown("joint", "joint", list(joints))
        mimic.number("multiplier", 1.0)
        mimic.number("offset", 0.0)
        if MOVING[kind] == 1:
            clean.children.append(_copy(mimic, "joint", "multiplier", "offset"))
        elif kind != "fixed":
            report.unused(f"mimic of {kind} joints", name)
    bounds = joint.first("limit")
    if bounds is not None and kind != "fixed":
        used = _used_limits(bounds, name, kind, actuate and mimic is None, limits)
        if used:
            clean.children.append(_copy(bounds, *used))
        for attribute, what in LIMITS.items():
            if attribute not in used and bounds.number(attribute, 0.0) != 0.0:
                report.unused(what, name)
    for tag, what in (("safety_controller", "safety limits"), ("calibration",) * 2):
        if joint.first(tag) is not None and kind != "fixed":
            report.unused(what, name)
    return _with_origin(joint, clean)


def _used_limits(bounds: Node, name: str, kind: str, driven: bool, limits: bool) -> tuple[str, ...]:
    """The attributes of a limit that a system holds: efforts of motors, and bounds of the variable."""
    used: tuple[str, ...] = ()
    if driven and MOVING[kind] == 1:
        bounds.number("effort", 0.0)
        used = ("effort",)
    if not limits or kind not in ("revolute", "prismatic"):
        return used
    lower, upper = bounds.number("lower", 0.0), bounds.number("upper", 0.0)
    if lower > upper:
        raise bounds.error(
            f"the lower limit of joint {name!r}, {lower:g}, is above the upper one, {upper:g}",
            "exchange them",
            "lower",
        )
    return (*used, "lower", "upper") if lower < upper else used


def _check_tree(robot: Node, links: dict[str, Node], joints: dict[str, Node]) -> None:
    """One link without a parent, from which every other is reached."""
    above: dict[str, tuple[str, str]] = {}
    for name, joint in joints.items():
        parent, child = (_required_child(joint, end).attributes["link"] for end in ("parent", "child"))
        if child in above:
            raise _required_child(joint, "child").error(
                f"link {child!r} is already the child of joint {above[child][1]!r}",
                "give every link one parent; close a loop with a constraint of bough",
            )
        above[child] = (parent, name)
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        raise links[roots[1]].error(
            f"{len(roots)} links without a parent: {quoted(roots)}", "join them, so that one remains"
        )
    reached = set(roots)
    for name in links:
        path = []
        while name not in reached:
            if name in path:
                circle = joints[above[name][1]]
                raise circle.error(
                    f"a circle of joints through link {name!r}",
                    "give every link one parent; close a loop with a constraint of bough",
                )
            path.append(name)
            name = above[name][0]
        reached.update(path)


def _check_mimics(joints: dict[str, Node]) -> None:
    """A joint follows a joint of one variable, and never itself."""
    for name, joint in joints.items():
        seen, node = {name}, joint.first("mimic")
        while node is not None:
            followed = node.attributes["joint"]
            kind = joints[followed].attributes["type"]
            if MOVING[kind] > 1:
                raise node.error(
                    f"joint {name!r} follows the {kind} joint {followed!r}", "follow a joint of one variable"
                )
            if followed in seen:
                raise node.error(f"joint {name!r} follows itself", "let one joint of the circle be free")
            seen.add(followed)
            node = joints[followed].first("mimic")


def _with_origin(node: Node, clean: Node) -> Node:
    origin = node.first("origin")
    if origin is not None:
        for name in ("xyz", "rpy"):
            origin.numbers(name, 3, (0.0, 0.0, 0.0))
        clean.children.append(_copy(origin, "xyz", "rpy"))
    return clean


def _required_child(node: Node, tag: str) -> Node:
    child = node.first(tag)
    if child is None:
        raise node.error(f"<{node.tag}> without <{tag}>", f"add <{tag}> to it")
    return child


def _copy(node: Node, *attributes: str) -> Node:
    """The element with only these attributes and without its children."""
    kept = {name: node.attributes[name] for name in attributes if name in node.attributes}
    return Node(node.tag, kept, node.path, node.line, node.column)
