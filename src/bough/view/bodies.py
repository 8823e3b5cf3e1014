"""The automatic picture of a tree: rods, rails, joints and masses."""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.shapes import Box, Cylinder, Geometry, Sphere
from bough.view.colors import COLORS
from bough.view.parts import Between, End, Rigid
from bough.view.tree import Node, Tree

# In parts of the size of the system.
ROD, RAIL, JOINT = 0.009, 0.004, 0.016
BALL, SMALLEST, LARGEST = 0.045, 0.014, 0.6
LIKE_A_BALL = 1.15  # ratio of principal moments up to which a body is drawn as a ball

ORIGIN = (0.0, 0.0, 0.0)


def rods(tree: Tree, shaped: set[str], size: float) -> tuple[list[Rigid], list[Between]]:
    """Rods where a frame is rigid in its parent, rails where it slides in it."""
    rigid: list[Rigid] = []
    between: list[Between] = []
    for i, node in enumerate(tree.nodes[1:], start=1):
        parent = tree.nodes[node.parent]
        if parent.label in shaped or not tree.shown[i]:
            continue
        if node.variable is None and np.linalg.norm(node.local[:3, 3]) > 1e-9 * size:
            name = f"rod/{node.label}"
            rigid.append(rod(name, "rod", parent.label, np.zeros(3), node.local[:3, 3], ROD * size))
        elif node.shift is not None and not tree.free[i]:
            ends = (parent.label, ORIGIN), (node.label, ORIGIN)
            between.append(Between(f"rail/{node.label}", "rail", *ends, RAIL * size, COLORS["rail"]))
    return rigid, between


def joints(tree: Tree, shaped: set[str], size: float) -> list[Rigid]:
    """A pin along the axis of a frame that turns; a ball where several turn in a row."""
    parts = []
    for i, node in enumerate(tree.nodes[1:], start=1):
        parent = tree.nodes[node.parent]
        hidden = node.label in shaped or parent.label in shaped or not tree.shown[i] or _flies(tree, node)
        if node.turn is None or hidden:
            continue
        if any(tree.nodes[c].turn is not None for c in tree.children[i]) and node.mass == 0.0:
            continue  # the last of several draws the ball
        place = translation(node.center)
        geometry: Geometry = Sphere(1.2 * JOINT * size)
        if parent.turn is None or parent.mass > 0.0:
            geometry = Cylinder(JOINT * size, 3.0 * JOINT * size)
            place[:3, :3] = rotation_to(node.turn)
        parts.append(Rigid(f"joint/{node.label}", "joint", parent.label, place, geometry, COLORS["joint"]))
    return parts


def masses(tree: Tree, shaped: set[str], size: float) -> list[Rigid]:
    """A ball or a box for each mass.

    Balls have one density: the largest of them has the radius BALL times the size of the system. A box has
    the edges of the uniform box with the mass and inertia of the body, unless it is too large or too thin.
    """
    bodies = [node for node in tree.nodes if node.mass > 0.0 and node.label not in shaped]
    heaviest = max((node.mass for node in bodies), default=1.0)
    parts = []
    for node in bodies:
        place = translation(node.com)
        edges, axes = uniform_box(node)
        if edges is None:
            radius = max(BALL * (node.mass / heaviest) ** (1.0 / 3.0), SMALLEST) * size
            geometry: Geometry = Sphere(radius)
        else:
            edges *= min(1.0, LARGEST * size / edges.max())
            geometry = Box(np.maximum(edges, SMALLEST * size).tolist())
            place[:3, :3] = axes
        parts.append(Rigid(f"mass/{node.label}", "mass", node.label, place, geometry, COLORS["mass"]))
        offset = float(np.linalg.norm(node.com))
        if edges is None and offset > 1e-9 * size:
            name = f"rod/mass of {node.label}"
            parts.append(rod(name, "rod", node.label, np.zeros(3), node.com, 0.6 * ROD * size))
    return parts


def uniform_box(node: Node) -> tuple[Array | None, Array]:
    """(edges, axes) of the uniform box with the mass and inertia of a body; no edges where it is like a ball.

    I_x = m (b^2 + c^2) / 12 and so on, hence a^2 = 6 (I_y + I_z - I_x) / m.
    """
    moments, axes = np.linalg.eigh(node.inertia)
    if moments[2] <= LIKE_A_BALL * moments[0] or moments[2] <= 0.0:
        return None, axes
    axes = axes if np.linalg.det(axes) > 0.0 else axes * (1.0, 1.0, -1.0)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / node.mass
    return np.sqrt(np.maximum(squares, 0.0)), axes


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
    """Whether nothing but free shifts and further turns lies between a frame that turns and the world."""
    above = tree.nodes[node.parent]
    while above.turn is not None and above.mass == 0.0 and above.parent >= 0:
        above = tree.nodes[above.parent]
    return tree.free[tree.place[above.label]] and above.mass == 0.0
