"""The linearised step at a pose, on coordinates along the constraints: docs/theory/control.md, section 9."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from bough.arguments import Array, Vector
from bough.control._step import Step
from bough.control._velocity import Velocities, velocities
from bough.errors import BoughWarning, ModelError, quoted, warn
from bough.model.model import Model
from bough.motion.consistent_start import single
from bough.motion.equilibrium import Equilibrium
from bough.motion.state import State
from bough.motion.statics import extents

AT_REST = 1e-6  # acceleration allowed at rest, relative to that without inputs
FAR = 0.5  # rad, or part of the extent of the system: distance of a rest from where its search began that is told
SMALL = 1e-9  # singular values of constraints and rows that count as zero, relative


class Pose(NamedTuple):
    """A step linearised about a pose at rest.

    A, B : of the reduced state xi = (eta, pi), along the constraints  (OV3)
    lift : (nx, r), dx = lift xi;  restrict : (r, nx), xi = restrict dx
    motion : velocities and their derivatives at the pose, rows of one
    x, c : the state that repeats itself under the control c
    """

    step: Step
    x: Array
    c: Array
    A: Array
    B: Array
    lift: Array
    restrict: Array
    motion: Velocities


def pose_at(
    model: Model,
    q: Vector | Equilibrium | State | None,
    u: Vector | None,
    step: Step,
    where: str,
    *,
    rest: bool,
) -> Pose:
    """The linearised step at a pose with inputs u; those that hold it, if u is None."""
    values = _values_of(model, q, where)
    begin = step.integrator.start(q=values)
    at = np.asarray(begin.q)
    inputs = holding_inputs(model, at) if u is None else single(u, model.inputs, "u", where, "inputs")
    if rest:
        _check_rest(model, at, inputs, where)
    c = np.concatenate([inputs, at[model.nq - model.nk :]])
    x = step(np.concatenate([at, np.asarray(begin.p)]), c)
    x[: model.nq] = at
    A, B = step.jacobians(x, c)
    motion = velocities(model, x[None], np.zeros((1, model.nk)), np.zeros(1))
    nq, nd = model.nv, model.nd
    Dh = model.constraint_dq(at)
    along = null_space(Dh, nq)
    tangent = null_space(Dh[:, :nd], nd)
    H = motion.momentum_by_q[0]  # impulses of the constraints turn with q  (OV2)
    lift = np.block([[along, np.zeros((nq, tangent.shape[1]))], [H @ along, tangent]])
    restrict = np.block([[along.T, np.zeros((along.shape[1], nd))], [-tangent.T @ H, tangent.T]])
    return Pose(step, x, c, restrict @ A @ lift, restrict @ B, lift, restrict, motion)  # (OV3)


def _values_of(model: Model, q: Vector | Equilibrium | State | None, where: str) -> Vector | None:
    """The numbers of a pose; a rest far from where its search began is told, and a state that moves is refused."""
    if isinstance(q, State):
        fastest = int(np.abs(q.v).argmax()) if model.nv else 0
        if model.nv and q.v[fastest] != 0.0:
            raise ModelError(
                asked=f"q in {where}",
                found=f"a state that moves: {model.variables[fastest]!r} by {q.v[fastest]:.3g} a second",
                do="give its q alone, q=state.q, to hold that pose; or a run, for feedback along a motion",
            )
        return np.asarray(q.q)
    if not isinstance(q, Equilibrium):
        return q
    if q.start is not None:
        moved = np.abs(model.difference(q.start, q.q))
        parts = moved / extents(model, q.q)
        i = int(np.argmax(parts)) if model.nv else 0
        if model.nv and parts[i] > FAR:
            warn(
                f"{where}: the pose is {moved[i]:.3g} from the q that equilibrium() was given, in"
                f" {model.variables[i]!r}: the rest that was found there, {q.stability}, is the pose."
                f" For the rest nearest to a q, stable or not, take {_search_for_rest(model, q.q)};"
                " if this pose is meant, give its q",
                BoughWarning,
            )
    return q.q


def null_space(D: Array, size: int) -> Array:
    """An orthonormal basis, (size, r), of the moves that rows D allow."""
    if len(D) == 0:
        return np.eye(size)
    _, s, V = np.linalg.svd(D)
    rank = int((s > SMALL * max(float(s.max(initial=0.0)), 1e-300)).sum())
    return np.ascontiguousarray(V[rank:].T)


def holding_inputs(model: Model, q: Array) -> Array:
    """The least inputs that hold a pose, as far as inputs can."""
    if model.nu == 0:
        return np.zeros(0)
    rest = np.zeros((model.nu + 1, model.nv))
    u = np.vstack([np.zeros(model.nu), np.eye(model.nu)])
    a = model.acceleration(np.tile(q, (model.nu + 1, 1)), rest, u)[:, : model.nd]
    return np.asarray(np.linalg.lstsq((a[1:] - a[0]).T, -a[0], rcond=None)[0])


def _check_rest(model: Model, q: Array, u: Array, where: str) -> None:
    a = np.asarray(model.acceleration(q, np.zeros(model.nv), u))[: model.nd]
    worst = int(np.abs(a).argmax()) if len(a) else 0
    if len(a) and abs(a[worst]) > AT_REST * (9.81 + np.abs(a).max()):
        raise ModelError(
            asked=f"{where} at a pose",
            found=f"no rest: {model.variables[worst]!r} accelerates by {a[worst]:.3g} with these inputs",
            do=f"give a pose from {_search_for_rest(model, q)}, or u that holds this one",
        )


def _search_for_rest(model: Model, q: Array) -> str:
    """The call that finds a rest near a pose; the variables that inputs act on, which can hold them, are held."""
    acted = np.any(model.generalized_force_du(q, np.zeros(model.nv), np.zeros(model.nu)) != 0.0, axis=1)
    held = tuple(name for name, acts in zip(model.variables[: model.nd], acted, strict=False) if acts)
    if not held or len(held) == model.nd or model.balls:
        return "model.equilibrium(q, nearest=True)"
    return f"model.equilibrium(q, nearest=True, hold={held})"


class Reach(NamedTuple):
    """Whether inputs reach, or measurements see, all motions near a pose.

    Attributes
    ----------
    complete : bool
    rank, size : how many directions of the state (q, v) along the constraints are reached, and how many there are
    missing : array (nv + nd, size - rank)
        Directions (q, v) that are not.
    names : of (q, v), the rows of `missing`

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> found = bough.control.controllability(model, {"angle": 0.0})
    >>> found.complete, found.rank, found.size
    (True, 4, 4)
    >>> found
    <Reach: all 4 directions of (q, v)>
    """

    complete: bool
    rank: int
    size: int
    missing: Array
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        if self.complete:
            return f"<Reach: all {self.size} directions of (q, v)>"
        most = dict.fromkeys(self.names[int(i)] for i in np.abs(self.missing).argmax(axis=0))
        return f"<Reach: {self.rank} of {self.size} directions of (q, v); missing mostly {quoted(most)}>"


def controllability(
    model: Model, q: Vector | Equilibrium | State | None = None, u: Vector | None = None, *, dt: float = 0.01
) -> Reach:
    """Whether the controls can steer the motion near a pose: the rank of (B, AB, A²B, …) along the constraints.

    Parameters
    ----------
    model : Model
    q : the pose, what `model.equilibrium` returned, or a state at rest
    u : inputs at the pose, by default the least that hold it
    dt : the step that A and B are taken of

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> bough.control.controllability(model, {"angle": 0.0}).complete
    True
    """
    where = f"control.controllability() of model {model.name!r}"
    pose = pose_at(model, q, u, Step(model, dt), where, rest=True)
    return _reach(pose, _reached(pose.A, pose.B))


def observability(
    model: Model,
    measure: str | list[str] | tuple[str, ...],
    q: Vector | Equilibrium | State | None = None,
    u: Vector | None = None,
    *,
    dt: float = 0.01,
) -> Reach:
    """Whether measurements tell the motion near a pose.

    measure : what is measured, as of `bough.control.kalman`; the other parameters are those of `controllability`

    Examples
    --------
    >>> import bough
    >>> model = bough.gallery.cart_pole().build()
    >>> bough.control.observability(model, ["x"], {"angle": 0.0}).complete
    True
    >>> bough.control.observability(model, ["angle"], {"angle": 0.0}).complete  # where the cart is stays unknown
    False
    """
    from bough.control._measurement import Measurement

    where = f"control.observability() of model {model.name!r}"
    pose = pose_at(model, q, u, Step(model, dt), where, rest=True)
    C = Measurement(model, measure, where).jacobian(pose.x) @ pose.lift
    return _reach(pose, _reached(pose.A.T, C.T))


def _reached(A: Array, B: Array) -> Array:
    """An orthonormal basis of the span of B, AB, A²B, …, one block at a time, columns scaled."""
    basis = np.zeros((len(A), 0))
    block = B
    while block.shape[1] and basis.shape[1] < len(A):
        sizes = np.linalg.norm(block, axis=0)
        kept = block[:, sizes > 0.0] / sizes[sizes > 0.0]
        kept = kept - basis @ (basis.T @ kept)
        kept = kept - basis @ (basis.T @ kept)
        U, s, _ = scipy.linalg.svd(kept, full_matrices=False) if kept.size else (kept, np.zeros(0), kept)
        new = U[:, s > 1e-8]
        basis, block = np.hstack([basis, new]), (A - np.eye(len(A))) @ new
    return basis


def _reach(pose: Pose, basis: Array) -> Reach:
    size = len(pose.A)
    nq = pose.step.model.nv
    missing = pose.lift @ null_space(basis.T, size)
    missing[nq:] = pose.motion.by_state[0] @ missing
    names = (*pose.step.model.variables, *(f"v.{name}" for name in pose.step.model.dynamic))
    return Reach(basis.shape[1] == size, basis.shape[1], size, missing, names)
