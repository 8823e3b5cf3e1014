"""States and trajectories of a system whose base moves on the group of rigid motions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array
from bough.motion.rows import checked_rows
from bough.motion.state import ReducedMemory, State, frozen, plain
from bough.motion.trajectory import Trajectory
from bough.named import NO_MODEL, ModelNames, Named

if TYPE_CHECKING:
    from bough.model.model import Model


NO_FORCES = frozen(np.zeros(0))  # of constraints, which these models do not have


class ReducedState(State):
    """An instant of a motion with a free base: a `State` that also has the exact pose of the base.

    Attributes
    ----------
    g : array (4, 4)
        The pose of the base.
    xi : array (6,)
        Its velocity in its own axes, (angular, linear).
    mu : array (6,)
        The momentum of the whole tree in the world, (angular about the world origin, linear).

    Examples
    --------
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> hull = system.world.free("hull", name="hull", mass=2.0, inertia=(0.2, 0.3, 0.4))
    >>> vi = bough.ReducedVI(system.build(), dt=0.01)
    >>> state = vi.start(v={"hull_rz": 1.0})
    >>> state.mu.round(6)
    array([0. , 0. , 0.4, 0. , 0. , 0. ])
    """

    __slots__ = ("_g", "_mu", "_xi")

    def __init__(
        self,
        t: float,
        q: npt.ArrayLike,
        v: npt.ArrayLike | Callable[[], Array] | None,
        p: npt.ArrayLike | None,
        *,
        g: npt.ArrayLike,
        xi: npt.ArrayLike,
        mu: npt.ArrayLike,
        memory: ReducedMemory | None = None,
        names: ModelNames = NO_MODEL,
    ) -> None:
        super().__init__(t, q, v, p, np.zeros(0), memory=memory, names=names)
        self._g, self._xi, self._mu = frozen(g), frozen(xi), frozen(mu)

    @property
    def g(self) -> Array:
        """The pose of the base."""
        return self._g

    @property
    def xi(self) -> Array:
        """The velocity of the base in its axes, (angular, linear)."""
        return self._xi

    @property
    def mu(self) -> Array:
        """The momentum in the world, (angular, linear)."""
        return self._mu

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self._q, np.asarray(self.v), plain(self.p), self.g, self.xi, self.mu)
        return _unpickle, (self.t, *arrays, self._memory, self._names)


class SteppedReducedState(ReducedState):
    """The state after a step of `ReducedVI`: velocities and momenta are computed when one of them is read.

    Parameters
    ----------
    derive : returns v (nq,), p (nd,) and xi (6,)
    """

    __slots__ = ("_derive",)

    def __init__(
        self,
        memory: ReducedMemory,
        q: Array,
        derive: Callable[[], tuple[Array, Array, Array]],
        names: ModelNames,
    ) -> None:
        self._memory = memory
        self._derive: Callable[[], tuple[Array, Array, Array]] | None = derive
        self._names = names
        self._t = memory.t
        self._q, self._mu = frozen(q), frozen(memory.mu)
        self._g = frozen(np.reshape(memory.g, (4, 4)))
        self._lam, self._force, self._velocity = NO_FORCES, None, None

    @property
    def v(self) -> Named:
        """The velocity."""
        self._complete()
        return super().v

    @property
    def p(self) -> Named | None:
        """The momenta of the dynamic variables."""
        self._complete()
        return super().p

    @property
    def xi(self) -> Array:
        """The velocity of the base in its axes, (angular, linear)."""
        self._complete()
        return self._xi

    def _complete(self) -> None:
        derive = self._derive
        if derive is not None:
            self._v, self._p, self._xi = (frozen(values) for values in derive())
            self._derive = None


class ReducedTrajectory(Trajectory):
    """A motion with a free base on the group: `q` holds its angles, `g` its exact poses.

    Attributes
    ----------
    g : array (rows, 4, 4)
        Poses of the base.
    xi : array (rows, 6)
        Its velocities in its own axes, (angular, linear), those of the momenta.
    mu : array (rows, 6)
        The momentum of the whole tree in the world: angular about the world origin, linear.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> hull = system.world.free("hull", name="hull", mass=2.0, inertia=(0.2, 0.3, 0.4))
    >>> spin = {"hull_rz": 1.0, "hull_rx": 0.1}
    >>> run = bough.simulate(system.build(), v=spin, duration=1.0, dt=0.01, integrator="reduced")
    >>> run.g.shape, bool(abs(run.mu - run.mu[0]).max() < 1e-14)
    ((101, 4, 4), True)
    """

    extra = ("g", "xi", "mu")

    def __init__(
        self,
        model: Model,
        t: npt.ArrayLike,
        q: npt.ArrayLike,
        *,
        g: npt.ArrayLike,
        xi: npt.ArrayLike,
        mu: npt.ArrayLike,
        **columns: Any,
    ) -> None:
        super().__init__(model, t, q, **columns)
        rows = len(self.t)
        self.g = checked_rows(g, "g", (4, 4), rows)
        self.xi = checked_rows(xi, "xi", (6,), rows)
        self.mu = checked_rows(mu, "mu", (6,), rows)

    # Quantities of velocities come from xi: rates of angles are not defined at gimbal lock.

    def kinetic_energy(self) -> Array:
        """T at every instant, (rows,)."""
        rates = self.v[:, list(self.model._layout[1])]
        at = self.model.reduced(self.q, order=0)
        w = self.xi + np.einsum("bij,bj->bi", at.A, rates)
        twice: Array = np.einsum("bi,bij,bj->b", w, at.I, w) + np.einsum("bi,bij,bj->b", rates, at.S, rates)
        return 0.5 * twice

    def energy(self) -> Array:
        """T + V at every instant, (rows,)."""
        return self.kinetic_energy() + self.potential_energy()

    def momentum(self) -> Array:
        """The generalised momenta dL/dv of all variables, (rows, nq)."""
        return super().momentum() if self.model.nk else self.p

    def linear_momentum(self) -> Array:
        """The total linear momentum, (rows, 3)."""
        return self.mu[:, 3:] if core.behind_base(self.model._core) else super().linear_momentum()

    def angular_momentum(self) -> Array:
        """The total angular momentum about the world origin, (rows, 3)."""
        return self.mu[:, :3] if core.behind_base(self.model._core) else super().angular_momentum()

    def state(self, index: int) -> State:
        """The state in one row; -1 is the last."""
        extra = {name: getattr(self, name)[index] for name in self.extra}
        row = (self.q[index], self.v[index], self.p[index])
        return ReducedState(self.t[index], *row, **extra, names=self.model._names)


def _unpickle(
    t: float,
    q: Array,
    v: Array,
    p: Array,
    g: Array,
    xi: Array,
    mu: Array,
    memory: ReducedMemory | None,
    names: ModelNames,
) -> ReducedState:
    return ReducedState(t, q, v, p, g=g, xi=xi, mu=mu, memory=memory, names=names)
