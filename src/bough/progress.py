"""The progress display of long runs in a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

DELAY = 1.0  # seconds before an automatic progress bar appears


def appears(shown: bool | None) -> float:
    """When a display appears, by the monotonic clock.

    shown=True: at once, None: after a second and only in a terminal, False: never.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    wanted = terminal if shown is None else shown
    return time.monotonic() + (DELAY if shown is None else 0.0) if wanted else float("inf")


class Progress:
    """A bar on stderr: simulated time, steps per second, time that remains.

    shown=True shows it at once, None after a second and only in a terminal, False never.
    """

    def __init__(
        self,
        title: str,
        total: float,
        shown: bool | None,
        steps: int = 0,
        what: str = "steps",
        unit: str = "s",
    ) -> None:
        self._title = title
        self._total = total
        self._steps = steps
        self._what = what
        self._unit = unit
        self._bar: Any = None
        self._passing = shown is None
        self._first = time.monotonic()
        self._begin = appears(shown)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Restore the terminal."""
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: float, note: str = "") -> None:
        """Show how much is done of `total`, in simulated time or other units, and a note."""
        if self._bar is None:
            if time.monotonic() < self._begin:
                return
            self._start()
        rate = self._steps * done / self._total / max(time.monotonic() - self._first, 1e-9)
        words = {
            "time": f"{done:.4g} of {self._total:g} {self._unit}{note}",
            "rate": f"{rate:,.0f} {self._what}/s",
        }
        self._bar.update(self._task, completed=done, **words)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[time]}", markup=False),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeRemainingColumn(),
            TextColumn("remaining", markup=False),
            console=Console(stderr=True),
            transient=self._passing,
        )
        self._task = self._bar.add_task(self._title, total=self._total, time="", rate="")
        self._bar.start()
