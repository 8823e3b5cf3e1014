"""Natural frequencies, damping and shapes of small motions about a rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from support.messages import check_message

G = 9.81


def double_pendulum() -> bough.System:
    system = bough.System("double pendulum")
    elbow = system.world.ry("upper").tz(-1.0, mass=1.0)
    elbow.ry("lower").tz(-1.0, name="tip", mass=1.0)
    return system


def oscillator(damping: float) -> bough.Model:
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", mass=2.0)
    system.add(bough.ConfigurationSpring("x", 8.0))
    system.add(bough.Damping(damping))
    return system.build()


def four_bar(damping: float = 0.0) -> bough.Model:
    """A loop that hangs from two pivots, with a bob, damped in all joints but not in proportion."""
    system = bough.System("four-bar")
    crank = system.world.ry("crank").tz(-0.6, mass=0.2)
    coupler = crank.ry("coupler").tx(1.0, name="coupler end", mass=0.5)
    rocker = system.world.tx(1.1).ry("rocker").tz(-0.7, name="rocker end", mass=0.4)
    coupler.ry("bob").tz(-0.2, mass=0.3)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    if damping:
        system.add(bough.Damping({"crank": damping, "bob": 0.3 * damping}))
    return system.build()


def test_double_pendulum() -> None:
    """ω² = (2 ∓ √2) g/l, and the lower link turns by ±√2 of the upper one, against it by ±√2 − 1."""
    modes = double_pendulum().build().modes()
    expected = np.sqrt((2.0 + np.sqrt(2.0) * np.array([-1.0, 1.0])) * G)
    np.testing.assert_allclose(modes.roots, 1j * expected, rtol=1e-13)
    np.testing.assert_allclose(modes.frequencies, expected / (2 * np.pi), rtol=1e-13)
    np.testing.assert_allclose(modes.natural_frequencies, modes.frequencies)
    assert modes.damping.tolist() == [0.0, 0.0]
    ratio = modes.shapes[1] / modes.shapes[0]
    np.testing.assert_allclose(ratio, [np.sqrt(2.0) - 1.0, -np.sqrt(2.0) - 1.0], rtol=1e-12)
    assert np.abs(modes.shapes).max(axis=0).tolist() == [1.0, 1.0]
    assert modes.shape(0)["lower"] == modes.shapes[1, 0]
    assert len(modes) == len(str(modes).splitlines()) - 1 == 2


@pytest.mark.parametrize("damping", [0.0, 0.8, 7.9, 8.0, 10.0])
def test_a_damped_oscillator(damping: float) -> None:
    """m = 2, k = 8: ω = 2, ζ = c/8; above ζ = 1 it creeps."""
    modes = oscillator(damping).modes()
    zeta = damping / 8.0
    if zeta < 1.0:
        np.testing.assert_allclose(modes.damping, [zeta], rtol=1e-12)
        np.testing.assert_allclose(modes.natural_frequencies, [1.0 / np.pi], rtol=1e-12)
        np.testing.assert_allclose(modes.frequencies, [np.sqrt(1.0 - zeta**2) / np.pi], rtol=1e-12)
    else:
        split = 2.0 * np.sqrt(zeta**2 - 1.0)
        slack = 1e-7 if zeta == 1.0 else 1e-12  # a double root is known to half the digits
        expected = [-2.0 * zeta + split, -2.0 * zeta - split]
        np.testing.assert_allclose(modes.roots[[0, -1]], expected, rtol=slack, atol=slack)


def test_unstable_and_indifferent_rests() -> None:
    model = double_pendulum().build()
    up = model.modes({"upper": np.pi})
    fast = np.sqrt((2.0 + np.sqrt(2.0)) * G)
    np.testing.assert_allclose(up.roots[-2:], [-fast, fast], rtol=1e-12)
    assert up.frequencies.tolist() == [0.0] * 4
    np.testing.assert_allclose(up.damping, [1.0, -1.0, 1.0, -1.0])
    system = bough.System("cart", gravity=None)
    system.world.tx("x", mass=1.0)
    free = system.build().modes()
    assert free.roots.tolist() == [0.0]
    assert free.damping.tolist() == [0.0]


def wagons(count: int, damping: float = 0.0) -> bough.Model:
    """Wagons on a frictionless track, coupled by stiff springs."""
    system = bough.System("train", gravity=None)
    for i in range(count):
        system.world.tx(f"x{i}", name=f"wagon {i}", mass=1.0 + 0.37 * i)
    for i in range(count - 1):
        system.add(bough.GearSpring({f"x{i}": 1.0, f"x{i + 1}": -1.0}, 1e4 * (1 + i)))
        if damping:
            system.add(bough.LinearDamper(f"wagon {i}", f"wagon {i + 1}", damping))
    return system.build()


@pytest.mark.parametrize("damping", [0.0, 3.0])
@pytest.mark.parametrize("count", [2, 3, 10])
def test_what_moves_freely_neither_swings_nor_grows(count: int, damping: float) -> None:
    """One mode in which all wagons move alike; the others solve (M s² + C s + K) Y = 0."""
    model = wagons(count, damping)
    modes = model.modes()
    assert len(modes) == count
    assert modes.roots[0] == 0.0
    np.testing.assert_allclose(modes.shapes[:, 0], 1.0, rtol=1e-12)
    assert (modes.frequencies[1:] > 1.0).all()
    still = np.zeros(count)
    M, K, C = model.mass_matrix(still), -model.L_dqdq(still, still), -model.generalized_force_dv(still, still)
    for s, shape in zip(modes.roots[1:], modes.shapes.T[1:], strict=True):
        left = (M * s**2 + C * s + K) @ shape
        assert np.abs(left).max() < 1e-11 * np.abs(K).max()


def test_a_free_motion_that_is_damped_creeps_or_stays() -> None:
    system = bough.System("cart")
    cart = system.world.tx("x", mass=1.0)
    cart.ry("swing").tz(-1.0, mass=1.0)
    system.add(bough.Damping({"x": 0.2}))
    modes = system.build().modes()
    assert modes.roots[0] == 0.0
    assert modes.damping[:2].tolist() == [0.0, 1.0]
    s = modes.roots[1:]  # of (2 s² + 0.2 s) (s² + g) - s⁴, whose other root is zero
    np.testing.assert_allclose(s**3 + 0.2 * s**2 + 2.0 * G * s + 0.2 * G, 0.0, atol=1e-11)


def test_slow_motions_beside_stiff_ones() -> None:
    """Two masses as one, on a spring of 1 N/m: ω² = 1/2 − 1/(8 k), to the round-off of k + 1."""
    for k in (1e4, 1e8, 1e10):
        system = bough.System("stiff", gravity=None)
        system.world.tx("a", mass=1.0)
        system.world.tx("b", mass=1.0)
        system.add(bough.GearSpring({"a": 1.0, "b": -1.0}, k))
        system.add(bough.ConfigurationSpring("a", 1.0))
        model = system.build()
        slack = 1e-14 + 2e-16 * k
        np.testing.assert_allclose(model.equilibrium().eigenvalues[0], 0.5 - 0.125 / k, atol=slack)
        np.testing.assert_allclose(model.modes().roots[0] ** 2, -0.5 + 0.125 / k, atol=slack)


def folded() -> bough.Model:
    """A parallelogram whose four bars lie in one line, along which its weight acts."""
    system = bough.System("folded", gravity=(9.81, 0.0, 0.0))
    coupler = system.world.ry("crank").tx(0.6, mass=1.0).ry("coupler").tx(1.0, mass=1.0)
    rocker = system.world.tx(1.0).ry("rocker").tx(0.6, mass=1.0)
    system.add(bough.PointConstraint(coupler, rocker, axes=((1, 0, 0), (0, 0, 1)), name="pin"))
    return system.build()


def roots_of_steps(model: bough.Model, q: Any, dt: float) -> Any:
    """The roots s of the factors (1 + s dt/2) / (1 - s dt/2) by which a step of the midpoint rule multiplies modes."""
    step = bough.control.Step(model, dt)
    at_rest = step(
        np.concatenate([q, np.zeros(model.nd)])
    )  # with the momenta before the impulse of the constraints
    A, _ = step.jacobians(at_rest[None], np.zeros((1, model.nu)))
    factors = np.linalg.eigvals(A[0])
    factors = factors[(np.abs(factors) > 0.5) & (factors.imag > 0.0)]
    return np.array(sorted(2.0 / dt * (factors - 1.0) / (factors + 1.0), key=abs))


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_roots_are_those_of_steps(damping: float) -> None:
    """In a loop, where constraint forces act at the ends of steps, to dt²: two steps and their limit by Richardson."""
    model = four_bar(damping)
    rest = model.equilibrium({"coupler": 0.05, "rocker": 0.05})
    modes = model.modes(rest)
    assert len(modes) == model.mobility(rest.q) == 2
    coarse, fine = (roots_of_steps(model, rest.q, dt) for dt in (0.02, 0.01))
    np.testing.assert_allclose((4.0 * fine - coarse) / 3.0, modes.roots, rtol=1e-7)
    assert np.abs(coarse / modes.roots - 1.0).max() < 1e-3
    if damping:
        assert np.iscomplexobj(modes.shapes)
        assert (modes.damping > 0.0).all()
    else:
        np.testing.assert_allclose((2 * np.pi * modes.frequencies) ** 2, rest.eigenvalues, rtol=1e-9)
    moves = model.constraint_dq(rest.q) @ modes.shapes  # along the constraints
    assert np.abs(moves).max() < 1e-9


def test_it_swings_at_the_frequency_of_its_mode() -> None:
    model = double_pendulum().build()
    modes = model.modes()
    run = bough.simulate(model, 1e-4 * modes.shapes[:, 1], duration=5.0, dt=2e-3, order=4)
    omega = 2 * np.pi * modes.frequencies[1]
    np.testing.assert_allclose(run["lower"], 1e-4 * np.cos(omega * run.t), atol=1e-9)


def test_held_driven_and_leaning() -> None:
    model = double_pendulum().build()
    alone = model.modes(hold="upper")
    np.testing.assert_allclose(alone.roots, [1j * np.sqrt(G)], rtol=1e-12)
    assert alone.shape(0) == {"upper": 0.0, "lower": 1.0}
    system = double_pendulum()
    system.add(bough.PointForce("tip", fx="wind"))
    windy = system.build()
    rest = windy.equilibrium(u={"wind": 3.0})
    leaning = windy.modes(rest, u={"wind": 3.0})
    assert (leaning.frequencies > model.modes().frequencies).all()
    state = bough.State(0.0, rest.q)
    np.testing.assert_array_equal(windy.modes(state, {"wind": 3.0}).roots, leaning.roots)


def bouncer() -> bough.Model:
    system = bough.System("bouncer")
    ball = system.world.tz("z", name="ball", mass=1.0)
    system.add(bough.ConfigurationSpring("z", 100.0, rest=G / 100.0))
    system.add(bough.PlaneContact(ball, name="floor"))
    return system.build()


ERRORS: dict[str, tuple[Any, str, str, str]] = {
    "no rest": (
        lambda: double_pendulum().build().modes({"upper": 0.5}),
        "q in modes() of model 'double pendulum'",
        "no rest: the force on 'upper' is -14.1",
        "give q=model.equilibrium(q), or the inputs u= that hold it, or hold=; a motion is linearised by"
        " bough.control.linearize(run)",
    ),
    "a singular position": (
        lambda: folded().modes([0.0, 0.0, 0.0]),
        "modes() of model 'folded'",
        "a singular position: the constraints allow more motions here than nearby",
        "give a rest at which the mechanism is neither folded nor stretched out",
    ),
    "a closed contact": (
        lambda: bouncer().modes({"z": 0.0}),
        "modes() of model 'bouncer'",
        "'floor' is closed, which pushes and does not pull: small motions are not linear",
        "replace what touches by a constraint, or start where the gap is open",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_messages(name: str) -> None:
    check_message(*ERRORS[name])
