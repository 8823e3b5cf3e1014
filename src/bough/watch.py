"""The watch over a run between its steps: Ctrl-C, progress bar, wall and processor time."""

from __future__ import annotations

import math
import signal
import threading
import time
from types import FrameType

from bough.progress import Progress, appears


class Interrupted(Exception):
    """Raised between two steps after a Ctrl-C."""


class Watch:
    """The watch over one run, from its making to `close`.

    Handlers, the progress bar and the processor clock take as long as some steps, so they start with the
    first look, which comes after the first steps; a run that ends before does not pay for them. From then on
    the first Ctrl-C only sets `asked`, and a second one stops at once; before, a Ctrl-C raises
    KeyboardInterrupt as usual.

    Parameters
    ----------
    title, duration, steps : of the run, for the progress bar
    shown : True: at once; None: after a second and only in a terminal; False: never
    """

    def __init__(self, title: str, duration: float, steps: int, shown: bool | None) -> None:
        self.asked = False
        self._run = (title, duration, shown, steps)
        self._start = time.perf_counter()
        self._begun = 0.0  # wall time at the first look
        self._cpu = 0.0  # the processor clock then
        self._bar: Progress | None = None  # if one may appear
        self._looked = self._installed = False
        if shown:
            self._begin()

    def look(self, done: float | None = None) -> None:
        """Raise `Interrupted` if a Ctrl-C came; show how many seconds of the motion are done."""
        if not self._looked:
            self._begin()
        if self.asked:
            raise Interrupted
        if done is not None and self._bar is not None:
            self._bar.update(done)

    def _begin(self) -> None:
        self._looked = True
        if math.isfinite(appears(self._run[2])):
            self._bar = Progress(*self._run)
        # only if Ctrl-C has its usual handler, which only the main thread may replace
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if usual and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        self._begun, self._cpu = time.perf_counter() - self._start, time.thread_time()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def times(self) -> tuple[float, float]:
        """Wall time and processor time so far, in seconds; before the first look, wall time stands for both."""
        wall = time.perf_counter() - self._start
        return wall, wall if not self._looked else self._begun + time.thread_time() - self._cpu

    def close(self) -> None:
        """Restore the usual Ctrl-C and end the bar."""
        if self._bar is not None:
            self._bar.close()
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False
