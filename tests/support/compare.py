"""Comparison of two exact algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np


def compare(actual: Any, expected: Any, *, rtol: float, scale: float | None = None, what: str = "") -> None:
    """Assert |actual - expected| <= rtol * scale, entrywise and with equal shapes.

    `scale` is the size of the terms that make up the quantity (by default the largest entry expected): two
    exact algorithms differ by the round-off of those terms, whatever entry they cancel to.
    """
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    if expected.size == 0:
        return
    if scale is None:
        scale = float(np.max(np.abs(expected)))
    difference = np.abs(actual - expected)
    worst = float(np.max(np.where(np.isfinite(difference), difference, np.inf)))
    assert worst <= rtol * scale, f"{what}: differs by {worst:.2e}, allowed {rtol:.0e} of {scale:.2e}"
