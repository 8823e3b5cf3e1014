"""The marionette of the gallery on held strings, let go without damping: 10 s at steps of 0.01 s."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import mechanism
from benchmarks.harness import Row
from bough.gallery import marionette


def rows() -> Iterator[Row]:
    model = marionette(damping=0.0).build()
    system = f"{model.nd} variables"
    yield mechanism.row("marionette", system, model, dt=0.01, steps=1000, points=("head", "left hand"))
