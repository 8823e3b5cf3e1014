"""Derivatives along the moves that controls reach, against those along all moves, and the searches that use them."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough._core import core
from bough.control import Effort, Shooting, Step, Track, optimize
from bough.control._direction import Local
from bough.control._newton import Newton
from support.control_models import (
    crane,
    driven_pendulum,
    four_bar,
    lift,
    on_circle,
    raised_lift,
    rod_on_slides,
)

STEPS = 6


def hung():
    """A bar on two strings, of which one has a prescribed length."""
    system = bough.System("bar", gravity=(0, 0, -9.81))
    bar = system.world.tx("x").tz("z").ry("turn", name="bar", mass=2.0, inertia=(0.1, 0.1, 0.1))
    for side, length in ((-0.5, bough.kinematic("rope")), (0.5, 1.0)):
        end = bar.tx(side, name=f"end{side}")
        hook = system.world.tx(side, name=f"hook{side}")
        system.add(bough.DistanceConstraint(end, hook, length=length))
    system.add(bough.ConfigurationForce("turn", "torque"))
    return system.build()


CASES = {
    "open chain": lambda: (driven_pendulum(2, 0.1), {"q0": 0.4}),
    "trolley": lambda: (crane(), {"swing": 0.3}),
    "rod": lambda: (rod_on_slides(), on_circle(0.5)),
    "superfluous row": lambda: (rod_on_slides(superfluous=True), on_circle(0.5)),
    "four-bar": lambda: four_bar(),
    "strings": lambda: (hung(), {"z": -1.0, "rope": 1.0}),
    "lift": lambda: (lift(3), None),
}


def motion_of(step, q):
    """States and controls (u, k1 - k0) of a motion with some of both."""
    model, rng = step.model, np.random.default_rng(0)
    c = np.concatenate(
        [5.0 * rng.normal(size=(STEPS, model.nu)), 0.02 * rng.normal(size=(STEPS, model.nk))], axis=1
    )
    x = [step.state(q)]
    for k in range(STEPS):
        ends = x[-1][model.nd : model.nq] + c[k, model.nu :]
        x.append(step(x[-1], np.concatenate([c[k, : model.nu], ends])))
    return np.array(x), c


def kernels(step):
    vi = step.integrator
    names = ("tolerance", "constraint_tolerance", "max_iterations", "max_halvings", "order")
    options = {name: getattr(vi, name) for name in names}
    made = (step.model._core, vi._code, vi.alpha)
    return core.Backward(*made, **options, threads=1), core.Reach(*made, **options)


@pytest.mark.parametrize("integrator", ["midpoint", "trapezoidal"])
@pytest.mark.parametrize("case", CASES)
def test_derivatives_along_reached_moves(case, integrator):
    model, q = CASES[case]()
    step = Step(model, 0.02, integrator, tolerance=1e-14)
    x, c = motion_of(step, q)
    backward, reach = kernels(step)
    nx, nc, m, ny = model.nq + model.nd, model.nu + model.nk, model.nc, 2 * model.nq + model.nu
    nz, rng = nx + nc, np.random.default_rng(1)
    l_y, l_r = rng.normal(size=(STEPS, ny)), rng.normal(size=(STEPS, model.nq))
    l_lam, last = 0.1 * rng.normal(size=(STEPS, m)), rng.normal(size=nx)

    J, H, b = np.empty((STEPS, nx, nz)), np.empty((STEPS, nz, nz)), np.empty((STEPS, nz))
    costate, gradient = np.empty((STEPS + 1, nx)), np.empty((STEPS, nc))
    lam = np.empty((STEPS, m, nz))
    costate[-1] = last
    none = np.zeros(0)
    flat, still = np.zeros((STEPS, ny)), np.zeros((STEPS, model.nq))
    status, failed = backward.run(
        0.0, 0.02, x, c, l_y, flat, none, l_r, still, l_lam, True, J, H, b, costate, gradient, lam
    )
    assert failed == -1, status

    scale = np.concatenate([np.ones(model.nq), np.full(model.nd, 0.02)])
    status, failed, size = reach.forward(0.0, 0.02, x, c, scale, nx)
    assert failed == -1, status
    free = (
        model.nd - np.linalg.matrix_rank(model.constraint_dq(x[0, : model.nq])[:, : model.nd])
        if m
        else model.nd
    )
    assert size <= 2 * free + model.nk + nc
    T, J_r = np.empty((STEPS + 1, nx, size)), np.empty((STEPS, size, size + nc))
    lam_r, H_r = np.empty((STEPS, m, size + nc)), np.empty((STEPS, size + nc, size + nc))
    reach.write(T, J_r, lam_r)
    costate_r, gradient_r = np.zeros((STEPS + 1, nx)), np.empty((STEPS, nc))
    costate_r[-1] = last
    status, failed = reach.backward(0.0, 0.02, x, c, l_y, l_r, l_lam, True, H_r, costate_r, gradient_r)
    assert failed == -1, status
    for k in range(STEPS):
        Z = np.zeros((nz, size + nc))
        Z[:nx, :size], Z[nx:, size:] = T[k], np.eye(nc)
        for found, expected in (
            (T[k + 1] @ J_r[k], J[k] @ Z),
            (lam_r[k], lam[k] @ Z),
            (H_r[k], Z.T @ H[k] @ Z),
            (gradient_r[k], gradient[k]),
            (T[k].T @ costate_r[k], T[k].T @ costate[k]),
        ):
            bound = 1e-9 * (1.0 + np.abs(expected).max(initial=0.0))
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=bound)
    alone = np.empty((STEPS, nc))
    reach.backward(0.0, 0.02, x, c, l_y, l_r, l_lam, False, none, costate_r, alone)
    np.testing.assert_allclose(alone, gradient, rtol=0.0, atol=1e-9 * (1.0 + np.abs(gradient).max()))


def test_more_moves_than_are_wanted_are_told():
    model, q = CASES["open chain"]()
    step = Step(model, 0.02)
    x, c = motion_of(step, q)
    reach = kernels(step)[1]
    size = reach.forward(0.0, 0.02, x, c, np.ones(4), 1)[2]
    assert size == 2
    with pytest.raises(ValueError, match="other length"):
        reach.backward(0.0, 0.02, x, c, np.zeros((6, 6)), np.zeros((6, 2)), np.zeros(0), False, np.zeros(0),
                       np.zeros((7, 4)), np.zeros((6, 2)))  # fmt: skip


def over_all_moves(monkeypatch):
    """From now on no search is over the moves that controls reach."""
    never = property(lambda self: False, lambda self, value: None)
    monkeypatch.setattr(Newton, "reduced", never, raising=False)


@pytest.mark.parametrize("method", ["newton", "gauss-newton", "projection"])
def test_a_lift_finds_the_motion_that_all_coordinates_find(monkeypatch, method):
    model, given, goal = raised_lift(4)
    run = optimize(model, method=method, **given)
    assert run["theta"][-1] == pytest.approx(goal, abs=1e-8)
    assert run == run.rerun()
    over_all_moves(monkeypatch)
    full = optimize(model, method=method, **given)
    assert run.statistics["cost"] == pytest.approx(full.statistics["cost"], rel=1e-8)
    np.testing.assert_allclose(run.u, full.u, atol=1e-5 * np.abs(full.u).max())


@pytest.mark.parametrize("curved", [True, False])
def test_the_step_over_reached_moves_is_that_over_all(monkeypatch, curved):
    """The direction of one iteration, its slope, its curvature, and what its gains answer to a move that is reached."""
    model, given, _ = raised_lift(4, end={"theta": 0.4}, end_weight=1e2, rest=True)
    given.pop("upper")
    problem = Shooting(model, **given)
    reached = problem._derivatives(problem.x0)
    point = problem._point(problem.x0)
    assert reached.nx < len(problem._task.step.moves) // 2
    one = reached.direction(point, 1e-3, curved, 0.0)
    over_all_moves(monkeypatch)
    full = Local(Newton(problem._task, lambda row: None), point)
    other = full.direction(point, 1e-3, curved, 0.0)
    np.testing.assert_allclose(reached.gradient, full.gradient, atol=1e-9 * np.abs(full.gradient).max())
    np.testing.assert_allclose(one.d, other.d, atol=1e-6 * np.abs(other.d).max())
    assert one.slope == pytest.approx(other.slope, rel=1e-6)
    assert one.curvature == pytest.approx(other.curvature, rel=1e-6)
    moves = reached.stages.T[:-1]
    expected = other.G @ moves
    np.testing.assert_allclose(one.G @ moves, expected, atol=1e-6 * np.abs(expected).max())


def test_limits_costs_and_ends_along_reached_moves(monkeypatch):
    """Limits of variables, rates, inputs and forces, costs of frames and of rates, a soft end with velocities."""
    costs = [Effort(1e-4), Track({"bottom2": (0.3, 0.0, -1.0)}, 20.0), Track({"theta": 0.5}, 1.0, v=0.5)]
    model, given, _ = raised_lift(
        4, cost=costs, end={"theta": 0.4}, end_weight=1e3, rest=True, tolerance=1e-6
    )
    limits = {
        "lower": {"theta": 0.2},
        "velocity": {"theta": 3.0},
        "effort": 2000.0,
        "force": {"rail": 3000.0},
    }
    run = optimize(model, **given, **limits)
    over_all_moves(monkeypatch)
    full = optimize(model, **given, **limits)
    assert run.statistics["cost"] == pytest.approx(full.statistics["cost"], rel=1e-6)


def test_second_derivatives_of_a_motion_along_reached_moves():
    model, given, _ = raised_lift(4, end={"theta": 0.4}, end_weight=1e2, rest=True)
    given.pop("upper")
    problem = Shooting(model, **given)
    u, d = problem.x0, np.random.default_rng(0).normal(size=problem.x0.shape)
    expected = (problem.jac(u + 1e-3 * d) - problem.jac(u - 1e-3 * d)) / 2e-3
    np.testing.assert_allclose(problem.hessp(u, d), expected, atol=1e-5 * np.abs(expected).max())
