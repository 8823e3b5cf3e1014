"""Where sliding stops and turns within a step: located, so that the motion is of second order."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough
from bough import gallery

G = 9.81
OMEGA, OFFSET = 10.0, 0.01  # of the spring, and F / k


def on_a_rail() -> bough.Model:
    system = bough.System("on a rail", gravity=None)
    system.world.tx("x", name="mass", mass=1.0)
    system.add(bough.ConfigurationSpring("x", stiffness=OMEGA**2))
    system.add(bough.DryFriction("x", torque=OMEGA**2 * OFFSET, name="rail"))
    return system.build()


def on_a_table() -> bough.Model:
    system = bough.System("on a table")
    system.world.tx("x").tz("z", name="mass", mass=1.0)
    system.add(bough.ConfigurationSpring("x", stiffness=OMEGA**2))
    system.add(bough.PlaneContact("mass", friction=OMEGA**2 * OFFSET / G, name="table"))
    return system.build()


def damped_swing(t: np.ndarray, start: float) -> np.ndarray:
    """The amplitude falls by 2 F / k at each turn, until F holds."""
    half = np.floor(OMEGA * t / np.pi)
    last = math.ceil((start - OFFSET) / (2.0 * OFFSET))  # the turn at which it is held
    amplitude = start - 2.0 * OFFSET * half
    x = (-1.0) ** half * (OFFSET + (amplitude - OFFSET) * np.cos(OMEGA * t - half * np.pi))
    return np.where(half < last, x, (-1.0) ** last * (start - 2.0 * OFFSET * last))


@pytest.mark.parametrize("make", [on_a_rail, on_a_table])
@pytest.mark.parametrize("start", [0.1, 0.105])
def test_a_spring_with_dry_friction_is_of_second_order(make, start):
    model, errors = make(), []
    for dt in (0.02, 0.01, 0.005, 0.0025):
        run = bough.simulate(model, q={"x": start}, duration=2.0, dt=dt)
        errors.append(np.abs(run["x"] - damped_swing(run.t, start)).max())
        assert np.diff(run.energy()).max() < 1e-14
        assert abs(run["v.x"][-1]) < 1e-13
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (
        errors[1] < 5e-4
    )  # of which the midpoint rule has most without friction: its phase is off by w^3 t dt^2 / 12
    assert orders.min() > 1.9, (errors, orders)


@pytest.mark.parametrize("make", [on_a_rail, on_a_table])
def test_what_friction_takes_is_what_energy_loses(make):
    errors = []
    for dt in (0.01, 0.005):
        run = bough.simulate(make(), q={"x": 0.105}, duration=2.0, dt=dt)
        lost = run.energy()[0] - run.energy()
        errors.append(np.abs(lost - run.energy_lost()["friction"]).max() / lost[-1])
    assert errors[0] < 1e-2
    assert errors[0] / errors[1] > 3.0


def test_a_block_thrown_up_a_slope_slides_back():
    """It stops at v / a1 and comes back with a2; the positions are off by the order of the rule alone."""
    slope, friction = 0.5, 0.3
    system = bough.System("slope", gravity=(-G * math.sin(slope), 0.0, -G * math.cos(slope)))
    system.world.tx("x").tz("z", name="block", mass=1.0)
    system.add(bough.PlaneContact("block", friction=friction, name="floor"))
    model = system.build()
    up = G * (math.sin(slope) + friction * math.cos(slope))
    down = G * (math.sin(slope) - friction * math.cos(slope))
    turn = 2.0 / up
    for dt in (0.05, 0.013):
        run = bough.simulate(model, v={"x": 2.0}, duration=1.3, dt=dt)
        t = run.t
        truth = np.where(t < turn, 2.0 * t - 0.5 * up * t**2, 0.5 * 2.0 * turn - 0.5 * down * (t - turn) ** 2)
        assert np.abs(run["x"] - truth).max() < 1e-9


@pytest.mark.parametrize(("landing", "iterations"), [(0.32, 15), (0.33, 15), (0.344, 19), (0.346, 19)])
def test_a_stop_in_the_step_of_a_landing(landing, iterations):
    """A puck stops at 0.345 s; a ball lands in the same step. Neither knows of the other, and both are known."""
    friction, bounce, stop, end = 0.5, 0.5, 0.345, 0.45
    system = bough.System("puck and ball")
    system.world.tx("x").tz("z", name="puck", mass=1.0)
    system.world.tz("height", name="ball", mass=1.0)
    system.add(bough.PlaneContact("puck", friction=friction, name="table"))
    system.add(bough.PlaneContact("ball", restitution=bounce, name="floor"))
    run = bough.simulate(
        system.build(),
        q={"height": 0.5 * G * landing**2},
        v={"x": friction * G * stop},
        duration=end,
        dt=0.05,
    )
    left = end - landing
    assert run["x"][-1] == pytest.approx(0.5 * friction * G * stop**2, abs=1e-12)
    assert run["height"][-1] == pytest.approx(bounce * G * landing * left - 0.5 * G * left**2, abs=1e-12)
    assert len(run.impacts) == 1
    # One in each of nine steps, and those of both events: a stop after the landing is not located before it.
    assert run.statistics["iterations"] <= iterations


def rod(friction: float) -> bough.Model:
    """A uniform rod of 1 m and 1 kg: the place of its foot, and its angle from the vertical."""
    system = bough.System("rod")
    body = system.world.tx("x").tz("z").ry("angle", name="rod")
    body.tz(0.5, mass=1.0, inertia=(1.0 / 12.0, 1.0 / 12.0, 0.0))
    system.add(bough.PlaneContact("rod", friction=friction, name="foot"))
    return system.build()


def test_a_falling_rod_slips_where_friction_ends():
    """With the foot at rest F/N follows from the angle; the foot is still until F/N = m, and slips then."""
    friction, first = 0.25, 0.05
    run = bough.simulate(rod(friction), q={"angle": first}, duration=1.2, dt=0.002)
    angle = run["angle"]
    rate = 3.0 * G * (math.cos(first) - np.cos(angle))  # squared
    turning = 1.5 * G * np.sin(angle)
    push = 0.5 * (np.cos(angle) * turning - np.sin(angle) * rate)
    normal = G - 0.5 * (np.sin(angle) * turning + np.cos(angle) * rate)
    expected = int(np.argmax(np.abs(push) > friction * normal))
    slips = int(np.argmax(run.contact_status[:, 0] == "slide"))
    assert expected > 100
    assert abs(slips - expected) <= 2
    assert np.abs(run["x"][: slips - 1]).max() < 1e-14
    assert np.abs(run["x"][slips + 20]) > 1e-6


def test_a_rod_in_the_paradox_of_painleve():
    """At tan = 2 from the horizontal, m = 2, no forces solve it. The foot jams and the rod is thrown up."""
    lean = math.pi / 2.0 - math.atan(2.0)
    run = bough.simulate(rod(2.0), q={"angle": lean}, v={"x": -3.0}, duration=0.4, dt=0.005)
    energy = run.energy()
    assert abs(run["v.x"][1]) < 1e-12 or run.contact_status[1, 0] == "open"
    assert abs(run["v.angle"][2]) > 1.0
    assert energy[2] < energy[0]
    assert np.diff(energy).max() < 1e-3
    assert run.gaps().min() > -1e-13


def lies_still_after(run: bough.Trajectory, t: float) -> None:
    """Of a box on its face: what moves it is round-off, which a gap is told from zero to."""
    after = run.t > t
    assert np.abs(run.q[after] - run.q[after][0]).max() < 2e-13
    assert np.abs(run.v[-1]).max() < 1e-10
    assert run.gaps().min() > -1e-13


@pytest.mark.parametrize("friction", [0.1, 0.5])
@pytest.mark.parametrize("turning", [0.0, 1e-7, 1e-4, -0.01, 0.3, -2.0])
def test_a_box_that_slides_and_turns_on_four_corners_comes_to_rest(friction, turning):
    """Its corners stop at nearly the same instant; without turning all do, after v^2 / (2 m g)."""
    size = (0.3, 0.2, 0.1)
    x, y, z = (length**2 / 12.0 for length in size)
    system = bough.System("box")
    body = system.world.floating("place", name="box", mass=1.0, inertia=(y + z, x + z, x + y))
    system.add(bough.Contact(body, bough.Box(size), friction=friction, name="floor"))
    start = {"place_tx": 0.4, "place_ty": -0.3, "place_wz": turning}
    run = bough.simulate(system.build(), q={"place_tz": 0.05}, v=start, duration=2.0, dt=0.01)
    assert np.diff(run.energy()).max() < 1e-15
    lies_still_after(run, 1.0)
    if abs(turning) < 1e-3:
        way = math.hypot(run["place_tx"][-1], run["place_ty"][-1])
        assert way == pytest.approx(0.5**2 / (2.0 * friction * G), abs=max(1e-9, abs(turning)))


# The first lies on two corners of a diagonal, while another one sinks by round-off until it is crossed; in the second a
# corner slides back at the end of a step, and at no time before does its slip go through zero.
SPUN = {"place_wx": -1.2323146754261352, "place_wy": 0.08852778855661647, "place_wz": 1.5648376380023166}


@pytest.mark.parametrize(("height", "spin"), [(0.6, {}), (0.5102255769890758, SPUN)])
def test_a_thrown_box_comes_to_rest(height, spin):
    run = bough.simulate(gallery.bouncing_box(height=height).build(), v=spin, duration=10.0)
    assert len(run.t) == 1001
    lies_still_after(run, 3.0)
    assert run["place_tz"][-1] == pytest.approx(0.05, abs=1e-12)
