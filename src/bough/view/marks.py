"""Arrows of contact forces and flashes of impacts in a picture of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.motion.trajectory import Trajectory
from bough.view.colors import ORANGE, RED, YELLOW
from bough.view.touches import Touches

if TYPE_CHECKING:
    from bough.view.draw import Stage

CIRCLE = np.linspace(0.0, 2.0 * np.pi, 25)
STAR = np.where(np.arange(25) % 2 == 0, 1.0, 0.55)[:, None] * np.stack(
    [np.cos(CIRCLE), np.sin(CIRCLE)], axis=1
)


class Marks:
    """What a picture shows of contacts: `artists` that are drawn after it."""

    def __init__(self, stage: Stage, run: Trajectory) -> None:
        from matplotlib.collections import PolyCollection

        self._stage, self._touches = stage, Touches(stage.scene, run)
        count = self._touches.arrows.shape[1]
        none = np.zeros(count)
        self._arrows: Any = stage.plot.quiver(
            none,
            none,
            none,
            none,
            angles="xy",
            scale_units="xy",
            scale=1.0,
            width=0.006,
            color=RED,
        )
        self._flashes = PolyCollection([], facecolor=YELLOW, edgecolor=ORANGE, linewidth=0.8)
        stage.plot.add_collection(self._flashes, autolim=False)
        self.artists = (self._arrows, self._flashes) if count else (self._flashes,)

    def show(self, row: int) -> None:
        """Show a row of the run."""
        ends = self._touches.arrows[row]
        if len(ends):
            places = self._stage.projection(np.nan_to_num(ends).reshape(-1, 3))[0].reshape(-1, 2, 2)
            hidden = ~np.isfinite(ends).all(axis=(1, 2))
            along = np.ma.array(places[:, 1] - places[:, 0], mask=np.stack([hidden, hidden], axis=1))
            self._arrows.set_offsets(places[:, 0])
            self._arrows.set_UVC(along[:, 0], along[:, 1])
        seen = self._touches.flashes(row)
        self._flashes.set_verts([self._stage.projection(place)[0] + radius * STAR for place, radius in seen])
