"""What `bough.check` compares of steps: their derivatives by start, inputs and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bough.arguments import Array
from bough.errors import ConvergenceError, ModelError
from bough.model.model import Model

DT = 1e-3  # of the step that is checked, in s


class Pair(NamedTuple):
    """A quantity and its derivative by x, both as functions of x; the derivative has x on its last axis."""

    what: str
    value: Callable[[Array], Any]
    derivative: Callable[[Array], Any]
    x: Array


def step_pairs(model: Model, q: Array, v: Array, u: Array, t: float) -> list[Pair]:
    """A short step of the midpoint rule by its start, its inputs and parameters; none if there is no such step.

    With constraints, by momenta and inputs alone: moves of q lead off them. With balls, by moves from the state.
    """
    from bough.control._step import Step

    try:
        begin = model.assemble(q, v, t=t) if model.nc else None
        step = Step(model, DT)
        x0 = step.state(q, v, t=t) if begin is None else step.state(begin.q, begin.v, t=t)
        c0 = np.concatenate([u, x0[model.nq - model.nk : model.nq]])
        step.jacobians(x0, c0, t)
    except (ModelError, ConvergenceError):
        return []
    nx, first = len(step.moves), model.nv if model.nc else 0
    w = np.cos(np.arange(nx))

    def or_nothing(value: Callable[[Array], Array]) -> Callable[[Array], Array]:
        """Not a number where there is no step or no model: nothing is compared there."""

        def guarded(s: Array) -> Array:
            try:
                return value(s)
            except (ModelError, ConvergenceError):
                return np.full(nx, np.nan)

        return guarded

    def parts(s: Array) -> tuple[Array, Array]:
        if model.balls:
            return step.integrate(x0, np.concatenate([np.zeros(first), s[: nx - first]])), s[nx - first :]
        return np.concatenate([x0[:first], s[: nx - first]]), s[nx - first :]

    def end(s: Array) -> Array:
        return step.difference(x1, step(*parts(s), t)) if model.balls else step(*parts(s), t)

    def jacobian(s: Array) -> Array:
        A, B = step.jacobians(*parts(s), t)
        return np.concatenate([A[:, first:], B], axis=1)

    def gradient(s: Array) -> Array:
        by_x, by_c = step.vjp(*parts(s), w, t)
        return np.concatenate([by_x[first:], by_c])

    def hessian(s: Array) -> Array:
        x, c = parts(s)
        out = step.hessian(x, c, w, t)
        for i, _ in model._balls.values():  # of changes of vjp, what is not symmetric (BD4)
            of_start, of_end = (
                np.zeros((3, len(out))),
                np.concatenate(step.jacobians(x, c, t), axis=1)[i : i + 3],
            )
            of_start[:, i : i + 3] = np.eye(3)
            for turns, covector in ((of_start, step.vjp(x, c, w, t)[0][i : i + 3]), (of_end, -w[i : i + 3])):
                out = out + 0.5 * np.cross(turns.T[None], turns.T[:, None]) @ covector
        return np.asarray(out[first:, first:])

    x1 = step(x0, c0, t)
    s0 = np.concatenate([np.zeros(nx - first) if model.balls else x0[first:], c0])
    found = [
        Pair("jacobians", or_nothing(end), jacobian, s0),
        Pair("hessian", or_nothing(gradient), hessian, s0),
    ]
    if model.parameters and not model.nc:
        values = np.array(list(model.parameters.values()))

        def other(theta: Array) -> Any:
            named = dict(zip(model.parameters, theta.tolist(), strict=True))
            return Step(model.with_parameters(**named), DT)

        moved = or_nothing(lambda theta: step.difference(x1, other(theta)(x0, c0, t)))
        found.append(
            Pair("parameters", moved, lambda s: other(s).parameter_jacobian(x0, c0, None, t), values)
        )
    return found
