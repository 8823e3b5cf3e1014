"""`vi.linearize(state, u, k)`: the exact first derivatives of one variational step, by name."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array, Vector
from bough.errors import ConvergenceError, ModelError
from bough.integrators.end_derivatives import End, momenta_by_parameters, velocity_rows
from bough.model.holonomic import need_holonomic
from bough.model.variation import Variation, variation
from bough.motion.grid import step_size

if TYPE_CHECKING:
    from bough.integrators.contact_smoothing import SmoothedContacts
    from bough.integrators.variational import VariationalIntegrator
    from bough.model.model import Model
    from bough.motion.state import State

ROWS = ("q", "p", "v", "lam")
COLUMNS = ("q", "p", "v", "u", "k", "dt", "theta")
NAME = re.compile(r"(q|p|v|lam)_d(q|p|v|u|k|dt|theta)")


class Linearization:
    """The derivatives of one step, as blocks `q_dq`, `p_du`, `lam_dk`, `v_ddt` and so on.

    A name has what changes, q, p, v or lam at the end of the step, and what it changes by: q, p or v at its
    start, the inputs u, the ends k of the kinematic variables, its length dt, or theta, the parameters of the
    model in their order. The start is (q, p): `_dq` and `_dtheta` hold p, and `_dv` holds q. In `by_velocity`
    the start is (q, v), and `_dq` and `_dtheta` hold v. Moves of q are those of `model.integrate`, (nv,): those
    of a ball are turns in its own axes, which its momenta are along too.

    Attributes
    ----------
    q, p, lam : the end of the step, converged to round-off; lam are the constraint forces of the step
    A, B : the derivatives of (q, p) by (q, p), and by (u, k)

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum", gravity=(0, 0, -9.81))
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> motor = system.add(bough.ConfigurationForce("angle", "torque"))
    >>> vi = bough.MidpointVI(system.build(), dt=0.01)
    >>> step = vi.linearize(vi.start(q={"angle": 0.5}))
    >>> step.A.shape, step.B.shape
    ((2, 2), (2, 1))
    >>> round(float(step.q_dp[0, 0]), 6), round(float(step.p_du[0, 0]), 6)
    (0.009998, 0.009998)
    """

    def __init__(
        self,
        model: Model,
        J: tuple[Array, Array],
        start: tuple[Array, Array],
        end: End,
        lam: Array,
        by: Variation,
    ) -> None:
        self._model, self._start, self._end, self._by = model, start, end, by
        self._J, self._J_theta = J
        self.q, self.p, self.lam = end.q, end.p, lam

    @property
    def A(self) -> Array:
        """The derivative of (q, p) by (q, p), (nv + nd, nv + nd)."""
        size = self._model.nv + self._model.nd
        return self._J[:size, :size]

    @property
    def B(self) -> Array:
        """The derivative of (q, p) by (u, k), (nv + nd, nu + nk)."""
        size = self._model.nv + self._model.nd
        return self._J[:size, size : size + self._model.nu + self._model.nk]

    @property
    def by_velocity(self) -> Linearization:
        """The same with (q, v) in place of (q, p) as the start: `_dq` and `_dtheta` hold v."""
        other = Linearization.__new__(Linearization)
        other.__dict__.update(self.__dict__)
        L_vq, p = self._momentum_by_start[0], self._columns["p"]
        by_q = {name: J + p[name] @ L_vq for name, J in self._columns["q"].items()}
        p_theta = momenta_by_parameters(self._model, self._by, *self._start)
        by_theta = {name: J + p[name] @ p_theta for name, J in self._columns["theta"].items()}
        other.__dict__["_columns"] = {**self._columns, "q": by_q, "theta": by_theta}
        return other

    def __getattr__(self, name: str) -> Array:
        found = None if name.startswith("__") else NAME.fullmatch(name)
        if found is None:
            raise AttributeError(
                f"a linearization has no {name!r}: blocks are named (q|p|v|lam)_d(q|p|v|u|k|dt|theta), such as q_dp"
            )
        block: Array = self._columns[found[2]][found[1]]
        return block[:, 0] if found[2] == "dt" else block

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(f"{a}_d{b}" for a in ROWS for b in COLUMNS)]

    @cached_property
    def _momentum_by_start(self) -> tuple[Array, Array]:
        """The derivatives of p at the start by q and by v there."""
        q, v = self._start
        nd = self._model.nd
        return self._model.L_dqdv(q, v).T[:nd], self._model.mass_matrix(q)[:nd]

    @cached_property
    def _columns(self) -> dict[str, dict[str, Array]]:
        """Blocks by what they are derivatives by, and of."""
        model = self._model
        nq, nd, nu, nk = model.nv, model.nd, model.nu, model.nk
        J = np.concatenate([self._J, self._J_theta], axis=1)
        v = velocity_rows(model, self._end, J, self._by)
        rows = {"q": J[:nq], "p": J[nq : nq + nd], "lam": J[nq + nd :], "v": v}
        ends = np.cumsum([nq, nd, nu, nk, 1, 1, len(self._by.names)])
        split = np.split(np.arange(ends[-1]), ends[:-1])
        places = dict(zip(("q", "p", "u", "k", "dt", "t", "theta"), split, strict=True))
        blocks = {by: {of: x[:, at] for of, x in rows.items()} for by, at in places.items()}
        blocks["v"] = {of: x @ self._momentum_by_start[1] for of, x in blocks["p"].items()}
        return blocks


class Differentiable:
    """The part of a variational integrator that differentiates its steps."""

    def linearize(
        self: Any,
        state: State,
        u: Vector | None = None,
        k: Vector | None = None,
        dt: float | None = None,
    ) -> Linearization:
        """The exact first derivatives of the step from a state, with the arguments of `step`.

        They are those of the step as it is made, in halves or composed of parts, at its end converged to
        round-off. docs/derivatives.md explains which of them mean something if constraints depend on each
        other.

        Returns
        -------
        Linearization
            With `A`, `B` and blocks by name, such as `q_dp`, `lam_dk` or `v_ddt`.
        """
        vi: VariationalIntegrator = self
        model, where = vi.model, f"linearize of {vi._where}"
        check_differentiable(vi, where)
        size = vi.dt if dt is None else step_size(dt, vi._where)
        stepper = vi._stepper()
        vi._restore(stepper, state)
        before = np.asarray(state.q)
        held = before[model.nq - model.nk :]
        end = held if k is None else vi._kinematic(k, held)
        inputs = vi._inputs(u)
        from_state = stepper.save(np.ascontiguousarray(state.v[model.nd :]), inputs)
        shape = (model.nv + model.nd + model.nc, model.nv + model.nd + model.nu + model.nk + 2)
        J, x1, lam = np.empty(shape), np.empty(model.nq + model.nd), np.empty(model.nc)
        kernel = new_kernel(vi)
        by = variation(model, None, where)
        J_theta = np.empty((len(J), len(by.names)))
        control = np.concatenate([inputs, end])
        if vi._staged:
            status = kernel.linearize(state, size, control, J, x1, lam, by, J_theta)
        elif model.gaps:
            from bough.integrators.contact_derivatives import ContactLinearization

            kernel = ContactLinearization(vi, by)
            kernel.linearize(state, size, control, J, x1, lam, J_theta)
            status = core.StepStatus.fine
        else:
            status = kernel.linearize(from_state, size, control, J, x1, lam, by.core, J_theta)
        if status:
            # The derivatives of stages are those of one whole step.
            raise step_failure(vi, kernel, status, where, state.t, made=vi._staged)
        last = End(x1[: model.nq], x1[model.nq :], (end - held) / size, inputs, state.t + size, size)
        return Linearization(model, (J, J_theta), (before, np.asarray(state.v)), last, lam, by)


def check_differentiable(vi: VariationalIntegrator, where: str, whole: str = "") -> None:
    """Raise for steps whose derivatives are not known.

    whole : what is asked for, if steps of stages do not have it at all
    """
    if vi._staged and whole:
        raise ModelError(
            asked=where,
            found=f"order {vi.order} of the midpoint rule, whose steps have no {whole} yet",
            do=f"use order=2, or integrator 'trapezoidal' with order={vi.order}",
        )
    need_holonomic(vi.model, where, "whose steps have no derivatives yet")
    if vi.model.gaps and (whole or vi._code != 0 or vi.order != 2 or vi.model.balls):
        what = whole or ("balls" if vi.model.balls else "another rule than the midpoint rule of order 2")
        raise ModelError(
            asked=where,
            found=f"contacts, such as {vi.model.gaps[0]!r}, beside {what}: steps with contacts have first derivatives"
            " by states, controls and parameters, of the midpoint rule of order 2 without balls",
            do="take differences of runs, or build the system without contacts",
        )


def new_kernel(vi: VariationalIntegrator) -> Any:
    """The derivatives of the core for steps of this integrator; those of stages are made in Python."""
    if vi.model.gaps:
        from bough.integrators.contact_derivatives import ContactLinearization

        return ContactLinearization(vi)
    if vi._staged:
        from bough.integrators.gauss_derivatives import GaussLinearization

        return GaussLinearization(vi)
    names = ("tolerance", "constraint_tolerance", "max_iterations", "max_halvings", "order")
    return core.StepLinearization(vi.model._core, vi._code, vi.alpha, *(getattr(vi, name) for name in names))


def no_contacts(where: str) -> ModelError:
    """The error of smoothing without contacts."""
    return ModelError(
        asked=f"smoothing of {where}",
        found="a model without contacts, whose steps are smooth",
        do="leave smoothing out",
    )


def smoothed_kernel(vi: Any, smoothing: Any, where: str) -> SmoothedContacts:
    """The derivatives of steps whose contacts are smoothed."""
    if not vi.model.gaps:
        raise no_contacts(where)
    from bough.integrators.contact_smoothing import SmoothedContacts

    return SmoothedContacts(vi, validate.positive(smoothing, "smoothing", where))


def step_failure(
    vi: VariationalIntegrator, kernel: Any, status: int, where: str, t: float, *, made: bool = False
) -> ModelError | ConvergenceError:
    """Why a step could not be differentiated; `made`: although a motion has it."""
    if made and status == core.StepStatus.no_convergence:
        return ConvergenceError(
            asked=where,
            found="a step that ends elsewhere if it is made alone: the motion before it decided in which halves"
            " it is made, or to which root",
            do="take a smaller dt, so that no step is halved",
            time=t,
        )
    if status == core.StepStatus.fed_back and vi.order == 2:
        return ModelError(
            asked=where,
            found="a servo so stiff for this dt that the step moves its impulse, which has no derivative yet",
            do="take a smaller dt, lower gains, or the trapezoidal rule",
        )
    residual, worst, iterations = kernel.failure()
    residual *= vi.unit(worst)
    if status == core.StepStatus.singular:
        found = "the matrix of the step is singular: the motion is not determined there"
    else:
        found = vi.failure_text(status, residual, worst)
    return ConvergenceError(
        asked=where,
        found=found,
        do="take a smaller dt; if that fails too, the motion may run into a singular configuration",
        time=t,
        iterations=iterations,
        residual=residual,
    )
