"""Measurements of one integrator: its run, the drifts of the run, and the time it needs for a given error."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bough.comparison.distance import Distance
from bough.comparison.methods import Method, run_method
from bough.comparison.reference import Reference
from bough.comparison.result import Attempt, Comparison, Row
from bough.errors import BoughError
from bough.integrators.continuous_run import RTOL
from bough.motion.trajectory import Trajectory
from bough.problem import Problem

REPEATS, QUICK = 3, 0.1  # number of timings of runs shorter than this many seconds
HALVINGS = 16
DOUBLINGS = 10
# an error that stops falling although the step is halved will not fall further
FALLEN, STALLED = 0.1, 0.8
TOLERANCES = 10.0 ** -np.arange(2.0, 13.0)


def ran(problem: Problem, method: Method, row: Row) -> Row:
    """The row with its run, or with the reason why there is none."""
    grid = problem.grid
    try:
        run = run_method(problem, method, grid.dt, grid.every)
        best = min([run.statistics["cpu_time"], *_again(problem, method, run)])
    except Exception as error:  # any error is shown in the table, and the others continue
        return replace(row, run=getattr(error, "trajectory", None), failure=failure_text(error))
    coarse = run.statistics.get("coarse", 0)
    note = f"{coarse} coarse steps" if coarse else ""
    return replace(row, run=run, run_time=best, note=note)


def _again(problem: Problem, method: Method, run: Trajectory) -> Iterator[float]:
    """More timings of a short run."""
    for _ in range(REPEATS - 1 if run.statistics["cpu_time"] < QUICK else 0):
        yield run_method(problem, method, problem.grid.dt, problem.grid.every).statistics["cpu_time"]


def failure_text(error: Exception) -> str:
    """A failure in one line: when, and what was found."""
    if isinstance(error, BoughError):
        moment = getattr(error, "time", None)
        at = f"t = {moment:.4g} s: " if moment is not None and np.isfinite(moment) else ""
        return f"{at}{error.found}"
    return f"{type(error).__name__}: {error}"


def measured(comparison: Comparison, distance: Distance, row: Row) -> Row:
    """The row with the drifts and errors of its run."""
    run, kept, reference = row.run, comparison.conserved, comparison.reference
    if run is None or row.failure is not None:
        return row
    tenth = max(1, len(run) // 10)
    off = comparison.energy_error(run)
    error = None
    if reference is not None:
        error = float(distance(run.q[: reference.rows], reference.run.q[: reference.rows]).max())
    return replace(
        row,
        energy_drift=float(np.abs(off).max()),
        energy_trend=float(off[-tenth:].mean() - off[:tenth].mean()),
        momentum_drift=float(kept.momentum_drift(run).max()) if kept is not None and kept.momenta else None,
        joint_drift=joint_drift(run),
        constraint_drift=float(np.abs(run.constraint_error()).max()) if run.model.nc else None,
        trajectory_error=error,
    )


def joint_drift(run: Trajectory) -> float:
    """The largest gap at a joint of a run in maximal coordinates; zero for all others."""
    return 0.0 if run.bodies is None else float(run.bodies.drift[..., 0].max(initial=0.0))


# --- time to reach an error ---


class Search:
    """The run with the longest step of one method that keeps a given error, by halving or doubling it.

    An adaptive method is given ever smaller tolerances instead, and in the end that of its row.
    """

    def __init__(
        self,
        problem: Problem,
        method: Method,
        reference: Reference,
        distance: Distance,
        target: float,
        effort: float,
    ) -> None:
        self._problem, self._method, self._reference = problem, method, reference
        self._distance, self._target = distance, target
        self._end = time.thread_time() + effort  # processor time, independent of the load of the machine
        self._last = 0.0
        self.attempts: list[Attempt] = []

    def found(self) -> Attempt | None:
        """The attempt with the longest step that keeps the error; None if none does within the effort."""
        if self._reference.rows < 2:
            return None
        if self._method.family.adaptive:
            self._tighten()
        elif self._try(0):
            self._lengthen()
        else:
            self._shorten()
        fine = [attempt for attempt in self.attempts if attempt.error <= self._target]
        return max(fine, key=lambda attempt: attempt.setting, default=None)

    def _tighten(self) -> None:
        grid = self._problem.grid
        for rtol in TOLERANCES.tolist():
            if self._late():
                break
            if self._attempt(rtol, grid.dt, grid.every, 1, rtol=rtol, atol=0.01 * rtol):
                return
        if all(attempt.setting > RTOL for attempt in self.attempts):
            self._attempt(RTOL, grid.dt, grid.every, 1)  # the default, as in the row

    def _shorten(self) -> None:
        for level in range(1, HALVINGS + 1):
            if self._late() or self._try(level):
                return
            errors = [attempt.error for attempt in self.attempts]
            if STALLED * errors[-2] < errors[-1] < FALLEN * errors[0]:
                return

    def _lengthen(self) -> None:
        for level in range(1, DOUBLINGS + 1):
            coarse = 2**level * self._problem.grid.every
            if 4 * 2**level > self._reference.rows or coarse * self._problem.grid.dt > self._duration / 4.0:
                return
            if self._late() or not self._try(-level):
                return

    def _try(self, level: int) -> bool:
        """Whether 2^level steps in one dt, or one in 2^-level dt, keep the error."""
        grid = self._problem.grid
        if level >= 0:
            return self._attempt(grid.dt / 2**level, grid.dt / 2**level, grid.every * 2**level, 1)
        stride = 2**-level
        dt = grid.dt * stride
        return self._attempt(dt, dt, grid.every, stride)

    @property
    def _duration(self) -> float:
        return self._reference.until - self._problem.grid.t0

    def _attempt(self, setting: float, dt: float, every: int, stride: int, **options: Any) -> bool:
        """One run, compared at every stride-th instant of the reference."""
        rows = np.unique(np.append(np.arange(0, self._reference.rows, stride), self._reference.rows - 1))
        begin = time.thread_time()
        try:
            run = run_method(self._problem, self._method, dt, every, self._duration, **options)
            used = [run.statistics["cpu_time"]]
            if used[0] < QUICK:
                again = run_method(self._problem, self._method, dt, every, self._duration, **options)
                used.append(again.statistics["cpu_time"])
        except Exception as failed:  # any failed attempt counts as an infinite error, with its reason
            used_up = time.thread_time() - begin
            self.attempts.append(Attempt(setting, used_up, float("inf"), failure_text(failed)))
            return False
        finally:
            self._last = time.thread_time() - begin
        error = float(self._distance(run.q, self._reference.run.q[rows]).max())
        self.attempts.append(Attempt(setting, float(min(used)), error))
        return error <= self._target

    def _late(self) -> bool:
        """Whether the next attempt, twice as long as the last, would come too late."""
        return time.thread_time() + 2.0 * self._last > self._end
