"""An elastic cable of beam elements, fixed at both ends, let go level: shapes, and its constraint error.

[NM] shows the error of 500 data points; it is the distance of the far end from where it is held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.figures import Data
from bough.figures._style import name_lines, panels, show_notes
from bough.figures.cable_snapshots import shapes
from bough.gallery import elastic_cable
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "An elastic cable of ten beam elements, fixed at both ends"
SOURCE = "[NM] Fig. 5 and 6"
TIMES = (0.0, 1.5, 3.0)


def data(short: bool = False) -> Data:
    """Shapes at the three times, and the error of the constraint at every step."""
    model = elastic_cable().build()
    run = simulate(model, duration=TIMES[1] if short else TIMES[-1])
    times = tuple(t for t in TIMES if t <= run.t[-1] + 1e-9)
    error = np.linalg.norm(model.constraint(run.q), axis=1)
    note = f"steps of {run.settings['dt']:g} s, largest error of the constraint {error.max():.0e} m"
    return {"times": times, "shapes": shapes(run, times, 10), "t": run.t, "error": error, "notes": [note]}


def draw(data: Data) -> Figure:
    """Shapes above, the error below."""
    picture, axes = panels(TITLE, 2, size=(8.0, 5.2), height_ratios=(1.0, 3.0))
    for t, shape, gray in zip(data["times"], data["shapes"], ("0.75", "0.45", "black"), strict=False):
        axes[0].plot(*np.asarray(shape).T, "o-", color=gray, ms=3, label=f"{t:g} s")
    axes[0].set(xlabel="x / m", ylabel="z / m", aspect="equal")
    name_lines(axes[0])
    axes[1].plot(data["t"], data["error"], color="black", lw=0.7)
    axes[1].set(xlabel="time / s", ylabel="error of the constraint / m")
    show_notes(picture, data["notes"])
    return picture
