"""Derivatives of steps of order 4, 6 and 8 of the midpoint rule."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg

import bough
from bough.control import Step
from support.finite_difference import slope
from support.product import Case, motion
from support.product_elements import FORCES, POTENTIALS, U
from support.step_checks import assert_close, assert_hessian, loop, stepped
from support.transforms import Array


@pytest.mark.parametrize("order", [4, 6, 8])
def test_the_end_is_that_of_the_integrator(order: int) -> None:
    moving = motion(Case("BodyWrench", "branched", 4, rows=False, kinematic=False, shared=True))
    q, v, u = (moving.arguments[name] for name in "qvu")
    step, vi = (kind(moving.model, 0.01, order=order) for kind in (Step, bough.MidpointVI))
    after = vi.step(vi.start(q, v), u=u)
    x1 = step(step.state(q, v), u)
    assert_close(x1, np.concatenate([after.q, after.p]), 1e-12, "x1")


@pytest.mark.parametrize("order", [4, 8])
@pytest.mark.parametrize("kind", [*POTENTIALS, *FORCES])
def test_elements(kind: str, order: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        moving = motion(Case(kind, "chain", 3, rows=False, kinematic=False, shared=order == 4))
        step = Step(moving.model, 0.02, order=order)
        x, u = step.state(moving.arguments["q"], moving.arguments["v"]), np.full(moving.model.nu, U)
        A, B = step.jacobians(x, u)
        s, h, nx = np.concatenate([x, u]), 1e-4, len(x)
        moves = np.eye(len(s))

        def end(size: float) -> Array:
            moved = s + size * moves
            return step(moved[:, :nx], moved[:, nx:])

        expected = slope(end, h).T
        assert_close(np.concatenate([A, B], axis=1), expected, 1e-7, kind)
    w, ds = np.random.default_rng(3).normal(size=(2, len(s)))
    assert_close(
        np.concatenate(step.vjp(x, u, w[:nx])), w[:nx] @ np.concatenate([A, B], axis=1), 1e-12, "vjp"
    )
    assert_close(step.jvp(x, u, ds[:nx], ds[nx:]), A @ ds[:nx] + B @ ds[nx:], 1e-12, "jvp")


@pytest.mark.parametrize("order", [4, 6, 8])
def test_symplectic(order: int) -> None:
    step = Step(bough.gallery.pendulum(3).build(), 0.05, order=order)
    A, _ = step.jacobians(step.state([0.4, -0.3, 0.9], [1.0, 2.0, -1.0]))
    omega = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    assert_close(A.T @ omega @ A, omega, 1e-11, "symplecticity")


@pytest.mark.parametrize("order", [4, 6])
@pytest.mark.parametrize(("rows", "kinematic"), [(True, False), (False, True), (True, True)])
def test_constraints_and_kinematic_variables(order: int, rows: bool, kinematic: bool) -> None:
    """The step is that of the integrator; its derivatives are differences of it for moves along the constraints."""
    moving = motion(Case("LinearSpring", "branched", 4, rows=rows, kinematic=kinematic, shared=False))
    model, dt = moving.model, 0.02
    step, vi = (kind(model, dt, order=order) for kind in (Step, bough.MidpointVI))
    begin = vi.start(moving.arguments["q"], moving.arguments["v"])
    q, x = begin.q, np.concatenate([begin.q, begin.p])
    nq, nd, nx = model.nq, model.nd, len(x)
    control = np.concatenate([np.full(model.nu, U), q[nd:] + 0.003])
    after = vi.step(begin, u=control[: model.nu], k=control[model.nu :])
    assert_close(step(x, control), np.concatenate([after.q, after.p]), 1e-11, "x1")
    A, B = step.jacobians(x, control)
    Dh = model.constraint_dq(q)
    moves = np.zeros((nq + nd + len(control), 0))
    basis = scipy.linalg.null_space(Dh) if model.nc else np.eye(nq)
    for block, first in ((basis, 0), (np.eye(nd), nq), (np.eye(model.nu), nx)):
        part = np.zeros((len(moves), block.shape[1]))
        part[first : first + len(block)] = block
        moves = np.concatenate([moves, part], axis=1)
    for i in range(model.nk):
        one = np.zeros((len(moves), 1))
        one[nx + model.nu + i] = 1.0
        moves = np.concatenate([moves, one], axis=1)

    def end(size: float) -> Array:
        s = np.concatenate([x, control]) + size * moves.T
        for _ in range(6 if model.nc else 0):  # back to the constraints
            s[:, :nq] -= (np.linalg.pinv(Dh) @ (model.constraint(s[:, :nq]) - model.constraint(q)).T).T
        return step(s[:, :nx], s[:, nx:])

    expected = slope(end, 1e-3, order=6).T
    assert_close(np.concatenate([A, B], axis=1) @ moves, expected, 1e-7, "derivatives")
    w = np.random.default_rng(5).normal(size=nx)
    assert_close(np.concatenate(step.vjp(x, control, w)), w @ np.concatenate([A, B], axis=1), 1e-12, "vjp")
    assert_close(step.multipliers(x, control), after.lam, 1e-9, "lam")


@pytest.mark.parametrize("order", [4, 6])
@pytest.mark.parametrize("kind", [*POTENTIALS, *FORCES])
def test_second_derivatives_of_elements(kind: str, order: int) -> None:
    """(GD10), (GD11), with a kinematic variable at order 4."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.BoughWarning)
        case = Case(kind, "chain", 3, rows=False, kinematic=order == 4, shared=False)
        assert_hessian(*stepped(case, order=order))


