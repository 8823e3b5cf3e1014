"""`bough.control.kalman`: the extended Kalman filter on the exact derivatives of steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector
from bough.control._lqr import state_weights
from bough.control._measurement import Measurement
from bough.control._step import Step
from bough.control._velocity import velocities
from bough.control._weights import weight_matrix
from bough.errors import ModelError
from bough.model.model import Model
from bough.motion.assemble import assemble
from bough.motion.state import State


def kalman(
    model: Model,
    measure: Any,
    q: Vector | State | None = None,
    v: Vector | None = None,
    *,
    dt: float,
    noise: Any,
    disturbance: Any,
    uncertainty: Any = 1e-2,
    integrator: str = "midpoint",
    t0: float = 0.0,
) -> Estimator:
    """An estimator of the state from measurements: an extended Kalman filter whose model is the step itself.

    Parameters
    ----------
    model : Model
    measure : "angle" (a variable), "v.angle" (its velocity), a frame (its position, three numbers), several of
        these, or a function of (q, v)
    q, v : the first estimate, by default zero, at rest
    dt, integrator : the steps
    noise : variance of each measurement: a number, an array, a covariance matrix
    disturbance : variance that a step adds to (q, v): a number, (nv + nd,), by name, or a matrix
    uncertainty : variance of the first estimate of (q, v), likewise
    t0 : its time

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> estimator = bough.control.kalman(model, ["x", "angle"], {"angle": 0.1}, dt=0.02, noise=1e-4, disturbance=1e-6)
    >>> estimator.predict()
    >>> estimator.update([0.0, 0.12])
    >>> estimator.q.shape, estimator.v.shape
    ((2,), (2,))
    """
    where = f"control.kalman() of model {model.name!r}"
    step = Step(model, dt, integrator)
    sensor = Measurement(model, measure, where)
    start: Any = q
    if isinstance(q, State):
        start, v, t0 = np.asarray(q.q), np.asarray(q.v), q.t
    x = step.state(start, v, t=t0)
    count = len(sensor(x))
    return Estimator(
        step,
        sensor,
        x,
        t0,
        weight_matrix(noise, tuple(f"measurement {i}" for i in range(count)), "noise", where, definite=True),
        state_weights(model, disturbance, "disturbance", where),
        state_weights(model, uncertainty, "uncertainty", where),
    )


class Estimator:
    """The estimate of a state (q, v) and its covariance; made by `bough.control.kalman`.

    `predict(u)` makes a step, `update(y)` takes a measurement in.

    Attributes
    ----------
    t : float
    covariance : array (nv + nd, nv + nd)
        Of (q, v), v of the dynamic variables.

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> estimator = bough.control.kalman(model, ["x", "angle"], {"angle": 0.1}, dt=0.02, noise=1e-4, disturbance=1e-6)
    >>> estimator.predict()
    >>> estimator.update([0.0, 0.12])
    >>> estimator.covariance.shape
    (4, 4)
    """

    def __init__(
        self, step: Step, sensor: Measurement, x: Array, t: float, noise: Array, added: Array, P: Array
    ) -> None:
        self.model, self.dt, self.t = step.model, step.dt, float(t)
        self._step, self._sensor, self._noise, self._added = step, sensor, noise, added
        self._x = x
        into = self._into()
        self._P = into @ P @ into.T

    @property
    def q(self) -> Array:
        """The estimated configuration."""
        return self._x[: self.model.nq]

    @property
    def v(self) -> Array:
        """The estimated velocities."""
        return self._step.velocity(self._x)

    @property
    def state(self) -> State:
        """The estimate, as a feedback takes it: `feedback(estimator.t, estimator.state)`."""
        return State(self.t, self.q, self.v, self._x[self.model.nq :], names=self.model._names)

    @property
    def covariance(self) -> Array:
        """The covariance of (q, v)."""
        T = np.vstack([np.eye(self.model.nv, len(self._P)), self._motion().by_state[0]])
        return np.asarray(T @ self._P @ T.T)

    def predict(self, u: Vector | None = None, k: Vector | None = None) -> None:
        """Go on by a step with inputs u, and with the kinematic variables at its end k, by default held."""
        model = self.model
        inputs = np.zeros(model.nu) if u is None else self._named(u, model.inputs, "u")
        ends = self.q[model.nq - model.nk :] if k is None else self._named(k, model.kinematic, "k")
        c = np.concatenate([inputs, ends])
        x1 = self._step(self._x, c, self.t)
        A, _ = self._step.jacobians(self._x, c, self.t, x1=x1)
        self._P = A @ self._P @ A.T
        self._x, self.t = x1, self.t + self.dt
        into = self._into()
        self._P = self._P + into @ self._added @ into.T

    def update(self, y: npt.ArrayLike) -> None:
        """Take a measurement (ny,) in; NaN marks values that are missing."""
        value = np.atleast_1d(np.asarray(y, dtype=float))
        expected = self._sensor(self._x)
        if value.shape != expected.shape:
            raise ModelError(
                asked=f"update() of an estimator of model {self.model.name!r}",
                found=f"a measurement of shape {value.shape}, expected {expected.shape}",
                do=f"give {len(expected)} numbers, NaN for those that are missing",
            )
        there = ~np.isnan(value)
        C = self._sensor.jacobian(self._x)[there]
        S = C @ self._P @ C.T + self._noise[np.ix_(there, there)]
        K = np.linalg.solve(S, C @ self._P).T
        self._x = self._on_constraints(self._step.integrate(self._x, K @ (value - expected)[there]))
        rest = np.eye(len(self._P)) - K @ C  # Joseph's form stays symmetric and positive
        self._P = rest @ self._P @ rest.T + K @ self._noise[np.ix_(there, there)] @ K.T

    def _on_constraints(self, x: Array) -> Array:
        model = self.model
        if model.nc == 0:
            return x
        v = model.velocity(x[: model.nq], x[model.nq :])
        q = assemble(model, x[: model.nq], None, list(model.kinematic), self.t, "kalman").q
        return self._step.state(q, v, t=self.t)

    def _named(self, value: Any, names: tuple[str, ...], what: str) -> Array:
        from bough.motion.consistent_start import single

        return single(value, names, what, f"predict() of model {self.model.name!r}", "inputs")

    def _motion(self) -> Any:
        model = self.model
        return velocities(model, self._x[None], np.zeros((1, model.nk)), np.full(1, self.t))

    def _into(self) -> Array:
        """d(q, p)/d(q, v) along the constraints  (OV2)."""
        model, motion = self.model, self._motion()
        nq = model.nv
        out = np.zeros((nq + model.nd, nq + model.nd))
        out[:nq, :nq] = np.eye(nq)
        out[nq:, :nq], out[nq:, nq:] = motion.momentum_by_q[0], motion.momentum_by_v[0][:, : model.nd]
        if model.nc:  # moves of q and v that the constraints allow
            from bough.control._reduced_linear import null_space

            Dh = model.constraint_dq(self.q, t=self.t)
            N, Nd = null_space(Dh, nq), null_space(Dh[:, : model.nd], model.nd)
            out[:, :nq] = out[:, :nq] @ N @ N.T
            out[:, nq:] = out[:, nq:] @ Nd @ Nd.T
        return out

    def __repr__(self) -> str:
        return f"<Estimator of {self.model.name!r} at t = {self.t:g} s>"
