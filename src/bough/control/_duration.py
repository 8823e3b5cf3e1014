"""The motion of least cost whose duration is free: the length of its steps is found too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.optimize

from bough.control._weights import weight_vector
from bough.errors import ConvergenceError, ModelError
from bough.model.model import Model
from bough.motion.trajectory import Trajectory

FINE = 1e-6  # relative accuracy of the duration


def best_duration(
    model: Model,
    given: Mapping[str, Any],
    fixed: Callable[[Model, Mapping[str, Any], str], Trajectory],
    where: str,
) -> Trajectory:
    """The best of all durations between two: each from the solution of the one before, by Brent's method."""
    least, largest = _pair(given["duration"], where)
    weight = float(weight_vector(given["time_weight"], ("second",), "time_weight", where)[0])
    steps = max(round(largest / float(given["dt"])), 1)
    best: list[Any] = [np.inf, None]
    failed: list[ConvergenceError] = []

    def cost(duration: float) -> float:
        guess = given["guess"] if best[1] is None else _stretched(best[1], duration)
        try:
            run = fixed(model, {**given, "duration": duration, "dt": duration / steps, "guess": guess}, where)
        except ConvergenceError as error:
            failed.append(error)
            return float("inf")
        total = float(run.statistics["cost"]) + weight * duration
        if total < best[0]:
            best[:] = [total, run]
        if run.status == "interrupted":
            raise KeyboardInterrupt
        return total

    cost(largest)
    try:
        scipy.optimize.minimize_scalar(
            cost, bounds=(least, largest), method="bounded", options={"xatol": FINE * largest}
        )
    except KeyboardInterrupt:
        best[1].status = "interrupted"
    if best[1] is None:
        raise failed[0]
    run: Trajectory = best[1]
    run.statistics["cost"] = best[0]
    run.statistics["duration"] = float(run.t[-1] - run.t[0])
    return run


def _stretched(run: Trajectory, duration: float) -> dict[str, Any]:
    """The controls of a run, for steps of another length."""
    model = run.model
    return {
        "u": np.asarray(run.u[:-1]) if model.nu else None,
        "k": np.asarray(run.q[:, model.nd :]) if model.nk else None,
    }


def _pair(duration: Any, where: str) -> tuple[float, float]:
    pair = [float(value) for value in duration] if len(duration) == 2 else []
    if not (pair and 0.0 < pair[0] < pair[1] < np.inf):
        raise ModelError(
            asked=f"duration={duration} in {where}",
            found="no pair of a least and a larger duration",
            do="give duration=(least, largest), in s, or one number",
        )
    return pair[0], pair[1]
