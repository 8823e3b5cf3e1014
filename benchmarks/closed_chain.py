"""The closed-chain device of [JM09], Listing 1: 120 s at steps of 0.01 s.

bough and MuJoCo have seven joint angles and two closed loops; Open Dynamics Engine has seven free bodies and
nine joints. The point masses have an inertia of 0.01 in all engines, because ODE requires one.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import mechanism
from benchmarks.harness import Row
from bough.gallery import closed_chain
from bough.peers import with_inertia


def rows() -> Iterator[Row]:
    model = with_inertia(closed_chain(), 0.01).build()
    yield mechanism.row(
        "closed_chain", "Listing 1", model, dt=0.01, steps=12_000, points=("G", "O", "E"), seconds=20.0
    )
