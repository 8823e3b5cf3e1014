"""Compile a C++ adapter on first use into ``benchmarks/build``."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parent / "build"
COMPILER = os.environ.get("CXX", "c++")
FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "-fPIC", "-shared")


def library(source: str, flags: Sequence[str]) -> ctypes.CDLL:
    """The shared library made of ``source`` (beside this file), made anew when source or flags change."""
    path = HERE / source
    command = [COMPILER, *FLAGS]
    key = hashlib.sha256(path.read_bytes() + repr((command, *flags)).encode()).hexdigest()[:12]
    target = BUILD / f"{path.stem}-{key}.so"
    if not target.exists():
        BUILD.mkdir(exist_ok=True)
        print(f"compiling {source} ...", flush=True)
        partial = target.with_suffix(".partial")
        subprocess.run([*command, str(path), "-o", str(partial), *flags], check=True)
        partial.replace(target)
    return ctypes.CDLL(str(target))


def compiler_version() -> str:
    run = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=False)
    return run.stdout.splitlines()[0] if run.stdout else "none"
