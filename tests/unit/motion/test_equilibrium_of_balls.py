"""Rest with balls: pendulums, springs by the logarithm, forces, constraints, and what is stable."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import bough
from support.balls import chain

HANGING = {"mass": 2.0, "inertia": (0.1, 0.12, 0.02), "com": (0.0, 0.0, -0.4)}


def test_a_chain_hangs_straight() -> None:
    """From any orientation, to the lowest place; the turns about the vertical are free."""
    model = chain(3).build()
    found = model.equilibrium(q=model.random(4))
    rest = bough.simulate(model, q=found.q, duration=1.0, dt=0.01)
    assert np.abs(rest.v).max() < 1e-6
    assert found.stability == "neutral"
    lowest = min(model.potential_energy(model.random(seed)) for seed in range(200))
    assert found.energy < lowest
    assert np.count_nonzero(np.abs(found.eigenvalues) < 1e-8) == 3  # each link about its own vertical


def test_a_ball_on_a_spring_sags() -> None:
    """About one axis it is the balance k (theta - rest) = m g l sin(theta), by a bracketed root."""
    k, m, l, rest = 30.0, 2.0, 0.4, 0.9
    system = bough.System("leg")
    system.world.ball("hip").frame("leg", **HANGING)
    system.add(bough.TorsionSpring("world", "leg", k, rest=(0.0, rest, 0.0)))
    model = system.build()
    found = model.equilibrium()
    angle = brentq(lambda x: k * (x - rest) + m * 9.81 * l * np.sin(x), 0.0, rest)
    np.testing.assert_allclose(
        Rotation.from_quat(found.q[[1, 2, 3, 0]]).as_rotvec(), [0.0, angle, 0.0], atol=1e-9
    )
    assert found.stable
    # small vibrations about y are those of the second derivative over the moment of inertia
    square = (k + m * 9.81 * l * np.cos(angle)) / (0.12 + m * l**2)
    assert np.abs(found.eigenvalues / square - 1.0).min() < 1e-8


def test_frequencies_are_those_of_a_motion() -> None:
    system = bough.System("leg")
    system.world.ball("hip").frame("leg", **HANGING)
    system.add(bough.TorsionSpring("world", "leg", 30.0, rest=(0.3, 0.6, -0.2)))
    model = system.build()
    found = model.equilibrium()
    M, K = model.mass_matrix(found.q), -model.L_dqdq(found.q, np.zeros(3))
    np.testing.assert_allclose(K, K.T, atol=1e-9)  # at rest the order of derivatives does not matter
    values, vectors = np.linalg.eig(np.linalg.solve(M, K))
    np.testing.assert_allclose(np.sort(values.real), found.eigenvalues, rtol=1e-8)
    mode, size = vectors[:, 0].real, 1e-4
    run = bough.simulate(
        model,
        q=model.integrate(found.q, size * mode),
        duration=2.0,
        dt=0.01,
        integrator="dop853",
        rtol=1e-12,
        atol=1e-13,
    )
    away = model.difference(found.q, run.q) @ mode / (mode @ mode)
    np.testing.assert_allclose(away, size * np.cos(np.sqrt(values[0].real) * run.t), atol=20.0 * size**2)


def test_an_upright_pendulum_is_unstable() -> None:
    system = bough.System("upright")
    system.world.ball("hip").frame("leg", **HANGING)
    model = system.build()
    start = model.configuration({"hip": (np.pi, 0.0, 0.0)})
    assert model.equilibrium(q=start).stability == "unstable"


def test_forces_and_constraints() -> None:
    """A torque by an input along a rate, and a point held by a rail: the forces cancel where it is found."""
    system = chain(2)
    system.add(bough.ConfigurationForce("b0_wx", "torque"))
    system.add(bough.TorsionSpring("world", "link0", 20.0))
    system.add(bough.TorsionSpring("link0", "link1", 20.0, rest=(0.0, 0.4, 0.0)))
    system.world.tx(0.3).frame("anchor")
    system.add(bough.PointConstraint("link1", "anchor", axis=(1.0, 0.0, 0.0)))
    model = system.build()
    found = model.equilibrium(u={"torque": 3.0})
    a, lam = model.acceleration_and_multipliers(found.q, np.zeros(model.nv), u={"torque": 3.0})
    assert np.abs(a).max() < 1e-7
    np.testing.assert_allclose(lam, found.lam, atol=1e-7)
    assert np.abs(model.constraint(found.q)).max() < 1e-12


def test_a_held_ball_stays() -> None:
    model = chain(2).build()
    turn = (np.cos(0.5), 0.0, np.sin(0.5), 0.0)
    found = model.equilibrium(q={"b0": turn}, hold="b0")
    np.testing.assert_array_equal(found.q[:4], turn)
    assert found.energy < model.potential_energy({"b0": turn})


def test_nothing_holds_a_floating_body() -> None:
    system = bough.System("free")
    system.world.floating("base", mass=1.0, inertia=(0.1, 0.2, 0.3))
    with pytest.raises(bough.ConvergenceError, match="the force on 'base_tz' is still"):
        system.build().equilibrium()
