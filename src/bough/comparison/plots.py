"""Plots of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.comparison.distance import Distance
from bough.comparison.result import Comparison, Row
from bough.comparison.table import title
from bough.plain_text import in_figure

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# colours of Okabe and Ito, which colour-blind people can tell apart
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#333b44")
STYLES = ("-", "--", ":", "-.")
WIDE = 150  # largest number of characters in a line of the legend
FLOOR = 1e-17  # smallest value drawn on a logarithmic scale

Panel = Callable[["Axes"], None]


def look(place: int) -> tuple[str, str]:
    """Colour and style of the line of a row."""
    return COLORS[place % len(COLORS)], STYLES[place // len(COLORS) % len(STYLES)]


def plot(comparison: Comparison) -> Figure:
    """A figure with energy, error, drifts over time, and error over run time."""
    import matplotlib.pyplot as plt

    from bough.view.figure import NotebookFigure

    panels = _panels(comparison)
    lines = -(-len(panels) // 2)
    figure, axes = plt.subplots(
        lines,
        2,
        figsize=(12.0, 0.9 + 3.3 * lines),
        squeeze=False,
        layout="constrained",
        FigureClass=NotebookFigure,
    )
    for axis, panel in zip(axes.flat, panels, strict=False):
        panel(axis)
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    handles: dict[str, Artist] = {}
    for axis in axes.flat[: len(panels)]:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    order = [row.label for row in comparison.rows if row.label in handles]
    order += [label for label in handles if label not in order]
    if order:
        figure.legend(
            [handles[label] for label in order],
            order,
            loc="outside lower center",
            ncols=max(1, min(len(order), 6, WIDE // (max(map(len, order)) + 6))),
            frameon=False,
        )
    figure.suptitle(in_figure(title(comparison)))
    return figure


def _panels(comparison: Comparison) -> list[Panel]:
    panels: list[Panel] = [lambda axis: _energy(axis, comparison)]
    if comparison.reference is not None:
        panels.append(lambda axis: _error(axis, comparison))
    if comparison.model.nc:
        panels.append(lambda axis: _over_time(axis, comparison, "largest |h| of a constraint", _constraints))
    kept = comparison.conserved
    if kept is not None and kept.momenta:
        panels.append(
            lambda axis: _over_time(
                axis,
                comparison,
                in_figure(f"drift of momentum: {', '.join(kept.momenta)}"),
                lambda row: (row.run.t, kept.momentum_drift(row.run)) if row.run is not None else None,
            )
        )
    if any(row.joint_drift for row in comparison.rows):
        panels.append(lambda axis: _over_time(axis, comparison, "distance at a joint [m]", _joints))
    if any(row.attempts for row in comparison.rows):
        panels.append(lambda axis: _work(axis, comparison))
    return panels


def _energy(axis: Axes, comparison: Comparison) -> None:
    """Plot signed energy errors, as in [JM09] Fig. 8; a run that leaves the picture is cut off."""
    kept = comparison.conserved
    scale = kept.kinetic if kept is not None and kept.kinetic > 0.0 else 1.0
    reach = []
    for place, row in enumerate(comparison.rows):
        if row.run is None:
            continue
        off = comparison.energy_error(row.run) / scale
        color, style = look(place)
        axis.plot(row.run.t[: len(off)], off, style, color=color, label=row.label, linewidth=1.0)
        reach.append((row.failure is not None, float(off.min()), float(off.max())))
    whole = [ends for failed, *ends in reach if not failed] or [[-1.0, 1.0]]
    low, high = max(-1.0, min(low for low, _ in whole)), min(1.0, max(high for _, high in whole))
    margin = 0.1 * max(high - low, 1e-15)
    axis.set_ylim(low - margin, high + margin)
    axis.set_title(
        "energy less that of the start, in parts of the largest kinetic energy", fontsize="medium", loc="left"
    )
    if kept is not None and not kept.energy:
        axis.set_title(
            "energy less that of the reference, in parts of the largest kinetic",
            fontsize="medium",
            loc="left",
        )
    axis.set_xlabel("t [s]")
    axis.margins(x=0.0)


def _error(axis: Axes, comparison: Comparison) -> None:
    reference, distance = comparison.reference, Distance(comparison.model)
    assert reference is not None

    def error(row: Row) -> tuple[Array, Array] | None:
        if row.run is None:
            return None
        rows = min(reference.rows, len(row.run))
        if rows < len(row.run) and row.failure is not None:
            rows -= 1  # the last instant of a run that failed is off the grid
        return row.run.t[:rows], distance(row.run.q[:rows], reference.run.q[:rows])

    axis.fill_between(
        reference.run.t,
        FLOOR,
        np.maximum(reference.error, FLOOR),
        color="0.85",
        label="error of the reference",
    )
    _over_time(axis, comparison, "distance from the reference [m]", error)
    axis.axhline(comparison.error, color="0.4", linewidth=0.8)
    axis.set_ylim(bottom=max(FLOOR, 0.1 * float(reference.error[1:].min(initial=1e-12))))


def _constraints(row: Row) -> tuple[Array, Array] | None:
    return None if row.run is None else (row.run.t, np.abs(row.run.constraint_error()).max(axis=1))


def _joints(row: Row) -> tuple[Array, Array] | None:
    if row.run is None or row.run.bodies is None:
        return None
    return row.run.t, row.run.bodies.drift[..., 0].max(axis=1, initial=0.0)


def _over_time(
    axis: Axes, comparison: Comparison, name: str, values: Callable[[Row], tuple[Array, Array] | None]
) -> None:
    """Plot lines on a logarithmic scale."""
    for place, row in enumerate(comparison.rows):
        found = values(row)
        if found is None:
            continue
        color, style = look(place)
        t, y = found[0][1:], found[1][1:]  # at the start there is only round-off
        axis.plot(t, np.where(y > FLOOR, y, np.nan), style, color=color, label=row.label, linewidth=1.0)
    axis.set_yscale("log")
    axis.set_title(name, fontsize="medium", loc="left")
    axis.set_xlabel("t [s]")
    axis.margins(x=0.0)


def _work(axis: Axes, comparison: Comparison) -> None:
    for place, row in enumerate(comparison.rows):
        tried = [(a.run_time, a.error) for a in row.attempts if np.isfinite(a.error)]
        if tried:
            color, style = look(place)
            x, y = np.array(tried).T
            axis.plot(x, y, style, marker="o", markersize=3.0, color=color, label=row.label, linewidth=1.0)
    axis.axhline(comparison.error, color="0.4", linewidth=0.8)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_title("error [m] over run time [s]", fontsize="medium", loc="left")
    axis.set_xlabel("run time [s]")
