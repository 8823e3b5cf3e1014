"""Waiting for another thread."""

from __future__ import annotations

import time
from collections.abc import Callable


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether something comes true before long."""
    for _ in range(300):
        if condition():
            return True
        time.sleep(0.05)
    return False
