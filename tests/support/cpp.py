"""The tests in C++, cpp/tests: where their program is."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def builds() -> list[Path]:
    """The folders that the core was built in, newest first."""
    caches = [path for path in ROOT.glob("build/*/CMakeCache.txt") if path.parent.name != "sanitize"]
    return [path.parent for path in sorted(caches, key=lambda path: path.stat().st_mtime, reverse=True)]


@functools.cache
def program() -> str:
    """bough_tests, built."""
    if not builds():
        pytest.skip("the core was not built here")
    folder = builds()[0]
    found = re.search(r"^CMAKE_COMMAND:INTERNAL=(.*)$", (folder / "CMakeCache.txt").read_text(), re.MULTILINE)
    cmake = found.group(1) if found and Path(found.group(1)).exists() else shutil.which("cmake")
    if cmake is None:
        pytest.skip("there is no cmake")
    built = subprocess.run(
        [cmake, "--build", str(folder), "--target", "bough_tests"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return str(folder / "bough_tests")
