"""The style of all figures: one colour for each engine, sizes, notes below the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = {
    "bough": "black",
    "ODE": "0.6",
    "MuJoCo": "tab:orange",
    "Pinocchio": "tab:blue",
    "exact": "tab:green",
    "paper": "tab:red",
    "SciPy": "tab:purple",
}


def color(engine: str) -> str:
    """The colour of an engine, by the first word of its name."""
    return COLORS[engine.replace(",", " ").split()[0]]


def panels(
    title: str, rows: int = 1, columns: int = 1, size: tuple[float, float] = (7.0, 4.0), **options: Any
) -> tuple[Figure, Any]:
    """A figure without a window, and its axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    picture = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(picture)
    axes = picture.subplots(rows, columns, **options)
    picture.suptitle(title, fontsize="medium")
    return picture, axes


def name_lines(axes: Any) -> None:
    """A legend beside the axes, where it covers neither a line nor a title."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False)


def show_notes(picture: Figure, notes: Sequence[str]) -> None:
    """Say below the picture what is missing in it, or how it was made."""
    width = round(14 * picture.get_figwidth())  # characters in a line
    lines = [line for note in notes for line in textwrap.wrap(str(note), width)]
    if lines:
        picture.supxlabel("\n".join(lines), fontsize="small", color="0.3", ha="center")
