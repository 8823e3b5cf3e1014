"""The watch over a run between its steps: Ctrl-C, progress bar, wall and processor time."""

from __future__ import annotations

import math
import signal
import threading
import time
from dataclasses import dataclass, field
from types import FrameType

from bough.progress import Progress, appears

QUIET = 5e-3  # seconds without handlers: a run that ends before does not pay for them


class Interrupted(Exception):
    """Raised between two steps after a Ctrl-C."""


@dataclass(repr=False)  # `signal` formats handlers, which takes as long as ten steps
class Watch:
    """The watch over one run, from its making to `close`.

    Handlers, the progress bar and the processor clock take as long as a hundred short steps, so they start
    with the first look after `QUIET` seconds. From then on the first Ctrl-C only sets `asked`, and a second
    one stops at once; before, a Ctrl-C raises KeyboardInterrupt as usual.

    Parameters
    ----------
    title, duration, steps : of the run, for the progress bar
    shown : True: from the first look on; None: after a second and only in a terminal; False: never
    """

    title: str
    duration: float
    steps: int
    shown: bool | None
    asked: bool = False
    _start: float = field(default_factory=time.perf_counter)
    _begun: float = 0.0  # wall time when handlers were installed
    _cpu: float = 0.0  # the processor clock then
    _bar: Progress | None = None  # if one may appear
    _watching: bool = False  # with handlers
    _installed: bool = False

    def look(self, done: float | None = None) -> None:
        """Raise `Interrupted` if a Ctrl-C came; show how many seconds of the motion are done."""
        if not self._watching and (self.shown or time.perf_counter() - self._start >= QUIET):
            self._begin()
        if self.asked:
            raise Interrupted
        if done is not None and self._bar is not None:
            self._bar.update(done)

    def _begin(self) -> None:
        self._watching = True
        if math.isfinite(appears(self.shown)):
            self._bar = Progress(self.title, self.duration, self.shown, self.steps)
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

    def close(self) -> tuple[float, float]:
        """Restore the usual Ctrl-C and end the bar; wall time and processor time, in seconds.

        Of a run of less than `QUIET` seconds, wall time stands for both.
        """
        wall = time.perf_counter() - self._start
        if not self._watching:
            return wall, wall
        if self._bar is not None:
            self._bar.close()
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False
        return wall, self._begun + time.thread_time() - self._cpu
