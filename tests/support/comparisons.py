"""Problems that `bough.compare` is asked about."""

from __future__ import annotations

from typing import Any

import bough

START = {"J": 0.5, "H": -0.3, "A": 0.5}  # of the closed chain, near which it can be assembled


def problem(
    model: bough.Model, q: Any = None, v: Any = None, duration: float = 2.0, dt: float = 0.01
) -> bough.Problem:
    begin = bough.Problem(model, q, v, duration=0.0, dt=dt, assemble=model.nc > 0)
    return bough.Problem(model, begin.q, begin.v, duration=duration, dt=dt)
