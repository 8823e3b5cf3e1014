"""Side steps of order 4, 6, 8: of full order, the same at the end of a step, and the run goes on as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough._core import core
from bough.integrators.gauss import new_stepper
from bough.motion.stages import gauss_times
from support.higher_order import CASES
from support.transforms import Array


def stepper(model: bough.Model, dt: float, order: int, q: Array, p: Array) -> Any:
    vi = bough.MidpointVI(model, dt, order=order)
    names = ("tolerance", "constraint_tolerance", "max_iterations", "max_halvings", "order")
    found = new_stepper(model, {name: getattr(vi, name) for name in names})
    assert found.start(0.0, q, p, np.zeros(0)) == -1
    return found


def steps(it: Any, count: int, dt: float) -> None:
    n, nd = len(it.state()[1]), len(it.state()[2])
    it.run(
        count,
        dt,
        np.zeros(0),
        np.zeros(0),
        count,
        0,
        np.zeros((1, 1)),
        np.zeros((1, n)),
        np.zeros((1, nd)),
        0,
    )


def side(it: Any, node: Any, tau: float, order: int) -> Any:
    status, found = it.side_step(node, tau, np.zeros((order // 2, 0)), np.zeros((order // 2, 0)))
    assert status == core.StepStatus.fine
    return found


@pytest.mark.parametrize("order", [4, 6, 8])
@pytest.mark.parametrize("name", ["pendulum_of_five", "four_bar"])
def test_side_steps(name: str, order: int) -> None:
    case = CASES[name]()
    q = case.model.configuration(case.start["q"])
    p = case.model.momentum(q, np.zeros(case.model.nd))
    empty = np.zeros(0)
    errors = []
    for dt in (0.05, 0.025):
        it = stepper(case.model, dt, order, q, p)
        steps(it, round(0.4 / dt), dt)
        node = it.save(empty, empty)
        steps(it, 1, dt)
        after = it.save(empty, empty)
        inside, end = (side(it, node, tau, order) for tau in (0.3 * dt, dt))
        assert it.save(empty, empty).numbers() == after.numbers()
        np.testing.assert_allclose(end.q, after.q, rtol=0, atol=2e-15 * 4)
        assert inside.t == pytest.approx(0.4 + 0.3 * dt, abs=1e-15)
        exact = stepper(case.model, 0.001, 8, q, p)
        steps(exact, 400, 0.001)
        steps(exact, 8, 0.3 * dt / 8)
        errors.append(np.abs(inside.q - exact.state()[1]).max())
        h = case.model.constraint(inside.q) if case.model.nc else np.zeros(1)
        assert np.abs(h).max() < 1e-14
        V = np.reshape(it.last_step()[1], (order // 2, -1))
        assert it.last_step()[0] == dt
        np.testing.assert_allclose(node.q + dt * gauss_weights(order) @ V, after.q, rtol=0, atol=1e-14)
    assert errors[1] < 1e-12 or errors[0] / errors[1] > 0.8 * 2**order


def gauss_weights(order: int) -> Array:
    c = gauss_times(order)[0]
    return np.linalg.solve(np.vander(c, increasing=True).T, 1.0 / np.arange(1, len(c) + 1))
