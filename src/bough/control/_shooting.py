"""`bough.control.Shooting`: the cost of a motion as a function of its controls, for optimisers of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector
from bough.control._direction import Local
from bough.control._first_guess import first_guess
from bough.control._model_task import Task
from bough.control._newton import Failed, Newton, Point
from bough.control._optimize import problem_of, task_of
from bough.control._optimum import failed_guess, simulated
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.state import State
from bough.motion.trajectory import Trajectory


class Shooting:
    """The cost of a motion by its controls: `fun`, `jac` and `hessp` of `scipy.optimize.minimize`.

    Parameters
    ----------
    model, q, v, duration, dt, cost, end, end_weight, rest, guess, integrator
        As of `optimize`; the end is a cost.

    Attributes
    ----------
    x0 : array
        The controls of the guess, all steps one after the other.

    Examples
    --------
    >>> import bough
    >>> from scipy.optimize import minimize
    >>> model = bough.gallery.cart_pole().build()
    >>> problem = bough.control.Shooting(
    ...     model, q={"angle": 0.1}, duration=1.0, dt=0.05, cost=bough.control.Effort(1.0),
    ...     end={"x": 0.0, "angle": 0.0}, end_weight=10.0,
    ... )
    >>> found = minimize(problem.fun, problem.x0, jac=problem.jac, hessp=problem.hessp, method="trust-ncg")
    >>> run = problem.run(found.x)
    """

    def __init__(
        self,
        model: Model,
        q: Vector | State | None = None,
        v: Vector | None = None,
        *,
        duration: float,
        dt: float,
        cost: Any,
        end: Any = None,
        end_weight: Any = 1.0,
        rest: bool = True,
        guess: Any = None,
        integrator: str = "midpoint",
    ) -> None:
        where = f"control.Shooting of model {getattr(model, 'name', '?')!r}"
        options = {"integrator": integrator, "order": 2, "alpha": None, "t0": 0.0}
        self._problem = problem_of(model, q, v, duration, dt, options, where)
        if end is not None and end_weight is None:
            raise ModelError(
                asked=f"end_weight=None in {where}",
                found="an end that is a condition, which a function of the controls alone does not have",
                do="give a weight, or use bough.control.optimize",
            )
        names = ("free_start", "lower", "upper", "velocity", "effort", "force")
        given = {
            **dict.fromkeys(names),
            "free_start": (),
            "cost": cost,
            "end": end,
            "end_weight": end_weight,
            "rest": rest,
            "method": None,
            "threads": 1,
        }
        self._task: Task = task_of(self._problem, given, where)
        self._newton = Newton(self._task, lambda row: None)
        self._newton.paired = False  # products with the Hessian need those of all stages
        self.x0: Array = first_guess(self._task, guess).ravel()
        self._last: tuple[bytes, Point] | None = None
        self._local: tuple[bytes, Local] | None = None

    def _point(self, flat: npt.ArrayLike) -> Point | None:
        """The motion; None if a step does not converge."""
        controls = np.ascontiguousarray(np.asarray(flat, dtype=float).reshape(self._task.setting.steps, -1))
        key = controls.tobytes()
        if self._last is None or self._last[0] != key:
            try:
                rolled = self._task.roll(self._task.first(), controls, None, None, 0.0)
            except Failed as failed:
                if controls.ravel().tolist() == self.x0.tolist():
                    raise failed_guess(self._task, failed) from None
                return None
            self._last = (key, self._newton.point(*rolled, np.zeros(0)))
        return self._last[1]

    def _derivatives(self, flat: npt.ArrayLike) -> Local:
        point = self._point(flat)
        assert point is not None, "a step of this motion does not converge"
        key = point.c.tobytes()
        if self._local is None or self._local[0] != key:
            self._local = (key, Local(self._newton, point))
        return self._local[1]

    def fun(self, flat: npt.ArrayLike) -> float:
        """The cost; infinite if a step does not converge."""
        point = self._point(flat)
        return np.inf if point is None else point.cost

    def jac(self, flat: npt.ArrayLike) -> Array:
        """Its gradient."""
        return self._derivatives(flat).gradient.ravel()

    def hessp(self, flat: npt.ArrayLike, direction: npt.ArrayLike) -> Array:
        """The product of its second derivatives with a direction."""
        local = self._derivatives(flat)
        dc = np.asarray(direction, dtype=float).reshape(local.gradient.shape)
        steps, nx = len(dc), local.nx
        dx = np.zeros((steps + 1, nx))
        for k in range(steps):
            dx[k + 1] = local.stages.J[k] @ np.concatenate([dx[k], dc[k]])
        out = np.empty_like(dc)
        back = (local.end_value + local.end_curved) @ dx[-1]
        for k in reversed(range(steps)):
            both = local.stages.H[k] @ np.concatenate([dx[k], dc[k]]) + local.stages.J[k].T @ back
            back, out[k] = both[:nx], both[nx:]
        return out.ravel()

    def run(self, flat: npt.ArrayLike) -> Trajectory:
        """The motion of these controls."""
        point = self._point(flat)
        assert point is not None, "a step of this motion does not converge"
        return simulated(self._task, self._problem, point)
