"""A motion advanced in place, step by step, for control loops and learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array, Vector
from bough.motion.state import State, SteppedState
from bough.named import Named

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator


class Runner:
    """A motion advanced in place: made by `runner(state)` of `MidpointVI` or `TrapezoidalVI`.

    It makes the same steps as `step` of its integrator, bit for bit, without a new object for each of them. A
    step that fails raises the same error and leaves the runner unchanged. A runner is used by one thread
    at a time.

    Attributes
    ----------
    t : float
    q, p : array (nq,), (nd,)
        Configuration and momenta. These arrays are read-only and change with every step; `q.copy()` does not.
    v, lam : array (nq,), (nc,)
        Velocities and constraint forces, as of a `State`: computed and new with every access.
    state : State
        The current state, to be kept or given to `step`; after an assignment the runner continues from there.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> model = system.build()
    >>> vi = bough.MidpointVI(model, dt=0.01)
    >>> runner = vi.runner(vi.start({"angle": 0.5}))
    >>> for _ in range(100):
    ...     runner.step()
    >>> round(runner.t, 6), runner.q.round(6)
    (1.0, array([-0.49915]))
    """

    __slots__ = ("_core", "_dt", "_integrator", "_p", "_q", "_stepper")

    def __init__(self, integrator: VariationalIntegrator, state: State) -> None:
        names = integrator.model._names
        self._integrator = integrator
        self._dt = integrator.dt
        self._stepper = integrator.new_stepper()
        kind = core.GaussStepperRunner if integrator._staged else core.StepperRunner
        self._core = kind(self._stepper, self._memory_of(state))
        self._q = Named(self._core.q, names.coordinates)
        self._p = Named(self._core.p, names.dynamic)

    def step(
        self,
        u: Vector | Callable[[float], Any] | None = None,
        k: Vector | Callable[[float], Any] | None = None,
        dt: float | None = None,
    ) -> None:
        """Make one step; the arguments are those of `step` of the integrator."""
        if not self._core.step(u, k, self._dt if dt is None else dt):
            self.state = self._integrator.step(self.state, u, k, dt)

    @property
    def t(self) -> float:
        """The time."""
        return float(self._core.t)

    @property
    def q(self) -> Named:
        """The configuration; the next step changes it."""
        return self._q

    @property
    def p(self) -> Named:
        """The momenta of the dynamic variables; the next step changes them."""
        return self._p

    @property
    def v(self) -> Named:
        """The velocities, a new array."""
        return Named(self._integrator.velocity_of(self._core), self._q._names)

    @property
    def lam(self) -> Named | None:
        """The constraint forces, a new array."""
        return self.state.lam

    @property
    def state(self) -> State:
        """The current state."""
        return SteppedState(self._core.state(), self._integrator)

    @state.setter
    def state(self, state: State) -> None:
        self._core.load(self._memory_of(state))

    def _memory_of(self, state: State) -> Any:
        """The state of the core that belongs to a state."""
        if isinstance(state, State) and self._integrator.continues(self._stepper, state):
            return state._memory
        self._integrator._restore(self._stepper, state)
        vk = np.ascontiguousarray(state.v[self._integrator.model.nd :])
        return self._stepper.save(vk, np.zeros(self._integrator.model.nu))

    def __repr__(self) -> str:
        def short(values: Array) -> str:
            return np.array2string(values, precision=6, threshold=8, edgeitems=3, separator=", ")

        return f"Runner(t={self.t:g}, q={short(self.q)})"
