"""Many runs of a pendulum of ten links: `bough.ensemble` beside MuJoCo's `rollout` and a C++ loop over Pinocchio.

1000 starts, 2000 steps of 0.01 s each, on two threads in every engine: tame, straight at 45 degrees and a little
more from run to run, and lively, each angle between -1 and 1 rad. Then the same on one and on two threads, and what
a run of ten steps costs beyond its steps. Every run is timed by the clock on the wall and by processor time: on a
machine with other work, only the second tells what a step costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import bough
from benchmarks import ours, pendulum
from benchmarks.harness import Contender, Row, Timing, fastest, interleave
from benchmarks.systems import Array
from benchmarks.systems import pendulum as tree
from bough.model.model import Model
from bough.peers.mujoco import MuJoCo
from bough.peers.pinocchio import Pinocchio

LINKS, DT, STEPS, STARTS, THREADS = 10, 0.01, 2000, 1000, 2
SHORT, SHORT_RUNS = 10, 20_000  # steps of a short run, and how many of them
ROUNDS = 5
CLOCKS = {"wall": time.perf_counter_ns, "processor": time.process_time_ns}
TARGETS = {"tame": 1 / 2.5, "lively": 1 / 1.8}
Runs = Mapping[str, Callable[[Array], object]]


def starts(kind: str) -> Array:
    """Configurations of runs that begin at rest."""
    if kind == "lively":
        return np.random.default_rng(7).uniform(-1.0, 1.0, (STARTS, LINKS))
    q = np.zeros((STARTS, LINKS))
    q[:, 0] = np.pi / 4 + np.linspace(0.0, 0.1, STARTS)
    return q


def rows() -> Iterator[Row]:
    model = ours.build(tree(LINKS))
    pendulum._verify(LINKS, model)
    engines: Runs = {
        "bough": _ensemble(model, STEPS, THREADS),
        "MuJoCo rollout": MuJoCo(model, dt=DT).rollouts(STEPS, THREADS),
        "Pinocchio local": _pinocchio(model),
    }
    for kind, target in TARGETS.items():
        for clock, timings in _by_both_clocks(engines, starts(kind)).items():
            best = fastest(timings, list(engines)[1:])
            system = f"{kind}, {THREADS} threads, {clock}"
            yield Row("ensemble", system, "step", timings, ours="bough", peer=best, target=target)
    workers: Runs = {"1 worker": _ensemble(model, STEPS, 1), "2 workers": _ensemble(model, STEPS, 2)}
    for clock, timings in _by_both_clocks(workers, starts("tame")).items():
        target = 1 / 1.9 if clock == "wall" else 1.05
        yield Row(
            "ensemble", f"tame, {clock}", "step", timings, ours="2 workers", peer="1 worker", target=target
        )
    yield _short_runs(model)


def _by_both_clocks(runs: Runs, q: Array) -> dict[str, dict[str, Timing]]:
    """Times of a step by each clock, in rounds in which all take their turn."""
    for run in runs.values():
        run(q[:20])
    spent: dict[str, dict[str, list[float]]] = {clock: {name: [] for name in runs} for clock in CLOCKS}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begin = {clock: now() for clock, now in CLOCKS.items()}
            run(q)
            for clock, now in CLOCKS.items():
                spent[clock][name].append((now() - begin[clock]) / (len(q) * STEPS))
    return {clock: {name: Timing(np.array(x)) for name, x in times.items()} for clock, times in spent.items()}


def _ensemble(model: Model, steps: int, threads: int) -> Callable[[Array], object]:
    problem = bough.Problem(model, duration=steps * DT, dt=DT, every=steps)
    return lambda q: bough.ensemble(problem, {"q": q}, workers=threads, progress=False)


def _pinocchio(model: Model) -> Callable[[Array], object]:
    """Each thread has its own `Data`; a run is one call of C++, which releases the interpreter."""
    peers = [Pinocchio(model) for _ in range(THREADS)]

    def run(q: Array) -> None:
        def share(first: int) -> None:
            for start in q[first::THREADS]:
                peers[first].semi_implicit_euler("local", STEPS, DT, start.copy(), np.zeros(LINKS))

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(share, range(THREADS)))

    return run


def _short_runs(model: Model) -> Row:
    """Processor time of runs of ten steps, and of ten steps in the middle of long runs from the same starts."""
    q = np.random.default_rng(7).uniform(-0.3, 0.3, (SHORT_RUNS, LINKS))
    few = q[: SHORT_RUNS // 40]
    short, long = _ensemble(model, SHORT, 1), _ensemble(model, 60 * SHORT, 1)
    contenders = [
        Contender(f"runs of {SHORT} steps", lambda: short(q), SHORT_RUNS),
        Contender(f"{SHORT} steps of long runs", lambda: long(few), 59 * len(few), empty=lambda: short(few)),
    ]
    return Row("ensemble", "short runs", "run", interleave(contenders, seconds=20.0))
