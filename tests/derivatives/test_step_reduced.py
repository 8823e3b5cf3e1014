"""Derivatives of reduced steps: by twists of the base in its own axes, against differences along `step.integrate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from bough.control import Step
from bough.control._reduced_step import ReducedStep
from support.finite_difference import slope
from support.free_bodies import satellite
from support.step_checks import DT, assert_close
from support.transforms import Array


def heavy() -> bough.System:
    """In gravity, with springs, dampers, wrenches and a motor."""
    system = satellite((0.5, 0.0, -9.81))
    wall = system.world.tx(2.0).tz(1.0, name="wall")
    for element in (
        bough.LinearSpring("tip", wall, stiffness=20.0, rest_length=0.4),
        bough.LinearSpring("body", "tip", stiffness=5.0, rest_length=0.2),
        bough.LinearDamper("tip", wall, coefficient=0.7),
        bough.LinearDamper("body", wall, coefficient=0.3),
        bough.TorsionSpring("body", "tip", stiffness=0.6),
        bough.Damping({"yaw": 0.2, "elbow": 0.1}),
        bough.BodyWrench("body", fx="thrust", tz="twist"),
        bough.BodyWrench("tip", fy="push"),
        bough.ConfigurationForce("pitch", "motor"),
        bough.ConfigurationSpring("elbow", stiffness=3.0),
    ):
        system.add(element)
    return system


def steered() -> bough.System:
    """A joint of the arm is prescribed."""
    system = bough.System("steered", gravity=(0.0, 0.0, -3.0))
    body = system.world.free("base", name="body", mass=4.0, inertia=(0.4, 0.5, 0.7), com=(0.05, -0.02, 0.03))
    arm = body.tx(0.5).rz(bough.kinematic("yaw")).tx(0.6, mass=1.0, inertia=(0.1, 0.12, 0.12))
    arm.ry("elbow").tx(0.4, name="tip", mass=0.5, inertia=(0.01, 0.02, 0.02), com=(-0.1, 0, 0))
    system.add(bough.BodyWrench("tip", fz="lift"))
    return system


def fixed() -> bough.System:
    """No base: all is shape."""
    system = bough.System("fixed", gravity=(0.0, 0.0, -9.81))
    upper = system.world.ry("shoulder").tz(-0.5, name="upper", mass=1.0, inertia=(0.1, 0.1, 0.05))
    upper.rx("elbow").tz(-0.4, name="lower", mass=0.6, inertia=(0.02, 0.03, 0.01))
    system.add(bough.ConfigurationForce("elbow", "torque"))
    system.add(bough.LinearDamper("lower", "world", coefficient=0.2))
    return system


SYSTEMS: dict[str, Callable[[], bough.System]] = {
    "floating": satellite,
    "heavy": heavy,
    "steered": steered,
    "fixed": fixed,
}
METHODS: dict[str, dict[str, Any]] = {
    "cayley": {},
    "exp": {"tau": "exp"},
    "alpha=0.3": {"alpha": 0.3},
    "alpha=0": {"alpha": 0.0},
    "order=4": {"order": 4},
}


def stepped(name: str, method: str) -> tuple[Step, Array, Array]:
    model = SYSTEMS[name]().build()
    step = Step(model, DT, integrator="reduced", **METHODS[method])
    random = np.random.default_rng(2)
    q, v = 0.4 * random.normal(size=model.nv), random.normal(size=model.nv)
    v[model.nd :] = 0.0
    x = step.state(q, v)
    k1 = q[model.nd :] + 0.3 * DT
    return step, x, np.concatenate([np.linspace(0.4, 0.9, model.nu), k1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_derivatives(name: str, method: str) -> None:
    step, x, c = stepped(name, method)
    nx, end = len(step.moves), step(x, c)
    A, B = step.jacobians(x, c)
    moves = np.eye(nx + len(c))

    def at(size: float) -> Array:
        xs = step.integrate(np.tile(x, (len(moves), 1)), size * moves[:, :nx])
        return step.difference(np.tile(end, (len(moves), 1)), step(xs, c + size * moves[:, nx:]))

    J = np.concatenate([A, B], axis=1)
    expected = slope(at, 1e-3).T
    for row, of in enumerate(step.moves):  # momenta and poses have other sizes
        assert_close(J[row], expected[row], 1e-7, of)
    random = np.random.default_rng(0)
    ds, w = random.normal(size=nx + len(c)), random.normal(size=nx)
    assert_close(step.jvp(x, c, ds[:nx], ds[nx:]), J @ ds, 1e-12, "jvp")
    assert_close(np.concatenate(step.vjp(x, c, w)), J.T @ w, 1e-12, "vjp")


@pytest.mark.parametrize("method", ["cayley", "exp", "order=4"])
def test_symplectic(method: str) -> None:
    """In the form dmu ∧ ν − mu·[ν, ν] for twists ν = Ad(g) n of the base, and dp ∧ dr of the shape."""
    step, x, c = stepped("floating", method)
    A, _ = step.jacobians(x, c)
    nr = len(step.model.shape_variables)

    def form(state: Array) -> Array:
        g, mu = step.pose(state), state[7 + nr : 13 + nr]
        R, p = g[:3, :3], g[:3, 3]
        cross = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
        Ad = np.block([[R, np.zeros((3, 3))], [cross @ R, R]])
        n = 6 + nr
        out = np.zeros((2 * n, 2 * n))
        out[:6, n : n + 6] = Ad.T
        out[6:n, n + 6 :] = np.eye(nr)
        out -= out.T
        for i in range(6):
            for j in range(6):
                a, b = Ad[:, i], Ad[:, j]
                bracket = np.concatenate(
                    [np.cross(a[:3], b[:3]), np.cross(a[3:], b[:3]) + np.cross(a[:3], b[3:])]
                )
                out[i, j] -= bracket @ mu
        return out

    off = A.T @ form(step(x, c)) @ A - form(x)
    assert np.max(np.abs(off)) < 1e-11 * max(1.0, np.max(np.abs(A)) ** 2)


def test_step_is_that_of_the_integrator() -> None:
    step, x, c = stepped("heavy", "exp")
    model, vi = step.model, step.integrator
    state = vi.start(g=step.pose(x), r=x[7:10], xi=step.velocity(x)[:6], v=step.velocity(x)[6:])
    after, end = vi.step(state, u=c), step(x, c)
    np.testing.assert_allclose(step.pose(end), after.g, atol=1e-13)
    np.testing.assert_allclose(end[7:10], after.q[list(model._layout[1])], atol=1e-13)
    np.testing.assert_allclose(end[10:16], after.mu, atol=1e-12)


@pytest.mark.parametrize("method", ["cayley", "exp", "order=4"])
@pytest.mark.parametrize("name", ["heavy", "steered"])
def test_linearize(name: str, method: str) -> None:
    """Blocks by name agree with A and B, and those by dt with differences of steps."""
    step, x, c = stepped(name, method)
    model, vi = step.model, step.integrator
    nr, nu = len(model.shape_variables), model.nu
    z = step.velocity(x)
    state = vi.start(g=step.pose(x), r=x[7 : 7 + nr], xi=z[:6], v=z[6:])
    found = vi.linearize(state, u=c[:nu], k=c[nu:] if model.nk else None)
    A, B = step.jacobians(x, c)
    assert_close(found.A, A, 1e-10, "A")
    assert_close(found.B, B, 1e-10, "B")
    assert found.g_dmu.shape == (6, 6)
    assert found.r_du.shape == (nr, nu)

    def end(size: float) -> Array:
        other = Step(model, DT + size, integrator="reduced", **METHODS[method])
        return step.difference(step(x, c), other(x, c))

    by_dt = slope(end, 1e-4)
    assert_close(np.concatenate([found.g_ddt, found.r_ddt, found.mu_ddt, found.p_ddt]), by_dt, 1e-7, "dt")
    with pytest.raises(AttributeError, match="g_dmu"):
        _ = found.q_dq


def test_batches_and_refusals() -> None:
    step, x, c = stepped("heavy", "cayley")
    assert repr(step) == "Step('satellite', dt=0.02, integrator='reduced')"
    A, _ = step.jacobians(np.tile(x, (2, 3, 1)), c)
    assert A.shape == (2, 3, len(step.moves), len(step.moves))
    assert np.array_equal(A[1, 2], step.jacobians(x, c)[0])
    for call in (
        lambda: step.hessian(x, c, x),
        lambda: step.hvp(x, c, x, x),
        lambda: step.parameter_jacobian(x, c),
        lambda: step.parameter_vjp(x, c, x),
    ):
        with pytest.raises(bough.ModelError, match="steps of the reduced integrator"):
            call()
    with pytest.raises(bough.ModelError, match="steps of the reduced integrator alone"):
        ReducedStep(step.model, DT, integrator="midpoint")
    with pytest.raises(bough.ModelError, match="'midpoint', 'trapezoidal', 'reduced'"):
        Step(step.model, DT, integrator="rk4")
