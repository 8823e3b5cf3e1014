"""Smooth functions of one number that the core evaluates: of time, or of the angle of a cam.

Sinusoid             mean + amplitude sin(frequency x + phase)
PiecewisePolynomial  sum_m c_m (x - break_k)^m in piece k, continuous with its slope
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough import validate
from bough.description import formulas
from bough.description.expression import plain_formulas
from bough.errors import ModelError, quoted, unknown_name

Array = npt.NDArray[np.float64]

JUMP = 1e-9  # largest allowed jump of value or slope between two pieces, relative to the largest value


class Function:
    """A function of one number with its derivatives."""

    _formulas: ClassVar[Mapping[str, Any]] = formulas.NONE

    def __call__(self, x: npt.ArrayLike, derivative: int = 0) -> Array:
        """The value, or a derivative, at any array of numbers."""
        raise NotImplementedError

    def numbers(self) -> list[float]:
        """The function in the form that the core takes."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The function in plain lists, numbers and strings."""
        raise NotImplementedError


@dataclass(frozen=True)
class Sinusoid(Function):
    """mean + amplitude sin(frequency x + phase).

    Parameters
    ----------
    amplitude : float
    frequency : float
        rad/s for a function of time.
    phase : float
        rad
    mean : float

    Examples
    --------
    >>> import bough
    >>> bough.Sinusoid(amplitude=0.1, frequency=2.0, mean=1.0)(0.0)
    array(1.)
    """

    amplitude: float
    frequency: float
    phase: float = 0.0
    mean: float = 0.0

    def __post_init__(self) -> None:
        formulas.split(self)
        for field in ("amplitude", "frequency", "phase", "mean"):
            object.__setattr__(self, field, validate.real(getattr(self, field), field, "Sinusoid"))

    def __call__(self, x: npt.ArrayLike, derivative: int = 0) -> Array:
        angle = self.frequency * np.asarray(x, dtype=np.float64) + self.phase + 0.5 * np.pi * derivative
        wave = self.amplitude * self.frequency**derivative * np.sin(angle)
        return np.asarray(wave if derivative else self.mean + wave)

    def numbers(self) -> list[float]:
        return [1.0, self.mean, self.amplitude, self.frequency, self.phase]

    def to_dict(self) -> dict[str, Any]:
        fields = ("amplitude", "frequency", "phase", "mean")
        return {"type": "Sinusoid", **{field: _plain(self, field) for field in fields}}


