"""Run time of scissor lifts at equal error, [JM09] eq. 47: the integral of the squared error of the angle.

For every number of segments the step is sought at which this error reaches 0.1 after 15 s; the processor time
of such a run is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import trapezoid

from bough.arguments import Array
from bough.figures import Data
from bough.figures._engines import engines, seconds
from bough.figures._lift import exact, lift, lift_of_bodies, ours, theirs
from bough.figures._style import color, name_lines, panels, show_notes
from bough.model.model import Model
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Scissor lifts: time of 15 s of motion at equal error"
SOURCE = "[JM09] Fig. 13"
DURATION, ERROR = 15.0, 0.1
MOST_STEPS = 60_000
SAMPLES = 1500  # number of samples of the angle for the integral
PEERS = ("ODE", "MuJoCo", "MuJoCo RK4")


def data(short: bool = False) -> Data:
    """For every engine rows of steps and seconds, one for each number of segments, or NaN."""
    segments = range(1, 3 if short else 6)
    notes: list[str] = []
    found: dict[str, list[tuple[float, float]]] = {}
    for n in segments:
        bodies = lift_of_bodies(n)
        for name in ("bough", *(name for name, _ in engines(bodies, 1.0, PEERS[: 1 if short else 3], notes))):
            model = lift(n) if name == "bough" else bodies
            steps = enough_steps(partial(squared_error, model, n, name))
            found.setdefault(name, []).append((steps, _seconds(model, name, steps)))
    notes = list(dict.fromkeys(notes))
    for name, rows in found.items():
        if np.isnan(rows).any():
            missed = [str(n) for n, (steps, _) in zip(segments, rows, strict=True) if np.isnan(steps)]
            notes.append(
                f"{name}: error not reached with {MOST_STEPS} steps for {', '.join(missed)} segments"
            )
    return {"segments": segments, **found, "engines": list(found), "notes": notes}


def squared_error(model: Model, segments: int, engine: str, steps: int) -> float:
    """[JM09] eq. 47 over the run, by samples."""
    every = max(1, steps // SAMPLES)
    count = -(-steps // every)  # the last sample may lie slightly after the end
    dt = DURATION / steps
    t = np.linspace(0.0, count * every * dt, count + 1)
    if engine == "bough":
        theta = ours(model, t[-1], count * every, every)[1]
        if len(theta) < len(t):
            return np.inf  # the step was too long
    else:
        ((_, peer),) = engines(model, dt, (engine,), [])
        theta = theirs(peer, count, every)
    error = float(trapezoid((theta - exact(t, segments)) ** 2, t))
    return error if np.isfinite(error) else np.inf  # the run diverged


def enough_steps(error: Callable[[int], float]) -> float:
    """The number of steps, to about 2 %, at which a run has the error 0.1; NaN if too many are needed."""
    low, high = 0, 250
    while error(high) > ERROR:
        low, high = high, 2 * high
        if high > MOST_STEPS:
            return float("nan")
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (middle, high) if error(middle) > ERROR else (low, middle)
    return float(high)


def _seconds(model: Model, engine: str, steps: float) -> float:
    if np.isnan(steps):
        return steps
    dt = DURATION / steps
    if engine == "bough":
        return seconds(lambda: simulate(model, duration=DURATION, dt=dt))
    ((_, peer),) = engines(model, dt, (engine,), [])
    return seconds(lambda: peer.step(int(steps)))


def draw(data: Data) -> Figure:
    """Seconds over segments, and the steps that they took."""
    picture, (time, step) = panels(TITLE, 1, 2, size=(9.0, 4.2))
    for name in map(str, data["engines"]):
        rows: Array = np.asarray(data[name])
        style = {"color": color(name), "marker": "s" if "RK4" in name else "o", "ms": 4}
        time.semilogy(data["segments"], rows[:, 1], label=name, **style)
        step.semilogy(data["segments"], DURATION / rows[:, 0], **style)
    for axes, label in ((time, "processor time / s"), (step, "step / s")):
        axes.set(xlabel="segments", ylabel=label, xticks=list(data["segments"]))
    name_lines(time)
    show_notes(picture, data["notes"])
    return picture
