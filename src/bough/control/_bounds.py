"""Limits along any motion, as rows h <= 0: of configurations, rates, inputs and constraint forces.

Each row is h = sign (y - bound)/scale of one number y of a step, with slack and multiplier by the equations
(CL1)-(CL5) of docs/theory/control.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.control._costs import Expansion, Setting
from bough.errors import ModelError, unknown_name
from bough.model.units import variable_units


class Labels(NamedTuple):
    """What messages call the columns: names of variables, inputs and constraint forces, the units of variables.

    units_of_inputs : "" for one that is not known
    input : what comes before the name of an input
    """

    variables: Sequence[str]
    inputs: Sequence[str]
    constraints: Sequence[str]
    units: Sequence[str]
    units_of_inputs: Sequence[str]
    input: str = "input "


class Bounds:
    """Rows of all finite limits: columns (q1, rate, u, lam) of a step, signs, bounds and scales."""

    def __init__(
        self,
        labels: Labels,
        times: Array,
        dt: float,
        low: Array,
        high: Array,
    ) -> None:
        self.labels = labels
        self.nq, self.nu = len(labels.variables), len(labels.inputs)
        self.times, self.dt = times, dt
        entries = [(i, 1.0, b) for i, b in enumerate(high) if np.isfinite(b)]
        entries += [(i, -1.0, b) for i, b in enumerate(low) if np.isfinite(b)]
        self.low, self.high = low, high
        self.column = np.array([i for i, _, _ in entries], dtype=int)
        self.sign = np.array([sign for _, sign, _ in entries])
        self.bound = np.array([bound for _, _, bound in entries])
        width = high - low
        both = np.isfinite(width)
        one = np.maximum(1.0, np.abs(np.where(np.isfinite(high), high, np.where(np.isfinite(low), low, 0.0))))
        self.scale = np.where(both, 0.5 * np.where(both, width, 0.0), one)[self.column]
        self.forces = bool((self.column >= 2 * self.nq + self.nu).any())
        self.active = np.ones((len(times) - 1, len(entries)), dtype=bool)

    def __len__(self) -> int:
        return len(self.column)

    def exclude_end(self, held: Sequence[int]) -> None:
        """Leave out the last configuration of variables that a condition gives."""
        self.active[-1] &= ~np.isin(self.column, list(held))

    def widened(self, y: Array, part: float) -> Bounds:
        """These limits, widened by a part of what a motion exceeds them by."""
        other = copy(self)
        beyond = np.where(self.active, self.sign * (y[:, self.column] - self.bound), -np.inf).max(
            axis=0, initial=0.0
        )
        other.bound = self.bound + self.sign * part * np.maximum(1.02 * beyond + 1e-3 * self.scale, 0.0) * (
            beyond > 0.0
        )
        return other

    def limited(self, q0: Array, q1: Array, u: Array, lam: Array) -> Array:
        """All numbers that can have limits, (steps, 2 nq + nu + m)."""
        return np.concatenate([q1, (q1 - q0) / self.dt, u, lam], axis=1)

    def values(self, y: Array) -> Array:
        """h, (steps, rows), of what `limited` returns; -1 in rows that are left out."""
        return np.where(self.active, self.sign * (y[:, self.column] - self.bound) / self.scale, -1.0)

    def pull(self, z: Array) -> Array:
        """The derivative of z . h by what is limited."""
        out = np.zeros((len(z), len(self.low)))
        np.add.at(out.T, self.column, (self.sign / self.scale * np.where(self.active, z, 0.0)).T)
        return out

    def curvature(self, weight: Array) -> Array:
        """The diagonal of dh^T weight dh by what is limited."""
        out = np.zeros((len(weight), len(self.low)))
        np.add.at(out.T, self.column, (np.where(self.active, weight, 0.0) / self.scale**2).T)
        return out

    def change(self, dy: Array) -> Array:
        """The change of h for a change of what is limited."""
        return np.where(self.active, self.sign / self.scale * dy[:, self.column], 0.0)

    def by_pair(self, pull: Array) -> Array:
        """The part of `pull` by y = (q0, q1, u)."""
        nq, nu = self.nq, self.nu
        return np.concatenate(
            [np.zeros((len(pull), nq)), pull[:, :nq], pull[:, 2 * nq : 2 * nq + nu]], axis=1
        )

    def by_rates(self, pull: Array) -> Array:
        """The part of `pull` by rates."""
        return np.ascontiguousarray(pull[:, self.nq : 2 * self.nq])

    def add_curvature(self, diagonal: Array, to: Expansion) -> None:
        """Add dh^T weight dh, from its diagonal over what is limited."""
        nq, nu = self.nq, self.nu
        to.diagonal[:, nq : 2 * nq] += diagonal[:, :nq]
        to.diagonal[:, 2 * nq :] += diagonal[:, 2 * nq : 2 * nq + nu]
        to.rr += diagonal[:, nq : 2 * nq]

    def of_forces(self, pull: Array) -> Array:
        """The part of `pull` by constraint forces, (steps, m)."""
        return pull[:, 2 * self.nq + self.nu :]

    def beyond(self, y: Array, allowed: float) -> str:
        """The limit that is exceeded most, by how much and when; "" if none is by more than `allowed`, scaled."""
        h = self.values(y)
        if h.max(initial=-np.inf) <= allowed:
            return ""
        step, row = (int(i) for i in np.unravel_index(int(h.argmax()), h.shape))
        column, nq, nu = int(self.column[row]), self.nq, self.nu
        labels, unit = self.labels, ""
        if column < nq:
            what, unit = f"{labels.variables[column]!r}", labels.units[column]
        elif column < 2 * nq:
            what = f"the velocity of {labels.variables[column - nq]!r}"
            unit = labels.units[column - nq] and f"{labels.units[column - nq]}/s"
        elif column < 2 * nq + nu:
            what = f"{labels.input}{labels.inputs[column - 2 * nq]!r}"
            unit = labels.units_of_inputs[column - 2 * nq]
        else:
            what = f"the force of constraint {labels.constraints[column - 2 * nq - nu]!r}"
        value, bound, unit = y[step, column], self.bound[row], unit and f" {unit}"
        side, kind = ("above", "upper") if self.sign[row] > 0 else ("below", "lower")
        time = self.times[step + (column < nq)]
        beyond = f"{abs(value - bound):.2g}{unit} {side} its {kind} limit {bound:.3g}"
        return f"{what} is {value:.3g}{unit} at t = {time:.3g} s, {beyond}"


def bounds_of(at: Setting, given: Mapping[str, Any]) -> Bounds:
    """The limits of variables, rates, inputs and constraint forces of a model, as `optimize` takes them."""
    model, where = at.model, at.where
    nq, nu, m = model.nv, model.nu, model.nc
    low, high = np.full(2 * nq + nu + m, -np.inf), np.full(2 * nq + nu + m, np.inf)
    _refuse_balls(model, given, where)
    high[:nq] = _one_sided(given.get("upper"), model.variables, "upper", where, np.inf)
    low[:nq] = _one_sided(given.get("lower"), model.variables, "lower", where, -np.inf)
    ranges = (
        ("velocity", model.variables, nq),
        ("effort", model.inputs, 2 * nq),
        ("force", model.constraints, 2 * nq + nu),
    )
    for what, names, first in ranges:
        to = slice(first, first + len(names))
        low[to], high[to] = _ranges(given.get(what), names, what, where)
    for place in np.flatnonzero(low >= high):
        raise ModelError(
            asked=f"limits of {where}",
            found=f"a lower limit {low[place]:g} that is not below the upper one, {high[place]:g}",
            do="give a range that is not empty",
        )
    units = variable_units(model)
    labels = Labels(model.variables, model.inputs, model.constraints, units, [""] * nu)
    return Bounds(labels, at.times, at.dt, low, high)


def _refuse_balls(model: Any, given: Mapping[str, Any], where: str) -> None:
    """Raise for limits of balls: their turns have no coordinate, and their rates are not those of a rotation vector."""
    for what in ("lower", "upper", "velocity"):
        value = given.get(what)
        names = value if isinstance(value, Mapping) else () if value is None else model.variables
        for name in names:
            if name in model.balls or (name in model.variables and name not in model.coordinates):
                raise ModelError(
                    asked=f"{what} of {where}",
                    found=f"{name!r}, which belongs to a ball, whose rotations are quaternions",
                    do="give limits of other variables by name",
                )


def _one_sided(value: Any, names: tuple[str, ...], what: str, where: str, none: float) -> Array:
    out = np.full(len(names), none)
    if value is None:
        return out
    if not isinstance(value, Mapping):
        value = dict.fromkeys(names, value)
    for name, number in value.items():
        if name not in names:
            raise unknown_name("variable", str(name), names, f"{what} of {where}")
        out[names.index(name)] = _number(number, name, what, where)
    return out


def _ranges(value: Any, names: tuple[str, ...], what: str, where: str) -> tuple[Array, Array]:
    """A number is the largest size, a pair the least and the largest value, None in it no limit."""
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    if value is None:
        return low, high
    if not isinstance(value, Mapping):
        value = dict.fromkeys(names, value)
    for name, entry in value.items():
        places = [i for i, known in enumerate(names) if known == name]
        if not places:
            kind = {"effort": "input", "force": "constraint"}.get(what, "variable")
            raise unknown_name(kind, str(name), names, f"{what} of {where}")
        pair = entry if isinstance(entry, Sequence) and not isinstance(entry, str) else None
        if pair is not None and len(pair) == 2:
            low[places] = -np.inf if pair[0] is None else _number(pair[0], name, what, where)
            high[places] = np.inf if pair[1] is None else _number(pair[1], name, what, where)
            continue
        size = _number(entry, name, what, where)
        if size <= 0.0:
            raise ModelError(
                asked=f"{what} of {where}",
                found=f"{size:g} for {name!r}",
                do="give a size above zero, or a pair",
            )
        low[places], high[places] = -size, size
    return low, high


def _number(value: Any, name: str, what: str, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if np.isnan(number):
        raise ModelError(
            asked=f"{what} of {where}", found=f"{value!r} for {name!r}", do="give a number, or a pair of them"
        )
    return number
