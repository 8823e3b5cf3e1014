"""Strings that only pull, in motion: closed forms of tackles, winches and pendulums on strings."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import bough
from bough import gallery

G = 9.81


def test_a_block_and_tackle() -> None:
    """The load rises by g (n m - M) / (M + n² m), the tension is the same everywhere."""
    n, load, weight = 4, 100.0, 25.5
    run = bough.simulate(
        gallery.block_and_tackle(falls=n, load=load, weight=weight).build(), duration=5.0, dt=0.01
    )
    a = G * (n * weight - load) / (load + n**2 * weight)
    assert run["lift"] == pytest.approx(0.5 * a * run.t**2, abs=1e-11)
    assert np.abs(run.gaps()["rope"]).max() < 1e-12
    force = run.contact_force("rope").normal[1:-1]
    assert force == pytest.approx(weight * (G - n * a), rel=1e-9)


def test_a_block_and_tackle_comes_to_rest_at_its_stop() -> None:
    """The weight hangs in the rope then, and the stop holds n m g - M g; impact and stop take all the energy."""
    n, load, weight, way = 4, 100.0, 25.5, 2.7
    run = bough.simulate(gallery.block_and_tackle(falls=n, load=load, weight=weight).build(), duration=20.0)
    a = G * (n * weight - load) / (load + n**2 * weight)
    (impact,) = run.impacts  # a body at rest is not hit again
    assert impact.t == pytest.approx(np.sqrt(2.0 * way / a), rel=1e-9)
    assert impact.energy_lost == pytest.approx((n * weight - load) * G * way, rel=1e-9)
    assert run["lift"][-1] == pytest.approx(way, abs=1e-12)
    assert np.abs(run.v[-1]).max() < 1e-12
    assert run.contact_force("rope").normal[-2] == pytest.approx(weight * G, rel=1e-9)
    assert run.contact_force("stop").normal[-2] == pytest.approx((n * weight - load) * G, rel=1e-8)


def test_a_crane_lowers_its_load() -> None:
    """(I + m r²) w' = T - c w of the drum with the torque T of its motor; the rope pulls by m (g - r w')."""
    load, radius, inertia, brake, torque = 500.0, 0.2, 10.0, 20.0, 30.0
    model = gallery.crane(load=load, drum=radius, inertia=inertia, speed=0.0).build()
    late = (inertia + load * radius**2) / brake
    errors = []
    for dt in (0.02, 0.01):
        run = bough.simulate(model, u={"hoist": torque}, duration=4.0, dt=dt)
        rate = torque / brake * (1.0 - np.exp(-run.t / late))
        turned = torque / brake * run.t - late * rate
        errors.append(np.abs(run["winch"] - turned).max())
        assert run["z"] == pytest.approx(2.0 - radius * run["winch"], abs=1e-12)
        assert np.abs(run["trolley"]).max() < 1e-12
        acceleration = torque / (inertia + load * radius**2) * np.exp(-run.t[1:-1] / late)
        force = run.contact_force("rope").normal[1:-1]
        assert force == pytest.approx(load * (G - radius * acceleration), rel=dt**2)
    assert errors[1] < 1e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


def test_the_load_of_a_crane_swings() -> None:
    """Only the friction of the trolley acts sideways: what the trolley has rolled tells how much momentum is left."""
    load, trolley, speed, friction = 500.0, 200.0 + 20.0, 1.0, 50.0
    run = bough.simulate(gallery.crane(load=load, speed=speed).build(), duration=10.0, dt=0.01)
    momentum = trolley * run["v.trolley"] + load * run["v.x"]
    assert momentum + friction * run["trolley"] == pytest.approx(load * speed, rel=1e-9)
    assert np.ptp(run["x"] - run["trolley"]) > 0.5
    assert run.gaps()["rope"].min() > -1e-12


def test_a_winch_with_inertia_lets_its_load_down() -> None:
    """a = g m / (m + I / r²)."""
    system = bough.System("winch")
    drum = system.world.ry("turn", name="drum", mass=1.0, inertia=(0.3, 0.3, 0.3))
    load = system.world.tz("z", name="load", mass=4.0)
    system.add(bough.String(drum, load, 1.0, drum={"turn": 0.25}, name="rope"))
    run = bough.simulate(system.build(), q={"z": -1.0}, duration=2.0, dt=0.01)
    a = G * 4.0 / (4.0 + 0.3 / 0.25**2)
    assert run["z"] == pytest.approx(-1.0 - 0.5 * a * run.t**2, abs=1e-11)
    assert run["turn"] == pytest.approx(0.5 * a / 0.25 * run.t**2, abs=1e-11)


def test_a_kinematic_winch() -> None:
    """What is wound faster than a load falls comes to rest on the way; what is paid out faster than that is slack."""
    system = bough.System("winch")
    load = system.world.tz("z", name="load", mass=4.0)
    system.add(bough.String("world", load, bough.kinematic("out"), name="rope"))
    run = bough.simulate(
        system.build(),
        q={"z": -1.0, "out": 1.0},
        k={"out": lambda t: 1.0 + 10.0 * t**2},
        duration=0.5,
        dt=0.01,
    )
    assert run["z"] == pytest.approx(-1.0 - 0.5 * G * run.t**2, abs=1e-6)
    assert run.gaps()[-1, 0] > 0.5


def test_a_pendulum_on_a_string_goes_slack_and_taut() -> None:
    """With v0² = 3.5 g L it is slack from 120° on, taut at the lowest point, and has g L / 16 left."""
    left = []
    for dt in (0.01, 0.005, 0.0025):
        system = bough.System("string")
        bob = system.world.tx("x").tz("z", name="bob", mass=1.0)
        system.add(bough.String("world", bob, 1.0, name="string"))
        run = bough.simulate(system.build(), q={"z": -1.0}, v={"x": np.sqrt(3.5 * G)}, duration=1.6, dt=dt)
        length = np.hypot(run["x"], run["z"])
        assert length.max() < 1.0 + 1e-12
        energy = run.energy()[-1] + G  # of the lowest point
        left.append(16.0 * energy / G)
    assert abs(left[2] - 1.0) < 5e-3
    assert np.log2(abs(left[0] - 1.0) / abs(left[2] - 1.0)) / 2.0 > 1.8


def test_two_loads_on_one_rope() -> None:
    """A rope from a beam under two blocks and back: each load hangs in a bight of it, at rest at one height."""
    system = bough.System("two loads")
    blocks = []
    for i in range(2):
        blocks.append(system.world.tx(float(2 * i)).tz(f"z{i}", name=f"block{i}", mass=3.0))
    pulleys = [system.world.tx(float(x)).tz(0.0, name=f"top{x}") for x in range(-1, 4, 2)]
    system.add(bough.String(pulleys[0], pulleys[2], 6.0, via=[blocks[0], pulleys[1], blocks[1]], name="rope"))
    system.add(bough.Damping(5.0))
    depth = np.sqrt(1.5**2 - 1.0)
    run = bough.simulate(
        system.build(), q={"z0": -depth, "z1": -depth}, v={"z0": -0.5, "z1": 0.5}, duration=20.0
    )
    assert run.gaps().min() > -1e-12
    assert run.q[-1] == pytest.approx(-depth, abs=1e-4)
    force = run.contact_force("rope").normal[-2]
    assert 2.0 * force * depth / 1.5 == pytest.approx(3.0 * G, rel=1e-4)


def shaken(system: bough.System) -> dict[str, Callable[[float], float]]:
    """The control frame goes up and down by a fifth of the puppet's height, faster than limbs fall."""
    height = system.start.q["control_tz"]

    def ramp(t: float) -> float:
        return min(t, 1.0) ** 3

    return {
        "control_tz": lambda t: height + 0.08 * ramp(t) * math.sin(3.0 * math.pi * t),
        "control_tx": lambda t: 0.05 * ramp(t) * math.sin(3.0 * t),
    }


