"""What `bough.control.optimize` makes small: `Effort`, `Track`, and costs of the user, `Cost`.

A stage cost is a function of y = (q0, q1, u): the configurations at both ends of a step and the inputs during
it. Velocities are (q1 - q0)/dt, which no constraint impulse enters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bough.arguments import Array
from bough.control._ball_turn import rotation_target, turn, turn_dq, turn_dqdq, unknown_target, with_rates
from bough.control._measurement import position_dq
from bough.control._weights import numbers_of, weight_vector
from bough.description.parameter import ball_variables
from bough.description.rotation import FORMS
from bough.errors import ModelError, quoted, unknown_name
from bough.model.configurations import refuse_balls
from bough.model.model import Model
from bough.motion.trajectory import Trajectory
from bough.validate import counted


@dataclass(frozen=True)
class Setting:
    """What costs are made for: a model, its steps, and a text for messages."""

    model: Model
    dt: float
    times: Array  # of the nodes, (steps + 1,)
    where: str

    @property
    def steps(self) -> int:
        """How many."""
        return len(self.times) - 1


@dataclass
class Motion:
    """Variables at both ends of all steps, (steps, nv) each, and inputs (steps, nu); configurations at their ends.

    Variables of balls, which have no coordinate of their own, are zero. lam, (steps, m), are the constraint forces.
    """

    q0: Array
    q1: Array
    u: Array
    end: Array
    lam: Array

    @property
    def largest(self) -> float:
        """The largest coordinate."""
        return max(float(np.abs(self.q0[0]).max(initial=0.0)), float(np.abs(self.end).max()), 1e-300)


class Expansion:
    """Derivatives of costs by y = (q0, q1, u), and by rates (q1 - q0)/dt.

    y (steps, ny) are the first ones, `diagonal` (steps, ny) the diagonal of the second ones. What else these have
    is in `full` (steps, ny, ny), which is made if it is asked for. Those by rates, `r` (steps, nq) and their second
    ones `rr`, a diagonal, are kept apart because their weights may be large.
    """

    def __init__(self, steps: int, nq: int, nu: int) -> None:
        size = 2 * nq + nu
        self.y, self.diagonal = np.zeros((steps, size)), np.zeros((steps, size))
        self.yy = np.zeros(0)
        self.r, self.rr = np.zeros((steps, nq)), np.zeros((steps, nq))

    @property
    def full(self) -> Array:
        """The second derivatives by y beside the diagonal, (steps, ny, ny)."""
        if not self.yy.size:
            steps, size = self.y.shape
            self.yy = np.zeros((steps, size, size))
        return self.yy


class Bound(Protocol):
    """A cost of a setting."""

    def value(self, motion: Motion) -> float: ...

    def add(self, motion: Motion, to: Expansion, exact: bool) -> None:
        """Add derivatives; without `exact`, second ones are positive semidefinite."""


class Effort:
    """dt/2 Σ weight u² over the inputs, and dt/2 Σ weight k̇² over the rates of the kinematic variables.

    Parameters
    ----------
    weight : a number for all of them, an array, or numbers by name; those not named have none

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> cost = bough.control.Effort(0.05)
    >>> run = bough.control.optimize(model, duration=1.0, dt=0.05, cost=cost, end={"x": 0.5, "angle": 0.0})
    >>> bool(abs(run["x"][-1] - 0.5) < 1e-6)
    True
    """

    def __init__(self, weight: Any = 1.0) -> None:
        self.weight = weight

    def bind(self, at: Setting) -> Bound:
        """The cost in a setting."""
        model = at.model
        w = weight_vector(self.weight, (*model.inputs, *model.kinematic), "weight", f"Effort in {at.where}")
        rates = np.concatenate([np.zeros(model.nd), w[model.nu :]])
        zero = np.zeros((at.steps, model.nv))
        return _Squares(
            at, inputs=w[: model.nu], ends=np.zeros(model.nv), target=zero, rates=rates, rate=zero
        )


class Track:
    """dt/2 Σ weight (… − target)² of variables or frames at the ends of all steps.

    Parameters
    ----------
    target : mapping or Trajectory
        By name of a variable: a number, or an array (steps + 1,); by name of a ball: a rotation in any form, or
        steps + 1 of them; by name of a frame: a position (3,) or (steps + 1, 3). If a ball and a frame have the same
        name, it is the ball's, and three numbers, which may be either, are refused. Of a Trajectory, which is
        interpolated, the variables and balls are followed, or the positions of `frames`.
    weight : a number for all, or numbers by name
        Of a ball, of the squares of 2 sin(θ/2) n, n its axis and θ its turn from the target, in the axes of the
        target: one number, or three.
    v : weights of the velocities (q1 − q0)/dt of the same variables, likewise; by default none. Not of balls
    frames : names of frames of a Trajectory, in place of its variables

    Examples
    --------
    >>> import bough
    >>> from bough.control import Effort, Track
    >>> cost = [Effort(0.05), Track({"x": 0.0}, weight=0.1)]
    """

    def __init__(self, target: Any, weight: Any = 1.0, *, v: Any = 0.0, frames: Sequence[str] = ()) -> None:
        self.target, self.weight, self.v = target, weight, v
        self.frames = (frames,) if isinstance(frames, str) else tuple(frames)

    def bind(self, at: Setting) -> Bound:
        """The cost in a setting."""
        where = f"Track in {at.where}"
        targets = self._targets(at, where)
        model = at.model
        balls = tuple(name for name in targets if name in model.balls)
        others = tuple(name for name in targets if name not in balls)
        names = (*others, *(rate for ball in balls for rate in ball_variables(ball)))
        weight = weight_vector(with_rates(self.weight, balls, ("",), "weight", where), names, "weight", where)
        rate_weight = self._rate_weights(others, balls, where)
        ends, rates = np.zeros(model.nv), np.zeros(model.nv)
        target, rate = np.zeros((at.steps, model.nv)), np.zeros((at.steps, model.nv))
        frames: list[tuple[str, Array, float]] = []
        for i, name in enumerate(others):
            rows = targets[name]
            if rows.ndim == 2:
                frames.append((name, rows[1:], float(weight[i])))
                continue
            place = model.index(name)
            ends[place], rates[place] = weight[i], rate_weight[i]
            target[:, place], rate[:, place] = rows[1:], np.diff(rows) / at.dt
        per_ball = weight[len(others) :].reshape(-1, 3)
        turns = [(*model._balls[name], targets[name][1:], per_ball[i]) for i, name in enumerate(balls)]
        return _Squares(at, np.zeros(model.nu), ends, target, rates, rate, frames, turns)

    def _rate_weights(self, names: tuple[str, ...], balls: tuple[str, ...], where: str) -> Array:
        """The weights of velocities; rates of balls have none."""
        if isinstance(self.v, Mapping):
            asked = [name for name in balls if name in self.v]
        else:
            asked = [*balls] if np.any(np.asarray(self.v, dtype=float) != 0.0) else []
        if asked:
            raise ModelError(
                asked=f"v of {where}",
                found=f"{quoted(asked)}, which {'is a ball' if len(asked) == 1 else 'are balls'}:"
                " the rates of balls are not weighed",
                do="give v by name for the other variables, or add bough.Damping to the ball",
            )
        return weight_vector(self.v, names, "v", where)

    def _targets(self, at: Setting, where: str) -> dict[str, Array]:
        model, nodes = at.model, at.steps + 1
        if isinstance(self.target, Trajectory):
            if self.frames:
                poses = {name: self.target.pose(name)[:, :3, 3] for name in self.frames}
                return {name: _resampled(self.target.t, rows, at.times) for name, rows in poses.items()}
            if self.target.model.coordinates != model.coordinates:
                count = counted(self.target.model.nv, "variable")
                raise ModelError(
                    asked=where,
                    found=f"a trajectory of {count} for a model of {model.nv}"
                    if self.target.model.nv != model.nv
                    else "a trajectory of a model with other variables",
                    do="track a trajectory of the same model",
                )
            rows = _configurations(self.target, at.times)
            followed = {model.variables[i]: rows[:, c] for i, c in zip(*model._single, strict=True)}
            return followed | {name: rows[:, k : k + 4] for name, (_, k) in model._balls.items()}
        if not isinstance(self.target, Mapping):
            raise ModelError(
                asked=where,
                found=f"a target of type {type(self.target).__name__}",
                do="give targets by name, such as Track({'x': 0.0}), or a Trajectory",
            )
        out: dict[str, Array] = {}
        for name, value in self.target.items():
            if name in model.balls:
                out[name] = self._rotations(value, str(name), name in model.frames, nodes, where)
                continue
            if name in model.variables and name in model.coordinates:
                shapes: tuple[tuple[int, ...], ...] = ((), (nodes,))
            elif name in model.frames:
                shapes = ((3,), (nodes, 3))
            else:
                single = [name for name in model.variables if name in model.coordinates]
                raise unknown_target(model, str(name), single, "variable, ball or frame", where)
            array = numbers_of(value, f"target of {name!r} in {where}")
            if array.shape not in shapes or not np.isfinite(array).all():
                raise ModelError(
                    asked=f"target of {name!r} in {where}",
                    found=f"shape {array.shape}"
                    if array.shape not in shapes
                    else "a number that is not finite",
                    do=f"give finite numbers of shape {shapes[0]} or {shapes[1]}",
                )
            out[name] = np.broadcast_to(array, shapes[1]).copy()
        return out

    def _rotations(self, value: Any, name: str, both: bool, nodes: int, where: str) -> Array:
        """The quaternions of a ball at all nodes."""
        Q = rotation_target(value, name, both, where)
        if Q.shape not in ((4,), (nodes, 4)):
            raise ModelError(
                asked=f"target of {name!r} in {where}",
                found=f"{counted(len(Q), 'rotation') if Q.ndim == 2 else f'shape {Q.shape}'} for {nodes} nodes",
                do=f"give one rotation, or {nodes}: {FORMS}",
            )
        return np.broadcast_to(Q, (nodes, 4)).copy()


def _resampled(t: Array, rows: Array, times: Array) -> Array:
    return np.stack([np.interp(times, t, column) for column in rows.T], axis=1)


def _configurations(run: Trajectory, times: Array) -> Array:
    """The configurations of a run at times, on straight lines between its rows, of balls along geodesics."""
    t, q = np.asarray(run.t), np.asarray(run.q)
    if not run.model.balls:
        return _resampled(t, q, times)
    if len(t) == 1:
        return np.repeat(q, len(times), axis=0)
    place = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    part = np.clip((times - t[place]) / (t[place + 1] - t[place]), 0.0, 1.0)
    whole = run.model.difference(q[place], q[place + 1])
    return run.model.integrate(q[place], part[:, None] * whole)


class _Squares:
    """Weighted squares of inputs, of configurations, of their rates, of positions of frames and of turns of balls."""

    def __init__(
        self,
        at: Setting,
        inputs: Array,
        ends: Array,
        target: Array,
        rates: Array,
        rate: Array,
        frames: Sequence[tuple[str, Array, float]] = (),
        turns: Sequence[tuple[int, int, Array, Array]] = (),
    ) -> None:
        self.at, self.inputs, self.ends, self.target = at, inputs, ends, target
        self.rates, self.rate, self.frames, self.turns = rates, rate, frames, turns

    def value(self, motion: Motion) -> float:
        dt = self.at.dt
        total = (self.inputs * motion.u**2).sum() + (self.ends * (motion.q1 - self.target) ** 2).sum()
        if self.rates.any():
            total += (self.rates * ((motion.q1 - motion.q0) / dt - self.rate) ** 2).sum()
        for name, rows, weight in self.frames:
            total += weight * ((self.at.model.pose(name, motion.end)[:, :3, 3] - rows) ** 2).sum()
        for _, k, T, weights in self.turns:
            total += (weights * turn(T, motion.end[:, k : k + 4]) ** 2).sum()
        return float(0.5 * dt * total)

    def add(self, motion: Motion, to: Expansion, exact: bool) -> None:
        dt, nq = self.at.dt, self.at.model.nv
        gradient = to.y
        gradient[:, 2 * nq :] += dt * self.inputs * motion.u
        to.diagonal[:, 2 * nq :] += dt * self.inputs
        gradient[:, nq : 2 * nq] += dt * self.ends * (motion.q1 - self.target)
        to.diagonal[:, nq : 2 * nq] += dt * self.ends
        if self.rates.any():
            to.r += dt * self.rates * ((motion.q1 - motion.q0) / dt - self.rate)
            to.rr += dt * self.rates
        for name, rows, weight in self.frames:
            off = self.at.model.pose(name, motion.end)[:, :3, 3] - rows
            D = position_dq(self.at.model, name, motion.end)
            gradient[:, nq : 2 * nq] += dt * weight * np.einsum("kai,ka->ki", D, off)
            block = np.einsum("kai,kaj->kij", D, D)
            if exact:
                second = self.at.model.pose_dqdq(name, motion.end)[..., :3, 3]
                curved = np.einsum("kija,ka->kij", second, off)
                block = block + 0.5 * (curved + curved.transpose(0, 2, 1))  # turns do not commute
            to.full[:, nq : 2 * nq, nq : 2 * nq] += dt * weight * block
        for place, k, T, weights in self.turns:
            Q, three = motion.end[:, k : k + 4], slice(nq + place, nq + place + 3)
            off, D = weights * turn(T, Q), turn_dq(T, Q)
            gradient[:, three] += dt * np.einsum("ka,kai->ki", off, D)  # (OQ3)
            block = np.einsum("kai,a,kaj->kij", D, weights, D)
            to.full[:, three, three] += dt * (block + turn_dqdq(T, Q, off) if exact else block)


class Cost:
    """dt Σ function(t, q, v, u) over all steps: a cost of the user's own.

    At each step, t and q are those at its end, v = (q1 − q0)/dt is the velocity during it, u its inputs.

    Parameters
    ----------
    function : function of (t, q, v, u) that returns a number
    derivatives : "differences", or "jax" if the function is written with `jax.numpy`
        With differences the gradient is good to about nine digits.

    Examples
    --------
    >>> import bough
    >>> power = bough.control.Cost(lambda t, q, v, u: 0.1 * (u[0] * v[0]) ** 2)
    """

    def __init__(self, function: Callable[..., Any], *, derivatives: str = "differences") -> None:
        if not callable(function):
            raise ModelError(
                asked="Cost", found=f"{type(function).__name__}", do="give a function of (t, q, v, u)"
            )
        if derivatives not in ("differences", "jax"):
            raise unknown_name("way", derivatives, ("differences", "jax"), "derivatives of Cost")
        self.function, self.derivatives = function, derivatives

    def bind(self, at: Setting) -> Bound:
        """The cost in a setting."""
        from bough.control._user_cost import UserCost

        refuse_balls(at.model, f"Cost in {at.where}", "use Effort and Track of variables and frames")
        return UserCost(at, self.function, self.derivatives)


def bound_costs(cost: Any, at: Setting) -> list[Any]:
    """The costs of a setting, from one or several."""
    listed = list(cost) if isinstance(cost, Sequence) else [cost]
    for one in listed:
        if not isinstance(one, Effort | Track | Cost):
            raise ModelError(
                asked=f"cost of {at.where}",
                found=f"{type(one).__name__}",
                do="give Effort(weight), Track(target), Cost(function), or a list of these",
            )
    return [one.bind(at) for one in listed]
