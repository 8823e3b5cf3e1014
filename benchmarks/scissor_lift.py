"""Scissor lifts of [JM09] VI.C from rest at 0.6 rad: 10 s at steps of 0.01 s, with 5, 20 and 100 segments."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import mechanism
from benchmarks.harness import Row
from bough.figures._lift import lift, lift_of_bodies

SEGMENTS = (5, 20, 100)


def rows() -> Iterator[Row]:
    for n in SEGMENTS:
        model, bodies = lift(n), lift_of_bodies(n)
        points = ("a1", f"b{n}") if n <= 20 else ()  # ODE would take minutes
        yield mechanism.row(
            "scissor_lift", f"{n} segments", model, dt=0.01, steps=1000, points=points, bodies=bodies
        )
