"""The planners as users of the solver of `optimize`: derivatives of its stages, Ctrl-C, time to an error."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough.control import _report
from bough.control._direction import Local
from bough.control._driven import Driven
from bough.control._guess import straight_line
from bough.control._newton import Newton
from bough.control._task import Arguments, task
from support.finite_difference import derivative
from support.floating import END, START, satellite

Q = np.concatenate((np.zeros(6), START))
TARGET = Rotation.from_rotvec((0.1, 0.2, 0.3)).as_matrix()
LIMITS = {"lower": -3.0, "upper": 3.0, "velocity": 4.0, "effort": 5.0}


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradient_of_the_lagrangian(dynamic):
    """Cost, limits with their multipliers and ends with theirs, by joint velocities."""
    given = Arguments(TARGET, Q, None, END, (), 5.0, 6, *LIMITS.values(), 1.0)
    goal = task(satellite().build(), given, dynamic, "test")
    problem = Driven(goal, 0.3, "test")
    newton = Newton(problem, lambda row: None)
    rng = np.random.default_rng(1)
    rates = straight_line(goal) + 0.2 * rng.normal(size=(6, 3))
    point = newton.point(
        *problem.roll(problem.first(), rates, None, None, 0.0), rng.normal(size=len(problem.ends))
    )
    point.z = rng.uniform(0.1, 1.0, size=point.s.shape)

    def lagrangian(flat):
        cost, e, h = newton.measure(*problem.roll(problem.first(), flat.reshape(6, 3), None, None, 0.0))
        return cost + point.nu @ e + goal.h * np.sum((point.z * h)[problem.bounds.active])

    local = Local(newton, point)
    by_effort = np.linalg.inv(local.stages.S[:, -3:, -3:])  # of f by the joint velocities
    expected, error = derivative(lagrangian, rates.ravel(), step=0.01)
    found = (local.gradient[:, None] @ by_effort).ravel()
    np.testing.assert_array_less(np.abs(found - expected), 10 * error + 1e-8)


def test_newton_step_is_the_second_derivative():
    """Close to a solution few full steps are enough, and the last one gains more than three digits."""
    given = Arguments(TARGET, Q, None, END, (), 5.0, 12, None, None, None, None, 1.0)
    goal = task(satellite().build(), given, True, "test")
    run = bough.control.plan(goal.model, TARGET, Q, r=END, duration=5.0, steps=12, guesses=1)
    near = np.diff(run.q[:, 6:], axis=0) / goal.h + 1e-3 * np.random.default_rng(2).normal(size=(12, 3))
    rows = []
    assert Newton(Driven(goal, 1.0, "test"), rows.append).solve(near, 1e-11, 20).status == "converged"
    assert [row.step for row in rows[1:]] == [1.0] * (len(rows) - 1)
    left = [max(row.gradient, row.ends) for row in rows]
    assert len(left) < 6
    assert left[-1] < 1e-3 * left[-2]


@pytest.mark.parametrize("at", [1, 40])
def test_interrupted_search_keeps_its_motion(monkeypatch, at):
    """Ctrl-C in the search on few steps, and later: a motion on all steps that tells what it misses."""
    seen = []

    def display(self, row):
        seen.append(row)
        if len(seen) == at:
            raise KeyboardInterrupt

    monkeypatch.setattr(_report.Display, "__call__", display)
    run = bough.control.plan(satellite().build(), TARGET, Q, r=END, duration=5.0, steps=45, guesses=4)
    assert run.status == "interrupted"
    assert len(run.t) == 46
    assert run.statistics["first_order"] > 1e-8
    np.testing.assert_allclose(run.rerun().q, run.q, atol=1e-6)


def test_errors_come_in_seconds():
    """A turn that limits exclude."""
    begin = time.process_time()
    with pytest.raises(bough.ConvergenceError, match="no motion within the limits"):
        bough.control.plan(
            satellite().build(),
            Rotation.from_rotvec((0.0, 1.5, 0.0)).as_matrix(),
            Q,
            r=END,
            duration=5.0,
            steps=40,
            lower=-0.5,
            upper=1.1,
        )
    assert time.process_time() - begin < 30.0
