"""The reduced variational integrator: a free base on the group of rigid motions, joints in coordinates.

    g1 = g0 tau(h xi),  r1 = r0 + h r',  w = xi + A_a r',   X_a = (1 - alpha) X(r0) + alpha X(r1)

    Ld = h (1/2 w^T I_a w + 1/2 r'^T S_a r' - (1 - alpha) V(g0, r0) - alpha V(g1, r1))

The derivation is in docs/theory/reduced.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bough import validate
from bough._core import core
from bough.arguments import Array, Vector
from bough.errors import ModelError
from bough.integrators.base import Integrator
from bough.integrators.reduced_linearization import ReducedDifferentiable
from bough.integrators.settings import (
    MOST_HALVINGS,
    checked_alpha,
    checked_model,
    checked_order,
    count,
    fed_back_text,
    no_contacts,
)
from bough.model.configurations import refuse_balls
from bough.model.finite import check_energy
from bough.model.model import Model
from bough.model.retraction import Retraction
from bough.motion import reduced_base as base
from bough.motion.consistent_start import single
from bough.motion.reduced_base import ReducedStart
from bough.motion.reduced_state import ReducedState, SteppedReducedState
from bough.motion.state import ReducedMemory, State

LIMITS: dict[str, float] = {"tolerance": 1e-14, "max_iterations": 20, "max_halvings": 6, "order": 2}


class ReducedVI(ReducedDifferentiable, Integrator):
    """The variational integrator of a tree whose base is free: `world.free(...)`, or `free` on a fixed frame.

    The base is a pose g, not six coordinates: no orientation is singular, and the momentum of a system
    that nothing acts on is constant to round-off. All other variables are the shape r. Of a model
    without a free base everything is shape. Constraints are not supported.

    Parameters
    ----------
    model : Model
    dt : float
        The step; `step` takes others.
    alpha : float
        The weight of the end of a step, from 0 to 1; of second order at 1/2.
    tau : "cayley" or "exp"
        How a step moves the base: g1 = g0 tau(dt x). A step turns it by less than half a turn.
    tolerance : float
        The largest residual that ends Newton's method, relative to the size of the terms, times the number of
        unknowns. One iteration is always made.
    max_iterations, max_halvings : int
        Of Newton's method, and of the step if that does not converge.
    order : 2, 4, 6 or 8
        Above 2, at alpha = 1/2: a composition of 5, 9 or 17 steps, some of which go back in time. Inputs are
        held during all of them and kinematic variables are linear.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> body = system.world.free("base", mass=10.0, inertia=(1, 2, 3))
    >>> tip = body.tx(0.5).rz("joint").tx(1.0, name="tip", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> vi = bough.ReducedVI(system.build(), dt=0.01)
    >>> state = vi.start(xi=(0.1, 2.0, 0, 0, 0, 0), v={"joint": 0.3})
    >>> begin = state.mu
    >>> for _ in range(100):
    ...     state = vi.step(state)
    >>> bool(abs(state.mu - begin).max() < 1e-12)
    True
    """

    method = "reduced"

    def __init__(
        self,
        model: Model,
        dt: float,
        alpha: float = 0.5,
        tau: str = "cayley",
        *,
        tolerance: float = 1e-14,
        max_iterations: int = 20,
        max_halvings: int = 6,
        order: int = 2,
    ) -> None:
        where = f"ReducedVI of model {checked_model(model).name!r}"
        refuse_balls(
            model,
            "ReducedVI",
            "use MidpointVI, which has no gimbal lock with balls, or free(name) as the base",
        )
        no_contacts(model, "ReducedVI", where)
        base.check_reducible(model, where)
        super().__init__(model, dt, where)
        self.alpha = checked_alpha(alpha, where)
        self.tau = Retraction(tau).kind
        self.tolerance = validate.positive(tolerance, "tolerance", where)
        self.max_iterations = count(max_iterations, "max_iterations", 1, where, 20)
        self.max_halvings = count(max_halvings, "max_halvings", 0, where, 6, MOST_HALVINGS)
        self.order = checked_order(order, self.alpha, where)

    @property
    def settings(self) -> dict[str, Any]:
        """The method and its parameters in plain values."""
        names = ("dt", "alpha", "tau", *LIMITS)
        return {"integrator": self.method, **{name: getattr(self, name) for name in names}}

    def start(
        self,
        g: npt.ArrayLike | None = None,
        q: Vector | None = None,
        r: Vector | None = None,
        xi: npt.ArrayLike | None = None,
        v: Vector | None = None,
        *,
        t: float = 0.0,
    ) -> State:
        """The state at a start, by default everything zero and at rest.

        Parameters
        ----------
        g : the pose of the base (4, 4), or
        q : the configuration (nq,), angles of the base included
        r : the shape (nr,); not with q
        xi : the velocity of the base in its own axes, (angular, linear)
        v : the velocities of the shape (nr,), or of all variables (nq,), rates of the base's angles included
        """
        begin = self._begin(g, q, r, xi, v)
        check_energy(self.model, begin.q, self._where)
        stepper = self._stepper()
        stepper.start(validate.real(t, "t", self._where), begin.g, begin.r, begin.mu, begin.p, begin.z)
        vk = begin.z[len(begin.z) - self.model.nk :]
        state = self.state(stepper, vk, begin.q, np.zeros(self.model.nu))
        _ = state.v  # a start whose velocities are not determined raises here, not when they are read
        return state

    def buffers(self, rows: int) -> list[Array]:
        """Arrays for rows of the work of forces, g, r, mu, p."""
        nr, nk = len(self.model.shape_variables), self.model.nk
        return [np.zeros(rows), *(np.empty((rows, *s)) for s in ((4, 4), (nr,), (6,), (nr - nk,)))]

    def new_stepper(self) -> Any:
        """A stepper of the core for one run."""
        tau = Retraction(self.tau)._code
        limits = (self.tolerance, self.max_iterations, self.max_halvings, self.order)
        return core.ReducedStepper(self.model._core, self.alpha, tau, *limits)

    def state(self, stepper: Any, vk: Array, before: Array, u: Array) -> State:
        """The state that a stepper is in; vk are kinematic velocities, `before` a configuration near by."""
        memory, model = ReducedMemory(*stepper.state()), self.model
        g, r, mu, p = (np.asarray(numbers)[None] for numbers in memory[1:5])
        g = g.reshape(1, 4, 4)
        q = base.configurations(model, g, r, before)

        def derive() -> tuple[Array, Array, Array]:
            z = base.velocities(model, g, r, mu, p, vk)
            return base.rates(model, q, z)[0], base.momenta(model, q, g, mu, p)[0], z[0, :6]

        if model.base_variables:
            return SteppedReducedState(memory, q[0], derive, model._names)
        v, momenta, _ = derive()
        return State(memory.t, q[0], v, momenta, np.zeros(0), memory=memory, names=model._names)

    def unit(self, row: int) -> float:
        """The tolerance of a row of the equations, in which the core gives its residual."""
        return self.tolerance * max(1, self.model.nd)

    def failure_text(self, status: int, residual: float, worst: int) -> str:
        """What the core found when a step failed."""
        model, nb = self.model, len(self.model.base_variables)
        if status == core.StepStatus.not_finite:
            return "the solution is not finite"
        if status == core.StepStatus.singular:
            return "the locked inertia is singular: the body can turn with its joints locked and move no mass"
        if status == core.StepStatus.fed_back:
            return fed_back_text(self.order)
        row = "the base" if worst < nb else f"variable {model.shape_variables[worst - nb]!r}"
        return (
            f"Newton's method did not converge in {validate.counted(self.max_iterations, 'iteration')}, nor after"
            f" {self.max_halvings} halvings of the step; the largest relative residual is {residual:.2g},"
            f" of {row}"
        )

    def of_state(self, state: State) -> ReducedStart:
        """The start that a state of this model stands for."""
        model = self.model
        if state.q.size != model.nv or state.v.size != model.nv:
            raise ModelError(
                asked=f"start from a state with {self._where}",
                found=f"a state with {validate.counted(state.q.size, 'variable')}; the model has {model.nv}",
                do="give a state of this model, made by start() or step()",
            )
        shape = list(model._layout[1])
        if not isinstance(state, ReducedState):
            begin = self._begin(None, state.q, None, None, state.v)
            known = state.p is not None and not model.base_variables
            return begin._replace(p=np.asarray(state.p)) if known else begin
        z = np.concatenate([state.xi, state.v[shape]])
        p = np.zeros(0) if state.p is None else state.p[shape[: len(shape) - model.nk]]
        return ReducedStart(state.g, state.q[shape], z, state.mu, p, state.q)

    def _begin(self, g: Any, q: Any, r: Any, xi: Any, v: Any) -> ReducedStart:
        model, where = self.model, self._where
        six, shape = (list(part) for part in model._layout)
        for name, given in (("g", g), ("r", r)):
            if given is not None and q is not None:
                raise _one_of(where, name)
        for name, given in (("g", g), ("xi", xi)):
            if given is not None and not six:
                raise ModelError(
                    asked=f"{name} of {where}",
                    found="the model has no free base",
                    do=f"leave {name} out, or add the base with system.world.free(...)",
                )
        full = np.zeros(model.nv) if q is None else single(q, model.variables, "q", where)
        if r is not None:
            full = full.copy()
            full[shape] = single(r, model.shape_variables, "r", where, "shape variables")
        pose = base.base_pose(model, full) if g is None else validate.pose(g, where)
        if six and g is not None:
            full = base.configurations(model, pose[None], full[None, shape], full)[0]
        z = np.concatenate([np.zeros(len(six)), np.zeros(len(shape))])
        rate = self._rates(v, xi)
        z[len(six) :] = rate[shape]
        if xi is not None:
            z[:6] = validate.array(xi, ((6,),), "xi", where, "6 numbers, (angular, linear)")
        elif six:
            twist = np.empty((1, 6))
            core.base_twist(model._core, full[None], np.ascontiguousarray(rate[six])[None], twist)
            z[:6] = twist[0]
        return base.reduced_start(model, pose, np.ascontiguousarray(full[shape]), z, full)

    def _rates(self, v: Any, xi: Any) -> Array:
        """Velocities of all variables."""
        model, where = self.model, self._where
        six, shape = (list(part) for part in model._layout)
        out = np.zeros(model.nv)
        if v is None:
            return out
        if isinstance(v, Mapping) or np.shape(v) == (model.nv,):
            out = single(v, model.variables, "v", where)
        else:
            out[shape] = single(v, model.shape_variables, "v", where, "shape variables")
        if xi is not None and out[six].any():
            raise ModelError(
                asked=f"v and xi of {where}",
                found="both hold a velocity of the base",
                do="give the velocity of the base in xi, or the rates of its variables in v",
            )
        return out

    def _load(self, stepper: Any, state: State) -> None:
        """Put the stepper into a state."""
        if isinstance(state._memory, ReducedMemory) and state.q.size == self.model.nv:
            stepper.restore(state._memory)
        else:
            begin = self.of_state(state)
            stepper.start(state.t, begin.g, begin.r, begin.mu, begin.p, begin.z)

    def __repr__(self) -> str:
        return f"ReducedVI({self.model.name!r}, dt={self.dt:g}, alpha={self.alpha:g}, tau={self.tau!r})"


def _one_of(where: str, name: str) -> ModelError:
    return ModelError(
        asked=f"q and {name} in start() of {where}",
        found="both, and q holds what the other gives",
        do=f"give q, or g and r without q; here leave out q or {name}",
    )
