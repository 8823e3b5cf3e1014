"""The compiled core: the fastest build this processor can run.

A wheel holds a portable build and one for processors with AVX2; a local build holds the one for the machine that
compiled it (``BOUGH_CORES`` in CMakeLists.txt). ``BOUGH_CORE=base`` in the environment forces the portable build.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def _select() -> Any:
    built = [name for name in ("_core_avx2", "_core_base") if find_spec(f"bough.{name}") is not None]
    if os.environ.get("BOUGH_CORE", "") == "base":
        if "_core_base" not in built:
            raise ImportError(
                "BOUGH_CORE=base asks for the portable core, but this build has only the one for its own processor; "
                "build again with BOUGH_CORES=all in the environment, or unset BOUGH_CORE"
            )
        return import_module("bough._core_base")
    if built == ["_core_avx2", "_core_base"]:
        base = import_module("bough._core_base")
        return import_module("bough._core_avx2") if base.has_avx2() else base
    return import_module(f"bough.{built[0]}" if built else "bough._core_base")


core: Any = _select()
