"""The same trees in MuJoCo: hinges and slides, so all transforms and twists without pitch."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco")

from support.cases import SEEDS, Case, case
from support.compare import compare
from support.mujoco_tree import MujocoTree

# The target, relative to the size of the terms.
RELATIVE = 1e-10


def trees() -> list[object]:
    general = [pytest.param((seed, {}), id=f"general-{seed}") for seed in SEEDS]
    plain = [
        pytest.param((seed, {"shared": False, "kinematic": False}), id=f"unshared-{seed}") for seed in SEEDS
    ]
    return [*general, *plain]


@pytest.fixture(params=trees())
def c(request: pytest.FixtureRequest) -> Case:
    seed, options = request.param
    return case(seed, 8, pitch=False, **options)


@pytest.fixture
def mj(c: Case) -> MujocoTree:
    return MujocoTree(c.flat)


def test_poses(c: Case, mj: MujocoTree) -> None:
    for k, f in c.frames:
        compare(c.model.pose(f, c.q), mj.pose(k, c.q), rtol=RELATIVE, scale=c.length, what=f)


def test_mass_matrix(c: Case, mj: MujocoTree) -> None:
    compare(c.model.mass_matrix(c.q), mj.mass_matrix(c.q), rtol=RELATIVE)


def test_bias(c: Case, mj: MujocoTree) -> None:
    bias = c.model.inverse_dynamics(c.q, c.v, np.zeros(c.nq))
    compare(bias, mj.bias(c.q, c.v), rtol=RELATIVE, scale=c.force)


def test_acceleration(c: Case, mj: MujocoTree) -> None:
    """Directly where every variable has its own joint, otherwise through MuJoCo's equations of motion."""
    a = c.model.acceleration(c.q, c.v, force=c.u)
    if c.nd == len(c.tree.moving):
        scale = c.force * c.condition / c.inertia
        compare(a, mj.unshared_acceleration(c.q, c.v, c.u), rtol=RELATIVE, scale=scale)
    tau = mj.mass_matrix(c.q) @ a + mj.bias(c.q, c.v)
    compare(tau[: c.nd], c.u[: c.nd], rtol=RELATIVE, scale=c.force + c.inertia * np.max(np.abs(a)))


def test_the_papers_recursion_agrees_too(c: Case, mj: MujocoTree) -> None:
    """The oracle of the suite against a library that shares nothing with it."""
    compare(c.paper.mass_matrix(), mj.mass_matrix(c.q), rtol=1e-12)
    compare(c.paper.inverse_dynamics(np.zeros(c.nq)), mj.bias(c.q, c.v), rtol=1e-12, scale=c.force)
    for k, _ in c.frames:
        compare(c.paper.pose(k), mj.pose(k, c.q), rtol=1e-12, scale=c.length)
