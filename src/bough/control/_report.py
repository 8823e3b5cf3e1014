"""The planner's progress display, and its message if no solution is reached."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.control._driven import DrivenEnds, driven_bounds
from bough.control._motion import BASE, Task, turn
from bough.control._newton import Iterate
from bough.errors import ConvergenceError, quoted
from bough.motion.trajectory import Trajectory
from bough.progress import appears
from bough.validate import counted

if TYPE_CHECKING:
    from bough.control._search import Found

HEAD = " iteration       effort   first order   end missed  limits missed   step"


class Display:
    """The search on stderr: a transient line, in a terminal after a second, or a row per iteration.

    shown=True prints a row per iteration, None shows the line, False nothing.
    """

    def __init__(self, title: str, shown: bool | None) -> None:
        self._title = title
        self._all = bool(shown)
        self._begin = appears(shown)
        self._stage = ""
        self._line: Any = None
        self._console: Any = None

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._line is not None:
            self._line.stop()

    def stage(self, text: str) -> None:
        """Name the purpose of the next iterations."""
        self._stage = text
        if self._all:
            self._print(text)

    def __call__(self, row: Iterate) -> None:
        if self._all:
            if row.iteration == 0:
                self._print(HEAD)
            self._print(
                f"{row.iteration:10d} {row.effort:12.6g} {row.gradient:13.2e} {row.ends:12.2e}"
                f" {row.limits:14.2e} {row.step:6.2g}"
            )
        elif time.monotonic() >= self._begin:
            self._show(
                f"{self._title}: {self._stage}, iteration {row.iteration}, effort {row.effort:.4g},"
                f" end missed by {row.ends:.1g}"
            )

    def _print(self, line: str) -> None:
        if self._console is None:
            self._console = _console()
            self._console.print(self._title, markup=False)
        self._console.print(line, markup=False)

    def _show(self, line: str) -> None:
        from rich.live import Live
        from rich.text import Text

        if self._line is None:
            self._line = Live(console=_console(), transient=True)
            self._line.start()
        self._line.update(Text(line, no_wrap=True, overflow="ellipsis"))


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def failure(task: Task, result: Found, tolerance: float, where: str, run: Trajectory) -> ConvergenceError:
    """Why there is no solution, with the best motion so far."""
    ends = DrivenEnds(task)
    missed = np.abs(ends.values(result.motion.states[-1]))
    beyond = driven_bounds(task).beyond(result.motion.limited, 1e-6)
    names = task.model.variables[BASE:]
    do = "give a longer duration, more steps, more max_iterations or another shape at the end"
    if beyond:
        found = f"no motion within the limits: in the nearest that was found, {beyond}"
        do = "widen this limit or another, or give a longer duration"
    elif missed.max() > 1e3 * tolerance and task.attitude is not None and missed[:3].max() == missed.max():
        left = turn(task.attitude.T @ result.motion.g[-1, :3, :3])
        found = (
            f"the attitude stays {np.linalg.norm(left):.3g} rad from the target, not reached by the joints"
        )
        found += f" {quoted(names)}" if len(names) < 4 else ""
        do = "give a target that the joints can turn the base to, more guesses, a longer duration or"
        do += " wider limits"
    elif missed.max() > 1e3 * tolerance:
        found = f"the {ends.kinds[int(missed.argmax())]} at the end is missed by {missed.max():.3g}"
    else:
        found = f"first-order conditions are left at {result.gradient:.3g}, above {tolerance:g}"
        do += f", or tolerance={float(f'{2 * result.gradient:.0e}'):g} to take this motion"
    return ConvergenceError(
        asked=where,
        found=f"{found} (after {counted(result.iterations, 'iteration')})",
        do=do,
        iterations=result.iterations,
        residual=max(result.gradient, result.ends, result.limits),
        trajectory=run,
    )
