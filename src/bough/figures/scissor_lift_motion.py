"""The scissor lift of five segments for 10 s: bough at 0.01 s, other engines at smaller and smaller steps.

The lift starts at rest at 0.6 rad and swings through pi/2, where its constraints lose rank, nine times.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bough.figures import Data
from bough.figures._engines import engines, seconds
from bough.figures._lift import exact, lift, lift_of_bodies, ours, theirs
from bough.figures._style import COLORS, name_lines, panels, show_notes
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Scissor lift of 5 segments"
SOURCE = "[JM09] Fig. 11"
SEGMENTS, DT = 5, 0.01
STEPS = {
    "ODE 0.01": 0.01,
    "ODE 0.001": 0.001,
    "ODE 0.0001": 0.0001,
    "MuJoCo 0.01": 0.01,
    "MuJoCo 0.0001": 0.0001,
}
FOURTH = "bough order 4, 0.01"
LINES = {
    FOURTH: "--",
    "ODE 0.01": ":",
    "ODE 0.001": "--",
    "ODE 0.0001": "-",
    "MuJoCo 0.01": ":",
    "MuJoCo 0.0001": "-",
}


def data(short: bool = False) -> Data:
    """The angle of each engine every 0.01 s, and the processor time of its run."""
    duration = 2.0 if short else 10.0
    model, bodies = lift(SEGMENTS), lift_of_bodies(SEGMENTS)
    t, theta = ours(model, duration, round(duration / DT))
    found: Data = {"t": t, "exact": exact(t, SEGMENTS), "bough 0.01": theta}
    found[FOURTH] = ours(model, duration, round(duration / DT), order=4)[1]
    times = {
        "bough 0.01": seconds(lambda: simulate(model, duration=duration, dt=DT)),
        FOURTH: seconds(lambda: simulate(model, duration=duration, dt=DT, order=4)),
    }
    notes: list[str] = []
    for label, dt in STEPS.items():
        if short and dt < 0.001:
            continue
        for _, peer in engines(bodies, dt, (label.split()[0],), notes):
            found[label] = theirs(peer, len(t) - 1, round(DT / dt))
            peer.reset()
            times[label] = seconds(partial(peer.step, round(duration / dt)))
    said = ", ".join(f"{name} s: {time:.3f} s" for name, time in times.items())
    notes = list(dict.fromkeys(notes))
    return {**found, "engines": list(times), "notes": [*notes, f"processor time: {said}"]}


def draw(data: Data) -> Figure:
    """Angles over time, and how far they are from the exact one."""
    picture, (angle, error) = panels(TITLE, 2, size=(8.0, 7.0), sharex=True)
    angle.plot(data["t"], data["exact"], color=COLORS["exact"], lw=4, alpha=0.5, label="exact")
    for name in map(str, data["engines"]):
        style = {"color": COLORS[name.split()[0]], "ls": LINES.get(name, "-"), "lw": 1.2}
        angle.plot(data["t"], data[name], label=f"{name} s", **style)
        away = np.abs(np.asarray(data[name]) - data["exact"])
        error.semilogy(data["t"][1:], np.maximum(away[1:], 1e-12), **style)
    angle.set(ylabel="θ / rad")
    name_lines(angle)
    error.set(xlabel="time / s", ylabel="distance from exact / rad", ylim=(1e-7, 5))
    show_notes(picture, data["notes"])
    return picture
