"""What of the automatic picture the shapes of a body hide: that which lies inside the boxes around them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.description.shapes import Geometry, Plane, Shape
from bough.view.surfaces import corners
from bough.view.tree import Tree

ROOM, LEAST = 0.1, 0.01  # how far a box reaches beyond its shape, relative to its edges and to the system
SAMPLES = 9  # points of a rod that are looked at
CELLS = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]) / 3.0
MOST = 0.5  # the part of a rod or of a solid from which on it counts as hidden


class Covering:
    """The boxes around the shapes of each body of a tree.

    A shape takes the place of the automatic picture where it is, and leaves the rest of it: a ball at the hub of
    an arm hides neither the arm nor the weight at its end.

    Parameters
    ----------
    tree : Tree
    shapes : pairs of a shape and the geometry that is drawn for it
    size : float
        The size of the system.
    """

    def __init__(self, tree: Tree, shapes: Iterable[tuple[Shape, Geometry]], size: float) -> None:
        self._tree = tree
        self._frames: set[str] = set()
        self._shaped: set[int] = set()  # bodies with shapes
        self._boxes: dict[int, list[tuple[Array, Array, Array]]] = {}  # by bodies: pose inverse, low, high
        for shape, geometry in shapes:
            place = tree.place[shape.frame]
            self._frames.add(shape.frame)
            self._shaped.add(tree.body[place])
            if isinstance(geometry, Plane):
                continue  # it has no inside
            around = corners(geometry)
            low, high = around.min(axis=0), around.max(axis=0)
            room = ROOM * (high - low) + LEAST * size
            pose = np.linalg.inv(self._in_body(place) @ np.array(shape.pose))
            self._boxes.setdefault(tree.body[place], []).append((pose, low - room, high + room))

    def has_shape(self, frame: str) -> bool:
        """Whether the body of a frame has a shape."""
        return self._tree.body[self._tree.place[frame]] in self._shaped

    def inside(self, frame: str, points: Array) -> npt.NDArray[np.bool_]:
        """Which points (n, 3) of a frame lie in a shape of its body."""
        place = self._tree.place[frame]
        within = self._in_body(place)
        found = np.zeros(len(points), dtype=bool)
        for inverse, low, high in self._boxes.get(self._tree.body[place], ()):
            pose = inverse @ within
            local = points @ pose[:3, :3].T + pose[:3, 3]
            found |= ((local >= low) & (local <= high)).all(axis=1)
        return found

    def mass(self, frame: str, com: Array) -> bool:
        """Whether a mass is not drawn: its own frame has a shape, or it lies in one of its body."""
        return frame in self._frames or bool(self.inside(frame, com[None])[0])

    def rod(self, frame: str, start: Array, end: Array) -> bool:
        """Whether most of a rod between two points of a frame is hidden."""
        along = np.linspace(0.0, 1.0, SAMPLES)[:, None]
        return bool(self.inside(frame, start + along * (end - start)).mean() >= MOST)

    def solid(self, frame: str, pose: Array, geometry: Geometry) -> bool:
        """Whether most of a solid of a frame is hidden."""
        around = corners(geometry)
        low, high = around.min(axis=0), around.max(axis=0)
        cells = (low + high) / 2.0 + CELLS * (high - low)
        return bool(self.inside(frame, cells @ pose[:3, :3].T + pose[:3, 3]).mean() >= MOST)

    def _in_body(self, place: int) -> Array:
        """The pose of a node in the first node of its body."""
        pose = np.eye(4)
        while place != self._tree.body[place]:
            pose = self._tree.nodes[place].local @ pose
            place = self._tree.nodes[place].parent
        return np.asarray(pose)
