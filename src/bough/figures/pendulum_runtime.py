"""Run time of 10 s of N-link pendulums: the core, the papers' recursion with and without caching, peers.

The recursion is the papers' own, equation by equation, in Python. Only a few of its steps are made, and their
time is multiplied; that of the others is the whole run's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bough.arguments import Array
from bough.description.system import System
from bough.figures import Data
from bough.figures._engines import engines, note, seconds
from bough.figures._style import color, name_lines, panels, show_notes
from bough.gallery import pendulum
from bough.model.model import Model
from bough.peers import pinocchio
from bough.peers.compiler import PeerError
from bough.reference import PaperRecursion
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "10 s of N-link pendulums at steps of 0.01 s"
SOURCE = "[JM08] Fig. 3, [JM09] Fig. 7"
DT, STEPS = 0.01, 1000
PATIENCE = 20.0  # largest time of a step, in s; no larger pendulum is tried after a longer one


class LiteralStep:
    """One step of the midpoint rule after the other, by Newton's method with the papers' derivatives.

    [JM09] (14)-(19): f = p0 + dt/2 L_dq - L_dv at (q0 + q1)/2, (q1 - q0)/dt, and
    Df = dt/4 L_dqdq + (L_dqdv - L_dqdv^T)/2 - L_dvdv/dt.
    """

    def __init__(self, system: System, cache: bool) -> None:
        self.paper = PaperRecursion(system, cache=cache)
        model = system.build()
        self.q = model.configuration(dict(system.start.q))
        self.v = np.zeros_like(self.q)
        self.p = np.zeros_like(self.q)

    def step(self) -> None:
        """Advance q and p by DT."""
        paper, q1 = self.paper, self.q + DT * self.v
        for _ in range(20):
            paper.at(0.5 * (self.q + q1), (q1 - self.q) / DT)
            L_dq, L_dv, mixed = paper.L_dq(), paper.L_dv(), paper.L_dqdv()
            slope = DT / 4 * paper.L_dqdq() + 0.5 * (mixed - mixed.T) - paper.L_dvdv() / DT
            change = np.linalg.solve(slope, -(self.p + DT / 2 * L_dq - L_dv))
            q1 = q1 + change
            if np.abs(change).max() < 1e-9:  # the next one would be of the order of its square
                break
        self.q, self.v = q1, (q1 - self.q) / DT
        paper.at(q1 - DT / 2 * self.v, self.v)
        self.p = DT / 2 * paper.L_dq() + paper.L_dv()


def data(short: bool = False) -> Data:
    """Seconds for every number of links, NaN if an engine was not tried."""
    links = np.array([1, 2, 3]) if short else np.array([1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 19])
    notes = ["paper: a few steps in Python, multiplied"]
    found: dict[str, list[float]] = {}
    limit = 0.3 if short else PATIENCE
    for n in links:
        system = pendulum(int(n), inertia=0.1, angle=math.pi / 4)
        model = system.build()
        times = {"bough": _least(partial(simulate, model, duration=STEPS * DT, dt=DT))}
        for name, cache in (("paper, caching", True), ("paper, no caching", False)):
            before = found.get(name, [0.0])[-1] / STEPS
            times[name] = math.nan if math.isnan(before) or before > limit else _literal(system, cache)
        for name, peer in engines(model, DT, ("MuJoCo", "ODE"), notes):
            times[name] = _least(partial(peer.step, STEPS))
        if not short:
            times |= _pinocchio(model, notes)
        for name, time in times.items():
            found.setdefault(name, []).append(time)
    return {"links": links, **found, "engines": list(found), "notes": list(dict.fromkeys(notes))}


def _literal(system: System, cache: bool) -> float:
    literal = LiteralStep(system, cache)
    literal.step()  # the first one starts at rest and is not typical
    first = seconds(literal.step)
    more = max(1, min(20, int(1.0 / first)))
    return STEPS * (first + sum(seconds(literal.step) for _ in range(more))) / (more + 1)


def _pinocchio(model: Model, notes: list[str]) -> dict[str, float]:
    if pinocchio.installed_version() is None:
        note(notes, "Pinocchio", pinocchio.MISSING)
        return {}
    try:
        peer = pinocchio.Pinocchio(model)
    except PeerError as error:
        note(notes, "Pinocchio", error.reason)
        return {}
    q: Array = model.configuration(dict(model.start.q))
    v = np.zeros_like(q)
    return {"Pinocchio": _least(lambda: peer.semi_implicit_euler("local", STEPS, DT, q, v))}


def _least(run: Callable[[], object]) -> float:
    return min(seconds(run) for _ in range(3))


def draw(data: Data) -> Figure:
    """Seconds over links."""
    picture, axes = panels(TITLE, size=(7.0, 5.0))
    for name in map(str, data["engines"]):
        dotted = "no caching" in name
        axes.loglog(
            data["links"], data[name], ":" if dotted else "-", marker="o", ms=3, color=color(name), label=name
        )
    axes.axhline(STEPS * DT, color="0.85", zorder=0)
    axes.text(1.0, STEPS * DT, "real time", va="bottom", color="0.6", fontsize="small")
    ticks = [int(n) for n in data["links"]]
    axes.set(xlabel="links", ylabel="processor time of 10 s / s", xticks=ticks, xticklabels=ticks)
    axes.minorticks_off()
    name_lines(axes)
    show_notes(picture, data["notes"])
    return picture
