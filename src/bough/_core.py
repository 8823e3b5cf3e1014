"""The compiled core: the fastest build this processor can run.

A wheel holds a portable build and one for processors with AVX2; a local build holds the one for the machine
that compiled it (``BOUGH_CORES`` in CMakeLists.txt). ``BOUGH_CORE=base`` in the environment forces the
portable build, ``BOUGH_CORE=path/to/_core_….so`` one that was built elsewhere, as by ``make sanitize``.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any


def _load(path: Path) -> Any:
    name = path.name.split(".")[0]
    spec = spec_from_file_location(f"bough.{name}", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise ImportError(
            f"BOUGH_CORE={path} asks for a core, but there is no compiled module; give base, the file of a"
            " core, or unset BOUGH_CORE"
        )
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _select() -> Any:
    wanted = os.environ.get("BOUGH_CORE", "")
    if wanted not in ("", "base"):
        return _load(Path(wanted))
    built = [name for name in ("_core_avx2", "_core_base") if find_spec(f"bough.{name}") is not None]
    if wanted == "base":
        if "_core_base" not in built:
            raise ImportError(
                "BOUGH_CORE=base asks for the portable core, but this build has only the one for its own"
                " processor; build again with BOUGH_CORES=all in the environment, or unset BOUGH_CORE"
            )
        return import_module("bough._core_base")
    if built == ["_core_avx2", "_core_base"]:
        base = import_module("bough._core_base")
        return import_module("bough._core_avx2") if base.has_avx2() else base
    return import_module(f"bough.{built[0]}" if built else "bough._core_base")


if TYPE_CHECKING:
    from bough import _core_base as core  # the stub of all cores
else:
    core = _select()

__all__ = ["core"]
