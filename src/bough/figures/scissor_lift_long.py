"""The scissor lift of five segments after 1000 s at steps of 0.01 s, beside the exact motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.figures import Data
from bough.figures._lift import exact, lift
from bough.figures._style import COLORS, name_lines, panels, show_notes
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Scissor lift of 5 segments after a long time, steps of 0.01 s"
SOURCE = "[JM09] Fig. 12"
SEGMENTS, DT, SHOWN = 5, 0.01, 10.0


def data(short: bool = False) -> Data:
    """The last 10 s, energies and constraint errors of the whole run, and its extreme angles in windows."""
    duration = 100.0 if short else 1000.0
    model = lift(SEGMENTS)
    run = simulate(model, duration=duration, dt=DT)
    shown = run.t >= duration - SHOWN
    windows = run["theta"][1:].reshape(-1, round(SHOWN / DT))
    constraint = np.abs(model.constraint(run.q)).max()
    change = np.abs(run.energy() - run.energy()[0]).max()
    notes = [f"largest error of a constraint {constraint:.0e} m, largest change of energy {change:.2g} J"]
    return {
        "t": run.t[shown],
        "bough": run["theta"][shown],
        "exact": exact(run.t[shown], SEGMENTS),
        "least": windows.min(axis=1),
        "greatest": windows.max(axis=1),
        "constraint": constraint,
        "notes": notes,
    }


def draw(data: Data) -> Figure:
    """The last seconds, and the extreme angles of the whole run."""
    picture, (late, whole) = panels(TITLE, 2, size=(7.0, 6.0))
    late.plot(data["t"], data["exact"], color=COLORS["exact"], lw=4, alpha=0.5, label="exact")
    late.plot(data["t"], data["bough"], color=COLORS["bough"], lw=1, label="bough")
    late.set(xlabel="time / s", ylabel="θ / rad")
    name_lines(late)
    middle = (np.arange(len(data["least"])) + 0.5) * SHOWN
    for name in ("least", "greatest"):
        whole.plot(middle, data[name], color=COLORS["bough"], lw=1)
    for angle in (0.6, np.pi - 0.6):
        whole.axhline(angle, color=COLORS["exact"], lw=4, alpha=0.5, zorder=0)
    whole.set(xlabel="time / s", ylabel="least and greatest θ / rad")
    show_notes(picture, data["notes"])
    return picture
