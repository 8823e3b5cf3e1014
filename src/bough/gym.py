"""`bough.gym`: a model as an environment of Gymnasium (needs the package gymnasium)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bough.arguments import Array, Vector
from bough.control._bounds import _ranges
from bough.errors import BoughError, ConvergenceError, ModelError
from bough.integrators.variational import VARIATIONAL
from bough.model.model import Model
from bough.motion.state import State

try:
    import gymnasium
except ImportError:
    raise BoughError(
        asked="bough.gym",
        found="the package gymnasium is not installed",
        do="install it: pip install 'bough[gym]'",
    ) from None


class Environment(gymnasium.Env):
    """A model that an agent drives by its inputs.

    Observations are (q, v), or what `observe` returns; actions are the inputs, from -1 to 1 of `effort`.

    Parameters
    ----------
    model : Model
    reward : function of (state, u) that returns a number; state is that after the step
    effort : limits of the inputs: a size for all or by name, or pairs
    dt : the interval between actions
    substeps : how many steps of the integrator it has
    duration : of an episode, after which it is truncated
    terminate : function of the state that tells whether an episode ends, by default never
    q, v : the start
    spread : standard deviation of random changes of the start, of q and v alike
    observe : function of the state that returns an array
    integrator : "midpoint" or "trapezoidal"

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> env = bough.gym.Environment(
    ...     model, lambda state, u: -float(state.q @ state.q), effort=10.0, dt=0.02, duration=2.0
    ... )
    >>> observation, _ = env.reset(seed=0)
    >>> observation.shape, env.action_space.shape
    ((4,), (1,))
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        model: Model,
        reward: Callable[[State, Array], float],
        *,
        effort: Any,
        dt: float = 0.02,
        substeps: int = 1,
        duration: float = 10.0,
        terminate: Callable[[State], bool] | None = None,
        q: Vector | None = None,
        v: Vector | None = None,
        spread: float = 0.0,
        observe: Callable[[State], Any] | None = None,
        integrator: str = "midpoint",
    ) -> None:
        where = f"gym.Environment of model {model.name!r}"
        if model.nu == 0:
            raise ModelError(
                asked=where,
                found="a model without inputs",
                do="add an input, such as bough.ConfigurationForce('joint', 'torque')",
            )
        if model.nc and spread:
            raise ModelError(
                asked=f"spread={spread} in {where}",
                found="constraints, which random starts would violate",
                do="leave spread out, and give starts by reset(options={'q': ...})",
            )
        low, high = _ranges(effort, model.inputs, "effort", where)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ModelError(
                asked=f"effort in {where}",
                found="an input without limits",
                do="give a limit for each input, such as effort=10.0",
            )
        self.model, self._low, self._high = model, low, high
        self._reward, self._terminate, self._observe = reward, terminate, observe
        self._start, self._spread = (q, v), float(spread)
        self._steps = round(duration / dt)
        self._vi: Any = VARIATIONAL[integrator](model, dt / substeps)
        self._substeps = int(substeps)
        self._count = 0
        first = self._observation(self._vi.start(q=q, v=v))
        box = gymnasium.spaces.Box
        self.observation_space = box(-np.inf, np.inf, first.shape, np.float64)
        self.action_space = box(-1.0, 1.0, (model.nu,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """The start of an episode; `options` may have other "q" and "v"."""
        super().reset(seed=seed)
        given = dict(options or {})
        state = self._vi.start(q=given.get("q", self._start[0]), v=given.get("v", self._start[1]))
        if self._spread:
            nd = self.model.nd
            q, v = np.array(state.q), np.array(state.v)
            move = np.zeros(self.model.nv)
            move[:nd] = self._spread * self.np_random.normal(size=nd)
            q = self.model.integrate(q, move)
            v[:nd] += self._spread * self.np_random.normal(size=nd)
            state = self._vi.start(q=q, v=v)
        self._state: State = state
        self._count = 0
        return self._observation(state), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Drive the model for one interval."""
        part = np.clip(np.asarray(action, dtype=float), -1.0, 1.0)
        u = self._low + 0.5 * (part + 1.0) * (self._high - self._low)
        state, info = self._state, {}
        try:
            for _ in range(self._substeps):
                state = self._vi.step(state, u=u)
        except ConvergenceError as error:  # the motion cannot go on: the episode ends
            info["failed"] = str(error)
        self._state = state
        self._count += 1
        ended = bool(info) or (self._terminate is not None and bool(self._terminate(state)))
        return (
            self._observation(state),
            float(self._reward(state, u)),
            ended,
            self._count >= self._steps,
            info,
        )

    @property
    def state(self) -> State:
        """The state of the model."""
        return self._state

    def _observation(self, state: State) -> Array:
        if self._observe is not None:
            return np.asarray(self._observe(state), dtype=np.float64)
        return np.concatenate([state.q, state.v])