@pytest.mark.parametrize("order", [6, 8])
@pytest.mark.parametrize("kind", ["DistanceConstraint", "PointConstraint"])
def test_second_derivatives_with_constraints_at_higher_orders(kind: str, order: int) -> None:
    """(GD12); those of order 4 with all kinds are in test_step_hessian.py."""
    assert_hessian(*stepped(Case(kind, "branched", 5, rows=False, kinematic=True, shared=False), order=order))


@pytest.mark.parametrize("order", [4, 6])
def test_rows_that_depend_on_each_other(order: int) -> None:
    """The second derivatives along the constraints are those without the redundant row."""
    moves = scipy.linalg.null_space(loop(2)[0].constraint_dq(loop(2)[1]))
    found = []
    for rows in (2, 3):
        model, q = loop(rows)
        step = Step(model, 0.02, order=order)
        x = step.state(q, model.assemble(q, v=np.array([0.3, -0.2, 0.5, 0.1])).v)
        w = np.random.default_rng(2).normal(size=len(x))
        along = scipy.linalg.block_diag(moves, np.eye(len(x) + model.nu - model.nq))
        found.append(along.T @ step.hessian(x, np.full(model.nu, 0.3), w) @ along)
    assert_close(found[1], found[0], 1e-8, "hessian")
    assert np.abs(found[0]).max() > 1e-3


def test_a_step_that_is_made_in_halves_is_not_differentiated_as_a_whole() -> None:
    """A spring that the iteration of one step does not settle."""
    system = bough.System("stiff")
    system.world.tx("x", name="mass", mass=1.0)
    system.add(bough.NonlinearConfigurationSpring("x", polynomial=(0, 0, 0, 1e3)))
    vi = bough.MidpointVI(system.build(), 0.1, order=4)
    state = vi.start({"x": 1.0}, {"x": 3.0})
    assert np.isfinite(vi.step(state).q).all()  # the step is made
    with pytest.raises(bough.ConvergenceError, match="in which halves it is made"):
        vi.linearize(state)


def test_all_steps_of_a_run() -> None:
    """`linearize` and `lqr` along a run of order 6, with inputs that hold for steps; functions of time are refused."""
    model = bough.gallery.cart_pole().build()
    u = np.random.default_rng(0).normal(size=(5, 1))
    start = {"q": {"angle": 0.4}, "duration": 0.1, "dt": 0.02, "order": 6}
    run = bough.simulate(model, u=u, **start)
    A, B = bough.control.linearize(run)
    step = Step(model, 0.02, order=6)
    for k in range(5):
        x = np.concatenate([run.q[k], run.p[k]])
        assert_close(
            np.concatenate([run.q[k + 1], run.p[k + 1]]), step(x, u[k]), 1e-12, "the steps of the run"
        )
        expected = step.jacobians(x, u[k])
        assert_close(A[k], expected[0], 1e-12, "A")
        assert_close(B[k], expected[1], 1e-12, "B")
    feedback = bough.control.lqr(run, Q=np.eye(4), R=0.1)
    assert_close(bough.simulate(model, u=feedback, **start).q, run.q, 1e-9, "the motion it was made for")
    timed = bough.simulate(model, u=lambda t: [np.sin(t)], **start)
    for derivatives in (bough.control.linearize, bough.Trajectory.sensitivity):
        with pytest.raises(bough.ModelError, match="inputs that are functions of time within a step"):
            derivatives(timed)


def test_runs_with_kinematic_variables() -> None:
    """The derivatives by kinematic values at nodes, which are linear between them; functions of time are refused."""
    system = bough.System("hung", gravity=(0, 0, -9.81))
    bob = system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, name="bob", mass=1.0)
    system.add(bough.LinearDamper(bob, "world", 0.3))
    model = system.build()
    k = 0.1 * np.random.default_rng(1).normal(size=(13, 1)).cumsum(axis=0)
    start = {"q": [0.7, k[0, 0]], "duration": 0.6, "dt": 0.05, "order": 4}

    def end(moved: Array) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bough.BoughWarning)
            return bough.simulate(model, **(start | {"q": [0.7, moved[0, 0]]}), k=moved)

    run = end(k)
    of = {"q": np.zeros_like(run.q)}
    of["q"][-1, 0] = 1.0
    gradient = run.sensitivity(of=of).by_momentum
    for node in (8, 11, 12):  # the first ones also change the velocity at the start
        e = np.zeros_like(k)
        e[node] = 1.0
        expected = slope(lambda s, e=e: end(k + s * e).q[-1, :1], 1e-3)
        assert_close(gradient.k[node], expected, 1e-7, f"node {node}")
    timed = bough.simulate(model, **start, k=lambda t: [k[0, 0] + np.sin(t) ** 2])
    with pytest.raises(
        bough.ModelError, match="kinematic variables that are functions of time within a step"
    ):
        timed.sensitivity()
