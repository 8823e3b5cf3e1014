"""Labels beside points of a plot, placed so that they do not cover each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.plain_text import in_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

NEAR = 6.0  # distance between a label and its point, in typographic points
DISTANCES = (NEAR, 16.0, 28.0, 42.0, 58.0, 76.0)
# directions to try: up and right first, as readers expect
DIRECTIONS = ((1, 1), (-1, 1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
ALIGNED = {1: ("left", "bottom"), 0: ("center", "center"), -1: ("right", "top")}


class Label(NamedTuple):
    """A word, the point it belongs to, and its colour."""

    text: str
    place: tuple[float, float]
    color: Any


def write(plot: Axes, labels: Iterable[Label]) -> list[Annotation]:
    """Write each label at the nearest place beside its point where it covers no other and is not cut off.

    One that stands further away is joined to its point by a line.
    """
    from matplotlib.patheffects import withStroke

    root = plot.figure.figure
    root.draw_without_rendering()  # puts the axes into their final places
    pixels = root.dpi / 72.0  # pixels in a typographic point
    frame, taken = np.array([plot.figure.bbox.extents]), np.empty((0, 4))
    written = []
    for label in labels:
        anchor = plot.transData.transform(label.place)
        size = _size(plot, label.text)
        choices = [(r, d) for r in DISTANCES for d in DIRECTIONS]
        boxes = np.array([_box(anchor, size, pixels * r, d) for r, d in choices])
        cut_off = np.prod(size) - _shared_areas(boxes, frame).sum(axis=1)
        best = int(np.argmin((_shared_areas(boxes, taken).sum(axis=1) + cut_off).round()))
        (distance, (dx, dy)), taken = choices[best], np.vstack([taken, boxes[best]])
        line = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.6, "shrinkA": 0.0, "shrinkB": 0.0}
        text = plot.annotate(
            in_figure(label.text),
            label.place,
            (dx * distance, dy * distance),
            textcoords="offset points",
            fontsize="small",
            color=label.color,
            ha=ALIGNED[dx][0],
            va=ALIGNED[dy][1],
            arrowprops=line if distance > NEAR else None,
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
        )
        text.set_in_layout(False)  # keeps the axes in their places
        written.append(text)
    return written


def _size(plot: Axes, words: str) -> Array:
    """Width and height in pixels."""
    text = plot.text(0.0, 0.0, in_figure(words), fontsize="small")
    box = text.get_window_extent()
    text.remove()
    return np.array([box.width, box.height])


def _box(anchor: Array, size: Array, distance: float, direction: tuple[int, int]) -> Array:
    """Left, bottom, right and top of a label in some direction from its point."""
    towards = np.array(direction)
    low = anchor + distance * towards - size * (1 - towards) / 2.0
    return np.concatenate([low, low + size])


def _shared_areas(boxes: Array, others: Array) -> Array:
    """The area that each of the boxes shares with each of the others, in pixels."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.prod(np.maximum(high - low, 0.0), axis=-1))
