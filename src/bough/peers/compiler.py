"""Compile a C++ adapter on first use, into the cache directory of the user."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bough.errors import BoughError

HERE = Path(__file__).parent
_failed: dict[Path, PeerError] = {}  # library -> error, so that no failed compilation is repeated
FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "-fPIC", "-shared")


class PeerError(BoughError):
    """An engine that is installed, but whose adapter cannot be built; `reason` says why in one line."""

    def __init__(self, *, asked: str, found: str, do: str, reason: str) -> None:
        super().__init__(asked=asked, found=found, do=do)
        self.reason = reason


def compiler() -> str:
    """The C++ compiler: CXX, or c++."""
    return os.environ.get("CXX", "c++")


def cache_directory() -> Path:
    """The folder of compiled adapters: in XDG_CACHE_HOME, or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bough" / "peers"


def library(source: str, flags: Sequence[str]) -> ctypes.CDLL:
    """The shared library made of `source` (beside this file), rebuilt if source or flags change.

    Raises `PeerError` if it cannot be compiled.
    """
    path = HERE / source
    command = [compiler(), *FLAGS]
    key = hashlib.sha256(path.read_bytes() + repr((command, *flags)).encode()).hexdigest()[:12]
    target = cache_directory() / f"{path.stem}-{key}.so"
    if target in _failed:
        raise _failed[target]
    if not target.exists():
        try:
            _compile([*command, str(path)], target, flags)
        except PeerError as error:
            _failed[target] = error
            raise
    return ctypes.CDLL(str(target))


def _compile(command: Sequence[str], target: Path, flags: Sequence[str]) -> None:
    asked = f"the adapter {target.stem.partition('-')[0]}, compiled with {command[0]}"
    if shutil.which(command[0]) is None:
        do = "install a C++ compiler, or set CXX"
        reason = f"not built: no C++ compiler {command[0]!r}"
        raise PeerError(asked=asked, found="no such compiler", do=do, reason=reason)
    print(f"compiling {command[-1].rpartition(os.sep)[2]} (once) ...", file=sys.stderr, flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(f".{os.getpid()}")  # several processes may compile at the same time
    run = subprocess.run([*command, "-o", str(partial), *flags], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        lines = run.stderr.splitlines() or ["no message"]
        first = next((line for line in lines if "error" in line), lines[0])
        raise PeerError(
            asked=asked,
            found="errors of the compiler:\n" + "\n".join(lines[:20]),
            do="correct the installation",
            reason=f"not built: {command[0]} says {(first.partition('error: ')[2] or first).strip()!r}",
        )
    partial.replace(target)


def compiler_version() -> str:
    """The version text of the compiler."""
    if shutil.which(compiler()) is None:
        return "none"
    run = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=False)
    return run.stdout.splitlines()[0] if run.stdout else "none"
