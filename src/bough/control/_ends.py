"""What a motion ends with: values of variables, velocities and frames, as rows e(x) of the last state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.arguments import Array, finite
from bough.control._ball_turn import one_rotation, turn, turn_dq, turn_dqdq, unknown_target, with_rates
from bough.control._costs import Setting
from bough.control._lqr import state_names
from bough.control._measurement import position_dq
from bough.control._orientation import orientation, orientation_dq, orientation_dqdq
from bough.control._velocity import velocities
from bough.control._weights import numbers_of, weight_vector
from bough.description.rotation import expanded
from bough.errors import ModelError, quoted, unknown_name
from bough.model.model import Model
from bough.motion.single_state import single_configuration
from bough.motion.state import State

STEP = 1e-5  # of differences of the derivatives of velocities
TURNED = 1e-9  # how far the axes of a pose may be from orthonormal
HELD = 1e-6  # violation of constraints allowed in an end that gives all variables


class Ends:
    """Rows e(x) = 0 at the end, or their weighted squares if `weight` is not None.

    Attributes
    ----------
    names : of the rows: "angle", "v.angle", "hand.x", and "hand.turn_x" for a pose or a ball
    weight : array (rows,) or None
    """

    def __init__(self, at: Setting, end: Any, rest: bool, weight: Any) -> None:
        self.at = at
        model, where = at.model, f"end of {at.where}"
        values, frames, balls = _parts(at, end, where)
        if rest and (values or frames or balls):
            for name in model.dynamic:
                values.setdefault(f"v.{name}", 0.0)
        index = {name: i for i, name in enumerate(state_names(model))}
        self.q = np.array([index[name] for name in values if not name.startswith("v.")], dtype=int)
        self.v = np.array([index[name] - model.nv for name in values if name.startswith("v.")], dtype=int)
        self.target = np.array(
            [value for name, value in values.items() if not name.startswith("v.")]
            + [value for name, value in values.items() if name.startswith("v.")]
        )
        names = [model.variables[i] for i in self.q] + [f"v.{model.variables[i]}" for i in self.v]
        self.turned = {name: pose[:3, :3] for name, pose in frames.items() if pose.ndim == 2}
        self.frames = {name: pose[:3, 3] if pose.ndim == 2 else pose for name, pose in frames.items()}
        self.names = (
            *names,
            *(f"{frame}.{axis}" for frame in frames for axis in "xyz"),
            *(f"{frame}.turn_{axis}" for frame in self.turned for axis in "xyz"),
            *(f"{ball}.turn_{axis}" for ball in balls for axis in "xyz"),
        )
        self.balls = {name: (*model._balls[name], Q) for name, Q in balls.items()}
        self.weight: Array | None = None if weight is None else self._weights(weight)
        _check_constraints(at, values, balls, where)

    def _weights(self, weight: Any) -> Array:
        where = self.at.where
        if not len(self):
            raise ModelError(
                asked=f"end_weight of {where}",
                found="no end that it weighs",
                do="give end=..., such as end={'angle': 0.0}, or leave end_weight out",
            )
        if not isinstance(weight, Mapping):
            return weight_vector(weight, self.names, "end_weight", where)
        wholes = [name for name in (*self.frames, *self.balls) if name not in self.names]
        weight = with_rates(weight, self.at.model.balls, ("v.",), "end_weight", where)
        out = np.full(len(self.names), np.nan)
        for name, value in weight.items():
            whole = name in wholes
            if not whole and name not in self.names:
                raise unknown_name("weight", str(name), (*wholes, *self.names), f"end_weight of {where}")
            rows = [
                i for i, row in enumerate(self.names) if (row.rpartition(".")[0] if whole else row) == name
            ]
            out[rows] = weight_vector(value, [self.names[i] for i in rows], "end_weight", where)
        absent = [name for name, one in zip(self.names, out, strict=True) if np.isnan(one)]
        if absent:
            at_rest = all(name.startswith("v.") for name in absent)
            raise ModelError(
                asked=f"end_weight of {where}",
                found=f"no weight of {quoted(absent)}, which the end has"
                + (" because the motion ends at rest" if at_rest else ""),
                do=f"weigh them too, such as {absent[0]!r}: 1.0, 0.0 for none"
                + (", or give rest=False" if at_rest else ""),
            )
        return out

    def __len__(self) -> int:
        return len(self.names)

    @property
    def hard(self) -> bool:
        """Whether the rows are conditions."""
        return self.weight is None and len(self) > 0

    def _motion(self, x: Array) -> Any:
        model, rows = self.at.model, len(x)
        return velocities(model, x, np.zeros((rows, model.nk)), np.full(rows, self.at.times[-1]))

    def values(self, x: Array) -> Array:
        """e, (rows,)."""
        model = self.at.model
        q = x[: model.nq]
        parts = [model._variables_of(q)[self.q]]
        if len(self.v):
            parts.append(model.velocity(q, x[model.nq :], t=float(self.at.times[-1]))[self.v])
        flat = np.concatenate(parts) - self.target
        places = [model.pose(f, q)[:3, 3] - p for f, p in self.frames.items()]
        turns = [orientation(T, model.pose(f, q)[:3, :3]) for f, T in self.turned.items()]
        own = [turn(T, q[k : k + 4]) for _, k, T in self.balls.values()]
        return np.concatenate([flat, *places, *turns, *own])

    def jacobian(self, x: Array) -> Array:
        """de/dx, (rows, nx)."""
        model = self.at.model
        C = np.zeros((len(self), model.nv + model.nd))
        C[np.arange(len(self.q)), self.q] = 1.0
        first = len(self.q)
        if len(self.v):
            C[first : first + len(self.v)] = self._motion(x[None]).by_state[0][self.v]
        first += len(self.v)
        for i, frame in enumerate(self.frames):
            C[first + 3 * i : first + 3 * i + 3, : model.nv] = position_dq(model, frame, x[: model.nq])
        first += 3 * len(self.frames)
        for i, (frame, T) in enumerate(self.turned.items()):
            R, dR = self._axes(frame, x)
            C[first + 3 * i : first + 3 * i + 3, : model.nv] = orientation_dq(T, R, dR)
        first += 3 * len(self.turned)
        for i, (place, k, T) in enumerate(self.balls.values()):
            C[first + 3 * i : first + 3 * i + 3, place : place + 3] = turn_dq(T, x[k : k + 4])
        return C

    def _axes(self, frame: str, x: Array) -> tuple[Array, Array]:
        q = x[: self.at.model.nq]
        return self.at.model.pose(frame, q)[:3, :3], self.at.model.pose_dq(frame, q)[:, :3, :3]

    def second(self, x: Array, nu: Array, directions: Array | None = None) -> Array:
        """d²(nu . e)/dx dx, (nx, nx), symmetric, or along moves (nx, r) alone, (r, r); balls turn in their own axes."""
        nx = self.at.model.nv + self.at.model.nd
        of_velocities = self._second_of_velocities(x, nu, np.eye(nx) if directions is None else directions)
        rest = self._second_of_frames(x, nu)
        return of_velocities + (rest if directions is None else directions.T @ rest @ directions)

    def _second_of_velocities(self, x: Array, nu: Array, along: Array) -> Array:
        model, first, count = self.at.model, len(self.q), along.shape[1]
        weights = nu[first : first + len(self.v)]
        if count == 0 or not np.any(weights != 0.0):
            return np.zeros((count, count))
        q, p = x[: model.nq], x[model.nq :]
        size = 1.0 + np.abs(np.concatenate([model._variables_of(q), p]))
        largest = np.abs(along / size[:, None]).max(axis=0)
        h = STEP / np.where(largest > 0.0, largest, 1.0)
        moves = np.concatenate([(h * along).T, -(h * along).T])
        turned = model.integrate(np.tile(q, (2 * count, 1)), moves[:, : model.nv])
        moved = np.concatenate([turned, p + moves[:, model.nv :]], axis=1)
        slopes = np.einsum("bvi,v->bi", self._motion(moved).by_state[:, self.v], weights)
        out = (slopes[:count] - slopes[count:]) @ along / (2.0 * h[:, None])
        return np.asarray(0.5 * (out + out.T))

    def _second_of_frames(self, x: Array, nu: Array) -> Array:
        model, nx = self.at.model, self.at.model.nv + self.at.model.nd
        out, q = np.zeros((nx, nx)), x[: model.nq]
        first = len(self.q) + len(self.v)
        for i, frame in enumerate(self.frames):
            second = model.pose_dqdq(frame, q)[..., :3, 3]
            out[: model.nv, : model.nv] += second @ nu[first + 3 * i : first + 3 * i + 3]
        first += 3 * len(self.frames)
        for i, (frame, T) in enumerate(self.turned.items()):
            ddR = model.pose_dqdq(frame, q)[..., :3, :3]
            weights = nu[first + 3 * i : first + 3 * i + 3]
            out[: model.nv, : model.nv] += orientation_dqdq(T, *self._axes(frame, x), ddR, weights)
        first += 3 * len(self.turned)
        for i, (place, k, T) in enumerate(self.balls.values()):
            weights = nu[first + 3 * i : first + 3 * i + 3]
            out[place : place + 3, place : place + 3] += turn_dqdq(T, x[k : k + 4], weights)
        return 0.5 * (out + out.T)


def _parts(at: Setting, end: Any, where: str) -> tuple[dict[str, float], dict[str, Array], dict[str, Array]]:
    """Values by name of (q, v), positions or poses by name of frames, and quaternions by name of balls."""
    model = at.model
    if end is None:
        return {}, {}, {}
    if isinstance(end, State):
        values, balls = _of_configuration(model, end.q)
        rates = zip(model.dynamic, end.v[: model.nd].tolist(), strict=True)
        return values | {f"v.{name}": rate for name, rate in rates}, {}, balls
    if not isinstance(end, Mapping):
        values, balls = _of_configuration(model, single_configuration(model, end, at.where, "end"))
        return values, {}, balls
    values, frames, balls = {}, {}, {}
    single = [name for name in state_names(model) if name in model.coordinates or name not in model.variables]
    for name, value in _with_rates_of_balls(model, end, where).items():
        if name in model.balls and not (name in model.frames and np.shape(value) == (4, 4)):
            balls[name] = one_rotation(value, name, name in model.frames, where)
            continue
        if name not in single and name not in model.frames:
            raise unknown_target(model, str(name), single, "variable, velocity, ball or frame", where)
        array = numbers_of(value, f"{name!r} in {where}")
        wanted: tuple[int, ...] = ()
        if name in single:
            values[name] = float(array) if array.ndim == 0 else np.nan
        else:
            wanted = (4, 4) if array.ndim == 2 else (3,)
            frames[name] = array
        if array.shape != wanted or not finite(array):
            raise ModelError(
                asked=f"{name!r} in {where}",
                found=f"shape {array.shape}" if array.shape != wanted else "a number that is not finite",
                do="give a number" if wanted == () else "give a position, three numbers, or a pose (4, 4)",
            )
        if wanted == (4, 4):
            _check_pose(array, str(name), where)
    return values, frames, balls


def _of_configuration(model: Model, q: Array) -> tuple[dict[str, float], dict[str, Array]]:
    """The variables of a configuration by name, and the quaternions of its balls."""
    values = {model.variables[i]: float(q[c]) for i, c in zip(*model._single, strict=True)}
    return values, {name: np.array(q[k : k + 4]) for name, (_, k) in model._balls.items()}


def _with_rates_of_balls(model: Model, end: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The end, with the rates of balls as single numbers."""
    rates = {f"v.{ball}": value for ball in model.balls if (value := end.get(f"v.{ball}")) is not None}
    return {name: value for name, value in end.items() if name not in rates} | expanded(
        rates, "v", where, rates
    )


