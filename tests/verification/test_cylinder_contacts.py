"""Cylinders on boxes, hulls, capsules, ellipsoids and each other: at rest, rolling, and where they tip."""

from __future__ import annotations

import numpy as np
import pytest

import bough

G, R, L = 9.81, 0.1, 0.3
CYLINDER = bough.Cylinder(R, L)
UP = np.eye(4)
LYING = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])  # its axis along y
ACROSS = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])  # its axis along x
INERTIA = ((3 * R**2 + L**2) / 12, (3 * R**2 + L**2) / 12, R**2 / 2)
TABLE = bough.Box((1.0, 1.0, 0.2))
WEDGE = bough.Mesh(
    vertices=[(0.4, 0, 0), (-0.3, 0.4, 0), (-0.3, -0.4, 0), (0, 0, -0.5)],
    faces=[(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)],
)


def below(depth: float, pose: np.ndarray = UP) -> np.ndarray:
    result = pose.copy()
    result[2, 3] = -depth
    return result


def motion(shape, other, place, q, v=None, at=UP, friction=0.5, inertia=INERTIA, duration=2.0, dt=0.01):
    system = bough.System("body")
    system.world.floating("base", name="body", mass=1.0, inertia=inertia)
    system.world.frame("table")
    system.add(
        bough.Contact(
            "body", shape, against=("table", other), at=at, against_at=place, friction=friction, name="on"
        )
    )
    return bough.simulate(system.build(), q=q, v=v or {}, duration=duration, dt=dt)


STANDING = {
    "box": (TABLE, below(0.1), {}),
    "edge of a box": (TABLE, below(0.1), {"base_tx": 0.45}),
    "corner of a box": (TABLE, below(0.1), {"base_tx": 0.47, "base_ty": 0.46}),
    "narrow box": (bough.Box((0.05, 0.08, 0.2)), below(0.1), {}),
    "hull": (WEDGE, below(0.0), {}),
    "cylinder": (CYLINDER, below(0.15), {}),
    "cylinder beside it": (CYLINDER, below(0.15), {"base_tx": 0.05, "base_ty": 0.03}),
    "thin cylinder": (bough.Cylinder(0.03, 0.3), below(0.15), {}),
    "wide cylinder": (bough.Cylinder(0.4, 0.3), below(0.15), {"base_tx": 0.35}),
}


@pytest.mark.parametrize("name", STANDING)
def test_it_stands_on_its_cap(name):
    other, place, q = STANDING[name]
    run = motion(CYLINDER, other, place, {"base_tz": 0.15, **q}, duration=5.0)
    assert np.abs(run.q - run.q[0]).max() < 1e-12
    force = np.array([run.contact_force(gap).normal[-2] for gap in run.model.gaps])
    assert force.sum() == pytest.approx(G, rel=1e-10)
    points = np.array([run.contact_force(gap).point[-2] for gap in run.model.gaps])
    there = force > 0.0
    np.testing.assert_allclose(force[there] @ points[there] / G, [*run.q[0, :2], 0.0], atol=1e-10)


@pytest.mark.parametrize(
    ("name", "x"), [("box", 0.52), ("thin cylinder", 0.04), ("cylinder", 0.11), ("wide cylinder", 0.42)]
)
def test_it_tips_if_its_middle_is_beyond(name, x):
    other, place, _ = STANDING[name]
    run = motion(CYLINDER, other, place, {"base_tz": 0.15, "base_tx": x}, duration=0.5, friction=1.0)
    assert run["base_tz"][-1] < 0.14
    assert np.diff(run.energy()).max() < 5e-5  # of 1.5 J: waves of the midpoint rule, of second order in dt


LIES = {
    "box": (TABLE, below(0.1), {}, 2),
    "over an edge": (TABLE, below(0.1), {"base_ty": 0.45}, 2),
    "across a beam": (bough.Box((1.0, 0.1, 0.2)), below(0.1), {}, 2),
    "across a capsule": (bough.Capsule(0.05, 1.0), below(0.05, ACROSS), {}, 1),
    "across a cylinder": (CYLINDER, below(0.1, ACROSS), {}, 1),
    "on a cap": (bough.Cylinder(0.5, 0.2), below(0.1), {}, 2),
    "across a cap": (bough.Cylinder(0.05, 0.2), below(0.1), {}, 2),
}


@pytest.mark.parametrize("name", LIES)
def test_it_lies(name):
    other, place, q, points = LIES[name]
    run = motion(CYLINDER, other, place, {"base_tz": R, **q}, at=LYING, duration=0.5 if points == 1 else 5.0)
    assert np.abs(run.q - run.q[0]).max() < 1e-12
    force = np.array([run.contact_force(gap).normal[-2] for gap in run.model.gaps])
    assert (force > 0.0).sum() == points
    assert force.sum() == pytest.approx(G, rel=1e-10)


def test_it_comes_to_roll_on_a_box():
    run = motion(
        CYLINDER,
        bough.Box((10.0, 1.0, 0.2)),
        below(0.1),
        {"base_tz": R},
        {"base_tx": 1.0},
        at=LYING,
        friction=0.3,
        inertia=(0.5 * R**2,) * 3,
    )
    assert run["v.base_tx"][-1] == pytest.approx(2.0 / 3.0, rel=1e-10)
    assert np.abs(run["base_tz"] - R).max() < 1e-12


