"""Laws of force given by a polynomial or a table, and their energies as piecewise polynomials of the core."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough import validate
from bough.errors import ModelError, quoted
from bough.validate import Array

INTERPOLATIONS = ("linear", "pchip", "spline")


def check_force_law(
    polynomial: Any, table: Any, interpolation: Any, where: str, unit: str
) -> tuple[Any, Any, str | None]:
    """The checked (polynomial, table, interpolation), of which the first or the others are None."""
    if (polynomial is None) == (table is None):
        raise ModelError(
            asked=f"the force of {where}",
            found="neither a polynomial nor a table" if table is None else "both a polynomial and a table",
            do="give polynomial=(c0, c1, ...) or table=((x, force), ...), one of them",
        )
    if interpolation is not None and interpolation not in INTERPOLATIONS:
        raise ModelError(
            asked=f"interpolation={validate.shown(interpolation)} in {where}",
            found="no way to draw a curve through a table has this name",
            do=f"use one of {quoted(INTERPOLATIONS)}",
        )
    if table is None and interpolation is not None:
        raise ModelError(
            asked=f"interpolation={validate.shown(interpolation)} in {where}",
            found="a polynomial, which needs none",
            do="leave interpolation out, or give a table in place of the polynomial",
        )
    if table is None:
        shape = (_length(polynomial, 1),)
        return (
            tuple(validate.array(polynomial, (shape,), "polynomial", where, "one or more numbers").tolist()),
            None,
            None,
        )
    wanted = f"two or more rows (x, force) in {unit}"
    rows = validate.array(table, ((_length(table, 2), 2),), "table", where, wanted)
    steps = np.diff(rows[:, 0])
    if not (steps > 0.0).all():
        row = int(np.argmin(steps > 0.0)) + 1
        raise ModelError(
            asked=f"table in {where}",
            found=f"x does not increase: {rows[row - 1, 0]:g} is followed by {rows[row, 0]:g} in row {row}",
            do="give the rows in increasing order of x, each x once",
        )
    return None, tuple((x, force) for x, force in rows.tolist()), interpolation or "pchip"


def energy_function(
    polynomial: tuple[float, ...] | None,
    table: tuple[tuple[float, float], ...] | None,
    interpolation: str | None,
) -> list[float]:
    """V with V' = the force and V(0) = 0, as the numbers of a function of the core (function.hpp)."""
    if polynomial is not None:
        # F = c0 + c1 x + ... has V = c0 x + c1 x^2 / 2 + ..., one piece that begins at zero
        energies = [0.0, *(c / (power + 1.0) for power, c in enumerate(polynomial))]
        return [2.0, 0.0, 1.0, float(len(energies)), 0.0, 1.0, *energies]
    starts, coefficients = _curve(np.array(table), str(interpolation))
    powers = np.arange(1.0, coefficients.shape[1] + 1.0)
    energy = np.hstack([np.zeros((len(starts), 1)), coefficients / powers])
    for i in range(2, len(starts)):  # pieces 0 and 1 meet at the first point of the table
        energy[i, 0] = np.polyval(energy[i - 1, ::-1], starts[i] - starts[i - 1])
    at_zero = max(int(np.searchsorted(starts, 0.0, side="right")) - 1, 0)
    energy[:, 0] -= np.polyval(energy[at_zero, ::-1], -starts[at_zero])
    pieces, terms = energy.shape
    breaks = [*starts.tolist(), float(starts[-1]) + 1.0]  # the last piece extends beyond the table
    return [2.0, 0.0, float(pieces), float(terms), *breaks, *energy.ravel().tolist()]


def _curve(table: Array, interpolation: str) -> tuple[Array, Array]:
    """The curve through the points, continued by straight lines.

    linear: straight lines; pchip: cubics with one continuous derivative, monotone wherever the rows are;
    spline: the natural cubic spline, with two continuous derivatives, which overshoots where the slope jumps.
    """
    from scipy.interpolate import CubicSpline, PchipInterpolator  # slower to import than bough

    x, force = table.T
    pieces = np.zeros((len(x) + 1, 4))
    if interpolation == "linear":
        slopes = np.diff(force) / np.diff(x)
        pieces[1:-1, 0], pieces[1:-1, 1] = force[:-1], slopes
        ends = slopes[0], slopes[-1]
    else:
        curve = (
            PchipInterpolator(x, force)
            if interpolation == "pchip"
            else CubicSpline(x, force, bc_type="natural")
        )
        pieces[1:-1] = curve.c[::-1].T
        ends = curve(x[0], 1), curve(x[-1], 1)
    pieces[0, :2], pieces[-1, :2] = (force[0], ends[0]), (force[-1], ends[1])
    return np.concatenate([x[:1], x]), pieces


def _length(value: Any, least: int) -> int:
    """The length of a sequence, or `least` if that is larger."""
    return max(len(value), least) if hasattr(value, "__len__") else least
