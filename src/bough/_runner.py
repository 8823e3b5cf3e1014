"""What the two ways to simulate share: the plan of a run, and how it can end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from bough._grid import Grid
from bough._inputs import Inputs
from bough._interrupt import Interrupt
from bough._progress import Progress
from bough.arguments import Array
from bough.model import Model
from bough.state import State
from bough.trajectory import Trajectory


@dataclass
class Plan:
    """Everything that determines a run, checked.

    Attributes
    ----------
    q, v, p : the start; of v and p the method uses one
    inputs : the inputs of each step
    prescribed : (steps + 1, nk) values of the kinematic variables at the nodes; (0, nk) where they are held
    settings : plain values that repeat the run
    begin : the state that the run starts from, where q, v, p do not tell it exactly
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


class Runner(Protocol):
    """A method at work: `run` raises to stop early, `trajectory` gives what there is at any time."""

    plan: Plan

    def run(self, interrupt: Interrupt, progress: Progress) -> None: ...

    def trajectory(self, status: str, wall_time: float) -> Trajectory: ...
