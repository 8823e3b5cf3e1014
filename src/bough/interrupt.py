"""Ctrl-C during a run: noted, so that a run stops between two steps and keeps what it has."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupted(Exception):
    """Raised between two steps after a Ctrl-C."""


class Interrupt:
    """While active, the first Ctrl-C only sets `asked`; a second one stops at once, wherever Python is."""

    def __init__(self) -> None:
        self.asked = False
        self._installed = False

    def check(self) -> None:
        """Raise `Interrupted` if a Ctrl-C came."""
        if self.asked:
            raise Interrupted

    def __enter__(self) -> Interrupt:
        # only where Ctrl-C has its usual meaning, and only the main thread may change it
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if usual and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
