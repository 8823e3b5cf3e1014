"""The parts common to all runs: the plan, the steps in chunks, and the ways a run can end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bough.arguments import Array
from bough.model.model import Model
from bough.motion.events import EventFunction
from bough.motion.grid import Grid
from bough.motion.inputs import Inputs
from bough.motion.stages import Stages
from bough.motion.state import State
from bough.motion.trajectory import Driving, Trajectory
from bough.watch import Watch

CHUNK = 0.03  # duration of a chunk of steps, in seconds
QUICK_STEPS = 16  # steps of a quick model before the first look at the clock: at most a millisecond


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
    events : functions whose zeros are looked for
    instants : the times that are recorded, if not nodes
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
    events: tuple[EventFunction, ...] = ()
    instants: Array | None = None

    @property
    def cut(self) -> bool:
        """Whether the last step ends within one of the grid that inputs and kinematic values belong to."""
        if self.whole is None or self.grid.steps == 0:
            return False
        last = self.grid.steps
        return bool(self.grid.time(last) != self.whole.time(last))

    def ended_at(self, node: int, t: float, name: str) -> Plan:
        """The plan of a run that ends with an event in the step from a node."""
        grid, whole = self.grid, self.prescribed_grid()
        last = grid.last if t == grid.time(grid.steps) else grid.dt
        if t != grid.time(node + 1):
            last = t - float(grid.time(node))
        shorter = Grid(grid.t0, grid.dt, t - grid.t0, grid.every, node + 1, last)
        ending = {"duration": t - grid.t0, "last": last, "asked": whole.duration, "ended": name}
        return replace(self, grid=shorter, whole=whole, settings={**self.settings, **ending})

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
    rows = plan.inputs.rows
    return {
        "u": plan.inputs.at(np.minimum(nodes, max(steps - 1, 0)) if len(rows) > 1 else nodes),
        "status": status,
        "settings": {**plan.settings, "steps": steps},
        "statistics": {"steps": steps, **statistics},
        "driving": Driving(rows, plan.prescribed, plan.stages),
    }


def run_in_chunks(plan: Plan, advance: Callable[[int, int, float], None], watch: Watch) -> None:
    """Make all steps of a plan by advance(first, count, dt), which makes `count` steps of equal size.

    The core runs chunks of steps that take some 30 ms, between which Ctrl-C, the progress bar and functions
    of the user are served. The first chunk has `QUICK_STEPS` steps if the model is small and nothing of it
    is written in Python, else one. A function u(t, state) makes each step a chunk.
    """
    grid, node = plan.grid, 0
    chunk = QUICK_STEPS if plan.inputs.function is None and plan.model._quick else 1
    while node < grid.steps:
        regular = grid.steps - node - (grid.last != grid.dt)  # steps of size dt
        count = min(chunk, regular) if regular > 0 else 1
        begin = time.perf_counter()
        advance(node, count, grid.dt if regular > 0 else grid.last)
        elapsed = time.perf_counter() - begin
        node += count
        if plan.inputs.function is None:
            chunk = max(1, min(int(count * CHUNK / max(elapsed, 1e-9)), 4 * count))
        if node < grid.steps:
            watch.look(node * grid.dt)
