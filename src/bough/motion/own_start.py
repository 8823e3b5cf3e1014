"""What a problem says of a start that it was not given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bough.errors import ModelError


@contextmanager
def own_start(q: Any) -> Iterator[None]:
    """Say that a problem without `q` starts where the system does, even if an ensemble replaces that start."""
    try:
        yield
    except ModelError as error:
        if q is not None or not error.asked.startswith("start of "):
            raise
        raise ModelError(
            asked=error.asked,
            found=error.found,
            do=f"{error.do}; a Problem needs a valid start of its own, q=, even if 'q' is an axis of"
            " bough.ensemble: give one of its values",
        ) from None
