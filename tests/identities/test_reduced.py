"""Locked inertia, connection and shape metric against the mass matrix of the core and finite differences."""

import numpy as np
import pytest

import bough
from bough._core import core
from support.finite_difference import assert_derivative
from support.random_trees import random_state, random_tree

SEEDS = range(8)
BASE = "n5"  # the last of the six frames of the floating base, which come first


def floating(seed, joints=5, **options):
    model = random_tree(seed, joints, floating=True, **options).system().build()
    q, v, _ = random_state(model.nq, seed)
    return model, q, v


def split(model):
    base = [model.index(name) for name in model.base_variables]
    return base, [model.index(name) for name in model.shape_variables]


@pytest.mark.parametrize("seed", SEEDS)
def test_block_elimination_of_the_mass_matrix(seed):
    model, q, _ = floating(seed)
    base, shape = split(model)
    M = model.mass_matrix(q)
    B = np.linalg.inv(model.jacobian(BASE, q)[:, base])  # Euler rates from body twists
    I, N = B.T @ M[np.ix_(base, base)] @ B, B.T @ M[np.ix_(base, shape)]
    m = M[np.ix_(shape, shape)]
    A = np.linalg.solve(I, N)
    size = np.abs(M).max()
    np.testing.assert_allclose(model.locked_inertia(q), I, atol=1e-12 * size)
    np.testing.assert_allclose(model.shape_metric(q), m, atol=1e-12 * size)
    np.testing.assert_allclose(model.connection(q), A, atol=1e-12 * np.abs(A).max() * np.linalg.cond(I))
    S = model.reduced(q, order=0).S
    np.testing.assert_allclose(S, m - A.T @ I @ A, atol=1e-12 * size)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_splits(seed):
    """T = 1/2 w^T I w + 1/2 r'^T S r' with w = xi + A r'."""
    model, q, v = floating(seed)
    _, shape = split(model)
    xi, rates = model.body_velocity(BASE, q, v), v[shape]
    reduced = model.reduced(q, order=0)
    w = xi + reduced.A @ rates
    split_energy = 0.5 * w @ reduced.I @ w + 0.5 * rates @ reduced.S @ rates
    assert split_energy == pytest.approx(model.kinetic_energy(q, v), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_by_the_shape(seed):
    model, q, _ = floating(seed, joints=4)
    r = q[split(model)[1]]
    at = model.reduced(r)
    for name in "ImAS":
        first, second = (getattr(at, name + tail) for tail in ("_dr", "_drdr"))
        assert_derivative(lambda x, n=name: getattr(model.reduced(x, order=0), n), first, r, what=name)
        assert_derivative(
            lambda x, n=name: getattr(model.reduced(x, order=1), n + "_dr"), second, r, what=name + "_dr"
        )


def variation(model, r, dr, z, dz):
    n, nr = len(z), len(r)
    shapes = ((n, n), (n, nr), (n, nr), (nr, nr), (nr, nr))
    out = [np.full(shape, np.nan) for shape in shapes]
    core.metric_variation(model._core, *(np.ascontiguousarray(x) for x in (r, dr, z, dz)), *out)
    return out


@pytest.mark.parametrize("seed", SEEDS)
def test_contracted_derivatives_of_the_metric(seed):
    """G_j = dM_j z and z^T ddM_jl z / 2 of (B6), (B15) against the tensors (B4), (B5), dM along dr too."""
    model, q, _ = floating(seed, joints=5, shared=seed % 2)
    r = q[split(model)[1]]
    at = model.reduced(r)
    rng = np.random.default_rng(seed)
    dr, z = rng.normal(size=len(r)), rng.normal(size=6 + len(r))

    def metric(I, N, m):
        return np.concatenate((np.concatenate((I, N), -1), np.concatenate((N.swapaxes(-1, -2), m), -1)), -2)

    N_dr = at.I_dr @ at.A + at.I @ at.A_dr
    cross = at.I_dr[:, None] @ at.A_dr[None]
    N_drdr = at.I_drdr @ at.A + cross + cross.swapaxes(0, 1) + at.I @ at.A_drdr
    first, second = metric(at.I_dr, N_dr, at.m_dr), metric(at.I_drdr, N_drdr, at.m_drdr)
    dM, G, _, Q, _ = variation(model, r, dr, z, np.zeros_like(z))
    size = np.abs(second).max()
    np.testing.assert_allclose(dM, np.einsum("jab,j->ab", first, dr), atol=1e-13 * size)
    np.testing.assert_allclose(G, np.einsum("jab,b->aj", first, z), atol=1e-13 * size)
    np.testing.assert_allclose(Q, 0.5 * np.einsum("a,jlab,b->jl", z, second, z), atol=1e-12 * size)


@pytest.mark.parametrize("seed", SEEDS)
def test_variation_of_the_contracted_derivatives(seed):
    """G' and (z^T ddM z / 2)' of (B17), which hold the third derivatives of M, against differences."""
    model, q, _ = floating(seed, joints=5, shared=seed % 2)
    r = q[split(model)[1]]
    rng = np.random.default_rng(seed)
    dr, z, dz = rng.normal(size=len(r)), rng.normal(size=6 + len(r)), rng.normal(size=6 + len(r))
    _, _, dG, _, dQ = variation(model, r, dr, z, dz)

    def along(e, place):
        return variation(model, r + e[0] * dr, dr, z + e[0] * dz, dz)[place]

    zero = np.zeros(1)
    assert_derivative(lambda e: along(e, 1), dG[None], zero, what="G")
    assert_derivative(lambda e: along(e, 3), dQ[None], zero, what="Q")


def test_base_pose_does_not_matter_and_forms_of_the_argument_agree():
    model, q, _ = floating(3)
    base, shape = split(model)
    moved = q.copy()
    moved[base] += 0.7
    A = model.connection(q)
    np.testing.assert_array_equal(model.connection(moved), A)
    np.testing.assert_array_equal(model.connection(q[shape]), A)
    np.testing.assert_array_equal(model.connection(dict(zip(model.variables, q, strict=True))), A)
    batch = np.stack([q, 0.5 * q]).reshape(2, 1, -1)
    both = model.reduced(batch)
    assert both.A_drdr.shape == (2, 1, len(shape), len(shape), 6, len(shape))
    np.testing.assert_array_equal(both.A[0, 0], A)
    np.testing.assert_array_equal(both.S_drdr[1, 0], model.reduced(0.5 * q).S_drdr)


def test_other_trees_of_the_world_do_not_couple():
    system = bough.System("two")
    system.world.ry("arm").tz(-1.0, mass=1.0)
    body = system.world.free("base", mass=2.0, inertia=(1, 2, 2.5))
    body.rx("joint").ty(0.4, mass=0.5, inertia=(0.1, 0.1, 0.1))
    model = system.build()
    assert model.shape_variables == ("arm", "joint")
    assert model.base_variables == tuple(f"base_{k}" for k in ("tx", "ty", "tz", "rz", "ry", "rx"))
    at = model.reduced([0.3, -0.4])
    assert not at.A[:, 0].any()
    assert at.A[:, 1].any()
    assert not at.I_dr[0].any()
    assert at.m[0, 0] == pytest.approx(1.0)
    assert at.m[0, 1] == 0.0


def test_what_is_not_a_free_base():
    held = bough.System("held")
    held.world.free(["x", "y", "z", "a", "b", bough.kinematic("c")], mass=1.0, inertia=(1, 1, 1))
    scaled = bough.System("scaled")
    scaled.world.tx("x").ty("y").tz("z").rz("a", ratio=2.0).ry("b").rx("c", mass=1.0, inertia=(1, 1, 1))
    branched = bough.System("branched")
    lift = branched.world.tx("x").ty("y").tz("z")
    lift.rz("a").ry("b").rx("c", mass=1.0, inertia=(1, 1, 1))
    lift.rx("other").ty(1.0, mass=1.0)
    for system in (held, scaled, branched):
        assert system.build().base_variables == ()
    with pytest.raises(bough.ModelError) as error:
        held.build().connection([0.0] * 6)
    assert str(error.value) == (
        "reduced quantities of model 'held'\n"
        "  found: no free base: no tree of it begins with the six variables that world.free() makes\n"
        "  do: add the base with system.world.free(...), or use mass_matrix()"
    )


def test_singular_locked_inertia():
    """A massless base with one arm: with the elbow straight, all mass is on one line."""
    system = bough.System("rod")
    hub = system.world.free("base")
    hub.tx(1.0, mass=1.0)
    hub.ry("hinge").tx(-1.0, mass=1.0).rz("last").tx(0.5, mass=1.0)
    model = system.build()
    assert np.isfinite(model.connection({"hinge": 0.5, "last": 0.3})).all()
    with pytest.raises(bough.ModelError) as error:
        model.connection([[0.5, 0.3], [0.0, 0.0]])
    assert str(error.value) == (
        "connection of model 'rod'\n"
        "  found: the locked inertia is singular in row 1 of the batch: with its joints locked, the body can"
        " turn or move without moving mass\n"
        "  do: give the base a mass and an inertia, or move the masses off one line"
    )


def test_bad_order():
    model, q, _ = floating(0)
    with pytest.raises(bough.ModelError) as error:
        model.reduced(q, order=3)
    assert str(error.value).splitlines()[1:] == [
        "  found: derivatives of another order than 0, 1 or 2",
        "  do: give order=0, 1 or 2",
    ]
