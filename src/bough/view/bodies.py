"""The automatic picture of a tree: rods, rails, joints and masses."""

from __future__ import annotations

import math

import numpy as np

from bough.arguments import Array
from bough.description.shapes import Box, Cylinder, Geometry, Sphere
from bough.view.colors import COLORS
from bough.view.covering import Covering
from bough.view.parts import Between, End, Rigid
from bough.view.tree import Node, Tree

# Lengths relative to the size of the system.
ROD, RAIL, JOINT = 0.007, 0.003, 0.012
BALL, SMALLEST = 0.035, 0.009
FREE = 0.16  # largest radius of a ball or pin, relative to the distance to the next one
LARGEST = 3.0  # ratio to the rest above which a body is drawn smaller
LIKE_A_BALL = 1.15  # ratio of principal moments up to which a body is drawn as a ball
ALIKE = 0.02  # difference of two moments, relative to the largest, up to which a body is drawn round
THIN = 1e-3  # the least thickness of a solid, relative to its size

ORIGIN = (0.0, 0.0, 0.0)


def rods(tree: Tree, shaped: set[str], covering: Covering, size: float) -> tuple[list[Rigid], list[Between]]:
    """Rods for frames that are rigid in their parents, rails for those that slide.

    Of a frame with a shape only those that leave the shape and lead to something: a mass, a joint.
    """
    rigid: list[Rigid] = []
    between: list[Between] = []
    for i, node in enumerate(tree.nodes[1:], start=1):
        parent = tree.nodes[node.parent]
        if not tree.shown[i] or (parent.label in shaped and not _leads(tree, i)):
            continue
        if node.variable is None and np.linalg.norm(node.local[:3, 3]) > 1e-9 * size:
            if _reaches(node) and node.label not in shaped:
                continue  # the body itself is the rod
            if covering.rod(parent.label, np.zeros(3), node.local[:3, 3]):
                continue
            name = f"rod/{node.label}"
            rigid.append(rod(name, "rod", parent.label, np.zeros(3), node.local[:3, 3], ROD * size))
        elif node.shift is not None and not tree.free[i] and (node.parent == 0 or parent.label not in shaped):
            ends = (parent.label, ORIGIN), (node.label, ORIGIN)
            between.append(Between(f"rail/{node.label}", "rail", *ends, RAIL * size, COLORS["rail"]))
    return rigid, between


def joints(tree: Tree, covering: Covering, size: float, spacing: float = math.inf) -> list[Rigid]:
    """A pin along the axis of a frame that turns, unless it is inside a shape; a ball if several turn in a row.

    Their radius is limited by the distance `spacing`, so that many in a row do not look like beads.
    """
    radius = max(min(JOINT * size, FREE * spacing), ROD * size)
    parts = []
    for i, node in enumerate(tree.nodes[1:], start=1):
        parent = tree.nodes[node.parent]
        if node.turn is None or not tree.shown[i] or _flies(tree, node):
            continue
        if any(tree.nodes[c].turn is not None for c in tree.children[i]) and node.mass == 0.0:
            continue  # the last of several draws the ball
        bodies = parent.label, node.label  # the axis has the same points in both
        if any(covering.inside(label, node.center[None])[0] for label in bodies):
            continue
        if any(map(covering.has_shape, bodies)) and not _heavy(tree, i):
            continue  # the rotor of a motor
        place = translation(node.center)
        geometry: Geometry = Sphere(1.2 * radius)
        if parent.turn is None or parent.mass > 0.0:
            geometry = Cylinder(radius, 3.0 * radius)
            place[:3, :3] = rotation_to(node.turn)
        parts.append(Rigid(f"joint/{node.label}", "joint", parent.label, place, geometry, COLORS["joint"]))
    return parts


def masses(tree: Tree, covering: Covering, size: float, spacing: float = math.inf) -> list[Rigid]:
    """A ball, a cylinder or a box for each mass.

    Balls have one density: the largest of them has the radius BALL times the size of the system, or less if
    it would hide what joins it to the next mass, at the distance `spacing`. Others are the uniform solids
    with the mass and inertia of the body, unless these are too large or too thin. What lies in a shape is drawn by it.
    """
    heaviest = max(node.mass for node in tree.nodes)
    largest = min(BALL * size, FREE * spacing)
    parts = []
    for node in tree.nodes:
        if node.mass == 0.0 or covering.mass(node.label, node.com):
            continue
        place = translation(node.com)
        solid, place[:3, :3] = uniform_solid(node)
        geometry: Geometry = Sphere(largest * max((node.mass / heaviest) ** (1.0 / 3.0), SMALLEST / BALL))
        if solid is not None:
            geometry = _clamp(solid, size)
        parts.append(Rigid(f"mass/{node.label}", "mass", node.label, place, geometry, COLORS["mass"]))
        if solid is None and float(np.linalg.norm(node.com)) > 1e-9 * size:
            name = f"rod/mass of {node.label}"
            parts.append(rod(name, "rod", node.label, np.zeros(3), node.com, 0.6 * ROD * size))
    return parts


