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
FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "-fPIC", "-shared")


def compiler() -> str:
    """The C++ compiler: CXX, or c++."""
    return os.environ.get("CXX", "c++")


def cache_directory() -> Path:
    """Where adapters are kept: XDG_CACHE_HOME, or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bough" / "peers"


def library(source: str, flags: Sequence[str]) -> ctypes.CDLL:
    """The shared library made of `source` (beside this file), made anew when source or flags change."""
    path = HERE / source
    command = [compiler(), *FLAGS]
    key = hashlib.sha256(path.read_bytes() + repr((command, *flags)).encode()).hexdigest()[:12]
    target = cache_directory() / f"{path.stem}-{key}.so"
    if not target.exists():
        _compile([*command, str(path)], target, flags)
    return ctypes.CDLL(str(target))


def _compile(command: Sequence[str], target: Path, flags: Sequence[str]) -> None:
    asked = f"the adapter {target.stem.partition('-')[0]}, compiled with {command[0]}"
    if shutil.which(command[0]) is None:
        raise BoughError(asked=asked, found="no such compiler", do="install a C++ compiler, or set CXX")
    print(f"compiling {command[-1].rpartition(os.sep)[2]} (once) ...", file=sys.stderr, flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(f".{os.getpid()}")  # several processes may compile at the same time
    run = subprocess.run([*command, "-o", str(partial), *flags], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        said = "\n".join(run.stderr.splitlines()[:20])
        raise BoughError(asked=asked, found=f"errors of the compiler:\n{said}", do="correct the installation")
    partial.replace(target)


def compiler_version() -> str:
    """What the compiler says of itself."""
    if shutil.which(compiler()) is None:
        return "none"
    run = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=False)
    return run.stdout.splitlines()[0] if run.stdout else "none"
