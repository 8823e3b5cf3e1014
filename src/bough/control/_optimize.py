"""`bough.control.optimize`: the motion of least cost of any model."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.arguments import Vector
from bough.control._approach import Approach
from bough.control._bounds import bounds_of
from bough.control._costs import Setting, bound_costs
from bough.control._duration import best_duration
from bough.control._ends import Ends
from bough.control._first_guess import first_guess
from bough.control._linearize import check_method
from bough.control._lqr import controllable, idle_controls
from bough.control._model_task import Kernels, Task
from bough.control._newton import Failed
from bough.control._optimum import check_start, failed_guess, failure, finished
from bough.control._report import Display
from bough.control._step import Step
from bough.control._task import whole_number
from bough.control._through_contacts import through_contacts
from bough.description.start import from_start
from bough.errors import ModelError, unknown_name
from bough.integrators.linearization import check_differentiable, no_contacts
from bough.model.configurations import refuse_balls
from bough.model.model import Model
from bough.motion.named_start import Changed, assemble_named, kept_rates, unkept_configuration, warn_of
from bough.motion.single_state import single_configuration
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.problem import Problem
from bough.validate import positive

EXACT = 1e-14  # tolerance of the steps: what they leave is noise in multipliers
METHODS = ("newton", "gauss-newton", "projection")


def optimize(
    model: Model,
    q: Vector | State | None = None,
    v: Vector | None = None,
    *,
    duration: float | tuple[float, float],
    dt: float,
    cost: Any,
    time_weight: float = 0.0,
    end: Any = None,
    end_weight: Any = None,
    rest: bool = True,
    free_start: Any = (),
    lower: Any = None,
    upper: Any = None,
    velocity: Any = None,
    effort: Any = None,
    force: Any = None,
    guess: Any = None,
    method: str | None = None,
    smoothing: float | None = None,
    integrator: str = "midpoint",
    order: int = 2,
    alpha: float | None = None,
    t0: float = 0.0,
    assemble: bool = False,
    tolerance: float = 1e-8,
    max_iterations: int = 300,
    threads: int | None = None,
    progress: bool | None = None,
) -> Trajectory:
    """The motion of least cost, by its inputs and kinematic variables, for any model.

    Gravity, springs, damping, closed loops and strings of prescribed length are all part of the steps, which
    hold exactly. Newton's method with exact second derivatives, in time linear in the number of steps.

    Parameters
    ----------
    model : Model
        With inputs, or kinematic variables, or both: these are what is found.
    q, v : the start, as of `simulate`
    duration, dt : seconds, and the step, which divides it
        A pair (least, largest) leaves the duration free: as many steps as the largest has, each shorter.
    time_weight : cost of a second of the duration, if that is free
    cost : `Effort`, `Track`, `Cost`, or a list of these
    end : what the motion ends with, None for anything
        Values by name of variables, such as {"angle": 0.0, "v.x": 1.0}, positions by name of frames, such as
        {"hand": (0.5, 0, 1)}, or their poses (4, 4), as `model.pose` has them, rotations by name of balls, in any form
        that q takes, all of q as an array, or a State. If a ball and a frame have the same name, it is the
        ball's but for a pose (4, 4), and three numbers, which may be either, are refused.
    end_weight : None makes the end a condition; numbers make it a cost, weight/2 (… − value)², one for all
        or by name of everything that the end has, also of the velocities that end at zero: {"angle": 200.0,
        "v.angle": 10.0}
    rest : whether velocities that `end` does not name end at zero
    free_start : names of variables whose start is found too, from the one given; its velocities stay. Not with
        constraints
    lower, upper : limits of variables, a number for all or by name
    velocity : limits of the size of the velocities (q1 − q0)/dt, likewise; a pair gives least and largest
    effort : limits of the size of the inputs, likewise
    force : limits of constraint forces by name, as pairs: {"string": (None, 0.0)} keeps a string taut
    guess : where the search begins
        A Trajectory, whose inputs and kinematic variables are interpolated; {"u": array, "k": array}; an array
        (steps, nu) of inputs; or {"q": array (steps + 1, nq)}, configurations whose kinematic variables are taken
        and whose inputs are found. By default no inputs, and kinematic variables on a line to their end.
    method : "newton" (exact second derivatives), the default; "gauss-newton"; or "projection" (a Newton step that is
        followed by feedback gains of the cost's own weights)
    smoothing : with contacts, κ that the search begins with, impulses times gaps in N s m, such as 1e-3
        Contacts are smoothed for the search alone, by κ, κ/10, κ/100 and κ/1000, so that it also sees contacts that
        are not made yet. The motion is then simulated with the contacts as they are, and its inputs are corrected
        until the end is met. Gauss and Newton's method, of the midpoint rule of order 2, without balls.
    integrator, order, alpha : "midpoint" or "trapezoidal"; order 4, 6, 8 of the latter
    assemble : whether the start is moved to the nearest one that meets the constraints, as that of `simulate`: the
        values that q names stay, as far as the constraints allow
    tolerance : of the first-order conditions, relative
    max_iterations : of Newton's method
    threads : for the derivatives of the steps; by default one for small models, else all cores
    progress : True prints a row per iteration, False nothing; by default a line in a terminal after a second

    Returns
    -------
    Trajectory
        As `simulate` makes it with the inputs and kinematic variables found: plot, save, view, `rerun()`.
        `run.statistics` has cost, first_order, end_missed, limits_missed, iterations, and `search`: the iterations of
        every stage of the search by name, such as {"without limits": 18, "within limits": 7}. On Ctrl-C the best
        motion so far, with status "interrupted".

    Examples
    --------
    >>> import numpy as np
    >>> import bough
    >>> from bough.control import Effort
    >>> model = bough.gallery.cart_pole().build()
    >>> run = bough.control.optimize(
    ...     model, q={"angle": 0.0}, duration=2.0, dt=0.05, cost=Effort(1.0), end={"x": 0.5, "angle": 0.0}
    ... )
    >>> bool(abs(run.q[-1] - [0.5, 0.0]).max() < 1e-6), run.statistics["iterations"] < 10
    (True, True)
    """
    given = dict(locals())
    where = f"control.optimize() of model {getattr(given.pop('model'), 'name', '?')!r}"
    if given.pop("assemble") and isinstance(model, Model):
        given["q"], given["v"] = _assembled(model, q, v, t0, where)
    if isinstance(duration, tuple | list):
        return best_duration(model, given, fixed, where)
    if time_weight:
        raise ModelError(
            asked=f"time_weight={time_weight} in {where}",
            found=f"a duration of {duration:g} s that is given",
            do="give a pair, duration=(least, largest), to leave it free",
        )
    return fixed(model, given, where)


def fixed(model: Model, given: Mapping[str, Any], where: str) -> Trajectory:
    """The motion of least cost of a given duration."""
    begin = time.perf_counter()
    options = {name: given[name] for name in ("integrator", "order", "alpha", "t0")}
    problem = problem_of(model, given["q"], given["v"], given["duration"], given["dt"], options, where)
    task = task_of(problem, given, where)
    small = positive(given["tolerance"], "tolerance", where)
    most = whole_number(given["max_iterations"], 1, "max_iterations", "such as max_iterations=300", where)
    guess = given["guess"]
    controls = first_guess(task, guess)
    stages: dict[str, int] = {}
    with Display(where, given["progress"]) as display:
        if model.gaps:
            result = through_contacts(task, problem, given, controls, most, display)
        else:
            search = Approach(task, small, most, display)
            try:
                result = search.best(controls, near=guess is not None)
            except Failed as failed:
                raise failed_guess(task, failed) from None
            stages = search.stages
    run = finished(task, problem, result, where, time.perf_counter() - begin)
    run.statistics["search"] = stages
    if result.status not in ("converged", "interrupted"):
        raise failure(task, result, small, where, run)
    return run


def _assembled(model: Model, q: Any, v: Any, t: float, where: str) -> tuple[Any, Any]:
    """The start that meets the constraints, with the values that q names, as `simulate` has it."""
    if isinstance(q, State):
        return model.assemble(q.q, q.v, t=t), None
    named, rates = q if isinstance(q, Mapping) else {}, kept_rates(model, q, v)
    q, v = from_start(model, q, v)
    asked = single_configuration(model, q, where)
    found = assemble_named(model, asked, named, t, f"assemble=True in {where}")
    warn_of(unkept_configuration(model, asked, found, named, t, where))
    return found, Changed(v, rates) if isinstance(v, Mapping) else v


def problem_of(
    model: Model,
    q: Any,
    v: Any,
    duration: float,
    dt: float,
    options: dict[str, Any],
    where: str,
    *,
    check: bool = True,
) -> Problem:
    """Start and steps, checked as those of a simulation."""
    if not isinstance(model, Model):
        raise ModelError(
            asked=where, found=f"{type(model).__name__}", do="give a Model, as System.build() makes it"
        )
    check_method(options["integrator"], where)
    controllable(model, where)
    if check:
        check_start(model, q, where)
    problem = Problem(model, q, v, duration=duration, dt=dt, max_halvings=0, tolerance=EXACT, **options)
    if problem.grid.last != problem.grid.dt:
        raise ModelError(
            asked=f"dt={dt:g} in {where}",
            found=f"a duration of {duration:g} s that is not a whole number of steps",
            do=f"give dt={duration / problem.grid.steps:.6g}, or another that divides the duration",
        )
    return problem


def task_of(problem: Problem, given: Mapping[str, Any], where: str, *, check: bool = True) -> Task:
    """The problem of optimal control that arguments of `optimize` say."""
    model, settings = problem.model, problem.settings
    method = _method(model, given, where)
    alpha = {} if settings["integrator"] != "midpoint" else {"alpha": settings["alpha"]}
    step = Step(
        model,
        problem.grid.dt,
        settings["integrator"],
        order=settings.get("order", 2),
        tolerance=EXACT,
        **alpha,
    )
    check_differentiable(step.integrator, where, "" if model.gaps else "second derivatives in the core")
    setting = Setting(model, problem.grid.dt, problem.grid.nodes(), where)
    ends = Ends(setting, given["end"], given["rest"], given["end_weight"])
    bounds = bounds_of(setting, given)
    if bounds.forces and settings.get("order", 2) != 2:
        raise ModelError(
            asked=f"force in {where}",
            found=f"order {settings['order']}, whose constraint forces are those of parts of a step",
            do="use order=2",
        )
    if ends.hard:
        bounds.exclude_end([int(i) for i in ends.q])
    x0 = np.concatenate([problem.q, problem.p])
    threads = given["threads"]
    if threads is None:
        own = any(type(record).__module__.endswith("user") for record in model._elements)
        threads = 1 if model.nv * problem.grid.steps < 2000 or own else (os.cpu_count() or 1)
    task = Task(
        setting, step, x0, bound_costs(given["cost"], setting), ends, bounds, method, Kernels(step, threads)
    )
    task.free = _free(model, given["free_start"], where)
    if check:
        _check_limits(task)
    _, B = step.jacobians(x0)
    if model.nc == 0 and model.nk == 0:
        idle_controls(B, step.controls, where)
    return task


def _method(model: Model, given: Mapping[str, Any], where: str) -> str:
    """The method asked for; with contacts the one without second derivatives."""
    method, smoothing = given["method"], given.get("smoothing")
    if method is not None and method not in METHODS:
        raise unknown_name("method", str(method), METHODS, where)
    if not model.gaps:
        if smoothing is not None:
            raise no_contacts(where)
        return "newton" if method is None else str(method)
    if smoothing is None:
        raise ModelError(
            asked=where,
            found=f"contacts, such as {model.gaps[0]!r}, whose steps have no derivatives where they open, close, stick"
            " or slide",
            do="give smoothing=1e-3, which smooths them for the search, or build the system without contacts",
        )
    positive(smoothing, "smoothing", where)
    if method not in (None, "gauss-newton"):
        raise ModelError(
            asked=f"method={method!r} in {where}",
            found=f"contacts, such as {model.gaps[0]!r}, whose steps have no second derivatives",
            do="leave method out, or give method='gauss-newton'",
        )
    return "gauss-newton"


def _free(model: Model, names: Any, where: str) -> tuple[int, ...]:
    """The places in q of the variables whose start is found."""
    listed = (names,) if isinstance(names, str) else tuple(names)
    for name in listed:
        if name not in model.variables:
            raise unknown_name("variable", str(name), model.variables, f"free_start of {where}")
    if listed:
        refuse_balls(model, "free_start of control.optimize()", "leave free_start out")
    if listed and model.nc:
        raise ModelError(
            asked=f"free_start of {where}",
            found="a model with constraints, whose start is not found yet",
            do="leave free_start out, and give a start that meets the constraints",
        )
    return tuple(model.index(name) for name in listed)


def _check_limits(task: Task) -> None:
    """Raise if limits exclude the start or the end."""
    bounds, ends, model = task.bounds, task.ends, task.model
    low, high = bounds.low[: model.nv], bounds.high[: model.nv]
    start = model._variables_of(task.x0[: model.nq])
    final = dict(zip(ends.q.tolist(), ends.target.tolist(), strict=False))
    for what, values in (("start", dict(enumerate(start.tolist()))), ("end", final)):
        for i, value in values.items():
            if not low[i] - 1e-9 <= value <= high[i] + 1e-9:
                raise ModelError(
                    asked=f"limits of {task.setting.where}",
                    found=f"the {what} has {model.variables[i]!r} = {value:.4g}, outside"
                    f" [{low[i]:.4g}, {high[i]:.4g}]",
                    do=f"widen this limit, or give another {what}",
                )
