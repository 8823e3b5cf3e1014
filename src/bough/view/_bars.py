"""Parts between two ends as nodes of viser that follow their ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.view import _solids
from bough.view._nodes import onto, rgb
from bough.view._solids import Solid
from bough.view.parts import Between

if TYPE_CHECKING:
    import viser

    from bough.view.scene import Scene

BEND = 12  # number of pieces of a bent bar
LOOSE = 1e-3  # largest relative error of length at which a string is shown tight
PALE, TORN = 0.6, (0.84, 0.0, 0.0)
SOLIDS: dict[str, Callable[[float], Solid]] = {
    "rod": _solids.rod,
    "string": _solids.string,
    "spring": _solids.coil,
    "damper": _solids.damper,
    "dashed": _solids.dashes,
}


class Bar:
    """A solid that is stretched from one end to the other."""

    messages = 3  # number of node changes per picture

    def __init__(self, api: viser.SceneApi, name: str, part: Between, scene: Scene) -> None:
        vertices, faces = SOLIDS[part.style](part.radius)
        self.handle: Any = api.add_mesh_simple(name, vertices, faces, color=rgb(part.color), side="double")
        self._length, self._small = 1.0, 1e-6 * scene.size
        red, green, blue = (value + PALE * (1.0 - value) for value in part.color)
        self._colors = {0: part.color, 1: (red, green, blue), -1: TORN}
        self._state = 0

    def strain(self, slack: float, length: float) -> None:
        """Show a string that is slack pale, and one that is too short for its ends red."""
        state = 0 if not abs(slack) > LOOSE * length else int(math.copysign(1.0, slack))
        if state != self._state:
            self._state = state
            self.handle.color = rgb(self._colors[state])

    def place(self, start: Array, end: Array, poses: Array) -> None:
        """Move the node to the ends of its part."""
        across = end - start
        length = float(np.linalg.norm(across))
        shown = length > self._small
        self.handle.visible = shown
        if not shown:
            return
        self.handle.position = start
        self.handle.wxyz = onto(across / length)
        if abs(length - self._length) > self._small:
            self._length = length
            self.handle.scale = (1.0, 1.0, length)


class Arrow:
    """An arrow; one with two heads for a moment. Nothing if it has no length."""

    messages = 2

    def __init__(self, api: viser.SceneApi, name: str, part: Between, scene: Scene) -> None:
        self._heads = (1.0, 0.8) if part.moment else (1.0,)
        self._small = 1e-3 * scene.size
        self.handle: Any = api.add_arrows(
            name,
            self._points(np.zeros(3), np.array([0.0, 0.0, scene.size])),
            rgb(part.color),
            shaft_radius=part.radius,
            head_radius=2.6 * part.radius,
            head_length=6.0 * part.radius,
        )

    def _points(self, start: Array, end: Array) -> Array:
        return np.stack([(start, start + head * (end - start)) for head in self._heads])

    def place(self, start: Array, end: Array, poses: Array) -> None:
        """Move the node to the ends of its part."""
        shown = bool(np.linalg.norm(end - start) > self._small)
        self.handle.visible = shown
        if shown:
            self.handle.points = self._points(start, end).astype(np.float32)


class Bent:
    """A bar that leaves its ends in given directions: the cubic curve with these tangents."""

    messages = 8  # number of pose changes that its points amount to

    def __init__(self, api: viser.SceneApi, name: str, part: Between, scene: Scene) -> None:
        assert part.tangents is not None
        frames = (part.start[0], part.end[0])
        self._ends = [
            (scene.place[frame], np.asarray(d)) for frame, d in zip(frames, part.tangents, strict=True)
        ]
        self.handle: Any = api.add_line_segments(
            name, np.zeros((BEND, 2, 3)), rgb(part.color), thickness=2.0 * part.radius
        )

    def place(self, start: Array, end: Array, poses: Array) -> None:
        """Move the node to the ends of its part."""
        leaving, arriving = (poses[i, :3, :3] @ direction for i, direction in self._ends)
        length = float(np.linalg.norm(end - start))
        s = np.linspace(0.0, 1.0, BEND + 1)[:, None]
        curve = (
            (1.0 + 2.0 * s) * (1.0 - s) ** 2 * start
            + s * (1.0 - s) ** 2 * length * leaving
            + s**2 * (3.0 - 2.0 * s) * end
            + s**2 * (s - 1.0) * length * arriving
        )
        self.handle.points = np.stack([curve[:-1], curve[1:]], axis=1).astype(np.float32)


def bar(api: viser.SceneApi, name: str, part: Between, scene: Scene) -> Bar | Arrow | Bent:
    """The node of a part between two ends."""
    if part.style == "arrow":
        return Arrow(api, name, part, scene)
    if part.style == "beam" and part.tangents is not None:
        return Bent(api, name, part, scene)
    return Bar(api, name, part, scene)
