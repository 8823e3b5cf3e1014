"""Newton's method for the rest nearest to a configuration, stable or not: docs/theory/statics.md.

With r = N^T S g of (ST4), which vanishes at rest,

    dq = -S N A^+ N^T S g                                    A of (ST5), with the signs that it has      (ST12)
    |r(q + a dq)| <= (1 - 1e-4 a) |r(q)|                     a halved until it holds                     (ST13)

No energy decreases, so that the search also ends on a ridge or a saddle; the sizes of r are compared in the scale
of the point that the step begins at.
"""

from __future__ import annotations

import numpy as np

from bough.arguments import Array
from bough.motion.statics import EPSILON, HALVINGS, ITERATIONS, NO_STIFFNESS, STEP, TOLERANCE, Point, Search

DECREASE = 1e-4  # of (ST13)


def nearest_rest(search: Search, point: Point) -> tuple[Point, int]:
    """The last point of the steps (ST12), (ST13), and their number."""
    for iteration in range(ITERATIONS):
        better = _line_search(search, point)
        if better is None:
            return point, iteration
        if point.error <= TOLERANCE and not better.error < 0.5 * point.error:
            return min(better, point, key=lambda p: p.error), iteration + 1
        point = better
    return point, ITERATIONS


def _line_search(search: Search, point: Point) -> Point | None:
    step = _step(point)
    largest = float(np.max(np.abs(step) / search.reach(point.q), initial=0.0))
    if largest < EPSILON:
        return None
    step *= min(1.0, STEP / largest)
    size = _size(point, point.rest)
    for part in 0.5 ** np.arange(HALVINGS):
        met = search.restored(search.moved(point.q, part * step), point.scale)
        if met is None:
            continue
        tried = search.point(met)
        if _size(point, tried.rest) <= (1.0 - DECREASE * part) * size:
            return tried
    return None


def _step(point: Point) -> Array:
    """(ST12), without the moves that have no stiffness."""
    force = point.N.T @ (point.scale * point.slope)
    U, s, Vt = np.linalg.svd(point.stiffness)
    kept = s > NO_STIFFNESS * max(float(s.max(initial=0.0)), 1e-300)
    moved = Vt[kept].T @ ((U[:, kept].T @ force) / s[kept])
    return np.asarray(-point.scale * (point.N @ moved))


def _size(point: Point, rest: Array) -> float:
    return float(np.linalg.norm(point.scale * rest))
