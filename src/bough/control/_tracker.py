"""`bough.control.Tracker`: optimal control of a horizon that recedes, solved again at every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.control._costs import Setting, bound_costs
from bough.control._model_task import Task
from bough.control._newton import Failed, Newton
from bough.control._optimize import problem_of, task_of
from bough.errors import ModelError, quoted, unknown_name
from bough.model.model import Model
from bough.motion.state import State
from bough.problem import Problem
from bough.validate import counted

ARGUMENTS: Mapping[str, Any] = {
    "end": None,
    "end_weight": None,
    "rest": True,
    "free_start": (),
    "lower": None,
    "upper": None,
    "velocity": None,
    "effort": None,
    "force": None,
    "method": None,
    "threads": 1,
}


class Tracker:
    """Model-predictive control: `u=` of `simulate`.

    At every step the motion of least cost over a horizon is found from the state there, beginning with the last
    solution, and the first of its inputs is applied. A run that begins before the last one ended starts anew.

    Parameters
    ----------
    model : Model
        With inputs, and without kinematic variables.
    horizon : seconds to look ahead
    dt : the step, that of the simulation
    cost, end, end_weight, rest, lower, upper, velocity, effort, force, method
        As of `optimize`; the end is a cost, with weight 1 by default. A Trajectory that is tracked is that of the
        time of the simulation.
    iterations : of Newton's method at every step
    first_iterations : at the first step, which has no solution to begin with
    integrator : "midpoint" or "trapezoidal"

    Attributes
    ----------
    plan : array (steps, nu)
        The inputs of the last solution.
    solved : list of int
        The iterations at each step so far.

    Examples
    --------
    >>> import bough
    >>> from bough.control import Effort, Track
    >>> model = bough.gallery.cart_pole().build()
    >>> end = {"x": 0.0, "angle": 0.0}
    >>> cost = [Effort(0.01), Track(end, weight=5.0)]
    >>> tracker = bough.control.Tracker(model, horizon=0.8, dt=0.04, cost=cost, end=end, end_weight=20.0)
    >>> run = bough.simulate(model, {"angle": 0.2}, u=tracker, duration=2.0, dt=0.04)
    >>> bool(abs(run["angle"][-1]) < 0.05)
    True
    """

    def __init__(
        self,
        model: Model,
        *,
        horizon: float,
        dt: float,
        cost: Any,
        iterations: int = 3,
        first_iterations: int = 50,
        integrator: str = "midpoint",
        **arguments: Any,
    ) -> None:
        where = f"control.Tracker of model {getattr(model, 'name', '?')!r}"
        given = dict(ARGUMENTS)
        for name, value in arguments.items():
            if name not in given:
                raise unknown_name("argument", name, tuple(given), where)
            given[name] = value
        if given["end"] is not None and given["end_weight"] is None:
            given["end_weight"] = 1.0
        options = {"integrator": integrator, "order": 2, "alpha": None, "t0": 0.0}
        start = np.asarray(model.assemble(None).q) if isinstance(model, Model) and model.nc else None
        problem: Problem = problem_of(model, start, None, horizon, dt, options, where, check=False)
        if model.nk:
            raise ModelError(
                asked=where,
                found=f"kinematic variables, {quoted(model.kinematic)}, which u= does not move",
                do="drive them by inputs, or use optimize and lqr",
            )
        self._cost, self._where = cost, where
        unlimited = {**given, "cost": cost}
        self._task: Task = task_of(problem, unlimited, where, check=False)
        self._iterations, self._first = int(iterations), int(first_iterations)
        self.model, self.plan = model, np.zeros((self._task.setting.steps, model.nu))
        self.solved: list[int] = []
        self._time = -np.inf  # of the last call
        self.dt = self._task.step.dt

    def __call__(self, t: float, state: State) -> Array:
        """The inputs during the step from a state."""
        model = self.model
        p = model.momentum(state.q, state.v)[: model.nd]
        setting = self._task.setting
        times = setting.times - setting.times[0] + t
        moved = Setting(model, setting.dt, times, self._where)
        task = replace(
            self._task,
            setting=moved,
            x0=np.concatenate([np.asarray(state.q), p]),
            costs=bound_costs(self._cost, moved),
        )
        if t < self._time:  # a new run
            self.plan, self.solved = np.zeros_like(self.plan), []
        self._time = t
        first = not self.solved
        guess = self.plan if first else np.vstack([self.plan[1:], self.plan[-1:]])
        for controls in (guess, np.zeros_like(guess)):
            try:
                newton = Newton(task, lambda row: None)
                newton.convex = not first
                result = newton.solve(controls, 1e-6, self._first if first else self._iterations)
            except Failed:
                continue
            self.plan = result.point.c
            self.solved.append(result.iterations)
            break
        else:  # no step of the horizon can be made from here: the last plan goes on
            self.plan = guess
            self.solved.append(0)
        u = self.plan[0]
        bounds = task.bounds
        nq = model.nv
        low, high = bounds.low[2 * nq : 2 * nq + model.nu], bounds.high[2 * nq : 2 * nq + model.nu]
        return np.asarray(np.clip(u, low, high))

    def __repr__(self) -> str:
        return f"<Tracker of {self.model.name!r}: {counted(len(self.plan), 'step')} of {self._task.step.dt:g} s ahead>"
