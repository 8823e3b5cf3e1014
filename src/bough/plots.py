"""Plots of a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough._units import variable_units
from bough.arguments import Array
from bough.errors import ModelError, unknown_name
from bough.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = ("configuration", "velocity", "energy", "constraint", "multiplier", "input")
INSIDE = 6  # lines up to which the legend fits into the panel
PER_COLUMN = 14  # lines of a legend beside the panel
NAMED = 42  # lines that the legend names


class Panel(NamedTuple):
    """One plot over time."""

    title: str
    label: str
    lines: dict[str, Array]
    log: bool = False


def plot(run: Trajectory, what: str | Sequence[str] | None = None) -> Figure:
    """A figure with one plot above the other, sharing the time axis."""
    import matplotlib.pyplot as plt

    panels = [panel for name in _chosen(run, what) for panel in _panels(run, name)]
    if not panels:
        raise ModelError(
            asked=f"plot({what!r}) of a trajectory of {run.model.name!r}",
            found="nothing of this kind in the model",
            do=f"choose of {', '.join(_chosen(run, None))}",
        )
    heights = [
        1.0 if len(panel.lines) > 1 or panel.title in ("angles", "distances") else 0.8 for panel in panels
    ]
    figure, axes = plt.subplots(
        len(panels),
        1,
        sharex=True,
        squeeze=False,
        figsize=(9.0, 0.8 + 2.1 * sum(heights)),
        gridspec_kw={"height_ratios": heights},
        layout="constrained",
    )
    for panel, axis in zip(panels, axes[:, 0], strict=True):
        _draw(axis, run.t, panel)
    axes[-1, 0].set_xlabel("t [s]")
    ending = "" if run.status == "finished" else f" ({run.status})"
    figure.suptitle(f"{run.model.name}{ending}")
    return figure


def _chosen(run: Trajectory, what: str | Sequence[str] | None) -> Sequence[str]:
    """The names of the panels: those asked for, or all that the model has something for."""
    if what is None:
        bound = bool(run.model.constraints)
        has = {"constraint": bound, "multiplier": bound, "input": bool(run.model.inputs)}
        return [name for name in PANELS if has.get(name, True)]
    names = [what] if isinstance(what, str) else list(what)
    for name in names:
        if name not in PANELS:
            raise unknown_name("panel", str(name), PANELS, f"plot() of a trajectory of {run.model.name!r}")
    return names


def _panels(run: Trajectory, name: str) -> list[Panel]:
    model = run.model
    if name in ("configuration", "velocity"):
        values, per, prefix = (run.q, "", "") if name == "configuration" else (run.v, "/s", "rates of ")
        kinds = variable_units(model)
        titles = {"rad": f"{prefix}angles", "m": f"{prefix}distances", "": f"{prefix}other variables"}
        symbol = "q" if name == "configuration" else "v"
        return [
            Panel(
                title,
                f"{symbol} [{unit}{per}]" if unit else symbol,
                {n: values[:, i] for i, n in enumerate(model.variables) if kinds[i] == unit},
            )
            for unit, title in titles.items()
            if unit in kinds
        ]
    if name == "energy":
        energy = run.energy()
        return [Panel(f"energy, {energy[0]:.6g} J at the start", "E − E(0) [J]", {"": energy - energy[0]})]
    if name == "input":
        names = model.inputs
        return [Panel("inputs", "u", {n: run.u[:, i] for i, n in enumerate(names)})] if names else []
    if not model.constraints:
        return []
    if name == "multiplier":
        lines = {n: run.lam[:, i] for i, n in enumerate(model.constraints)}
        return [Panel("constraint forces", "lam", lines)]
    largest = np.abs(run.constraint_error()).max(axis=1)
    return [
        Panel("largest error of a constraint", "max |h(q)|", {"": largest}, log=bool((largest > 0).any()))
    ]


def _draw(axis: Axes, t: Array, panel: Panel) -> None:
    count = len(panel.lines)
    colors: Any = [None] * count
    if count > 10:
        from matplotlib import colormaps

        colors = colormaps["viridis"](np.linspace(0.0, 0.92, count))
    for color, (name, values) in zip(colors, panel.lines.items(), strict=True):
        shown = np.where(values > 0, values, np.nan) if panel.log else values
        axis.plot(t, shown, label=name or None, color=color, linewidth=1.2)
    if panel.log:
        axis.set_yscale("log")
    axis.set_ylabel(panel.label)
    axis.set_title(panel.title, loc="left", fontsize="medium")
    axis.grid(alpha=0.3)
    axis.margins(x=0.0)
    if "" in panel.lines:
        return
    handles, names = axis.get_legend_handles_labels()
    if count <= INSIDE:
        axis.legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            borderaxespad=0.1,
            fontsize="small",
            ncols=count,
            frameon=False,
        )
        return
    step = -(-count // NAMED)  # of very many variables, the legend names every so many
    axis.legend(
        handles[::step],
        names[::step],
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        fontsize="x-small",
        ncols=-(-len(handles[::step]) // PER_COLUMN),
    )
