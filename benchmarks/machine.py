"""The machine and versions on which the numbers were measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bough.peers import mujoco, ode, pinocchio
from bough.peers.compiler import compiler_version


def machine() -> dict[str, object]:
    """Processor, system and versions."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "bough": _version("bough"),
        "core": _core(),
        "pinocchio": pinocchio.installed_version() or "not installed",
        "mujoco": mujoco.installed_version() or "not installed",
        "ode": ode.installed_version() or ode.MISSING,
        "compiler of the peers": compiler_version(),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _core() -> str:
    """Which build of the core runs."""
    try:
        from bough._core import core
    except ImportError:
        return "not built"
    return core.__name__.rpartition(".")[2]


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
