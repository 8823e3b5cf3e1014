"""A step as an action model of crocoddyl: `bough.control.adapters.crocoddyl`."""

from __future__ import annotations

from typing import Any

import crocoddyl
import numpy as np

from bough.arguments import Array
from bough.control._step import Step
from bough.errors import ConvergenceError
from bough.model.configurations import refuse_balls


def action_model(
    step: Step | None,
    *,
    states: int | None = None,
    controls: int | None = None,
    Q: Any = 0.0,
    R: Any = 0.0,
    target: Any = 0.0,
) -> Any:
    """An action of crocoddyl: a step, with the cost 1/2 (x − target)ᵀ Q (x − target) + 1/2 cᵀRc.

    Closed loops, strings and kinematic variables are part of the step. Use it for each node of a
    `ShootingProblem`, and one without a step, `action_model(None, states=nx, controls=nc, Q=…)`, for the last node.

    Parameters
    ----------
    step : Step or None
    states, controls : their numbers, of a node without a step
    Q, R : weights of x = (q, p) and of the controls, a number or one for each
    target : of x
    """
    if step is not None:
        refuse_balls(step.model, "action_model()", "use bough.control.optimize, which knows them")
    nx = len(step.states) if step is not None else int(states or 0)
    nc = len(step.controls) if step is not None else int(controls or 0)
    return _Action(step, nx, nc, _numbers(Q, nx), _numbers(R, nc), _numbers(target, nx))


def _numbers(value: Any, size: int) -> Array:
    return np.broadcast_to(np.asarray(value, dtype=float), (size,)).copy()


class _Action(crocoddyl.ActionModelAbstract):
    def __init__(self, step: Step | None, nx: int, nc: int, Q: Array, R: Array, target: Array) -> None:
        crocoddyl.ActionModelAbstract.__init__(self, crocoddyl.StateVector(nx), nc, 1)
        self._step, self._Q, self._R, self._target = step, Q, R, target

    def calc(self, data: Any, x: Any, u: Any = None) -> None:
        off = np.asarray(x) - self._target
        data.cost = 0.5 * float(off @ (self._Q * off))
        if u is None or self._step is None:
            data.xnext = np.array(x)
            return
        data.cost += 0.5 * float(np.asarray(u) @ (self._R * np.asarray(u)))
        try:
            data.xnext = self._step(np.array(x), np.array(u))
        except ConvergenceError:  # the solver's line search answers what is not a number with a shorter move
            data.xnext = np.full(len(self._target), np.nan)
            data.cost = np.nan

    def calcDiff(self, data: Any, x: Any, u: Any = None) -> None:
        data.Lx, data.Lxx = self._Q * (np.asarray(x) - self._target), np.diag(self._Q)
        if u is None or self._step is None:
            return
        data.Lu, data.Luu = self._R * np.asarray(u), np.diag(self._R)
        data.Fx, data.Fu = self._step.jacobians(np.array(x), np.array(u), x1=np.array(data.xnext))
