"""Energy of a marionette without damping for ten minutes at steps of 0.005 s, in every engine.

The control frame and the strings are held; the puppet is pushed sideways and swings on its seven strings and
the springs of its joints.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bough.description.start import Start
from bough.description.system import System
from bough.figures import Data
from bough.figures._engines import engines, seconds
from bough.figures._style import color, name_lines, panels, show_notes
from bough.gallery import marionette
from bough.model.model import Model
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Energy of a marionette without damping, steps of 0.005 s"
SOURCE = "own"
PUSH = 0.2  # sideways velocity at the start, in m/s
DT, EVERY = 0.005, 20
PEERS = ("ODE", "MuJoCo", "MuJoCo RK4")


def puppet() -> Model:
    """The marionette with the velocities of a push as its start.

    Its strings are rods, in all engines alike: without damping some of them push.
    """
    description = marionette(damping=0.0).to_dict()
    for element in description["elements"]:
        element.pop("wire", None)
    system = System.from_dict(description)
    at_rest = system.build()
    q = at_rest.configuration(dict(system.start.q))
    pushed = at_rest.assemble(q, at_rest.configuration({"pelvis_ty": PUSH}))
    v = dict(zip(at_rest.dynamic, pushed.v.tolist(), strict=False))
    system.start = Start(q=dict(system.start.q), v=v, duration=10.0)
    return system.build()


def data(short: bool = False) -> Data:
    """Energies of each engine every 0.1 s, and the processor time of its run."""
    model = puppet()
    duration = 20.0 if short else 600.0
    run = simulate(model, duration=duration, dt=DT, every=EVERY)
    rest = model.equilibrium()
    found: Data = {
        "t": run.t,
        "bough": run.energy(),
        "constraint": np.abs(model.constraint(run.q)).max(axis=1),
        "rest": float(model.potential_energy(rest.q)),
    }
    times = {"bough": seconds(lambda: simulate(model, duration=duration, dt=DT))}
    notes: list[str] = []
    for name, peer in engines(model, DT, PEERS, notes):
        found[name] = peer.energies(len(run.t) - 1, EVERY)
        peer.reset()
        times[name] = seconds(partial(peer.step, round(duration / DT)))
    lost = [f"{name} diverges" for name in times if not np.isfinite(found[name]).all()]
    said = ", ".join(f"{name} {time:.1f} s" for name, time in times.items())
    notes = [*dict.fromkeys(notes), *lost, f"processor time of the {duration:g} s: {said}"]
    return {**found, "engines": list(times), "notes": notes}


def draw(data: Data) -> Figure:
    """Energy above rest, relative to that of the start."""
    picture, axes = panels(TITLE)
    start = data["bough"][0] - data["rest"]
    for name in reversed([str(engine) for engine in data["engines"]]):
        share = (np.asarray(data[name]) - data["rest"]) / start
        axes.plot(data["t"], share, ":" if "RK4" in name else "-", color=color(name), label=name, lw=1)
    axes.set(xlabel="time / s", ylabel="energy above rest / its start", ylim=(0.0, 1.3))
    name_lines(axes)
    show_notes(picture, data["notes"])
    return picture
