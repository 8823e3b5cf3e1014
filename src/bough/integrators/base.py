"""Base of the integrators that make one step at a time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array, Vector
from bough.errors import ConvergenceError, ModelError
from bough.integrators.rows_and_starts import touching_text, wedged_text
from bough.model.model import Model
from bough.motion.consistent_start import momenta, single
from bough.motion.feedback import SERVO, overdriven
from bough.motion.grid import step_size
from bough.motion.inputs import called, item
from bough.motion.stages import between, difference_weights
from bough.motion.state import State


class Integrator(ABC):
    """Base of the integrators of the core: immutable, usable from several threads at once.

    Attributes
    ----------
    _where : for messages
    input_times, node_times :
        The fractions of a step at which functions of time are called for u and for k.
    """

    input_times: Array = np.zeros(1)
    node_times: Array = np.ones(1)

    def __init__(self, model: Model, dt: float, where: str) -> None:
        self.model = model
        self.dt = step_size(dt, where)
        self._where = where
        self._local = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_settings, (type(self), self.model, self.settings)

    def step(
        self,
        state: State,
        u: Vector | Callable[[float], Any] | None = None,
        k: Vector | Callable[[float], Any] | None = None,
        dt: float | None = None,
    ) -> State:
        """The state after one step.

        Parameters
        ----------
        u : inputs during the step, by default zero; or a function of t, called at its start, at the stages of the
            midpoint rule of order=4, 6, 8 without balls
        k : values of the kinematic variables at its end, by default as they are, on the way linear; or a
            function of t, called on the way too by the midpoint rule of order=4, 6, 8 without balls, and as far
            beyond the end, for the rates there
        u, k by name : numbers or functions of t
        dt : its size, by default that of the integrator
        """
        model, stepper = self.model, self._stepper()
        size = self.dt if dt is None else step_size(dt, self._where)
        self._restore(stepper, state)
        before = np.asarray(state.q)
        now = before[model.nq - model.nk :]
        kinematic, vk = self._nodes(k, now, state.t, size)
        inputs, last = self._stage_inputs(u, state.t, size)
        status, _, _, iterations, _, raised = stepper.run(
            1, size, kinematic, inputs, 1, 0, *self.buffers(1), 0
        )
        if raised is not None:  # by a user's element
            raise raised
        if status:
            _, residual, worst, _ = stepper.failure()
            residual *= self.unit(worst)
            p = momenta(model, state) if state.p is None else state.p
            driven = overdriven(model, before, p, inputs[0], size, state.t)
            wrong, do = wedged_text(model, before, np.asarray(p), state.t, size)
            raise ConvergenceError(
                asked=f"step from t = {state.t:.6g} to {state.t + size:.6g} with {self._where}",
                found=self.failure_text(status, residual, worst)
                + touching_text(model, before, state.t)
                + wrong
                + driven,
                do=f"take a smaller dt; if u is feedback, lower its gains, or {SERVO}"
                if driven
                else do
                or "take a smaller dt; if that fails too, the motion may run into a singular configuration",
                time=state.t,
                iterations=iterations,
                residual=residual,
            )
        return self.state(stepper, vk, before, last)

    def _stepper(self) -> Any:
        """The stepper of this thread."""
        try:
            return self._local.stepper
        except AttributeError:
            self._local.stepper = self.new_stepper()
            return self._local.stepper

    def _stage_inputs(self, u: Any, t: float, size: float) -> tuple[Array, Array]:
        """The inputs of a step, constant (1, nu) or at its stages, and those at its end."""
        u = self._timed(u, "u")
        if not callable(u):
            row = self._inputs(u)
            return row[None], row
        times = [t + c * size for c in (*self.input_times, 1.0)]
        rows = [self._inputs(u(time)) for time in times]
        return np.array(rows[:-1]), rows[-1]

    def _nodes(self, k: Any, now: Array, t: float, size: float) -> tuple[Array, Array]:
        """The kinematic values of a step at its nodes, and their velocities at its end.

        Those of functions are of the polynomial through the nodes of this step and of one like it after it, as
        `simulate` has them; those of numbers are constant in the step.
        """
        if k is None and not len(now):
            return np.zeros((len(self.node_times), 0)), np.zeros(0)
        function, numbers = self._timed(k, "k"), k
        if isinstance(k, Mapping):
            numbers = {name: x for name, x in k.items() if not callable(x)}
        end = now if k is None or callable(k) else self._kinematic(numbers, now)
        nodes, vk = between(now[None], end[None], self.node_times)[0], (end - now) / size
        if not callable(function):
            return nodes, vk
        parts = np.append(self.node_times, 1.0 + self.node_times)
        moved = np.array([self._kinematic(function(t + part * size), now) for part in parts.tolist()])
        slope = difference_weights(np.append(-1.0, parts - 1.0))[0] @ np.concatenate([now[None], moved])
        timed = [callable(k) or callable(k.get(name)) for name in self.model.kinematic]
        return np.where(timed, moved[: len(nodes)], nodes), np.where(timed, slope / size, vk)

    def _timed(self, values: Any, what: str) -> Any:
        """A function of t of values that are, or have among them by name, functions of t; else the values."""
        if callable(values):
            return lambda t: called(values, (t,), what, self._where)
        if not isinstance(values, Mapping) or not any(callable(x) for x in values.values()):
            return values
        where = self._where
        return lambda t: {
            name: item(called(x, (t,), f"{what}[{name!r}]", where)) if callable(x) else x
            for name, x in values.items()
        }

    def _inputs(self, u: Vector | None) -> Array:
        if u is None:
            return np.zeros(self.model.nu)
        return single(u, self.model.inputs, "u", self._where, "inputs")

    def _kinematic(self, k: Vector, now: Array) -> Array:
        """The kinematic values at the end of a step; those not named stay as they are."""
        names = self.model.kinematic
        values = single(k, names, "k", self._where, "kinematic variables")
        return np.where([name in k for name in names], values, now) if isinstance(k, Mapping) else values

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The method and its parameters in plain values."""

    @abstractmethod
    def new_stepper(self) -> Any:
        """A stepper of the core for one run."""

    @abstractmethod
    def buffers(self, rows: int) -> list[Array]:
        """Buffers for the results of a stepper, with this many rows."""

    @abstractmethod
    def state(self, stepper: Any, vk: Array, before: Array, u: Array) -> State:
        """The current state of a stepper.

        vk and u are kinematic velocities and inputs there, `before` is a configuration near by.
        """

    def _restore(self, stepper: Any, state: State) -> None:
        """Put the stepper into a state, with the memory of the steps before it if it has one."""
        if not isinstance(state, State):
            raise ModelError(
                asked=f"step with {self._where}",
                found=f"{validate.shown(state)}, which is not a state",
                do="give a state of this model, made by start() or step()",
            )
        self._load(stepper, state)

    @abstractmethod
    def _load(self, stepper: Any, state: State) -> None:
        """Put the stepper into a state."""

    @abstractmethod
    def unit(self, row: int) -> float:
        """The tolerance of a row of the equations, in which the core gives its residual."""

    @abstractmethod
    def failure_text(self, status: int, residual: float, worst: int) -> str:
        """The reason, from the core, why a step failed."""


def _from_settings(kind: type[Any], model: Model, settings: dict[str, Any]) -> Integrator:
    """The integrator of a pickle."""
    chosen = {name: value for name, value in settings.items() if name != "integrator"}
    made: Integrator = kind(model, **chosen)
    return made


def state_sizes(model: Model, state: State) -> Iterator[tuple[tuple[str, str], int, int]]:
    """What a stepper reads of a state, as one and as several: how many numbers there are and the model has."""
    yield ("coordinate", "coordinates") if model._balls else ("variable", "variables"), state.q.size, model.nq
    if state.p is not None:
        yield ("momentum", "momenta"), state.p.size, model.nd
    if isinstance(state._memory, core.StepperState):
        yield ("constraint force", "constraint forces"), state._memory.lam.size, model.nc
    else:
        yield ("velocity", "velocities"), state.v.size, model.nv
