"""The same trees in Pinocchio.

Pinocchio works on one coordinate per joint; shared variables are mapped onto those by the chain rule.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from support.cases import SEEDS, Case, case
from support.compare import compare
from support.pinocchio_tree import PinocchioTree
from support.random_trees import random_tree

# The target, relative to the size of the terms.
RELATIVE = 1e-10


def trees() -> list[object]:
    general = [pytest.param((seed, {}), id=f"general-{seed}") for seed in SEEDS]
    plain = [
        pytest.param((seed, {"shared": False, "kinematic": False}), id=f"unshared-{seed}") for seed in SEEDS
    ]
    floating = [
        pytest.param((seed, {"shared": False, "kinematic": False, "floating": True}), id=f"floating-{seed}")
        for seed in SEEDS[:4]
    ]
    return [*general, *plain, *floating]


@pytest.fixture(params=trees())
def c(request: pytest.FixtureRequest) -> Case:
    seed, options = request.param
    return case(seed, 8, **options)


@pytest.fixture
def pin(c: Case) -> PinocchioTree:
    return PinocchioTree(c.flat)


def test_poses(c: Case, pin: PinocchioTree) -> None:
    for k, f in c.frames:
        compare(c.model.pose(f, c.q), pin.pose(k, c.q), rtol=RELATIVE, scale=c.length, what=f)


@pytest.mark.parametrize("kind", ["body", "spatial", "hybrid"])
def test_jacobians(c: Case, pin: PinocchioTree, kind: str) -> None:
    for k, f in c.frames:
        compare(
            c.model.jacobian(f, c.q, kind=kind), pin.jacobian(k, c.q, kind), rtol=RELATIVE, scale=c.length
        )


def test_mass_matrix(c: Case, pin: PinocchioTree) -> None:
    compare(c.model.mass_matrix(c.q), pin.mass_matrix(c.q), rtol=RELATIVE)


def test_bias_and_inverse_dynamics(c: Case, pin: PinocchioTree) -> None:
    zero = np.zeros(c.nq)
    for a in (zero, c.a):
        compare(
            c.model.inverse_dynamics(c.q, c.v, a),
            pin.inverse_dynamics(c.q, c.v, a),
            rtol=RELATIVE,
            scale=c.force,
        )


def test_bias_is_nonlinear_effects(c: Case, pin: PinocchioTree) -> None:
    compare(c.model.bias(c.q, c.v), pin.bias(c.q, c.v), rtol=RELATIVE, scale=c.force)


def test_acceleration_balances_in_pinocchio(c: Case, pin: PinocchioTree) -> None:
    """Also with shared and kinematic variables: our accelerations leave no residual force there."""
    a = c.model.acceleration(c.q, c.v, force=c.u, ak=c.a[c.nd :])
    tau = pin.inverse_dynamics(c.q, c.v, a)
    compare(tau[: c.nd], c.u[: c.nd], rtol=RELATIVE, scale=c.force + c.inertia * np.max(np.abs(a)))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_acceleration(seed: int, floating: bool) -> None:
    """Against `aba`, which knows no shared or kinematic variables."""
    c = case(seed, 8, shared=False, kinematic=False, floating=floating)
    expected = PinocchioTree(c.flat).unshared_acceleration(c.q, c.v, c.u)
    actual = c.model.acceleration(c.q, c.v, force=c.u)
    compare(actual, expected, rtol=RELATIVE, scale=c.force * c.condition / c.inertia)


def test_energy_and_momenta(c: Case, pin: PinocchioTree) -> None:
    compare(c.model.kinetic_energy(c.q, c.v), pin.kinetic_energy(c.q, c.v), rtol=RELATIVE, scale=c.energy)
    linear, about_com, com = pin.centroidal_momentum(c.q, c.v)
    scale = c.model.total_mass * c.speed * c.length
    compare(c.model.linear_momentum(c.q, c.v), linear, rtol=RELATIVE, scale=scale)
    compare(c.model.angular_momentum(c.q, c.v), about_com + np.cross(com, linear), rtol=RELATIVE, scale=scale)


def test_the_papers_recursion_agrees_too(c: Case, pin: PinocchioTree) -> None:
    """The oracle of the suite against a library that shares nothing with it."""
    compare(c.paper.mass_matrix(), pin.mass_matrix(c.q), rtol=1e-12)
    compare(c.paper.inverse_dynamics(c.a), pin.inverse_dynamics(c.q, c.v, c.a), rtol=1e-12, scale=c.force)
    for k, _ in c.frames:
        compare(c.paper.pose(k), pin.pose(k, c.q), rtol=1e-12, scale=c.length)


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_large_trees(seed: int) -> None:
    """Sixty joints, some tens of them in a row: nothing is special about size."""
    c = case(seed, 60)
    pin = PinocchioTree(c.flat)
    compare(c.model.mass_matrix(c.q), pin.mass_matrix(c.q), rtol=RELATIVE)
    compare(
        c.model.inverse_dynamics(c.q, c.v, c.a),
        pin.inverse_dynamics(c.q, c.v, c.a),
        rtol=RELATIVE,
        scale=c.force,
    )
    a = c.model.acceleration(c.q, c.v, force=c.u, ak=c.a[c.nd :])
    tau = pin.inverse_dynamics(c.q, c.v, a)
    compare(tau[: c.nd], c.u[: c.nd], rtol=RELATIVE, scale=c.force + c.inertia * np.max(np.abs(a)))


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(2000, 2100))
def test_many(seed: int) -> None:
    c = Case(random_tree(seed, joints=5 + seed % 20), seed=seed)
    pin = PinocchioTree(c.flat)
    compare(c.model.mass_matrix(c.q), pin.mass_matrix(c.q), rtol=RELATIVE)
    compare(
        c.model.inverse_dynamics(c.q, c.v, c.a),
        pin.inverse_dynamics(c.q, c.v, c.a),
        rtol=RELATIVE,
        scale=c.force,
    )
