"""Energy of a single pendulum for 5000 s at steps of 0.01 s: variational, and Open Dynamics Engine.

Both oscillate much faster than the picture resolves, so each is drawn as the band between its least and its
greatest energy in windows of time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.figures import Data
from bough.figures._engines import engines
from bough.figures._style import color, name_lines, panels, show_notes
from bough.gallery import pendulum
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Energy of a single pendulum, steps of 0.01 s"
SOURCE = "[JM09] Fig. 1"
DT, WINDOW = 0.01, 500  # step in s, and number of steps in a window


def data(short: bool = False) -> Data:
    """Bands of energy, (windows, 2), of each engine, relative to the energy that the pendulum can release."""
    model = pendulum(1, inertia=0.1).build()
    duration = 250.0 if short else 5000.0
    steps = round(duration / DT)
    run = simulate(model, duration=duration, dt=DT)
    start = float(run.energy()[0])
    released = start - float(model.energy(np.zeros(1), np.zeros(1)))
    notes: list[str] = []
    found: Data = {"bough": _band(run.energy(), start, released)}
    for name, peer in engines(model, DT, ("ODE", "MuJoCo"), notes):
        found[name] = _band(peer.energies(steps), start, released)
    return {**found, "t": (np.arange(steps // WINDOW) + 0.5) * WINDOW * DT, "notes": notes}


def _band(energy: Array, start: float, released: float) -> Array:
    windows = ((energy[1:] - start) / released).reshape(-1, WINDOW)
    return np.stack((windows.min(axis=1), windows.max(axis=1)), axis=1)


def draw(data: Data) -> Figure:
    """The bands over time."""
    picture, (all_engines, ours) = panels(TITLE, 2, size=(7.0, 5.5), height_ratios=(2, 1), sharex=True)
    for name in reversed([key for key in data if key not in ("t", "notes")]):
        low, high = np.asarray(data[name]).T
        for axes in (all_engines, ours) if name == "bough" else (all_engines,):
            axes.fill_between(data["t"], low, high, color=color(name), label=name, linewidth=0.8)
    all_engines.set(ylabel="change of energy / released")
    ours.set(xlabel="time / s", ylabel="bough alone")
    name_lines(all_engines)
    show_notes(picture, data["notes"])
    return picture
