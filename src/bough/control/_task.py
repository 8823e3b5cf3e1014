"""The task of a planner from its arguments, all of them checked."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough import validate
from bough._core import core
from bough.arguments import Array, vector
from bough.control._motion import BASE, Task
from bough.elements.forces import ConfigurationForce
from bough.errors import ModelError, quoted, unknown_name
from bough.model.model import Model
from bough.motion.consistent_start import single
from bough.motion.reduced_base import body_momentum


@dataclass(frozen=True)
class Arguments:
    """The arguments common to `plan` and `reorient`, as given."""

    target: Any
    q: Any
    v: Any
    r: Any
    free: Any
    duration: Any
    steps: Any
    lower: Any
    upper: Any
    velocity: Any
    effort: Any
    weight: Any


def task(model: Model, given: Arguments, dynamic: bool, where: str) -> Task:
    """The checked task."""
    _check_model(model, where)
    names = model.variables[BASE:]
    steps = whole_number(given.steps, 4, "steps", "such as steps=100", where)
    duration = validate.positive(given.duration, "duration", where)
    q = np.zeros(model.nv) if given.q is None else single(given.q, model.variables, "q", where)
    v = np.zeros(model.nv) if given.v is None else single(given.v, model.variables, "v", where)
    fixed = np.array([name not in _free(given.free, names, where) for name in names])
    shape = q[BASE:] if given.r is None else _shape(given.r, q, names, where)
    at_start, at_end = (model.reduced(r, order=0).S for r in (q[BASE:], shape))
    typical = np.maximum(np.diag(at_start), np.diag(at_end)) if dynamic else np.ones(len(names))
    momentum = np.concatenate((model.angular_momentum(q, v), model.linear_momentum(q, v)))
    moving = bool(np.abs(momentum).max() > 0.0)
    if moving:
        _check_moving(momentum, v, fixed, dynamic, where)
    pose = base_pose(q[:BASE])
    attitude = _attitude(model, given.target, q, shape, fixed, where)
    low, high = _bounds(given, names, where)
    _check_bounds(q[BASE:], shape, fixed, low, high, duration, dynamic, names, where)
    end = np.zeros(len(names))
    start = np.zeros(len(names))
    if moving:
        A0, A1 = model.connection(q[BASE:]), model.connection(shape)
        start = A0.T @ body_momentum(pose, momentum)
        end = A1.T @ body_momentum(_target_pose(pose, attitude), momentum)
    return Task(
        model=model,
        steps=steps,
        h=duration / steps,
        dynamic=dynamic,
        momentum=momentum if moving else np.empty(0),
        pose=pose,
        base=q[:BASE].copy(),
        start=q[BASE:].copy(),
        start_momentum=start,
        attitude=attitude,
        shape=shape.copy(),
        fixed=fixed,
        end_momentum=end,
        momentum_scale=typical / duration,
        weight=_weights(given.weight, names, where),
        low=low,
        high=high,
    )


def base_pose(q: Array) -> Array:
    """The pose of a free base from its six variables tx, ty, tz, rz, ry, rx."""
    from scipy.spatial.transform import Rotation

    g = np.eye(4)
    g[:3, :3] = Rotation.from_euler("ZYX", q[3:]).as_matrix()
    g[:3, 3] = q[:3]
    return g


def _target_pose(pose: Array, attitude: Array | None) -> Array:
    g = pose.copy()
    if attitude is not None:
        g[:3, :3] = attitude
    return g


def reachable(model: Model, target: Any, q: Any, r: Any, where: str) -> Array:
    """The pose of the base with the attitude of a target, a shape r, and the centre of mass of q."""
    _check_base(model, where)
    whole = np.zeros(model.nv) if q is None else single(q, model.variables, "q", where)
    shape = whole[BASE:] if r is None else _shape(r, whole, model.variables[BASE:], where)
    pose = _pose(target, where)
    pose[:3, 3] = position(model, whole, pose[:3, :3], shape)
    return pose


def _check_base(model: Any, where: str) -> None:
    if not isinstance(model, Model):
        raise ModelError(asked=where, found="not a model", do="give a model, made by system.build()")
    if not core.has_free_base(model._core) or model.nk:
        raise ModelError(
            asked=where,
            found="kinematic variables" if model.nk else "no free base that everything hangs from",
            do="hang the whole tree from one system.world.free(...), with dynamic variables only",
        )


def _check_model(model: Any, where: str) -> None:
    _check_base(model, where)
    names = model.variables[BASE:]
    if not names:
        raise ModelError(asked=where, found="no joint variable", do="give the base at least one joint")
    if any(model.system.gravity):
        raise ModelError(
            asked=where,
            found="gravity, which moves all bodies alike",
            do="plan in the frame that falls with the body: gravity=(0, 0, 0)",
        )
    driven = {}
    for element in model._elements:
        known = isinstance(element, ConfigurationForce) and isinstance(element.value, str)
        geared = known and (element.gear is not None or element.effort is not None)
        if not known or geared:
            raise ModelError(
                asked=where,
                found="a ConfigurationForce with a gear or an effort, which the planner does not know"
                if geared
                else f"{type(element).__name__}, which the planner does not know",
                do="plan with a model whose only elements are a ConfigurationForce with an input per joint",
            )
        driven[element.variable] = element.value
    missing = [name for name in names if name not in driven]
    if missing or len(driven) != len(names) or len(set(driven.values())) != len(names):
        raise ModelError(
            asked=where,
            found=f"no input of their own for {quoted(missing)}"
            if missing
            else "inputs on the base, or one input on several joints",
            do="give every joint variable its own input:"
            f" system.add(bough.ConfigurationForce({(missing or names)[0]!r},"
            f" {(missing or names)[0] + '_torque'!r}))",
        )


def whole_number(value: Any, least: int, what: str, such_as: str, where: str) -> int:
    """An integer that is not too small."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ModelError(
            asked=f"{what}={validate.shown(value)} in {where}",
            found=f"not a whole number of at least {least}",
            do=f"give a whole number, {such_as}",
        )
    return int(value)


