"""What the planner says: a line per iteration, and why no solution was reached."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from bough.control._motion import BASE, Task, turn
from bough.control._solver import Iterate, Result
from bough.errors import ConvergenceError, quoted
from bough.trajectory import Trajectory

DELAY = 1.0  # seconds before the display appears that nobody asked for


class Display:
    """A row on stderr per iteration. shown=True at once, None after a second in a terminal, False never."""

    def __init__(self, title: str, shown: bool | None) -> None:
        self._title = title
        self._console: Any = None
        terminal = sys.stderr is not None and sys.stderr.isatty()
        wanted = terminal if shown is None else shown
        self._begin = time.monotonic() + (DELAY if shown is None else 0.0) if wanted else float("inf")

    def __call__(self, row: Iterate) -> None:
        if row.iteration == 0:
            self.say(" iteration       effort   first order   end missed  limits missed   step")
        self.say(
            f"{row.iteration:10d} {row.effort:12.6g} {row.gradient:13.2e} {row.ends:12.2e} {row.limits:14.2e}"
            f" {row.step:6.2g}"
        )

    def say(self, line: str) -> None:
        """Show a line, if it is time to."""
        if time.monotonic() < self._begin:
            return
        if self._console is None:
            from rich.console import Console

            self._console = Console(stderr=True, highlight=False)
            self._console.print(self._title, markup=False)
        self._console.print(line, markup=False)


def failure(task: Task, result: Result, tolerance: float, where: str, run: Trajectory) -> ConvergenceError:
    """Why there is no solution, with the best motion so far."""
    ends = result.motion.ends
    names = task.model.variables[BASE:]
    do = "give a longer duration, more steps, another shape at the end, or max_iterations above "
    do += str(result.iterations)
    missed = np.abs(ends.c / ends.scale)
    if result.limits > max(tolerance, 1e-6):
        found = (
            f"no motion within the limits: the best violates them by {result.limits:.3g} of half their width"
        )
        do = "allow more velocity or effort, wider limits of the joints, or a longer duration"
    elif (
        missed.max() > 1e3 * tolerance
        and ends.kinds[int(missed.argmax())] == "attitude"
        and task.attitude is not None
    ):
        left = turn(task.attitude.T @ result.motion.g[-1, :3, :3])
        found = (
            f"the attitude stays {np.linalg.norm(left):.3g} rad from the target, not reached by the joints"
        )
        found += f" {quoted(names)}" if len(names) < 4 else ""
        do = "give a target that the joints can turn the base to, more guesses, a longer duration or"
        do += " wider limits"
    elif missed.max() > 1e3 * tolerance:
        found = f"the end is missed by {missed.max():.3g}"
    else:
        found = f"first-order conditions are left at {result.gradient:.3g}, above {tolerance:g}"
    return ConvergenceError(
        asked=where,
        found=f"{found} (after {result.iterations} iterations)",
        do=do,
        iterations=result.iterations,
        residual=max(result.gradient, result.ends, result.limits),
        trajectory=run,
    )
