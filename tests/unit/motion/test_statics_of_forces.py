"""Equilibria under forces and inputs, and their stability, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough
from bough import BodyWrench, ConfigurationForce, ConfigurationSpring, Damping, HybridWrench, PointForce

G = 9.81


def pendulum(*elements: bough.Force) -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.5, name="bob", mass=2.0)
    for element in elements:
        system.add(element)
    return system.build()


@pytest.mark.parametrize("kind", [PointForce, HybridWrench])
def test_a_constant_force_leans_a_pendulum(kind: type[bough.Force]):
    """tan = F / m g; small vibrations as under a gravity of sqrt(g^2 + (F/m)^2)."""
    rest = pendulum(kind("bob", fx=-5.0)).equilibrium()
    np.testing.assert_allclose(rest.q, [math.atan(5.0 / (2.0 * G))], rtol=1e-12)
    np.testing.assert_allclose(rest.eigenvalues, [math.hypot(G, 2.5) / 1.5], rtol=1e-12)
    assert rest.stable
    assert rest.has_potential


def test_an_input_holds_a_pendulum():
    """sin = torque / m g l, stable below a quarter turn and unstable beyond."""
    model = pendulum(ConfigurationForce("angle", "torque"))
    weight = 2.0 * G * 1.5
    angle = math.asin(7.0 / weight)
    rest = model.equilibrium(u={"torque": 7.0})
    np.testing.assert_allclose(rest.q, [angle], rtol=1e-12)
    assert rest.stable
    np.testing.assert_allclose(model.equilibrium(u=[0.0]).q, [0.0], atol=1e-15)
    above = model.equilibrium([math.pi - angle], u=[7.0])
    assert above.q == pytest.approx([math.pi - angle])
    assert above.stability == "unstable"


def test_a_torque_that_no_weight_holds_is_refused():
    with pytest.raises(bough.ConvergenceError) as caught:
        pendulum(ConfigurationForce("angle", 30.0)).equilibrium()  # m g l = 29.4 N m
    assert "the force on 'angle' is still" in caught.value.found
    assert caught.value.do


def test_unknown_input():
    with pytest.raises(bough.ModelError) as caught:
        pendulum(ConfigurationForce("angle", "torque")).equilibrium(u={"torqe": 1.0})
    assert str(caught.value) == (
        "input 'torqe' in u of equilibrium() of model 'pendulum'\n"
        "  found: no input has this name; the nearest is 'torque'\n"
        "  do: correct the spelling"
    )


def test_forces_of_motion_do_not_count_at_rest():
    air = bough.Drag("bob", coefficient=0.3)
    rest = pendulum(Damping(0.4), air, bough.LinearDamper("bob", "world", 2.0)).equilibrium({"angle": 1.0})
    np.testing.assert_allclose(rest.q, [0.0], atol=1e-14)
    assert rest.stable


def test_wind_pushes_at_rest():
    """tan = c w^2 / m g"""
    rest = pendulum(bough.Drag("bob", coefficient=0.1, wind=(-8.0, 0.0, 0.0))).equilibrium()
    np.testing.assert_allclose(rest.q, [math.atan(6.4 / (2.0 * G))], rtol=1e-12)


@pytest.mark.usefixtures("without_jax")
def test_a_force_that_depends_on_time_is_that_of_the_time_asked_for():
    class Ramp(bough.Force):
        def force(self, at: bough.Instant) -> object:
            return {"x": 3.0 * at.t}

    system = bough.System("ramp", gravity=None)
    system.world.tx("x", mass=1.0)
    system.add(ConfigurationSpring("x", 2.0))
    system.add(Ramp())
    with pytest.warns(bough.DerivativeWarning):
        rest = system.build().equilibrium(t=4.0)
    np.testing.assert_allclose(rest.q, [6.0], rtol=1e-9)


def test_multipliers_carry_the_forces():
    """A slider on an inclined rail, pushed by F along x: the rail takes what a spring along it does not."""
    system = bough.System("rail", gravity=None)
    slider = system.world.tx("x").tz("z", name="slider", mass=1.0)
    system.add(bough.PlaneConstraint(slider, "world", normal=(0.6, 0.0, 0.8)))
    system.add(bough.LinearSpring(slider, "world", stiffness=10.0))
    system.add(PointForce(slider, fx=5.0))
    rest = system.build().equilibrium()
    along = 5.0 * 0.8 / 10.0
    np.testing.assert_allclose(rest.q, [0.8 * along, -0.6 * along], rtol=1e-12)
    np.testing.assert_allclose(np.abs(rest.lam), [5.0 * 0.6], rtol=1e-12)
    np.testing.assert_allclose(rest.eigenvalues, [10.0])


# --- forces without a potential ---


def ziegler(load: float, damping: float) -> bough.Model:
    """Ziegler's column: two bars with torsion springs k = 1, masses 2 and 1, and a load along the upper one.

    Without damping it flutters above 7/2 - sqrt(2) = 2.086, with equal small dampers above 41/28 = 1.464.
    """
    system = bough.System("ziegler", gravity=None)
    elbow = system.world.ry("a").tz(1.0, name="elbow", mass=2.0)
    tip = elbow.ry("b").tz(1.0, name="tip", mass=1.0)
    for name in ("a", "b"):
        system.add(ConfigurationSpring(name, 1.0))
        system.add(Damping({name: damping}))
    system.add(BodyWrench(tip, fz=-load))
    return system.build()


@pytest.mark.parametrize(
    ("load", "damping", "stability"),
    [
        (2.05, 0.0, "not judged"),
        (2.12, 0.0, "unstable"),
        (1.43, 1e-3, "stable"),
        (1.50, 1e-3, "unstable"),
    ],
)
def test_column_under_a_load_that_follows(load: float, damping: float, stability: str):
    rest = ziegler(load, damping).equilibrium([0.01, -0.02])
    np.testing.assert_allclose(rest.q, 0.0, atol=1e-12)
    assert not rest.has_potential
    assert rest.stability == stability
    assert np.iscomplexobj(rest.eigenvalues) == (load > 2.1)


def test_a_moment_fixed_in_space_on_a_ball_joint_has_no_potential():
    system = bough.System("ball", gravity=None)
    body = system.world.rx("a").ry("b").rz("c", name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    for name in ("a", "b", "c"):
        system.add(ConfigurationSpring(name, 2.0))
    system.add(HybridWrench(body, tx=0.3, ty=-0.2, tz=0.5))
    system.add(Damping(1.0))
    model = system.build()
    rest = model.equilibrium()
    assert not rest.has_potential
    assert rest.stable
    f = model.generalized_force(rest.q, np.zeros(3)) + model.L_dq(rest.q, np.zeros(3))
    np.testing.assert_allclose(f, 0.0, atol=1e-14)


def test_a_follower_force_on_one_joint_has_a_potential():
    """In one variable every force has one."""
    rest = pendulum(BodyWrench("bob", fx=-4.0)).equilibrium()
    np.testing.assert_allclose(rest.q, [math.asin(4.0 / (2.0 * G))], rtol=1e-12)
    assert rest.has_potential
    assert rest.stable


def test_negative_damping_makes_the_bottom_of_a_well_unstable():
    class Push(bough.Force):
        def force(self, at: bough.Instant) -> object:
            return {"angle": 0.5 * at.v["angle"]}

        def force_dq(self, at: bough.Instant) -> object:
            return {}

        def force_dv(self, at: bough.Instant) -> object:
            return {("angle", "angle"): 0.5}

    rest = pendulum(Push()).equilibrium({"angle": 0.3})
    assert rest.eigenvalues[0] > 0.0
    assert rest.stability == "unstable"


# --- singular positions ---


def test_a_lift_at_its_singular_position_is_not_judged():
    """The hanging scissor lift rests where all links lie on one line, and its constraints lose their rank."""
    rest = bough.gallery.scissor_lift(5).build().equilibrium()
    assert rest.q[0] == pytest.approx(math.pi / 2)
    assert rest.stability == "not judged"


def test_a_balance_by_an_element_of_gravity_rests_anywhere():
    """The weights cancel, and nothing else acts: they are what the round-off of their sum is measured by."""
    system = bough.System("balance", gravity=None)
    beam = system.world.ry("tilt")
    frames = [beam.tx(x, mass=m) for x, m in ((0.1, 3.0), (-0.3, 0.7), (-0.03, 3.0))]
    system.add(bough.Gravity((0, 0, -G), frames))
    rest = system.build().equilibrium({"tilt": 0.3})
    assert rest.q[0] == 0.3
    assert rest.stability == "neutral"
