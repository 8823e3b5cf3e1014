"""The search from guesses to the motion of least effort."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bough.arguments import Array
from bough.control._driven import Driven, driven_bounds
from bough.control._guess import resampled, some_guesses, straight_line, with_steps
from bough.control._motion import Motion, Task, turn
from bough.control._newton import Failed, Iterate, Newton
from bough.control._report import Display
from bough.errors import ModelError

LARGEST_TURN = 1.0  # largest change of the attitude in one part, in rad
COARSE = 30  # number of steps with which guesses are tried
ROUGH = 1e-2  # miss of end and limits allowed in an intermediate motion
FEW = 60  # Newton iterations for an intermediate motion
HURRIED, PATIENT = 20, 40  # iterations without progress that end it, for intermediate motion and solution
FIRST_TIGHTENING = 0.3  # fraction of the violation of limits removed in the first part
FIRST_MOMENTUM = 0.5  # fraction of the momentum added in the first part
SMALLEST_PART = 0.1  # smallest part of the way to the goal; if it fails too, the search gives up
REFINED = 3  # largest number of coarse motions tried on all steps


class Found(NamedTuple):
    """A motion, whether it is a solution, and its residuals (all relative)."""

    goal: Task
    motion: Motion
    status: str  # "converged", "interrupted", or why it is none
    iterations: int
    gradient: float
    ends: float
    limits: float

    @property
    def converged(self) -> bool:
        """Whether it is a solution."""
        return self.status == "converged"


class Search:
    """The search for one task: its tolerance, its limits on iterations, and its progress display."""

    def __init__(
        self, goal: Task, tolerance: float, max_iterations: int, display: Display, where: str
    ) -> None:
        self.goal, self.tolerance, self.max_iterations = goal, tolerance, max_iterations
        self.display, self.where = display, where
        self.last: Found | None = None  # the last motion that was found

    def best(self, guesses: int) -> Found:
        """The motion of least effort; after Ctrl-C the one that the search was at."""
        try:
            return self._best(guesses)
        except KeyboardInterrupt:
            if self.last is None:
                raise
            rates = resampled(self.goal, self.last.motion.r)
            problem = Driven(self.goal, _scale(self.goal, rates), self.where)
            try:
                ended = Newton(problem, lambda row: None).solve(rates, 0.0, 0)
                left = ended.gradient, ended.ends, ended.limits
            except Failed:  # on all steps it is another motion, whose base may not be found
                left = np.inf, np.inf, np.inf
            return Found(self.goal, Motion(self.goal, rates), "interrupted", self.last.iterations, *left)

    def _best(self, guesses: int) -> Found:
        """Several guesses on few steps, the best on all; one guess on all steps if there is none."""
        goal = self.goal
        some = (
            self._guesses_by_effort(guesses)
            if goal.attitude is not None and goal.n > 1 and guesses > 1
            else []
        )
        if not some:
            rates = straight_line(goal) if goal.attitude is None else some_guesses(goal, 1)[0]
            some = [result.motion.rates for result in self._different(goal, [rates])]
        tried: list[Found] = []
        for rates in some[:REFINED]:
            self.display.stage("the best on all steps")
            tried.append(self._within_limits(goal, rates, self.tolerance, self.max_iterations))
            if tried[-1].converged:
                return tried[-1]
        return min(tried, key=lambda result: _total_miss(goal, result))

    def _guesses_by_effort(self, guesses: int) -> list[Array]:
        """Joint velocities near the motions that guesses lead to on few steps, the least effort first  (CG6).

        If none of these meets the end and the limits, the one that misses them least is returned.
        """
        coarse = with_steps(self.goal, min(self.goal.steps, COARSE))
        found = self._different(coarse, some_guesses(coarse, guesses))
        if np.isfinite([coarse.low, coarse.high]).any():
            found = self._cheapest(coarse, found)
        near = [result for result in found if _total_miss(coarse, result) <= ROUGH]
        kept = near or sorted(found, key=lambda result: _total_miss(coarse, result))[:1]
        return [resampled(self.goal, result.motion.r) for result in kept]

    def _different(self, goal: Task, guesses: list[Array]) -> list[Found]:
        """The different motions without limits that guesses lead to, least effort first.

        A body with momentum is also brought there from rest  (CG9).
        """
        easy: list[Array] = []
        found: list[Found] = []
        for number, guess in enumerate(guesses, start=1):
            self.display.stage(f"guess {number} of {len(guesses)} on {goal.steps} steps")
            for begin in (goal, _with_momentum(goal, 0.0)) if goal.momentum.size else (goal,):
                if Motion(_kinematic(begin), guess).failed:
                    continue
                rates = self._turn_in_parts(begin, guess)
                if not _is_among(rates, easy):
                    easy.append(rates)
                    found.append(self._free(goal, rates, begin))
        free = _without_limits(goal)
        return sorted(found, key=lambda result: (_total_miss(free, result) > ROUGH, result.motion.effort))

    def _cheapest(self, coarse: Task, free: list[Found]) -> list[Found]:
        """The motions within limits, least effort first; a motion without limits always has less effort."""
        found: list[Found] = []
        least = np.inf
        for number, result in enumerate(free, start=1):
            if result.motion.effort < least:
                self.display.stage(f"limits, motion {number} of {len(free)} on {coarse.steps} steps")
                found.append(self._within_limits(coarse, result.motion.rates, 1e-3, FEW, HURRIED))
                if _total_miss(coarse, found[-1]) <= ROUGH:
                    least = min(least, found[-1].motion.effort)
        return sorted(found, key=lambda result: result.motion.effort)

    def _turn_in_parts(self, goal: Task, rates: Array) -> Array:
        """Joint velocities of least accelerations without limits, found from far away  (CG5).

        A large turn is made in parts, each starting from the motion of the previous part.
        """
        easy = _kinematic(goal)
        if easy.attitude is None:
            return rates
        reached = Motion(easy, rates).g[-1, :3, :3]
        whole = turn(reached.T @ easy.attitude)
        first = LARGEST_TURN / max(float(np.linalg.norm(whole)), LARGEST_TURN)
        return self._advance_in_parts(
            lambda s: replace(easy, attitude=reached @ _rotation(s * whole)), rates, first
        ).motion.rates

    def _free(self, goal: Task, rates: Array, begin: Task) -> Found:
        """The motion without limits, from one of the task `begin`, which may lack the momentum."""
        free = _without_limits(goal)
        result = self._solve(_without_limits(begin), rates, 1e-3, FEW, HURRIED)
        if begin is goal:
            return result
        return self._advance_in_parts(
            lambda s: _with_momentum(free, s), result.motion.rates, FIRST_MOMENTUM, near=True
        )

    def _within_limits(
        self, goal: Task, rates: Array, tolerance: float, most: int, patience: int = PATIENT
    ) -> Found:
        """The requested motion, from one that may violate limits: the limits close in on it  (CG7)."""
        used = 0
        if _violation(goal, rates).any():
            result = self._free(goal, rates, goal)
            used, rates = result.iterations, result.motion.rates
        size = _violation(goal, rates)
        if size.any():
            result = self._advance_in_parts(lambda s: _wider(goal, (1.0 - s) * size), rates, FIRST_TIGHTENING)
            used, rates = used + result.iterations, result.motion.rates
            if not result.converged:
                return result._replace(iterations=used)
        result = self._solve(goal, rates, tolerance, most, patience, near=patience == PATIENT)
        return result._replace(iterations=used + result.iterations)

    def _advance_in_parts(
        self, part: Callable[[float], Task], rates: Array, first: float, near: bool = False
    ) -> Found:
        """The motion of part(1) from one of part(0), in the largest possible parts; or the last success."""
        done, step, used = 0.0, first, 0
        best: Found | None = None
        while done < 1.0:
            ahead = done + step if done + step < 1.0 - 1e-9 else 1.0
            task = part(ahead)
            result = self._solve(task, rates, ROUGH, FEW, HURRIED, near)
            used += result.iterations
            if _total_miss(task, result) <= ROUGH:
                done, best, rates = ahead, result, result.motion.rates
                continue
            step *= 0.5
            if step < SMALLEST_PART:
                best = best or result
                return best._replace(status="parts", iterations=used)
        assert best is not None
        return best._replace(status="converged", iterations=used)

    def _solve(
        self, goal: Task, rates: Array, tolerance: float, most: int, patience: int, near: bool = False
    ) -> Found:
        """The motion that Newton's method comes to; Ctrl-C ends the search there."""
        problem = Driven(goal, _scale(goal, rates), self.where)
        newton = Newton(problem, self._shown(problem.scale), near=near, hasty=True, patience=patience)
        try:
            result = newton.solve(rates, tolerance, most)
        except Failed:
            return Found(goal, Motion(goal, rates), "no motion of the base", 0, np.inf, np.inf, np.inf)
        motion = Motion(goal, result.point.c)
        left = result.gradient, result.ends, result.limits
        self.last = Found(goal, motion, result.status, result.iterations, *left)
        if result.status == "interrupted":
            raise KeyboardInterrupt
        return self.last

    def _shown(self, scale: float) -> Callable[[Iterate], None]:
        """The display, in the units of the effort."""
        return lambda row: self.display(row._replace(effort=scale * row.effort))


