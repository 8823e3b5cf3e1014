"""The drive of a run of higher order between its nodes: inputs at stages, kinematic values at Lobatto nodes.

A step of order 2s from t to t + h needs the inputs at t + c_i h and the kinematic variables at
t + d_k h, i, k = 1 ... s: (GL4), (GL5) in docs/theory/gauss.md. Functions of time are called there. Arrays
and feedback hold for a whole step, arrays of kinematic values are linear between the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array
from bough.errors import BoughWarning, quoted, warn
from bough.model.model import Model
from bough.motion.grid import Grid
from bough.motion.inputs import Inputs, item, row_of, takes_state
from bough.motion.rows import rate


def _none() -> Array:
    return np.zeros(0)


@dataclass
class Stages:
    """The drive of a run of higher order, in addition to the values at its nodes.

    Attributes
    ----------
    inputs : (steps, s, nu), or empty if no input is a function of time
    timed, end : (nu,), or empty
        Which inputs are functions of time, 1 or 0, and their values at the end of the run.
    nodes : (steps, s, nk) kinematic values, or empty if they are held
    """

    inputs: Array = field(default_factory=_none)
    timed: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)
    nodes: Array = field(default_factory=_none)

    def inputs_of(self, first: int, rows: Array) -> Array:
        """The inputs of some steps at their stages, from those held; (1, nu) if they are constant."""
        if not self.inputs.size:
            return rows
        return np.asarray(np.where(self.timed == 1.0, self.inputs[first : first + len(rows)], rows[:, None]))


def gauss_times(order: int) -> tuple[Array, Array]:
    """The stages in a step of length one, and the Lobatto nodes except the first."""
    c, d = core.gauss_times(order)
    return np.array(c), np.array(d)


def stages(
    model: Model, u: Any, k: Any, rows: Inputs, prescribed: Array, grid: Grid, order: int, where: str
) -> Stages:
    """The drive of a run, from u and k as the user gave them and their values at the nodes."""
    c, d = gauss_times(order)
    found = Stages()
    if len(prescribed):
        found.nodes = _kinematic(model.kinematic, k, prescribed, times_within(grid, d), d, order, where)
    timed = functions_of_time(u, model.inputs)
    if not timed or not grid.steps:
        return found
    found.timed, found.end = np.zeros(model.nu), np.zeros(model.nu)
    for i, value in _values(
        u, timed, np.array([grid.t0 + grid.duration]), model.inputs, "u", where, "inputs"
    ):
        found.timed[i], found.end[i] = 1.0, value[0]
    times = times_within(grid, c)
    found.inputs = np.repeat(rows.at(np.arange(grid.steps))[:, None], len(c), axis=1)
    for i, value in _values(u, timed, times.reshape(-1), model.inputs, "u", where, "inputs"):
        found.inputs[:, :, i] = value.reshape(times.shape)
    return found


def times_within(grid: Grid, within: Array) -> Array:
    """Instants in all steps, (steps, s)."""
    sizes = np.full(grid.steps, grid.dt)
    sizes[-1:] = grid.last
    return np.asarray(grid.nodes()[:-1, None] + sizes[:, None] * within)


def functions_of_time(u: Any, names: Sequence[str]) -> list[str]:
    """The names whose values are a function of time alone."""
    if callable(u):
        return [] if takes_state(u) else list(names)
    if not isinstance(u, Mapping):
        return []
    return [name for name, value in u.items() if callable(value) and not takes_state(value)]


def _values(
    function: Any,
    chosen: Sequence[str],
    times: Array,
    names: Sequence[str],
    what: str,
    where: str,
    plural: str,
) -> list[tuple[int, Array]]:
    """The values of functions of time for the chosen names, by index."""
    instants = times.tolist()
    if callable(function):
        table = np.array([row_of(function(t), names, f"{what}({t:g})", where, plural) for t in instants])
        return [(i, table[:, i]) for i in range(len(names))]
    return [
        (
            names.index(name),
            np.array(
                [validate.real(item(function[name](t)), f"{what}[{name!r}]({t:g})", where) for t in instants]
            ),
        )
        for name in chosen
    ]


def _kinematic(
    names: Sequence[str], k: Any, values: Array, times: Array, d: Array, order: int, where: str
) -> Array:
    """Kinematic values at the Lobatto nodes; the last one of a step is the node of the run itself."""
    nodes = between(values[:-1], values[1:], d)
    timed = functions_of_time(k, names)
    inner = times[:, :-1]
    for i, column in _values(k, timed, inner.reshape(-1), names, "k", where, "kinematic variables"):
        nodes[:, :-1, i] = column.reshape(inner.shape)
    curved = np.abs(np.diff(values, 2, axis=0)).max(axis=0, initial=0.0)
    moved = curved > 1e-12 * np.abs(values).max(axis=0, initial=0.0)
    linear = [name for i, name in enumerate(names) if name not in timed and moved[i]]
    if linear:
        warn(
            f"k of {quoted(linear)} in {where} is an array, and linear between the instants: the motion is of"
            f" second order in dt, not of order {order}; give a function of time, such as a spline through the"
            " values",
            BoughWarning,
        )
    return nodes


def between(first: Array, last: Array, d: Array) -> Array:
    """Values on straight lines from rows `first` to rows `last`, (rows, s, ...)."""
    nodes: Array = first[:, None] + d[:, None] * (last - first)[:, None]
    nodes[:, -1] = last
    return nodes


def kinematic_rates(values: Array, stages: Stages, grid: Grid, order: int) -> tuple[Array, Array]:
    """Velocities and accelerations of kinematic variables at the nodes, (steps + 1, nk).

    They come from the polynomials through Lobatto nodes, or from differences if the values are linear.
    """
    d, times = gauss_times(order)[1], grid.nodes()
    v, a = _polynomial_rates(values, stages.nodes, grid, d)
    linear = (stages.nodes == between(values[:-1], values[1:], d)).all(axis=(0, 1))
    v[:, linear] = rate(values[:, linear], times)
    a[:, linear] = rate(v[:, linear], times)
    return v, a


def _polynomial_rates(values: Array, nodes: Array, grid: Grid, d: Array) -> tuple[Array, Array]:
    """First and second derivative of the polynomials through the two steps that meet, at the ends three."""
    steps, s, nk = nodes.shape
    t = np.append(grid.t0, times_within(grid, d))
    x = np.concatenate([values[:1], nodes.reshape(steps * s, nk)])
    v, a = np.empty((steps + 1, nk)), np.empty((steps + 1, nk))
    for node in [0, *range(grid.whole, steps + 1)]:
        reach = slice(max(0, s * (node - 1)), s * (node + 1) + 1)
        if reach.stop - reach.start < 2 * s + 1 or node == steps:
            reach = slice(0, 3 * s + 1) if node == 0 else slice(max(0, len(t) - 3 * s - 1), len(t))
        weights = difference_weights(t[reach] - t[s * node])
        v[node], a[node] = weights @ x[reach]
    if grid.whole > 1:  # nodes with equal steps on both sides
        weights, count = difference_weights(t[: 2 * s + 1] - t[s]), s * (grid.whole - 1)
        both = sum(np.multiply.outer(w, x[i : i + count : s]) for i, w in enumerate(weights.T))
        v[1 : grid.whole], a[1 : grid.whole] = both
    return v, a


def difference_weights(x: Array) -> Array:
    """The weights of values at x in the first and second derivative of their polynomial at 0, (2, len(x))."""
    return derivative_weights(x)[1:]


def derivative_weights(x: Array) -> Array:
    """The weights of values at x in their polynomial at 0 and its first two derivatives, (3, len(x))."""
    # B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids (1988)
    weights = np.zeros((3, len(x)))
    weights[0, 0] = 1.0
    product = 1.0
    for i in range(1, len(x)):
        factor = 1.0
        for j in range(i):
            gap = x[i] - x[j]
            factor *= gap
            if j == i - 1:
                for m in (2, 1, 0):
                    lower = m * weights[m - 1, i - 1] if m else 0.0
                    weights[m, i] = product * (lower - x[i - 1] * weights[m, i - 1]) / factor
            for m in (2, 1, 0):
                lower = m * weights[m - 1, j] if m else 0.0
                weights[m, j] = (x[i] * weights[m, j] - lower) / gap
        product = factor
    return weights
