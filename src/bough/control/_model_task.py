"""The problem of optimal control of any model, as Newton's method takes it: docs/theory/control.md, section 8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.control._bounds import Bounds
from bough.control._costs import Motion, Setting
from bough.control._ends import Ends
from bough.control._newton import Failed
from bough.control._pairs import PairStages
from bough.control._smoothed import SmoothedKernels, SmoothedStages
from bough.control._stages import Stages, reached
from bough.control._step import Step
from bough.control._velocity import velocities
from bough.model.model import Model

if TYPE_CHECKING:
    from bough.control._newton import Newton, Point


class Kernels:
    """Roll-outs and derivatives of the core for the steps of an integrator.

    pairs : derivatives and sweeps over pairs of configurations, None if steps are composed or may be halved
    reach : derivatives along the moves that controls reach, None if these may be more than half of all
    """

    def __init__(self, step: Step, threads: int) -> None:
        vi = step.integrator
        names = ("tolerance", "constraint_tolerance", "max_iterations", "max_halvings", "order")
        options: Any = {name: getattr(vi, name) for name in names}
        self.rollout = core.Rollout(step.model._core, vi._code, vi.alpha, **options)
        self.backward = core.Backward(step.model._core, vi._code, vi.alpha, **options, threads=threads)
        self.pairs = None
        if vi.order == 2 and vi.max_halvings == 0:
            self.pairs = core.Pairs(step.model._core, vi._code, vi.alpha, **options, threads=threads)
        model = step.model
        reached = 2 * max(model.nd - model.nc, 0) + model.nu + 2 * model.nk
        few = model.nc > 0 and vi.order == 2 and reached <= (model.nv + model.nd) // 2
        self.reach = core.Reach(step.model._core, vi._code, vi.alpha, **options) if few else None


@dataclass
class Task:
    """A problem of optimal control: start, costs, ends, limits, and the kernels that work on its steps.

    free : places in q of variables whose start is found too; the velocities of the start stay
    """

    setting: Setting
    step: Step
    x0: Array
    costs: list[Any]
    ends: Ends
    bounds: Bounds
    method: str
    kernels: Any  # `Kernels`, or `SmoothedKernels` with contacts
    free: tuple[int, ...] = ()
    noise: ClassVar[float] = 1e-12
    least_noise: ClassVar[float] = 0.0  # a target that is reached leaves no cost, and Newton's step is small
    small_steps: ClassVar[bool] = False
    round_off: ClassVar[float] = 1e-12  # divided by a small slack it would spoil multipliers
    least_barrier: ClassVar[float] = (
        2e-7  # slacks divide the round-off of a motion, which multipliers would show
    )

    @property
    def dt(self) -> float:
        """The length of a step."""
        return self.step.dt

    @property
    def duration(self) -> float:
        """That of all steps."""
        return float(np.ptp(self.setting.times))

    def pressure(self, cost: float) -> float:
        """The cost of a second, that of a small effort if there is next to none."""
        return max(abs(cost), 1e-6) / self.duration

    @property
    def where(self) -> str:
        """The text for messages."""
        return self.setting.where

    @property
    def size(self) -> int:
        """How many moves a state has."""
        return len(self.step.moves)

    @property
    def model(self) -> Model:
        """The model."""
        return self.setting.model

    def start_moves(self, x: Array) -> Array:
        """The moves (nx, free) of a state by the variables whose start is found, velocities held."""
        model = self.model
        T = np.zeros((model.nv + model.nd, len(self.free)))
        if self.free:
            motion = velocities(model, x[None], np.zeros((1, model.nk)), self.setting.times[:1])
            T[list(self.free), np.arange(len(self.free))] = 1.0
            T[model.nv :] = motion.momentum_by_q[0][:, list(self.free)]
        return T

    def moved_start(self, x: Array, ds: Array) -> Array:
        """The state after a change of the variables whose start is found."""
        model = self.model
        q = x[: model.nv].copy()
        v = model.velocity(q, x[model.nv :])
        q[list(self.free)] += ds
        return np.concatenate([q, model.momentum(q, v)[: model.nd]])

    def motion(self, x: Array, c: Array, lam: Array) -> Motion:
        """Configurations at both ends of steps, inputs and constraint forces."""
        q = x[:, : self.model.nq]
        variables = self.model._variables_of(q)
        return Motion(variables[:-1], variables[1:], c[:, : self.model.nu], q[1:], lam)

    def first(self) -> Array:
        """States (steps + 1, nx) whose first is the start."""
        x = np.empty((self.setting.steps + 1, len(self.x0)))
        x[0] = self.x0
        return x

    def roll(
        self, x: Array, c: Array, d: Array | None, G: Array | None, length: float, start: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """A motion through gains about another one, from its start or another  (OR1)."""
        none = np.zeros(0)
        to_x, to_c = np.empty_like(x), np.empty_like(c)
        to_x[0] = x[0] if start is None else start
        lam = np.empty((len(c), self.model.nc))
        status, step = self.kernels.rollout.run(
            self.setting.times[0],
            self.step.dt,
            x,
            c,
            none if d is None else np.ascontiguousarray(d),
            none if G is None else np.ascontiguousarray(G),
            length,
            to_x,
            to_c,
            lam,
        )
        if step >= 0:
            raise Failed(status, step, to_c)
        return to_x, to_c, lam

    def stages(self, newton: Newton, now: Point) -> Stages:
        """Over the moves that controls reach if these are few, else over pairs if steps have one part."""
        if isinstance(self.kernels, SmoothedKernels):
            return SmoothedStages(newton, now, self.kernels)
        few = reached(newton, now)
        if few is not None:
            return few
        pairs = self.kernels.pairs if newton.paired else None
        return Stages(newton, now) if pairs is None else PairStages(newton, now, pairs)
