"""Plots as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bough.cli._files import check_writable
from bough.errors import BoughError, quoted
from bough.motion.trajectory import Trajectory
from bough.write import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".pdf", ".svg")


def check_plot(path: Path, option: str = "--plot") -> None:
    """Raise, before any work, if a plot could not be written."""
    if path.suffix.lower() not in SUFFIXES:
        raise BoughError(
            asked=f"{option} {str(path)!r}",
            found=f"the suffix {path.suffix!r}" if path.suffix else "a path without suffix",
            do=f"use one of {quoted(SUFFIXES)}",
        )
    check_writable(path, option)


def save_plot(run: Trajectory, path: Path, panels: Sequence[str] | None = None) -> Path:
    """Draw a run into a file, without a screen."""
    without_screen()
    return save_figure(run.plot(list(panels) if panels else None), path)


def without_screen() -> None:
    """Let matplotlib draw into memory."""
    import matplotlib

    matplotlib.use("Agg")


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure and close it."""
    import matplotlib.pyplot as plt

    with replacing(path) as part:
        figure.savefig(part)
    plt.close(figure)
    return path
