"""A scene on viser: nodes are made once and then moved.

Frames that never move against each other form a link; each link is one node, and what is fixed to its frames
hangs below it. With the poses of frame i at two configurations in general position, P0_i and P1_i, frames i
and j are on the same link exactly if  P1_i P0_i^-1 = P1_j P0_j^-1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from bough.arguments import Array
from bough.model.model import Model
from bough.view._bars import Arrow, Bar, Bent, bar
from bough.view._framing import swung
from bough.view._nodes import SERIES, add_rigid, add_rods, drawn_solids, node_name, quaternions, rgb
from bough.view._solids import Solid
from bough.view.camera import cameras, round_number
from bough.view.colors import COLORS
from bough.view.hidden import seen_rods
from bough.view.links import links
from bough.view.parts import Camera, Rigid
from bough.view.scene import Scene

if TYPE_CHECKING:
    import viser

ROOT = "scene"  # name of the node that moves when a frame is followed
PATH_WIDTH = 2.5  # width of a path, in pixels
NAMES = 0.8  # size of names
SKY, GROUND = (255, 255, 255), (165, 170, 185)  # colours of the light from above and from below
DAYLIGHT = 2.6  # intensity of that light
GRAVITY = 0.12  # length of the arrow of gravity, relative to the size of the system


class Places(NamedTuple):
    """The placement of everything in one or more configurations.

    Attributes
    ----------
    turns, positions : arrays (..., moving links, 4) and (..., moving links, 3)
    ends, slack : arrays (..., links of the scene, 2, 3) and (..., links of the scene)
    poses : array (..., frames of the scene, 4, 4)
    """

    turns: Array
    positions: Array
    ends: Array
    slack: Array
    poses: Array


class Stage:
    """A scene in the browser.

    Parameters
    ----------
    server : viser.ViserServer
    model : Model
    q, u : arrays (rows, nq) and (rows, nu)
        The motion for which camera and sizes are chosen; the first row is shown.
    spread : bool
        Whether the camera also sees configurations around the first row, to which it may be moved.
    aspect : float
        Width over height of the part of the page in which the scene is.
    follow : str or None
        A frame that stays fixed in the picture while everything else moves.
    fine : float
        Positions are rounded to this part of the size, and turns alike; files of many pictures become much
        smaller by it. Zero for none.

    Attributes
    ----------
    scene : Scene
    node : dict
        From the name of a `Rigid` of the scene to the name of its node.
    solids, colors : dict
        From the name of a `Rigid` to its handle, and to its colour. Rods of one link share a handle.
    first : Camera
        The camera of a browser before the size of its window is known.
    messages : int
        The largest number of node changes per picture.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        model: Model,
        q: Array,
        u: Array | None = None,
        *,
        spread: bool = False,
        aspect: float = 1.0,
        follow: str | None = None,
        fine: float = 0.0,
    ) -> None:
        self._api = server.scene
        u = u if model.nu else None
        self.scene = Scene(model, q, u, frames=True, wide=spread)
        size = self.scene.size
        # powers of two leave few digits
        self._grain = np.array([fine and 2.0 ** round(np.log2(fine * length)) for length in (1.0, size)])
        self._home = self.scene.poses(q[0])
        self._link = links(self.scene)
        self.node: dict[str, str] = {}
        self.solids: dict[str, Any] = {}
        self.colors = {part.name: part.color for part in self.scene.rigid}
        self._root: Any = self._api.add_frame(f"/{ROOT}", show_axes=False)
        self._followed = follow
        self.colored_by_force = False  # if so, the colours of strings are not those of slack ones
        self._poses = self._home  # those that are shown
        self._nodes: dict[int, Any] = {}
        self._moving: list[int] = []  # the links with a node, but for the one that stands still
        self._labels: list[Any] = []
        self._axes: list[Any] = []
        self._paths: list[Any] = []
        self._add_light()
        self._add_rigid()
        self._bars: list[tuple[int, Bar | Arrow | Bent]] = []
        self._add_bars()
        self.messages = 2 * len(self._moving) + sum(each.messages for _, each in self._bars) + bool(follow)
        seen = swung(model, q[0], size) if spread else q
        self._framed = seen, None if spread else u
        self._gravity = np.zeros((0, 3))  # the ends of its arrow
        self._add_surroundings(seen)
        self._aim(server.initial_camera, aspect)
        self.show(q[0], None if u is None else u[0])

    # --- made once ---

    def _add_light(self) -> None:
        """A light from above, in place of viser's photograph of surroundings.

        Without a graphics card a browser takes seconds to prepare the photograph, and longer for each picture
        (`python -m benchmarks.frame_rate` measures it).
        """
        self._api.add_light_hemisphere("/light", sky_color=SKY, ground_color=GROUND, intensity=DAYLIGHT)

    def _add_rigid(self) -> None:
        rods: dict[int, list[tuple[Rigid, Array]]] = {}
        solids: dict[int, list[Solid]] = {}
        for part in self.scene.rigid:
            if part.role == "frame":
                continue
            link, pose = self._within(part.frame)
            if part.role == "rod":
                rods.setdefault(link, []).append((part, pose @ part.pose))
                continue
            place, size = pose @ part.pose, self.scene.size
            self.node[part.name] = self._below(link, part.name)
            self.solids[part.name] = add_rigid(self._api, self.node[part.name], part, place, size)
            solids.setdefault(link, []).extend(drawn_solids(part, place, size))
        for link, placed in rods.items():
            # one node for all rods of a link that are seen: of the marionette one instead of eight
            seen = seen_rods(placed, solids.get(link, []))
            if not seen:
                continue
            name = self._below(link, seen[0][0].name)
            handle = add_rods(self._api, name, seen)
            self.node.update({part.name: name for part, _ in seen})
            self.solids.update({part.name: handle for part, _ in seen})

    def _add_bars(self) -> None:
        for i, part in enumerate(self.scene.links):
            (link, first), (other, second) = (self._within(frame) for frame, _ in (part.start, part.end))
            if link != other or part.style in ("arrow", "beam"):
                self._bars.append(
                    (i, bar(self._api, node_name(ROOT, "between", part.name), part, self.scene))
                )
                continue
            # both ends on one link: it moves with it
            fixed = bar(self._api, self._below(link, part.name), part, self.scene)
            start, end = (
                pose[:3, :3] @ point + pose[:3, 3]
                for pose, (_, point) in ((first, part.start), (second, part.end))
            )
            fixed.place(start, end, self._home)

    def _below(self, link: int, name: str) -> str:
        """The name of a node on a link."""
        return node_name(ROOT, "frames", self._node(link), name)

    def _node(self, link: int) -> str:
        """The label of a link, whose node is made when it is first needed."""
        label = self.scene.frames[link]
        if link not in self._nodes:
            pose = self._poses[link]
            self._nodes[link] = self._api.add_frame(
                node_name(ROOT, "frames", label),
                show_axes=False,
                wxyz=quaternions(pose[:3, :3]),
                position=pose[:3, 3],
            )
            if link != self._link[self.scene.place["world"]]:
                self._moving.append(link)
        return label

    def _within(self, frame: str) -> tuple[int, Array]:
        """The link of a frame, and the pose of the frame in it."""
        place = self.scene.place[frame]
        link = int(self._link[place])
        return link, np.linalg.solve(self._home[link], self._home[place])

    def _add_surroundings(self, q: Array) -> None:
        """The grid, and an arrow that shows which way things fall."""
        grid, seen = self.scene.grid(q), self.points(*self._framed)
        cell = grid.spacing
        if self._followed is not None:  # the ground passes by, with lines as fine as the body
            cell = min(cell, round_number(float(np.ptp(seen, axis=0).max()) / 4.0))
        axes = np.stack([grid.right, grid.up, np.cross(grid.right, grid.up)], axis=1)
        self._api.add_grid(
            f"/{ROOT}/grid",
            width=grid.size,
            height=grid.size,
            cell_size=cell,
            section_size=5.0 * cell,
            cell_color=rgb(COLORS["grid"]),
            section_color=rgb(COLORS["grid"]),
            fade_distance=100.0 * grid.size,
            shadow_opacity=0.0,
            wxyz=quaternions(axes),
            position=grid.origin,
        )
        fall = float(np.linalg.norm(self.scene.gravity))
        if fall > 0.0:
            low, high = seen.min(axis=0), seen.max(axis=0)
            length = GRAVITY * self.scene.size
            start = np.array([low[0], low[1], high[2]]) - 0.05 * self.scene.size
            self._gravity = np.stack([start, start + length * self.scene.gravity / fall])
            self._api.add_arrows(
                "/gravity",
                self._gravity[None],
                rgb(COLORS["gravity"]),
                shaft_radius=0.03 * length,
                head_radius=0.1 * length,
                head_length=0.25 * length,
            )

    def framed(self, *aspects: float, towards: Array | None = None) -> list[Camera]:
        """Cameras that see the whole motion in windows of these aspects, from a direction or where it is seen best."""
        points = np.concatenate([self.points(*self._framed), self._gravity])
        return cameras(points, self.scene.plane if towards is None else towards, aspects)

    def points(self, q: Array, u: Array | None = None) -> Array:
        """Points whose convex hull holds everything in these configurations, as it is shown."""
        frame = self._followed
        held = None if frame is None else (frame, self._home[self.scene.place[frame], :3, 3])
        return self.scene.points(q, u, held)

    def moving_points(self, q: Array) -> Array:
        """Points of everything that moves in one configuration (1, nq), as it is shown."""
        frame = self.moving_frame
        if self._followed is not None or frame is None:
            return self.points(q)
        return self.scene.points(q, None, (frame, self.scene.poses(q)[0, self.scene.place[frame], :3, 3]))

    @property
    def moving_frame(self) -> str | None:
        """The first frame that moves, if there is one."""
        return self.scene.frames[self._moving[0]] if self._moving else None

    def _aim(self, first: Any, aspect: float) -> None:
        """Frame the whole motion."""
        self.first = wanted = self.framed(aspect)[0]
        first.position, first.look_at = wanted.position, wanted.target
        # the same from all sides, so that a camera that looks down is not turned about its line of sight
        first.up = wanted.up if self.scene.plane is not None else np.array((0.0, 0.0, 1.0))
        first.fov = wanted.fov
        distance = float(np.linalg.norm(wanted.position - wanted.target))
        first.near, first.far = 1e-3 * distance, 1e3 * distance

    # --- moving parts ---

    def show(self, q: Array, u: Array | None = None, t: float = 0.0) -> None:
        """Move everything to a configuration."""
        self.put(self.places(q, u, t))

    def places(self, q: Array, u: Array | None = None, t: npt.ArrayLike = 0.0) -> Places:
        """The placement of everything in configurations (..., nq)."""
        poses = self.scene.poses(q)
        ends = self.scene.ends(poses, u)
        slack = self.scene.slack(poses, q, t)
        moving = poses[..., self._moving, :, :]
        turns, positions = quaternions(moving[..., :3, :3]), moving[..., :3, 3]
        turn, place = self._grain
        if place:
            turns, positions, ends = (
                np.round(values / grain) * grain
                for values, grain in ((turns, turn), (positions, place), (ends, place))
            )
        return Places(turns, positions, ends, slack, poses)

    def put(self, places: Places) -> None:
        """Move everything to its place in one configuration."""
        self._poses = places.poses
        self._hold()
        for link, turn, position in zip(self._moving, places.turns, places.positions, strict=True):
            self._nodes[link].wxyz = turn
            self._nodes[link].position = position
        for i, each in self._bars:
            start, end = places.ends[i]
            each.place(start, end, places.poses)
            if isinstance(each, Bar) and not self.colored_by_force and not np.isnan(places.slack[i]):
                each.strain(places.slack[i], float(np.linalg.norm(end - start)))

    def handles(self) -> dict[int | str, Any]:
        """The nodes with a colour: bars by their places among the links of the scene, solids by their names."""
        bars: dict[int | str, Any] = {i: each.handle for i, each in self._bars if isinstance(each, Bar)}
        return bars | self.solids

    def nodes(self) -> dict[str, str]:
        """From the frames that move, by name, to the nodes of their links."""
        moving = {
            name: int(self._link[place])
            for name, place in self.scene.place.items()
            if not name.startswith("#") and self._link[place] in self._moving
        }
        return {name: node_name(ROOT, "frames", self.scene.frames[link]) for name, link in moving.items()}

    @property
    def followed(self) -> str | None:
        """The frame that stays fixed in the picture."""
        return self._followed

    def follow(self, frame: str | None) -> None:
        """Keep a frame fixed in the picture while everything else moves; None for a fixed camera."""
        self._followed = frame
        self._hold()

    def _hold(self) -> None:
        self._root.position = self.shift

    @property
    def shift(self) -> Array:
        """By how much everything is moved, so that the followed frame stays where it is."""
        if self._followed is None:
            return np.zeros(3)
        place = self.scene.place[self._followed]
        return np.asarray(self._home[place, :3, 3] - self._poses[place, :3, 3])

    def shown(self, frame: str) -> Array:
        """The pose at which a frame is shown, (4, 4)."""
        link, within = self._within(frame)
        self._node(link)
        node = self._nodes[link]
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_quat(np.roll(node.wxyz, -1)).as_matrix()
        pose[:3, 3] = node.position
        return np.asarray(pose @ within)

    # --- shown on demand ---

    def show_names(self, wanted: bool) -> None:
        """Show the names of the frames, or not."""
        if wanted and not self._labels:
            for part in self.scene.rigid:
                if part.role == "frame" and not part.frame.startswith("#"):
                    link, pose = self._within(part.frame)
                    label = self._api.add_label(
                        self._below(link, f"name of {part.frame}"),
                        part.frame,
                        position=pose[:3, 3],
                        font_screen_scale=NAMES,
                        anchor="bottom-left",
                    )
                    self._labels.append(label)
        for handle in self._labels:
            handle.visible = wanted

    def show_axes(self, wanted: bool) -> None:
        """Show the axes of the frames, or not."""
        if wanted and not self._axes:
            for part in self.scene.rigid:
                if part.role == "frame":
                    link, pose = self._within(part.frame)
                    name = self._below(link, f"axes of {part.frame}")
                    self._axes.append(add_rigid(self._api, name, part, pose @ part.pose, self.scene.size))
        for handle in self._axes:
            handle.visible = wanted

    def show_paths(self, paths: Mapping[str, Array]) -> None:
        """Show the paths of frames, points (n, 3) each, and no others."""
        for handle in self._paths:
            handle.remove()
        self._paths = [
            self._api.add_line_segments(
                node_name(ROOT, "paths", frame),
                np.stack([points[:-1], points[1:]], axis=1),
                rgb(SERIES[i % len(SERIES)]),
                thickness=PATH_WIDTH,
                thickness_units="screen",
            )
            for i, (frame, points) in enumerate(paths.items())
            if len(points) > 1
        ]
