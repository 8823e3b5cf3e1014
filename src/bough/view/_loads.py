"""Forces of a motion as nodes of a page: colours of strings, arrows of contacts, flashes of impacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.motion.trajectory import Trajectory
from bough.view._nodes import node_name, rgb
from bough.view._stage import ROOT, Stage
from bough.view.colors import RED, YELLOW
from bough.view.tensions import Tensions
from bough.view.touches import TOGETHER, Touches

if TYPE_CHECKING:
    import viser

SHAFT = 0.006  # radius of an arrow, relative to the size of the system


class Loads:
    """The colours of the strings of a stage, and of the shapes on the bodies at their ends; marks of its contacts.

    Attributes
    ----------
    largest : float
        The force with the last colour, in N; zero if the scene has no strings.
    """

    def __init__(self, api: viser.SceneApi, stage: Stage, run: Trajectory) -> None:
        self._tensions = Tensions(stage.scene, run)
        self._handles = stage.handles()
        self._shown: dict[int | str, int] = {}
        self._marks = Marks(api, Touches(stage.scene, run), stage.scene.size)
        self.largest = self._tensions.largest
        stage.colored_by_force = self.largest > 0.0

    @property
    def messages(self) -> int:
        """The largest number of node changes per picture."""
        return len(self._tensions.strings) + len(self._tensions.bodies) + self._marks.messages

    def show(self, row: int) -> None:
        """Show the forces in a row of the run."""
        self._marks.show(row)
        for key, level in self._tensions.levels(row).items():
            if self._shown.get(key) != level and key in self._handles:
                self._shown[key] = level
                self._handles[key].color = rgb(self._tensions.color(key, level))


class Marks:
    """The arrows and flashes of contacts, all arrows in one node."""

    def __init__(self, api: viser.SceneApi, touches: Touches, size: float) -> None:
        self._touches = touches
        self._arrows: Any = None
        if touches.arrows.shape[1] > 0:
            self._arrows = api.add_arrows(
                node_name(ROOT, "contacts", "forces"),
                np.zeros((1, 2, 3)),
                rgb(RED),
                shaft_radius=SHAFT * size,
                head_radius=2.6 * SHAFT * size,
                head_length=6.0 * SHAFT * size,
                visible=False,
            )
        self._flashes: list[Any] = []
        if touches.any_flash:
            self._flashes = [
                api.add_icosphere(
                    node_name(ROOT, "contacts", f"impact {i}"),
                    radius=1.0,
                    color=rgb(YELLOW),
                    opacity=0.8,
                    visible=False,
                )
                for i in range(TOGETHER)
            ]

    @property
    def messages(self) -> int:
        """The largest number of node changes per picture."""
        return (0 if self._arrows is None else 2) + len(self._flashes)

    def hide(self) -> None:
        """Show none."""
        for node in (*self._flashes, *(() if self._arrows is None else (self._arrows,))):
            node.visible = False

    def show(self, row: int) -> None:
        """Show a row of the run."""
        if self._arrows is not None:
            ends = self._touches.arrows[row]
            there = np.isfinite(ends).all(axis=(1, 2))
            self._arrows.visible = bool(there.any())
            if there.any():
                self._arrows.points = ends[there].astype(np.float32)
        seen = self._touches.flashes(row)
        for i, node in enumerate(self._flashes):
            node.visible = i < len(seen)
            if i < len(seen):
                node.position, node.scale = seen[i][0], seen[i][1]
