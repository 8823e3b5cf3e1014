"""The compiled core: the fastest build this processor can run.

``BOUGH_CORE=base`` in the environment forces the portable build.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any


def _select() -> Any:
    base = import_module("bough._core_base")
    has_avx2 = getattr(base, "has_avx2", None)
    if os.environ.get("BOUGH_CORE", "") == "base" or has_avx2 is None or not has_avx2():
        return base
    return import_module("bough._core_avx2")


core: Any = _select()
