"""The parts common to all runs: the plan, the steps in chunks, and the ways a run can end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.model.model import Model
from bough.motion.grid import Grid
from bough.motion.inputs import Inputs
from bough.motion.stages import Stages
from bough.motion.state import State
from bough.motion.trajectory import Driving, Trajectory
from bough.watch import Watch

CHUNK = 0.03  # duration of a chunk of steps, in seconds
QUICK_STEPS = 16  # steps of a small model before the first look at the clock: at most a millisecond
SMALL = 100  # largest number of variables and constraint rows of a small model


@dataclass
class Plan:
    """Everything that determines a run, checked.

    Attributes
    ----------
    q, v, p : the start; of v and p the method uses one
    inputs : the inputs of each step
    prescribed : (steps + 1, nk) values of the kinematic variables at the nodes; (0, nk) if they are held
    settings : plain values that repeat the run
    begin : a state of another run that this one starts from as it is
    whole : the grid of `inputs` and `prescribed`, if the run ends earlier, like the one that it repeats
    stages : inputs and kinematic values between the nodes, of a run of higher order
    """

    model: Model
    grid: Grid
    q: Array
    v: Array
    p: Array
    inputs: Inputs
    prescribed: Array
    settings: dict[str, Any]
    begin: State | None = None
    whole: Grid | None = None
    stages: Stages | None = None

    @property
    def first_chunk(self) -> int:
        """The number of steps before the first look at the clock."""
        model = self.model
        alone = self.inputs.function is None and all(isinstance(record, tuple) for record in model._records)
        return QUICK_STEPS if alone and model.nq + model.nc <= SMALL else 1

    def prescribed_grid(self) -> Grid:
        """The grid whose nodes the values `prescribed` belong to."""
        return self.grid if self.whole is None else self.whole

    def prescribed_times(self) -> Array:
        """The times at which the kinematic variables have the values `prescribed`."""
        return self.prescribed_grid().nodes()


class Failure(Exception):
    """A step that could not be made: the step from node `step` to the next one."""

    def __init__(
        self, step: int, time: float, found: str, do: str, iterations: int = 0, residual: float = float("nan")
    ) -> None:
        super().__init__(found)
        self.step = step
        self.time = time
        self.found = found
        self.do = do
        self.iterations = iterations
        self.residual = residual


class Run(Protocol):
    """A method at work: `run` raises to stop early, `trajectory` gives what there is at any time.

    `warn` checks a run that is returned; for a run that ends with an error, the error suffices.
    """

    plan: Plan

    def run(self, watch: Watch) -> None: ...

    def trajectory(self, status: str, wall_time: float) -> Trajectory: ...

    def warn(self, run: Trajectory) -> None: ...


def common_columns(
    plan: Plan, nodes: npt.NDArray[np.int64], steps: int, status: str, statistics: Mapping[str, float]
) -> dict[str, Any]:
    """The arguments of a trajectory that do not depend on the method."""
    return {
        "u": plan.inputs.at(np.minimum(nodes, max(steps - 1, 0))),
        "status": status,
        "settings": {**plan.settings, "steps": steps},
        "statistics": {"steps": steps, **statistics},
        "driving": Driving(plan.inputs.rows, plan.prescribed, plan.stages),
    }


def run_in_chunks(plan: Plan, advance: Callable[[int, int, float], None], watch: Watch) -> None:
    """Make all steps of a plan by advance(first, count, dt), which makes `count` steps of equal size.

    The core runs chunks of steps that take some 30 ms, between which Ctrl-C, the progress bar and functions
    of the user are served; the first chunk has `FIRST` steps. A function u(t, state) makes each step a chunk.
    """
    grid, node, chunk, whole = plan.grid, 0, plan.first_chunk, plan.grid.whole
    while node < grid.steps:
        regular = whole - node
        count = min(chunk, regular) if regular > 0 else 1
        begin = time.perf_counter()
        advance(node, count, grid.dt if regular > 0 else grid.last)
        elapsed = time.perf_counter() - begin
        node += count
        if plan.inputs.function is None:
            chunk = max(1, min(int(count * CHUNK / max(elapsed, 1e-9)), 4 * count))
        if node < grid.steps:
            watch.look(node * grid.dt)
