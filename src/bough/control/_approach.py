"""The search of `bough.control.optimize` from its guess to the motion of least cost, in stages if it has to.

Limits are left out at first. If the motion that is found keeps them, it is the solution, the same as without limits;
else Newton's method goes on within them from there, and if that fails, they close in on the motion  (CG7). If nothing
is found from no inputs, the search begins with those that hold the start, and for a model whose inputs drive every
variable with those of a smooth path to the end, then within limits from each. If an end that is a condition stops the
search, it is a cost at first, with weights that grow  (CG10).
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from bough.arguments import Array
from bough.control._bounds import bounds_of
from bough.control._first_guess import driven_path, held
from bough.control._model_task import Task
from bough.control._newton import Newton, Result
from bough.control._report import Display
from bough.control._unreachable import open_end

ROUGH = 1e-2  # tolerance of a motion on the way, from which the search goes on
FEW = 60  # iterations within limits that are still wider than asked for
FIRST_TIGHTENING, SMALLEST_PART = 0.3, 0.05  # parts of what exceeds the limits that they close in by
STIFFER = (10.0, 100.0, 1000.0)  # weights of an end as a cost, over those that cost as much as the motion
NEAR = 1e-2  # what an end that is a cost may miss before it is a condition
GUESS, FREE, WITHIN = "from the guess", "without limits", "within limits"
CONDITION = "the end as a condition again"
BINDS = 1e-3  # distance from a limit, relative to its width, below which it binds


class Approach:
    """The search for one task.

    stages : dict
        The iterations of every stage of the search, by name, in order.
    """

    def __init__(self, task: Task, tolerance: float, most: int, display: Display) -> None:
        self.task, self.tolerance, self.most, self.display = task, tolerance, most, display
        self.free = replace(task, bounds=bounds_of(task.setting, {})) if len(task.bounds) else task
        self.stages: dict[str, int] = {}

    def best(self, controls: Array, *, near: bool) -> Result:
        """The solution, or the nearest to one; near : whether the search begins near it, limits or not."""
        task, limited = self.task, len(self.task.bounds) > 0
        tried: list[Result] = []
        if near and limited:
            tried.append(self._newton(GUESS, task, controls, self.tolerance, self.most))
            if _ended(tried[-1]):
                return tried[-1]
        begin = {FREE if limited else GUESS: controls}
        for name, others in (
            () if near else (("from a start that is held", held), ("from a path to the end", driven_path))
        ):
            more = others(task)
            if more is not None:
                begin[name] = more
        enough = ROUGH if limited else self.tolerance
        found = self._first(begin, enough)
        if limited and not _ended(found):
            direct = self._directly(begin, near)
            tried += direct
            if direct and (direct[-1].status == "interrupted" or _binds(direct[-1])):
                return direct[-1]
        if found.status == "no descent" and self._misses(found):
            found = self._through_soft_end(controls, found, enough)
        if not limited:
            return found
        if found.status == "interrupted":
            return self._interrupted(found)
        tried += self._from_free(found)
        if not _ended(tried[-1]) and found.status == "converged":
            tried += self._directly(begin, near)
        good = [one for one in tried if _ended(one)]
        return good[-1] if good else min(tried, key=_missed)

    def _first(self, begin: dict[str, Array], tolerance: float) -> Result:
        """The motion without limits from the first of some controls that leads to one, else that of the first."""
        first: Result | None = None
        for name, controls in begin.items():
            result = self._newton(name, self.free, controls, tolerance, self.most)
            if _ended(result) or first is None:
                first = result
            if _ended(result) or not self._misses(result):
                break
        assert first is not None
        return first

    def _directly(self, begin: dict[str, Array], near: bool) -> list[Result]:
        """The results within limits from some controls, until one is a solution."""
        tried: list[Result] = []
        for controls in () if near else reversed(begin.values()):
            tried.append(self._newton(WITHIN, self.task, controls, self.tolerance, self.most))
            if _ended(tried[-1]):
                break
        return tried

    def _from_free(self, found: Result) -> list[Result]:
        """The results within limits from a motion without them, the last one the best."""
        task, tolerance, most = self.task, self.tolerance, self.most
        tried: list[Result] = []
        for last in (False, True):
            if last or (found.status == "converged" and self._measured(found).limits == 0.0):
                found = self._newton(FREE, self.free, found.point.c, tolerance, most)
                kept = self._measured(found)
                if found.status == "interrupted" or (found.status == "converged" and kept.limits == 0.0):
                    return [kept]
            tried.append(self._newton(WITHIN, task, found.point.c, tolerance, most))
            if _ended(tried[-1]) or found.status != "converged":
                return tried
        return [*tried, self._closing_in(found)]

    def _through_soft_end(self, controls: Array, first: Result, tolerance: float) -> Result:
        """The motion without limits from one whose end is a cost, or the first one if that leads no further."""
        eased = self._by_soft_end(controls, first)
        if eased.status == "interrupted":
            return eased
        second = self._newton(CONDITION, self.free, eased.point.c, tolerance, self.most)
        return second if _ended(second) or _missed(second) < _missed(first) else first

    def _misses(self, result: Result) -> bool:
        """Whether an end is missed that is a condition and that some pose meets."""
        task = self.task
        if not task.ends.hard or result.ends <= self.tolerance:
            return False
        return not open_end(task, result.point.x[-1][: task.model.nq])

    def _newton(self, name: str, task: Task, controls: Array, tolerance: float, most: int) -> Result:
        """The result of one stage."""
        if self.stages or name != GUESS:
            self.display.stage(name)
        result = Newton(task, self.display).solve(controls, tolerance, most)
        self.stages[name] = self.stages.get(name, 0) + result.iterations
        return result

    def _measured(self, result: Result) -> Result:
        """A motion that was found without limits, with what it exceeds them by."""
        point = result.point
        whole = Newton(self.task, self.display).point(point.x, point.c, point.lam, point.nu)
        beyond = float(np.maximum(whole.h[self.task.bounds.active], 0.0).max(initial=0.0))
        return result._replace(point=whole, limits=beyond)

    def _interrupted(self, result: Result) -> Result:
        """A motion on the way, as one of the task."""
        return self._measured(result)._replace(status="interrupted")

    def _closing_in(self, found: Result) -> Result:
        """Limits that are first as wide as a motion without them needs, and close in on it  (CG7)."""
        task, point = self.task, found.point
        motion = task.motion(point.x, point.c, point.lam)
        y = task.bounds.limited(motion.q0, motion.q1, motion.u, motion.lam)
        part, less, controls = 1.0, FIRST_TIGHTENING, point.c
        result = found
        while less > SMALLEST_PART:
            wanted = max(part - less, 0.0)
            name = f"limits widened by {100 * wanted:.0f} % of what exceeds them"
            some = replace(task, bounds=task.bounds.widened(y, wanted))
            if wanted == 0.0:
                result = self._newton(WITHIN, some, controls, self.tolerance, self.most)
                if _ended(result):
                    return result
            else:
                result = self._newton(name, some, controls, 1e-3, FEW)
                if result.status == "interrupted":
                    return self._interrupted(result)
            if result.status == "converged":
                part, controls = wanted, result.point.c
            else:
                less *= 0.5
        return self._measured(result)

    def _by_soft_end(self, controls: Array, failed: Result) -> Result:
        """A motion without limits whose end is a cost, first 10, then 100 and 1000 times that of the motion  (CG10)."""
        task = self.task
        x, _, _ = task.roll(task.first(), np.ascontiguousarray(controls), None, None, 0.0)
        missed = max(float(np.abs(task.ends.values(x[-1])).max()), NEAR)
        cost = max(abs(failed.point.cost), 1e-6)
        result = failed
        for times in STIFFER:
            ends = copy(task.ends)
            ends.weight = np.full(len(ends), 2.0 * times * cost / missed**2)
            soft = replace(self.free, ends=ends)
            result = self._newton(f"the end as a cost, times {times:g}", soft, controls, ROUGH, self.most)
            if result.status == "interrupted" or float(np.abs(result.point.e).max()) < NEAR:
                break
            controls = result.point.c
        return result


def _ended(result: Result) -> bool:
    return result.status in ("converged", "interrupted")


def _binds(result: Result) -> bool:
    return result.status == "converged" and float(result.point.h.max()) > -BINDS


def _missed(result: Result) -> float:
    return max(result.ends, result.limits)
