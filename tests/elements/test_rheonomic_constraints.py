"""Constraints that depend on time: motions prescribed by functions that the core evaluates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp
from scipy.interpolate import make_interp_spline

import bough
from bough import DistanceConstraint, GearConstraint, PiecewisePolynomial, PointConstraint, Sinusoid, System
from bough.description.functions import Function
from support.constraint_checks import assert_constraint

LENGTH = Sinusoid(0.2, 3.0, 0.4, 1.0)
TIMES = np.linspace(0.0, 3.0, 10)


def spline() -> PiecewisePolynomial:
    return PiecewisePolynomial.from_scipy(make_interp_spline(TIMES, 1.0 + 0.2 * np.sin(2.0 * TIMES), k=5))


@pytest.mark.parametrize("length", [LENGTH, spline()], ids=["sinusoid", "spline"])
def test_derivatives(length: Function) -> None:
    assert_constraint(DistanceConstraint("a", "c", length), t=0.45)


def pendulum(length: object) -> bough.Model:
    system = System("pendulum")
    system.world.tx("x").tz("z", name="bob", mass=0.7)
    system.add(DistanceConstraint("bob", "world", length, name="wire"))  # type: ignore[arg-type]
    return system.build()


@pytest.mark.parametrize("length", [LENGTH, spline()], ids=["sinusoid", "spline"])
@pytest.mark.parametrize("t0", [0.0, 0.3])
def test_pendulum_of_varying_length(length: Function, t0: float) -> None:
    """a = -(2 l' w + g sin(angle)) / l by SciPy, and the tension m (g cos(angle) + l w^2 - l'')."""
    g, angle = 9.81, 0.5
    model = pendulum(length)

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], float(-(2.0 * length(t, 1) * y[1] + g * np.sin(y[0])) / length(t))]

    span = (t0, t0 + 2.0)
    truth = solve_ivp(rate, span, [angle, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    q = float(length(t0)) * np.array([np.sin(angle), -np.cos(angle)])
    run = bough.simulate(model, q=q, t0=t0, duration=2.0, dt=0.01, integrator="dop853")
    assert model.constraint_dq(q, t0) @ run.v[0] + model.constraint_dt(q, t0) == pytest.approx(
        [0.0], abs=1e-14
    )
    theta, w = truth.sol(run.t)
    l, ddl = length(run.t), length(run.t, 2)
    assert np.allclose(run["x"], l * np.sin(theta), rtol=0, atol=1e-8)
    assert np.allclose(run["z"], -l * np.cos(theta), rtol=0, atol=1e-8)
    assert np.abs(run.constraint_error()).max() < 1e-8
    assert np.allclose(-run.lam[:, 0], 0.7 * (g * np.cos(theta) + l * w**2 - ddl), rtol=0, atol=1e-7)

    errors = []
    for dt in (0.01, 0.005):
        steps = bough.simulate(model, q=q, t0=t0, duration=2.0, dt=dt)
        assert np.abs(steps.constraint_error()).max() < 1e-12
        errors.append(np.abs(steps.q[-1] - run.q[-1]).max())
    assert errors[1] < 0.3 * errors[0] < 1e-3


def test_the_same_as_a_kinematic_variable() -> None:
    """A length as a function of time, or as a kinematic variable that follows the same function."""
    driven, prescribed = pendulum(LENGTH), pendulum(bough.kinematic("length"))
    q = [0.3, -np.sqrt(float(LENGTH(0.0)) ** 2 - 0.09)]
    for integrator in ("midpoint", "trapezoidal"):
        first = bough.simulate(driven, q=q, duration=2.0, dt=0.01, integrator=integrator)
        p = first.p[0]
        second = bough.simulate(
            prescribed,
            q=[*q, float(LENGTH(0.0))],
            p=p,
            k={"length": lambda t: float(LENGTH(t))},
            duration=2.0,
            dt=0.01,
            integrator=integrator,
        )
        assert np.allclose(second.q[:, :2], first.q, rtol=0, atol=1e-10)
        assert np.allclose(second.lam[:-1], first.lam[:-1], rtol=0, atol=1e-7)


def test_work_of_the_drive() -> None:
    """The energy grows by the integral of -lam h_t."""
    model = pendulum(LENGTH)
    q = model.assemble(q={"x": 0.5, "z": -1.0}).q
    run = bough.simulate(model, q=q, duration=2.0, dt=0.005, integrator="dop853")
    power = -(run.lam * model.constraint_dt(run.q, run.t)).sum(axis=1)
    assert np.ptp(run.energy()) > 0.5
    for end in (100, 200, 400):
        work = simpson(power[: end + 1], x=run.t[: end + 1])
        assert run.energy()[end] - run.energy()[0] == pytest.approx(work, abs=1e-7)


def test_driven_joint() -> None:
    """A joint that is told its motion, and the torque I a + m g r sin(q) that this takes."""
    motion = Sinusoid(0.6, 4.0)
    system = System("driven")
    system.world.ry("joint").tz(-0.5, name="bob", mass=2.0)
    system.add(GearConstraint({"joint": 1.0}, offset=motion))
    model = system.build()
    assert model.mobility({}) == 0
    run = bough.simulate(model, duration=1.0, dt=0.01, integrator="dop853")
    assert np.allclose(run["joint"], motion(run.t), rtol=0, atol=1e-9)
    torque = 0.5 * motion(run.t, 2) + 2.0 * 9.81 * 0.5 * np.sin(motion(run.t))
    assert np.allclose(run.lam[:, 0], torque, rtol=0, atol=1e-7)
    for integrator in ("midpoint", "trapezoidal"):
        steps = bough.simulate(model, duration=1.0, dt=0.01, integrator=integrator)
        assert np.allclose(steps["joint"], motion(steps.t), rtol=0, atol=1e-13)
        assert np.allclose(steps.v[:, 0], motion(steps.t, 1), rtol=0, atol=1e-12)
        assert np.allclose(steps.lam[1:, 0], torque[1:], rtol=0, atol=1e-2)


def test_shaken_pivot() -> None:
    """A pendulum hung from a point that is shaken along x: a = (s'' cos(q) - ...) / l by SciPy."""
    shake = Sinusoid(0.1, 7.0)
    system = System("shaken")
    pivot = system.world.tx("x").tz("z", name="pivot", mass=0.1)
    pivot.ry("angle").tz(-0.8, name="bob", mass=1.0)
    system.add(PointConstraint(pivot, "world", axes=((1, 0, 0), (0, 0, 1)), offset=(shake, 0.0)))
    run = bough.simulate(
        system.build(), q={"angle": 0.2}, v={"angle": 0.0}, duration=1.0, dt=0.01, integrator="dop853"
    )
    assert run.v[0, 0] == pytest.approx(0.7)

    def rate(t: float, y: np.ndarray) -> list[float]:
        # the bob is at x - l sin(angle): a rotation about y takes -z towards -x
        return [y[1], float((np.cos(y[0]) * shake(t, 2) - 9.81 * np.sin(y[0])) / 0.8)]

    truth = solve_ivp(rate, (0.0, 1.0), [0.2, run.v[0, 2]], method="DOP853", rtol=1e-12, atol=1e-13)
    assert run["angle"][-1] == pytest.approx(truth.y[0, -1], abs=1e-8)


def test_the_start_must_meet_it_at_its_time() -> None:
    model = pendulum(LENGTH)
    late = float(LENGTH(0.3))
    vi = bough.MidpointVI(model, 0.01)
    assert vi.start(q=[0.0, -late], t=0.3).t == 0.3
    with pytest.raises(bough.ModelError, match="does not meet constraint 'wire'"):
        vi.start(q=[0.0, -late])
    found = model.assemble(q=[0.1, -1.0], t=0.3)
    assert found.t == 0.3
    assert np.hypot(*found.q) == pytest.approx(late, abs=1e-14)
    assert model.constraint_dq(found.q, 0.3) @ found.v == pytest.approx([float(LENGTH(0.3, 1))], abs=1e-13)
    run = bough.simulate(model, q=[0.1, -1.0], t0=0.3, duration=0.1, assemble=True)
    assert np.abs(run.constraint_error()).max() < 1e-13


def test_times_of_a_batch() -> None:
    model = pendulum(LENGTH)
    q = np.random.default_rng(0).normal(size=(2, 3, 2))
    t = np.arange(6.0).reshape(2, 3)
    for name in ("constraint", "constraint_dq", "constraint_dt", "constraint_dqdq", "constraint_scale"):
        quantity = getattr(model, name)
        whole = quantity(q, t)
        for i in np.ndindex(2, 3):
            assert np.array_equal(whole[i], quantity(q[i], t[i]))
    a = model.acceleration(q, q, t=t)
    assert np.array_equal(a[1, 2], model.acceleration(q[1, 2], q[1, 2], t=5.0))
