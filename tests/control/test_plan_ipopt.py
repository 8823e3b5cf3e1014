"""Motions of least force beside those of IPOPT on equations of its own: the same optimum, and none better."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from support import casadi_dynamics as oracle
from support.floating import END, START, satellite, satellite_bodies

Q = np.concatenate((np.zeros(6), START))
MOMENT = (0.3, 0.1, -0.4)  # of momentum about the centre of mass, kg m²/s


def plan(problem: oracle.Problem, **options):
    """The same problem by the planner."""
    model = satellite().build()
    # the twist of the locked body with this momentum; at zero angles the rates of rz, ry, rx are (z, y, x)
    twist = np.linalg.solve(model.locked_inertia(START), np.concatenate((problem.moment, np.zeros(3))))
    v = np.concatenate((twist[3:], twist[2::-1], np.zeros(3)))
    for name, bound in (("velocity", problem.velocity), ("effort", problem.force), ("upper", problem.shape)):
        if np.isfinite(bound):
            options |= {name: bound} | ({"lower": -bound} if name == "upper" else {})
    steps, duration = problem.steps, problem.duration
    return bough.control.plan(model, problem.target, Q, v=v, r=END, duration=duration, steps=steps, **options)


def attitude(*vector):
    return Rotation.from_rotvec(vector).as_matrix()


def case(vector, steps, name, verify=False, **more):
    problem = oracle.Problem(START, END, attitude(*vector), 5.0, steps, **more)
    return pytest.param(problem, id=name, marks=[pytest.mark.verify] if verify else [])


@pytest.mark.parametrize(
    "problem",
    [
        case((0.1, 0.2, 0.3), 8, "at rest"),
        case((0.1, 0.2, 0.3), 8, "momentum", moment=MOMENT),
        case((0.1, 0.2, 0.3), 30, "limits of force", True, force=0.5),
        case((0.1, 0.2, 0.3), 25, "limits of shape", True, shape=2.0),
        case((0.0, 0.4, 0.1), 25, "more momentum", True, moment=(0.6, 0.2, -0.8)),
    ],
)
def test_same_minimum(problem):
    """IPOPT, begun at the plan, stays there: it meets the equations of IPOPT and is an optimum of them."""
    run = plan(problem, guesses=1 if problem.steps < 10 else 3)
    guess = (run.q[:, 6:], run.g, run.u[:-1])
    effort, shapes = oracle.solve(satellite_bodies(), problem, guess)
    # IPOPT relaxes bounds by 1e-8, and its tolerance of 1e-10 leaves the path less exact than the effort
    assert run.statistics["effort"] == pytest.approx(effort, rel=1e-6)
    np.testing.assert_allclose(run.q[:, 6:], shapes, atol=1e-5)


@pytest.mark.parametrize(
    "problem",
    [
        case((0.1, 0.2, 0.3), 8, "8 steps"),
        case((0.1, 0.2, 0.3), 20, "20 steps", True),
        case((0.0, 1.2, 0.3), 20, "a large turn", True),
        case((0.1, 0.2, 0.3), 20, "momentum", True, moment=MOMENT),
    ],
)
def test_not_worse_from_a_straight_line(problem):
    effort, _ = oracle.solve(satellite_bodies(), problem)
    assert plan(problem).statistics["effort"] < 1.01 * effort
