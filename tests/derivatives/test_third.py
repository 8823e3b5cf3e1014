"""Third derivatives of potentials and constraints: finite differences, symmetry, identities, closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import bough
from support.cases import SEEDS, case
from support.compare import compare
from support.constraint_checks import two_arms
from support.finite_difference import assert_derivative
from support.potential_checks import random_pairs
from support.transforms import Array


def orders(T: Array) -> Iterator[Array]:
    """T with its last three axes in every order."""
    lead = tuple(range(T.ndim - 3))
    for order in permutations(range(T.ndim - 3, T.ndim)):
        yield T.transpose(*lead, *order)


def assert_third_of_potential(model: bough.Model, q: Array, step: float = 0.05) -> None:
    rest = np.zeros(model.nq)
    T = model.potential_energy_dqdqdq(q)
    assert np.abs(T).max() > 1e-3, "nothing to compare"
    assert all(np.array_equal(T, other) for other in orders(T))
    assert_derivative(lambda x: -model.L_dqdq(x, rest), T, q, step=step, what="d3V/dq dq dq")


def assert_third_of_constraint(model: bough.Model, q: Array, t: float) -> None:
    T = model.constraint_dqdqdq(q, t)
    assert T.shape == (model.nc, model.nq, model.nq, model.nq)
    assert np.abs(T).max() > 1e-3, "nothing to compare"
    assert all(np.array_equal(T, other) for other in orders(T))
    moved = np.moveaxis(T, 1, 0)
    assert_derivative(lambda x: model.constraint_dqdq(x, t), moved, q, step=0.05, what="d3h/dq dq dq")


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_of_the_system(seed: int) -> None:
    """Trees with shared and kinematic variables, branches and screws."""
    c = case(seed)
    rest = np.zeros(c.nq)
    T = c.model.potential_energy_dqdqdq(c.q)
    assert all(np.array_equal(T, other) for other in orders(T))
    assert_derivative(lambda x: -c.model.L_dqdq(x, rest), T, c.q, what="d3V/dq dq dq")


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_gravity_by_derivatives_of_poses(seed: int) -> None:
    """V = -sum m g . c, and the centre of mass c of a frame by the third derivative of its pose."""
    c = case(seed)
    expected = np.zeros((c.nq,) * 3)
    gravity = np.array(c.system.gravity)
    for k, name in c.frames:
        mass, com = c.flat["mass"][k], np.append(c.flat["com"][k], 1.0)
        for index in np.ndindex(*expected.shape) if mass else ():
            names = tuple(c.variables[i] for i in index)
            third = c.model.pose_derivative(name, c.q, variables=names)
            expected[index] -= mass * gravity @ (third @ com)[:3]
    compare(c.model.potential_energy_dqdqdq(c.q), expected, rtol=1e-12, scale=c.energy, what="V_dqdqdq")


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_the_element_is_the_gravity_of_the_system(seed: int) -> None:
    """Another sum over the same masses."""
    c = case(seed)
    floating = c.tree.system()
    frames = [name for k, name in c.frames if c.flat["mass"][k] > 0.0]
    floating.add(bough.Gravity(tuple(floating.gravity), frames))
    floating.gravity = None
    compare(
        floating.build().potential_energy_dqdqdq(c.q),
        c.model.potential_energy_dqdqdq(c.q),
        rtol=1e-12,
        scale=c.energy,
        what="Gravity",
    )


POTENTIALS: dict[str, Callable[[str, str], bough.Potential]] = {
    "LinearSpring": lambda a, b: bough.LinearSpring(a, b, 3.0, 0.2),
    "NonlinearSpring": lambda a, b: bough.NonlinearSpring(a, b, polynomial=(1.0, 2.0, -0.5, 0.3)),
    "CentralGravity": lambda a, b: bough.CentralGravity(a, b, mu=2.0),
}


def apart(a: Array, b: Array) -> bool:
    return bool(np.linalg.norm(a[:3, 3] - b[:3, 3]) > 0.9)


@pytest.mark.parametrize("kind", POTENTIALS)
def test_potentials_between_frames_of_random_trees(kind: str) -> None:
    for system, q, a, b in random_pairs(6, apart):
        if b == "world":
            a, b = b, a
        system.frame(b).mass = 2.0
        system.add(POTENTIALS[kind](a, b))
        assert_third_of_potential(system.build(), q)


def test_springs_of_variables() -> None:
    """V''' of the formula, at the variable alone."""
    system = bough.System("slides", gravity=None)
    for name in ("x", "y"):
        system.world.tx(name, mass=1.0)
    system.add(bough.ConfigurationSpring("x", 3.0, 0.1))
    system.add(bough.NonlinearConfigurationSpring("y", polynomial=(0.5, -1.0, 2.0, 4.0), rest=0.2))
    T = system.build().potential_energy_dqdqdq([0.3, 0.9])
    expected = np.zeros((2, 2, 2))
    expected[1, 1, 1] = 2 * 2.0 + 6 * 4.0 * 0.7  # of F = 0.5 - x + 2 x^2 + 4 x^3 at x = 0.7
    np.testing.assert_allclose(T, expected, rtol=1e-14, atol=1e-14)


CONSTRAINTS: dict[str, Any] = {
    "point along a direction of the world": bough.PointConstraint("a", "b", (1, 2, 3)),
    "point in a frame's axes": bough.PointConstraint("a", "b", axes=((1, 0, 0), (0, 1, 1)), in_frame="c"),
    "plane": bough.PlaneConstraint("a", "b", normal=(1, 0, 2)),
    "line": bough.LineConstraint("a", "c", axis=(1, 0, -1), origin=(0, 0.2, 0.4)),
    "distance": bough.DistanceConstraint("a", "b", 1.0),
    "driven distance": bough.DistanceConstraint("a", "c", bough.kinematic("length")),
    "parallel": bough.ParallelConstraint("a", "b", axis=(0.3, 0, 1)),
    "weld": bough.WeldConstraint("a", "b"),
    "cam": bough.CamConstraint("tilt", "turn", bough.Sinusoid(0.4, 2.0, 0.3, mean=0.1)),
}


@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_constraints(kind: str) -> None:
    system = two_arms()
    system.add(CONSTRAINTS[kind])
    model = system.build()
    random = np.random.default_rng(7)
    for _ in range(3):
        assert_third_of_constraint(model, random.normal(scale=0.4, size=model.nq), 0.4)


def test_linear_constraints_have_none_but_zero() -> None:
    system = two_arms()
    system.add(bough.GearConstraint({"left": 10, "tilt": 20}))
    system.add(bough.EqualityConstraint(("left", "turn")))
    model = system.build()
    assert not model.constraint_dqdqdq(np.ones(model.nq)).any()


def test_what_turns_both_points_leaves_their_distance() -> None:
    """Exactly: joints at or above the fork are left out."""
    system = two_arms()
    system.gravity = None
    system.add(bough.LinearSpring("a", "b", 3.0, 0.2))
    system.add(bough.DistanceConstraint("a", "b", 1.0))
    model = system.build()
    q = np.random.default_rng(1).normal(size=model.nq)
    for name in ("slide", "turn", "tilt"):
        i = model.index(name)
        assert not model.potential_energy_dqdqdq(q)[i].any()
        assert not model.constraint_dqdqdq(q)[0, i].any()


def test_the_attraction_of_a_point_is_harmonic() -> None:
    """V = -c/r in Cartesian coordinates: V_xxx = c (15 x^3/r^7 - 9 x/r^5) (-1), and traces vanish."""
    system = bough.System("orbit", gravity=None)
    body = system.world.tx("x").ty("y").tz("z", name="body", mass=2.0)
    system.add(bough.CentralGravity("world", body, mu=3.0))
    q = np.array([0.4, -0.7, 1.1])
    T = system.build().potential_energy_dqdqdq(q)
    r = np.linalg.norm(q)
    expected = -6.0 * (9.0 * q / r**5 - 15.0 * q**3 / r**7)
    np.testing.assert_allclose(np.einsum("iii->i", T), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(np.einsum("iij->j", T), 0.0, atol=1e-13)


@pytest.mark.parametrize(
    "spring",
    [
        bough.LinearSpring("bob", "world", 3.0),
        bough.NonlinearSpring("bob", "world", polynomial=(0.0, 2.0, 0.0, 4.0)),
    ],
    ids=["linear", "cubic"],
)
def test_springs_without_rest_length_are_smooth_where_the_points_meet(spring: bough.Potential) -> None:
    system = bough.System("joined", gravity=None)
    system.world.tx("x").tx(1.0).ry("angle").tx(-1.0).rz("turn").tz(
        "z", name="bob", mass=1.0, inertia=(1, 1, 1)
    )
    system.add(spring)
    model = system.build()
    q = np.zeros(4)
    assert np.linalg.norm(model.pose("bob", q)[:3, 3]) == 0.0
    assert_third_of_potential(model, q)


def test_coinciding_points_have_no_direction() -> None:
    system = bough.System("joined")
    system.world.tx("x").ty("y", name="bob", mass=1.0)
    system.add(bough.DistanceConstraint("bob", "world", 1.0))
    assert not system.build().constraint_dqdqdq([0.0, 0.0]).any()


def test_batches_equal_loops() -> None:
    system = two_arms()
    system.add(bough.LinearSpring("a", "c", 3.0, 0.2))
    system.add(bough.PointConstraint("a", "b", axes=((1, 0, 0), (0, 1, 1)), in_frame="c"))
    model = system.build()
    n = model.nq
    q = np.random.default_rng(2).normal(size=(2, 3, n))
    V, h = model.potential_energy_dqdqdq(q), model.constraint_dqdqdq(q, np.zeros(3))
    assert V.shape == (2, 3, n, n, n)
    assert h.shape == (2, 3, 2, n, n, n)
    for index in np.ndindex(2, 3):
        assert np.array_equal(V[index], model.potential_energy_dqdqdq(q[index]))
        assert np.array_equal(h[index], model.constraint_dqdqdq(q[index]))
    assert model.potential_energy_dqdqdq(np.zeros((0, n))).shape == (0, n, n, n)
    assert model.constraint_dqdqdq(dict.fromkeys(model.variables, 0.1)).shape == (2, n, n, n)
