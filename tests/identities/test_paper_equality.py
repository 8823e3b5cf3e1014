"""The core gives the papers' numbers: every quantity and frame of random trees, to 1e-12 relative."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.cases import SEEDS, Case, case
from support.compare import compare
from support.quantities import QUANTITIES, Quantity, core_value
from support.random_trees import random_tree, states, trees

# Relative to the size of the terms a quantity is summed from (see Case): both sides round each term to 1e-16
# and add a few hundred of them.
RELATIVE = 1e-12


def agree(case: Case, quantity: Quantity) -> None:
    frames = case.frames if quantity.of_frame else case.frames[:1]
    for k, name in frames:
        expected = quantity.paper(case, k)
        size = max(quantity.size(case), float(np.max(np.abs(expected))))
        compare(
            core_value(quantity, case, name),
            expected,
            rtol=RELATIVE,
            scale=size,
            what=f"{quantity.name} {name}",
        )


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.name)
@pytest.mark.parametrize("seed", SEEDS)
def test_seeded(seed: int, quantity: Quantity) -> None:
    agree(case(seed), quantity)


@settings(max_examples=100)
@given(st.data())
def test_drawn(data: st.DataObject) -> None:
    tree = data.draw(trees(max_joints=6))
    nq = len({node.parameter for node in tree.moving})
    drawn = Case(tree, data.draw(states(nq)))
    for quantity in QUANTITIES:
        agree(drawn, quantity)


def test_at_rest() -> None:
    """Zero configuration and velocity: aligned axes, no motion, everything that vanishes does so exactly."""
    for seed in SEEDS:
        tree = case(seed).tree
        nq = case(seed).nq
        rest = Case(tree, (np.zeros(nq), np.zeros(nq), np.zeros(nq)))
        for quantity in QUANTITIES:
            agree(rest, quantity)
        assert np.array_equal(rest.model.momentum(rest.q, rest.v), np.zeros(nq))
        assert rest.model.kinetic_energy(rest.q, rest.v) == 0.0


def test_total_mass() -> None:
    for seed in SEEDS:
        compare(case(seed).model.total_mass, case(seed).paper.total_mass(), rtol=1e-14, what="total mass")


def test_prescribed_acceleration_of_kinematic_variables() -> None:
    """(29) with the kinematic variables accelerating as told."""
    seen = 0
    for seed in SEEDS:
        c = case(seed)
        if c.nd == c.nq:
            continue
        seen += 1
        expected = c.paper.acceleration(c.u, c.a[c.nd :])
        actual = c.model.acceleration(c.q, c.v, force=c.u, ak=c.a[c.nd :])
        compare(actual, expected, rtol=RELATIVE, scale=c.force * c.condition / c.inertia, what="acceleration")
        assert np.array_equal(actual[c.nd :], c.a[c.nd :])
    assert seen >= 3


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_many(seed: int) -> None:
    c = Case(random_tree(seed, joints=4 + seed % 9), seed=seed)
    for quantity in QUANTITIES:
        agree(c, quantity)
