"""Plots beside the scene, with a line at the present time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.arguments import Array
from bough.view._nodes import SERIES, rgb
from bough.view._sampling import thinned

if TYPE_CHECKING:
    import viser

POINTS = 500  # largest number of points of a line
HEIGHT = 190  # height of a chart, in pixels
NOW = "#555555"
TIME = "t [s]"


class Chart:
    """Lines over time, and a vertical line that moves with it; or lines over another number.

    A line with a name that is `known` has the colour that it has in the chart whose lines have these names.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        title: str,
        t: Array,
        lines: Mapping[str, Array],
        order: int,
        over: str = TIME,
        known: Sequence[str] = (),
    ) -> None:
        self._rows = thinned(len(t), POINTS)
        self._t = t[self._rows]
        self._lines = [values[self._rows] for values in lines.values()]
        self._span = _span(self._lines)
        colors = ["rgb({}, {}, {})".format(*rgb(SERIES[i])) for i in places(tuple(lines), known)]
        self._moves = over == TIME
        series = [
            {"label": over},
            *(
                {"label": name, "stroke": color, "width": 1.5, "points": {"show": False}, "spanGaps": True}
                for name, color in zip(lines, colors, strict=True)
            ),
            *(
                [{"label": "now", "stroke": NOW, "width": 1, "points": {"show": False}}]
                if self._moves
                else []
            ),
        ]
        self._handle: Any = server.gui.add_uplot(
            data=self._data(self._t[0]),
            series=tuple(series),  # type: ignore[arg-type]
            title=title,
            scales={"x": {"time": False}, "y": {"range": self._span}},
            axes=({} if self._moves else {"label": over}, {"size": 62}),
            legend={"show": False} if len(lines) < 2 else {"live": False},
            height=HEIGHT,
            order=order,
        )

    def show(self, now: float) -> None:
        """Move the line to a time."""
        self._handle.data = self._data(now)

    def remove(self) -> None:
        """Remove the chart."""
        self._handle.remove()

    def _data(self, now: float) -> tuple[Array, ...]:
        """The lines, with two points at the present between which the vertical line is drawn."""
        if not self._moves:
            return (self._t, *self._lines)
        at = int(np.searchsorted(self._t, now))
        gap = [np.nan, np.nan]
        marker = np.full(len(self._t) + 2, np.nan)
        marker[at : at + 2] = self._span
        lines = [np.insert(values, at, gap) for values in self._lines]
        return (np.insert(self._t, at, [now, now]), *lines, marker)


def places(names: Sequence[str], known: Sequence[str]) -> list[int]:
    """The places of the colours of lines: those that are known keep theirs, the others take the next that are free."""
    kept = {name: known.index(name) for name in names if name in known}
    free = (i for i in count() if i not in kept.values())
    return [(kept[name] if name in kept else next(free)) % len(SERIES) for name in names]


def _span(lines: list[Array]) -> tuple[float, float]:
    """Limits of the vertical axis."""
    found = np.concatenate(lines)
    found = found[np.isfinite(found)]
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin
