"""`bough.check(model)`: every derivative compared with finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array, Vector
from bough.description.element import Element, Force, Potential, UnilateralConstraint
from bough.description.start import Start
from bough.elements import derivatives as _derivatives
from bough.errors import DerivativeWarning, ModelError
from bough.model.check_steps import Pair, whole_pairs
from bough.model.model import Model

NOISE = 100.0  # allowed deviation, in multiples of the error estimate of the differences


@dataclass(frozen=True)
class Checked:
    """One derivative.

    Attributes
    ----------
    element : str
        The element, or "tree".
    derivative : str
        Such as "hessian".
    error : float
        The largest deviation from finite differences over all states, relative to the largest entry.
    ok : bool
    states : int
        The number of states compared; at the others the quantity is not finite or not smooth.
        A quantity that is finite at none of them counts as wrong.
    worst : str
        The entry with the largest deviation: its value, and its value by differences.
    """

    element: str
    derivative: str
    error: float
    ok: bool
    states: int
    worst: str = ""


@dataclass(frozen=True)
class Check:
    """What `bough.check` found: `ok`, and one row for each derivative."""

    model: str
    rows: tuple[Checked, ...]

    @property
    def ok(self) -> bool:
        """Whether all derivatives that could be compared are right."""
        return all(row.ok for row in self.rows)

    @property
    def wrong(self) -> tuple[Checked, ...]:
        """The derivatives that are wrong."""
        return tuple(row for row in self.rows if not row.ok)

    def __str__(self) -> str:
        width = max((len(row.element) for row in self.rows), default=0)
        lines = [
            f"  {row.element:{width}}  {row.derivative:9}  {row.error:8.1e}  {_verdict(row)}".rstrip()
            for row in self.rows
        ]
        return "\n".join([f"check of {self.model}: {self._headline()}", *lines])

    def _headline(self) -> str:
        unknown = sum(row.ok and row.states == 0 for row in self.rows)
        if self.ok:
            return f"{unknown} not compared, the others are right" if unknown else "all derivatives are right"
        return f"{len(self.wrong)} wrong" + (f", {unknown} not compared" if unknown else "")

    def show(self) -> None:
        """Print the table."""
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(f"derivatives of {self.model}: {self._headline()}"), title_justify="left")
        for title in ("element", "derivative", "worst error", ""):
            table.add_column(title, justify="right" if title == "worst error" else "left")
        for row in self.rows:
            style = "" if row.ok else "bold red"
            cells = (row.element, row.derivative, f"{row.error:.1e}", _verdict(row))
            table.add_row(*map(Text, cells), style=style)
        Console().print(table)


def check(
    model: Model,
    *,
    q: Vector | None = None,
    spread: float = 1.0,
    states: int = 5,
    tolerance: float = 1e-6,
    seed: int = 0,
    show: bool = True,
    steps: bool = False,
) -> Check:
    """Compare every derivative of every element, and of the tree, with finite differences.

    Parameters
    ----------
    model : Model
    q : the configuration around which states are drawn, by default zero
    spread : how far around it
    states : how many random states
    tolerance : the relative error from which a derivative counts as wrong
    seed : seed of the random numbers
    show : whether to print the table
    steps : whether derivatives of short steps and of accelerations of the whole model are compared too
        They have the faults of all elements. Of `bough.control.Step`: the midpoint rule, the trapezoidal rule, both
        in order 4, and the reduced integrator, each with what it has: Jacobians, multipliers, contracted second
        derivatives and derivatives by parameters. With constraints, states move along them; if some depend on
        others, multipliers, second derivatives and parameters are left out. Contacts stay as they are at the state.

    Returns
    -------
    Check
        With `ok`, `rows` and `wrong`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> spring = system.add(bough.ConfigurationSpring("angle", 2.0))
    >>> bough.check(system.build(), show=False).ok
    True
    """
    if not isinstance(model, Model):
        raise ModelError(
            asked=f"check of {type(model).__name__}",
            found="not a model",
            do="give a model, made by system.build()",
        )
    around = model.neutral() if q is None else model.configuration(q)
    middle = dict(zip(model.coordinates, around.tolist(), strict=True))
    rows: list[Checked] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DerivativeWarning)
        for number, element in enumerate((None, *model._elements)):
            alone = _alone(model, element)
            label = "tree" if element is None else f"{element._text()} #{number - 1}"
            if element is not None and element.name is not None:
                label = element._text()
            random = np.random.default_rng(seed)
            drawn = [_pairs(alone, element, *_state(alone, middle, spread, random)) for _ in range(states)]
            for same in zip(*drawn, strict=True):
                rows.append(_compared(label, same, tolerance))
        if steps:
            random = np.random.default_rng(seed)
            made = [whole_pairs(model, *_state(model, middle, spread, random)) for _ in range(states)]
            for key in dict.fromkeys(key for pairs in made for key in pairs):
                rows.append(_compared(key[0], tuple(pairs[key] for pairs in made if key in pairs), tolerance))
    result = Check(model.name, tuple(rows))
    if show:
        result.show()
    return result


def _alone(model: Model, element: Element | None) -> Model:
    """The tree with this element alone, so that its derivatives are checked separately."""
    system = model._system_with(() if element is None else (element,))
    system.start = Start()  # the old start may name variables of the other elements
    if element is not None:
        system.gravity = None
    return system.build()


def _state(
    model: Model, middle: dict[str, float], spread: float, random: np.random.Generator
) -> tuple[Array, Array, Array, float]:
    around, move = (
        np.array([middle[name] for name in model.coordinates]),
        spread * random.normal(size=model.nv),
    )
    q = model.integrate(around, move) if model.balls else around + move
    return q, random.normal(size=model.nv), random.normal(size=model.nu), float(random.uniform())


def _pairs(model: Model, element: Element | None, q: Array, v: Array, u: Array, t: float) -> Iterator[Pair]:
    """The derivatives of an element; with balls, by displacements from q."""
    for pair in _all_pairs(model, element, q, v, u, t):
        yield _displaced(model, pair) if model.balls and pair.x is q else pair


def _displaced(model: Model, pair: Pair) -> Pair:
    q = pair.x
    return Pair(
        pair.what,
        lambda x: pair.value(model.integrate(q, x)),
        lambda x: pair.derivative(model.integrate(q, x)),
        np.zeros(model.nv),
    )


def _all_pairs(
    model: Model, element: Element | None, q: Array, v: Array, u: Array, t: float
) -> Iterator[Pair]:
    still = np.zeros(model.nv)
    if element is None:
        yield Pair("L_dq", lambda x: model.lagrangian(x, v), lambda x: model.L_dq(x, v), q)
        yield Pair("L_dv", lambda x: model.lagrangian(q, x), lambda x: model.L_dv(q, x), v)
        yield Pair("L_dqdq", lambda x: model.L_dq(x, v), lambda x: model.L_dqdq(x, v), q)
        yield Pair("L_dqdv", lambda x: model.L_dq(q, x), lambda x: model.L_dqdv(q, x), v)
        yield Pair("L_dvdv", lambda x: model.L_dv(q, x), lambda x: model.L_dvdv(q, x), v)
        if not model.balls:
            yield Pair("V_dqdqdq", lambda x: -model.L_dqdq(x, still), model.potential_energy_dqdqdq, q)
        frame = max(model.frames, key=lambda name: np.count_nonzero(model.pose_dq(name, q)))
        yield Pair("pose_dq", lambda x: model.pose(frame, x), lambda x: _last(model.pose_dq(frame, x)), q)
        yield from _acceleration_pairs(model, q, v, u, t)
        yield Pair(
            "pose_dqdq",
            lambda x: model.pose_dq(frame, x),
            lambda x: np.moveaxis(model.pose_dqdq(frame, x), 1, -1),
            q,
        )
    elif isinstance(element, Potential):
        yield Pair("gradient", model.potential_energy, lambda x: -model.L_dq(x, still), q)
        yield Pair("hessian", lambda x: -model.L_dq(x, still), lambda x: -model.L_dqdq(x, still), q)
        if not model.balls and not core.potentials_without_third(model._core):
            yield Pair("third", lambda x: -model.L_dqdq(x, still), model.potential_energy_dqdqdq, q)
    elif isinstance(element, Force):
        force = model.generalized_force
        yield Pair(
            "force_dq", lambda x: force(x, v, u, t), lambda x: model.generalized_force_dq(x, v, u, t), q
        )
        yield Pair(
            "force_dv", lambda x: force(q, x, u, t), lambda x: model.generalized_force_dv(q, x, u, t), v
        )
        yield Pair(
            "force_du", lambda x: force(q, v, x, t), lambda x: model.generalized_force_du(q, v, x, t), u
        )
    elif isinstance(element, UnilateralConstraint):
        there = np.isfinite(model.gap(q, t))  # a gap of shapes is infinite where they do not touch

        def gap(q: Array, t: Any) -> Array:
            return np.where(there, model.gap(q, t), 0.0)

        gap_dq, gap_dt = model.gap_dq, model.gap_dt
        yield Pair("gradient", lambda x: gap(x, t), lambda x: gap_dq(x, t), q)
        yield Pair("rate", lambda x: gap(q, x[0]), lambda x: gap_dt(q, x[0])[:, None], np.array([t]))
    else:
        h, Dh = model.constraint, model.constraint_dq
        placed = [row for row in range(model.nc) if row not in model._velocity_rows]
        if placed:
            yield Pair("gradient", lambda x: h(x, t)[placed], lambda x: Dh(x, t)[placed], q)
        DDh = model.constraint_dqdq
        yield Pair("hessian", lambda x: Dh(x, t), lambda x: DDh(x, t), q)
        if not model.balls and not core.constraints_without_third(model._core):
            yield Pair("third", lambda x: DDh(x, t), lambda x: model.constraint_dqdqdq(x, t), q)
        rate = model.constraint_dt
        yield Pair("rate", lambda x: h(q, x[0]), lambda x: rate(q, x[0])[:, None], np.array([t]))


def _acceleration_pairs(model: Model, q: Array, v: Array, u: Array, t: float) -> Iterator[Pair]:
    """Accelerations, whose derivatives hold beside the constraints too."""

    def a(q: Array, v: Array) -> Array:
        return model.acceleration(q, v, u, t=t)

    yield Pair("a_dq", lambda x: a(x, v), lambda x: model.acceleration_dq(x, v, u, t=t), q)
    yield Pair("a_dv", lambda x: a(q, x), lambda x: model.acceleration_dv(q, x, u, t=t), v)


def _last(array: Array) -> Array:
    """The first axis of a derivative of a pose put last."""
    return np.moveaxis(array, 0, -1)


def _compared(label: str, pairs: tuple[Pair, ...], tolerance: float) -> Checked:
    """One derivative at several states."""
    worst, text, compared, ok = 0.0, "", 0, True
    values = [_value(pair) for pair in pairs]
    if not any(np.isfinite(value).all() for value in values):
        place = np.unravel_index(int(np.argmin(np.isfinite(values[0]))), values[0].shape)
        return Checked(label, pairs[0].what, np.inf, False, 0, f"its value is {values[0][place]} everywhere")
    for pair in pairs:
        with np.errstate(all="ignore"):
            given = np.asarray(pair.derivative(pair.x))
            expected, noise = _derivatives.estimated(pair.value, pair.x)
        size = max(float(np.abs(expected).max(initial=0.0)), 1e-9)
        off = np.abs(given - expected)
        if not np.isfinite(expected).all() or NOISE * noise > 1e-2 * size + 1e-6:
            continue  # not smooth here
        if off.max(initial=0.0) > tolerance * size and _derivatives.has_kink(pair.value, pair.x):
            continue
        compared += 1
        place = (
            np.unravel_index(int(np.argmax(np.nan_to_num(off, nan=np.inf))), off.shape) if off.size else ()
        )
        largest = float(off[place]) if off.size else 0.0
        scale = max(size, float(np.abs(given).max(initial=0.0)))
        error = largest / scale if np.isfinite(largest) else np.inf
        if error > tolerance and not largest <= NOISE * noise + 1e-9:  # one that is not a number is wrong
            ok = False
        if error >= worst:
            worst = error
            if off.size:
                index = ", ".join(str(int(i)) for i in place)
                text = f"[{index}] is {given[place]:.6g}, differences give {expected[place]:.6g}"
    return Checked(label, pairs[0].what, worst, ok, compared, text)


def _value(pair: Pair) -> Array:
    """The quantity that is differentiated."""
    with np.errstate(all="ignore"):
        return np.asarray(pair.value(pair.x))


def _verdict(row: Checked) -> str:
    if not row.ok:
        return f"wrong: {row.worst}"
    return "" if row.states else "not compared: not smooth at any of the states"
