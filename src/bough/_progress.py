"""A progress bar for long runs in a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

DELAY = 1.0  # seconds before a bar appears that nobody asked for


class Progress:
    """A bar on stderr: shown=True at once, None after a second and only in a terminal, False never."""

    def __init__(self, title: str, total: float, shown: bool | None) -> None:
        self._title = title
        self._total = total
        self._bar: Any = None
        self._passing = shown is None
        terminal = sys.stderr is not None and sys.stderr.isatty()
        wanted = terminal if shown is None else shown
        self._begin = time.monotonic() + (DELAY if shown is None else 0.0) if wanted else float("inf")

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: float) -> None:
        """Show how much is done, of `total`."""
        if self._bar is None:
            if time.monotonic() < self._begin:
                return
            self._start()
        self._bar.update(self._task, completed=done)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=self._passing)
        self._task = self._bar.add_task(self._title, total=self._total)
        self._bar.start()