def hurried(system: bough.System) -> dict[str, Callable[[float], float]]:
    """The walk, twice as fast."""

    def twice(change: Callable[[float], float]) -> Callable[[float], float]:
        return lambda t: change(2.0 * t)

    return {name: twice(change) for name, change in gallery.marionette_motion("walk", system).items()}


def minute(motion: Callable[[bough.System], dict[str, Callable[[float], float]]], duration: float) -> None:
    system = gallery.string_marionette()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", bough.CoarseStepWarning
        )  # limbs that are jerked through a turn in a step
        run = bough.simulate(system.build(), k=motion(system), duration=duration, dt=0.01)
    gaps = run.gaps()
    assert run.status == "finished"
    assert gaps.min() > -1e-12
    slack = (np.asarray(gaps) > 1e-6).mean(axis=0)
    assert (slack > 0.1).sum() >= 3  # of the seven strings
    assert len(run.impacts) > 10.0 * duration


@pytest.mark.parametrize("motion", [shaken, hurried])
def test_the_marionette_through_slack_and_taut(
    motion: Callable[[bough.System], dict[str, Callable[[float], float]]],
) -> None:
    minute(motion, 6.0)


@pytest.mark.verify
@pytest.mark.parametrize("motion", [shaken, hurried])
def test_the_marionette_for_a_minute(
    motion: Callable[[bough.System], dict[str, Callable[[float], float]]],
) -> None:
    minute(motion, 60.0)
