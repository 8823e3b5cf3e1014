"""A scene in a matplotlib axes: polygons and lines from back to front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bough.arguments import Array
from bough.view import lines
from bough.view.colors import Color
from bough.view.parts import Axes, Between, Prism, Rigid
from bough.view.projection import Projection
from bough.view.scene import Scene
from bough.view.simplify import simplified

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Plot

LIGHT = np.array((-0.35, 0.45, 0.82))  # direction of the light: right, up, towards the viewer
#: The drawing order of roles in a flat picture: later ones are in front.
LAYERS = (
    "surroundings",
    "plane",
    "shape",
    "gear",
    "rail",
    "attraction",
    "rod",
    "beam",
    "string",
    "spring",
    "damper",
    "mass",
    "joint",
)
STANDING = ("surroundings", "plane", "shape", "rod")  # roles that are drawn once for several instants
EDGE_ON = 2.0  # width of the line of a plane that is seen from its side, in points
RGB = ((0.84, 0.37, 0.0), (0.0, 0.62, 0.45), (0.0, 0.45, 0.7))  # axes x, y, z of a frame


class Picture:
    """The things of a scene in one configuration, drawn on a matplotlib axes.

    Parameters
    ----------
    scene : Scene
    plot : matplotlib axes
    projection : Projection
    fade : float
        From 0, full colour, to 1, invisible on white.
    only : "standing", "moving" or None
        Of several pictures in one figure the first draws what stands, such as a floor, and the others the rest,
        so that none hides the instants before it. By default both are drawn.
    """

    def __init__(
        self,
        scene: Scene,
        plot: Plot,
        projection: Projection,
        fade: float = 0.0,
        only: Literal["standing", "moving"] | None = None,
    ) -> None:
        from matplotlib.collections import PolyCollection

        self.scene = scene
        self._see = projection
        self._fade = fade
        self._parts = [
            part for part in scene.rigid if only is None or self._stands(part) == (only == "standing")
        ]
        self._links = scene.links if only != "standing" else ()
        self._colors: Mapping[int | str, Color] = {}
        self.artist = PolyCollection([], closed=False, capstyle="round", joinstyle="round")
        plot.add_collection(self.artist, autolim=False)

    def update(
        self,
        q: Array,
        u: Array | None = None,
        t: float = 0.0,
        colors: Mapping[int | str, Color] | None = None,
    ) -> None:
        """Show another configuration; with other colours of links by their places, of rigid parts by their names."""
        self._colors = colors or {}
        poses = self.scene.poses(q)
        self._items: list[tuple[float, Array, Any, Any, float]] = []
        for part in self._parts:
            shown = replace(part, color=self._colors[part.name]) if part.name in self._colors else part
            self._rigid(shown, poses[self.scene.place[part.frame]] @ part.pose)
        ends = self.scene.ends(poses, u)
        slack = self.scene.slack(poses, q, t)
        for i, link in enumerate(self._links):
            (start, end), spare = ends[i], slack[i]
            seen = replace(link, color=self._colors[i]) if i in self._colors else link
            self._between(seen, start, end, float(spare), poses)
        self._items.sort(key=lambda item: item[0])
        self.artist.set_verts([item[1] for item in self._items], closed=False)
        self.artist.set_facecolor([item[2] for item in self._items])
        self.artist.set_edgecolor([item[3] for item in self._items])
        self.artist.set_linewidth([item[4] for item in self._items])

    def _stands(self, part: Rigid) -> bool:
        return part.role in STANDING and self.scene.stands(part.frame)

    # --- things of constant form ---

    def _rigid(self, part: Rigid, pose: Array) -> None:
        if isinstance(part.geometry, Axes):
            for axis, shown in zip(part.geometry.size * pose[:3, :3].T, RGB, strict=True):
                self._line(np.stack((pose[:3, 3], pose[:3, 3] + axis)), shown, 1.6, 100.0)
            return
        vertices, faces = simplified(part.geometry)
        if part.role == "surroundings" and not self._see.flat:
            self._around(part, vertices @ pose[:3, :3].T + pose[:3, 3], faces)
            return
        places, near = self._see(vertices @ pose[:3, :3].T + pose[:3, 3])
        convex = part.geometry.kind not in ("mesh", "thread")
        if self._see.flat and isinstance(part.geometry, Prism) and self._faces_us(pose):
            self._plate(part, places[: len(part.geometry.outline)], float(near.mean()))
            return
        if self._see.flat and convex:
            self._outline(part, places)
            return
        corners = places[faces]
        sides = _cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        front = np.ones(len(faces), bool) if part.geometry.kind == "plane" else sides > 0.0
        shade = self._shades(vertices @ pose[:3, :3].T, faces)
        depth = near[faces].mean(axis=1)
        if self._see.flat:
            depth = 1e-6 * depth / self.scene.size + self._layer(part.role) + self._smallness(places)
        elif part.role == "plane" and self._see.faces(pose[:3, 3], pose[:3, 2]):
            depth = depth - self._behind  # nothing that touches it is on its other side
        for k in np.flatnonzero(front):
            color = self._color(np.asarray(part.color) * shade[k], part.opacity)
            self._items.append((depth[k], corners[k], color, color, 0.5 if part.opacity == 1.0 else 0.0))

    def _around(self, part: Rigid, places: Array, faces: Any) -> None:
        """What is larger than the system, behind everything else; it may extend behind the viewer."""
        shade = self._shades(places, faces)
        for k, face in enumerate(faces):
            a, b, c = places[face]
            if part.geometry.kind != "plane" and not self._see.faces(a, np.cross(b - a, c - a)):  # type: ignore[union-attr]
                continue
            corners, near = self._see(self._see.in_front(places[face]))
            if len(corners):
                color = self._color(np.asarray(part.color) * shade[k], part.opacity)
                depth = float(near.mean()) - 2.0 * self._behind
                width = 0.5 if part.opacity == 1.0 else 0.0
                self._items.append((depth, np.vstack((corners, corners[:1])), color, color, width))

    @property
    def _behind(self) -> float:
        """More than any depth."""
        return 1e6 * max(self.scene.size, self._see.distance)

    def _smallness(self, places: Array) -> float:
        """From 0 for what takes all of a flat picture to 0.5: smaller things of one layer are in front."""
        area = float(np.ptp(places, axis=0).prod())
        return 0.5 / (1.0 + area / self.scene.size**2)

    def _faces_us(self, pose: Array) -> bool:
        return abs(float(self._see.axes[2] @ pose[:3, 2])) > 1.0 - 1e-6

    def _plate(self, part: Rigid, ring: Array, near: float) -> None:
        """A plate seen from its face: its outline, and a line by which one sees it turn."""
        layer = self._layer(part.role) + 1e-3 * near / self.scene.size
        face = self._color(np.asarray(part.color), part.opacity)
        edge = self._color(0.6 * np.asarray(part.color), part.opacity)
        self._items.append((layer, np.vstack((ring, ring[:1])), face, edge, 0.8))
        middle = (ring.min(axis=0) + ring.max(axis=0)) / 2.0
        mark = middle + np.outer((0.3, 0.75), ring[0] - middle)
        self._items.append((layer, mark, (0.0, 0.0, 0.0, 0.0), edge, 1.6))

    def _outline(self, part: Rigid, places: Array) -> None:
        """The shadow of a convex body on the plane of the picture, with a darker edge."""
        from scipy.spatial import ConvexHull, QhullError

        try:
            ring = places[ConvexHull(places).vertices]
        except QhullError:  # seen edge-on: a line
            along = places @ np.linalg.svd(places - places.mean(axis=0))[2][0]
            ring = places[[int(along.argmin()), int(along.argmax())]]
            if part.role in ("plane", "surroundings"):
                line = self._color(0.8 * np.asarray(part.color))
                self._items.append((self._layer(part.role), ring, (0.0, 0.0, 0.0, 0.0), line, EDGE_ON))
                return
        # solids lie behind rods and joints, so that they do not hide them
        solid = part.role == "mass" and part.geometry.kind != "sphere"  # type: ignore[union-attr]
        layer = self._layer("shape" if solid else part.role) + self._smallness(ring)
        face = self._color(np.asarray(part.color), part.opacity)
        edge = self._color(0.65 * np.asarray(part.color), part.opacity)
        self._items.append((layer, np.vstack((ring, ring[:1])), face, edge, 0.8))

    def _shades(self, vertices: Array, faces: Any) -> Array:
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
        light = LIGHT @ self._see.axes / np.linalg.norm(LIGHT)
        return np.asarray(0.62 + 0.38 * np.clip(normals @ light, -0.4, 1.0))

    # --- things between two points ---

    def _between(self, link: Between, start: Array, end: Array, slack: float, poses: Array) -> None:
        depth = self._layer(link.role)
        if link.style == "arrow":
            self._arrow(link, start, end, depth)
        elif link.style == "spring":
            self._line(lines.coil(start, end, link.radius), link.color, 1.3, depth)
        elif link.style == "damper":
            self._damper(link, start, end, depth)
        elif link.style == "beam":
            assert link.tangents is not None
            out, into = (
                poses[self.scene.place[frame], :3, :3] @ np.array(tangent)
                for (frame, _), tangent in zip((link.start, link.end), link.tangents, strict=True)
            )
            self._ribbon(lines.bent(start, end, out, into), link, depth)
        elif link.style == "string":
            self._string(link, start, end, slack, depth)
        elif link.style == "dashed":
            pieces = np.linspace(start, end, 24).reshape(12, 2, 3)
            for piece in pieces:
                self._line(piece, link.color, 0.9, depth)
        else:
            self._ribbon(np.stack((start, end)), link, depth)

    def _string(self, link: Between, start: Array, end: Array, slack: float, depth: float) -> None:
        if np.isnan(slack):
            self._line(np.stack((start, end)), link.color, 1.1, depth)
            return
        length = float(np.linalg.norm(end - start)) + slack
        size = np.linalg.norm(self.scene.gravity)
        down = self.scene.gravity / size if size > 0.0 else -self._see.axes[1]
        color: Any = np.asarray(link.color)
        if abs(slack) > 1e-3 * max(abs(length), 1e-9 * self.scene.size):
            color = (
                color + 0.4 * (1.0 - color) if slack > 0.0 else (0.84, 0.0, 0.0)
            )  # slack, or overstretched
        self._line(lines.hanging(start, end, length, down), color, 1.1, depth)

    def _damper(self, link: Between, start: Array, end: Array, depth: float) -> None:
        """A cup around a piston, in the plane of the picture."""
        (a, b), near = self._see(np.stack((start, end)))
        along = b - a
        length = float(np.linalg.norm(along))
        if length == 0.0:
            return
        side = np.array((-along[1], along[0])) / length * link.radius
        front = depth if self._see.flat else float(near.mean())
        color = self._color(np.asarray(link.color))
        cup = np.stack(
            (a + 0.7 * along + side, a + 0.35 * along + side, a + 0.35 * along - side, a + 0.7 * along - side)
        )
        piston = np.stack((a + 0.55 * along + 0.7 * side, a + 0.55 * along - 0.7 * side))
        for part in (np.stack((a, a + 0.35 * along)), cup, piston, np.stack((a + 0.55 * along, b))):
            self._items.append((front, part, (0.0, 0.0, 0.0, 0.0), color, 1.4))

    def _arrow(self, link: Between, start: Array, end: Array, depth: float) -> None:
        path = lines.around(start, end - start) if link.moment else np.stack((start, end))
        places, _ = self._see(path)
        tip = places[-1] - places[-2]
        length = float(np.linalg.norm(tip))
        color = self._color(np.asarray(link.color))
        front = depth if self._see.flat else np.inf  # not hidden by the body that it acts on
        self._items.append((front, places, (0.0, 0.0, 0.0, 0.0), color, 2.0))
        if length > 0.0:
            along, head = tip / length, 4.0 * link.radius
            if not link.moment:
                head = min(head, 0.6 * length)
            side = 0.45 * head * np.array((-along[1], along[0]))
            base = places[-1] - (0.0 if link.moment else head) * along
            top = base + head * along
            self._items.append(
                (front, np.stack((base + side, top, base - side, base + side)), color, color, 0.5)
            )

    def _ribbon(self, points: Array, link: Between, depth: float) -> None:
        """A line as thick as the link."""
        places, near = self._see(points)
        along = np.gradient(places, axis=0)
        length = np.linalg.norm(along, axis=1, keepdims=True)
        if not length.any():
            return
        side = link.radius * np.column_stack((-along[:, 1], along[:, 0])) / np.maximum(length, 1e-300)
        ring = np.vstack((places + side, (places - side)[::-1], places[:1] + side[:1]))
        front = depth if self._see.flat else float(near.mean())
        face, edge = (self._color(shade * np.asarray(link.color)) for shade in (1.0, 0.65))
        self._items.append((front, ring, face, edge, 0.6))

    def _line(self, points: Array, color: Any, width: float, depth: float) -> None:
        """A thin line: whole in a flat picture, else in pieces, each at its own depth."""
        places, near = self._see(points)
        shown = self._color(np.asarray(color))
        nothing = (0.0, 0.0, 0.0, 0.0)
        if self._see.flat:
            self._items.append((depth, places, nothing, shown, width))
            return
        for k in range(len(places) - 1):
            self._items.append((float(near[k : k + 2].mean()), places[k : k + 2], nothing, shown, width))

    def _layer(self, role: str) -> float:
        return float(LAYERS.index(role)) if role in LAYERS else float(len(LAYERS))

    def _color(self, color: Array, opacity: float = 1.0) -> tuple[float, float, float, float]:
        red, green, blue = np.clip(color + self._fade * (1.0 - color), 0.0, 1.0).tolist()
        return (red, green, blue, opacity)


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
