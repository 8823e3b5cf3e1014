"""The modes of small motions about a rest: natural frequencies, damping, shapes.

Along the constraints, q - q0 = S N y, small motions obey M y'' + C y' + K y = 0 as at (ST8); y = Y exp(s t) has the
roots s of (ST10). Moves that nothing drives back or damps, as those of a free body, are set apart from the others,

    K Z = K^T Z = 0,  C Z = C^T Z = 0 :   y = Z a + W b,  Z^T M W = 0,  a'' = 0                          (ST14)

since round-off would split their double roots s = 0 into pairs of which one grows. With the mass as unit,
W^T M W = 1, the others are the eigenvalues of [[0, 1], [-K, -C]]; without damping and with a potential, K is symmetric,
K Y = -s^2 Y, and the shapes are real.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.arguments import Array, Vector
from bough.errors import ModelError
from bough.model.holonomic import need_holonomic
from bough.model.model import Model
from bough.model.projection import free_places, inverse_root
from bough.motion.assemble_contacts import penetrated
from bough.motion.consistent_start import consistent, single
from bough.motion.equilibrium import Equilibrium
from bough.motion.rest_stability import damping_along, signs_and_directions, singular, vibrations
from bough.motion.single_state import single_configuration
from bough.motion.state import State
from bough.motion.statics import Point, Search

ZERO = 1e-9  # imaginary part of a root, or entry of a matrix, relative to the largest one, that is round-off
ROUND_OFF = 1e-13  # size of a root, relative to the largest one, that is round-off


@dataclass(frozen=True, eq=False)
class Modes:
    """The modes of small motions about a rest, the slowest first.

    An oscillation is one mode, and so is a motion that nothing drives back or damps, with the root 0; a motion that
    creeps back or falls away has a mode for each real root.

    Attributes
    ----------
    roots : complex array (n,)
        s of the motions exp(s t), 1/s; of a conjugate pair the one above the real axis.
    shapes : array (nv, n)
        How the variables move in each mode, the largest of them by 1; complex if they do so one after the other.
    variables : tuple of str
        The names of the rows of `shapes`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("double pendulum")
    >>> elbow = system.world.ry("upper").tz(-1.0, mass=1.0)
    >>> tip = elbow.ry("lower").tz(-1.0, mass=1.0)
    >>> modes = system.build().modes()
    >>> modes.frequencies.round(4)
    array([0.3815, 0.9211])
    >>> {name: round(size, 6) for name, size in modes.shape(0).items()}
    {'upper': 1.0, 'lower': 0.414214}
    """

    roots: npt.NDArray[np.complex128]
    shapes: npt.NDArray[Any]
    variables: tuple[str, ...]

    @property
    def frequencies(self) -> Array:
        """The frequencies of the oscillations in Hz, (n,), with damping; zero for motions without one."""
        return np.abs(self.roots.imag) / (2.0 * np.pi)

    @property
    def natural_frequencies(self) -> Array:
        """Sizes of the roots in Hz, (n,): frequencies without damping, if it is proportional to mass or stiffness."""
        return np.abs(self.roots) / (2.0 * np.pi)

    @property
    def damping(self) -> Array:
        """The damping ratios, (n,): 0 without damping, 1 if it just does not oscillate, negative if it grows."""
        size = np.abs(self.roots)
        return np.asarray(0.0 - self.roots.real / np.where(size > 0.0, size, 1.0))

    def shape(self, mode: int) -> dict[str, Any]:
        """How the variables move in one mode, by name."""
        return dict(zip(self.variables, self.shapes[:, mode].tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.roots)

    def __str__(self) -> str:
        lines = [f"{'mode':>4} {'frequency [Hz]':>15} {'damping':>9}   moves most"]
        for i, (frequency, damping) in enumerate(zip(self.frequencies, self.damping, strict=True)):
            most = self.variables[int(np.argmax(np.abs(self.shapes[:, i])))]
            lines.append(f"{i:>4} {frequency:>15.6g} {damping:>9.3g}   {most}")
        return "\n".join(lines)


def modes(
    model: Model,
    q: Vector | Equilibrium | State | None,
    u: Vector | None,
    hold: str | Iterable[str],
    t: float = 0.0,
) -> Modes:
    """The modes about a rest; see `Model.modes`."""
    where = f"modes() of model {model.name!r}"
    need_holonomic(model, where, "with which small motions are no vibrations", "leave it out")
    held = [hold] if isinstance(hold, str) else list(hold)
    inputs = np.zeros(model.nu) if u is None else single(u, model.inputs, "u", where, "inputs")
    if q is None:
        q = model.equilibrium(None, inputs, hold=held, t=t)
    at = q.q if isinstance(q, Equilibrium | State) else q
    place = single_configuration(model, np.asarray(at) if isinstance(q, Equilibrium | State) else at, where)
    consistent(model, place, where, t)
    search = Search(model, free_places(model, held, where), inputs, t, place)
    point = search.point(place)
    if not search.converged(point):
        raise _moves(search, point, where)
    _refuse_closed(model, place, t, where)
    if singular(search, point):
        raise ModelError(
            asked=where,
            found="a singular position: the constraints allow more motions here than nearby",
            do="give a rest at which the mechanism is neither folded nor stretched out",
        )
    roots, along = _solved(search, point)
    shapes = np.zeros((model.nv, len(roots)), dtype=along.dtype)
    shapes[search.free] = along
    most = np.argmax(np.abs(shapes), axis=0) if len(roots) else np.zeros(0, dtype=np.intp)
    shapes = shapes / shapes[most, np.arange(len(roots))]
    together = np.abs(shapes.imag).max(initial=0.0) <= ZERO
    shapes = (shapes.real if together else shapes) + 0.0  # not -0
    return Modes(roots, shapes, model.variables)


def _solved(search: Search, point: Point) -> tuple[npt.NDArray[np.complex128], npt.NDArray[Any]]:
    """The roots of (ST10), slowest first, and the moves of the free variables."""
    free, along = search.free, point.scale[:, None] * point.N
    M = along.T @ search.model.mass_matrix(point.q)[np.ix_(free, free)] @ along
    K, C = point.stiffness, damping_along(search, point)
    signs, directions = signs_and_directions(search, point)
    Z = _indifferent(directions[:, signs == 0], K, C)
    W = np.linalg.qr(M @ Z, mode="complete")[0][:, Z.shape[1] :]  # (ST14)
    M, K, C = (W.T @ part @ W for part in (M, K, C))
    if not C.any() and _off(K, K.T) <= ZERO:
        squares, moves = vibrations(K, M, bool((signs >= 0).all()))
        pairs = [(s, i) for i, square in enumerate(squares) for s in _roots_of(square)]
        pairs.sort(key=lambda pair: (abs(pair[0]), pair[0].real))
        s, moves = np.array([s for s, _ in pairs], dtype=complex), moves[:, [i for _, i in pairs]]
    else:
        s, moves = _damped(M, K, C)
    return np.concatenate([np.zeros(Z.shape[1]), s]), along @ np.hstack([Z, W @ moves])


def _indifferent(without_stiffness: Array, K: Array, C: Array) -> Array:
    """Z of (ST14), of directions in which the symmetric part of K is zero."""
    skew = K - K.T if _off(K, K.T) > ZERO else np.zeros_like(K)
    acting = [part / (np.abs(part).max(initial=0.0) or 1.0) for part in (C, C.T, skew)]
    _, sizes, Vt = np.linalg.svd(np.vstack(acting) @ without_stiffness)
    return np.asarray(without_stiffness @ Vt[int((sizes > ZERO).sum()) :].T)


def _off(A: Array, B: Array) -> float:
    """How far two matrices differ, relative to the first."""
    return float(np.abs(A - B).max(initial=0.0)) / (float(np.abs(A).max(initial=0.0)) or 1.0)


def _damped(M: Array, K: Array, C: Array) -> tuple[npt.NDArray[np.complex128], npt.NDArray[Any]]:
    """The same by the eigenvalues of the equations of first order, in a unit of time in which they are of order one."""
    inverse, n = inverse_root(M), len(M)
    K, C = inverse.T @ K @ inverse, inverse.T @ C @ inverse
    fast = max(np.sqrt(np.abs(K).max(initial=0.0)), np.abs(C).max(initial=0.0))
    s, vectors = np.linalg.eig(np.block([[np.zeros((n, n)), np.eye(n)], [-K / fast**2, -C / fast]]))
    s = np.where(np.abs(s.imag) <= ZERO, s.real, s)
    s = fast * np.where(np.abs(s) <= ROUND_OFF, 0.0, s).astype(complex)
    order = [i for i in np.lexsort((s.real, np.abs(s))) if s[i].imag >= 0.0]
    return s[order], inverse @ vectors[:n, order]


def _roots_of(square: float) -> list[complex]:
    """The roots s of s^2 = -square, of a conjugate pair the upper one."""
    root = float(np.sqrt(abs(square)))
    return [1j * root] if square >= 0.0 else [-root + 0j, root + 0j]


def _moves(search: Search, point: Point, where: str) -> ModelError:
    worst = int(np.argmax(point.errors))
    name = search.model.variables[search.free[worst]]
    return ModelError(
        asked=f"q in {where}",
        found=f"no rest: the force on {name!r} is {-point.rest[worst]:.3g}",
        do="give q=model.equilibrium(q), or the inputs u= that hold it, or hold=; a motion is linearised by"
        " bough.control.linearize(run)",
    )


def _refuse_closed(model: Model, q: Array, t: float, where: str) -> None:
    """Raise if a contact is closed, or beyond: it pushes on one side only, and small motions are not linear."""
    if not model.gaps:
        return
    gaps = model.gap(q, t)
    closed = [i for i in range(len(gaps)) if gaps[i] <= 1e-9 * max(1.0, float(model.gap_scale(q, t)[i]))]
    closed = sorted({*closed, *penetrated(model, q, t)})
    if closed:
        raise ModelError(
            asked=where,
            found=f"{model.gaps[closed[0]]!r} is closed, which pushes and does not pull: small motions are not linear",
            do="replace what touches by a constraint, or start where the gap is open",
        )