def _free(free: Any, names: Sequence[str], where: str) -> set[str]:
    listed = (free,) if isinstance(free, str) else tuple(free)
    for name in listed:
        if name not in names:
            raise unknown_name("joint variable", str(name), names, f"free of {where}")
    return set(listed)


def _shape(r: Any, q: Array, names: Sequence[str], where: str) -> Array:
    """The shape at the end: the variables that are not named keep their values."""
    if not isinstance(r, Mapping):
        return single(r, names, "r", where, "joint variables")
    vector(r, names, "r", where, "joint variables")
    return np.array([float(r.get(name, value)) for name, value in zip(names, q[BASE:], strict=True)])


def _check_moving(momentum: Array, v: Array, fixed: Array, dynamic: bool, where: str) -> None:
    found = do = ""
    size = np.abs(momentum).max()
    if not dynamic:
        found, do = "a start with momentum", "use bough.control.plan, which includes momentum"
    elif np.abs(v[BASE:]).max() > 1e-12 * np.abs(v).max():
        found, do = "joints that move at the start", "give v for the base alone: the joints start at rest"
    elif np.abs(momentum[3:]).max() > 1e-9 * size:
        found = "a centre of mass that moves"
        do = "plan in the frame that moves with the centre of mass: choose v so that linear_momentum is zero"
    elif not fixed.all():
        found, do = "free joints at the end of a motion with momentum", "leave free out"
    if found:
        raise ModelError(asked=f"v of {where}", found=found, do=do)


def _attitude(model: Model, target: Any, q: Array, shape: Array, fixed: Array, where: str) -> Array | None:
    if target is None:
        return None
    pose = _pose(target, where)
    if np.shape(target) == (4, 4):
        if not fixed.all():
            raise ModelError(
                asked=f"target of {where}",
                found="a pose with a position, but the shape at the end is free",
                do="give the attitude alone, as 3x3 numbers: the position follows from the shape",
            )
        nearest = position(model, q, pose[:3, :3], shape)
        away = float(np.linalg.norm(nearest - pose[:3, 3]))
        if away > 1e-6 * (1.0 + np.abs(nearest).max()):
            x, y, z = nearest
            raise ModelError(
                asked=f"target of {where}",
                found=f"outside reach: the base would have to be {away:.3g} m from where its attitude and the"
                " joints put it, because no joint moves the centre of mass",
                do=f"give the position ({x:.6g}, {y:.6g}, {z:.6g}), or the attitude alone, as 3x3 numbers",
            )
    attitude: Array = pose[:3, :3].copy()
    return attitude


