"""Coulomb's friction against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough
from bough.view.plots import panels_of
from support.scenes import moments

G = 9.81
SLOPE = math.radians(20.0)


def block(friction: float, restitution: float = 0.0) -> bough.Model:
    """Planar, in axes along a slope."""
    system = bough.System("block", gravity=(G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE)))
    body = system.world.tx("x").tz("z").ry("tilt", name="block", mass=1.0, inertia=(0.01, 0.01, 0.01))
    feet = [(-0.1, 0.0, -0.05), (0.1, 0.0, -0.05)]
    system.add(bough.PlaneContact(body, points=feet, friction=friction, restitution=restitution, name="feet"))
    return system.build()


@pytest.mark.parametrize("friction", [0.40, 1.003 * math.tan(SLOPE)])
def test_a_block_on_a_slope_stays(friction):
    run = bough.simulate(block(friction), q={"z": 0.05}, duration=100.0, dt=0.01)
    assert np.abs(run.q - run.q[0]).max() < 1e-12
    assert (run.contact_status == "stick").all()
    normal = sum(run.contact_force(f"feet[{i}]").normal[-2] for i in range(2))
    tangent = sum(run.contact_force(f"feet[{i}]").tangent[-2, 0] for i in range(2))
    assert normal == pytest.approx(G * math.cos(SLOPE), rel=1e-9)
    assert abs(tangent) == pytest.approx(G * math.sin(SLOPE), rel=1e-9)


def test_a_block_on_a_slope_slides():
    run = bough.simulate(block(0.3), q={"z": 0.05}, duration=2.0, dt=0.01)
    a = G * (math.sin(SLOPE) - 0.3 * math.cos(SLOPE))
    assert run.q[-1, 0] == pytest.approx(0.5 * a * 4.0, abs=1e-10)
    assert run.v[-1, 0] == pytest.approx(a * 2.0, abs=1e-10)
    assert run.energy()[0] - run.energy()[-1] == pytest.approx(run.energy_lost()["friction"][-1], abs=1e-4)


def test_corners_of_a_box_that_slides_share_evenly():
    """Left and right corners press alike, front and back by the moment of friction, and nothing drifts."""
    friction, half, height = 0.3, 0.1, 0.05
    system = bough.System("sledge", gravity=(G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE)))
    body = system.world.floating("place", name="box", mass=1.0, inertia=(0.004, 0.004, 0.007))
    corners = [(x, y, -height) for x in (-half, half) for y in (-half, half)]
    system.add(bough.PlaneContact(body, points=corners, friction=friction, name="corners"))
    model = system.build()
    q = model.neutral()
    q[2] = height
    run = bough.simulate(model, q=q, duration=2.0, dt=0.005)
    normals = np.array([run.contact_force(f"corners[{i}]").normal[1:-1] for i in range(4)])
    press = G * math.cos(SLOPE)
    front = 0.5 * press * (1.0 + friction * height / half)  # friction pulls back below the centre
    for i, expected in enumerate([0.5 * (press - front)] * 2 + [0.5 * front] * 2):
        np.testing.assert_allclose(normals[i], expected, rtol=1e-8)
    assert (np.asarray(run.contact_status)[2:] == "slide").all()


def test_a_thrown_block_comes_to_rest():
    run = bough.simulate(block(0.6, 0.3), q={"z": 0.3, "tilt": 0.3}, v={"x": 0.5}, duration=3.0, dt=0.01)
    assert run.gaps().min() > -1e-13
    assert np.abs(run.v[-1]).max() < 1e-12
    assert abs(run.q[-1, 2]) < 1e-12
    assert np.diff(run.energy()).max() < 1e-4


@pytest.mark.parametrize(("share", "end"), [(0.5, 2.0 / 3.0), (0.4, 5.0 / 7.0)])
def test_slides_then_rolls(share, end):
    system = bough.System("roller")
    inertia = share * 0.1**2
    body = system.world.tx("x").tz("z").ry("turn", name="disk", mass=1.0, inertia=(inertia,) * 3)
    system.add(bough.PlaneContact(body, radius=0.1, friction=0.2, name="floor"))
    run = bough.simulate(system.build(), q={"z": 0.1}, v={"x": 1.0}, duration=1.0, dt=0.01)
    assert run.v[-1, 0] == pytest.approx(end, abs=1e-12)
    assert run.v[-1, 2] * 0.1 == pytest.approx(end, abs=1e-12)
    assert run.contact_status[0] == "slide"
    assert run.contact_status[-1] == "stick"


def test_a_puck_pushed_sideways_on_a_slope():
    """With m = tan the speed along the slope tends to half of the first speed across it; order two in dt."""
    friction = 0.3
    slope = math.atan(friction)
    system = bough.System("puck", gravity=(G * math.sin(slope), 0.0, -G * math.cos(slope)))
    system.world.tx("x").ty("y").tz("z", name="puck", mass=1.0)
    system.add(bough.PlaneContact("puck", friction=friction, name="slope"))
    model, errors = system.build(), []
    for dt in (0.02, 0.01, 0.005):
        run = bough.simulate(model, v={"y": 1.0}, duration=30.0, dt=dt)
        errors.append(abs(run.v[-1, 0] - 0.5))
        assert abs(run.v[-1, 1]) < 1e-6
    assert errors[1] < 2e-4
    assert np.log2(errors[0] / errors[1]) > 1.8


def test_dry_friction_of_an_oscillator():
    """The amplitude falls by 4 F / k in each period, until F holds."""
    system = bough.System("oscillator", gravity=None)
    system.world.tx("x", name="mass", mass=1.0)
    system.add(bough.ConfigurationSpring("x", stiffness=100.0))
    system.add(bough.DryFriction("x", torque=1.0, name="rail"))
    run = bough.simulate(system.build(), q={"x": 0.105}, duration=2.0, dt=0.005)
    turns = [0.105 - 0.02 * k for k in range(1, 6)]  # at every half period
    for k, amplitude in enumerate(turns[:3], 1):
        near = np.abs(run.t - k * math.pi / 10.0) < 0.05
        assert np.abs(run.q[near, 0]).max() == pytest.approx(amplitude, abs=2e-4)
    assert abs(run.v[-1, 0]) < 1e-14
    assert abs(run.q[-1, 0]) <= 0.01 + 1e-3
    assert run.energy()[0] - run.energy()[-1] == pytest.approx(run.energy_lost()["friction"][-1], rel=2e-3)
    assert np.isinf(run.gaps()["rail"]).all()
    force = run.contact_force("rail")
    assert np.abs(force.normal[:-1] - 1.0).max() < 1e-12  # the most it can give
    assert force.tangent[-2, 0] == pytest.approx(100.0 * run.q[-1, 0], rel=1e-9)  # what it gives
    (panel,) = panels_of(run, "contact")
    assert (panel.title, panel.label) == ("dry friction", "force [N]")
    assert np.array_equal(panel.lines["rail"], force.tangent[:, 0])
    assert panels_of(run, "gap") == []


def spun(torque: float) -> bough.Model:
    """A sphere of 2 kg in space whose turning is resisted."""
    system = bough.System("spun", gravity=None)
    system.world.ball("turn", name="sphere", mass=2.0, inertia=(0.008, 0.008, 0.008))
    for rate in ("wx", "wy", "wz"):
        system.add(bough.DryFriction(f"turn_{rate}", torque))
    return system.build()


def test_dry_friction_stops_a_ball_about_each_of_its_axes():
    """Each rate falls by F / I and stays at zero, whatever the others do; what it takes is the energy that is gone."""
    start = np.array([3.0, -1.3, 0.4])
    run = bough.simulate(spun(0.016), v={"turn": start}, duration=2.0, dt=0.01)
    fall = np.maximum(np.abs(start) - 2.0 * run.t[:, None], 0.0) * np.sign(start)
    np.testing.assert_allclose(run.v, fall, atol=1e-12)
    rest = run.t > 1.52
    assert np.ptp(run.q[rest], axis=0).max() < 1e-15
    spent = run.energy()[0] - run.energy()
    np.testing.assert_allclose(run.energy_lost()["friction"][rest], spent[rest], rtol=1e-6)


def test_dry_friction_of_a_ball_is_that_of_a_hinge():
    """A gyroscope whose spin is driven against friction, as a ball that turns about one axis alone."""
    runs = []
    for joint, rate in (("rz", "spin"), ("ball", "spin_wz")):
        system = bough.System(joint, gravity=None)
        getattr(system.world, joint)("spin", name="wheel", mass=1.0, inertia=(0.01, 0.01, 0.02))
        system.add(bough.DryFriction(rate, 0.05, name="rubs"))
        system.add(bough.ConfigurationForce(rate, "drive"))
        drive = {"drive": lambda t: 0.2 * np.sin(3.0 * t)}
        runs.append(bough.simulate(system.build(), u=drive, duration=3.0, dt=0.01))
    hinge, ball = runs
    np.testing.assert_allclose(ball["v.spin_wz"], hinge["v.spin"], atol=1e-11)
    angle = np.unwrap(ball.rotation("spin").as_rotvec()[:, 2])
    np.testing.assert_allclose(angle, hinge["spin"], atol=1e-11)
    forces = [run.contact_force("rubs").tangent[:, 0] for run in runs]
    np.testing.assert_allclose(forces[1], forces[0], atol=1e-11)


def test_a_sphere_that_rolls_with_a_loss_stops():
    """Coulomb's law lets it roll for ever; a dry torque takes F r / (I + m r^2) of its velocity a second, to rest."""
    radius, mass, torque, v = 0.1, 2.0, 0.02, 0.5
    inertia = 0.4 * mass * radius**2
    system = bough.System("rolling sphere")
    system.world.floating("at", name="sphere", mass=mass, inertia=(inertia,) * 3)
    system.add(bough.Contact("sphere", bough.Sphere(radius), "world", friction=0.5, name="floor"))
    for rate in ("wx", "wy", "wz"):
        system.add(bough.DryFriction(f"at_{rate}", torque))
    start = {"at_tx": v, "at": (0.0, v / radius, 0.0)}
    run = bough.simulate(system.build(), q={"at_tz": radius}, v=start, duration=12.0, dt=0.01)
    a = torque * radius / (inertia + mass * radius**2)
    np.testing.assert_allclose(run["v.at_tx"], np.maximum(v - a * run.t, 0.0), atol=1e-6)
    assert run["at_tx"][-1] == pytest.approx(v**2 / (2.0 * a), abs=1e-5)
    rest = run.t > v / a + 0.02
    assert np.abs(run.v[rest]).max() < 1e-13
    assert np.ptp(run.q[rest], axis=0).max() < 1e-15


