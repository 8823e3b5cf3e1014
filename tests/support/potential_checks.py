"""What every potential is checked for: its gradient, its Hessian, and the energy of a motion in it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

import bough
from support.finite_difference import assert_derivative
from support.random_trees import random_state, random_tree
from support.transforms import Array


def assert_potential(model: bough.Model, q: Array, step: float = 0.05) -> None:
    """V against its derivatives; at rest L_dq is -dV/dq and L_dqdq is -d2V/dqdq."""
    rest = np.zeros(model.nq)

    def gradient(x: Array) -> Array:
        return -np.asarray(model.L_dq(x, rest))

    hessian = -np.asarray(model.L_dqdq(q, rest))
    assert np.abs(hessian).max() > 1e-3, "nothing depends on the configuration"
    assert_derivative(model.potential_energy, gradient(q), q, step=step, what="dV/dq")
    assert_derivative(gradient, hessian, q, step=step, what="d2V/dqdq")
    assert np.abs(hessian - hessian.T).max() <= 1e-13 * np.abs(hessian).max()


def random_pairs(
    count: int, fits: Callable[[Array, Array], bool], joints: int = 7
) -> Iterator[tuple[bough.System, Array, str, str]]:
    """(System without gravity, q, a, b) on random trees: b moves and turns relative to a; their poses fit."""
    seed = 0
    while count:
        seed += 1
        tree = random_tree(seed, joints, gravity=False)
        system = tree.system()
        model = system.build()
        q = 0.6 * random_state(model.nq, seed)[0]
        names = ["world", *(f"n{n}" for n in range(len(tree.nodes)))]
        order = np.random.default_rng(seed).permutation(len(names))
        for first, second in itertools.pairwise(order):
            a, b = names[first], names[second]
            here, there = (np.linalg.solve(model.pose(a, x), model.pose(b, x)) for x in (q, q + 0.3))
            moves = np.abs(here - there)[:3]
            if fits(model.pose(a, q), model.pose(b, q)) and min(moves[:, :3].max(), moves[:, 3].max()) > 0.1:
                yield system, q, a, b
                count -= 1
                break


def assert_energy_kept(model: bough.Model, q: Array | dict[str, float], v: Array | dict[str, float]) -> None:
    """The error of the energy over two seconds falls with the square of the step."""
    errors = []
    for dt in (0.01, 0.005):
        energy = bough.simulate(model, q=q, v=v, duration=2.0, dt=dt).energy()
        errors.append(np.abs(energy - energy[0]).max())
    assert errors[0] > 1e-12, "too small to tell"
    assert errors[1] < 0.3 * errors[0]
