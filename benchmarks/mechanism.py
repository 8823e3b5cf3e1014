"""The common part of the benchmarks of mechanisms: the same model in every engine, checked, then timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import bough
from benchmarks.harness import Contender, Row, interleave
from benchmarks.systems import Array
from bough.model.model import Model
from bough.peers import mujoco, ode

EVERY = 10  # number of steps between two energies
ROUND_SECONDS = 0.5  # largest time of a round: slower engines make fewer steps, whose cost is constant
ENERGY_SECONDS = 30.0  # largest time of a run for which the energy error is computed
SMALL = 1e-4  # step at which motions are compared, in s
PEERS: dict[str, Callable[..., Any]] = {
    "ODE": ode.OpenDynamicsEngine,
    "MuJoCo Euler": mujoco.MuJoCo,
    "MuJoCo implicitfast": partial(mujoco.MuJoCo, integrator="implicitfast"),
}


def row(
    benchmark: str,
    system: str,
    model: Model,
    *,
    dt: float,
    steps: int,
    points: tuple[str, ...],
    bodies: Model | None = None,
    seconds: float = 12.0,
    target: float | None = 1.0,
) -> Row:
    """bough beside ODE and MuJoCo from the start of a model; the ratio is that to ODE.

    `bodies` is the same mechanism for the peers, if they cannot represent the model itself.
    `points` are frames whose positions are compared before anything is timed, if there are any. The energy
    error is the largest deviation from the energy at the start, relative to the largest kinetic energy of
    bough's run.
    """
    run = bough.simulate(model, duration=steps * dt, dt=dt)
    moved = float(np.max(model.kinetic_energy(run.q, run.v)))
    notes = {"bough": _error(run.energy(), moved)}
    contenders = [Contender("bough", lambda: bough.simulate(model, duration=steps * dt, dt=dt), steps)]
    for name, build in _installed(notes):
        if points:
            _verify(f"{benchmark}, {system}: {name}", model, partial(build, bodies or model), points)
        peer = build(bodies or model, dt=dt)
        cost = _seconds_per_step(peer)
        notes[name] = (
            _error(_energies(peer, steps), moved) if cost * steps < ENERGY_SECONDS else "not computed"
        )
        count = max(2, min(steps, int(ROUND_SECONDS / cost)))
        contenders.append(Contender(name, _from_start(peer, count), count))
    timings = interleave(contenders, seconds=seconds, rounds=(5, 40))
    return Row(benchmark, system, "step", timings, ours="bough", peer="ODE", target=target, notes=notes)


def _installed(notes: dict[str, str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, build in PEERS.items():
        module = ode if name == "ODE" else mujoco
        if module.installed_version() is None:
            notes[name] = module.MISSING
        else:
            yield name, build


def _verify(what: str, model: Model, build: Callable[..., Any], points: tuple[str, ...]) -> None:
    """The same motion at small steps, with constraints as hard as MuJoCo makes them."""
    hard = {} if "ODE" in what else {"time_constant": 2 * SMALL}
    for name, error in differences(model, build(dt=SMALL, **hard), points).items():
        if not error < 2e-4:
            raise ArithmeticError(f"{what}: {name} is {error:.1e} m away after 0.1 s")


def differences(model: Model, peer: Any, points: tuple[str, ...]) -> dict[str, float]:
    """The distance of points from those of bough after 0.1 s, in m."""
    run = bough.simulate(model, duration=0.1, dt=1e-3)
    peer.step(round(0.1 / peer.dt))
    return {
        name: float(np.linalg.norm(peer.pose(name)[:3, 3] - model.pose(name, run.q[-1])[:3, 3]))
        for name in points
    }


def _energies(peer: Any, steps: int) -> Array:
    peer.reset()
    result: Array = peer.energies(steps // EVERY, EVERY)
    return result


def _error(energies: Array, scale: float) -> str:
    """The relative energy error as text."""
    error = np.max(np.abs(energies - energies[0])) / scale
    return f"{error:.0e}" if error < 1e3 else "diverges"  # NaN compares false


def _seconds_per_step(peer: Any) -> float:
    peer.step(1)
    begin = time.perf_counter()
    peer.step(3)
    return (time.perf_counter() - begin) / 3


def _from_start(peer: Any, steps: int) -> Callable[[], None]:
    def run() -> None:
        peer.reset()
        peer.step(steps)

    return run
