"""Strings that only pull, in motion: closed forms of tackles, winches and pendulums on strings."""

from __future__ import annotations

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
    assert np.abs(run.gaps()).max() < 1e-12
    force = run.contact_force("rope").normal[1:-1]
    assert force == pytest.approx(weight * (G - n * a), rel=1e-9)


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
    assert abs(left[0] - 1.0) / abs(left[2] - 1.0) > 8.0  # order 2


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


@pytest.mark.verify
@pytest.mark.parametrize("motion", [None, "walk", "wave", "bow"])
def test_the_marionette_for_a_minute(motion: str | None) -> None:
    system = gallery.string_marionette()
    k = None if motion is None else gallery.marionette_motion(motion, system)
    run = bough.simulate(system.build(), k=k, duration=60.0, dt=0.01)
    assert run.status == "finished"
    assert run.gaps().min() > -1e-12
