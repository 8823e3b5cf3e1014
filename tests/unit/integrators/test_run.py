"""Steps in chunks: Ctrl-C is looked for every few hundredths of a second of work, by a clock made here."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bough
from bough.integrators import run as _runner
from bough.integrators.run import CHUNK, QUICK_STEPS, Plan, run_in_chunks
from bough.motion.inputs import Inputs
from bough.watch import Interrupted, Watch


class Steps:
    """A run whose steps take the seconds that `cost(step)` says, with a record of its chunks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost: Callable[[int], float], steps: int) -> None:
        self.now = 0.0
        self.cost = cost
        self.chunks: list[tuple[int, int, float]] = []  # first step, count, seconds
        self.watch = Watch("steps", 1.0, steps, False)
        self.asked_at: float | None = None
        clock = SimpleNamespace(perf_counter=lambda: self.now)
        monkeypatch.setattr(_runner, "time", clock)
        grid = SimpleNamespace(steps=steps, dt=0.01, last=0.01)
        model = SimpleNamespace(_quick=False)  # so that the first chunk has one step
        self.plan: Any = SimpleNamespace(grid=grid, inputs=SimpleNamespace(function=None), model=model)

    def advance(self, first: int, count: int, dt: float) -> None:
        took = sum(self.cost(step) for step in range(first, first + count))
        self.now += took
        self.chunks.append((first, count, took))
        if self.asked_at is not None and self.now >= self.asked_at:
            self.watch.asked = True

    def run(self) -> None:
        try:
            run_in_chunks(self.plan, self.advance, self.watch)
        finally:
            self.watch.close()


@pytest.mark.parametrize("cost", [1e-7, 1e-5, 1e-3, 0.5])
def test_chunks_are_short_and_few(monkeypatch: pytest.MonkeyPatch, cost: float) -> None:
    run = Steps(monkeypatch, lambda step: cost, 1 + int(3.0 / cost))
    run.run()
    ends = [first + count for first, count, _ in run.chunks]
    assert [first for first, _, _ in run.chunks] == [0, *ends[:-1]]
    assert ends[-1] == run.plan.grid.steps
    assert max(took for *_, took in run.chunks) < max(1.001 * CHUNK, 1.001 * cost)
    # a hundred of them, and those in which the first one grows by fours
    assert len(run.chunks) <= 3.0 / CHUNK + 20


def test_small_models_of_the_core_alone_begin_with_several_steps() -> None:
    def pushed(t: float, q: object, v: object) -> float:
        return 0.0

    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationForce("angle", "torque"))
    grid = bough.Problem(system.build(), duration=1.0).grid
    rest = (np.zeros(1),) * 3

    def first(model: bough.Model, function: Any = None) -> int:
        plan = Plan(model, grid, *rest, Inputs(np.zeros((1, 1)), function), np.zeros((0, 0)), {})
        counts: list[int] = []
        watch = Watch("", 1.0, grid.steps, False)
        run_in_chunks(plan, lambda first, count, dt: counts.append(count), watch)
        watch.close()
        return counts[0]

    assert first(system.build()) == QUICK_STEPS
    assert first(system.build(), pushed) == 1  # feedback
    system.add(bough.FunctionForce("angle", pushed))
    assert first(system.build()) == 1  # a step calls Python


def test_steps_that_become_slower_make_few_long_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Steps(monkeypatch, lambda step: 1e-5 if step < 10_000 else 5e-5, 50_000)
    run.run()
    long = [took for *_, took in run.chunks if took > 1.001 * CHUNK]
    assert len(long) <= 2  # the one in which it happens, and one more
    assert max(long) <= 5.001 * CHUNK  # below the 0.2 s after which one notices


def test_ctrl_c_ends_a_run_after_the_chunk_it_came_in(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Steps(monkeypatch, lambda step: 1e-4, 1_000_000)
    run.asked_at = 1.0
    with pytest.raises(Interrupted):
        run.run()
    assert 1.0 <= run.now < 1.0 + CHUNK


def test_ctrl_c_ends_a_method_of_scipy_at_the_next_evaluation() -> None:
    times: list[float] = []

    def pushed(t: float, q: object, v: object) -> float:
        times.append(t)
        if len(times) == 100:
            os.kill(os.getpid(), signal.SIGINT)
        return 0.0

    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.FunctionForce("angle", pushed))
    model = system.build()
    times.clear()
    settings = {"integrator": "rk45", "on_failure": "stop", "progress": False}
    run = bough.simulate(model, {"angle": 1.0}, duration=1e3, dt=0.1, **settings)
    assert run.status == "interrupted"
    # the evaluation it came in ends, and the forces of constraints are not asked for
    assert set(times[100:]) <= {times[99], *run.t}
