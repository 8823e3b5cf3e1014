"""Derivatives of reduced steps: by twists of the base in its own axes, against differences along `step.integrate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bough
from bough.control import Step, _reduced_second
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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_second_derivatives(name: str, method: str) -> None:
    """Along moves in all directions against second differences of steps alone, without first derivatives."""
    step, x, c = stepped(name, method)
    nx, end, random = len(step.moves), step(x, c), np.random.default_rng(3)
    J = np.concatenate(step.jacobians(x, c), axis=1)
    J = J[: nx - sum(of[0] in "mp" for of in step.moves)]  # of the pose and the shape
    w = random.normal(size=nx)
    H = step.hessian(x, c, w)
    assert np.array_equal(H, H.T)
    directions = random.normal(size=(2 * (nx + len(c)), nx + len(c))) / np.maximum(
        np.abs(J).max(axis=0), 1e-12
    )
    directions /= np.abs(directions @ J.T).max(axis=1, keepdims=True)

    def at(size: float) -> Array:
        xs = step.integrate(np.tile(x, (len(directions), 1)), size * directions[:, :nx])
        return (
            step.difference(np.tile(end, (len(directions), 1)), step(xs, c + size * directions[:, nx:])) @ w
        )

    h = 1.5e-3
    expected = (16.0 * (at(h) + at(-h)) - at(2.0 * h) - at(-2.0 * h)) / (12.0 * h * h)
    found = np.einsum("ki,ij,kj->k", directions, H, directions)
    terms = np.einsum("ki,ij,kj->k", np.abs(directions), np.abs(H), np.abs(directions))
    assert np.max(np.abs(found - expected) / terms) < 1e-8
    ds = random.normal(size=nx + len(c))
    product = step.hvp(x, c, w, ds[:nx], ds[nx:])
    assert_close(np.concatenate(product), H @ ds, 1e-12, "hvp")


@pytest.mark.parametrize("name", SYSTEMS)
def test_second_derivatives_do_not_depend_on_the_length(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step, x, c = stepped(name, "cayley")
    w = np.random.default_rng(3).normal(size=len(step.moves))
    H = step.hessian(x, c, w)
    for length in (3e-3, 3e-4):
        monkeypatch.setattr(_reduced_second, "LENGTH", length)
        assert_close(step.hessian(x, c, w), H, 2e-9, f"{length:g}")


def weighed() -> bough.System:
    """With parameters of inertia, geometry and elements."""
    system = bough.System("weighed", gravity=(0.0, 0.0, -2.0))
    mass, length = system.parameter("mass", 1.2), system.parameter("length", 0.6)
    stiffness, moment = system.parameter("stiffness", 3.0), system.parameter("moment", 0.5)
    body = system.world.free("base", name="body", mass=4.0, inertia=(0.4, moment, 0.7))
    arm = body.tx(0.5).rz("yaw").tx(length, mass=mass, inertia=(0.1, 0.12, 0.12))
    arm.ry("elbow").tx(0.4, name="tip", mass=0.5 * mass, inertia=(0.01, 0.02, 0.02))
    system.add(bough.ConfigurationSpring("elbow", stiffness=stiffness))
    system.add(bough.BodyWrench("tip", fz="lift"))
    return system


@pytest.mark.parametrize("method", METHODS)
def test_parameters(method: str) -> None:
    """Against differences of other lengths than those that they are made of, and of all of `names` or some."""
    model = weighed().build()
    step = Step(model, DT, integrator="reduced", **METHODS[method])
    random = np.random.default_rng(2)
    x, c = step.state(0.4 * random.normal(size=model.nv), random.normal(size=model.nv)), np.array([0.7])
    by, end = step.parameter_jacobian(x, c), step(x, c)
    assert by.shape == (len(step.moves), 4)
    for column, name in enumerate(model.parameters):

        def moved(size: float, name: str = name) -> Array:
            other = model.with_parameters(**{name: model.parameters[name] + size})
            return step.difference(end, Step(other, DT, integrator="reduced", **METHODS[method])(x, c))

        assert_close(by[:, column], slope(moved, 5e-3), 1e-7, name)
    w = random.normal(size=len(step.moves))
    np.testing.assert_allclose(step.parameter_vjp(x, c, w), by.T @ w, rtol=1e-13)
    some = step.parameter_jacobian(np.tile(x, (2, 1)), c, names=["stiffness", "mass"])
    assert_close(some[1], by[:, [2, 0]], 1e-12, "names")
    with pytest.raises(bough.ModelError, match="stifness"):
        step.parameter_jacobian(x, c, names=["stifness"])


def test_batches_and_refusals() -> None:
    step, x, c = stepped("heavy", "cayley")
    assert repr(step) == "Step('satellite', dt=0.02, integrator='reduced')"
    A, _ = step.jacobians(np.tile(x, (2, 3, 1)), c)
    assert A.shape == (2, 3, len(step.moves), len(step.moves))
    assert np.array_equal(A[1, 2], step.jacobians(x, c)[0])
    H = step.hessian(np.tile(x, (2, 1)), c, np.ones(len(step.moves)))
    assert H.shape == (2, len(step.moves) + len(c), len(step.moves) + len(c))
    assert np.array_equal(H[1], step.hessian(x, c, np.ones(len(step.moves))))
    assert step.parameter_jacobian(x, c).shape == (len(step.moves), 0)
    with pytest.raises(bough.ModelError, match="steps of the reduced integrator alone"):
        ReducedStep(step.model, DT, integrator="midpoint")
    with pytest.raises(bough.ModelError, match="'midpoint', 'trapezoidal', 'reduced'"):
        Step(step.model, DT, integrator="rk4")


def test_second_derivatives_of_a_short_step_with_drag() -> None:
    """Momenta hardly move the end of a short step: their differences are bounded by the change of velocities."""
    system = bough.System("arm", gravity=(0, 0, -9.81))
    system.world.ry("a").tz(-1.0, name="elbow", mass=1.0).ry("b").tz(-0.7, name="hand", mass=1.3)
    system.add(bough.Drag("hand", 0.4))
    step = Step(system.build(), 1e-3, integrator="reduced")
    random = np.random.default_rng(0)
    w, none = np.cos(np.arange(4)), np.zeros(0)
    for _ in range(3):
        x = step.state(random.normal(size=2), random.normal(size=2))
        expected = slope(lambda s, x=x: step.vjp(x + s * np.eye(4), none, w)[0], 1e-3)
        assert_close(step.hessian(x, none, w), expected, 1e-8, "hessian")
