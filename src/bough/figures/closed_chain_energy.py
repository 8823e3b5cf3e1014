"""Energy of the closed chain for 120 s at steps of 0.01 s in bough, Open Dynamics Engine and MuJoCo.

The point masses of Listing 1 have an inertia of 0.01 here, in all engines: ODE cannot be without.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bough.figures import Data
from bough.figures._engines import engines, seconds
from bough.figures._style import color, name_lines, panels, show_notes
from bough.gallery import closed_chain
from bough.peers import with_inertia
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Energy of the closed chain, steps of 0.01 s"
SOURCE = "[JM09] Fig. 8"
DT, EVERY = 0.01, 5
PEERS = ("ODE", "MuJoCo", "MuJoCo RK4")


def data(short: bool = False) -> Data:
    """Energies of each engine every few steps, and the processor time of its run."""
    model = with_inertia(closed_chain(), 0.01).build()
    duration = 20.0 if short else 120.0
    steps = round(duration / DT)
    run = simulate(model, duration=duration, dt=DT, every=EVERY)
    notes: list[str] = []
    rest = model.equilibrium()
    found: Data = {
        "t": run.t,
        "bough": run.energy(),
        "constraint": np.abs(model.constraint(run.q)).max(axis=1),
        "rest": float(model.energy(rest.q, np.zeros(model.nv))),
    }
    times = {"bough": seconds(lambda: simulate(model, duration=duration, dt=DT))}
    for name, peer in engines(model, DT, PEERS, notes):
        found[name] = peer.energies(steps // EVERY, EVERY)
        peer.reset()
        times[name] = seconds(partial(peer.step, steps))
    said = ", ".join(f"{name} {time:.3f} s" for name, time in times.items())
    notes.append(f"processor time of the {duration:g} s: {said}")
    return {**found, "engines": list(times), "seconds": list(times.values()), "notes": notes}


def draw(data: Data) -> Figure:
    """Energies over time, above the energy at rest."""
    picture, axes = panels(TITLE)
    for name in reversed([str(engine) for engine in data["engines"]]):
        style = ":" if name == "MuJoCo RK4" else "-"
        axes.plot(
            data["t"], np.asarray(data[name]) - data["rest"], style, color=color(name), label=name, lw=1
        )
    axes.set(xlabel="time / s", ylabel="energy above rest / J", ylim=(0.0, None))
    name_lines(axes)
    show_notes(picture, data["notes"])
    return picture
