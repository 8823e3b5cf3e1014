"""A cable of ten segments that cannot stretch, let go from rest along the horizontal: at 0, 2 and 4 s."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.figures import Data
from bough.figures._style import panels, show_notes
from bough.gallery import cable
from bough.motion.trajectory import Trajectory
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "A cable of ten segments, let go level"
SOURCE = "[NM] Fig. 4"
TIMES = (0.0, 2.0, 4.0)


def shapes(run: Trajectory, times: tuple[float, ...], nodes: int) -> Array:
    """Points (x, z) of a cable from its fixed end on, (times, nodes + 1, 2)."""
    rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
    points = [run.model.pose(f"node{i}", run.q[rows])[:, (0, 2), 3] for i in range(1, nodes + 1)]
    return np.stack([np.zeros((len(times), 2)), *points], axis=1)


def data(short: bool = False) -> Data:
    """Shapes at the three times, and the energy over time."""
    model = cable(10).build()
    run = simulate(model, duration=TIMES[1] if short else TIMES[-1])
    times = tuple(t for t in TIMES if t <= run.t[-1] + 1e-9)
    energy = run.energy()
    change = np.abs(energy - energy[0]).max()
    kinetic = np.max(model.kinetic_energy(run.q, run.v))
    note = (
        f"steps of {run.settings['dt']:g} s, largest change of energy {change / kinetic:.0e} of the kinetic"
    )
    return {
        "times": times,
        "shapes": shapes(run, times, 10),
        "t": run.t,
        "energy_change": (energy - energy[0]) / kinetic,
        "notes": [note],
    }


def draw(data: Data) -> Figure:
    """One panel for each time."""
    picture, axes = panels(TITLE, 1, len(data["times"]), size=(9.0, 2.7), sharex=True, sharey=True)
    for panel, t, shape in zip(axes, data["times"], data["shapes"], strict=True):
        panel.plot(*np.asarray(shape).T, "o-", color="black", ms=3)
        panel.set(title=f"{t:g} s", xlabel="x / m", aspect="equal")
    axes[0].set(ylabel="z / m")
    show_notes(picture, data["notes"])
    return picture