@dataclass(frozen=True)
class PiecewisePolynomial(Function):
    """A polynomial on each interval between breaks, continuous with its slope.

    Outside the breaks the first and the last polynomial continue, or the whole function repeats.

    Parameters
    ----------
    breaks : increasing numbers, one more than there are pieces
    coefficients : a row for each piece
        Coefficients of the powers 0, 1, 2, ... of the distance from the left end of the piece.
    periodic : bool

    Examples
    --------
    >>> import bough
    >>> ramp = bough.PiecewisePolynomial((0.0, 1.0, 2.0), ((0.0, 0.0, 1.0), (1.0, 2.0)))
    >>> ramp([0.5, 1.0, 3.0])
    array([0.25, 1.  , 5.  ])
    """

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    periodic: bool = False

    def __post_init__(self) -> None:
        formulas.split(self)
        where = "PiecewisePolynomial"
        breaks = _row(self.breaks, "breaks", where)
        object.__setattr__(self, "breaks", breaks)
        if len(breaks) < 2 or not (np.diff(breaks) > 0.0).all():
            raise ModelError(
                asked=f"breaks in {where}",
                found="fewer than two breaks" if len(breaks) < 2 else "breaks that do not increase",
                do="give two or more increasing numbers",
            )
        try:
            rows = [_row(row, f"coefficients[{i}]", where) for i, row in enumerate(self.coefficients)]
        except TypeError:
            rows = []
        if len(rows) != len(breaks) - 1 or not all(rows):
            raise ModelError(
                asked=f"coefficients in {where}",
                found=f"{validate.counted(len(rows), 'row')} for {validate.counted(len(breaks) - 1, 'piece')}"
                if all(rows)
                else "a row without numbers",
                do="give each piece a row with its coefficients of the powers 0, 1, 2, ...",
            )
        object.__setattr__(self, "coefficients", tuple(rows))
        object.__setattr__(self, "periodic", bool(self.periodic))
        self._check_smooth(where)

    @classmethod
    def through(cls, x: npt.ArrayLike, y: npt.ArrayLike, *, periodic: bool = False) -> PiecewisePolynomial:
        """The cubic spline through a table: two continuous derivatives.

        A periodic table ends with the value it begins with, one period later. Otherwise the third derivative
        is continuous next to the ends ("not-a-knot").

        Examples
        --------
        >>> import bough
        >>> lift = bough.PiecewisePolynomial.through([0, 2, 4, 6], [0, 0.01, 0.01, 0], periodic=True)
        """
        from scipy.interpolate import CubicSpline

        where = "PiecewisePolynomial.through"
        xs, ys = _row(x, "x", where), _row(y, "y", where)
        if len(xs) != len(ys) or len(xs) < 2 or not (np.diff(xs) > 0.0).all():
            raise ModelError(
                asked=where,
                found=f"{len(xs)} and {len(ys)} numbers"
                if len(xs) != len(ys) or len(xs) < 2
                else "x that does not increase",
                do="give x in increasing order, and a y for each, two or more",
            )
        if periodic and abs(ys[-1] - ys[0]) > JUMP * max(map(abs, ys)):
            raise ModelError(
                asked=where,
                found=f"a periodic table that begins with {ys[0]:g} and ends with {ys[-1]:g}",
                do="end the table with the value it begins with, one period later",
            )
        ys = (*ys[:-1], ys[0]) if periodic else ys
        return cls.from_scipy(CubicSpline(xs, ys, bc_type="periodic" if periodic else "not-a-knot"), periodic)

    @classmethod
    def from_scipy(cls, spline: Any, periodic: bool = False) -> PiecewisePolynomial:
        """Convert a scalar spline of SciPy: `PPoly` or a subclass (`CubicSpline`, ...), or `BSpline`."""
        from scipy.interpolate import BSpline, PPoly

        if isinstance(spline, BSpline):
            spline = PPoly.from_spline(spline)
        if not isinstance(spline, PPoly) or spline.c.ndim != 2:
            raise ModelError(
                asked=f"PiecewisePolynomial.from_scipy({type(spline).__name__})",
                found="not a spline of SciPy with scalar values",
                do="give a PPoly, CubicSpline, Akima1DInterpolator, ... or a BSpline of one-dimensional y",
            )
        kept = np.diff(spline.x) > 0.0  # a BSpline has repeated knots at its ends
        return cls(
            (*spline.x[:-1][kept].tolist(), float(spline.x[-1])),
            tuple(map(tuple, spline.c[::-1, kept].T.tolist())),
            periodic,
        )

    def __call__(self, x: npt.ArrayLike, derivative: int = 0) -> Array:
        x = np.asarray(x, dtype=np.float64)
        breaks = np.array(self.breaks)
        if self.periodic:
            period = breaks[-1] - breaks[0]
            x = x - period * np.floor((x - breaks[0]) / period)
        piece = np.searchsorted(breaks[1:-1], x, side="right")
        s = x - breaks[piece]
        value = np.zeros_like(s)
        for c in _derivative_rows(self._table(), derivative).T[::-1]:
            value = value * s + c[piece]
        return np.asarray(value, dtype=np.float64)

    def numbers(self) -> list[float]:
        pieces, terms = len(self.coefficients), max(map(len, self.coefficients))
        table = [number for row in self.coefficients for number in (*row, *[0.0] * (terms - len(row)))]
        return [2.0, float(self.periodic), float(pieces), float(terms), *self.breaks, *table]

    def to_dict(self) -> dict[str, Any]:
        return {
            "type": "PiecewisePolynomial",
            "breaks": _plain(self, "breaks"),
            "coefficients": _plain(self, "coefficients"),
            "periodic": self.periodic,
        }

    def __repr__(self) -> str:
        text = f"{validate.counted(len(self.coefficients), 'piece')} from {self.breaks[0]:g} to {self.breaks[-1]:g}"
        return f"<PiecewisePolynomial: {text}{', periodic' if self.periodic else ''}>"

    def _table(self) -> Array:
        """The coefficients, (pieces, terms)."""
        table = np.zeros((len(self.coefficients), max(map(len, self.coefficients))))
        for row, given in zip(table, self.coefficients, strict=True):
            row[: len(given)] = given
        return table

    def _check_smooth(self, where: str) -> None:
        """Raise if value or slope jump: a constraint force would be infinite there."""
        table, lengths = self._table(), np.diff(self.breaks)
        for order, what in ((0, "value"), (1, "slope")):
            c = _derivative_rows(table, order)
            ends = (c * lengths[:, None] ** np.arange(c.shape[1])).sum(axis=1)
            starts = c[:, 0]
            size = max(np.abs(ends).max(), np.abs(starts).max())
            jumps = np.abs(starts - np.roll(ends, 1))
            if not self.periodic:
                jumps = jumps[1:]
            if len(jumps) and jumps.max() > JUMP * size:
                at = int(np.argmax(jumps)) + (not self.periodic)
                raise ModelError(
                    asked=where,
                    found=f"the {what} jumps by {jumps.max():.3g} at {self.breaks[at]:g}",
                    do="give pieces that meet with equal value and slope",
                )