def uniform_solid(node: Node) -> tuple[Box | Cylinder | None, Array]:
    """The uniform solid with the mass and inertia of a body, and its axes; None if it is like a ball.

    A box with edges a, b, c has I_x = m (b^2 + c^2) / 12 and so on, hence a^2 = 6 (I_y + I_z - I_x) / m.
    If two moments are equal it is a cylinder with I_z = m r^2 / 2 and I_x = m (3 r^2 + h^2) / 12.
    """
    moments, axes = np.linalg.eigh(node.inertia)
    if node.mass == 0.0 or moments[2] <= LIKE_A_BALL * moments[0] or moments[2] <= 0.0:
        return None, np.eye(3)
    for along, others in ((0, (1, 2)), (2, (0, 1))):
        low, high = moments[list(others)]
        if high - low <= ALIKE * moments[2]:
            radius = math.sqrt(max(2.0 * moments[along] / node.mass, 0.0))
            length = math.sqrt(max(6.0 * (low + high) / node.mass - 3.0 * radius**2, 0.0))
            return Cylinder(max(radius, THIN * length), max(length, THIN * radius)), rotation_to(
                axes[:, along]
            )
    squares = np.maximum(6.0 * (moments.sum() - 2.0 * moments) / node.mass, 0.0)
    edges = np.maximum(np.sqrt(squares), THIN * math.sqrt(squares.max()))
    return Box(edges.tolist()), axes if np.linalg.det(axes) > 0.0 else axes * (1.0, 1.0, -1.0)


def _reaches(node: Node) -> bool:
    """Whether the uniform solid of a body reaches from its frame to the origin of the parent."""
    solid, axes = uniform_solid(node)
    if solid is None:
        return False
    edges = (
        (2.0 * solid.radius, 2.0 * solid.radius, solid.length) if isinstance(solid, Cylinder) else solid.size
    )
    origin = -node.local[:3, :3].T @ node.local[:3, 3]
    ends = np.array((np.zeros(3), origin)) - node.com
    return bool((np.abs(ends @ axes) <= 0.51 * np.asarray(edges) + 1e-9).all())


def _clamp(solid: Box | Cylinder, size: float) -> Geometry:
    """A solid that is neither too large nor too thin in the picture."""
    least = SMALLEST * size
    if isinstance(solid, Cylinder):
        scale = min(1.0, size / max(2.0 * solid.radius, solid.length))
        return Cylinder(max(scale * solid.radius, least), max(scale * solid.length, least))
    scale = min(1.0, size / max(solid.size))
    return Box([max(scale * edge, least) for edge in solid.size])


def rod(name: str, role: str, frame: str, start: Array, end: Array, radius: float) -> Rigid:
    """A cylinder from one point of a frame to another."""
    along = np.asarray(end) - start
    length = float(np.linalg.norm(along))
    place = translation((np.asarray(start) + end) / 2.0)
    place[:3, :3] = rotation_to(along / length)
    return Rigid(name, role, frame, place, Cylinder(radius, length), COLORS[role])


def translation(point: Array) -> Array:
    """The pose at a point."""
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose


def rotation_to(direction: Array) -> Array:
    """A rotation that turns z to a unit vector."""
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(direction)))], direction)
    first /= np.linalg.norm(first)
    return np.column_stack((first, np.cross(direction, first), direction))


def origin_of(frame: str) -> End:
    """The origin of a frame, as an end."""
    return frame, ORIGIN


def _flies(tree: Tree, node: Node) -> bool:
    """Whether only free shifts and other turns lie between a frame that turns and the world."""
    above = tree.nodes[node.parent]
    while above.turn is not None and above.mass == 0.0 and above.parent >= 0:
        above = tree.nodes[above.parent]
    return tree.free[tree.place[above.label]] and above.mass == 0.0


def _leads(tree: Tree, i: int) -> bool:
    """Whether a rod or rail to a node leads to a mass, or to something that has a variable of its own."""
    node = tree.nodes[i]
    below = tree.children[i]
    return node.mass > 0.0 or node.variable is not None or any(_leads(tree, child) for child in below)


def _heavy(tree: Tree, i: int) -> bool:
    """Whether a node or something below it has a mass."""
    return tree.nodes[i].mass > 0.0 or any(_heavy(tree, child) for child in tree.children[i])
