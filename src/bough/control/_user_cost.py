"""A user's cost of (t, q, v, u), with derivatives by JAX or by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bough.arguments import Array
from bough.control._costs import Expansion, Motion, Setting
from bough.errors import ModelError

STEP = 1e-4  # of differences of fourth order


class UserCost:
    """A function of (t, q, v, u) at every step, as a cost of y = (q0, q1, u)."""

    def __init__(self, at: Setting, function: Callable[..., Any], derivatives: str) -> None:
        self.at, self.function = at, function
        self._jax: Any = _compiled(function, at) if derivatives == "jax" else None

    def _arguments(self, motion: Motion) -> Array:
        """(q, v, u) of all steps, one after the other."""
        return np.concatenate([motion.q1, (motion.q1 - motion.q0) / self.at.dt, motion.u], axis=1)

    def _at(self, t: float, w: Array) -> float:
        nq = self.at.model.nv
        try:
            value = float(self.function(t, w[:nq], w[nq : 2 * nq], w[2 * nq :]))
        except (TypeError, ValueError) as error:
            raise ModelError(
                asked=f"a user's cost in {self.at.where}",
                found=f"{type(error).__name__}: {error}",
                do="give a function of (t, q, v, u) that returns one number",
            ) from error
        if not np.isfinite(value):
            raise ModelError(
                asked=f"a user's cost in {self.at.where}",
                found=f"{value} at t = {t:.4g} s",
                do="give a function that is finite for all motions",
            )
        return value

    def value(self, motion: Motion) -> float:
        rows = self._arguments(motion)
        times = self.at.times[1:]
        return self.at.dt * sum(self._at(float(t), w) for t, w in zip(times, rows, strict=True))

    def add(self, motion: Motion, to: Expansion, exact: bool) -> None:
        dt, nq = self.at.dt, self.at.model.nv
        rows, times = self._arguments(motion), self.at.times[1:]
        if self._jax is None:
            found = [self._differences(float(t), w) for t, w in zip(times, rows, strict=True)]
            g, H = np.stack([one[0] for one in found]), np.stack([one[1] for one in found])
        else:
            g, H = (np.asarray(part, dtype=float) for part in self._jax(times, rows))
        H = 0.5 * (H + np.swapaxes(H, 1, 2))
        if not exact:  # the nearest positive semidefinite matrix
            values, vectors = np.linalg.eigh(H)
            H = (vectors * np.maximum(values, 0.0)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        size = rows.shape[1]
        by_y = np.zeros((size, to.y.shape[1]))  # (q, v, u) by (q0, q1, u)
        by_y[:nq, nq : 2 * nq] = np.eye(nq)
        by_y[nq : 2 * nq, :nq], by_y[nq : 2 * nq, nq : 2 * nq] = -np.eye(nq) / dt, np.eye(nq) / dt
        by_y[2 * nq :, 2 * nq :] = np.eye(size - 2 * nq)
        to.y += dt * g @ by_y
        to.full[:] += dt * (by_y.T @ H @ by_y)

    def _differences(self, t: float, w: Array) -> tuple[Array, Array]:
        size = len(w)
        h = STEP * (1.0 + np.abs(w))
        e = np.diag(h)
        f = self._at
        center = f(t, w)
        near = np.array([[f(t, w + k * e[i]) for k in (-2, -1, 1, 2)] for i in range(size)])
        gradient = (near[:, 0] - 8.0 * near[:, 1] + 8.0 * near[:, 2] - near[:, 3]) / (12.0 * h)
        H = np.diag((near[:, 1] - 2.0 * center + near[:, 2]) / h**2)
        for i in range(size):
            for j in range(i):
                mixed = (
                    f(t, w + e[i] + e[j])
                    - f(t, w + e[i] - e[j])
                    - f(t, w - e[i] + e[j])
                    + f(t, w - e[i] - e[j])
                )
                H[i, j] = H[j, i] = mixed / (4.0 * h[i] * h[j])
        return gradient, H


def _compiled(function: Callable[..., Any], at: Setting) -> Any:
    try:
        import jax
    except ImportError:
        raise ModelError(
            asked=f'Cost(derivatives="jax") in {at.where}',
            found="the package jax is not installed",
            do='install it with `pip install "bough[jax]"`, or leave derivatives out',
        ) from None
    nq = at.model.nv

    def of_one(t: Any, w: Any) -> Any:
        return function(t, w[:nq], w[nq : 2 * nq], w[2 * nq :])

    both = jax.jit(jax.vmap(lambda t, w: (jax.grad(of_one, 1)(t, w), jax.hessian(of_one, 1)(t, w))))

    wide = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64

    def call(times: Array, rows: Array) -> Any:
        with wide(True):
            return both(times, rows)

    return call
