"""The papers' piecewise recursions, written literally: the slow, obvious truth that the core is tested by.

Equation numbers are those of [JM09]; 4x4 matrices throughout, one method per equation, the cases in the
printed order with the top-most first. `anc(k)` includes k ([JM08] needs this too, and its eq. 10 is 0, not
xi, in the row of i not in anc(k)). Two generalisations the papers leave out:

- A mass with a centre off the frame's origin or a full tensor is one 6x6 inertia at the frame (the papers
  align it); its potential is that of the point `com`.
- Requirement R2 (one transform per variable) is lifted: every variable transform k is its own coordinate
  s_k = offset_k + ratio_k q_a, the recursions run over the s_k, and the chain rule sums over the transforms
  that share the variable: d/dq_a = sum of ratio_k d/ds_k. Indices i, j, k are frames; a, b variables.

The recursion keeps results (the paper's "caching", III.E) unless `cache=False`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from bough.model.flatten import flatten
from bough.reference.transforms import (
    FIXED,
    Array,
    adjoint,
    body_twist,
    hat,
    inverse_pose,
    local_transform,
    spatial_inertia,
    unhat,
)

ZERO = np.zeros((4, 4))
E = TypeVar("E", bound=Callable[..., Any])


def recursion(equation: E) -> E:
    """Keep the value of an equation until the configuration changes, when caching is on."""

    @wraps(equation)
    def kept(self: TreeRecursion, *frames: int) -> Any:
        if self.kept is None:
            return equation(self, *frames)
        key = (equation.__name__, *frames)
        if key not in self.kept:
            self.kept[key] = equation(self, *frames)
        return self.kept[key]

    return cast(E, kept)


class TreeRecursion:
    """Poses and velocities of a tree at one state (q, v), with their derivatives.

    Parameters
    ----------
    system
        A `bough.System`, or the mapping of flat arrays it compiles to.
    cache
        Keep intermediate results until `at` moves to another state.
    """

    def __init__(self, system: Any, cache: bool = True) -> None:
        if not isinstance(system, Mapping):
            system = flatten(system).arrays
        self.parent = [int(p) for p in system["parent"]]
        self.kind = [int(k) for k in system["kind"]]
        self.variable = [int(a) for a in system["variable"]]
        self.value, self.ratio, self.offset = system["value"], system["ratio"], system["offset"]
        self.fixed_pose, self.screw = system["pose"], system["screw"]
        self.mass, self.com = np.asarray(system["mass"]), np.asarray(system["com"])
        self.gravity = np.asarray(system["gravity"], dtype=float)
        self.nd, self.nv = int(system["n_dynamic"]), int(system["n_variables"])

        frames = range(len(self.parent))
        self.moving = [k for k in frames if self.variable[k] >= 0]
        self.masses = [
            k for k in frames if self.mass[k] != 0.0 or np.any(np.asarray(system["inertia"][k]) != 0.0)
        ]
        self.inertia = {
            k: spatial_inertia(self.mass[k], self.com[k], system["inertia"][k]) for k in self.masses
        }
        self.ancestors: list[frozenset[int]] = []
        for k in frames:
            above = self.ancestors[self.parent[k]] if k > 0 else frozenset()
            self.ancestors.append(above | {k})
        self.chain = np.zeros((len(self.moving), self.nv))  # ds_k / dq_a
        for row, k in enumerate(self.moving):
            self.chain[row, self.variable[k]] = self.ratio[k]

        self.kept: dict[tuple[Any, ...], Any] | None = {} if cache else None
        self.at(np.zeros(self.nv))

    def at(self, q: Sequence[float] | Array, v: Sequence[float] | Array | None = None) -> TreeRecursion:
        """Move to the state (q, v); v is zero unless given. Returns self."""
        self.q = np.array(q, dtype=float)
        self.v = np.zeros(self.nv) if v is None else np.array(v, dtype=float)
        if self.kept is not None:
            self.kept.clear()
        return self

    # --- the transform of a frame to its parent (III.D) ---

    def parameter(self, k: int) -> float:
        a = self.variable[k]
        return float(self.value[k] if a < 0 else self.offset[k] + self.ratio[k] * self.q[a])

    def rate(self, k: int) -> float:
        a = self.variable[k]
        return 0.0 if a < 0 else float(self.ratio[k] * self.v[a])

    @recursion
    def g(self, k: int, order: int = 0) -> Array:
        """g_k, g_k' , g_k'' ... with respect to its own parameter."""
        if self.kind[k] == FIXED:
            return np.asarray(self.fixed_pose[k]) if order == 0 else ZERO
        return local_transform(self.kind[k], self.parameter(k), self.screw[k], order)

    @recursion
    def g_inv(self, k: int, order: int = 0) -> Array:
        """g_k^-1 and its derivatives: the same transform by the opposite amount."""
        if self.kind[k] == FIXED:
            return inverse_pose(np.asarray(self.fixed_pose[k])) if order == 0 else ZERO
        return (-1.0) ** order * local_transform(self.kind[k], -self.parameter(k), self.screw[k], order)

    @recursion
    def xi(self, k: int) -> Array:
        return ZERO if self.kind[k] == FIXED else hat(body_twist(self.kind[k], self.screw[k]))

    # --- frame positions, eq. 2-4 ---

    @recursion
    def gs(self, k: int) -> Array:
        """(2)"""
        if k == 0:
            return np.eye(4)
        return self.gs(self.parent[k]) @ self.g(k)

    @recursion
    def gs_dq(self, k: int, i: int) -> Array:
        """(3)"""
        if k == 0 or i not in self.ancestors[k]:
            return ZERO
        if i != k:
            return self.gs_dq(self.parent[k], i) @ self.g(k)
        return self.gs(self.parent[k]) @ self.g(k, 1)

    @recursion
    def gs_dqdq(self, k: int, i: int, j: int) -> Array:
        """(4)"""
        par, anc = self.parent[k], self.ancestors[k]
        if k == 0 or i not in anc or j not in anc:
            return ZERO
        if i == k == j:
            return self.gs(par) @ self.g(k, 2)
        if i == k != j:
            return self.gs_dq(par, j) @ self.g(k, 1)
        if i != k == j:
            return self.gs_dq(par, i) @ self.g(k, 1)
        return self.gs_dqdq(par, i, j) @ self.g(k)

    def gs_d(self, k: int, along: tuple[int, ...]) -> Array:
        """(2)-(4) continued to any order: derivative along the listed transforms."""
        if any(i not in self.ancestors[k] for i in along):
            return ZERO
        if k == 0:
            return np.eye(4)
        rest = tuple(i for i in along if i != k)
        return self.gs_d(self.parent[k], rest) @ self.g(k, len(along) - len(rest))

    # --- frame body velocities, eq. 5-10 ---

    @recursion
    def vb(self, k: int) -> Array:
        """(5)"""
        if k == 0:
            return ZERO
        return self.g_inv(k) @ self.vb(self.parent[k]) @ self.g(k) + self.xi(k) * self.rate(k)

    @recursion
    def vb_dq(self, k: int, i: int) -> Array:
        """(6)"""
        par = self.parent[k]
        if k == 0 or i not in self.ancestors[k]:
            return ZERO
        if i == k:
            v = self.vb(par)
            return self.g_inv(k, 1) @ v @ self.g(k) + self.g_inv(k) @ v @ self.g(k, 1)
        return self.g_inv(k) @ self.vb_dq(par, i) @ self.g(k)

    @recursion
    def vb_dqdq(self, k: int, i: int, j: int) -> Array:
        """(7)"""
        par, anc = self.parent[k], self.ancestors[k]
        if k == 0 or i not in anc or j not in anc:
            return ZERO
        if i == k == j:
            v = self.vb(par)
            return (
                self.g_inv(k, 2) @ v @ self.g(k)
                + 2.0 * self.g_inv(k, 1) @ v @ self.g(k, 1)
                + self.g_inv(k) @ v @ self.g(k, 2)
            )
        if i != k == j:
            v = self.vb_dq(par, i)
            return self.g_inv(k, 1) @ v @ self.g(k) + self.g_inv(k) @ v @ self.g(k, 1)
        if i == k != j:
            v = self.vb_dq(par, j)
            return self.g_inv(k, 1) @ v @ self.g(k) + self.g_inv(k) @ v @ self.g(k, 1)
        return self.g_inv(k) @ self.vb_dqdq(par, i, j) @ self.g(k)

    @recursion
    def vb_dv(self, k: int, i: int) -> Array:
        """(8); its derivative along any rate is zero, (9)"""
        if k == 0 or i not in self.ancestors[k]:
            return ZERO
        if i == k:
            return self.xi(k)
        return self.g_inv(k) @ self.vb_dv(self.parent[k], i) @ self.g(k)

    @recursion
    def vb_dqdv(self, k: int, i: int, j: int) -> Array:
        """(10): along the parameter of i and the rate of j"""
        par, anc = self.parent[k], self.ancestors[k]
        if k == 0 or k == j or i not in anc or j not in anc:
            return ZERO
        if k == i:
            v = self.vb_dv(par, j)
            return self.g_inv(k, 1) @ v @ self.g(k) + self.g_inv(k) @ v @ self.g(k, 1)
        return self.g_inv(k) @ self.vb_dqdv(par, i, j) @ self.g(k)

    # --- the same along variables: chain rule over the transforms ---

    def along_variables(self, equation: Callable[..., Array], k: int) -> Array:
        """Values of equation(k, i) for all moving i, summed into shape (nq, ...)."""
        return np.tensordot(self.chain.T, np.array([equation(k, i) for i in self.moving]), axes=1)

    def along_variable_pairs(self, equation: Callable[..., Array], k: int) -> Array:
        """Values of equation(k, i, j), summed into shape (nq, nq, ...)."""
        values = np.array([[equation(k, i, j) for j in self.moving] for i in self.moving])
        return np.asarray(np.einsum("ia,jb,ij...->ab...", self.chain, self.chain, values))

    def pose(self, k: int) -> Array:
        return self.gs(k)

    def pose_dq(self, k: int) -> Array:
        return self.along_variables(self.gs_dq, k)

    def pose_dqdq(self, k: int) -> Array:
        return self.along_variable_pairs(self.gs_dqdq, k)

    def pose_derivative(self, k: int, variables: Sequence[int]) -> Array:
        """Derivative of any order along the listed variables."""
        total = np.zeros((4, 4))
        terms: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
        for a in variables:
            terms = [
                ((*along, i), weight * self.chain[row, a])
                for along, weight in terms
                for row, i in enumerate(self.moving)
                if self.variable[i] == a
            ]
        for along, weight in terms:
            total = total + weight * self.gs_d(k, along)
        return total

    @recursion
    def body_velocity(self, k: int) -> Array:
        return unhat(self.vb(k))

    @recursion
    def body_velocity_dq(self, k: int) -> Array:
        return self.along_variables(lambda k, i: unhat(self.vb_dq(k, i)), k)

    @recursion
    def body_velocity_dv(self, k: int) -> Array:
        return self.along_variables(lambda k, i: unhat(self.vb_dv(k, i)), k)

    @recursion
    def body_velocity_dqdq(self, k: int) -> Array:
        return self.along_variable_pairs(lambda k, i, j: unhat(self.vb_dqdq(k, i, j)), k)

    @recursion
    def body_velocity_dqdv(self, k: int) -> Array:
        return self.along_variable_pairs(lambda k, i, j: unhat(self.vb_dqdv(k, i, j)), k)

    def jacobian(self, k: int, kind: str = "body") -> Array:
        """6 x nq: (8); "spatial" in world axes at the world origin, "hybrid" at the frame's origin."""
        body = self.body_velocity_dv(k).T
        pose = self.gs(k).copy()
        if kind == "body":
            return body
        if kind == "hybrid":
            pose[:3, 3] = 0.0
        return adjoint(pose) @ body
