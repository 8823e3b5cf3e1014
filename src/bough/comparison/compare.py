"""`bough.compare`: one model by several integrators, with what each costs and what it loses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bough import validate
from bough.arguments import Vector
from bough.comparison.conserved import conserved
from bough.comparison.distance import Distance
from bough.comparison.measure import Search, measured, ran
from bough.comparison.methods import ROWS, Method, constant_inputs, methods, prescribed_motion
from bough.comparison.reference import reference
from bough.comparison.result import Comparison, Row, empty_row
from bough.errors import BoughError, ModelError
from bough.model.model import Model
from bough.motion.grid import grid
from bough.problem import Problem, default_duration, no_model

REFERENCE_SHARE = 4.0  # effort for the reference, in multiples of that for one integrator


def compare(
    model: Model,
    q: Vector | None = None,
    v: Vector | None = None,
    *,
    duration: float | None = None,
    dt: float | None = None,
    integrators: str | Sequence[str] | None = None,
    error: float = 1e-3,
    u: Any = None,
    k: Any = None,
    t0: float = 0.0,
    assemble: bool = False,
    effort: float = 2.0,
    on_change: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """The same motion by several integrators: drifts, errors, run times.

    Parameters
    ----------
    model, q, v, duration, dt, k, t0, assemble
        As in `simulate`; k by numbers and functions of time only.
    integrators : sequence of str, or "all"
        Names as in `simulate`; "rk4+projection" is one with projection onto the constraints, "midpoint+order8"
        one of higher order; "mujoco-rk4" and "pinocchio-rk4" are other engines. By default all of fixed step,
        the orders of "midpoint", and "dop853".
    error : float
        The error, in m, that the time to reach it is found for. Errors are distances from a converged motion:
        the root mean square over all mass.
    u : inputs
        One number each: inputs that change are held for a step, which makes another motion of every dt.
    effort : float
        Seconds that each integrator may take to reach the error; the reference may take four times as long.
    on_change : callable
        Called with the comparison so far whenever there is something new.

    Returns
    -------
    Comparison
        `print` shows a table; `rows`, `plot()`, `save_html(path)`, `data()`. An integrator that fails has a
        row that says why, and the others continue. On Ctrl-C, the KeyboardInterrupt carries the result so far
        as `.comparison`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> found = bough.compare(system.build(), q={"angle": 0.5}, duration=2.0, integrators=["midpoint", "rk4"])
    >>> found["rk4"].trajectory_error < found["midpoint"].trajectory_error
    True
    """
    if not isinstance(model, Model):
        raise no_model(model, "compare")
    where = f"a comparison of model {model.name!r}"
    chosen = methods(model, integrators, where)
    target, limit = validate.positive(error, "error", where), validate.positive(effort, "effort", where)
    size = (model.start.dt or 0.01) if dt is None else dt
    times = grid(default_duration(model, where) if duration is None else duration, size, 1, t0, where)
    if times.steps == 0:
        raise ModelError(asked=where, found="a duration of zero", do="give a duration above zero, in seconds")
    inputs, motion = constant_inputs(model, u, where), prescribed_motion(model, k, where)
    begin = Problem(model, q, v, u=inputs, k=motion, t0=t0, duration=0.0, dt=times.dt, assemble=assemble)
    problem = Problem(
        model,
        begin.q,
        begin.v,
        u=inputs,
        k=motion,
        t0=times.t0,
        duration=times.duration,
        dt=times.dt,
        every=math.ceil(times.steps / ROWS),
    )
    first = Comparison(problem, target, tuple(empty_row(method) for method in chosen))
    return _Work(first, chosen, limit, on_change).done()


class _Work:
    """A comparison under way."""

    def __init__(
        self,
        first: Comparison,
        methods: Sequence[Method],
        effort: float,
        on_change: Callable[[Comparison], None] | None,
    ) -> None:
        self._so_far = first
        self._methods = methods
        self._effort = effort
        self._on_change = on_change
        self._distance = Distance(first.model)

    def done(self) -> Comparison:
        """Run the whole comparison."""
        try:
            self._find_reference()
            for place, method in enumerate(self._methods):
                self._compare(place, method)
        except KeyboardInterrupt as stopped:
            stopped.comparison = self._so_far.updated(doing="interrupted")  # type: ignore[attr-defined]
            raise
        self._tell(doing="")
        return self._so_far

    def _tell(self, **changes: Any) -> None:
        self._so_far = self._so_far.updated(**changes)
        if self._on_change is not None:
            self._on_change(self._so_far)

    def _find_reference(self) -> None:
        self._tell(doing="a converged reference")
        problem, target = self._so_far.problem, self._so_far.error
        try:
            found = reference(problem, self._distance, target, REFERENCE_SHARE * self._effort)
        except BoughError as missing:
            self._tell(missing=missing)
        else:
            self._tell(reference=found, conserved=conserved(problem, found.run))

    def _compare(self, place: int, method: Method) -> None:
        """Fill one row."""
        comparison = self._so_far
        self._tell(doing=f"{method.label}: run with dt = {comparison.problem.grid.dt:g} s")
        row = self._replace_row(place, ran(comparison.problem, method, comparison.rows[place]))
        row = self._replace_row(place, measured(comparison, self._distance, row))
        # there is no reference, or the method cannot start
        if comparison.reference is None or row.run is None:
            return
        self._tell(doing=f"{method.label}: time to reach an error of {comparison.error:g} m")
        search = Search(
            comparison.problem, method, comparison.reference, self._distance, comparison.error, self._effort
        )
        found = search.found()
        attempts = tuple(search.attempts)
        if found is None:
            self._replace_row(place, replace(row, attempts=attempts))
        else:
            self._replace_row(
                place, replace(row, attempts=attempts, time_to_error=found.run_time, setting=found.setting)
            )

    def _replace_row(self, place: int, row: Row) -> Row:
        rows = self._so_far.rows
        self._tell(rows=(*rows[:place], row, *rows[place + 1 :]))
        return row
