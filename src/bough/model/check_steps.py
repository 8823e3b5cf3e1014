"""What `bough.check` compares of a whole model: the derivatives of its steps and of its accelerations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import ConvergenceError, ModelError
from bough.model.model import Model

DT = 1e-3  # of the step that is checked, in s
PROJECTIONS = 4  # corrections that bring a configuration back to the constraints
DEPENDENT = 1e-10  # the least singular value of independent rows, relative to the largest

# The steps that are compared: how a table names them, and the arguments of `bough.control.Step`.
STEPS: dict[str, dict[str, Any]] = {
    "step": {},
    "trapezoidal step": {"integrator": "trapezoidal"},
    "step of order 4": {"order": 4},
    "trapezoidal step of order 4": {"integrator": "trapezoidal", "order": 4},
    "reduced step": {"integrator": "reduced"},
}


class Pair(NamedTuple):
    """A quantity and its derivative by x, both as functions of x; the derivative has x on its last axis."""

    what: str
    value: Callable[[Array], Any]
    derivative: Callable[[Array], Any]
    x: Array


def whole_pairs(model: Model, q: Array, v: Array, u: Array, t: float) -> dict[tuple[str, str], Pair]:
    """The derivatives of steps and accelerations near a state, by the names of what moves and of the derivative.

    With constraints the state is brought on them first, and what cannot be is left out.
    """
    try:
        begin = model.assemble(q, v, t=t) if model.nc else None
    except (ModelError, ConvergenceError):
        return {}
    if begin is not None:
        q, v = np.asarray(begin.q), np.asarray(begin.v)
    found = {("model", pair.what): pair for pair in _motion_pairs(model, q, v, u, t)}
    for label, options in STEPS.items():
        try:
            moved = _Moves(model, options, q, v, u, t)
        except (ModelError, ConvergenceError):
            continue
        found |= {(label, pair.what): pair for pair in moved.pairs()}
    return found


def _motion_pairs(model: Model, q: Array, v: Array, u: Array, t: float) -> Iterator[Pair]:
    """Accelerations and the forces of constraints, by moves from q, which are turns of balls."""
    try:
        derivatives = model.acceleration_derivatives(q, v, u, t=t)
    except (ModelError, ConvergenceError):
        return
    for of, place in (("a", 0), ("lam", 1)):
        if of == "lam" and not (model.nc and _independent(model, q, t)):
            continue  # there are none, or they are not unique
        by_q, by_v, by_u = derivatives[3 * place : 3 * place + 3]

        def value(q: Array, v: Array, u: Array, place: int = place) -> Array:
            return model.acceleration_and_multipliers(q, v, u, t=t)[place]

        yield Pair(f"{of}_dq", _by_move(model, q, v, u, value), _held(by_q), np.zeros(model.nv))
        yield Pair(f"{of}_dv", _by_velocity(q, u, value), _held(by_v), v)
        if model.nu:
            yield Pair(f"{of}_du", _by_input(q, v, value), _held(by_u), u)


class _Moves:
    """A step near a state, as a function of moves s along the constraints, of momenta and of controls."""

    def __init__(self, model: Model, options: dict[str, Any], q: Array, v: Array, u: Array, t: float) -> None:
        from bough.control._step import Step

        self._options = options
        self.model, self.step, self.t = model, Step(model, DT, **options), t
        self.reduced = options.get("integrator") == "reduced"
        self.x0 = self.step.state(q, v) if self.reduced else self.step.state(q, v, t=t)
        self.c0 = np.concatenate([u, q[model.nq - model.nk :]])
        self.x1 = self.step(self.x0, self.c0, t)
        self.step.jacobians(self.x0, self.c0, t)
        self.nx = len(self.step.moves)
        self.along = np.eye(self.nx)  # its columns are the moves
        self.independent = not model.nc or _independent(model, q, t)
        if model.nc and not self.reduced:
            _, sizes, V = np.linalg.svd(model.constraint_dq(q, t))
            tangent = V[_rank(sizes) :].T
            self.along = np.zeros((self.nx, tangent.shape[1] + self.nx - model.nv))
            self.along[: model.nv, : tangent.shape[1]] = tangent
            self.along[model.nv :, tangent.shape[1] :] = np.eye(self.nx - model.nv)
        self.w = np.cos(np.arange(self.nx))

    def pairs(self) -> Iterator[Pair]:
        s0 = np.zeros(self.along.shape[1] + len(self.c0))
        size = self.nx
        yield Pair("jacobians", self._or_nothing(self._end, size), lambda _: self._jacobian(), s0)
        if self.model.nc and self.independent and self._can(self._multiplier_jacobian):
            forces = self._or_nothing(lambda s: self.step.multipliers(*self._parts(s), self.t), self.model.nc)
            yield Pair("multipliers", forces, lambda _: self._multiplier_jacobian(), s0)
        # Second derivatives of reduced steps are differences of their gradients, so that comparing them shows nothing.
        if self.independent and not self.reduced and self._can(self._hessian):
            gradient = self._or_nothing(self._gradient, len(s0))
            yield Pair("hessian", gradient, lambda _: self._hessian(), s0)
        if self.model.parameters and self.independent and self._can(self._parameter_jacobian):
            theta = np.array(list(self.model.parameters.values()))
            moved = self._or_nothing(self._with_parameters, size)
            yield Pair("parameters", moved, lambda _: self._parameter_jacobian(), theta)

    def _can(self, derivative: Callable[[], Array]) -> bool:
        """Whether steps of this kind have the derivative."""
        try:
            derivative()
        except (ModelError, ConvergenceError):
            return False
        return True

    def _or_nothing(self, value: Callable[[Array], Array], size: int) -> Callable[[Array], Array]:
        """Not a number where there is no step or no model: nothing is compared there."""

        def guarded(s: Array) -> Array:
            try:
                return value(s)
            except (ModelError, ConvergenceError):
                return np.full(size, np.nan)

        return guarded

    def _parts(self, s: Array) -> tuple[Array, Array]:
        """The state, back on the constraints, and the controls."""
        model, moves = self.model, self.along.shape[1]
        x = self.step.integrate(self.x0, self.along @ s[:moves])
        if model.nc and moves < self.nx:
            q = x[: model.nq]
            for _ in range(PROJECTIONS):
                h, Dh = model.constraint(q, self.t), model.constraint_dq(q, self.t)
                q = model.integrate(q, -np.linalg.lstsq(Dh, h, rcond=DEPENDENT)[0])
            x = np.concatenate([q, x[model.nq :]])
        return x, self.c0 + s[moves:]

    def _end(self, s: Array) -> Array:
        return self.step.difference(self.x1, self.step(*self._parts(s), self.t))

    def _jacobian(self) -> Array:
        A, B = self.step.jacobians(self.x0, self.c0, self.t)
        return np.concatenate([A @ self.along, B], axis=1)

    def _multiplier_jacobian(self) -> Array:
        A, B = self.step.multiplier_jacobians(self.x0, self.c0, self.t)
        return np.concatenate([A @ self.along, B], axis=1)

    def _gradient(self, s: Array) -> Array:
        by_x, by_c = self.step.vjp(*self._parts(s), self.w, self.t)
        return np.concatenate([self.along.T @ by_x, by_c])

    def _hessian(self) -> Array:
        x, c, step = self.x0, self.c0, self.step
        out = step.hessian(x, c, self.w, self.t)
        for i, _ in self.model._balls.values():  # of changes of vjp, what is not symmetric (BD4)
            of_start = np.zeros((3, len(out)))
            of_start[:, i : i + 3] = np.eye(3)
            of_end = np.concatenate(step.jacobians(x, c, self.t), axis=1)[i : i + 3]
            at_start = step.vjp(x, c, self.w, self.t)[0][i : i + 3]
            for turns, covector in ((of_start, at_start), (of_end, -self.w[i : i + 3])):
                out = out + 0.5 * np.cross(turns.T[None], turns.T[:, None]) @ covector
        E = np.zeros((len(out), self.along.shape[1] + len(c)))
        E[: self.nx, : self.along.shape[1]] = self.along
        E[self.nx :, self.along.shape[1] :] = np.eye(len(c))
        return np.asarray(E.T @ out @ E)

    def _parameter_jacobian(self) -> Array:
        return self.step.parameter_jacobian(self.x0, self.c0, None, self.t)

    def _with_parameters(self, theta: Array) -> Array:
        named = dict(zip(self.model.parameters, theta.tolist(), strict=True))
        other = type(self.step)(self.model.with_parameters(**named), DT, **self._options)
        return self.step.difference(self.x1, other(self.x0, self.c0, self.t))


def _held(value: Array) -> Callable[[Array], Array]:
    return lambda _: value


Value = Callable[[Array, Array, Array], Array]


def _by_move(model: Model, q: Array, v: Array, u: Array, value: Value) -> Callable[[Array], Array]:
    return lambda x: value(model.integrate(q, x), v, u)


def _by_velocity(q: Array, u: Array, value: Value) -> Callable[[Array], Array]:
    return lambda x: value(q, x, u)


def _by_input(q: Array, v: Array, value: Value) -> Callable[[Array], Array]:
    return lambda x: value(q, v, x)


def _independent(model: Model, q: Array, t: float) -> bool:
    Dh = model.constraint_dq(q, t)[:, : model.nd]
    return _rank(np.linalg.svd(Dh, compute_uv=False)) == model.nc


def _rank(sizes: Any) -> int:
    return int(np.sum(sizes > DEPENDENT * max(float(sizes.max(initial=0.0)), 1e-300)))