def test_a_spatial_box_rests_on_four_corners():
    system = bough.System("box")
    body = (
        system.world.tx("x")
        .ty("y")
        .tz("z")
        .rz("yaw")
        .ry("pitch")
        .rx("roll", name="box", mass=2.0, inertia=(0.02, 0.03, 0.04))
    )
    corners = [(a, b, -0.05) for a in (-0.1, 0.1) for b in (-0.15, 0.15)]
    system.add(bough.PlaneContact(body, points=corners, friction=0.5, name="corners"))
    run = bough.simulate(system.build(), q={"z": 0.06}, v={"x": 0.3}, duration=1.0, dt=0.01)
    assert run.gaps().min() > -1e-13
    assert np.abs(run.v[-1]).max() < 1e-12
    shares = [run.contact_force(f"corners[{i}]").normal[-2] for i in range(4)]
    assert sum(shares) == pytest.approx(2.0 * G, rel=1e-9)


@pytest.mark.parametrize(("restitution", "locate"), [(0.0, True), (0.4, True), (0.0, False)])
def test_a_thrown_box_whose_turning_is_resisted_comes_to_rest(restitution, locate, tmp_path):
    """Dry friction of a ball in one step with impacts, slides, and corners that depend on each other."""
    shape = bough.Box((0.2, 0.16, 0.1))
    system = bough.System("thrown box")
    system.world.floating("at", name="box", mass=1.5, inertia=moments(shape, 1.5))
    system.add(bough.Contact("box", shape, friction=0.5, restitution=restitution, name="floor"))
    for rate in ("wx", "wy", "wz"):
        system.add(bough.DryFriction(f"at_{rate}", 0.05))
    model = system.build()
    q = (0.0, 0.0, 0.25, *np.array([1.0, 0.2, 0.1, 0.0]) / np.sqrt(1.05))
    v = {"at_tx": 0.6, "at": (2.0, 3.0, 5.0)}
    run = bough.simulate(model, q=q, v=v, duration=2.0, dt=0.005, locate=locate)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-14
    assert np.diff(run.energy()).max() < 1e-14
    rest = run.t > 1.5
    assert np.abs(run.v[rest]).max() < 1e-14
    assert np.ptp(run.q[rest], axis=0).max() < 1e-15
    if locate:  # without, nobody knows what an impact has taken
        balance = run.energy() + sum(run.energy_lost().values())
        np.testing.assert_allclose(balance, balance[0], rtol=0, atol=2e-3)
        assert abs(balance[-1] - balance[0]) < 1e-3
    run.save(tmp_path / "run.npz")
    loaded = bough.load_trajectory(tmp_path / "run.npz")
    assert loaded == run
    assert loaded.rerun() == run
