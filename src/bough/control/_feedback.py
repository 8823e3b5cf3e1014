"""Linear feedback about a run or a pose, as `u=` of a simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.arguments import Array, Vector
from bough.control._step import Step
from bough.errors import ModelError
from bough.motion.grid import grid
from bough.motion.state import State
from bough.motion.trajectory import Trajectory
from bough.simulate import simulate


class Feedback:
    """Controls c = c̄ − K (q − q̄, v − v̄) about a run or a pose; `u=` of `simulate`.

    Angles are differences of coordinates, never wrapped; of balls, q − q̄ is the rotation vector that leads from
    the one to the other. After the end of a run its last gains are held.

    Attributes
    ----------
    model : Model
    t : array (rows,)
        The times that the rows start at; one row for a pose.
    q, v, c : arrays (rows, nq), (rows, nv), (rows, nc)
        The run, or the pose, and its controls: inputs, then kinematic variables at the end of the step.
    K : array (rows, nc, 2 nv)
        The gains of q and of v.

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> hold = bough.control.lqr(model, q=model.equilibrium({"angle": 0.0}), Q=1.0, R=0.1, dt=0.02)
    >>> hold.K.shape
    (1, 1, 4)
    >>> bool(abs(hold.simulate({"angle": 0.2}, duration=8.0)["angle"][-1]) < 1e-3)
    True
    """

    def __init__(self, step: Step, t: Array, q: Array, v: Array, c: Array, K: Array) -> None:
        self.model, self.dt = step.model, step.dt
        self.t, self.q, self.v, self.c, self.K = t, q, v, c, K
        self._integrator = step.integrator

    def control(self, t: float, q: Array, v: Array) -> Array:
        """The controls (nc,) at a time and a state: inputs, then kinematic variables at the end of the step."""
        row = round((t - self.t[0]) / self.dt) if len(self.t) > 1 else 0
        row = min(max(row, 0), len(self.t) - 1)
        off = np.concatenate([self.model.difference(self.q[row], q), v - self.v[row]])
        out: Array = self.c[row] - self.K[row] @ off
        return out

    def __call__(self, t: float, state: State) -> Array:
        """The inputs (nu,) during the step from a state."""
        if self.model.nk:
            raise ModelError(
                asked=f"u=feedback in a simulation of model {self.model.name!r}",
                found="a feedback that also moves kinematic variables, which u= does not",
                do="use feedback.simulate(q=..., duration=...), which moves both",
            )
        return self.control(t, np.asarray(state.q), np.asarray(state.v))

    def simulate(
        self,
        q: Vector | State | None = None,
        v: Vector | None = None,
        *,
        duration: float | None = None,
        **options: Any,
    ) -> Trajectory:
        """The motion under this feedback, of inputs and kinematic variables, from a start; by default its own.

        The steps are those that the feedback is made for. `options` are those of `simulate`.
        """
        vi, model = self._integrator, self.model
        where = f"simulate() of a feedback of model {model.name!r}"
        length = duration if duration is not None else self.dt * len(self.t)
        times = grid(length, self.dt, 1, float(self.t[0]), where)
        start: Any = self.q[0] if q is None else q
        if isinstance(q, State):
            start, v = np.asarray(q.q), np.asarray(q.v)
        state = vi.start(q=start, v=self.v[0] if q is None and v is None else v, t=times.t0)
        begin, rows = state, np.zeros((times.steps, len(self.c[0])))
        for i in range(times.steps):
            rows[i] = self.control(float(times.time(i)), np.asarray(state.q), np.asarray(state.v))
            state = vi.step(state, u=rows[i, : model.nu], k=rows[i, model.nu :])
        k = np.vstack([np.asarray(begin.q)[model.nq - model.nk :], rows[:, model.nu :]])
        return simulate(
            model,
            np.asarray(begin.q),
            p=np.asarray(begin.p),
            duration=times.duration,
            integrator=vi,
            u=rows[:, : model.nu] if model.nu else None,
            k=k if model.nk else None,
            t0=times.t0,
            **options,
        )

    def __repr__(self) -> str:
        about = "a pose" if len(self.t) == 1 else f"a run of {len(self.t)} steps"
        return f"<Feedback of {self.model.name!r} about {about}, dt = {self.dt:g} s>"
