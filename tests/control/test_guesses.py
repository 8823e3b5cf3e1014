"""First guesses of the planner: the loops turn the base as they say, and round-off does not choose them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bough
from bough.control._guess import _loops, _planes, some_guesses
from bough.control._motion import Motion, turn
from bough.control._task import Arguments, task
from support.floating import END, START, satellite

TARGET = Rotation.from_rotvec((0.0, 0.4, 0.1)).as_matrix()


def planar() -> bough.System:
    """Two joints about the same axis: the two vectors of the only plane have entries of one size."""
    system = bough.System("planar", gravity=(0, 0, 0))
    base = system.world.free("base", name="base", mass=5.0, inertia=(1.0, 1.0, 1.0))
    base.tx(0.3).rz("shoulder").tx(0.5, mass=1.0).rz("elbow").tx(0.5, mass=1.0)
    for joint in ("shoulder", "elbow"):
        system.add(bough.ConfigurationForce(joint, f"{joint}_torque"))
    return system


def twins() -> bough.System:
    """Two equal arms on either side: equal areas turn the base."""
    system = bough.System("twins", gravity=(0, 0, 0))
    base = system.world.free("base", name="base", mass=5.0, inertia=(1.0, 1.0, 1.0))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        arm = base.tx(0.4 * sign).rz(f"{side}_yaw").ry(f"{side}_pitch")
        arm.tx(0.5 * sign, mass=1.0, inertia=(0.02, 0.05, 0.05))
        for joint in ("yaw", "pitch"):
            system.add(bough.ConfigurationForce(f"{side}_{joint}", f"{side}_{joint}_torque"))
    return system


def goal(system, start, end, target):
    q = np.concatenate((np.zeros(6), start))
    given = Arguments(target, q, None, end, (), 5.0, 25, None, None, None, None, 1.0)
    return task(system.build(), given, True, "test")


CASES = {
    "satellite": (satellite, START, END, TARGET),
    "planar": (
        planar,
        np.array([0.2, 0.5]),
        np.array([0.4, 0.1]),
        Rotation.from_rotvec((0, 0, 0.3)).as_matrix(),
    ),
    "twins": (twins, np.array([0.3, 0.5, 0.3, 0.5]), np.array([0.1, 0.2, 0.1, 0.2]), TARGET),
}


@pytest.mark.parametrize("name", CASES)
def test_guesses_do_not_depend_on_round_off(name):
    """A start that differs in its last digits leads to the same guesses."""
    system, start, end, target = CASES[name]
    at = goal(system(), start, end, target)
    guesses = some_guesses(at, 8)
    rng = np.random.default_rng(3)
    for _ in range(10):
        moved = replace(at, start=at.start * (1.0 + 4e-16 * rng.integers(-3, 4, size=at.n)))
        for one, other in zip(guesses, some_guesses(moved, 8), strict=True):
            np.testing.assert_allclose(other, one, atol=1e-9)


def test_planes_of_a_skew_matrix():
    """Sizes and planes rebuild the matrix; planes of one size, which have no basis of their own, get a fixed one."""
    rng = np.random.default_rng(4)
    turned = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    for sizes in ((1.0, 2.0, 3.0), (2.0, 2.0, 0.5), (1.0, 1.0, 1.0), (1.0, 0.0, 0.0)):
        S = turned @ np.kron(np.diag(sizes), [[0.0, -1.0], [1.0, 0.0]]) @ turned.T
        S = 0.5 * (S - S.T)
        planes = _planes(S)
        assert sorted(size for size, _ in planes) == pytest.approx(sorted(s for s in sizes if s))
        ab = [(size, np.sqrt(2.0) * v.real, np.sqrt(2.0) * v.imag) for size, v in planes]
        rebuilt = sum(size * (np.outer(b, a) - np.outer(a, b)) for size, a, b in ab)
        np.testing.assert_allclose(rebuilt, S, atol=1e-12)
        noise = 1e-14 * rng.normal(size=(6, 6))
        for (_, one), (_, other) in zip(planes, _planes(S + noise - noise.T), strict=True):
            np.testing.assert_allclose(other, one, atol=1e-12)


def test_loops_turn_the_base():
    """Loops make a small turn to the square root of its angle, which is the size of the loops."""
    vector = np.array([1e-8, 2e-8, -1.5e-8])
    at = goal(satellite(), START, START, Rotation.from_rotvec(vector).as_matrix())
    at = replace(at, steps=400, h=5.0 / 400)  # 25 steps are polygons of 2 % less area
    made = turn(Motion(at, _loops(at, at.attitude)).g[-1, :3, :3])
    np.testing.assert_allclose(made, vector, atol=0.01 * np.abs(vector).max())
