"""Lively chains: N-link pendulums from random starts, where a step has something to solve.

The links are those of `pendulum`, at rest with angles uniform in ±1 rad, for 10 s. Every round is another start,
the same for all contenders; a time is that of 0.01 s of motion, and the error of the energy is the largest
deviation from the start relative to what the chain could release, median and mean over the starts: means have
heavy tails. Rows compare equal steps, and equal errors: bough at half the step of RK4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

import bough
from benchmarks import ours
from benchmarks.harness import Contender, Row, interleave
from benchmarks.pendulum import pendulum_energy
from benchmarks.systems import GRAVITY, Array, pendulum
from bough.model.model import Model
from bough.peers import mujoco

SIZES = (5, 10, 20, 40)
STARTS = 50
DURATION = 10.0
UNIT = 0.01  # s of motion that a time is for
EVERY = 10  # units between two energies
EQUAL_STEP = ("bough dt 0.01", "MuJoCo Euler dt 0.01")
EQUAL_ERROR = ("bough dt 0.005", "MuJoCo RK4 dt 0.01")

Run = Callable[[Array], Array]


def rows() -> Iterator[Row]:
    for n in SIZES:
        yield from _rows(n)


def starts(n: int) -> Array:
    """The configurations at rest that all contenders start from."""
    return np.random.default_rng(n).uniform(-1.0, 1.0, (STARTS, n))


def _rows(n: int) -> Iterator[Row]:
    model = ours.build(pendulum(n))
    runs: dict[str, Run] = {
        "bough dt 0.01": _bough(model, 0.01),
        "bough dt 0.005": _bough(model, 0.005),
        "MuJoCo Euler dt 0.01": _mujoco(model, 0.01, "Euler"),
        "MuJoCo RK4 dt 0.01": _mujoco(model, 0.01, "RK4"),
    }
    begin = starts(n)
    notes = {name: _errors(n, run, begin) for name, run in runs.items()}
    timed = interleave(
        [Contender(name, _next(run, begin), round(DURATION / UNIT)) for name, run in runs.items()],
        seconds=0.0,
        rounds=(STARTS, STARTS),
    )
    for what, (mine, peer), target in (("step", EQUAL_STEP, None), ("error", EQUAL_ERROR, 0.35)):
        names = (mine, peer)
        yield Row(
            "lively",
            f"N = {n}, equal {what}",
            "0.01 s",
            {name: timed[name] for name in names},
            mine,
            peer,
            target,
            {name: notes[name] for name in names},
        )


def _next(run: Run, begin: Array) -> Callable[[], object]:
    """The run from the next start, whenever it is called."""
    turn = count()
    return lambda: run(begin[next(turn) % len(begin)])


def _bough(model: Model, dt: float) -> Run:
    every = round(EVERY * UNIT / dt)

    def run(q: Array) -> Array:
        found = bough.simulate(model, q, duration=DURATION, dt=dt, every=every)
        return np.stack([np.asarray(found.q), np.asarray(found.v)])

    return run


def _mujoco(model: Model, dt: float, integrator: str) -> Run:
    engine = mujoco.MuJoCo(model, dt=dt, integrator=integrator)
    every = round(EVERY * UNIT / dt)

    def run(q: Array) -> Array:
        engine.set(q, np.zeros_like(q))
        found = [(engine.q.copy(), engine.v.copy())]
        for _ in range(round(DURATION / dt) // every):
            engine.step(every)
            found.append((engine.q.copy(), engine.v.copy()))
        return np.swapaxes(np.array(found), 0, 1)

    return run


def _errors(n: int, run: Run, begin: Array) -> str:
    """The errors of the energy over all starts, as text."""
    found = []
    for q in begin:
        energy = pendulum_energy(*run(q))
        lowest = GRAVITY[2] * n * (n + 1) / 2  # hanging at rest
        found.append(float(np.max(np.abs(energy - energy[0])) / (energy[0] - lowest)))
    middle, mean = np.median(found), np.mean(found)
    shown = [f"{x:.0e}" if x < 1e3 else "diverges" for x in (middle, mean)]  # NaN compares false
    return f"{shown[0]} (mean {shown[1]})"
