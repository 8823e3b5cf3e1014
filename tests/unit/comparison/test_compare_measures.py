"""What `bough.compare` measures with: its distance, what it finds conserved, and its reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough.comparison.conserved import conserved
from bough.comparison.distance import Distance
from bough.comparison.reference import reference
from support.comparisons import START, problem
from support.mechanisms import closed_chain, pendulum

# --- distance ---


def test_distance_of_a_pendulum_is_the_chord() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-2.0, mass=3.0)
    a, b = np.random.default_rng(0).uniform(-9.0, 9.0, (2, 20, 1))
    expected = 2.0 * 2.0 * np.abs(np.sin((a - b) / 2.0))[:, 0]
    np.testing.assert_allclose(Distance(system.build())(a, b), expected, rtol=0, atol=1e-14)


def test_distance_of_a_body_is_that_of_the_points_it_consists_of() -> None:
    random = np.random.default_rng(1)
    points, masses = random.normal(size=(6, 3)), random.uniform(0.5, 2.0, 6)
    com = masses @ points / masses.sum()
    r = points - com
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    body, cloud = bough.System("body"), bough.System("cloud")
    body.world.free("f", name="b", mass=masses.sum(), inertia=inertia, com=com)
    frame = cloud.world.free("f", name="b")
    for mass, (x, y, z) in zip(masses, points, strict=True):
        frame.tx(x).ty(y).tz(z, mass=mass)
    a, b = random.uniform(-2.0, 2.0, (2, 30, 6))
    one, many = Distance(body.build()), Distance(cloud.build())
    np.testing.assert_allclose(one(a, b), many(a, b), rtol=1e-12)
    np.testing.assert_allclose(one.radius(a), many.radius(a), rtol=1e-12)


# --- what is conserved ---


def momenta(model: bough.Model, q: Any = None, v: Any = None) -> tuple[bool, tuple[str, ...]]:
    asked = problem(model, q, v, duration=1.0)
    found = conserved(asked, bough.simulate(model, asked.q, asked.v, duration=1.0, integrator="dop853"))
    return found.energy, found.momenta


def chain(gravity: Any, base: str) -> bough.Model:
    system = bough.System("chain", gravity=gravity)
    frame = system.world.free("f") if base == "free" else system.world.tx("cart", mass=1.0)
    frame = frame.tx(0.0, mass=1.0, inertia=(0.1, 0.2, 0.3)) if base == "free" else frame
    frame.ry("angle").tz(-1.0, mass=1.0, inertia=(0.1, 0.1, 0.1))
    return system.build()


MOVING = {"f_tx": 0.2, "f_rx": 0.3, "f_ry": 0.5, "f_rz": 0.4, "angle": 1.0}
LINEAR, ANGULAR = ("linear x", "linear y", "linear z"), ("angular x", "angular y", "angular z")


def test_momenta_of_a_free_chain() -> None:
    assert momenta(chain(None, "free"), v=MOVING) == (True, LINEAR + ANGULAR)
    falling = chain((0.0, 0.0, -9.81), "free")
    assert momenta(falling, v=MOVING) == (True, ("linear x", "linear y", "angular z"))


def test_momentum_of_a_cart() -> None:
    """Along the rail; that across it, which is zero whatever moves, is not told."""
    assert momenta(chain((0.0, 0.0, -9.81), "cart"), {"angle": 1.0}) == (True, ("linear x",))


@pytest.mark.parametrize(
    ("away", "expected"), [(0.0, ("angular z",)), (2.0, ("of 'yaw'", "of 'spin'"))], ids=["origin", "away"]
)
def test_momentum_of_a_top(away: float, expected: tuple[str, ...]) -> None:
    """About the vertical through its pivot; where that is not at the origin, those of its own variables."""
    system = bough.System("top")
    pivot = system.world.tx(away).rz("yaw").ry("tilt").rz("spin")
    pivot.tz(0.5, mass=1.0, inertia=(0.05, 0.05, 0.02))
    assert momenta(system.build(), {"tilt": 0.5}, {"spin": 30.0, "yaw": 0.5}) == (True, expected)


def test_nothing_is_conserved_by_a_damped_pendulum() -> None:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.Damping(0.1))
    assert momenta(system.build(), {"angle": 1.0}) == (False, ())


def test_drift_of_momentum_is_in_parts_of_its_scale() -> None:
    """A free body that is pushed: its momentum grows by force times time."""
    system = bough.System("body", gravity=None)
    system.world.tx("x", mass=2.0)
    asked = problem(system.build(), v={"x": 3.0})
    kept = conserved(asked, bough.simulate(asked.model, v={"x": 3.0}, duration=1.0))
    assert kept.momenta == ("linear x",)
    pushed = bough.System("body", gravity=None)
    pushed.world.tx("x", mass=2.0)
    pushed.add(bough.ConfigurationForce("x", 5.0))
    run = bough.simulate(pushed.build(), v={"x": 3.0}, duration=1.0)
    # 5 N s of sqrt(2 m T) = m v = 6 N s
    assert kept.momentum_drift(run)[-1] == pytest.approx(5.0 / 6.0)


# --- the reference ---


@pytest.mark.parametrize("kind", ["double pendulum", "closed chain"])
def test_error_of_the_reference_is_what_it_says(kind: str) -> None:
    """Against DOP853 at 1e-12, projected."""
    model, q = (pendulum(2), {"q0": 1.0}) if kind == "double pendulum" else (closed_chain(), START)
    asked, distance = problem(model, q, duration=1.0), Distance(model)
    found = reference(asked, distance, 1e-3, 4.0)
    assert found.until == 1.0
    assert len(found.run) == 101
    options: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13}
    if model.nc:
        options["stabilization"] = "projection"
    truth = bough.simulate(model, asked.q, asked.v, duration=1.0, integrator="dop853", **options)
    error = np.maximum.accumulate(distance(found.run.q, truth.q))
    assert found.error[-1] < 1e-4
    assert (error <= found.error + 1e-12).all()


def test_reference_of_a_stiff_system_is_variational() -> None:
    """A pendulum on a mount of 1e6 rad/s: RK4 is stable below 2.8 us, which is too slow."""
    system = bough.System("mount")
    system.world.tx("mount", mass=1.0).ry("angle").tz(-1.0, mass=1.0)
    system.add(bough.ConfigurationSpring("mount", 1e12))
    model = system.build()
    asked = problem(model, {"angle": 0.5}, duration=1.0)
    found = reference(asked, Distance(model), 1e-3, 0.2)
    assert found.method.startswith("midpoint with dt = ")
    assert found.until == 1.0
    rigid = bough.simulate(pendulum_of_a_point(), {"angle": 0.5}, duration=1.0, integrator="dop853")
    # the mount gives way by 1e-11 m
    assert np.abs(found.run["angle"] - rigid["angle"]).max() < 1e-4


def pendulum_of_a_point() -> bough.Model:
    system = bough.System("pendulum")
    system.world.ry("angle").tz(-1.0, mass=1.0)
    return system.build()


def test_reference_serves_only_while_two_runs_agree() -> None:
    """The double pendulum from above is chaotic: errors grow by e each third of a second or so."""
    model = pendulum(2)
    asked = problem(model, {"q0": 3.0}, {"q1": 0.1}, duration=60.0)
    found = reference(asked, Distance(model), 1e-3, 1.0)
    assert 2.0 < found.until < 60.0
    assert found.error[-1] <= 1e-4
