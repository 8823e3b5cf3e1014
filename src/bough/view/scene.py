"""The parts that are drawn for a model, and their places in a configuration.

A scene needs nothing but the model: the tree gives rods, joints and masses, the elements springs, strings and
arrows, and shapes replace what is automatic. Pictures, the live viewer and exported files all draw a scene:

    scene = Scene(model, q=run.q, u=run.u)
    poses = scene.poses(run.q)                          # (rows, frames, 4, 4)
    for part in scene.rigid:                            # moves with one frame
        world = poses[:, scene.place[part.frame]] @ part.pose
    starts, ends = np.moveaxis(scene.ends(poses, run.u), -2, 0)   # of scene.links, each (rows, links, 3)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector, vector
from bough.description.element import Element
from bough.description.shapes import Geometry, Plane, Shape
from bough.elements.gravity import Gravity
from bough.model.model import Model
from bough.view import bodies
from bough.view.camera import camera, grid
from bough.view.colors import COLORS
from bough.view.covering import Covering
from bough.view.elements import Maker
from bough.view.lines import MOMENT
from bough.view.machines import Machinery
from bough.view.parts import Axes, Between, Camera, Grid, Rigid
from bough.view.plane import plane_of_motion
from bough.view.see_through import see_through
from bough.view.shown_shapes import NEAR, beside, readable, shape_part
from bough.view.strings import first_gaps, slack
from bough.view.surfaces import corners
from bough.view.touching import BEYOND, FAR
from bough.view.tree import Tree

AXES, ARROW = 0.08, 0.35  # lengths of frame axes and of the longest arrow, relative to the size
SURROUNDINGS = 3.0  # largest relative size of a shape fixed to the world on which cameras are framed
ROWS, LEAST, POINTS = 2000, 50, 1_000_000  # bounds on the rows and points used to frame a motion
SIZING, LOOKS = 50, 10  # numbers of rows of a motion used to find the size, and what hides what


class Scene:
    """The drawing of a model.

    Parameters
    ----------
    model : Model
    q : configurations (..., nq)
        Typical ones, such as those of a run: the sizes of things are chosen for them. By default
        the start of the system.
    u : inputs (..., nu)
        Likewise: the longest arrow of a force is a third of the size of the system.
    frames : bool
        Whether to draw the axes of every frame.
    wide : bool
        Whether the planes of contacts go far beyond these configurations, which a motion may leave. Cameras
        then see only what is near of them.

    Attributes
    ----------
    rigid : tuple of Rigid
        Things of constant form that move with one frame.
    links : tuple of Between
        Things with two ends, or a length that changes.
    frames : tuple of str
        The frames whose poses are needed; `place` is the index of each in the result of `poses`.
    size : float
        The size of the system, in m: everything automatic is drawn in proportion to it.
    gravity : array (3,)
        The acceleration of free fall that acts on all masses.
    """

    def __init__(
        self,
        model: Model,
        q: Vector | None = None,
        u: Vector | None = None,
        *,
        frames: bool = False,
        wide: bool = False,
    ) -> None:
        self.model = model
        self._large = ("surroundings", "plane") if wide else ("surroundings",)
        elements = [(e.name or f"{type(e).__name__} #{i}", e) for i, e in enumerate(model._elements)]
        used = {label for _, element in elements for label in _frames_of(element)}
        shaped = {shape.frame for shape in model.shapes}
        self._tree = Tree(model, used, shaped)
        rows = thinned(model.configuration(model.start.q if q is None else q), SIZING)
        shapes = readable(model.shapes)
        spans = dict(
            zip(model.coordinates, zip(rows.min(axis=0), rows.max(axis=0), strict=True), strict=True)
        )
        machinery = Machinery(self._tree, elements, spans)
        moving, fixed = self._anchors(used, shapes)
        moving += [
            Anchor(part.frame, corners(part.geometry) @ part.pose[:3, :3].T + part.pose[:3, 3])
            for part in machinery.rigid
        ]
        moving += self._solids(self._size(rows, moving))
        size = self._size(rows, moving)
        around = {i for i, anchor in fixed.items() if _extent(anchor.points) > SURROUNDINGS * size > 0.0}
        moving += [anchor for i, anchor in fixed.items() if i not in around]
        self.size = self._size(rows, moving) or self._path(rows, moving) or 1.0
        around |= {i for i in range(len(shapes)) if isinstance(shapes[i][1], Plane) and i in fixed}

        rigid = [
            shape_part(shape, geometry, i, self.size, "surroundings" if i in around else "shape")
            for i, (shape, geometry) in enumerate(shapes)
        ]
        covering = Covering(self._tree, shapes, self.size)
        rods, rails = bodies.rods(self._tree, shaped, covering, self.size)
        rigid += rods
        heavy = [
            Anchor(node.label, node.com[None])
            for node in self._tree.nodes
            if node.mass > 0.0 and bodies.uniform_solid(node)[0] is None
        ]
        hinges = [Anchor(node.label, np.zeros((1, 3))) for node in self._tree.nodes if node.turn is not None]
        rigid += bodies.joints(self._tree, covering, self.size, self._spacing(rows, hinges))
        rigid += bodies.masses(self._tree, covering, self.size, self._spacing(rows, heavy))
        inputs = {name: i for i, name in enumerate(model.inputs)}
        variables = {name: i for i, name in enumerate(model.variables)}
        gaps = first_gaps(elements)
        make = Maker(
            self._tree,
            self.size,
            variables,
            inputs,
            self._tree.rigid_with(shaped),
            covering,
            gaps,
            lambda frame: model.pose(frame, rows),
            FAR if wide else BEYOND,
        )
        for name, element in elements:
            make.draw(element, name)
        # a body that touches with a solid is drawn by it, not by the solid of its inertia
        rigid = [part for part in rigid if not (part.role == "mass" and part.frame in make.solids)]
        rigid += (*machinery.rigid, *make.rigid)
        if frames:
            rigid += [
                Rigid(
                    f"frame/{node.label}",
                    "frame",
                    node.label,
                    np.eye(4),
                    Axes(AXES * self.size),
                    COLORS["frame"],
                )
                for node in self._tree.nodes
            ]
        self.rigid: tuple[Rigid, ...] = tuple(rigid)
        self.links: tuple[Between, ...] = (*rails, *machinery.links, *make.links)
        ends = (end[0] for link in self.links for end in (link.start, link.end))
        self.frames: tuple[str, ...] = tuple(
            dict.fromkeys(("world", *(part.frame for part in self.rigid), *ends))
        )
        self.place: dict[str, int] = {label: i for i, label in enumerate(self.frames)}
        self.rigid = see_through(self.rigid, self._tree, self.poses(thinned(rows, LOOKS)), self.place)
        self.gravity: Array = np.array(model._description["gravity"])
        for _, element in elements:
            if isinstance(element, Gravity) and element.frames is None:
                self.gravity = self.gravity + element.vector
        self._scales = self._arrow_scales(u)

    # --- places ---

    def poses(self, q: Vector) -> Array:
        """The poses of `frames` in the world, (..., frames, 4, 4)."""
        return self.model.poses(self.frames, q)

    def ends(self, poses: Array, u: npt.ArrayLike | None = None) -> Array:
        """Start and end of each of `links` in the world, (..., links, 2, 3).

        The length of an arrow shows its force in proportion; without inputs u it shows the direction alone.
        """
        out = np.zeros((*poses.shape[:-3], len(self.links), 2, 3))
        for i, link in enumerate(self.links):
            for k, (frame, point) in enumerate((link.start, link.end)):
                pose = poses[..., self.place[frame], :, :]
                out[..., i, k, :] = pose[..., :3, :3] @ np.asarray(point) + pose[..., :3, 3]
            if link.force is not None:
                out[..., i, 1, :] += self._arrow(link, poses, u)
        return out

    def slack(self, poses: Array, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """How much longer each of `links` is than the distance of its ends, (..., links), in m.

        Positive if a string is slack, zero if it is tight; NaN for parts without a length of their own.
        """
        return slack(self.model, self.links, self.ends(poses), self.model.configuration(q), t)

    def points(
        self, q: Vector, u: npt.ArrayLike | None = None, held: tuple[str, Array] | None = None
    ) -> Array:
        """Points whose convex hull holds everything in these configurations, (n, 3); of surroundings what is near.

        With `held`, a frame and a point, as seen by an observer for whom this frame stays at this point;
        parts fixed to the world then pass by and are left out.
        """
        count = min(max(POINTS // (8 * len(self.rigid) + 1), LEAST), ROWS)
        rows = thinned(self.model.configuration(q), count)
        poses = self.poses(rows)
        if held is not None:
            poses[..., :3, 3] += (held[1] - self.model.pose(held[0], rows)[:, :3, 3])[:, None]
        found = [poses[:, :1, :3, 3].reshape(-1, 3)[:0]]
        large: list[Array] = []
        for part in self.rigid:
            if part.role == "frame" or (held is not None and self.stands(part.frame)):
                continue  # axes of frames too, some of which stay behind when a body moves away
            world = poses[:, self.place[part.frame]] @ part.pose
            local = corners(part.geometry)
            points = (local @ world[:, :3, :3].swapaxes(-1, -2) + world[:, None, :3, 3]).reshape(-1, 3)
            (large if part.role in self._large else found).append(points)
        inputs = None if u is None else thinned(np.atleast_2d(np.asarray(u, dtype=np.float64)), count)
        ends = self.ends(poses, inputs)
        for i, link in enumerate(self.links):
            if link.moment:  # a moment is drawn around its axis
                reach = np.linalg.norm(ends[:, i, 1] - ends[:, i, 0], axis=-1)[:, None, None]
                around = np.vstack((np.eye(3), -np.eye(3)))
                found.append((ends[:, i, :1] + MOMENT * reach * around).reshape(-1, 3))
        if held is not None:
            moving = [not self.stands(end[0]) for link in self.links for end in (link.start, link.end)]
            ends = ends.reshape(len(rows), -1, 3)[:, moving]
        everything = np.concatenate((*found, ends.reshape(-1, 3)))
        if not len(everything):
            return np.zeros((1, 3))
        near = [beside(everything, points, NEAR * self.size) for points in large]
        return np.concatenate((everything, *near))

    def stands(self, frame: str) -> bool:
        """Whether a frame is fixed to the world."""
        return self._tree.static[self._tree.place[frame]]

    def moved_by(self, variable: str) -> str | None:
        """A frame that moves with a variable."""
        return next((node.label for node in self._tree.users(variable)), None)

    def bounds(self, q: Vector, u: npt.ArrayLike | None = None) -> tuple[Array, Array]:
        """The lowest and the highest coordinates of what is drawn in these configurations."""
        points = self.points(q, u)
        return points.min(axis=0), points.max(axis=0)

    # --- views ---

    @cached_property
    def plane(self) -> Array | None:
        """The normal of the plane of motion, towards the viewer; None if the motion is spatial."""
        return plane_of_motion(self.model, self.frames[1:])

    def camera(self, q: Vector, u: npt.ArrayLike | None = None, aspect: float = 16.0 / 9.0) -> Camera:
        """A camera that sees the whole motion: face-on if it is planar, otherwise from above and aside.

        At most 2000 rows of a motion are used; fewer if the system is large.
        """
        return camera(self.points(q, u), self.plane, aspect)

    def grid(self, q: Vector) -> Grid:
        """The grid of the ground below the motion, or behind it of the plane that it is in."""
        return grid(self.points(q), self.plane, self.size)

    # --- sizes ---

    def _anchors(
        self, used: set[str], shapes: list[tuple[Shape, Geometry]]
    ) -> tuple[list[Anchor], dict[int, Anchor]]:
        """Points that have a place in the picture; apart from them, shapes that are fixed to the world."""
        tree = self._tree
        moving = [Anchor(label, np.zeros((1, 3))) for label in used]
        for i, node in enumerate(tree.nodes):
            if node.mass > 0.0:
                moving.append(Anchor(node.label, node.com[None]))
            if node.parent >= 0 and not tree.free[i] and tree.shown[i]:
                moving += [Anchor(tree.nodes[k].label, np.zeros((1, 3))) for k in (i, node.parent)]
        fixed: dict[int, Anchor] = {}
        for i, (shape, geometry) in enumerate(shapes):
            pose = np.array(shape.pose)
            anchor = Anchor(shape.frame, corners(geometry) @ pose[:3, :3].T + pose[:3, 3])
            if tree.static[tree.place[shape.frame]]:
                fixed[i] = anchor
            else:
                moving.append(anchor)
        return moving, fixed

    def _solids(self, size: float) -> list[Anchor]:
        """The bodies, in their true size unless they are much larger than a system of this size."""
        found = []
        for node in self._tree.nodes:
            solid, axes = bodies.uniform_solid(node)
            if solid is not None:
                box = corners(solid) @ axes.T
                scale = min(1.0, bodies.LARGEST * size / _extent(box)) if size > 0.0 else 1.0
                found.append(Anchor(node.label, node.com + scale * box))
        return found

    def _size(self, rows: Array, anchors: list[Anchor]) -> float:
        """The median over configurations of the diagonal of the box around anchors; zero for one point."""
        points = self._places(rows, anchors)
        each = np.linalg.norm(np.ptp(points, axis=1), axis=-1)
        size = float(np.median(each))
        return size if size > 1e-9 * float(np.abs(points).max()) else 0.0  # anything less is round-off

    def _path(self, rows: Array, anchors: list[Anchor]) -> float:
        """The diagonal of the box around the places of anchors in all configurations."""
        return _extent(self._places(rows, anchors).reshape(-1, 3))

    def _spacing(self, rows: Array, anchors: list[Anchor]) -> float:
        """The median distance of an anchor to the nearest other one at the first of the configurations."""
        points = self._places(rows[:1], anchors)[0]
        apart = np.linalg.norm(points[:, None] - points, axis=-1)
        apart[apart <= 1e-6 * self.size] = np.inf
        nearest = apart.min(axis=1)
        nearest = nearest[np.isfinite(nearest)]
        return float(np.median(nearest)) if len(nearest) else np.inf

    def _places(self, rows: Array, anchors: list[Anchor]) -> Array:
        """Points of anchors in the world, (rows, points, 3); if there are none, the origin."""
        labels = tuple({anchor.frame for anchor in anchors})
        poses = dict(zip(labels, np.moveaxis(self.model.poses(labels, rows), 1, 0), strict=True))
        places = [
            anchor.points @ pose[:, :3, :3].swapaxes(1, 2) + pose[:, None, :3, 3]
            for anchor in anchors
            for pose in (poses[anchor.frame],)
        ]
        return np.concatenate(places, axis=1) if places else np.zeros((len(rows), 1, 3))

    def _arrow_scales(self, u: Vector | None) -> tuple[float, float]:
        """m of an arrow per N, and per N m."""
        scales = []
        values = None if u is None else vector(u, self.model.inputs, "u", self.model._where, "inputs")
        for moment in (False, True):
            largest = 0.0
            for link in self.links:
                if link.force is not None and link.moment is moment:
                    constant, inputs = link.force
                    force = constant if values is None else constant + values @ inputs.T
                    largest = max(largest, float(np.linalg.norm(force, axis=-1).max()))
            scales.append(ARROW * self.size / largest if largest > 0.0 else 0.0)
        return scales[0], scales[1]

    def _arrow(self, link: Between, poses: Array, u: npt.ArrayLike | None) -> Array:
        assert link.force is not None
        constant, inputs = link.force
        if u is None:
            force = constant + inputs.sum(axis=1)
            force = force if force.any() else constant + inputs @ np.arange(1.0, inputs.shape[1] + 1.0)
            vectors = ARROW * self.size * force / np.linalg.norm(force)
        else:
            vectors = self._scales[link.moment] * (constant + np.asarray(u, dtype=np.float64) @ inputs.T)
        if link.axes == "world":
            return np.broadcast_to(vectors, (*poses.shape[:-3], 3))
        rotation = poses[..., self.place[link.start[0]], :3, :3]
        return np.asarray((rotation @ np.asarray(vectors)[..., None])[..., 0])


class Anchor(NamedTuple):
    """Points (n, 3) in a frame."""

    frame: str
    points: Array


def thinned(rows: Array, count: int) -> Array:
    """At most `count` rows (n, ...) of an array (..., k), evenly spread, with the first and the last."""
    rows = rows.reshape(int(np.prod(rows.shape[:-1])), rows.shape[-1])
    if len(rows) <= count:
        return rows
    chosen = np.linspace(0, len(rows) - 1, count).round().astype(int)
    return np.asarray(rows[chosen])


def _extent(points: Array) -> float:
    """The diagonal of the box around points."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def _frames_of(element: Element) -> Iterable[str]:
    for field in element.frame_fields:
        value = getattr(element, field)
        if isinstance(value, list | tuple):
            yield from map(str, value)
        elif value is not None:
            yield str(value)
