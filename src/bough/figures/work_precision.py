"""Accuracy against cost on three systems: every integrator of bough at many steps, and other engines.

The error is the root mean square distance of chosen points from where they are in a converged run, at 50
instants; the cost is the processor time of the run. Engines that hold constraints by soft forces do not
converge to the motion of the rigid mechanism: their lines end at a level.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import BoughError
from bough.figures import Data
from bough.figures._engines import engines, seconds
from bough.figures._lift import lift_of_bodies
from bough.figures._style import COLORS, panels, show_notes
from bough.gallery import closed_chain, pendulum, scissor_lift, scissor_lift_angle
from bough.model.model import Model
from bough.peers import with_inertia
from bough.registry import FAMILIES
from bough.simulate import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Accuracy against cost"
SOURCE = "own"
INSTANTS = 50
STEPS = (100, 200, 400, 800, 1600, 3200, 6400, 12800)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
ADAPTIVE = {"dop853": "dop853", "SciPy DOP853": "scipy-dop853", "SciPy radau": "radau"}
PEERS = ("ODE", "MuJoCo", "MuJoCo RK4", "Pinocchio RK4")
MARKERS = "os^vDP*Xd<>hp8H1234+x"


class Case(NamedTuple):
    """A system, its form for other engines, its duration, the points to compare and their true positions."""

    model: Model
    bodies: Model
    duration: float
    points: tuple[str, ...]
    truth: Callable[[], Array]


def cases() -> dict[str, Case]:
    """A tree, a mechanism with two loops, and one that passes through a singular configuration."""
    three = pendulum(3, inertia=0.1, angle=1.0).build()
    chain = with_inertia(closed_chain(), 0.01).build()
    lift = scissor_lift(3).build()
    return {
        "pendulum of 3 links, 3 s": Case(
            three, three, 3.0, ("bob1", "bob3"), partial(_converged_positions, three, 3.0, ("bob1", "bob3"))
        ),
        "closed chain, 2 s": Case(
            chain, chain, 2.0, ("G", "E"), partial(_converged_positions, chain, 2.0, ("G", "E"))
        ),
        "scissor lift of 3 segments, 3 s": Case(
            lift, lift_of_bodies(3), 3.0, ("a1", "a3"), partial(_lift, lift, 3.0, ("a1", "a3"))
        ),
    }


def _converged_positions(model: Model, duration: float, points: tuple[str, ...]) -> Array:
    """Positions from an adaptive method of order eight, with the constraints kept by projection."""
    run = simulate(
        model,
        duration=duration,
        dt=duration / INSTANTS,
        integrator="dop853",
        rtol=1e-12,
        atol=1e-13,
        stabilization="projection" if model.nc else None,
    )
    return _positions(model, run.q[1:], points)


def _lift(model: Model, duration: float, points: tuple[str, ...]) -> Array:
    """Positions from the exact angle."""
    t = np.linspace(0.0, duration, INSTANTS + 1)[1:]
    rows = [dict(scissor_lift(3, theta=float(angle)).start.q) for angle in scissor_lift_angle(t, 3)]
    return _positions(model, np.array([model.configuration(row) for row in rows]), points)


def _positions(model: Model, q: Array, points: tuple[str, ...]) -> Array:
    return np.stack([model.pose(point, q)[:, :3, 3] for point in points], axis=1)


def data(short: bool = False) -> Data:
    """For every case and method rows (error, seconds), one for each step or tolerance."""
    notes: list[str] = []
    found: Data = {}
    failures: dict[str, list[str]] = {}
    chosen = dict(list(cases().items())[: 1 if short else 3])
    for title, case in chosen.items():
        truth = case.truth()
        for name, run in _runs(case, STEPS[1:3] if short else STEPS, short, notes):
            row = _error_and_time(run, truth)
            key = f"{title}|{name}"
            if isinstance(row, str):
                failures.setdefault(key, []).append(row)
            else:
                found.setdefault(key, []).append(row)
    for key in [key for key in failures if key not in found]:
        title, _, name = key.partition("|")
        notes.append(f"{title}: no {name}, because {failures[key][-1]}")
    lost = [f"{key}: {why}" for key, all_of_it in failures.items() for why in all_of_it]
    return {**found, "cases": list(chosen), "failures": lost, "notes": list(dict.fromkeys(notes))}


Run = Callable[[], tuple[Array, float]]


def _runs(case: Case, steps: tuple[int, ...], short: bool, notes: list[str]) -> list[tuple[str, Run]]:
    runs: list[tuple[str, Run]] = []
    for count in steps:
        dt = case.duration / count
        runs += [(name, partial(_ours, case, dt, **options)) for name, options in _fixed_steps().items()]
        names = [name for name, _ in engines(case.bodies, dt, PEERS, notes)]
        runs += [(name, partial(_theirs, case, dt, name)) for name in names]
    kept = {"stabilization": "projection"} if case.model.nc else {}
    for rtol in () if short else TOLERANCES:
        runs += [
            (
                label,
                partial(_ours, case, case.duration / INSTANTS, integrator=name, rtol=rtol, atol=rtol, **kept),
            )
            for label, name in ADAPTIVE.items()
        ]
    return runs


def _fixed_steps() -> dict[str, dict[str, Any]]:
    """Options of `simulate` for every integrator of fixed step that takes any system."""
    names = [n for f in FAMILIES if not f.adaptive and f.title != "reduced" for n in f.names]
    return {name: {"integrator": name} for name in names} | {
        f"midpoint, order {order}": {"order": order} for order in (4, 6, 8)
    }


def _color(name: str) -> str:
    """The colour of an engine, or of a family of integrators."""
    if name.split()[0] in COLORS:
        return COLORS[name.split()[0]]
    titles = {n: f.title for f in FAMILIES for n in f.names}
    return {"generalised": "tab:green", "maximal": "tab:red"}.get(titles.get(name, ""), "black")


def _ours(case: Case, dt: float, **options: Any) -> tuple[Array, float]:
    every = max(1, round(case.duration / INSTANTS / dt))
    run = simulate(case.model, duration=case.duration, dt=dt, every=every, **options)
    cost = seconds(lambda: simulate(case.model, duration=case.duration, dt=dt, every=every, **options))
    return _positions(case.model, run.q[1:], case.points), cost


def _theirs(case: Case, dt: float, name: str) -> tuple[Array, float]:
    ((_, peer),) = engines(case.bodies, dt, (name,), [])
    every = round(case.duration / INSTANTS / dt)
    positions = []
    for _ in range(INSTANTS):
        peer.step(every)
        positions.append([peer.pose(point)[:3, 3] for point in case.points])
    peer.reset()
    return np.array(positions), seconds(lambda: peer.step(every * INSTANTS))


def _error_and_time(run: Run, truth: Array) -> tuple[float, float] | str:
    """Error and seconds, or the reason why the run failed, diverged or was not possible."""
    try:
        positions, cost = run()
    except BoughError as failed:
        return failed.found
    error = float(np.sqrt(np.mean(np.sum((positions - truth) ** 2, axis=-1))))
    return (error, cost) if np.isfinite(error) else "it diverged"


def draw(data: Data) -> Figure:
    """Error over seconds, a panel for each system."""
    titles = [str(title) for title in data["cases"]]
    picture, axes = panels(TITLE, 1, len(titles), size=(4.0 * len(titles) + 2.4, 4.6), squeeze=False)
    names = list(dict.fromkeys(key.partition("|")[2] for key in data if "|" in key))
    for panel, title in zip(axes[0], titles, strict=True):
        for name, marker in zip(names, cycle(MARKERS), strict=False):
            if f"{title}|{name}" in data:
                error, cost = np.asarray(data[f"{title}|{name}"]).T
                panel.loglog(cost, error, marker=marker, ms=4, lw=1, color=_color(name), label=name)
        panel.set(title=title, xlabel="processor time / s", ylim=(1e-12, 5.0))
        panel.grid(alpha=0.3)
    axes[0, 0].set(ylabel="root mean square error / m")
    lines = {line.get_label(): line for panel in axes[0] for line in panel.lines}
    picture.legend([lines[name] for name in names], names, fontsize="small", loc="outside right center")
    show_notes(picture, data["notes"])
    return picture
