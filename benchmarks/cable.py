"""A load on a rope that hangs from a cable: 34 variables and two constraints, 30 s at steps of 0.02 s.

A system of this size took 79.9 s for 30 s of motion in [NM] section VII.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import mechanism
from benchmarks.harness import Row
from bough.gallery import suspended_load


def rows() -> Iterator[Row]:
    model = suspended_load().build()
    yield mechanism.row("cable", "34 variables", model, dt=0.02, steps=1500, points=("node12", "knot10"))
