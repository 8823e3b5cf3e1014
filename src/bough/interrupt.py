"""Ctrl-C during a run: noted, so that a run stops between two steps and keeps what it has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType


class Interrupted(Exception):
    """Raised between two steps after a Ctrl-C."""


class Interrupt:
    """From its first check on, the first Ctrl-C only sets `asked`; a second one stops at once.

    Before, a Ctrl-C raises KeyboardInterrupt as usual: a run that ends within its first steps does not pay for
    the change of handlers.

    Parameters
    ----------
    when_long : called at the first check
    """

    def __init__(self, when_long: Callable[[], None] | None = None) -> None:
        self.asked = False
        self._when_long = when_long
        self._checked = self._installed = False

    def check(self) -> None:
        """Raise `Interrupted` if a Ctrl-C came."""
        if not self._checked:
            self._begin()
        if self.asked:
            raise Interrupted

    def _begin(self) -> None:
        self._checked = True
        if self._when_long is not None:
            self._when_long()
        # only where Ctrl-C has its usual meaning, and only the main thread may change it
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if usual and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._note)
            self._installed = True

    def __enter__(self) -> Interrupt:
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
