"""Contacts of bodies that turn freely: a floating joint in place of three angles."""

from __future__ import annotations

import numpy as np
import pytest

import bough

G = 9.81
CORNERS = tuple((x, y, z) for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.05, 0.05))


def sphere(restitution: float = 0.0, friction: float = 0.3) -> bough.Model:
    radius = 0.2
    system = bough.System("sphere")
    system.world.floating("base", name="body", mass=1.0, inertia=(0.4 * radius**2,) * 3)
    system.add(
        bough.PlaneContact("body", radius=radius, friction=friction, restitution=restitution, name="floor")
    )
    return system.build()


def box(joint: str, **properties: float) -> bough.Model:
    system = bough.System("box")
    base = getattr(system.world, joint)("base")
    base.fixed(np.eye(4), name="body", mass=1.0, inertia=(0.008, 0.004, 0.011))
    system.add(bough.PlaneContact("body", points=CORNERS, name="floor", **properties))
    return system.build()


def at_height(model: bough.Model, z: float) -> np.ndarray:
    q = model.neutral()
    q[model.coordinates.index("base_tz")] = z
    return q


@pytest.mark.parametrize("turned", [(1.0, 0.0, 0.0, 0.0), (0.5, -0.5, 0.5, 0.5)])
def test_a_sphere_that_slides_comes_to_roll(turned: tuple[float, ...]) -> None:
    """v = 5/7 v0 in the end, whatever orientation the body is given."""
    model = sphere()
    q = at_height(model, 0.2)
    q[3:] = turned
    run = bough.simulate(model, q=q, v={"base_tx": 1.0}, duration=1.0, dt=0.01)
    np.testing.assert_allclose(run["v.base_tx"][-1], 5.0 / 7.0, rtol=1e-11)
    spin = run.rotation("base")[-1].apply(np.array(run.v[-1, 3:]))
    np.testing.assert_allclose(spin, [0.0, 5.0 / 7.0 / 0.2, 0.0], atol=1e-10)
    assert run.contact_status[-1, 0] == "stick"
    assert np.abs(run.gaps()).max() < 1e-12


def test_a_sphere_that_spins_bounces_as_high_as_one_that_does_not() -> None:
    model = sphere(restitution=0.8, friction=0.0)
    run = bough.simulate(model, q=at_height(model, 1.2), v={"base_wx": 7.0}, duration=1.5, dt=0.01)
    fall = np.sqrt(2.0 / G)
    t = fall * (1.0 + 0.8)  # the first apex
    np.testing.assert_allclose(run.at(t).q["base_tz"] - 0.2, 0.64, atol=1e-4)
    np.testing.assert_allclose(run.events[0].t, fall, rtol=1e-12)
    np.testing.assert_allclose(run.v[:, 3], 7.0, rtol=1e-12)
    for t in (fall - 1e-3, fall + 1e-3):  # on both sides of the impact, within one step
        height = 1.0 - 0.5 * G * t**2 if t < fall else 0.8 * G * fall * (t - fall) - 0.5 * G * (t - fall) ** 2
        np.testing.assert_allclose(run.at(float(t)).q["base_tz"] - 0.2, height, atol=1e-12)


def test_a_thrown_box_moves_as_with_angles_and_comes_to_rest() -> None:
    """At equal steps both err by the order of the rule; through lock only the floating one goes."""
    start = {"base_tz": 0.4}
    rates = {"base_tx": 0.5, "base_ty": -0.2}
    ends = []
    for joint, spin in (
        ("free", {"base_rx": 1.5, "base_ry": -0.8}),
        ("floating", {"base_wx": 1.5, "base_wy": -0.8}),
    ):
        model = box(joint, friction=0.5, restitution=0.2)
        for dt in (0.01, 0.005):
            run = bough.simulate(model, q=start, v={**rates, **spin}, duration=0.6, dt=dt)
            ends.append(run.pose("body")[-1])
    angles, finer, floating, finer_floating = ends
    np.testing.assert_allclose(finer, finer_floating, atol=2e-4)
    np.testing.assert_allclose(floating, finer_floating, atol=1e-3)
    np.testing.assert_allclose(angles, finer, atol=1e-3)
    run = bough.simulate(model, q=start, v={**rates, **spin}, duration=3.0, dt=0.005)
    assert run.gaps().min() > -1e-12
    assert np.abs(run.v[-20:]).max() < 1e-9
    energy = run.energy()
    assert np.diff(energy).max() < 1e-4 * energy[0]


def test_a_box_on_a_slope_sticks() -> None:
    angle = np.arctan(0.364)
    model_of = bough.System("slope")
    slope = model_of.world.ry(float(angle), name="slope")
    base = slope.floating("base")
    base.fixed(np.eye(4), name="body", mass=1.0, inertia=(0.008, 0.004, 0.011))
    model_of.add(bough.PlaneContact("body", "slope", points=CORNERS, friction=0.365, name="floor"))
    model = model_of.build()
    run = bough.simulate(model, q=at_height(model, 0.05), duration=2.0, dt=0.01)
    assert np.abs(np.asarray(run.q - run.q[0])).max() < 1e-12


def test_a_floating_ball_rolls_down_a_slope() -> None:
    """Rows on velocities over the rates of a ball: 5/7 of what gravity gives, and across the slope as it started."""
    slope, radius = 0.3, 0.2
    system = bough.System("roller", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    system.world.floating("base", name="body", mass=1.0, inertia=(0.4 * radius**2,) * 3)
    system.add(bough.Rolling("body", radius))
    model = system.build()
    run = bough.simulate(
        model, q=at_height(model, radius), v={"base_ty": 0.5, "base_wx": -2.5}, duration=1.0, dt=0.02
    )
    acceleration = 5.0 / 7.0 * G * np.sin(slope)
    np.testing.assert_allclose(run.q[-1, :3], [0.5 * acceleration, 0.5, radius], atol=1e-12)
    np.testing.assert_allclose(run.energy(), run.energy()[0], atol=1e-11)


@pytest.mark.parametrize("hip", [-0.5, -0.1, 0.2, 0.5])
def test_a_leg_on_its_stop_falls_freely(hip: float) -> None:
    """Nothing presses on the stop, whose bound is zero: its gap is round-off, and the whole body falls as one."""
    system = bough.System("leg")
    torso = system.world.floating("base", name="torso", mass=3.0, inertia=(0.01, 0.02, 0.02))
    knee = torso.ry("hip").tz(-0.25, mass=0.6, inertia=(0.003, 0.003, 0.001))
    knee.ry("knee").tz(-0.25, mass=0.4, inertia=(0.002, 0.002, 0.001))
    system.add(bough.Damping({"hip": 0.5, "knee": 0.5}))
    system.add(bough.JointLimit("knee", lower=0.0, upper=2.0))
    run = bough.simulate(system.build(), q={"hip": hip}, duration=0.5, dt=0.002)
    np.testing.assert_allclose(run["base_tz"], -0.5 * G * run.t**2, atol=1e-13)
    np.testing.assert_allclose(run["hip"], hip, atol=1e-13)
    assert np.abs(run["knee"]).max() < 1e-13
    assert run.statistics["iterations"] <= 2 * run.statistics["steps"]
