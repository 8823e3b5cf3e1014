"""Plots of a run as data for the script of an exported page."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.motion.trajectory import Trajectory
from bough.view._nodes import SERIES, rgb
from bough.view._sampling import thinned
from bough.view.plots import Panel, all_panels, others, still, that_move_most

POINTS = 600  # largest number of points of a line
REST = "#cfd6dc"  # the colour of lines that move less than those with a name


def page_plots(run: Trajectory, what: str | Sequence[str] | None, where: str) -> list[dict[str, Any]]:
    """The plots under the picture, in plain values."""
    if what is None or not len(what):
        return []
    rows = thinned(len(run), POINTS)
    panels = all_panels(run, what, f"plots={what!r} in {where}")
    return [_plot(panel, run.t, rows) for panel in panels]


def _plot(panel: Panel, t: Array, rows: npt.NDArray[np.int64]) -> dict[str, Any]:
    named = that_move_most(panel.lines, len(SERIES))  # no two of them have one colour
    colors = {
        name: "#{:02x}{:02x}{:02x}".format(*rgb(color)) for name, color in zip(named, SERIES, strict=False)
    }
    rest = [name for name in panel.lines if name not in colors]
    lines = [
        {"name": name, "color": colors.get(name, REST), "values": _packed(_values(panel, name)[rows])}
        for name in (*rest, *named)
    ]
    return {
        "title": panel.title,
        "label": panel.label,
        "log": panel.log,
        "t": _packed(t[rows]),
        "marks": _packed(np.asarray(panel.ticks)),
        "lines": lines,
        "others": others(len(rest)) if rest else "",
        "span": None if panel.log or "" in panel.lines else still(list(panel.lines.values())),
    }


def _values(panel: Panel, name: str) -> Array:
    values = np.asarray(panel.lines[name], dtype=np.float64)
    if not panel.log:
        return values
    return np.log10(values, out=np.full(len(values), np.nan), where=values > 0.0)


def _packed(values: Array) -> str:
    return base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()
