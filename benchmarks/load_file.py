"""Model files of 1 000 to 100 000 frames: time and memory for each frame should not depend on their number.

Two shapes: a chain, every frame inside the one before, and a bush, all frames side by side on one line.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

from benchmarks.harness import Contender, Row, interleave
from bough.io.system_file import parse_system

SIZES = (1_000, 10_000, 100_000)


def rows() -> Iterator[Row]:
    for shape in (chain, bush):
        for count in SIZES:
            text = shape(count)
            note = f"{_peak(lambda text=text: parse_system(text)) / count:.0f} bytes/frame"  # type: ignore[misc]
            contender = Contender("bough", lambda text=text: parse_system(text), count)  # type: ignore[misc]
            timings = interleave([contender], seconds=5.0, rounds=(3, 50))
            yield Row("load_file", f"{shape.__name__} {count}", "frame", timings, notes={"bough": note})


def chain(count: int) -> str:
    """Links inside each other: two frames each, one with a variable and one with a mass."""
    links = count // 2
    frames = "\n".join(f'(ry "q{i}" (tz -1 (name "link {i}") (mass 1 0.1 0.1 0.1)' for i in range(links))
    return f"(system (gravity 0 0 -9.81)\n{frames}{'))' * links})"


def bush(count: int) -> str:
    """Links beside each other on a single line."""
    links = count // 2
    frames = " ".join(f'(ry "q{i}" tz -1 (name "link {i}") (mass 1 0.1 0.1 0.1))' for i in range(links))
    return f"(system (gravity 0 0 -9.81) {frames})"


def _peak(run: Callable[[], object]) -> int:
    """The largest memory in use while something runs, in bytes."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
