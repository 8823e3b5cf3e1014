"""`bough.control.Step`: one variational step as a function of state and control, with exact derivatives."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array, Vector, batch, vector
from bough.errors import ConvergenceError, ModelError, quoted
from bough.integrators.linearization import check_differentiable, new_kernel, smoothed_kernel, step_failure
from bough.integrators.variational import VARIATIONAL, VariationalIntegrator
from bough.model.evaluation import times_of
from bough.model.model import Model
from bough.model.variation import variation

NONE = np.zeros((0, 0))


class Step:
    """One step of a variational integrator as a pure function x1 = step(x, c), with its exact derivatives.

    The state x = (q, p) has all variables and the momenta of the dynamic ones, the control c = (u, k) the
    inputs during the step and the kinematic variables at its end. All methods take batches (..., n) and run
    without Python's lock; a `Step` may be shared by threads.

    Derivatives are by moves dx (nx,) of a state, x + dx. If there are balls, q has their quaternions and dx their
    turns in their own axes, `step.integrate(x, dx)`.

    Parameters
    ----------
    model : Model
    dt : float
    integrator : "midpoint", "trapezoidal" or "reduced"
        Of "reduced", whose states hold the pose of a free base, see `ReducedStep`, which is made then.
    order : 2, 4, 6 or 8
        Of the trapezoidal rule, composed of several steps; of the midpoint rule, the rule with stages, whose
        derivatives are exact too but take milliseconds. Its constraint forces are those at the end of a step.
    alpha : of the midpoint rule
    max_halvings : how often a step that does not converge may be halved, by default never
        In halves the step is another function, so that an optimisation sees a jump; a failure is an error
        that it can answer with a shorter move.
    tolerance, constraint_tolerance, max_iterations : as of `bough.MidpointVI`

    Attributes
    ----------
    states, controls : tuple of str
        The names of the entries of x, such as "q.angle" and "p.angle", and of c.
    moves : tuple of str
        The names of the entries of dx: `states` without balls; of a ball "q.hip_wx", "q.hip_wy", "q.hip_wz".

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum", gravity=(0, 0, -9.81))
    >>> bob = system.world.ry("angle").tz(-1.0, name="bob", mass=1.0)
    >>> motor = system.add(bough.ConfigurationForce("angle", "torque"))
    >>> step = bough.control.Step(system.build(), dt=0.01)
    >>> step.states, step.controls
    (('q.angle', 'p.angle'), ('torque',))
    >>> x = step.state(q={"angle": 0.5})
    >>> A, B = step.jacobians(x, [0.2])
    >>> bool(abs(A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0] - 1.0) < 1e-12)  # volume is kept
    True
    """

    integrator: VariationalIntegrator

    def __new__(cls, model: Model, dt: float, integrator: str = "midpoint", **options: Any) -> Step:
        """A `ReducedStep` for the reduced integrator."""
        if integrator == "reduced" and cls is Step:
            from bough.control._reduced_step import ReducedStep

            return super().__new__(ReducedStep)
        return super().__new__(cls)

    def __init__(
        self,
        model: Model,
        dt: float,
        integrator: str = "midpoint",
        *,
        order: int = 2,
        alpha: float | None = None,
        max_halvings: int = 0,
        **limits: Any,
    ) -> None:
        if integrator not in VARIATIONAL:
            raise ModelError(
                asked=f"Step with integrator={integrator!r}",
                found="only steps of variational integrators have derivatives",
                do=f"use one of {quoted((*VARIATIONAL, 'reduced'))}",
            )
        options = {**limits, "order": order, "max_halvings": max_halvings}
        if alpha is not None:
            options["alpha"] = alpha
        self.integrator = VARIATIONAL[integrator](model, dt, **options)
        self._where = f"Step of model {model.name!r}"
        check_differentiable(self.integrator, self._where)
        self.model, self.dt = model, self.integrator.dt
        momenta = tuple(f"p.{name}" for name in model.dynamic)
        self.states = (*(f"q.{name}" for name in model.coordinates), *momenta)
        self.moves = (*(f"q.{name}" for name in model.variables), *momenta) if model.balls else self.states
        self.controls = (*model.inputs, *model.kinematic)
        self._local = threading.local()

    def state(self, q: Vector | None = None, v: Vector | None = None, *, t: float = 0.0) -> Array:
        """The state x (nq + nd,) at q with velocities v, as `MidpointVI.start` makes it consistent."""
        begin = self.integrator.start(q=q, v=v, t=t)
        return np.concatenate([begin.q, np.asarray(begin.p)])

    def velocity(self, x: npt.ArrayLike, vk: Vector | None = None, t: npt.ArrayLike = 0.0) -> Array:
        """The velocities (..., nv) of a state; vk are those of the kinematic variables, by default zero."""
        rows = self._vector(x, self.states, "x")
        return self.model.velocity(rows[..., : self.model.nq], rows[..., self.model.nq :], vk, t=t)

    def integrate(self, x: npt.ArrayLike, dx: npt.ArrayLike) -> Array:
        """The state (..., nq + nd) after a move dx (..., nx): x + dx, of balls turned in their own axes."""
        rows, moves, nq = self._vector(x, self.states, "x"), self._vector(dx, self.moves, "dx"), self.model.nq
        momenta = rows[..., nq:] + moves[..., self.model.nv :]
        q = self.model.integrate(rows[..., :nq], moves[..., : self.model.nv])
        return np.concatenate([q, momenta], axis=-1)

    def difference(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """The move (..., nx) that leads from a state to another."""
        a, b, nq = self._vector(x0, self.states, "x0"), self._vector(x1, self.states, "x1"), self.model.nq
        dq = self.model.difference(a[..., :nq], b[..., :nq])
        return np.concatenate([dq, b[..., nq:] - a[..., nq:]], axis=-1)

    def __call__(self, x: npt.ArrayLike, c: Vector | None = None, t: npt.ArrayLike = 0.0) -> Array:
        """The state (..., nq + nd) after the step."""
        return self._end(x, c, t)[0]

    def multipliers(self, x: npt.ArrayLike, c: Vector | None = None, t: npt.ArrayLike = 0.0) -> Array:
        """The constraint forces (..., nc) of a step from rest at x, over half of its length.

        Of the midpoint rule of order 4, 6 or 8 they are those at the end of the step, as its states have them.
        """
        self._check_forces()
        return self._end(x, c, t)[1]

    def jacobians(
        self,
        x: npt.ArrayLike,
        c: Vector | None = None,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
        smoothing: float | None = None,
    ) -> tuple[Array, Array]:
        """A = dx1/dx (..., nx, nx) and B = dx1/dc (..., nx, nc).

        Parameters
        ----------
        x1 : the end of the step, if it is known: the step is then not solved again
        smoothing : of contacts, κ of r_n φ = κ, impulses times gaps in N s m
            By default contacts stay as they are in the step, closed or open, at rest or sliding. With κ > 0 the
            derivatives are those of a step with contacts on the central path: they also know contacts that are near.
        """
        return self._jacobians(x, c, t, x1, forces=False, smoothing=smoothing)[:2]

    def multiplier_jacobians(
        self, x: npt.ArrayLike, c: Vector | None = None, t: npt.ArrayLike = 0.0
    ) -> tuple[Array, Array]:
        """The derivatives of `multipliers` by x and by c.

        If constraints depend on each other, they hold for moves along the constraints.
        """
        self._check_forces()
        J = self._jacobians(x, c, t, None, forces=True)[2]
        nx = len(self.moves)
        return J[..., :nx], J[..., nx:]

    def jvp(
        self,
        x: npt.ArrayLike,
        c: Vector | None,
        dx: npt.ArrayLike,
        dc: npt.ArrayLike | None = None,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
        smoothing: float | None = None,
    ) -> Array:
        """A dx + B dc, (..., nx), without A and B; smoothing as of `jacobians`."""
        dcs = np.zeros(len(self.controls)) if dc is None else self._vector(dc, self.controls, "dc")
        shape, rows, times, end = self._rows(x, c, t, x1, self._vector(dx, self.moves, "dx"), dcs)
        nx = len(self.moves)
        out = np.empty((len(rows[0]), nx + self.model.nc))
        ds = np.concatenate(rows[2:], axis=1)
        self._run("forward", times, rows[:2], end, ds, out, smoothing=smoothing)
        return np.ascontiguousarray(out[:, :nx]).reshape(*shape, nx)

    def vjp(
        self,
        x: npt.ArrayLike,
        c: Vector | None,
        w: npt.ArrayLike,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
        smoothing: float | None = None,
    ) -> tuple[Array, Array]:
        """Aᵀw (..., nx) and Bᵀw (..., nc), the gradients of w·x1, without A and B; smoothing as of `jacobians`."""
        shape, rows, times, end = self._rows(x, c, t, x1, self._vector(w, self.moves, "w"))
        nx, nc = len(self.moves), len(self.controls)
        weights = np.zeros((len(rows[0]), nx + self.model.nc))
        weights[:, :nx] = rows[2]
        out = np.empty((len(rows[0]), nx + nc))
        self._run("backward", times, rows[:2], end, weights, out, smoothing=smoothing)
        return out[:, :nx].reshape(*shape, nx), out[:, nx:].reshape(*shape, nc)

    def parameter_jacobian(
        self,
        x: npt.ArrayLike,
        c: Vector | None = None,
        names: Iterable[str] | None = None,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
    ) -> Array:
        """The derivatives of x1 by parameters of the model, (..., nx, parameters), at fixed x and c.

        names : by default all, in the order of `model.parameters`
        """
        return self._by_parameters(x, c, names, t, x1)[..., : len(self.moves), :]

    def multiplier_parameter_jacobian(
        self,
        x: npt.ArrayLike,
        c: Vector | None = None,
        names: Iterable[str] | None = None,
        t: npt.ArrayLike = 0.0,
    ) -> Array:
        """The derivatives of `multipliers` by parameters, (..., nc, parameters), at fixed x and c."""
        return self._by_parameters(x, c, names, t, None)[..., len(self.moves) :, :]

    def parameter_vjp(
        self,
        x: npt.ArrayLike,
        c: Vector | None,
        w: npt.ArrayLike,
        names: Iterable[str] | None = None,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
    ) -> Array:
        """The gradient of w·x1 by parameters, (..., parameters), at the price of one for any number of them."""
        count, by = self._variation(names)
        shape, rows, times, end = self._rows(x, c, t, x1, self._vector(w, self.moves, "w"))
        weights = np.zeros((len(rows[0]), len(self.moves) + self.model.nc))
        weights[:, : len(self.moves)] = rows[2]
        out = np.empty((len(rows[0]), count))
        self._run("parameter_gradient", times, rows[:2], end, weights, by, out)
        return out.reshape(*shape, count)

    def hessian(
        self,
        x: npt.ArrayLike,
        c: Vector | None,
        w: npt.ArrayLike,
        t: npt.ArrayLike = 0.0,
        *,
        x1: npt.ArrayLike | None = None,
    ) -> Array:
        """The second derivatives of w·x1 by (x, c), (..., nx + nc, nx + nc), symmetric.

        Without a tensor: all curvature of a step along w is that of its Lagrangian along one direction. If
        constraints depend on each other, they hold for moves along the constraints.

        With balls they are those of w·difference(x1, step(integrate(x, dx), c + dc)) at dx = 0, dc = 0: by turns
        of both ends in their own axes. Changes of `vjp` along such turns have a part that is not symmetric
        beside them, because turns do not commute: half of g·(nᵢ × nⱼ) at the start, with g what vjp gives for
        the turns of a ball, and of −w·(nᵢ × nⱼ) at the end, each n a turn of that end.
        """
        if self.model.gaps:
            check_differentiable(self.integrator, self._where, "second derivatives")
        shape, rows, times, end = self._rows(x, c, t, x1, self._vector(w, self.moves, "w"))
        size = len(self.moves) + len(self.controls)
        out = np.empty((len(rows[0]), size, size))
        self._run("hessian", times, rows[:2], end, rows[2], out)
        return out.reshape(*shape, size, size)

    def hvp(
        self,
        x: npt.ArrayLike,
        c: Vector | None,
        w: npt.ArrayLike,
        dx: npt.ArrayLike,
        dc: npt.ArrayLike | None = None,
        t: npt.ArrayLike = 0.0,
    ) -> tuple[Array, Array]:
        """The products of `hessian` with (dx, dc): without balls the changes of both results of `vjp`."""
        dcs = np.zeros(len(self.controls)) if dc is None else self._vector(dc, self.controls, "dc")
        dxs = self._vector(dx, self.moves, "dx")
        axes = np.broadcast_shapes(dxs.shape[:-1], dcs.shape[:-1])
        parts = [np.broadcast_to(part, (*axes, part.shape[-1])) for part in (dxs, dcs)]
        ds = np.concatenate(parts, axis=-1)
        out = np.einsum("...ij,...j->...i", self.hessian(x, c, w, t), ds)
        nx = len(self.moves)
        return out[..., :nx], out[..., nx:]

    # --- arguments and calls of the core ---

    def _check_forces(self) -> None:
        if self.model.nc and self.model.gaps:
            check_differentiable(self.integrator, self._where, "constraint forces of single steps")

    def _vector(self, value: Any, names: tuple[str, ...], what: str) -> Array:
        plural = "controls" if names is self.controls else "states"
        return vector(value, names, what, self._where, plural)

    def _rows(self, x: Any, c: Any, t: Any, x1: Any, *more: Array) -> tuple[Any, list[Array], Array, Array]:
        control = np.zeros(len(self.controls)) if c is None else self._vector(c, self.controls, "c")
        if c is None and self.model.nk:
            q = self._vector(x, self.states, "x")
            held = self._held(q)
            control = np.concatenate([np.zeros((*held.shape[:-1], self.model.nu)), held], axis=-1)
        known = () if x1 is None else (self._vector(x1, self.states, "x1"),)
        shape, rows = batch(self._vector(x, self.states, "x"), control, *more, *known)
        times = times_of(t, shape, self._where)
        return shape, rows[: 2 + len(more)], times, rows[-1] if known else NONE

    def _held(self, x: Array) -> Array:
        """The kinematic variables of states."""
        return x[..., self.model.nq - self.model.nk : self.model.nq]

    def _end(self, x: Any, c: Any, t: Any) -> tuple[Array, Array]:
        shape, (xs, cs), times, _ = self._rows(x, c, t, None)
        x1, lam = np.empty_like(xs), np.empty((len(xs), self.model.nc))
        self._raise(self._kernel().steps(self.dt, times, xs, cs, x1, lam), times)
        return x1.reshape(*shape, -1), lam.reshape(*shape, self.model.nc)

    def _jacobians(
        self, x: Any, c: Any, t: Any, x1: Any, *, forces: bool, smoothing: float | None = None
    ) -> tuple[Array, Array, Array]:
        shape, rows, times, end = self._rows(x, c, t, x1)
        count, nx, nc = len(rows[0]), len(self.moves), len(self.controls)
        A, B = np.empty((count, nx, nx)), np.empty((count, nx, nc))
        lam = np.empty((count if forces else 0, self.model.nc, nx + nc))
        self._run("jacobians", times, rows, end, A, B, lam, smoothing=smoothing)
        return (
            A.reshape(*shape, nx, nx),
            B.reshape(*shape, nx, nc),
            lam.reshape(*shape, *lam.shape[1:]) if forces else lam,
        )

    def _variation(self, names: Iterable[str] | None) -> tuple[int, Any]:
        """The number of parameters, and their variations as the kernel takes them."""
        by = variation(self.model, names, self._where)
        return len(by.names), by if self.model.gaps or self.integrator._staged else by.core

    def _by_parameters(self, x: Any, c: Any, names: Iterable[str] | None, t: Any, x1: Any) -> Array:
        count, by = self._variation(names)
        shape, rows, times, end = self._rows(x, c, t, x1)
        out = np.empty((len(rows[0]), len(self.moves) + self.model.nc, count))
        self._run("parameter_jacobian", times, rows, end, by, out)
        return out.reshape(*shape, *out.shape[1:])

    def _run(
        self,
        method: str,
        times: Array,
        rows: list[Array],
        end: Array,
        *arrays: Any,
        smoothing: float | None = None,
    ) -> None:
        kernel = (
            self._kernel() if smoothing is None else smoothed_kernel(self.integrator, smoothing, self._where)
        )
        self._raise(getattr(kernel, method)(self.dt, times, *rows, end, *arrays), times)

    def _kernel(self) -> Any:
        """The kernel of this thread."""
        try:
            return self._local.kernel
        except AttributeError:
            self._local.kernel = self._new_kernel()
            return self._local.kernel

    def _new_kernel(self) -> Any:
        return new_kernel(self.integrator)

    def _raise(self, ended: tuple[int, int], times: Array) -> None:
        status, row = ended
        if status == core.StepStatus.fine:
            return
        at = f" in row {row} of the batch" if len(times) > 1 else ""
        error = step_failure(self.integrator, self._kernel(), status, self._where + at, float(times[row]))
        assert isinstance(error, ModelError | ConvergenceError)
        raise error

    def __repr__(self) -> str:
        return f"Step({self.model.name!r}, dt={self.dt:g}, integrator={self.integrator.method!r})"
