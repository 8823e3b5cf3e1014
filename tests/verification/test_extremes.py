"""Masses from a milligram to a thousand tonnes in one system, and springs of 1e8 N/m."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bough
from support.paper_step import PaperStep
from support.transforms import Array

HEAVY, LIGHT, STIFF = 1e6, 1e-6, 1e8
METHODS = pytest.mark.parametrize("method", [bough.MidpointVI, bough.TrapezoidalVI])


def against_the_paper(
    system: bough.System, method: Any, q: Array, v: Array, dt: float, steps: int, rtol: float
) -> None:
    """Every step of the core from its own state, against the slow reference from the same state."""
    vi = method(system.build(), dt)
    reference = PaperStep(system, vi.method)
    state = vi.start(q, v)
    for _ in range(steps):
        old, state = state, vi.step(state)
        exact, momenta, _ = reference.step(old.q, old.p, dt, np.zeros(0), np.zeros(0), state.q + 1e-6)
        # every variable and every momentum to its own size: light parts are not lost beside heavy ones
        move = np.abs(exact - old.q) + 1e-3
        np.testing.assert_array_less(np.abs(state.q - exact), rtol * move)
        size = np.maximum(np.abs(momenta), np.abs(old.p)) + 1e-3 * np.abs(
            np.diag(vi.model.mass_matrix(old.q))
        )
        np.testing.assert_array_less(np.abs(state.p - momenta), rtol * size)


def arm(*masses: float) -> bough.System:
    """A chain in space with a mass at every joint."""
    system = bough.System("arm")
    frame = system.world
    for n, mass in enumerate(masses):
        frame = getattr(frame, ("ry", "rx", "rz", "ty")[n % 4])(f"q{n}")
        frame = frame.tx(0.3).tz(
            -0.8, name=f"m{n}", mass=mass, inertia=(0.1 * mass, 0.12 * mass, 0.15 * mass)
        )
    return system


@METHODS
@pytest.mark.parametrize("masses", [(HEAVY, LIGHT, 1.0), (LIGHT, HEAVY, LIGHT), (1.0, LIGHT, HEAVY, LIGHT)])
def test_masses_of_many_sizes(method: Any, masses: tuple[float, ...]) -> None:
    n = len(masses)
    q, v = np.linspace(0.3, -0.4, n), np.linspace(-0.5, 0.8, n)
    # a row sums momenta of all links behind its joint: where heavy ones nearly cancel, 1e-16 of them is left
    against_the_paper(arm(*masses), method, q, v, 0.01, 5, 1e-8)


@METHODS
def test_masses_and_stiffness_together(method: Any) -> None:
    system = arm(HEAVY, 1.0, LIGHT)
    system.add(bough.ConfigurationSpring("q0", STIFF))
    system.add(bough.LinearSpring("m1", "world", STIFF, 1.70131))  # stretched by 9e-6 m at the start
    system.add(bough.Damping({"q2": 1e-7}))
    against_the_paper(system, method, np.array([0.01, 0.2, 0.1]), np.zeros(3), 0.001, 5, 1e-8)


@pytest.mark.parametrize("dt", [1e-8, 1e-4, 0.01])
def test_stiff_light_oscillator_beside_a_heavy_mass(dt: float) -> None:
    """A milligram on a spring of 1e8 N/m on a drifting mass of 1e6 kg: both motions in closed form."""
    system = bough.System("oscillator", gravity=None)
    cart = system.world.tx("cart", mass=HEAVY)
    cart.tx("light", mass=LIGHT)
    system.add(bough.ConfigurationSpring("light", STIFF))
    drift, stretch = 0.5, 1e-3
    vi = bough.MidpointVI(system.build(), dt)
    state = vi.start({"light": stretch}, {"cart": drift})
    omega = np.sqrt(STIFF * (1.0 / LIGHT + 1.0 / HEAVY))
    turn = 2.0 * np.arctan(0.5 * omega * dt)  # of the midpoint rule in one step, at any omega dt
    for n in range(1, 101):
        state = vi.step(state)
        np.testing.assert_allclose(state.q[1], stretch * np.cos(n * turn), rtol=0, atol=1e-9 * stretch)
        np.testing.assert_allclose(state.q[0], drift * n * dt, rtol=1e-12, atol=1e-14)
    # the cart carries the momentum of both, the light one that of its own motion and of the drift
    assert state.p[0] == pytest.approx(HEAVY * drift + LIGHT * drift, rel=1e-14)


@METHODS
def test_stiff_spring_is_a_rod(method: Any) -> None:
    """A bob on a spring of 1e8 N/m swings as the pendulum of textbooks."""
    system = bough.System("bob")
    bob = system.world.tx("x").tz("z", mass=1.0)
    system.add(bough.LinearSpring(bob, "world", STIFF, 1.0))
    angle, dt = 0.5, 1e-4 if method is bough.TrapezoidalVI else 0.002
    stretched = 1.0 + 9.81 * np.cos(angle) / STIFF
    start = {"x": stretched * np.sin(angle), "z": -stretched * np.cos(angle)}
    run = bough.simulate(system.build(), start, duration=2.0, dt=dt, every=10, integrator=method.method)
    exact = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.sin(y[0])],
        (0, 2),
        (angle, 0.0),
        "DOP853",
        run.t,
        rtol=1e-12,
        atol=1e-12,
    ).y[0]
    found = np.arctan2(run["x"], -run["z"])
    # second order of the method, and a stretch of 1e-7
    np.testing.assert_allclose(found, exact, rtol=0, atol=20 * dt**2 + 1e-6)
    np.testing.assert_allclose(np.hypot(run["x"], run["z"]), 1.0, rtol=0, atol=20 * dt**2 + 1e-6)


def test_heavy_and_light_bobs_with_constraints() -> None:
    """Rods instead of joints: a heavy bob, and a light one hanging from it, in Cartesian coordinates."""
    system = bough.System("rods")
    heavy = system.world.tx("x0").tz("z0", mass=HEAVY)
    light = system.world.tx("x1").tz("z1", mass=LIGHT)
    system.add(bough.DistanceConstraint(heavy, "world", length=1.0))
    system.add(bough.DistanceConstraint(light, heavy, length=0.5))
    model = system.build()
    a, b = 0.6, -0.2
    q = [np.sin(a), -np.cos(a), np.sin(a) + 0.5 * np.sin(b), -np.cos(a) - 0.5 * np.cos(b)]
    coarse, fine = (
        bough.simulate(model, q, duration=2.0, dt=dt, every=round(0.01 / dt)) for dt in (0.001, 0.0005)
    )
    exact = bough.simulate(
        double_pendulum(), {"a": a, "b": b - a}, duration=2.0, dt=0.01, integrator="dop853", rtol=1e-12
    )
    # errors are even in dt: one extrapolation leaves dt^4
    x0, z0, x1, z1 = ((4.0 * fine.q - coarse.q) / 3.0).T
    np.testing.assert_allclose(np.arctan2(x0, -z0), exact["a"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(np.arctan2(x1 - x0, z0 - z1), exact["a"] + exact["b"], rtol=0, atol=1e-8)
    assert np.max(np.abs(model.constraint(fine.q)) / model.constraint_scale(fine.q)) <= 1e-12


def double_pendulum() -> bough.Model:
    """The same in joint angles, which count the other way round: the mirrored motion has the same numbers."""
    system = bough.System("double pendulum")
    elbow = system.world.ry("a").tz(-1.0, mass=HEAVY)
    elbow.ry("b").tz(-0.5, mass=LIGHT)
    return system.build()