@pytest.mark.parametrize("ground", ["plane", "box", "cylinder"])
def test_a_dropped_cylinder_stays_outside(ground):
    """On its rim, over its side, or upright: nothing is entered and nothing gains."""
    others = {
        "plane": (bough.Plane(), None),  # z = 0 of its frame
        "box": (TABLE, below(0.1)),
        "cylinder": (bough.Cylinder(2.0, 0.2), below(0.1)),
    }
    run = motion(
        CYLINDER, *others[ground], {"base_tz": 0.4}, {"base_wx": 3.0, "base_wy": 1.0}, duration=0.7, dt=0.005
    )
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-10
    assert np.diff(run.energy()).max() < 1e-4


def dropped_can(seed: int, dt: float) -> bough.Trajectory:
    """A can that falls from 2 cm on its rim, tilted by up to 35 degrees."""
    rng = np.random.default_rng(seed)
    length, friction, restitution = (float(rng.uniform(*x)) for x in ((0.08, 0.4), (0.1, 1.0), (0.0, 0.5)))
    tilt, way = rng.uniform(0.02, 0.6), rng.uniform(0.0, 2.0 * np.pi)
    system = bough.System("can")
    across = (3 * R**2 + length**2) / 12
    system.world.floating("base", name="body", mass=1.0, inertia=(across, across, 0.5 * R**2))
    system.add(
        bough.Contact(
            "body", bough.Cylinder(R, length), friction=friction, restitution=restitution, name="floor"
        )
    )
    height = 0.5 * length * np.cos(tilt) + R * np.sin(tilt) + 0.02
    turn = [np.cos(tilt / 2), np.sin(tilt / 2) * np.cos(way), np.sin(tilt / 2) * np.sin(way), 0.0]
    v = dict(
        zip(("base_wx", "base_wy", "base_wz", "base_tx", "base_ty"), rng.normal(size=5) * 0.3, strict=True)
    )
    return bough.simulate(system.build(), q={"base_tz": height, "base": turn}, v=v, duration=3.0, dt=dt)


@pytest.mark.parametrize("seed", range(25))
def test_a_tilted_can_lands(seed):
    """On its rim it wobbles, rolls, tips over or comes down flat, whatever the steps can tell of it."""
    run = dropped_can(seed, 0.005)
    gaps = np.asarray(run.gaps())
    assert gaps[np.isfinite(gaps)].min() > -1e-10
    energy = run.energy()
    # Waves of second order in the turn of the lowest point in a part of a step, which is at most 0.1: of about 1 J.
    assert np.diff(energy).max() < 5e-4
    assert energy[-1] < energy[0]
    assert np.nanmin(np.where(np.isfinite(gaps[-1]), gaps[-1], np.nan)) < 0.5 * R


@pytest.mark.verify
@pytest.mark.parametrize("dt", [0.01, 0.005, 0.002])
@pytest.mark.parametrize("part", range(4))
def test_many_tilted_cans_land(part, dt):
    for seed in range(25 + 25 * part, 50 + 25 * part):
        run = dropped_can(seed, dt)
        gaps = np.asarray(run.gaps())
        assert gaps[np.isfinite(gaps)].min() > -1e-10
        assert np.diff(run.energy()).max() < 2e-3
        assert run.energy()[-1] < run.energy()[0]


@pytest.mark.parametrize("tilt", [0.2, 0.05, 0.01])
def test_a_disk_whirls_on_its_rim(tilt):
    """Its middle at rest, it turns about the diameter over the contact, by Omega^2 sin(tilt) = 4 g / r."""
    rate = np.sqrt(4.0 * G / (R * np.sin(tilt)))
    thin = 1e-5 * R
    system = bough.System("disk")
    system.world.floating("base", name="body", mass=1.0, inertia=(R**2 / 4, R**2 / 4, R**2 / 2))
    system.add(bough.Contact("body", bough.Cylinder(R, thin), friction=1.0, name="floor"))
    run = bough.simulate(
        system.build(),
        q={
            "base_tz": R * np.sin(tilt) + 0.5 * thin * np.cos(tilt),
            "base": [np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0],
        },
        v={"base_wx": rate * np.sin(tilt)},
        duration=0.3,
        dt=0.002,
    )
    w, x, y, z = (run[f"base_q{c}"] for c in "wxyz")
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x)])
    turned = np.unwrap(np.arctan2(axis[1], axis[0]))
    assert abs(turned[-1]) == pytest.approx(rate * 0.3, rel=2e-2)
    np.testing.assert_allclose(np.hypot(*axis), np.sin(tilt), rtol=2e-2)
    assert np.abs(run["base_tx"]).max() + np.abs(run["base_ty"]).max() < 0.02 * R


def test_an_ellipsoid_lands_on_a_cylinder():
    shape = bough.Ellipsoid((0.1, 0.12, 0.08))
    run = motion(shape, bough.Cylinder(0.5, 0.2), below(0.1), {"base_tz": 0.3}, duration=1.0)
    assert run["base_tz"][-1] == pytest.approx(0.08, abs=1e-12)
    assert np.abs(run.v[-1]).max() < 1e-10
