"""Steps in CasADi, JAX, SciPy, Gymnasium and crocoddyl, each with the real library."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

import bough
from bough.control import Effort, Shooting, Step, Tracker, optimize
from support.control_models import crane, driven_pendulum, on_circle, rod_on_slides


def cases():
    """Steps at a state: with inputs, with a kinematic variable, with constraints."""
    rng = np.random.default_rng(0)
    for model, q in (
        (driven_pendulum(2, 0.1), {"q0": 0.4}),
        (crane(), {"swing": 0.3}),
        (rod_on_slides(), on_circle(0.5)),
    ):
        step = Step(model, 0.02)
        x = step(step.state(q))
        yield (
            step,
            x,
            np.concatenate([rng.normal(size=model.nu), x[model.nd : model.nq]]),
            rng.normal(size=len(x)),
        )


@pytest.mark.parametrize("case", range(3))
def test_casadi_has_exact_first_and_second_derivatives(case):
    casadi = pytest.importorskip("casadi")
    from bough.control.adapters.casadi import casadi_step

    step, x, c, w = list(cases())[case]
    nx, nc = len(x), len(c)
    f = casadi_step(step)
    W = casadi.MX.sym("w", nx)
    y = casadi.MX.sym("z", nx + nc)
    value = casadi.dot(W, f(y[:nx], y[nx:]))
    H, g = casadi.hessian(value, y)
    found = casadi.Function("found", [y, W], [H, g, casadi.jacobian(f(y[:nx], y[nx:]), y)])
    H, g, J = (np.array(part) for part in found(np.concatenate([x, c]), w))
    np.testing.assert_allclose(H, step.hessian(x, c, w), atol=1e-9)
    np.testing.assert_allclose(g.ravel(), np.concatenate(step.vjp(x, c, w)), atol=1e-12)
    np.testing.assert_allclose(J, np.hstack(step.jacobians(x, c)), atol=1e-12)


@pytest.mark.parametrize(
    "case", [0, pytest.param(1, marks=pytest.mark.verify), pytest.param(2, marks=pytest.mark.verify)]
)
def test_jax_transforms_a_step(case):
    jax = pytest.importorskip("jax")
    from bough.control.adapters.jax import jax_step

    step, x, c, w = list(cases())[case]
    wide = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
    with wide(True):
        f = jax_step(step)
        A, B = step.jacobians(x, c)
        np.testing.assert_allclose(jax.jit(f)(x, c), step(x, c), atol=1e-13)
        np.testing.assert_allclose(jax.jacfwd(f)(x, c), A, atol=1e-12)
        np.testing.assert_allclose(jax.jacrev(f, 1)(x, c), B, atol=1e-12)
        many = x + 1e-3 * np.arange(3)[:, None] * (step.jacobians(x, c)[0] @ w)
        if step.model.nc == 0:
            np.testing.assert_allclose(jax.vmap(f, (0, None))(many, c), step(many, c), atol=1e-13)

        def cost(c):
            return w @ f(f(x, c), c)

        slope, value, h = jax.jit(jax.grad(cost)), jax.jit(cost), 1e-5
        H, gradient = np.asarray(jax.jit(jax.hessian(cost))(c)), np.asarray(slope(c))
        e = np.eye(len(c))[0]
        difference = (float(value(c + h * e)) - float(value(c - h * e))) / (2 * h)
        assert gradient[0] == pytest.approx(difference, abs=1e-7 * (1 + abs(difference)))
        row = (np.asarray(slope(c + h * e)) - np.asarray(slope(c - h * e))) / (2 * h)
        np.testing.assert_allclose(H[0], row, atol=1e-6 * (1 + np.abs(row).max()))


def test_scipy_finds_the_same_minimum():
    model = bough.gallery.cart_pole().build()
    given = {
        "q": {"angle": 0.3},
        "duration": 1.0,
        "dt": 0.05,
        "cost": Effort(0.1),
        "end": {"x": 0.0, "angle": 0.0},
        "end_weight": 50.0,
    }
    problem = Shooting(model, **given)
    rng = np.random.default_rng(0)
    u = rng.normal(size=problem.x0.shape)
    assert check_grad(problem.fun, problem.jac, u) < 1e-4 * np.linalg.norm(problem.jac(u))
    d = rng.normal(size=u.shape)
    expected = (problem.jac(u + 1e-5 * d) - problem.jac(u - 1e-5 * d)) / 2e-5
    np.testing.assert_allclose(problem.hessp(u, d), expected, atol=1e-6 * np.abs(expected).max())
    found = minimize(
        problem.fun, problem.x0, jac=problem.jac, hessp=problem.hessp, method="trust-ncg", tol=1e-9
    )
    best = optimize(model, **given)
    assert found.fun == pytest.approx(best.statistics["cost"], rel=1e-7)
    np.testing.assert_allclose(problem.run(found.x).u, best.u, atol=1e-4)
    with pytest.raises(bough.ModelError, match="condition"):
        Shooting(model, **{**given, "end_weight": None})


def test_tracker_catches_a_pole_within_its_limits():
    model = bough.gallery.cart_pole().build()
    tracker = Tracker(
        model,
        horizon=0.8,
        dt=0.04,
        cost=[Effort(0.01), bough.control.Track({"x": 0.0, "angle": 0.0}, weight=5.0)],
        end={"x": 0.0, "angle": 0.0},
        end_weight=20.0,
        effort={"force": 15.0},
    )
    run = bough.simulate(model, q={"angle": 0.2}, u=tracker, duration=2.0, dt=0.04)
    assert abs(run["angle"][-1]) < 0.05
    assert np.abs(run.u).max() <= 15.0
    assert max(tracker.solved[1:]) <= 3
    again = bough.simulate(model, q={"angle": 0.2}, u=tracker, duration=2.0, dt=0.04)
    assert np.array_equal(again.u, run.u)  # a second run does not begin with the plan of the first
    with pytest.raises(bough.ModelError, match="kinematic variables"):
        Tracker(crane(), horizon=1.0, dt=0.1, cost=Effort(1.0))
    with pytest.raises(bough.ModelError, match="nearest is 'lower'"):
        Tracker(model, horizon=1.0, dt=0.1, cost=Effort(1.0), lowr=1.0)


def environment(**options):
    from bough import gym

    model = bough.gallery.cart_pole().build()
    given = {
        "effort": 10.0,
        "dt": 0.02,
        "duration": 1.0,
        "q": {"angle": 0.0},
        "spread": 0.05,
        "terminate": lambda state: abs(state.q[1]) > 0.4,
        **options,
    }
    return gym.Environment(model, lambda state, u: 1.0 - float(state.q[1] ** 2), **given)


def test_gymnasium_accepts_the_environment():
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    env = environment()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice about unbounded spaces
        check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    np.testing.assert_array_equal(observation, again)
    total, steps, ended, cut = 0.0, 0, False, False
    while not (ended or cut):
        _, reward, ended, cut, _ = env.step(np.zeros(1, np.float32))
        total, steps = total + reward, steps + 1
    assert ended or steps == 50
    assert 0.0 < total <= steps


def test_gymnasium_moves_as_a_simulation():
    pytest.importorskip("gymnasium")
    env = environment(spread=0.0, terminate=None, q={"angle": 0.2}, substeps=2)
    env.reset()
    actions = np.linspace(-1.0, 1.0, 10, dtype=np.float32)
    for action in actions:
        observation, *_ = env.step([action])
    u = np.repeat(10.0 * actions.astype(float), 2)[:, None]
    run = bough.simulate(env.model, q={"angle": 0.2}, u=u, duration=0.2, dt=0.01)
    np.testing.assert_allclose(observation, np.concatenate([run.q[-1], run.v[-1]]), atol=1e-12)


def test_environments_that_cannot_be_are_told():
    pytest.importorskip("gymnasium")
    import bough.gym

    with pytest.raises(bough.ModelError, match="without inputs"):
        bough.gym.Environment(bough.gallery.pendulum(1).build(), lambda s, u: 0.0, effort=1.0)
    with pytest.raises(bough.ModelError, match="without limits"):
        environment(effort={})
    with pytest.raises(bough.ModelError, match="random starts"):
        bough.gym.Environment(rod_on_slides(), lambda s, u: 0.0, effort=1.0, spread=0.1)


def test_crocoddyl_solves_with_steps():
    crocoddyl = pytest.importorskip("crocoddyl")
    from bough.control.adapters.crocoddyl import action_model

    model = bough.gallery.cart_pole().build()
    step = Step(model, 0.05)
    running = action_model(step, R=0.005, Q=[0.005, 0.0, 0.0, 0.0])
    last = action_model(None, states=4, controls=1, Q=200.0)
    x0 = step.state({"angle": 0.4})
    solver = crocoddyl.SolverFDDP(crocoddyl.ShootingProblem(x0, [running] * 40, last))
    assert solver.solve([], [], 200)
    assert np.abs(np.array(solver.xs)[-1]).max() < 0.05
    states = [x0]
    for u in solver.us:
        states.append(step(states[-1], np.array(u)))
    np.testing.assert_allclose(np.array(solver.xs), states, atol=1e-6)