def function_or_number(value: Any, what: str, where: str, *, kinematic: bool = False) -> float | Function:
    """A constant, or a function; `kinematic` if a kinematic variable could stand there too."""
    if isinstance(value, Function):
        return value
    if not validate.is_real(value):
        raise ModelError(
            asked=f"{what}={validate.shown(value)} in {where}",
            found=f"{what} is neither a number nor a function of bough",
            do="give a number, bough.Sinusoid(...) or bough.PiecewisePolynomial(...)"
            + (', or bough.kinematic("name") for what a run prescribes' if kinematic else ""),
        )
    return validate.real(value, what, where)


def numbers(value: float | Function) -> list[float]:
    """A constant or a function in the form that the core takes."""
    return value.numbers() if isinstance(value, Function) else [0.0, value]


def function_from_dict(data: Mapping[str, Any]) -> Function:
    """The inverse of `Function.to_dict`."""
    asked = "function of a description"
    kinds: dict[str, Any] = {"Sinusoid": Sinusoid, "PiecewisePolynomial": PiecewisePolynomial}
    kind = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise ModelError(
            asked=asked, found=f"type {validate.shown(kind)}", do=f"use one of {', '.join(kinds)}"
        )
    values = {key: value for key, value in data.items() if key != "type"}
    known = [field.name for field in fields(kinds[kind])]
    for key in values:
        if key not in known:
            raise unknown_name("field", str(key), known, f"a {kind} of a description")
    try:
        return kinds[kind](**values)  # type: ignore[no-any-return]
    except TypeError:
        raise ModelError(
            asked=asked, found=f"a {kind} with {quoted(values)} only", do=f"give it {quoted(known)}"
        ) from None


def _row(value: Any, what: str, where: str) -> tuple[float, ...]:
    """One row of finite numbers."""
    size = len(value) if isinstance(value, Sequence | np.ndarray) and np.ndim(value[:1]) == 1 else 0
    return tuple(validate.array(value, ((size,),), what, where, "a row of numbers").tolist())


def _plain(function: Function, field: str) -> Any:
    """A field in plain lists, numbers and formulas."""
    return plain_formulas(function._formulas.get(field, getattr(function, field)))


def _derivative_rows(table: Array, order: int) -> Array:
    for _ in range(order):
        table = (table * np.arange(table.shape[1]))[:, 1:]
        table = table if table.shape[1] else np.zeros((len(table), 1))
    return table
