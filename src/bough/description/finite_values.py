"""Numbers of elements that have to be finite."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bough.errors import ModelError


def check_finite(value: Any, field: str, where: str) -> None:
    """Raise if nested tuples, lists, mappings or arrays contain a number that is not finite."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, float | np.floating) and not math.isfinite(item):
            raise ModelError(
                asked=f"{field} in {where}",
                found=f"{field} {'is' if item is value else 'contains'} {float(item)!r}",
                do=f"give {field} in finite numbers",
            )
        if isinstance(item, np.ndarray):
            waiting.extend(item[~np.isfinite(item)][:1] if item.dtype.kind == "f" else ())
        elif isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, Sequence) and not isinstance(item, str):
            waiting.extend(item)
