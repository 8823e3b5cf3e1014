"""The instants of a run."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough import validate
from bough.arguments import Array
from bough.errors import ModelError

# duration / dt counts as a whole number of steps when it is one to this relative accuracy
WHOLE = 1e-9
ROUND_OFF = 1e-13  # relative error of a time that is a sum of steps
NOMINAL = 0.01  # dt in s, if neither the user nor the start of a system gives one


class Grid(NamedTuple):
    """Steps of size dt from t0, the last one possibly shorter, every `every`-th node recorded.

    The first and the last node are always recorded.
    """

    t0: float
    dt: float
    duration: float
    every: int
    steps: int
    last: float  # the size of the last step

    @property
    def whole(self) -> int:
        """The number of steps of size dt."""
        return self.steps if self.last == self.dt else self.steps - 1

    @property
    def rows(self) -> int:
        """The number of recorded nodes."""
        return 1 + -(-self.steps // self.every)

    def time(self, node: Any) -> Any:
        """The time of a node, or of ascending nodes; that of the last one is exactly t0 + duration."""
        if not isinstance(node, np.ndarray):
            return self.t0 + (self.duration if node >= self.steps else node * self.dt)
        times = node.astype(np.float64)  # of numbers of one type, numpy's loops take half the time
        times *= self.dt
        times += self.t0
        if len(node) and node[-1] >= self.steps:
            times[-1] = self.t0 + self.duration
        return times

    def recorded(self, steps: int) -> npt.NDArray[np.int64]:
        """The recorded nodes of a run that ends after `steps` steps."""
        nodes = np.arange(0, steps + 1, self.every)
        return nodes if steps % self.every == 0 else np.append(nodes, steps)

    def nodes(self) -> Array:
        """The times of all nodes."""
        times: Array = self.time(np.arange(self.steps + 1))
        return times


def grid(duration: Any, dt: Any, every: Any, t0: Any, where: str) -> Grid:
    """The checked grid: whole steps, and a shorter last one if duration is not a multiple of dt."""
    size = step_size(dt, where)
    length = validate.real(duration, "duration", where)
    if length < 0.0:
        raise ModelError(
            asked=f"duration={validate.shown(duration)} in {where}",
            found="duration is negative",
            do="give a duration of zero or more, in seconds; to run backwards, reverse v",
        )
    if not (type(every) is int or validate.is_whole(every)) or every < 1:
        raise ModelError(
            asked=f"every={validate.shown(every)} in {where}",
            found="every is not a whole number of steps",
            do="give every=1 to record every step, every=10 to record every tenth",
        )
    every = min(int(every), 2**53)  # beyond the length of any run, yet exact in the core
    start = validate.real(t0, "t0", where)
    ratio = length / size
    if ratio > 2**53:
        raise ModelError(
            asked=f"duration={validate.shown(duration)}, dt={validate.shown(dt)} in {where}",
            found=f"{ratio:.3g} steps",
            do="give a larger dt or a shorter duration",
        )
    steps = round(ratio)
    if abs(ratio - steps) <= WHOLE * ratio:
        return Grid(start, size, length, every, steps, size)
    steps = math.floor(ratio) + 1
    return Grid(start, size, length, every, steps, length - (steps - 1) * size)


def instants(t_eval: Any, every: Any, times: Grid, where: str) -> Array | None:
    """The checked times that a run records in place of its nodes."""
    if t_eval is None:
        return None
    if every != 1:
        raise ModelError(
            asked=f"t_eval and every={validate.shown(every)} in {where}",
            found="two choices of the instants that are recorded",
            do="give one of them",
        )
    try:
        array = np.array(t_eval, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (np.diff(array) <= 0.0).any():
        raise ModelError(
            asked=f"t_eval={validate.shown(t_eval)} in {where}",
            found="not a row of times, each later than the one before",
            do="give times in s that ascend, such as np.linspace(0, 1, 11)",
        )
    end = times.t0 + times.duration
    slack = ROUND_OFF * max(abs(times.t0), abs(end))
    if array[0] < times.t0 - slack or array[-1] > end + slack:
        wrong = array[0] if array[0] < times.t0 - slack else array[-1]
        raise ModelError(
            asked=f"t_eval with {wrong:.16g} in {where}",
            found=f"a run from t = {times.t0:.16g} to {end:.16g} s",
            do="give times between these, or another duration",
        )
    return np.asarray(np.clip(array, times.t0, end))


def step_size(dt: Any, where: str) -> float:
    """A checked dt."""
    size = validate.real(dt, "dt", where)
    if size <= 0.0:
        raise ModelError(
            asked=f"dt={validate.shown(dt)} in {where}",
            found=f"dt is {'zero' if size == 0.0 else 'negative'}",
            do="give a step above zero, in seconds, such as dt=0.01",
        )
    if size * size == 0.0:
        raise ModelError(
            asked=f"dt={validate.shown(dt)} in {where}",
            found="dt is so small that its square is zero in floating point",
            do="give a larger step, in seconds, such as dt=0.01",
        )
    return size
