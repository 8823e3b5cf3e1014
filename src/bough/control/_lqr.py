"""`bough.control.lqr`: linear feedback along a run or at a pose, exact for its steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from bough._core import core
from bough.arguments import Array, Vector
from bough.control._ball_turn import with_rates
from bough.control._feedback import Feedback
from bough.control._linearize import check_method, stages_of
from bough.control._reduced_linear import Pose, pose_at
from bough.control._step import Step
from bough.control._velocity import velocities
from bough.control._weights import weight_matrix
from bough.errors import ModelError, quoted
from bough.model.model import Model
from bough.motion.equilibrium import Equilibrium
from bough.motion.state import State
from bough.motion.trajectory import Trajectory


def lqr(
    about: Trajectory | Model,
    Q: Any = 1.0,
    R: Any = 1.0,
    *,
    end: Any = None,
    q: Vector | Equilibrium | State | None = None,
    u: Vector | None = None,
    dt: float | None = None,
    integrator: str = "midpoint",
) -> Feedback:
    """The feedback that brings a system back to a run, or to a pose, at the least cost.

    What is least is the sum of dt/2 (xᵀQx + wᵀRw) over the deviations x of (q, v) and w of the inputs and of
    the rates of the kinematic variables, to second order, for the discrete steps themselves.

    Parameters
    ----------
    about : Trajectory or Model
        A run with a variational integrator: gains for each of its steps. Or a model: constant gains at the
        pose q, for the infinite horizon.
    Q : weights of (q, v), v of the dynamic variables
        A number, an array (nv + nd,), a matrix of that size, or numbers by name: {"angle": 10.0, "v.angle": 1.0}.
        Of a ball, q deviates by a turn about the axes of the moved frame: {"hip": 10.0, "v.hip": 1.0} weighs all
        three, {"hip_wx": 10.0} one of them.
    R : weights of the inputs, then of the rates of the kinematic variables, likewise; positive
    end : weights of (q, v) at the end of a run, by default Q
    q, u : the pose and its inputs, by default the least that hold it; q also as `model.equilibrium` returns it, or a
        state at rest. A rest far from the q that its search began at is told: for an unstable one,
        `model.equilibrium(q, nearest=True)`
    dt, integrator : the steps of a feedback about a pose, by default 0.01 s and "midpoint"

    Returns
    -------
    Feedback
        `bough.simulate(model, ..., u=feedback)`. Of a model whose kinematic variables are controls too,
        `feedback.simulate(...)` moves both.

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> feedback = bough.control.lqr(model, q=model.equilibrium({"angle": 0.0}), Q=1.0, R=0.1, dt=0.02)
    >>> run = bough.simulate(model, q={"angle": 0.3}, u=feedback, duration=8.0, dt=0.02)
    >>> bool(abs(run.q[-1]).max() < 1e-2)
    True
    """
    if isinstance(about, Trajectory):
        return _along(about, Q, R, end, {"q": q, "u": u, "dt": dt})
    if not isinstance(about, Model):
        raise ModelError(
            asked="control.lqr()",
            found=f"{type(about).__name__}",
            do="give a Trajectory, or a Model and a pose q",
        )
    return _at_pose(about, Q, R, q, u, 0.01 if dt is None else dt, integrator)


def _along(run: Trajectory, Q: Any, R: Any, end: Any, others: dict[str, Any]) -> Feedback:
    where = f"control.lqr() of a run of model {run.model.name!r}"
    for name, value in others.items():
        if value is not None:
            raise ModelError(
                asked=f"{name} in {where}",
                found="a run, which has its own start, inputs and steps",
                do=f"leave {name} out, or give the model in place of the run",
            )
    stages = stages_of(run, "control.lqr()")
    model, step = run.model, stages.step
    controllable(model, where)
    nx, nc, steps = len(step.moves), len(step.controls), len(stages.c)
    weights = state_weights(model, Q, "Q", where)
    controls = weight_matrix(R, step.controls, "R", where, definite=True)
    last = weights if end is None else state_weights(model, end, "end", where)
    A, B = step.jacobians(stages.x[:-1], stages.c, stages.t[:-1], x1=stages.x[1:])
    motion = velocities(model, stages.x, np.asarray(run.v)[:, model.nd :], stages.t)
    T = np.zeros((steps + 1, nx, nx))  # (q, v) by (q, p)
    T[:, : model.nv, : model.nv] = np.eye(model.nv)
    T[:, model.nv :] = motion.by_state
    H = np.zeros((steps, nx + nc, nx + nc))
    H[:, :nx, :nx] = step.dt * np.swapaxes(T[:-1], 1, 2) @ weights @ T[:-1]
    H += _of_controls(model, controls, step.dt)
    J = np.ascontiguousarray(np.concatenate([A, B], axis=2))
    K, offsets = np.empty((steps, nc, nx)), np.empty((steps, nc, 1))
    P, s = np.empty((nx, nx)), np.empty((nx, 1))
    S = np.ascontiguousarray(T[-1].T @ last @ T[-1])
    slope = np.zeros((steps, nx + nc))
    core.stagewise_backward(J, H, slope, S, np.zeros((nx, 1)), 0.0, K, offsets, P, s)  # (CN1), (CN2)
    gains = by_velocity(K, motion.momentum_by_q[:-1], motion.momentum_by_v[:-1], model.nv)
    return Feedback(step, stages.t[:-1], np.asarray(run.q)[:-1], np.asarray(run.v)[:-1], stages.c, gains)


def _at_pose(
    model: Model,
    Q: Any,
    R: Any,
    q: Vector | Equilibrium | State | None,
    u: Vector | None,
    dt: float,
    integrator: str,
) -> Feedback:
    where = f"control.lqr() of model {model.name!r}"
    check_method(integrator, where)
    controllable(model, where)
    step = Step(model, dt, integrator)
    pose = pose_at(model, q, u, step, where, rest=True)
    weights = state_weights(model, Q, "Q", where)
    controls = weight_matrix(R, step.controls, "R", where, definite=True)
    nx = len(step.moves)
    T = np.vstack([np.eye(model.nv, nx), pose.motion.by_state[0]]) @ pose.lift
    H = _of_controls(model, controls, step.dt)
    Hxx = step.dt * (T.T @ weights @ T) + pose.lift.T @ H[:nx, :nx] @ pose.lift
    Hxc, Hcc = pose.lift.T @ H[:nx, nx:], H[nx:, nx:]
    try:
        P = scipy.linalg.solve_discrete_are(pose.A, pose.B, Hxx, Hcc, s=Hxc)
        K = np.linalg.solve(Hcc + pose.B.T @ P @ pose.B, pose.B.T @ P @ pose.A + Hxc.T)
        closed = np.abs(np.linalg.eigvals(pose.A - pose.B @ K)).max(initial=0.0)
    except (np.linalg.LinAlgError, ValueError):
        closed = np.inf
    if not closed < 1.0 - 1e-12:
        raise _not_stabilised(pose, weights, where)
    gains = by_velocity(
        (K @ pose.restrict)[None], pose.motion.momentum_by_q, pose.motion.momentum_by_v, model.nv
    )
    return Feedback(step, np.zeros(1), pose.x[None, : model.nq], pose.motion.v, pose.c[None], gains)


def _of_controls(model: Model, R: Array, dt: float) -> Array:
    """dt wᵀRw by (x, c), w the inputs and the rates (k1 − k0)/dt of the kinematic variables."""
    nx, nu, nk = model.nv + model.nd, model.nu, model.nk
    W = np.zeros((nu + nk, nx + nu + nk))
    W[:nu, nx : nx + nu] = np.eye(nu)
    W[nu:, model.nd : model.nv], W[nu:, nx + nu :] = -np.eye(nk) / dt, np.eye(nk) / dt
    return np.asarray(dt * W.T @ R @ W)


def by_velocity(K: Array, momentum_by_q: Array, momentum_by_v: Array, nq: int) -> Array:
    """Gains of (q, v) from gains of (q, p), constraint impulses held  (OV2)."""
    of_q = K[..., :nq] + K[..., nq:] @ momentum_by_q
    return np.concatenate([of_q, K[..., nq:] @ momentum_by_v], axis=-1)


def state_names(model: Model) -> tuple[str, ...]:
    """The names of (q, v) that weights take."""
    return (*model.variables, *(f"v.{name}" for name in model.dynamic))


def state_weights(model: Model, value: Any, what: str, where: str) -> Array:
    """Weights of (q, v), a matrix (nv + nd, nv + nd); of a ball by name, of all its turns or rates."""
    by_name = with_rates(value, model.balls, ("", "v."), what, where)
    groups = (*model.balls, *(f"v.{ball}" for ball in model.balls))
    return weight_matrix(by_name, state_names(model), what, where, groups=groups)


def controllable(model: Model, where: str) -> None:
    """Raise if nothing can be controlled."""
    if model.nu + model.nk == 0:
        raise ModelError(
            asked=where,
            found="a model without inputs and without kinematic variables",
            do="add an input, such as bough.ConfigurationForce('joint', 'torque'), or a kinematic variable",
        )


def idle_controls(B: Array, names: tuple[str, ...], where: str) -> None:
    """Raise if a control moves nothing: its column of B (..., nx, nc) is zero everywhere."""
    sizes = np.abs(B).max(axis=tuple(range(B.ndim - 1)))
    idle = [name for name, size in zip(names, sizes, strict=True) if size == 0.0]
    if idle:
        raise ModelError(
            asked=where,
            found=f"an input that moves nothing: {quoted(idle)}",
            do="remove it, or attach it to a variable or frame that can move",
        )


def _not_stabilised(pose: Pose, weights: Array, where: str) -> ModelError:
    model = pose.step.model
    idle_controls(pose.B, pose.step.controls, where)
    worst, size = "", np.inf
    controls = pose.B / np.linalg.norm(pose.B)
    for value in np.linalg.eigvals(pose.A):
        if abs(value) < 1.0 - 1e-6:  # as far off as round-off takes a double eigenvalue, and more
            continue
        # a motion that no control reaches is in the left null space of both
        U, s, _ = np.linalg.svd(np.hstack([pose.A - value * np.eye(len(pose.A)), controls]))
        if s[-1] < size:
            part = np.abs(U[:, -1].conj() @ pose.restrict)
            part[: model.nd] += part[model.nv :]  # momenta
            worst, size = model.variables[int(part[: model.nv].argmax())], float(s[-1])
    if size < 1e-7:
        found = f"a motion, mostly of {worst!r}, that no control reaches and that does not decay"
        do = "add an input that moves it, or damping"
    else:
        found = "no gains that stabilise: a motion that does not decay has no weight in Q"
        do = "weigh all variables in Q"
    return ModelError(asked=where, found=found, do=do)
