"""Quantities of constrained models do not depend on what the thread computed before: its scratch is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import bough
from bough import gallery
from support.transforms import Array


def velocity(model: bough.Model, q: Array, p: Array) -> Array:
    """(C2) by one dense solve: M v - Dh^T lam = p, Dh v = 0."""
    M, Dh, n = model.mass_matrix(q), model.constraint_dq(q), model.nq
    K = np.block([[M, -Dh.T], [Dh, np.zeros((model.nc, model.nc))]])
    return np.linalg.solve(K, np.concatenate([p, np.zeros(model.nc)]))[:n]


def state(model: bough.Model) -> tuple[Array, Array]:
    return np.array(model.assemble().q), np.cos(np.arange(model.nq))


def check(model: bough.Model, times: int = 1) -> None:
    q, p = state(model)
    for _ in range(times):
        np.testing.assert_allclose(model.velocity(q, p), velocity(model, q, p), rtol=0, atol=1e-11)


SYSTEMS = [gallery.four_bar, gallery.slider_crank, gallery.closed_chain, gallery.scissor_lift]


def test_models_in_turn() -> None:
    models = [make().build() for make in SYSTEMS]
    for model in (*models, *models, *models[::-1]):
        check(model, 2)


def test_models_that_come_and_go() -> None:
    """New models may lie where another one was."""
    for i in range(24):
        check(SYSTEMS[i % 3]().build())


def test_threads() -> None:
    models = [make().build() for make in SYSTEMS]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda model: check(model, 20), models * 4))


@dataclass(frozen=True)
class Asking(bough.Constraint):
    """q0 + q1 = 0, by an element that asks for velocities of constrained models meanwhile."""

    asked: list[bough.Model]

    def value(self, at: bough.Instant) -> Any:
        return at.q["a"] + at.q["b"]

    def gradient(self, at: bough.Instant) -> Any:
        for model in self.asked:
            check(model)
        return {"a": 1.0, "b": 1.0}

    def hessian(self, at: bough.Instant) -> Any:
        return {}


def test_an_element_that_asks_in_turn() -> None:
    def build(asked: list[bough.Model]) -> bough.Model:
        system = bough.System("asking")
        arm = system.world.ry("a").tz(-1.0, mass=1.0)
        arm.ry("b").tz(-1.0, mass=1.0)
        system.add(Asking(asked))
        return system.build()

    check(build([gallery.four_bar().build(), build([])]), 2)
