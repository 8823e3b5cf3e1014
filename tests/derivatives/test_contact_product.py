"""Derivatives of runs with every kind of contact, in trees with rows, kinematic and shared variables."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from support.contact_product import KINDS, Case, cases, motion
from support.finite_difference import slope

pytestmark = pytest.mark.filterwarnings("ignore::bough.BoughWarning")  # of coarse steps and slack strings
LENGTH = 1e-5  # of the differences; stops are located to 1e-9 of a slip, which they divide by it
CLOSE = 1e-4
HANDED_ON = "an impact that is handed on among contacts"  # which has no derivative


def off(case: Case, seed: int) -> float:
    """How far the end of a run by a move of its velocities is from differences, relative."""
    made = motion(case)
    model, given = made.model, dict(made.arguments)
    q, v = np.array(given.pop("q")), np.array(given.pop("v"))
    free = np.eye(model.nd)
    if model.nc:
        free = np.linalg.svd(model.constraint_dq(q)[:, : model.nd])[2][model.nc :]
    move = np.zeros(model.nv)
    move[: model.nd] = np.random.default_rng(seed).normal(size=len(free)) @ free

    def run(s: float) -> bough.Trajectory:
        return bough.simulate(model, q, v + s * move, duration=0.1, dt=0.005, **given)

    expected = slope(lambda s: run(s).q[-1], LENGTH)
    found = run(0.0).sensitivity(parameters=[]).q_dv[-1] @ move
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-3))


def chosen(kind: str, count: int, seed: int) -> list[Case]:
    """Some of the trees without balls, in any order."""
    known = [case for case in cases(kind) if case.shape != "floating" and case.joints <= 8]
    order = np.random.default_rng(seed).permutation(len(known))
    return [known[i] for i in order[:count]]


WITHOUT_BALLS = [
    kind for kind in KINDS if not kind.endswith("of a ball")
]  # derivatives refuse contacts of balls


@pytest.mark.parametrize("kind", WITHOUT_BALLS)
def test_some(kind: str) -> None:
    for i, case in enumerate(chosen(kind, 2, 4)):
        assert off(case, i) < CLOSE, str(case)


@pytest.mark.verify
@pytest.mark.parametrize("kind", WITHOUT_BALLS)
def test_many(kind: str) -> None:
    refused = 0
    for i, case in enumerate(chosen(kind, 30, 7)):
        try:
            found = off(case, i)
        except bough.ModelError as error:
            if HANDED_ON not in str(error):
                raise
            refused += 1
        else:
            assert found < CLOSE, str(case)
    assert refused <= 8
