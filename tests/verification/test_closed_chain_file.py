"""Listing 1 of paper 002 from its file: assembled from all angles zero, a singular guess, and simulated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bough

FILE = Path(__file__).parents[2] / "examples" / "closed_chain.sexp"


def check_run(seconds: float) -> None:
    model = bough.load(FILE).build()
    start = model.assemble()
    np.testing.assert_allclose(model.constraint(start.q), 0.0, atol=1e-14)
    assert np.linalg.matrix_rank(model.constraint_dq(start.q)) == 4
    run = bough.simulate(model, q=start.q, duration=seconds, dt=0.01, constraint_tolerance=1e-14)
    assert run.t[-1] == pytest.approx(seconds)
    assert np.abs(model.constraint(run.q)).max() <= 1e-12


def test_mobility() -> None:
    model = bough.load(FILE).build()
    rank = np.linalg.matrix_rank(model.constraint_dq(model.assemble().q))
    assert (model.nd, rank, model.nd - rank) == (7, 4, 3)


def test_five_seconds() -> None:
    check_run(5.0)


@pytest.mark.verify
def test_two_minutes() -> None:
    check_run(120.0)