def _pose(target: Any, where: str) -> Array:
    """An attitude or a pose, checked, as a pose."""
    wanted = "3x3 numbers (attitude) or 4x4 numbers (pose)"
    matrix = validate.array(target, ((3, 3), (4, 4)), "target", where, wanted)
    pose: Array = np.eye(4)
    pose[: len(matrix), : len(matrix)] = matrix
    return validate.pose(pose, f"target of {where}")


def position(model: Model, q: Array, attitude: Array, shape: Array) -> Array:
    """The position of the base at the end, such that the centre of mass stays fixed."""
    origin = np.concatenate((np.zeros(BASE), shape))
    where: Array = model.center_of_mass(q) - attitude @ model.center_of_mass(origin)
    return where


def _numbers(value: Any, names: Sequence[str], what: str, where: str, default: float) -> Array:
    """One number for all, or numbers by name; `default` for those not named."""
    if value is None:
        return np.full(len(names), default)
    if validate.is_real(value):
        return np.full(len(names), validate.real(value, what, where))
    if not isinstance(value, Mapping):
        return single(value, names, what, where, "joint variables")
    vector(value, names, what, where, "joint variables")
    return np.array([float(value.get(name, default)) for name in names])


def _weights(value: Any, names: Sequence[str], where: str) -> Array:
    weight = _numbers(1.0 if value is None else value, names, "weight", where, 1.0)
    for name, number in zip(names, weight, strict=True):
        validate.positive(float(number), f"weight of {name!r}", where)
    return weight


def _bounds(given: Arguments, names: Sequence[str], where: str) -> tuple[Array, Array]:
    low = _numbers(given.lower, names, "lower", where, -np.inf)
    high = _numbers(given.upper, names, "upper", where, np.inf)
    for name, a, b in zip(names, low, high, strict=True):
        if a >= b:
            raise ModelError(
                asked=f"limits of {name!r} in {where}",
                found=f"lower {a:g} is not below upper {b:g}",
                do="give lower below upper",
            )
    sizes = []
    for what in ("velocity", "effort"):
        size = _numbers(getattr(given, what), names, what, where, np.inf)
        for name, number in zip(names, size, strict=True):
            if np.isfinite(number):
                validate.positive(float(number), f"{what} of {name!r}", where)
        sizes.append(size)
    return np.concatenate((low, *(-s for s in sizes))), np.concatenate((high, *sizes))


def _check_bounds(
    start: Array,
    end: Array,
    fixed: Array,
    low: Array,
    high: Array,
    duration: float,
    dynamic: bool,
    names: Sequence[str],
    where: str,
) -> None:
    """Raise if no motion can meet the limits."""
    n = len(names)
    for i, name in enumerate(names):
        for what, value in (("start", start[i]), ("end", end[i] if fixed[i] else start[i])):
            if not low[i] <= value <= high[i]:
                raise ModelError(
                    asked=f"limits of {name!r} in {where}",
                    found=f"its {what}, {value:g}, is not between {low[i]:g} and {high[i]:g}",
                    do="give limits that contain the start and the end",
                )
        distance = abs(end[i] - start[i]) if fixed[i] else 0.0
        # from rest to rest: a peak above the mean velocity, and an acceleration of 4 distance/duration²
        if distance / duration >= high[n + i]:
            raise ModelError(
                asked=f"velocity of {name!r} in {where}",
                found=f"a limit of {high[n + i]:g}, but its mean over {distance:g} in {duration:g} s is"
                f" {distance / duration:g}",
                do="allow a higher velocity or a longer duration",
            )
        if not dynamic and 4.0 * distance / duration**2 >= high[2 * n + i]:
            raise ModelError(
                asked=f"effort of {name!r} in {where}",
                found=f"an acceleration of at most {high[2 * n + i]:g}, but from rest to rest over"
                f" {distance:g} in {duration:g} s needs {4.0 * distance / duration**2:g}",
                do="allow a higher effort or a longer duration",
            )
