"""The motion of kinematic variables between the nodes of a run on the equations of motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.errors import ModelError
from bough.integrators.run import Plan


class Motion:
    """The motion of the kinematic variables: a spline of degree 5 through their values at the nodes."""

    def __init__(self, plan: Plan) -> None:
        self._held: Array = plan.q[plan.model.nq - plan.model.nk :]
        self._splines: tuple[Any, Any, Any] | None = None
        if len(plan.prescribed) > 1:
            from scipy.interpolate import make_interp_spline

            degree = next(d for d in (5, 3, 1) if d < len(plan.prescribed))
            spline = make_interp_spline(plan.prescribed_times(), plan.prescribed, k=degree)
            first = spline.derivative()
            self._splines = (spline, first, first.derivative() if degree > 1 else _zero)
        self._zeros = np.zeros_like(self._held)

    def pieces(self) -> tuple[list[float], list[float]]:
        """The breaks and coefficients of the spline as the core takes them: none if the variables are held."""
        if self._splines is None:
            return [], []
        spline = self._splines[0]
        breaks = np.unique(spline.t)
        powers = [spline(breaks[:-1], nu=m) / math.factorial(m) for m in range(spline.k, -1, -1)]
        return breaks.tolist(), np.ravel(powers).tolist()

    def value(self, t: Any) -> Array:
        """The values at time t, or at an array of times."""
        return self._held if self._splines is None else np.asarray(self._splines[0](t))

    def velocity(self, t: Any) -> Array:
        """The velocities at time t."""
        return self._zeros if self._splines is None else np.asarray(self._splines[1](t))

    def acceleration(self, t: Any) -> Array:
        """The accelerations at time t."""
        return self._zeros if self._splines is None else self._splines[2](t) + self._zeros


def moving_forces(plan: Plan, motion: Motion, t: Array, q: Array, v: Array, u: Array) -> Array | None:
    """The constraint forces if kinematic variables move; their accelerations are not recorded."""
    if plan.model.nc == 0 or len(plan.prescribed) == 0:
        return None
    ak = np.array([motion.acceleration(time) for time in t.tolist()])
    try:
        return plan.model.acceleration_and_multipliers(q, v, u, ak=ak, t=t)[1]
    except ModelError:  # the run ended in a singular configuration
        return None


def _zero(t: Any) -> float:
    return 0.0