def check_line(goal: Task, where: str) -> None:
    """Raise if the straight line in shape space does not move the base."""
    guess = Motion(goal, straight_line(goal))
    if guess.failed > 0:
        raise ModelError(
            asked=where,
            found=f"the locked inertia is singular in step {guess.failed} of the straight line to the end:"
            " all mass is on one line",
            do="give the base a mass and an inertia, or another shape at the end",
        )
    if guess.failed < 0:
        raise ModelError(
            asked=where,
            found=f"no motion of the base in step {-guess.failed} of the straight line to the end",
            do="give more steps or a longer duration",
        )


def _total_miss(goal: Task, result: Found) -> float:
    """How much a motion misses of the end and of the limits of a task."""
    return max(result.ends, float(driven_bounds(goal).values(result.motion.limited).max(initial=0.0)))


def _is_among(rates: Array, others: list[Array]) -> bool:
    return any(np.abs(rates - other).max() < 1e-2 * np.abs(rates).max() for other in others)


def _kinematic(goal: Task) -> Task:
    """The same task with accelerations for efforts and without limits."""
    scale = np.ones(goal.n) / (goal.steps * goal.h)
    return replace(_without_limits(goal), dynamic=False, end_momentum=np.zeros(goal.n), momentum_scale=scale)


def _with_momentum(goal: Task, part: float) -> Task:
    """The same task with a part of the momentum."""
    start, end = part * goal.start_momentum, part * goal.end_momentum
    momentum = part * goal.momentum if part else np.empty(0)
    return replace(goal, momentum=momentum, start_momentum=start, end_momentum=end)


def _without_limits(goal: Task) -> Task:
    none = np.full(3 * goal.n, np.inf)
    return replace(goal, low=-none, high=none)


def _wider(goal: Task, by: Array) -> Task:
    """The same task with lower and upper limits, (2, 3 n), that allow more."""
    return replace(goal, low=goal.low - by[0], high=goal.high + by[1])


def _violation(goal: Task, rates: Array) -> Array:
    """The violations of lower and upper limits by a motion, (2, 3 n)."""
    y = Motion(goal, rates).limited
    size: Array = np.maximum([(goal.low - y).max(axis=0), (y - goal.high).max(axis=0)], 0.0)
    return size


def _scale(goal: Task, rates: Array) -> float:
    """A typical effort: that of the guess, or if larger of joints that move by one unit from rest to rest."""
    duration = goal.steps * goal.h
    typical = 4.0 * goal.momentum_scale / duration
    return max(Motion(goal, rates).effort, float(0.5 * duration * np.sum(goal.weight * typical**2)))


def _rotation(vector: Array) -> Array:
    from scipy.spatial.transform import Rotation

    matrix: Array = Rotation.from_rotvec(vector).as_matrix()
    return matrix