def _check_pose(pose: Array, name: str, where: str) -> None:
    """Raise unless the matrix moves and turns, and nothing else."""
    R = pose[:3, :3]
    off = max(float(np.abs(R.T @ R - np.eye(3)).max()), float(np.abs(pose[3] - [0.0, 0.0, 0.0, 1.0]).max()))
    if off > TURNED or np.linalg.det(R) < 0.0:
        raise ModelError(
            asked=f"{name!r} in {where}",
            found=f"a matrix that is not a pose: its axes are off by {off:.3g}"
            if off > TURNED
            else "axes that are left-handed",
            do="give a pose as model.pose(frame, q) does",
        )


def _check_constraints(at: Setting, values: dict[str, float], balls: dict[str, Array], where: str) -> None:
    """Raise if all variables are given and violate the constraints."""
    model = at.model
    given: dict[str, Any] = {name: values[name] for name in model.variables if name in values} | balls
    if model.nc == 0 or len(given) < model.nv - 2 * len(model.balls):
        return
    h = model.constraint(model.configuration(given), t=float(at.times[-1]))
    worst = int(np.abs(h).argmax())
    if abs(h[worst]) > HELD:
        raise ModelError(
            asked=where,
            found=f"constraint {model.constraints[worst]!r} is violated by {abs(h[worst]):.3g}",
            do="give the q of model.assemble(q), or the values of independent variables alone",
        )
