"""Random trees with springs, damping, inputs, prescribed motion and constraints, and a consistent start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import bough
from support.paper_step import PaperStep
from support.random_trees import SIX, random_state, random_tree
from support.transforms import Array


@dataclass
class Moving:
    """A system with a start (q, v) and inputs u."""

    system: bough.System
    q: Array
    v: Array
    u: Array

    @cached_property
    def model(self) -> bough.Model:
        return self.system.build()

    def k(self, t: Any) -> Array:
        """Kinematic variables at a time: from q with velocity v, smooth."""
        nd = self.model.nd
        return self.q[nd:] + self.v[nd:] * np.sin(2.0 * np.asarray(t)[..., None]) / 2.0

    def ak(self, t: float) -> Array:
        """Their accelerations."""
        return -2.0 * self.v[self.model.nd :] * np.sin(2.0 * t)

    @property
    def start(self) -> dict[str, Any]:
        """Arguments of `simulate`."""
        k = {"k": self.k} if self.model.nk else {}
        return {"q": self.q, "v": self.v, "u": self.u, **k}


def random_system(
    seed: int,
    joints: int = 6,
    *,
    springs: bool = True,
    damping: bool = True,
    inputs: bool = True,
    constraints: int = 0,
    driven_length: bool = False,
    **options: Any,
) -> Moving:
    """The tree of a seed with elements on it.

    Constraints hold at the start by construction: lengths are the distances found there, points are held
    where they are. A row is only added where it leaves the motion well determined.
    """
    tree = random_tree(seed, joints, **options)
    system = tree.system()
    rng = np.random.default_rng([seed, 5])
    names = [f"n{n}" for n in range(len(tree.nodes))]
    dynamic = list(system.dynamic)
    q, v, _ = random_state(len(system.variables), seed)
    q, v = 0.6 * q, 0.3 * v
    if springs:
        # every sliding variable gets one, so that nothing falls away
        for name in dynamic:
            system.add(
                bough.ConfigurationSpring(name, float(rng.uniform(2.0, 20.0)), float(rng.uniform(-0.3, 0.3)))
            )
        for a, b in _apart(system, names, q, rng):
            system.add(bough.LinearSpring(a, b, float(rng.uniform(5.0, 20.0)), 0.3))
    if damping:
        system.add(bough.Damping(0.1))
        system.add(bough.Damping({dynamic[0]: 0.4}))
    u = np.zeros(0)
    if inputs:
        system.add(bough.ConfigurationForce(dynamic[-1], 0.7))
        system.add(bough.ConfigurationForce(dynamic[0], "push"))
        u = np.array([1.3])
    kinds: list[str] = ["length", "point", "distance", "point"]
    if driven_length:
        kinds[0] = "driven"
    for kind in kinds[:constraints]:
        system, q, v = _hold(system, names, q, v, kind, rng)
    return Moving(system, q, v, u)


def _apart(
    system: bough.System, names: list[str], q: Array, rng: np.random.Generator
) -> list[tuple[str, str]]:
    """Two pairs of frames, the second with the world, that are not close to each other."""
    paper = PaperStep(system)
    x = {name: paper.paper.at(q).pose(paper.frame[name])[:3, 3] for name in (*names, "world")}
    ordered = [names[n] for n in rng.permutation(len(names))]
    pairs = [(ordered[0], name) for name in ordered[1:]]
    grounded = [(name, "world") for name in reversed(names)]
    return [
        next(pair for pair in choices if np.linalg.norm(x[pair[0]] - x[pair[1]]) > 0.4)
        for choices in (pairs, grounded)
    ]


def _hold(
    system: bough.System, names: list[str], q: Array, v: Array, kind: str, rng: np.random.Generator
) -> tuple[bough.System, Array, Array]:
    """Add a constraint row between frames, or a frame and a point of the world, found fit for it."""
    for a in rng.permutation(len(names)):
        trial = bough.System.from_dict(system.to_dict())
        reference = PaperStep(trial)
        nd, label = reference.nd, f"held {len(trial.elements)}"
        x = reference.paper.at(q).pose(reference.frame[names[a]])[:3, 3]
        here = np.eye(4)
        here[:3, 3] = x if kind == "point" else x + rng.uniform(0.4, 0.9, 3)
        frame = trial.world.fixed(here, name=label)
        distance = float(np.linalg.norm(here[:3, 3] - x))
        start, rates = q, v
        if kind == "point":
            trial.add(bough.PointConstraint(names[a], frame, axis=rng.normal(size=3)))
        elif kind == "driven":
            trial.add(bough.DistanceConstraint(names[a], frame, length=bough.kinematic("driven length")))
            start, rates = np.append(q, distance), np.append(v, 0.2)
        else:
            trial.add(bough.DistanceConstraint(names[a], frame, length=distance))
        paper = PaperStep(trial)
        Dh = paper.constraints(start)[1][:, :nd]
        M = paper.paper.at(start).mass_matrix()[:nd, :nd]
        if np.min(np.linalg.norm(Dh, axis=1)) < 0.3:  # a frame that hardly moves
            continue
        S = Dh @ np.linalg.solve(M, Dh.T)
        size = np.sqrt(np.diag(S))
        if np.linalg.cond(S / np.outer(size, size)) < 8.0:
            return trial, start, rates
    raise AssertionError(f"no frame fit for a {kind} constraint")


def with_all_transforms(first: int, joints: int, **options: Any) -> int:
    """The first seed whose tree moves by all six transforms and by a twist, with what the options ask for."""
    for seed in range(first, first + 1000):
        moving = random_tree(seed, joints, **options).moving
        kinematic = any(node.kinematic for node in moving)
        shared = len({node.parameter for node in moving}) < len(moving)
        if (
            {node.kind for node in moving} == {*SIX, "twist"}
            and (kinematic or options.get("kinematic") is False)
            and (shared or options.get("shared") is False)
        ):
            return seed
    raise AssertionError("no such tree")
