"""The compiled core: the fastest build this processor can run.

``BOUGH_CORE=base`` in the environment forces the portable build.
"""

from __future__ import annotations

import os
from types import ModuleType

from . import _core_base


def _select() -> ModuleType:
    has_avx2 = getattr(_core_base, "has_avx2", None)
    if os.environ.get("BOUGH_CORE", "") == "base" or has_avx2 is None or not has_avx2():
        return _core_base
    from . import _core_avx2

    return _core_avx2


core: ModuleType = _select()
