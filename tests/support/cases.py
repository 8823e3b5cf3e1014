"""Random systems with a state, built once per session: tree, flat arrays, model and the papers' recursion."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np

import bough
from bough.model.flatten import flatten
from support.paper_recursion import PaperRecursion
from support.random_trees import Tree, random_state, random_tree
from support.transforms import Array

SEEDS = range(12)


class Case:
    """One system at one state. `frames` lists (index in the flat arrays, name)."""

    def __init__(self, tree: Tree, state: tuple[Array, Array, Array] | None = None, seed: int = 0) -> None:
        self.tree = tree
        self.system = tree.system()
        flat = flatten(self.system)
        self.flat: dict[str, Any] = flat.arrays
        self.variables = flat.variable_names
        self.nq, self.nd = int(self.flat["n_variables"]), int(self.flat["n_dynamic"])
        self.frames = [(k, name) for k, name in enumerate(flat.frame_names) if k > 0 and name is not None]
        self.q, self.v, self.a = random_state(self.nq, seed) if state is None else state
        self.u = np.random.default_rng([seed, 23]).uniform(-5.0, 5.0, self.nq)  # generalised forces

    @cached_property
    def model(self) -> bough.Model:
        return self.system.build()

    @cached_property
    def paper(self) -> PaperRecursion:
        """At the state of the case; keep it there."""
        return PaperRecursion(self.flat).at(self.q, self.v)

    # Sizes of the terms a quantity is summed from. Two exact algorithms agree to a few hundred roundings of
    # these, even where the sum itself cancels.

    @cached_property
    def length(self) -> float:
        """Largest distance of a frame from the world origin, at least one."""
        return max(1.0, *(float(np.max(np.abs(self.paper.pose(k)[:3, 3]))) for k, _ in self.frames))

    @cached_property
    def speed(self) -> float:
        """Largest body velocity times length: linear velocities are moved to and from the world origin."""
        return self.length * max(
            1.0, *(float(np.max(np.abs(self.paper.body_velocity(k)))) for k, _ in self.frames)
        )

    @cached_property
    def inertia(self) -> float:
        return float(np.max(np.abs(self.paper.mass_matrix())))

    @cached_property
    def momentum(self) -> float:
        return self.inertia * float(np.max(np.abs(self.v), initial=0.0))

    @cached_property
    def energy(self) -> float:
        weight = self.paper.total_mass() * float(np.max(np.abs(self.paper.gravity)))
        return self.momentum * float(np.max(np.abs(self.v), initial=0.0)) + weight * self.length

    @cached_property
    def force(self) -> float:
        return (
            self.inertia * float(np.max(np.abs(self.a), initial=0.0))
            + self.energy
            + float(np.max(np.abs(self.u)))
        )

    @cached_property
    def condition(self) -> float:
        """Condition number of the dynamic block of the mass matrix."""
        return float(np.linalg.cond(self.paper.mass_matrix()[: self.nd, : self.nd]))


@cache
def _case(seed: int, joints: int, options: tuple[tuple[str, Any], ...]) -> Case:
    return Case(random_tree(seed, joints, **dict(options)), seed=seed)


def case(seed: int, joints: int = 6, **options: Any) -> Case:
    """The random system of a seed; the same object every time, so change nothing in it."""
    return _case(seed, joints, tuple(sorted(options.items())))
