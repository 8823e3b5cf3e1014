"""Laws of force given by a polynomial or a table, and their energies as piecewise polynomials of the core."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough import check_system as check
from bough.check_system import Array
from bough.errors import ModelError


def check_force_law(polynomial: Any, table: Any, where: str, unit: str) -> tuple[Any, Any]:
    """The checked (polynomial, table), of which one is None, as tuples of numbers."""
    if (polynomial is None) == (table is None):
        raise ModelError(
            asked=f"the force of {where}",
            found="neither a polynomial nor a table" if table is None else "both a polynomial and a table",
            do="give polynomial=(c0, c1, ...) or table=((x, force), ...), one of them",
        )
    if table is None:
        shape = (_length(polynomial, 1),)
        return tuple(
            check.array(polynomial, (shape,), "polynomial", where, "one or more numbers").tolist()
        ), None
    wanted = f"two or more rows (x, force) in {unit}"
    rows = check.array(table, ((_length(table, 2), 2),), "table", where, wanted)
    steps = np.diff(rows[:, 0])
    if not (steps > 0.0).all():
        row = int(np.argmin(steps > 0.0)) + 1
        raise ModelError(
            asked=f"table in {where}",
            found=f"x does not increase: {rows[row - 1, 0]:g} is followed by {rows[row, 0]:g} in row {row}",
            do="give the rows in increasing order of x, each x once",
        )
    return None, tuple((x, force) for x, force in rows.tolist())


def energy_function(
    polynomial: tuple[float, ...] | None, table: tuple[tuple[float, float], ...] | None
) -> list[float]:
    """V with V' = the force and V(0) = 0, as the numbers of a function of the core (function.hpp)."""
    if polynomial is not None:
        starts, coefficients = np.zeros(1), np.array([polynomial])
    else:
        starts, coefficients = _spline(np.array(table))
    powers = np.arange(1.0, coefficients.shape[1] + 1.0)
    energy = np.hstack([np.zeros((len(starts), 1)), coefficients / powers])
    for i in range(2, len(starts)):  # the first two pieces meet at the first point of the table
        energy[i, 0] = np.polyval(energy[i - 1, ::-1], starts[i] - starts[i - 1])
    at_zero = max(int(np.searchsorted(starts, 0.0, side="right")) - 1, 0)
    energy[:, 0] -= np.polyval(energy[at_zero, ::-1], -starts[at_zero])
    pieces, terms = energy.shape
    breaks = [*starts.tolist(), float(starts[-1]) + 1.0]  # the last piece goes on beyond its end
    return [2.0, 0.0, float(pieces), float(terms), *breaks, *energy.ravel().tolist()]


def _spline(table: Array) -> tuple[Array, Array]:
    """The natural cubic spline through the points, continued by straight lines: C2 everywhere."""
    from scipy.interpolate import CubicSpline  # takes longer to import than the rest of bough

    x, force = table.T
    spline = CubicSpline(x, force, bc_type="natural")
    pieces = np.zeros((len(x) + 1, 4))
    pieces[1:-1] = spline.c[::-1].T
    for row, end in ((0, x[0]), (-1, x[-1])):
        pieces[row, :2] = spline(end), spline(end, 1)
    return np.concatenate([x[:1], x]), pieces


def _length(value: Any, least: int) -> int:
    """The number of entries of a sequence, at least `least`."""
    return max(len(value), least) if hasattr(value, "__len__") else least
