"""The reference motion: converged, with an estimate of its own error.

RK4, projected onto the constraints, takes ever shorter steps until two runs agree, or until the effort is
spent; if that does not suffice, as for stiff systems, the variational midpoint rule does the same and the
better of both is taken. The error of the last run is at most about its distance from the one before, which
for a method of order p is 2^p - 1 times as large.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from bough.arguments import Array
from bough.comparison.distance import Distance
from bough.comparison.methods import PROJECTION, Method, run_method
from bough.errors import BoughError, ConvergenceError
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.registry import family_of

ENOUGH = 1e-3  # error of the reference that ends the search, relative to the requested error
TRUSTED = 0.1  # largest error of the reference at which it serves, relative to the requested error
FINEST = 2**14  # largest number of steps in one dt
AHEAD = 2.0  # duration of the next run, relative to the time of agreement
LEAST = 10  # smallest number of instants of a run
PATIENCE = 4.0  # effort allowed for a first result, in multiples of the effort


@dataclass(frozen=True)
class Reference:
    """A converged motion.

    Attributes
    ----------
    run : Trajectory
        The motion, up to where it serves.
    method : str
        How it was made.
    error : array (rows,)
        The bound on its error up to each instant, in m.
    """

    run: Trajectory
    method: str
    error: Array

    @property
    def rows(self) -> int:
        """The number of instants at which it serves."""
        return len(self.run)

    @property
    def until(self) -> float:
        """The time up to which it serves."""
        return float(self.run.t[-1])


def reference(problem: Problem, distance: Distance, target: float, effort: float) -> Reference:
    """The converged motion, for errors of `target`, within some seconds."""
    name = "rk4" + (PROJECTION if problem.model.nc else "")
    best: Reference | None = None
    failure: Exception | None = None
    for label in (name, "midpoint"):
        family, plain = family_of(label.removesuffix(PROJECTION), "a comparison")
        try:
            found = _run_with_halved_steps(
                problem, Method(label, plain, family), distance, target, effort / 2.0
            )
        except BoughError as error:
            failure = failure or error
            continue
        if best is None or (found.rows, -found.error[-1]) > (best.rows, -best.error[-1]):
            best = found
        if best.until == problem.grid.t0 + problem.grid.duration:
            return best
    if best is None:
        assert failure is not None
        raise failure
    return best


def _run_with_halved_steps(
    problem: Problem, method: Method, distance: Distance, target: float, effort: float
) -> Reference:
    """Runs with steps of dt / 2, dt / 4, ... until two agree.

    If they part before the end, the next run goes only twice as far as they agree.
    """
    grid, begin = problem.grid, time.thread_time()
    before: Trajectory | None = None
    result: Reference | None = None
    last: ConvergenceError | None = None
    parts, duration = 2, grid.duration
    while parts <= FINEST:
        started, length = time.thread_time(), duration
        try:
            run = run_method(problem, method, grid.dt / parts, grid.every * parts, duration)
        except ConvergenceError as error:  # the steps are still too long
            run, last = None, error
        if run is not None and before is not None:
            found = _agreement(problem, method, distance, target, before, run, grid.dt / parts)
            if result is None or found.until > result.until or found.error[-1] < result.error[-1]:
                result = found
            if found.until == grid.t0 + grid.duration and found.error[-1] <= ENOUGH * target:
                break
            whole = math.ceil(AHEAD * found.rows) * grid.every * grid.dt
            duration = min(grid.duration, max(whole, LEAST * grid.every * grid.dt))
        before = run
        parts *= 2
        now = time.thread_time()
        next_one = 2.0 * (now - started) * duration / length
        if now - begin + next_one > (effort if result is not None else PATIENCE * effort):
            break
    if result is None:
        raise last or _too_slow(problem, method, effort)
    return result


def _agreement(
    problem: Problem,
    method: Method,
    distance: Distance,
    target: float,
    before: Trajectory,
    run: Trajectory,
    dt: float,
) -> Reference:
    """The error estimate of two runs, the second with half the step."""
    common = min(len(run), len(before))
    error = np.maximum.accumulate(distance(run.q[:common], before.q[:common]))
    rows = max(1, int(np.searchsorted(error, TRUSTED * target, side="right")))
    return Reference(run[:rows], f"{method.label} with dt = {dt:.3g} s", error[:rows])


def _too_slow(problem: Problem, method: Method, effort: float) -> BoughError:
    return BoughError(
        asked=f"reference of a comparison of model {problem.model.name!r}",
        found=f"two runs with {method.label!r} take more than {PATIENCE * effort:.3g} s",
        do="give a larger effort, a larger dt or a shorter duration",
    )
