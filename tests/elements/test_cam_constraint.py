"""A follower on a cam: profiles by table, by spline and by formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline, CubicSpline, make_interp_spline

import bough
from bough import CamConstraint, PiecewisePolynomial, Sinusoid, System
from bough.description.functions import Function
from support.constraint_checks import assert_constraint

ANGLE = np.linspace(0.0, 2.0 * np.pi, 13)
LIFT = 0.02 * (1.0 - np.cos(ANGLE)) + 0.005 * np.sin(2.0 * ANGLE)
LIFT[-1] = LIFT[0]
TABLE = PiecewisePolynomial.through(ANGLE, LIFT, periodic=True)


def smooth() -> BSpline:
    return make_interp_spline(np.linspace(-4.0, 4.0, 9), np.linspace(-4.0, 4.0, 9) ** 3 / 20.0, k=5)


@pytest.mark.parametrize(
    "profile", [Sinusoid(0.4, 2.0, 0.3, 1.0), smooth()], ids=["sinusoid", "spline of degree 5"]
)
def test_derivatives(profile: object) -> None:
    assert_constraint(CamConstraint("slide", "turn", profile))  # type: ignore[arg-type]


def test_the_core_evaluates_as_scipy_does() -> None:
    system = System("cam")
    for name in ("follower", "cam"):
        system.world.tx(name, mass=1.0)
    spline = CubicSpline(ANGLE, LIFT, bc_type="periodic")
    system.add(CamConstraint("follower", "cam", spline, name="periodic"))  # type: ignore[arg-type]
    system.add(CamConstraint("follower", "cam", CubicSpline(ANGLE, ANGLE**2), name="open"))  # type: ignore[arg-type]
    model = system.build()
    x = np.linspace(-9.0, 16.0, 301)
    q = np.stack([np.zeros_like(x), x], axis=1)
    other = CubicSpline(ANGLE, ANGLE**2)
    for order, value in enumerate(
        (
            -model.constraint(q),
            -model.constraint_dq(q)[..., 1],
            -model.constraint_dqdq(q)[..., 1, 1],
            -model.constraint_dqdqdq(q)[..., 1, 1, 1],
        )
    ):
        assert np.allclose(value[:, 0], spline(x, order), rtol=0, atol=1e-12)
        assert np.allclose(value[:, 1], other(x, order), rtol=1e-12, atol=1e-10)


def test_forms_of_a_profile() -> None:
    """The table, the spline and its description are one profile."""
    spline = CubicSpline(ANGLE, LIFT, bc_type="periodic")
    cam = CamConstraint("follower", "cam", spline)  # type: ignore[arg-type]
    assert cam.profile == TABLE
    assert CamConstraint.from_dict(cam.to_dict()) == cam
    system = System("cam")
    for name in ("follower", "cam"):
        system.world.tx(name, mass=1.0)
    system.add(cam)
    assert System.from_dict(system.to_dict()).build() == system.build()
    assert str(system).splitlines()[-1] == (
        "CamConstraint  follower, cam  profile <PiecewisePolynomial: 12 pieces from 0 to 6.28319, periodic>"
    )


@pytest.mark.parametrize(
    "profile", [TABLE, Sinusoid(0.02, 1.0, -0.5 * np.pi, 0.02)], ids=["table", "eccentric"]
)
def test_motion(profile: Function) -> None:
    """(I + m f'^2) a + m f' f'' w^2 + m g f' + k f f' = 0 by SciPy, over several turns of the cam."""
    inertia, mass, g, stiffness = 0.01, 0.5, 9.81, 200.0
    system = System("cam")
    system.world.rz("cam", mass=1.0, inertia=(1.0, 1.0, inertia))
    system.world.tz("follower", mass=mass)
    system.add(bough.ConfigurationSpring("follower", stiffness))
    system.add(CamConstraint("follower", "cam", profile))
    model = system.build()
    assert model.mobility({}) == 1

    def rate(t: float, y: np.ndarray) -> list[float]:
        f, df, ddf = (profile(y[0], order) for order in range(3))
        force = -mass * df * ddf * y[1] ** 2 - mass * g * df - stiffness * f * df
        return [y[1], float(force / (inertia + mass * df**2))]

    w = 12.0
    lift, slope = float(profile(0.0)), float(profile(0.0, 1))
    truth = solve_ivp(rate, (0.0, 2.0), [0.0, w], method="DOP853", rtol=1e-11, atol=1e-12, max_step=0.005)
    assert truth.y[0, -1] > 2.0 * np.pi
    q, v = {"follower": lift}, {"cam": w, "follower": slope * w}
    run = bough.simulate(
        model,
        q=q,
        v=v,
        duration=2.0,
        dt=0.01,
        integrator="dop853",
        stabilization="projection",
        max_step=0.005,
    )
    assert run["cam"][-1] == pytest.approx(truth.y[0, -1], abs=1e-6)
    assert np.abs(run.constraint_error()).max() < 1e-14
    # the force on the follower: its inertia, weight and spring
    f, df, ddf = (profile(run["cam"], order) for order in range(3))
    a = np.array([rate(0.0, [x, y])[1] for x, y in zip(run["cam"], run.v[:, 0], strict=True)])
    push = mass * (df * a + ddf * run.v[:, 0] ** 2 + g) + stiffness * f
    assert np.allclose(run.lam[:, 0], push, rtol=1e-8)
    errors = []
    for dt in (0.002, 0.001):
        steps = bough.simulate(model, q=q, v=v, duration=2.0, dt=dt)
        assert np.abs(steps.constraint_error()).max() < 1e-13
        errors.append(abs(steps["cam"][-1] - truth.y[0, -1]))
    assert errors[1] < 0.3 * errors[0] < 1e-3
