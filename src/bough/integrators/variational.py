"""Variational integrators, one step at a time.

A step solves the discrete Euler-Lagrange equations in position-momentum form. With the midpoint rule

    qm = (1 - alpha) q0 + alpha q1,    vm = (q1 - q0) / dt,    Ld(q0, q1) = dt L(qm, vm)

    p0 + D1 Ld(q0, q1) + fd- - Dh(q0)^T lam dt = 0,    h(q1) = 0,    p1 = D2 Ld(q0, q1) + fd+

The trapezoidal rule is Ld(q0, q1) = dt/2 (L(q0, vm) + L(q1, vm)), and of order 4, 6, 8 a composition of 5, 9, 17
such steps. The midpoint rule is the first of a family of order 2, 4, 6, 8: docs/theory/gauss.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array, Vector
from bough.description.start import from_start
from bough.errors import ModelError
from bough.integrators import gauss as _gauss
from bough.integrators.base import Integrator, state_sizes
from bough.integrators.gauss import of_stages
from bough.integrators.known import check_model
from bough.integrators.linearization import Differentiable
from bough.integrators.rows_and_starts import row_text, start_stepper, unfollowed_text
from bough.integrators.runner import Runner
from bough.integrators.settings import (
    LIMITS,
    MOST_HALVINGS,
    checked_alpha,
    checked_model,
    checked_order,
    count,
    fed_back_text,
    located,
    usual_limits,
)
from bough.model.finite import check_energy
from bough.model.model import Model
from bough.motion.consistent_start import consistent, momenta, single, start
from bough.motion.contact_trajectory import buffers as contact_buffers
from bough.motion.grid import step_size
from bough.motion.named_start import kept_rates, unkept_velocity, warn_of, with_named_velocities
from bough.motion.single_state import single_configuration, single_velocity
from bough.motion.stages import gauss_times
from bough.motion.state import State, SteppedState


class VariationalIntegrator(Differentiable, Integrator):
    """Base of the variational integrators: immutable, usable from several threads at once."""

    method = ""
    _code = -1

    def __init__(self, model: Model, dt: float, alpha: float, **limits: Any) -> None:
        where = f"{type(self).__name__} of model {checked_model(model).name!r}"
        super().__init__(model, dt, where)
        self.alpha = checked_alpha(alpha, where)
        self.order = checked_order(limits["order"], self.alpha, where)
        check_model(self, where)
        usual = usual_limits(self.order, self._staged, bool(model._balls))
        limits = {name: usual[name] if value is None else value for name, value in limits.items()}
        given, held = limits["tolerance"], limits["constraint_tolerance"]
        zero = given == 0.0 and self._staged
        self.tolerance = 0.0 if zero else validate.positive(given, "tolerance", where)
        self.constraint_tolerance = validate.positive(held, "constraint_tolerance", where)
        if self._staged:
            self.input_times, self.node_times = gauss_times(self.order)
        self.locate = located(model, limits.pop("locate"), where)
        self.max_iterations = count(limits["max_iterations"], "max_iterations", 1, where, 20)
        self.max_halvings = count(limits["max_halvings"], "max_halvings", 0, where, 6, MOST_HALVINGS)

    @property
    def _staged(self) -> bool:
        """Whether a step has stages, of the family of higher order."""
        return self.method == "midpoint" and self.order in _gauss.ORDERS and not self.model._balls

    @property
    def settings(self) -> dict[str, Any]:
        """The method and its parameters in plain values."""
        return {
            "integrator": self.method,
            "dt": self.dt,
            **({"alpha": self.alpha} if self._code == 0 else {}),
            **{name: getattr(self, name) for name in LIMITS},
            **({} if self.locate else {"locate": False}),
            **({"composed": True} if self.order > 2 and self.model._balls else {}),
        }

    def start(
        self, q: Vector | None = None, v: Vector | None = None, *, p: Vector | None = None, t: float = 0.0
    ) -> State:
        """The state at rest, or with velocities v, or with momenta p; q must meet the constraints.

        What q and v do not say is that of the system's start, `model.start`, unless q is an array.
        Velocities are projected onto the constraints; those named are kept, as in `simulate`.
        """
        model, where = self.model, self._where
        if v is not None and p is not None:
            raise ModelError(
                asked=f"v and p in start() of {where}",
                found="both velocities and momenta",
                do="give one of them",
            )
        kept = kept_rates(model, q, v) if p is None else ()
        q, v = from_start(model, q, v) if p is None else (from_start(model, q)[0], None)
        q0 = single_configuration(model, q, where)
        v0 = single_velocity(model, v, where)
        p0 = None if p is None else single(p, model.dynamic, "p", where, "dynamic variables")
        time = validate.real(t, "t", where)
        begin = start(model, q0, v0, p0, v0[model.nd :], where, time)
        if p0 is not None and model.nk > 0:  # whose velocities are not known, and so not what is consistent
            begin = begin._replace(p=p0)
        if model.nc and kept:
            begin = with_named_velocities(model, begin, v0, kept, time)
            warn_of(unkept_velocity(model, v0, begin.v, kept, where))
        stepper = self._stepper()
        start_stepper(model, stepper, time, begin.q, begin.p, begin.v[model.nd :])
        memory = stepper.save(begin.v[model.nd :], np.zeros(model.nu))
        return State(time, begin.q, begin.v, begin.p, np.zeros(model.nc), memory=memory, names=model._names)

    def step(
        self,
        state: State,
        u: Vector | Callable[[float], Any] | None = None,
        k: Vector | Callable[[float], Any] | None = None,
        dt: float | None = None,
    ) -> State:
        if isinstance(state, State):
            next_state = self._stepper().advance(state._memory, u, k, self.dt if dt is None else dt)
            if next_state is not None:
                return SteppedState(next_state, self)
        return super().step(state, u, k, dt)

    step.__doc__ = Integrator.step.__doc__

    def runner(self, state: State) -> Runner:
        """A motion that goes on from a state in place: `Runner`.

        Examples
        --------
        >>> import bough
        >>> system = bough.System("pendulum")
        >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
        >>> vi = bough.MidpointVI(system.build(), dt=0.01)
        >>> runner = vi.runner(vi.start(q={"angle": 0.5}))
        >>> for _ in range(100):
        ...     runner.step()
        >>> round(runner.t, 9)
        1.0
        """
        return Runner(self, state)

    def start_from_configurations(
        self,
        q0: Vector,
        q1: Vector,
        *,
        u: Vector | None = None,
        t: float = 0.0,
        dt: float | None = None,
    ) -> State:
        """The state after a first step, which led from q0 at time t to q1.

        Parameters
        ----------
        u : inputs during that step, by default zero
        dt : its size, by default that of the integrator
        """
        model, where = self.model, self._where
        _gauss.no_configurations(self, where)
        first, second = (single_configuration(model, q, where, n) for q, n in ((q0, "q0"), (q1, "q1")))
        time = validate.real(t, "t", where)
        size = self.dt if dt is None else step_size(dt, where)
        consistent(model, first, where, time, "q0")
        consistent(model, second, where, time + size, "q1")
        check_energy(model, second, where)
        stepper = self._stepper()
        stepper.configurations(time, first, time + size, second, self._inputs(u))
        return self.state(stepper, (second - first)[model.nq - model.nk :] / size, second, np.zeros(model.nu))

    def new_stepper(self) -> Any:
        """A stepper of the core for one run."""
        return new_stepper(self.model, self.settings)

    def buffers(self, rows: int) -> list[Array]:
        """Arrays for rows of the work of forces, q, p, lam and of contacts; with stages without these."""
        model = self.model
        if self._staged:
            return [np.empty(rows), *(np.empty((rows, n)) for n in (model.nq, model.nd))]
        sizes = (model.nq, model.nd, model.nc)
        return [np.empty(rows), *(np.empty((rows, n)) for n in sizes), *contact_buffers(model, rows)]

    def state(self, stepper: Any, vk: Array, before: Array, u: Array) -> State:
        """The state that a stepper is in; vk and u are kinematic velocities and inputs there.

        A configuration before it, which `ReducedVI` needs to choose among angles, is not needed here.
        """
        return SteppedState(stepper.save(vk, u), self)

    def velocity_of(self, memory: Any) -> Array:
        """The velocities (nv,) in a state or a runner of the core."""
        v = np.empty(self.model.nv)
        singular = memory.velocity(self.model._core, v)
        self.model._check_singular("velocity", (-1 if singular < 0 else 0, singular), ())
        return v

    def multipliers_of(self, state: State) -> Array:
        """The constraint forces (nc,) of a state that this integrator made."""
        if self._staged:
            return _gauss.multipliers_of(self.model, state)
        lam: Array = state._memory.lam
        return lam

    def unit(self, row: int) -> float:
        """The tolerance of a row of the equations, in which the core gives its residual."""
        if self._staged:
            return 1.0
        momenta = self.tolerance * max(1, self.model._core.n_joints)
        return momenta if row < self.model.nd else self.constraint_tolerance

    def failure_text(self, status: int, residual: float, worst: int) -> str:
        """What the core found when a step failed."""
        if status == core.StepStatus.not_finite:
            return "the solution is not finite"
        if self._staged:
            return _gauss.failure_text(self, status, residual, worst)
        if status == core.StepStatus.fed_back:
            return fed_back_text(self.order)
        if residual <= self.unit(worst):
            return unfollowed_text(self.model)
        row = row_text(self.model, worst)
        return (
            f"Newton's method did not converge in {validate.counted(self.max_iterations, 'iteration')}, nor after"
            f" {self.max_halvings} halvings of the step; the largest relative residual is {residual:.2g},"
            f" of {row}"
        )

    def _load(self, stepper: Any, state: State) -> None:
        """Put the stepper into a state, with the memory of the steps before it if it has one."""
        model = self.model
        for what, found, expected in state_sizes(model, state):
            if found != expected:
                raise ModelError(
                    asked=f"step with {self._where}",
                    found=f"a state with {found} {what[found != 1]}; the model has {expected}",
                    do="give a state of this model, made by start() or step()",
                )
        if not self.continues(stepper, state):
            vk = np.ascontiguousarray(state.v[model.nd :])
            start_stepper(model, stepper, state.t, state.q, momenta(model, state), vk)

    def continues(self, stepper: Any, state: State) -> bool:
        """Whether a state has a memory of steps of this kind; the stepper is then put into it."""
        kind = core.GaussStepperState if self._staged else core.StepperState
        return isinstance(state._memory, kind) and stepper.load(state._memory)

    def __repr__(self) -> str:
        alpha = f", alpha={self.alpha:g}" if self._code == 0 else ""
        return f"{type(self).__name__}({self.model.name!r}, dt={self.dt:g}{alpha})"


class MidpointVI(VariationalIntegrator):
    """The variational integrator of the generalised midpoint rule: of second order at alpha = 1/2.

    Parameters
    ----------
    model : Model
    dt : float
        The step; `step` takes others.
    alpha : float
        Where between the ends of a step the Lagrangian is evaluated, from 0 to 1.
    tolerance, constraint_tolerance : float
        The largest residuals of momenta (3e-11) and of constraints (2e-14, with balls 2e-15) that end Newton's method,
        relative to the size of their terms; that of momenta also times the number of joints. One iteration is always
        made, so what is left is usually far smaller, and it is made up for in the next step:
        docs/theory/variational.md.
    max_iterations, max_halvings : int
        Of Newton's method (20), and of the step where that does not converge.
    order : 2, 4, 6 or 8
        Above 2, at alpha = 1/2: the rule of that order with 2, 3 or 4 stages, symplectic like the first, and
        with the constraints met at the nodes. Its tolerance is what an iteration leaves of the rates,
        relative to the largest; by default 0, round-off, in at most 50 iterations. docs/simulation.md says
        which order when.
    locate : bool
        Whether a step is split where a contact closes or sliding stops; if not, landings are of first order,
        without restitution: docs/contact.md.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> vi = bough.MidpointVI(system.build(), dt=0.01)
    >>> state = vi.start(q={"angle": 0.5})
    >>> for _ in range(100):
    ...     state = vi.step(state)
    >>> round(state.t, 9)
    1.0
    """

    method = "midpoint"
    _code = 0

    def __init__(
        self,
        model: Model,
        dt: float,
        alpha: float = 0.5,
        *,
        tolerance: float | None = None,
        constraint_tolerance: float | None = None,
        max_iterations: int | None = None,
        max_halvings: int = 6,
        order: int = 2,
        locate: bool = True,
    ) -> None:
        super().__init__(
            model,
            dt,
            alpha,
            tolerance=tolerance,
            constraint_tolerance=constraint_tolerance,
            max_iterations=max_iterations,
            max_halvings=max_halvings,
            order=order,
            locate=locate,
        )


class TrapezoidalVI(VariationalIntegrator):
    """The variational integrator of the trapezoidal rule, of order 2; 4, 6, 8 by compositions of 5, 9, 17 steps.

    Parameters as of `MidpointVI`.

    Examples
    --------
    >>> import bough
    >>> vi = bough.TrapezoidalVI(bough.gallery.pendulum(2).build(), dt=0.01)
    >>> vi.step(vi.start([0.3, 0.1])).t
    0.01
    """

    method = "trapezoidal"
    _code = 1

    def __init__(
        self,
        model: Model,
        dt: float,
        *,
        tolerance: float | None = None,
        constraint_tolerance: float = 2e-14,
        max_iterations: int = 20,
        max_halvings: int = 6,
        order: int = 2,
        locate: bool = True,
    ) -> None:
        super().__init__(
            model,
            dt,
            0.5,
            tolerance=tolerance,
            constraint_tolerance=constraint_tolerance,
            max_iterations=max_iterations,
            max_halvings=max_halvings,
            order=order,
            locate=locate,
        )


VARIATIONAL: dict[str, type[MidpointVI] | type[TrapezoidalVI]] = {
    kind.method: kind for kind in (MidpointVI, TrapezoidalVI)
}


def from_settings(model: Model, settings: Mapping[str, Any]) -> VariationalIntegrator:
    """The integrator with these settings."""
    chosen = {name: settings[name] for name in ("dt", "alpha", *LIMITS, "locate") if name in settings}
    return VARIATIONAL[settings["integrator"]](model, **chosen)


def new_stepper(model: Model, settings: Mapping[str, Any]) -> Any:
    """A stepper of the core for one run with these settings."""
    if settings["order"] > 2 and of_stages(settings):
        return _gauss.new_stepper(model, settings)
    code, alpha = VARIATIONAL[settings["integrator"]]._code, settings.get("alpha", 0.5)
    stepper = core.Stepper(model._core, code, alpha, *(settings[name] for name in LIMITS))
    if not settings.get("locate", True):
        stepper.locate = False
    return stepper
