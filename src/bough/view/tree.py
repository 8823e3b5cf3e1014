"""The tree of a model for pictures: which frames are joined rigidly, slide, turn or move freely."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.model.model import Model

AXES = {kind: np.eye(3)["xyz".index(kind[1])] for kind in ("tx", "ty", "tz", "rx", "ry", "rz")}


class Node(NamedTuple):
    """A frame and how it is joined to its parent.

    Attributes
    ----------
    label : str
    parent : int
        The index of the parent in the list of nodes; -1 for the world.
    variable : str or None
        The variable that moves it; None for a constant transform.
    turn : array (3,) or None
        The axis of rotation in the parent, if it turns.
    shift : array (3,) or None
        The direction in the parent, if it only shifts.
    center : array (3,)
        A point of the axis of rotation in the parent.
    ratio : float
        How far it moves with the variable.
    local : array (4, 4)
        The pose in the parent with all variables zero.
    mass, com, inertia
        The body, as `bough.Frame` has it.
    """

    label: str
    parent: int
    variable: str | None
    turn: Array | None
    shift: Array | None
    center: Array
    ratio: float
    local: Array
    mass: float
    com: Array
    inertia: Array


class Tree:
    """The nodes of a model, in the order in which the frames were made.

    Attributes
    ----------
    nodes : list of Node
    children : list of list of int
    static : list of bool
        Whether a node is fixed to the world.
    free : list of bool
        Whether a node shifts as one of several in a row, so that nothing guides it: a body that flies.
    shown : list of bool
        Whether something that can be seen is joined to the node: a rod to it leads somewhere.
    body : list of int
        For each node the first one that it is rigid in. The world and what is fixed to it are separate.
    """

    def __init__(self, model: Model, used: set[str], shaped: set[str]) -> None:
        self.nodes = _nodes(model)
        self.place = {node.label: i for i, node in enumerate(self.nodes)}
        self.children: list[list[int]] = [[] for _ in self.nodes]
        for i, node in enumerate(self.nodes[1:], start=1):
            self.children[node.parent].append(i)
        self.static = [True] * len(self.nodes)
        for i, node in enumerate(self.nodes[1:], start=1):
            self.static[i] = node.variable is None and self.static[node.parent]
        self.body = list(range(len(self.nodes)))
        for i, node in enumerate(self.nodes[1:], start=1):
            if node.variable is None and node.parent != 0:
                self.body[i] = self.body[node.parent]
        self.free = self._free(used | shaped)
        self.shown = self._shown(used | shaped)

    def rest(self) -> list[Array]:
        """The poses of all nodes in the world with all variables zero."""
        poses = [np.eye(4)]
        for node in self.nodes[1:]:
            poses.append(poses[node.parent] @ node.local)
        return poses

    def users(self, variable: str) -> list[Node]:
        """The nodes that move with a variable."""
        return [node for node in self.nodes if node.variable == variable]

    def rigid_with(self, chosen: set[str]) -> set[str]:
        """The frames on the bodies of the chosen frames, and those without a mass that follow them.

        The world and what is fixed to it are separate.
        """
        bodies = {self.body[self.place[label]] for label in chosen}
        found = [first in bodies for first in self.body]
        for i, node in enumerate(self.nodes[1:], start=1):
            found[i] |= found[node.parent] and node.parent != 0 and node.mass == 0.0
        return {node.label for node, covered in zip(self.nodes, found, strict=True) if covered}

    def _free(self, used: set[str]) -> list[bool]:
        def follows(i: int) -> bool:
            """Whether the parent of a node that shifts does so too, with nothing at it."""
            node = self.nodes[i]
            above = self.nodes[node.parent]
            return above.shift is not None and above.mass == 0.0 and above.label not in used

        shifting = [node.shift is not None for node in self.nodes]
        free = [False] * len(self.nodes)
        for i in range(1, len(self.nodes)):
            if shifting[i] and follows(i):
                free[i] = free[self.nodes[i].parent] = True
        return free

    def _shown(self, used: set[str]) -> list[bool]:
        shown = [False] * len(self.nodes)
        for i in reversed(range(len(self.nodes))):  # children come after their parents
            node, below = self.nodes[i], self.children[i]
            something = not below or node.mass > 0.0 or node.label in used or not node.label.startswith("#")
            shown[i] = something or any(shown[c] and not self.free[c] for c in below)
        return shown


def _nodes(model: Model) -> list[Node]:
    frames = model._description["frames"]  # also exists for a model without a full description
    labels = ["world", *(frame.get("name", f"#{i}") for i, frame in enumerate(frames, start=1))]
    rest = dict(zip(labels, model.poses(labels, model.neutral()), strict=True))
    nodes = [
        Node("world", -1, None, None, None, np.zeros(3), 1.0, np.eye(4), 0.0, np.zeros(3), np.zeros((3, 3)))
    ]
    for label, frame in zip(labels[1:], frames, strict=True):
        variable = frame.get("parameter")
        variable = variable["kinematic"] if isinstance(variable, dict) else variable
        variable = variable if isinstance(variable, str) else None
        turn, shift, center = (None, None, np.zeros(3)) if variable is None else _motion(frame)
        nodes.append(
            Node(
                label,
                frame["parent"],
                variable,
                turn,
                shift,
                center,
                frame.get("ratio", 1.0),
                np.asarray(np.linalg.solve(rest[labels[frame["parent"]]], rest[label]), dtype=np.float64),
                frame.get("mass", 0.0),
                np.array(frame.get("com", np.zeros(3))),
                np.array(frame.get("inertia", np.zeros((3, 3)))),
            )
        )
    return nodes


def _motion(frame: dict[str, Any]) -> tuple[Array | None, Array | None, Array]:
    """(axis of turning, direction of shifting, point of the axis) of a transform with a variable."""
    kind = frame["transform"]
    if kind == "ball":  # turns about any axis
        return None, None, np.zeros(3)
    if kind != "twist":
        axis = AXES[kind]
        return (axis, None, np.zeros(3)) if kind[0] == "r" else (None, axis, np.zeros(3))
    angular, linear = np.array(frame["xi"][:3]), np.array(frame["xi"][3:])
    rate = float(np.linalg.norm(angular))
    if rate == 0.0:
        return None, linear / np.linalg.norm(linear), np.zeros(3)
    return angular / rate, None, np.cross(angular, linear) / rate**2
